//! The panel: pages over HTTP for technicians (`/`) and players (`/display`). Without a login it looks only; a technician who is
//! logged in may ask the table for maintenance and its hardware tests, which the table grants under the supervisor's key.
//!
//! ```text
//! GET /            the technician's page        GET /display     results for players, full screen
//! GET /events      server-sent events: `status` whenever the table changes, `record` for each new record
//! GET /api/table   who this is                  GET /api/layout  the areas of a layout, `?id=`
//! GET /api/rounds  the latest rounds, `?last=`  GET /api/round   one round's records and waveform, `?id=`
//! GET /api/journal records, newest first, `?before=&kind=&search=&limit=`
//! GET /api/wires   every wire and every register
//! GET /api/health  bus, loop, temperature, disk  GET /api/session whether there is a login, and who is logged in
//! GET /healthz     how the table stands, for a monitor: 200, or 503 where a malfunction is latched
//! GET /report      a hardware test's report, `?record=`; GET /api/result the same without plots
//! POST /api/login, /api/logout, /api/maintenance, /api/test, /api/witness: see `access` and `workshop`
//! ```
//! It is informational (NZ9 7.5, SGV6 5.11) and never blocks the table: a port that is taken is tried again, a client that is slow
//! gets the newest state only, and there are bounds on clients ([`places`]). What it shows is the snapshot and the journal, neither of
//! which holds anything that is still secret.

mod access;
pub mod accounts;
mod answers;
mod brake;
mod head;
mod kept;
mod listener;
mod pages;
mod picture;
mod places;
mod problem;
mod questions;
mod repeats;
mod sessions;
mod stream;
mod workshop;

pub use kept::Kept;
pub use listener::{on, run};
pub use picture::Picture;
pub use places::{CONNECTIONS, KEPT, OF_ADDRESS, STREAMS};

use crate::history::records::Records;
use crate::network::messages::{Disk, TechnicianCommand};
use crate::run::trace::Traces;
use std::path::PathBuf;
use std::pin::Pin;
use std::sync::{Arc, Mutex};
use tokio::sync::watch;
use tumbler_core::snapshot::Snapshot;
use tumbler_core::units::Seq;
pub use tumbler_core::wire::ask::About;
use tumbler_core::wire::ask::Relay;
use tumbler_core::wire::console::Answer;
use tumbler_core::wire::wires::Wires;

/// Gives a command to the table for an account, and brings its answer, or why there is none.
pub type Give = Arc<
    dyn Fn(String, TechnicianCommand) -> Pin<Box<dyn Future<Output = Result<Answer, String>> + Send>> + Send + Sync,
>;

/// The technicians' login.
pub struct Login {
    /// The file of their accounts.
    pub accounts: PathBuf,
    /// Where failed logins are kept.
    pub kept: Kept,
    /// The way to the table.
    pub give: Give,
}

impl std::fmt::Debug for Login {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Login").field("accounts", &self.accounts).finish_non_exhaustive()
    }
}

/// What the panel is fed with.
#[derive(Debug)]
pub struct Feeds {
    /// Whose panel this is.
    pub about: About,
    /// The table as it is.
    pub snapshot: watch::Receiver<Arc<Snapshot>>,
    /// The journal's last durable record.
    pub durable: watch::Receiver<Seq>,
    /// How the relay fares; `None` where no broker is configured.
    pub relay: watch::Receiver<Option<Relay>>,
    /// The journal.
    pub records: Records,
    /// What the control loop sees.
    pub traces: Traces,
    /// Every wire and every register, a moment ago.
    pub wires: watch::Receiver<Arc<Wires>>,
    /// The journal's disk.
    pub disk: watch::Receiver<Option<Disk>>,
    /// The technicians' login; `None` where the panel only looks.
    pub login: Option<Login>,
    /// A name under which browsers may ask for the panel, besides addresses and this machine's own name.
    pub host: Option<String>,
    /// Set to `true` when the daemon stops.
    pub stop: watch::Receiver<bool>,
}

/// What all clients share.
#[derive(Clone, Debug)]
pub(crate) struct Shared {
    about: About,
    snapshot: watch::Receiver<Arc<Snapshot>>,
    durable: watch::Receiver<Seq>,
    relay: watch::Receiver<Option<Relay>>,
    records: Records,
    picture: Arc<Mutex<Picture>>,
    wires: watch::Receiver<Arc<Wires>>,
    disk: watch::Receiver<Option<Disk>>,
    access: Option<Arc<access::Access>>,
    names: Arc<[String]>,
    places: Arc<places::Places>,
    stop: watch::Receiver<bool>,
}
