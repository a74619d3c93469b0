//! What systemd is told: READY once the table is up, STATUS at every change of phase, WATCHDOG as long as the control
//! loop makes progress, STOPPING.

use crate::run::control::Progress;
use sd_notify::NotifyState;
use std::ffi::OsStr;
use std::io;
use std::os::linux::net::SocketAddrExt as _;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::net::{SocketAddr, UnixDatagram};
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::watch;
use tumbler_core::snapshot::Snapshot;

/// How often the main thread looks around where no watchdog is asked for.
const IDLE: Duration = Duration::from_secs(1);

/// Tells systemd; where there is none, does nothing. Never waits: a supervisor that does not read would otherwise hold up
/// the thread that heeds signals (the crate's own call does wait), and what finds no room is dropped.
fn tell(state: &[NotifyState<'_>]) {
    let Some(socket) = std::env::var_os("NOTIFY_SOCKET") else { return };
    let text: String = state.iter().map(|line| format!("{line}\n")).collect();
    if let Err(error) = send(socket.as_bytes(), text.as_bytes()) {
        tracing::debug!(%error, "systemd could not be notified");
    }
}

fn send(socket: &[u8], text: &[u8]) -> io::Result<()> {
    let address = match socket.strip_prefix(b"@") {
        Some(name) => SocketAddr::from_abstract_name(name)?,
        None => SocketAddr::from_pathname(OsStr::from_bytes(socket))?,
    };
    let datagram = UnixDatagram::unbound()?;
    datagram.set_nonblocking(true)?;
    datagram.send_to_addr(text, &address).map(drop)
}

/// The table is up.
pub fn ready(snapshot: &Snapshot) {
    tell(&[NotifyState::Ready, NotifyState::Status(&status(snapshot))]);
}

/// The daemon stops.
pub fn stopping() {
    tell(&[NotifyState::Stopping, NotifyState::Status("stopping: motor off, sign on")]);
}

/// Tells the status again whenever it changes, until the table is gone.
pub async fn statuses(mut snapshots: watch::Receiver<Arc<Snapshot>>) {
    let mut told = status(&snapshots.borrow_and_update());
    while snapshots.changed().await.is_ok() {
        let now = status(&snapshots.borrow_and_update());
        if now != told {
            tell(&[NotifyState::Status(&now)]);
            told = now;
        }
    }
}

/// What a person sees in `systemctl status`.
fn status(snapshot: &Snapshot) -> String {
    let mut text = snapshot.phase.name().to_owned();
    for malfunction in &snapshot.malfunctions {
        text.push_str(", malfunction ");
        text.push_str(malfunction.code.name());
    }
    if snapshot.backend == "virtual" {
        text.push_str(" (virtual wires: no real games)");
    }
    text
}

/// The watchdog's side of the daemon.
#[derive(Debug)]
pub struct Watchdog {
    progress: Arc<Progress>,
    /// Turns when it was last fed.
    seen: u64,
    /// What systemd asks for; `None` where it does not.
    interval: Option<Duration>,
}

impl Watchdog {
    /// A watchdog over this progress, as `WATCHDOG_USEC` asks.
    #[must_use]
    pub fn new(progress: Arc<Progress>) -> Self {
        let seen = progress.turns();
        let number = |name: &str| std::env::var(name).ok().and_then(|value| value.parse::<u64>().ok());
        // As in sd_watchdog_enabled(3): a process id is optional, and one of another process means that one. The crate's
        // own call insists on it.
        let mine =
            std::env::var_os("WATCHDOG_PID").is_none() || number("WATCHDOG_PID") == Some(std::process::id().into());
        let interval = number("WATCHDOG_USEC").filter(|micros| mine && *micros > 0).map(Duration::from_micros);
        Self { progress, seen, interval }
    }

    /// How long the main thread may wait before it calls [`Watchdog::look`] again: a quarter of the interval, so that one
    /// late look does not bite.
    #[must_use]
    pub fn patience(&self) -> Duration {
        self.interval.map_or(IDLE, |interval| (interval / 4).min(IDLE))
    }

    /// Feeds the watchdog if the control loop has turned since the last time, and says whether it has.
    pub fn look(&mut self) -> bool {
        let turns = self.progress.turns();
        let moved = turns != self.seen;
        self.seen = turns;
        if moved && self.interval.is_some() {
            tell(&[NotifyState::Watchdog]);
        }
        moved
    }
}
