//! Other programs on every core: busy loops at normal priority, one pinned to each.

use super::super::rig_fault::RigFault;
use nix::sched::{CpuSet, sched_setaffinity};
use nix::sys::time::TimeSpec;
use nix::time::{ClockId, clock_gettime};
use nix::unistd::Pid;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// The load ends after this time at the latest, however the bench ends.
const LONGEST: Duration = Duration::from_secs(120);
/// A loop counts as running once it has used this much processor time, in milliseconds.
const BUSY_MILLIS: u64 = 50;

#[derive(Debug, Default)]
struct Shared {
    stop: AtomicBool,
    /// Processor time of each loop, in milliseconds.
    used: Vec<AtomicU64>,
}

/// The load, until it is dropped.
#[derive(Debug)]
pub(super) struct Load {
    shared: Arc<Shared>,
    loops: Vec<JoinHandle<()>>,
}

impl Load {
    /// Loads every core.
    pub(super) fn start() -> Result<Self, RigFault> {
        let cores = std::thread::available_parallelism().map_err(RigFault::system("count the cores"))?.get();
        let used = std::iter::repeat_with(AtomicU64::default).take(cores).collect();
        let shared = Arc::new(Shared { stop: AtomicBool::new(false), used });
        let mut loops = Vec::with_capacity(cores);
        for core in 0..cores {
            let shared = Arc::clone(&shared);
            let thread = std::thread::Builder::new().name(format!("load-{core}"));
            loops.push(thread.spawn(move || spin(&shared, core)).map_err(RigFault::system("start a busy loop"))?);
        }
        Ok(Self { shared, loops })
    }

    /// Whether it keeps every core busy.
    pub(super) fn is_everywhere(&self) -> bool {
        self.shared.used.iter().all(|used| used.load(Ordering::Relaxed) >= BUSY_MILLIS)
    }
}

impl Drop for Load {
    fn drop(&mut self) {
        self.shared.stop.store(true, Ordering::Relaxed);
        for busy in self.loops.drain(..) {
            // A loop that panicked has ended, too.
            let _ = busy.join();
        }
    }
}

fn spin(shared: &Shared, core: usize) {
    let mut only = CpuSet::new();
    if only.set(core).is_ok() {
        // If the machine forbids pinning, the scheduler spreads the loops over the cores.
        let _ = sched_setaffinity(Pid::from_raw(0), &only);
    }
    let begun = Instant::now();
    while !shared.stop.load(Ordering::Relaxed) && begun.elapsed() < LONGEST {
        // No spin_loop: an emulator traps its instruction each time, which makes the loop a hundred times slower.
        for n in 0..1_000_000_u32 {
            std::hint::black_box(n);
        }
        let used = clock_gettime(ClockId::CLOCK_THREAD_CPUTIME_ID).unwrap_or(TimeSpec::new(0, 0));
        if let Some(place) = shared.used.get(core) {
            place.store(u64::try_from(Duration::from(used).as_millis()).unwrap_or(0), Ordering::Relaxed);
        }
    }
}
