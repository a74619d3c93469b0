//! How often something may happen: so often at once, and then at a pace.

use std::time::Duration;
use tokio::time::Instant;

/// An allowance.
#[derive(Clone, Copy, Debug)]
pub(super) struct Allowance {
    /// How often at once.
    burst: u32,
    /// Time between two of them afterwards.
    each: Duration,
    /// When all of the burst is allowed again.
    full: Instant,
}

impl Allowance {
    pub(super) fn new(burst: u32, each: Duration) -> Self {
        Self { burst, each, full: Instant::now() }
    }

    /// Takes one.
    ///
    /// # Errors
    /// How long to wait for the next.
    pub(super) fn take(&mut self, now: Instant) -> Result<(), Duration> {
        let full = self.full.max(now);
        let wait = (full + self.each).saturating_duration_since(now + self.each * self.burst);
        if wait > Duration::ZERO {
            return Err(wait);
        }
        self.full = full + self.each;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn a_burst_then_a_pace_then_a_burst_again() {
        let each = Duration::from_millis(500);
        let mut allowance = Allowance::new(3, each);
        let now = Instant::now();
        assert_eq!([0; 4].map(|_| allowance.take(now).is_ok()), [true, true, true, false]);
        assert_eq!(allowance.take(now), Err(each));
        let later = now + each;
        assert_eq!([0; 2].map(|_| allowance.take(later).is_ok()), [true, false]);
        let much_later = later + each * 100;
        assert_eq!([0; 4].map(|_| allowance.take(much_later).is_ok()), [true, true, true, false]);
    }
}
