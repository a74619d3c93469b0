//! The thread for everything that may wait: systemd's status, relay and console.

use crate::config::Config;
use crate::inbox::Inbox;
use crate::journal::Reader;
use crate::notify;
use std::sync::Arc;
use tokio::sync::{mpsc, watch};
use tumbler_core::effect::KeyTold;
use tumbler_core::snapshot::Snapshot;
use tumbler_core::units::Seq;
use tumbler_core::wire::console::Answer;

/// What the I/O thread is made of.
#[derive(Debug)]
pub struct Parts {
    /// The configuration.
    pub config: Config,
    /// The kernel's boot id.
    pub boot: String,
    /// The journal's stream id.
    pub stream: String,
    /// The journal, once for the relay and once for the console.
    pub readers: (Reader, Reader),
    /// The last event that the broker had acknowledged.
    pub relayed: Seq,
    /// The table as it is.
    pub snapshot: watch::Receiver<Arc<Snapshot>>,
    /// The last durable record.
    pub durable: watch::Receiver<Seq>,
    /// Keys to be told.
    pub keys: mpsc::Receiver<KeyTold>,
    /// Answers to console commands.
    pub answers: mpsc::Receiver<(u64, Answer)>,
    /// The way to the table.
    pub inbox: Inbox,
    /// Becomes `true` when the daemon stops.
    pub stop: watch::Receiver<bool>,
}

/// Runs on the calling thread until the daemon stops.
///
/// # Errors
/// The first of its tasks to end by itself.
pub fn run(parts: Parts) -> anyhow::Result<()> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let outcome = runtime.block_on(serve(parts));
    // Threads that resolve names may hang for long.
    runtime.shutdown_background();
    outcome
}

async fn serve(parts: Parts) -> anyhow::Result<()> {
    let Parts { snapshot, mut stop, .. } = parts;
    let statuses = tokio::spawn(notify::statuses(snapshot));
    // A main thread that is gone asks for the stop too.
    let _ = stop.wait_for(|stop| *stop).await;
    statuses.abort();
    Ok(())
}
