//! Scheduling: the thread that turns a world gets real-time priority, and a thread of ordinary priority measures how long ordinary
//! programs of this machine are kept waiting.

use super::clock;
use super::rig_fault::RigFault;
use std::collections::VecDeque;
use std::io;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;
use tumbler_core::units::Mono;

/// Priority of a thread that turns a world, under `SCHED_RR`: above every ordinary program, and below the daemon's control loop (40). A
/// twin that is late would simulate another table than the configured one.
const PRIORITY: i32 = 10;
/// Sleep of the watching thread.
const LOOK: Duration = Duration::from_millis(5);
/// Waits shorter than this are ignored, in nanoseconds.
const WORTH_NOTING: u64 = 20_000_000;
/// How many of the latest waits are kept.
const KEPT: usize = 1024;

/// The latest waits: when each ended, and how long it was, in nanoseconds.
static WAITS: Mutex<VecDeque<(Mono, u64)>> = Mutex::new(VecDeque::new());
/// Whether the watching thread runs.
static WATCHED: Mutex<bool> = Mutex::new(false);

/// Gives the calling thread its priority, where the machine permits it, and starts the watching thread. Returns what was permitted, in
/// words.
///
/// # Errors
/// No thread can be started.
pub fn enter() -> Result<String, RigFault> {
    let mut watched = WATCHED.lock().unwrap_or_else(PoisonError::into_inner);
    if !*watched {
        std::thread::Builder::new().name("watch".into()).spawn(watch).map_err(RigFault::system("start a thread"))?;
        *watched = true;
    }
    drop(watched);
    Ok(match prioritise() {
        Ok(()) => "with real-time priority".into(),
        // Without the priority the rig is late now and then, and its trials report that.
        Err(error) => format!("without real-time priority ({error}; RLIMIT_RTPRIO permits it)"),
    })
}

/// The longest time that an ordinary thread of this machine was kept waiting since then, in nanoseconds.
pub fn longest_wait(since: Mono) -> u64 {
    let waits = WAITS.lock().unwrap_or_else(PoisonError::into_inner);
    waits.iter().filter(|(ended, _)| *ended >= since).map(|(_, wait)| *wait).max().unwrap_or(0)
}

fn watch() {
    loop {
        let due = Mono(clock::now().0.saturating_add(u64::try_from(LOOK.as_nanos()).unwrap_or(u64::MAX)));
        std::thread::sleep(LOOK);
        let now = clock::now();
        let wait = now.nanos_since(due);
        if wait >= WORTH_NOTING {
            let mut waits = WAITS.lock().unwrap_or_else(PoisonError::into_inner);
            if waits.len() >= KEPT {
                waits.pop_front();
            }
            waits.push_back((now, wait));
        }
    }
}

#[expect(unsafe_code, reason = "neither the standard library nor nix has a wrapper; one call that only reads a number")]
fn prioritise() -> io::Result<()> {
    use nix::libc;
    let parameters = libc::sched_param { sched_priority: PRIORITY };
    // Programs that this thread starts, such as the daemon, have ordinary priority again.
    let policy = libc::SCHED_RR | libc::SCHED_RESET_ON_FORK;
    // SAFETY: 0 names the calling thread, and the kernel only reads `parameters`, which outlives the call.
    let done = unsafe { libc::sched_setscheduler(0, policy, &raw const parameters) };
    if done == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wait_counts_for_what_went_on_meanwhile_only() {
        // Far ahead of what the watch of another test may note.
        let at = |ms: u64| Mono(u64::MAX / 2 + ms * 1_000_000);
        WAITS.lock().unwrap().extend([(at(10), 30_000_000), (at(20), 80_000_000), (at(30), 40_000_000)]);
        assert_eq!(longest_wait(at(0)), 80_000_000);
        assert_eq!(longest_wait(at(21)), 40_000_000);
        assert_eq!(longest_wait(at(31)), 0);
    }
}
