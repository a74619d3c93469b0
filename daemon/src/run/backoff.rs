//! Pauses between attempts that fail: doubled from the first to the longest.

use std::hash::{BuildHasher, RandomState};
use std::time::Duration;

/// The pauses.
#[derive(Clone, Debug)]
pub struct Backoff {
    first: Duration,
    longest: Duration,
    steady: Duration,
    next: Duration,
    /// The state of the jitter's random numbers, where there is jitter.
    random: Option<u64>,
}

impl Backoff {
    /// Pauses from `first` to `longest`, from the first again after something that lasted for `steady`.
    #[must_use]
    pub fn new(first: Duration, longest: Duration, steady: Duration) -> Self {
        Self { first, longest, steady, next: first, random: None }
    }

    /// The same, each plus or minus half of it, so that those who lost the same thing do not come back at once.
    #[must_use]
    pub fn with_jitter(mut self) -> Self {
        // Every `RandomState` has keys of its own from the system: random enough to spread tables, and no crate more.
        self.random = Some(RandomState::new().hash_one(0_u8) | 1);
        self
    }

    /// The pause after what lasted for `lasted` (zero: it never came about).
    pub fn pause(&mut self, lasted: Duration) -> Duration {
        if lasted >= self.steady {
            self.reset();
        }
        let pause = self.next;
        self.next = self.next.saturating_mul(2).min(self.longest);
        self.jittered(pause)
    }

    /// The longest pause, for what only a person can put right; the next one is as long.
    pub fn longest(&mut self) -> Duration {
        self.next = self.longest;
        self.jittered(self.longest)
    }

    /// The next pause is the first one again.
    pub fn reset(&mut self) {
        self.next = self.first;
    }

    fn jittered(&mut self, pause: Duration) -> Duration {
        let Some(random) = &mut self.random else { return pause };
        // xorshift64 (Marsaglia 2003).
        *random ^= *random << 13;
        *random ^= *random >> 7;
        *random ^= *random << 17;
        let permille = 500 + u32::try_from(*random % 1001).unwrap_or(500);
        pause.saturating_mul(permille) / 1000
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FIRST: Duration = Duration::from_millis(500);
    const LONGEST: Duration = Duration::from_secs(30);
    const STEADY: Duration = Duration::from_secs(30);

    fn within(pause: Duration, around: Duration) -> bool {
        pause >= around / 2 && pause <= around + around / 2
    }

    #[test]
    fn pauses_double_up_to_the_longest_within_half_of_it() {
        let mut backoff = Backoff::new(FIRST, LONGEST, STEADY).with_jitter();
        for seconds in [0.5, 1.0, 2.0, 4.0, 8.0, 16.0, 30.0, 30.0] {
            let pause = backoff.pause(Duration::ZERO);
            assert!(within(pause, Duration::from_secs_f64(seconds)), "{pause:?} for {seconds}");
        }
        let mut exact = Backoff::new(FIRST, LONGEST, STEADY);
        assert_eq!([Duration::ZERO; 3].map(|lasted| exact.pause(lasted)), [FIRST, FIRST * 2, FIRST * 4]);
        exact.reset();
        assert_eq!(exact.pause(Duration::ZERO), FIRST);
    }

    #[test]
    fn only_a_connection_that_stood_begins_anew() {
        let mut backoff = Backoff::new(FIRST, LONGEST, STEADY).with_jitter();
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
            (0..20).map(|_| Backoff::new(FIRST, LONGEST, STEADY).with_jitter().longest()).collect();
        assert!(pauses.len() > 10, "{pauses:?}");
    }
}
