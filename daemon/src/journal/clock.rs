//! The clocks that a record is stamped with, and the boot id.

use nix::libc;
use nix::time::{ClockId, clock_gettime};
use std::io;
use std::path::Path;
use std::time::{SystemTime, UNIX_EPOCH};

/// The kernel's boot id.
///
/// # Errors
/// `/proc` cannot be read.
pub fn boot_id() -> io::Result<String> {
    Ok(std::fs::read_to_string("/proc/sys/kernel/random/boot_id")?.trim().to_owned())
}

/// Nanoseconds on the machine's monotonic clock, or 0 if it cannot be read.
pub(super) fn monotonic() -> u64 {
    let Ok(now) = clock_gettime(ClockId::CLOCK_MONOTONIC) else { return 0 };
    let seconds = u64::try_from(now.tv_sec()).unwrap_or(0);
    seconds.saturating_mul(1_000_000_000).saturating_add(u64::try_from(now.tv_nsec()).unwrap_or(0))
}

/// Wall and monotonic clock read together, so that what happened a little earlier can be given its wall time.
#[derive(Clone, Copy, Debug)]
pub(super) struct WallClock {
    /// Milliseconds since 1970.
    wall: i64,
    /// Monotonic nanoseconds of the same moment.
    monotonic: u64,
    synchronised: bool,
}

impl WallClock {
    /// Reads the clocks.
    pub(super) fn read() -> Self {
        let wall = match SystemTime::now().duration_since(UNIX_EPOCH) {
            Ok(since) => i64::try_from(since.as_millis()).unwrap_or(i64::MAX),
            Err(before) => i64::try_from(before.duration().as_millis()).map_or(i64::MIN, |ms| -ms),
        };
        Self { wall, monotonic: monotonic(), synchronised: synchronised() }
    }
    /// Wall time of a moment on the monotonic clock, in milliseconds since 1970. A moment in the future is now.
    pub(super) fn at(&self, monotonic: u64) -> i64 {
        let ago = self.monotonic.saturating_sub(monotonic) / 1_000_000;
        self.wall.saturating_sub(i64::try_from(ago).unwrap_or(0))
    }
    /// How far the wall time can be trusted.
    pub(super) const fn quality(&self) -> &'static str {
        if self.synchronised { "synchronised" } else { "unsynchronised" }
    }
}

/// Whether the clock is kept by a time service. The unit's sandbox (`ProtectClock=`) forbids asking the kernel; then
/// systemd-timesyncd's mark is looked at.
fn synchronised() -> bool {
    kernel_says_synchronised().unwrap_or_else(|| Path::new("/run/systemd/timesync/synchronized").exists())
}

/// Whether `STA_UNSYNC` is clear; `None` where asking is forbidden.
#[expect(unsafe_code, reason = "adjtimex has no safe wrapper in nix; one call that only reads")]
fn kernel_says_synchronised() -> Option<bool> {
    // SAFETY: `timex` is a plain C structure for which all zeroes is valid; with `modes` 0 the kernel only fills it in.
    let (state, status) = unsafe {
        let mut timex: libc::timex = std::mem::zeroed();
        let state = libc::adjtimex(&mut timex);
        (state, timex.status)
    };
    (state >= 0).then_some(status & libc::STA_UNSYNC == 0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random;

    #[test]
    fn a_moment_gets_the_wall_time_of_its_own() {
        let clock = WallClock { wall: 10_000, monotonic: 5_000_000_000, synchronised: true };
        assert_eq!(clock.at(4_000_000_000), 9_000);
        assert_eq!(clock.at(6_000_000_000), 10_000);
        assert_eq!(clock.quality(), "synchronised");
    }

    #[test]
    fn clocks_and_ids_can_be_read() {
        assert!(WallClock::read().wall > 1_600_000_000_000);
        assert!(monotonic() > 0);
        assert_eq!(boot_id().unwrap().len(), 36);
        let stream = random::word().unwrap();
        assert_eq!(stream.len(), 32);
        assert_ne!(stream, random::word().unwrap());
    }
}
