//! What each of the two processes waits for files, names and sockets with.

use std::time::Duration;
use tokio::runtime::{Builder, Runtime};

/// Threads for reading the journal, files and names at most. Each waits for one thing; the network's process reads one page at a
/// time, the console one answer a client.
const BLOCKING: usize = 8;
/// A thread that has nothing to read ends after this time.
const IDLE: Duration = Duration::from_secs(2);
/// Stack of such a thread; SQLite's parser is its deepest user.
const STACK: usize = 512 * 1024;

/// A runtime on the calling thread, with few threads beside it.
///
/// # Errors
/// The system has no descriptors for it.
pub(super) fn runtime() -> std::io::Result<Runtime> {
    Builder::new_current_thread()
        .enable_all()
        .max_blocking_threads(BLOCKING)
        .thread_keep_alive(IDLE)
        .thread_stack_size(STACK)
        .build()
}
