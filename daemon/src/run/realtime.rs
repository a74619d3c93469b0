//! What the control thread asks of the kernel: to run before everything else, and never to wait for a page.

use nix::sys::mman::{MlockAllFlags, mlockall};
use std::io;

/// Priority of the control thread under `SCHED_FIFO`: above every ordinary thread, and below the kernel's own
/// interrupt threads (50), which bring the edges.
pub const PRIORITY: i32 = 40;

/// Sees to it that the calling thread has real-time priority [`PRIORITY`], and that threads that it starts do not inherit it.
/// The unit gives it to the process's first thread (`CPUSchedulingPolicy=`, `CPUSchedulingResetOnFork=`), and its sandbox
/// lets nobody ask for it; where the daemon is started otherwise, the thread asks itself.
///
/// # Errors
/// The kernel does not permit it (`RLIMIT_RTPRIO`, `CAP_SYS_NICE`).
pub fn prioritise() -> io::Result<()> {
    const POLICY: i32 = libc::SCHED_FIFO | libc::SCHED_RESET_ON_FORK;
    #[expect(unsafe_code, reason = "the standard library has no call for it")]
    // SAFETY: 0 names the calling thread; nothing is written.
    let given = unsafe { libc::sched_getscheduler(0) };
    if given == POLICY {
        return Ok(());
    }
    let parameters = libc::sched_param { sched_priority: PRIORITY };
    #[expect(unsafe_code, reason = "the standard library has no call for it")]
    // SAFETY: 0 names the calling thread, and the kernel only reads `parameters`, which outlives the call.
    let done = unsafe { libc::sched_setscheduler(0, POLICY, &raw const parameters) };
    if done == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
}

/// Reads the whole program into memory, and keeps it there: a way that the control loop takes for the first time on the day
/// that something breaks must not wait for a worn card. Call it before any thread is started, as a stack that exists is kept
/// whole.
///
/// # Errors
/// As [`lock_memory`].
pub fn lock_program() -> io::Result<()> {
    mlockall(MlockAllFlags::MCL_CURRENT).map_err(io::Error::from)
}

/// Keeps every page that the process touches from now on in memory. Pages are locked as they are touched
/// (`MCL_ONFAULT`), so that stacks and maps that nobody uses cost nothing.
///
/// # Errors
/// The kernel does not permit it (`RLIMIT_MEMLOCK`, `CAP_IPC_LOCK`).
pub fn lock_memory() -> io::Result<()> {
    let on_fault = MlockAllFlags::from_bits_retain(libc::MCL_ONFAULT);
    mlockall(MlockAllFlags::MCL_CURRENT | MlockAllFlags::MCL_FUTURE | on_fault).map_err(io::Error::from)
}

/// What is larger than this, in bytes, the allocator maps by itself, and gives back to the kernel as soon as it is freed.
#[cfg(target_env = "gnu")]
const LARGE: i32 = 1024 * 1024;

/// Bounds what the allocator keeps. All threads share two of its arenas: each further one reserves 64 MiB of addresses, which count
/// as locked (`LimitMEMLOCK`) although nobody uses them. And large buffers, such as the 19 MiB of a login, never come from an
/// arena: by itself the allocator takes the size of one that was freed for usual, puts the next ones into arenas, and keeps them.
/// Call it before any thread is started.
pub fn bound_allocator() {
    #[cfg(target_env = "gnu")]
    for (what, value) in [(libc::M_ARENA_MAX, 2), (libc::M_MMAP_THRESHOLD, LARGE)] {
        #[expect(unsafe_code, reason = "the standard library has no call for it")]
        // SAFETY: sets a number in the allocator; no other thread runs yet.
        let done = unsafe { libc::mallopt(what, value) };
        if done == 0 {
            tracing::debug!(what, "the allocator goes on with its own bounds");
        }
    }
}

/// Sees to both, says once in the log what was not permitted, and goes on without it.
pub fn enter() {
    if let Err(error) = lock_memory() {
        tracing::warn!(%error, "memory cannot be locked: a page fault may delay the control loop (LimitMEMLOCK=)");
    }
    if let Err(error) = prioritise() {
        tracing::warn!(%error, "no real-time priority: other work on this machine may delay the control loop (CPUSchedulingPolicy=)");
    }
}
