//! What may happen thousands of times a second, for the log: the first time in a minute by itself, and how often more.

use std::sync::{Mutex, PoisonError};
use std::time::Duration;
use tokio::time::sleep;

/// The time after which it is told how often more.
const MINUTE: Duration = Duration::from_secs(60);

/// Something that repeats.
#[derive(Debug)]
pub(super) struct Repeats {
    /// What it is called, in the plural.
    what: &'static str,
    /// How often in this minute.
    times: Mutex<u64>,
}

impl Repeats {
    pub(super) fn new(what: &'static str) -> Self {
        Self { what, times: Mutex::new(0) }
    }

    fn times(&self) -> std::sync::MutexGuard<'_, u64> {
        self.times.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// It has happened; says whether the log is to tell of it.
    pub(super) fn again(&self) -> bool {
        let mut times = self.times();
        *times = times.saturating_add(1);
        *times == 1
    }

    /// The minute is over; what of it was not told yet.
    fn rest(&self) -> Option<String> {
        let more = std::mem::take(&mut *self.times()).saturating_sub(1);
        (more > 0).then(|| format!("{more} more {} in the last minute", self.what))
    }
}

/// Tells the log every minute what was not told yet.
pub(super) async fn tell(all: &[&Repeats]) {
    loop {
        sleep(MINUTE).await;
        for rest in all.iter().filter_map(|repeats| repeats.rest()) {
            tracing::warn!("{rest}");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_is_told_and_the_others_are_counted() {
        let failed = Repeats::new("failed logins at the panel");
        assert_eq!(failed.rest(), None);
        assert!(failed.again());
        assert_eq!(failed.rest(), None, "it was told");
        assert_eq!((0..5_900).filter(|_| failed.again()).count(), 1);
        assert_eq!(failed.rest().as_deref(), Some("5899 more failed logins at the panel in the last minute"));
        assert!(failed.again());
    }
}
