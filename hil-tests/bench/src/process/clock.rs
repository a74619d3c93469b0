//! The machine's monotonic clock, and the rig's own lateness on it.

use super::rig_fault::RigFault;
use nix::sys::time::TimeSpec;
use nix::time::{ClockId, clock_gettime};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use tumbler_core::units::Mono;

/// Current time of CLOCK_MONOTONIC, the clock of the virtual wire's timestamps.
#[must_use]
pub fn now() -> Mono {
    // Reading this clock cannot fail on Linux; if it did, the clock would visibly stand still at zero.
    clock_gettime(ClockId::CLOCK_MONOTONIC).map_or(Mono(0), |t| {
        let nanos = u64::try_from(t.tv_sec()).unwrap_or(0).saturating_mul(1_000_000_000);
        Mono(nanos.saturating_add(u64::try_from(t.tv_nsec()).unwrap_or(0)))
    })
}

/// The span from now to `deadline`, as ppoll takes it; zero if it has passed.
#[must_use]
pub fn until(deadline: Mono) -> TimeSpec {
    TimeSpec::from_duration(Duration::from_nanos(deadline.nanos_since(now())))
}

/// Set by Ctrl-C; every wait of the rig checks it.
static INTERRUPTED: AtomicBool = AtomicBool::new(false);

/// Makes all waits of the rig end with [`RigFault::Interrupted`].
pub fn interrupt() {
    INTERRUPTED.store(true, Ordering::SeqCst);
}

/// Whether Ctrl-C was pressed.
#[must_use]
pub fn interrupted() -> bool {
    INTERRUPTED.load(Ordering::SeqCst)
}

/// An error once Ctrl-C was pressed.
///
/// # Errors
/// [`RigFault::Interrupted`].
pub fn check_interrupt() -> Result<(), RigFault> {
    if interrupted() { Err(RigFault::Interrupted) } else { Ok(()) }
}

/// How late the rig was at its own deadlines: a stalled machine must not fail the daemon.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Stalls {
    /// The longest lateness, in nanoseconds.
    pub worst: u64,
    /// What the rig was doing then, if its own work caused the lateness.
    pub at: &'static str,
    /// How many deadlines were missed by more than [`Stalls::LIMIT`].
    pub missed: u32,
    /// Number of deadlines.
    pub deadlines: u64,
    /// How many edges of the motor's guard lines were sent late by more than [`Stalls::FLICKER`].
    pub late_guards: u32,
    /// Longest time that an ordinary program of the machine was kept waiting for a processor meanwhile, in nanoseconds.
    pub waited: u64,
    /// Longest time that the machine's disk took meanwhile to make one block durable, in nanoseconds.
    pub synced: u64,
}

impl Stalls {
    /// Lateness from which a verdict cannot be trusted, in nanoseconds: a quarter of the dead-man's 100 ms.
    pub const LIMIT: u64 = 25_000_000;

    /// Lateness, in nanoseconds, from which a break of 2 ms in a guard line may look like one of 3 ms, which would end a spin.
    pub const FLICKER: u64 = 1_000_000;

    /// Waiting time of ordinary programs, in nanoseconds, from which the daemon may have been kept waiting too long as well: a third
    /// of the grace for reactions on a busy machine.
    pub const WAIT: u64 = 50_000_000;

    /// Time of the disk for one block, in nanoseconds, from which the daemon may have waited too long for its records to be durable: it
    /// makes up to three durable before what a scenario waits for is seen, and scenarios leave them half a second.
    pub const SYNC: u64 = 150_000_000;

    /// Notes that an edge of a guard line, due at `at`, was sent at `now`; both on the same clock.
    pub fn note_guard(&mut self, at: u64, now: u64) {
        self.late_guards += u32::from(now.saturating_sub(at) > Self::FLICKER);
    }

    /// Notes that what was due at `deadline` was done at `done`.
    pub fn note(&mut self, deadline: Mono, done: Mono) {
        let late = done.nanos_since(deadline);
        self.deadlines += 1;
        self.lost("", late);
    }

    /// Notes how long the rig was busy with `what` while the wires waited, from `begun` to now. Returns now.
    pub fn note_work(&mut self, what: &'static str, begun: Mono) -> Mono {
        let ended = now();
        let took = ended.nanos_since(begun);
        if took > Self::LIMIT {
            self.lost(what, took);
        }
        ended
    }

    fn lost(&mut self, what: &'static str, late: u64) {
        self.missed += u32::from(late > Self::LIMIT);
        if late > self.worst {
            (self.worst, self.at) = (late, what);
        }
    }

    /// Why this run supports no verdict; `None` if it does.
    #[must_use]
    pub fn verdict(&self) -> Option<String> {
        if self.missed == 0 && self.late_guards > 0 {
            return Some(format!(
                "the rig told {} edges of the motor's guard lines more than 1 ms late",
                self.late_guards
            ));
        }
        if self.missed == 0 && self.waited > Self::WAIT {
            return Some(format!(
                "the machine kept ordinary programs waiting for up to {} ms",
                self.waited / 1_000_000
            ));
        }
        if self.missed == 0 && self.synced > Self::SYNC {
            return Some(format!(
                "the machine's disk took up to {} ms to make one block durable",
                self.synced / 1_000_000
            ));
        }
        (self.missed > 0).then(|| {
            format!(
                "the rig itself was late {} times by more than {} ms (worst {} ms{}{})",
                self.missed,
                Self::LIMIT / 1_000_000,
                self.worst / 1_000_000,
                if self.at.is_empty() { "" } else { ", " },
                self.at,
            )
        })
    }
}

/// Waits until `done` returns true, polling every few milliseconds; for conditions without an event to wait on.
///
/// # Errors
/// [`RigFault::Late`] after `limit`, [`RigFault::Interrupted`] on Ctrl-C, and what `done` fails with.
pub fn wait_for(
    what: &str,
    limit: Duration,
    hint: impl FnOnce() -> String,
    mut done: impl FnMut() -> Result<bool, RigFault>,
) -> Result<(), RigFault> {
    let end = Mono(now().0.saturating_add(u64::try_from(limit.as_nanos()).unwrap_or(u64::MAX)));
    loop {
        if done()? {
            return Ok(());
        }
        check_interrupt()?;
        if now() >= end {
            return Err(RigFault::Late { what: what.to_owned(), after: limit, hint: hint() });
        }
        std::thread::sleep(Duration::from_millis(2));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stall_past_the_limit_spoils_the_verdict_and_one_within_does_not() {
        let mut stalls = Stalls::default();
        stalls.note(Mono(1_000), Mono(1_000 + Stalls::LIMIT));
        assert_eq!(stalls.verdict(), None);
        stalls.note(Mono(1_000), Mono(1_001 + Stalls::LIMIT));
        assert!(stalls.verdict().is_some());
        assert_eq!((stalls.missed, stalls.deadlines), (1, 2));
    }

    #[test]
    fn a_machine_that_kept_the_daemon_waiting_spoils_the_verdict() {
        let kept = |waited, synced| Stalls { waited, synced, ..Stalls::default() }.verdict();
        assert_eq!(kept(Stalls::WAIT, Stalls::SYNC), None);
        assert!(kept(Stalls::WAIT + 1, 0).unwrap().contains("ordinary programs waiting"));
        assert!(kept(0, Stalls::SYNC + 1).unwrap().contains("disk took up to 150 ms"));
    }

    #[test]
    fn work_that_keeps_the_wires_waiting_is_lateness_with_a_name() {
        let mut stalls = Stalls::default();
        stalls.note_work("reading", now());
        assert_eq!(stalls, Stalls::default());
        stalls.note_work("reading", Mono(now().0 - 2 * Stalls::LIMIT));
        let said = stalls.verdict().unwrap();
        assert!(stalls.missed == 1 && said.ends_with(" ms, reading)"), "{said}");
    }

    #[test]
    fn a_guard_line_told_late_spoils_the_verdict_much_sooner() {
        let mut stalls = Stalls::default();
        stalls.note_guard(5, 5 + Stalls::FLICKER);
        assert_eq!(stalls.verdict(), None);
        stalls.note_guard(5, 6 + Stalls::FLICKER);
        assert!(stalls.verdict().unwrap().contains("guard"));
    }

    #[test]
    fn a_machine_that_keeps_programs_waiting_spoils_the_verdict() {
        let waited = |waited| Stalls { waited, ..Stalls::default() }.verdict();
        assert_eq!(waited(Stalls::WAIT), None);
        assert!(waited(Stalls::WAIT + 1).unwrap().contains("ordinary programs"));
    }

    #[test]
    fn a_moment_that_has_passed_leaves_nothing_to_wait() {
        assert_eq!(until(Mono(0)), TimeSpec::from_duration(Duration::ZERO));
    }
}
