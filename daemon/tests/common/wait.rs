//! Waiting for a condition.

use std::time::Duration;
use tokio::time::{Instant, sleep};

/// So long that only a test that would hang fails by it.
pub(crate) const PATIENCE: Duration = Duration::from_secs(60);

/// Waits for a condition.
pub(crate) async fn until(what: &str, mut is: impl FnMut() -> bool) {
    let begun = Instant::now();
    while !is() {
        assert!(begun.elapsed() < PATIENCE, "still waiting: {what}");
        sleep(Duration::from_millis(5)).await;
    }
}
