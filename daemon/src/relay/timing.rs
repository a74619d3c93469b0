//! The pauses of the relay.

use std::time::Duration;

/// First pause before the broker is tried again, before jitter.
pub const FIRST_PAUSE: Duration = Duration::from_millis(500);
/// Longest pause, before jitter: a broker that returns is found within 45 s.
const LONGEST_PAUSE: Duration = Duration::from_secs(30);
/// A connection that stood this long was a good one: the next pause is the first again.
pub const STEADY: Duration = Duration::from_secs(30);

/// The relay's pauses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Timing {
    /// First pause before connecting again.
    pub first: Duration,
    /// Longest pause.
    pub longest: Duration,
    /// A connection that stood this long was a good one.
    pub steady: Duration,
    /// Longest time to tell what is left when the daemon stops.
    pub parting: Duration,
}

impl Default for Timing {
    fn default() -> Self {
        Self { first: FIRST_PAUSE, longest: LONGEST_PAUSE, steady: STEADY, parting: Duration::from_secs(2) }
    }
}
