//! Where the network's process calls: who is let in, by the kernel's word.

use super::messages::Told;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;
use tokio::net::{UnixListener, UnixStream};
use tokio::task::spawn_blocking;
use tokio::time::{Instant, sleep};

/// Pause before the next call is taken after one that ended, or that was none of the network's process.
pub(super) const PAUSE: Duration = Duration::from_millis(200);
/// Strangers' calls are told in the log so often at most.
const STRANGERS: Duration = Duration::from_secs(60);

/// Says whether this user id is that of the network's process. May wait for disk or network.
pub type IsCaller = Arc<dyn Fn(u32) -> bool + Send + Sync>;

/// Where it calls.
pub(super) struct Door {
    pub(super) listener: UnixListener,
    pub(super) is_caller: IsCaller,
}

impl Door {
    /// The next call that is the network's process's.
    pub(super) async fn call(&self) -> UnixStream {
        let mut told: Option<Instant> = None;
        loop {
            let (stream, uid) = match self.accepted().await {
                Ok(accepted) => accepted,
                Err(error) => {
                    tracing::warn!("the network's process cannot be let in: {error}");
                    sleep(PAUSE).await;
                    continue;
                }
            };
            let is_caller = Arc::clone(&self.is_caller);
            if spawn_blocking(move || is_caller(uid)).await.unwrap_or(false) {
                return stream;
            }
            if told.is_none_or(|told| told.elapsed() >= STRANGERS) {
                tracing::warn!(
                    "user id {uid} called where the network's process does, and was refused; network.user names who may"
                );
                told = Some(Instant::now());
            }
            turn_away(&stream, format!("user id {uid} is not that of network.user"));
            sleep(PAUSE).await;
        }
    }

    async fn accepted(&self) -> std::io::Result<(UnixStream, u32)> {
        let (stream, _) = self.listener.accept().await?;
        let uid = stream.peer_cred()?.uid();
        Ok((stream, uid))
    }

    /// Waits for the session's end; who else calls meanwhile is turned away.
    pub(super) async fn closed_during(&self, mut session: Pin<&mut impl Future<Output = String>>) -> String {
        loop {
            tokio::select! {
                why = &mut session => return why,
                other = self.call() => {
                    turn_away(&other, "a network's process is connected already".into());
                    tokio::select! { why = &mut session => return why, () = sleep(PAUSE) => {} }
                }
            }
        }
    }
}

/// Says why not, without ever waiting.
fn turn_away(stream: &UnixStream, why: String) {
    if let Ok(mut line) = serde_json::to_vec(&Told::Refused(why)) {
        line.push(b'\n');
        let _ = stream.try_write(&line);
    }
}
