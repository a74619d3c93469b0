//! Where the network's process calls: who is let in, by the kernel's word.

use super::allowance::Allowance;
use super::messages::Told;
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use nix::sys::socket::{Backlog, listen};
use std::os::fd::AsFd;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;
use tokio::net::{UnixListener, UnixStream};
use tokio::task::spawn_blocking;
use tokio::time::{Instant, sleep};

/// Calls that wait in the kernel: who makes them by the thousand leaves no more than these behind when it is gone. The network's
/// process calls again where it finds no room.
const QUEUE: i32 = 8;
/// Calls that are looked at: so many at once, and then one in this time.
const CALLS: (u32, Duration) = (64, Duration::from_millis(2));
/// Pause after a call that the kernel would not hand over: it has no room for it.
const AGAIN: Duration = Duration::from_millis(200);
/// Strangers' calls are told in the log so often at most.
const STRANGERS: Duration = Duration::from_secs(60);

/// Says whether this user id is that of the network's process. May wait for disk or network.
pub type IsCaller = Arc<dyn Fn(u32) -> bool + Send + Sync>;

/// Where it calls.
pub(super) struct Door {
    listener: UnixListener,
    is_caller: IsCaller,
    pace: Allowance,
    /// A call of which it is not known yet whose it is: it outlives the wait for that.
    held: Option<UnixStream>,
    /// When a stranger was last told of.
    told: Option<Instant>,
}

impl Door {
    pub(super) fn new(listener: UnixListener, is_caller: IsCaller) -> Self {
        if let Err(error) = Backlog::new(QUEUE).and_then(|queue| listen(&listener, queue)) {
            tracing::warn!("calls of the network's process wait in a long queue: {error}");
        }
        Self { listener, is_caller, pace: Allowance::new(CALLS.0, CALLS.1), held: None, told: None }
    }

    /// The next call that is the network's process's. One whose caller is gone is dropped at once: who called by the thousand and
    /// was killed keeps its successor waiting no longer than this takes. May be dropped and called again.
    pub(super) async fn call(&mut self) -> UnixStream {
        loop {
            if self.held.is_none() {
                while let Err(wait) = self.pace.take(Instant::now()) {
                    sleep(wait).await;
                }
                match self.listener.accept().await {
                    Ok((stream, _)) => self.held = Some(stream),
                    Err(error) => {
                        tracing::warn!("the network's process cannot be let in: {error}");
                        sleep(AGAIN).await;
                    }
                }
            }
            let caller = self.held.as_ref().filter(|held| !is_gone(held)).and_then(|held| held.peer_cred().ok());
            let Some(uid) = caller.map(|caller| caller.uid()) else {
                self.held = None;
                continue;
            };
            let is_caller = Arc::clone(&self.is_caller);
            let is_let_in = spawn_blocking(move || is_caller(uid)).await.unwrap_or(false);
            let Some(stream) = self.held.take() else { continue };
            if is_let_in {
                return stream;
            }
            if self.told.is_none_or(|told| told.elapsed() >= STRANGERS) {
                tracing::warn!(
                    "user id {uid} called where the network's process does, and was refused; network.user names who may"
                );
                self.told = Some(Instant::now());
            }
            turn_away(&stream, format!("user id {uid} is not that of network.user"));
        }
    }

    /// Waits for the session's end; who else calls meanwhile is turned away.
    pub(super) async fn closed_during(&mut self, mut session: Pin<&mut impl Future<Output = String>>) -> String {
        loop {
            tokio::select! {
                why = &mut session => return why,
                other = self.call() => turn_away(&other, "a network's process is connected already".into()),
            }
        }
    }
}

/// Whether who called has hung up by now, or was killed.
fn is_gone(stream: &UnixStream) -> bool {
    // A hangup is told unasked.
    let mut asked = [PollFd::new(stream.as_fd(), PollFlags::empty())];
    poll(&mut asked, PollTimeout::ZERO).is_ok_and(|ready| ready > 0)
}

/// Says why not, without ever waiting.
fn turn_away(stream: &UnixStream, why: String) {
    if let Ok(mut line) = serde_json::to_vec(&Told::Refused(why)) {
        line.push(b'\n');
        let _ = stream.try_write(&line);
    }
}
