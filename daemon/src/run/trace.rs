//! Trace of the control loop for diagrams: edges, transactions on the field bus, and its own lateness.
//!
//! News and no record: the tap never waits, and what finds no room is lost and counted. Nothing secret passes here: lines
//! carry no faces, and of a transaction only the unit and the time that it took.

use serde::{Deserialize, Serialize};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;
use tokio::sync::mpsc;
use tokio::time::sleep;
use tumbler_core::line::{InLine, OutLine};
use tumbler_core::units::Mono;

/// News that wait at most: some seconds of a spin with a busy bus.
const WAITING: usize = 1024;

/// Time between two batches of news: soon enough for a person, and far less than fills [`WAITING`].
pub const PACE: Duration = Duration::from_millis(500);

/// A wire of the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum TracedLine {
    /// One that the table watches.
    In(InLine),
    /// One that it drives, as it reads back.
    Out(OutLine),
}

impl TracedLine {
    /// The line's name, as in the configuration.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::In(line) => line.name(),
            Self::Out(line) => line.name(),
        }
    }
}

/// Something that the control loop saw.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub enum Observation {
    /// A line has this level since `at`.
    Level {
        /// The line.
        line: TracedLine,
        /// Its logical level.
        active: bool,
        /// Since when.
        at: Mono,
    },
    /// A unit on the field bus has answered.
    Answered {
        /// The unit.
        unit: u8,
        /// From the request's going out to its answer's coming in, in nanoseconds.
        took: u64,
    },
    /// Time in nanoseconds by which the loop woke later than it had asked for.
    Late(u64),
}

/// The control loop's end. Without anybody at the other end it costs nothing.
#[derive(Clone, Debug, Default)]
pub struct Tap {
    sender: Option<mpsc::Sender<Observation>>,
    lost: Arc<AtomicU64>,
}

/// The other end.
#[derive(Debug)]
pub struct Traces {
    receiver: mpsc::Receiver<Observation>,
    lost: Arc<AtomicU64>,
}

/// A tap and what comes out of it.
#[must_use]
pub fn tap() -> (Tap, Traces) {
    let (sender, receiver) = mpsc::channel(WAITING);
    let lost = Arc::new(AtomicU64::new(0));
    (Tap { sender: Some(sender), lost: Arc::clone(&lost) }, Traces { receiver, lost })
}

impl Tap {
    /// Tells it, or loses it.
    pub fn tell(&self, seen: Observation) {
        let Some(sender) = &self.sender else { return };
        if sender.try_send(seen).is_err() {
            self.missed(1);
        }
    }

    /// So many were lost before they came here.
    pub fn missed(&self, count: u64) {
        self.lost.fetch_add(count, Ordering::Relaxed);
    }
}

impl Traces {
    /// Waits for news and adds them; `false` once the control loop is gone. They come in batches, [`PACE`] apart: while nobody
    /// waits for the next one, telling it wakes no thread and costs the control loop no call to the kernel.
    pub async fn batch(&mut self, into: &mut Vec<Observation>) -> bool {
        sleep(PACE).await;
        self.receiver.recv_many(into, WAITING).await > 0
    }

    /// How many were lost since this was last asked.
    #[must_use]
    pub fn lost(&self) -> u64 {
        self.lost.swap(0, Ordering::Relaxed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_tap_never_waits_and_counts_what_is_lost() {
        let (tap, mut traces) = tap();
        for n in 0..WAITING as u64 + 3 {
            tap.tell(Observation::Late(n));
        }
        assert_eq!(traces.lost(), 3);
        assert_eq!(traces.lost(), 0);
        let mut batch = Vec::new();
        assert!(traces.batch(&mut batch).await);
        assert_eq!((batch.len(), batch.first()), (WAITING, Some(&Observation::Late(0))));
        drop(traces);
        tap.tell(Observation::Late(9));
        Tap::default().tell(Observation::Late(9));
        let (tap, mut traces) = super::tap();
        drop(tap);
        assert!(!traces.batch(&mut batch).await);
    }
}
