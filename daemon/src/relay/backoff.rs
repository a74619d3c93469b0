//! Pauses between two attempts to connect: doubling, with jitter, so that a floor of tables does not come back at once.

use std::hash::{BuildHasher, RandomState};
use std::time::Duration;

/// First pause, before jitter.
pub const FIRST: Duration = Duration::from_millis(500);
/// Longest pause, before jitter: a broker that returns is found within 45 s.
pub const LONGEST: Duration = Duration::from_secs(30);
/// A connection that stood this long was a good one: the next pause is the first again.
pub const STEADY: Duration = Duration::from_secs(30);

/// The pauses.
#[derive(Clone, Debug)]
pub struct Backoff {
    first: Duration,
    longest: Duration,
    steady: Duration,
    next: Duration,
    dice: u64,
}

impl Backoff {
    /// Pauses from `first` to `longest`, begun anew after a connection that stood for `steady`.
    #[must_use]
    pub fn new(first: Duration, longest: Duration, steady: Duration) -> Self {
        // Every `RandomState` has keys of its own from the system: random enough to spread tables, and no crate more.
        let seed = RandomState::new().hash_one(0_u8);
        Self { first, longest, steady, next: first, dice: seed | 1 }
    }

    /// The pause after a connection that stood for `stood` (zero: none came about): doubling, plus or minus half.
    pub fn pause(&mut self, stood: Duration) -> Duration {
        if stood >= self.steady {
            self.next = self.first;
        }
        let pause = self.next;
        self.next = self.next.saturating_mul(2).min(self.longest);
        self.jittered(pause)
    }

    /// The longest pause, with jitter, for what only a person can put right; the next one is as long.
    pub fn longest(&mut self) -> Duration {
        self.next = self.longest;
        self.jittered(self.longest)
    }

    fn jittered(&mut self, pause: Duration) -> Duration {
        // xorshift64 (Marsaglia 2003).
        self.dice ^= self.dice << 13;
        self.dice ^= self.dice >> 7;
        self.dice ^= self.dice << 17;
        let permille = 500 + u32::try_from(self.dice % 1001).unwrap_or(500);
        pause.saturating_mul(permille) / 1000
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn within(pause: Duration, around: Duration) -> bool {
        pause >= around / 2 && pause <= around + around / 2
    }

    #[test]
    fn pauses_double_up_to_the_longest_within_half_of_it() {
        let mut backoff = Backoff::new(FIRST, LONGEST, STEADY);
        for seconds in [0.5, 1.0, 2.0, 4.0, 8.0, 16.0, 30.0, 30.0] {
            let pause = backoff.pause(Duration::ZERO);
            assert!(within(pause, Duration::from_secs_f64(seconds)), "{pause:?} for {seconds}");
        }
    }

    #[test]
    fn only_a_connection_that_stood_begins_anew() {
        let mut backoff = Backoff::new(FIRST, LONGEST, STEADY);
        for _ in 0..10 {
            backoff.pause(Duration::ZERO);
        }
        assert!(within(backoff.pause(Duration::from_secs(29)), LONGEST), "29 s are not steady");
        assert!(within(backoff.pause(STEADY), FIRST));
        assert!(within(backoff.longest(), LONGEST));
        assert!(within(backoff.pause(Duration::ZERO), LONGEST));
    }

    #[test]
    fn tables_that_lost_the_same_broker_come_back_apart() {
        let pauses: std::collections::BTreeSet<Duration> =
            (0..20).map(|_| Backoff::new(FIRST, LONGEST, STEADY).longest()).collect();
        assert!(pauses.len() > 10, "{pauses:?}");
    }
}
