//! Trying again, with a pause that grows, to get at wires that are away.

use crate::run::backoff::Backoff;
use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;
use tokio::time::{Instant, Sleep};

/// First pause before the wires are tried again; doubled at every failure.
const FIRST: Duration = Duration::from_millis(20);
/// Longest pause: wires that come back are found within a second.
const LONGEST: Duration = Duration::from_secs(1);
/// A connection that lasted so long was a good one, and the next pause is short again.
const GOOD: Duration = Duration::from_secs(5);
/// The same trouble is logged once in this time.
const LOG_AGAIN: Duration = Duration::from_secs(60);

/// When the wires are tried again, and what was said of their absence.
#[derive(Debug)]
pub(super) struct Retry {
    backoff: Backoff,
    sleep: Pin<Box<Sleep>>,
    told: Option<(String, Instant)>,
}

impl Retry {
    /// Needs a running timer.
    pub(super) fn new() -> Self {
        let backoff = Backoff::new(FIRST, LONGEST, GOOD);
        Self { backoff, sleep: Box::pin(tokio::time::sleep(Duration::ZERO)), told: None }
    }

    /// The wires were lost for this reason, after they had been there for so long. Tells whether that is worth a line in
    /// the log: the same reason is not, for a minute.
    pub(super) fn lost(&mut self, reason: &str, there: Duration) -> bool {
        self.pause_after(there);
        let now = Instant::now();
        if self.told.as_ref().is_some_and(|(told, at)| told == reason && now.duration_since(*at) < LOG_AGAIN) {
            return false;
        }
        self.told = Some((reason.to_owned(), now));
        true
    }

    /// They are still away.
    pub(super) fn pause(&mut self) {
        self.pause_after(Duration::ZERO);
    }

    fn pause_after(&mut self, there: Duration) {
        let pause = self.backoff.pause(there);
        self.sleep.as_mut().reset(Instant::now() + pause);
    }

    /// Whether the pause is over.
    pub(super) fn is_due(&self) -> bool {
        self.sleep.is_elapsed()
    }

    /// Ready once the pause is over.
    pub(super) fn poll(&mut self, cx: &mut Context<'_>) -> Poll<()> {
        self.sleep.as_mut().poll(cx)
    }
}
