//! The daemon's stop, as its tasks wait for it.

use tokio::sync::watch;

/// Waits until the daemon is to stop; a main thread that is gone asks for that too.
pub(crate) async fn stopped(mut stop: watch::Receiver<bool>) {
    // Without its guard, which would tie the task to its thread.
    drop(stop.wait_for(|stop| *stop).await);
}
