//! What all connections share.

use super::commands::Commands;
use crate::history::records::Records;
use crate::run::wires::Wiring;
use std::sync::Arc;
use tokio::sync::watch;
use tumbler_core::snapshot::Snapshot;
use tumbler_core::units::Seq;
use tumbler_core::wire::ask::{About, Network, Relay};

/// What all connections share.
pub(super) struct Shared {
    pub(super) about: About,
    pub(super) snapshot: watch::Receiver<Arc<Snapshot>>,
    pub(super) wiring: Wiring,
    pub(super) durable: watch::Receiver<Seq>,
    pub(super) relay: watch::Receiver<Option<Relay>>,
    pub(super) network: watch::Receiver<Option<Network>>,
    pub(super) records: Records,
    pub(super) commands: Arc<Commands>,
}
