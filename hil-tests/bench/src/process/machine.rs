//! The machine under the bench: the thread that turns a world gets real-time priority, and two threads of ordinary priority measure
//! how long this machine keeps ordinary programs waiting, for a processor and for the disk.

use super::clock;
use super::rig_fault::RigFault;
use std::collections::VecDeque;
use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt as _;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;
use tumbler_core::units::Mono;

/// Priority of a thread that turns a world, under `SCHED_RR`: above every ordinary program, and below the daemon's control loop (40). A
/// twin that is late would simulate another table than the configured one.
const PRIORITY: i32 = 10;
/// Sleep of the thread that watches the processors.
const LOOK: Duration = Duration::from_millis(5);
/// Sleep of the thread that watches the disk: seldom enough to be no load, and within every wait that a scenario may fail by.
const LOOK_AT_DISK: Duration = Duration::from_millis(200);
/// Waits shorter than this are ignored, in nanoseconds.
const WORTH_NOTING: u64 = 20_000_000;
/// How many of the latest waits are kept.
const KEPT: usize = 1024;

/// The latest waits: when each ended, and how long it was, in nanoseconds.
struct Waits(Mutex<VecDeque<(Mono, u64)>>);

impl Waits {
    const fn none() -> Self {
        Self(Mutex::new(VecDeque::new()))
    }

    fn note(&self, ended: Mono, wait: u64) {
        if wait < WORTH_NOTING {
            return;
        }
        let mut waits = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if waits.len() >= KEPT {
            waits.pop_front();
        }
        waits.push_back((ended, wait));
    }

    /// The longest that ended since then, in nanoseconds.
    fn longest(&self, since: Mono) -> u64 {
        let waits = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        waits.iter().filter(|(ended, _)| *ended >= since).map(|(_, wait)| *wait).max().unwrap_or(0)
    }
}

static FOR_PROCESSOR: Waits = Waits::none();
static FOR_DISK: Waits = Waits::none();
/// Since when the disk makes a block durable, while it does.
static SYNCING: Mutex<Option<Mono>> = Mutex::new(None);
/// Whether the watching threads run.
static WATCHED: Mutex<bool> = Mutex::new(false);

/// Gives the calling thread its priority, where the machine permits it, and starts the watching threads. Returns what was permitted, in
/// words.
///
/// # Errors
/// No thread can be started, or no temporary file be made.
pub fn enter() -> Result<String, RigFault> {
    let mut watched = WATCHED.lock().unwrap_or_else(PoisonError::into_inner);
    if !*watched {
        let probe = tempfile::tempfile().map_err(RigFault::system("make a temporary file"))?;
        let start = |name: &str, watch: Box<dyn FnOnce() + Send>| {
            std::thread::Builder::new().name(name.into()).spawn(watch).map_err(RigFault::system("start a thread"))
        };
        start("watch", Box::new(watch_processors))?;
        start("watch-disk", Box::new(move || watch_disk(&probe)))?;
        *watched = true;
    }
    drop(watched);
    Ok(match prioritise() {
        Ok(()) => "with real-time priority".into(),
        // Without the priority the rig is late now and then, and its trials report that.
        Err(error) => format!("without real-time priority ({error}; RLIMIT_RTPRIO permits it)"),
    })
}

/// The longest time that an ordinary thread of this machine waited for a processor since then, in nanoseconds.
pub fn longest_wait(since: Mono) -> u64 {
    FOR_PROCESSOR.longest(since)
}

/// The longest time that the disk under the temporary directory, where benches keep their journals, took since then to make one block
/// durable, in nanoseconds.
pub fn longest_sync(since: Mono) -> u64 {
    let syncing = *SYNCING.lock().unwrap_or_else(PoisonError::into_inner);
    let until_now = syncing.map_or(0, |begun| clock::now().nanos_since(begun));
    FOR_DISK.longest(since).max(until_now)
}

fn watch_processors() {
    loop {
        let due = Mono(clock::now().0.saturating_add(u64::try_from(LOOK.as_nanos()).unwrap_or(u64::MAX)));
        std::thread::sleep(LOOK);
        let now = clock::now();
        FOR_PROCESSOR.note(now, now.nanos_since(due));
    }
}

fn watch_disk(probe: &File) {
    loop {
        std::thread::sleep(LOOK_AT_DISK);
        let begun = clock::now();
        let syncing = |since| *SYNCING.lock().unwrap_or_else(PoisonError::into_inner) = since;
        syncing(Some(begun));
        let synced = probe.write_all_at(&begun.0.to_le_bytes(), 0).and_then(|()| probe.sync_data());
        syncing(None);
        // A disk that is full is no wait.
        if synced.is_ok() {
            let now = clock::now();
            FOR_DISK.note(now, now.nanos_since(begun));
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
        let at = |ms: u64| Mono(ms * 1_000_000);
        let waits = Waits::none();
        for (ended, wait) in [(10, 30_000_000), (20, 80_000_000), (30, 40_000_000), (40, WORTH_NOTING - 1)] {
            waits.note(at(ended), wait);
        }
        assert_eq!(waits.longest(at(0)), 80_000_000);
        assert_eq!(waits.longest(at(21)), 40_000_000);
        assert_eq!(waits.longest(at(31)), 0);
    }
}
