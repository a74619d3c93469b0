//! Whether the table serves players: open for gaming, closing after the round, in maintenance, or about to stop.
//!
//! ```text
//!            --open-->         --close_after-->
//!    closed            open                     closing         any --stop--> stopping, until the program ends
//!    |    ^  <-----close-----------------------------
//!  begin  end
//!    v    |
//!  maintenance
//! ```

use crate::prelude::*;
use serde::{Deserialize, Serialize};

/// The state of service.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Service {
    open: bool,
    /// Who asked to close the table after the round.
    closing: Option<String>,
    /// Who works on the table, in maintenance.
    maintenance: Option<String>,
    stopping: bool,
}

impl Service {
    /// As the journal has it. Maintenance ends with the program.
    #[must_use]
    pub const fn new(open: bool, closing: Option<String>) -> Self {
        Self { open, closing, maintenance: None, stopping: false }
    }

    /// The opening tests were passed.
    pub const fn open(&mut self) {
        self.open = true;
    }

    /// The table closes; gives whether it was open.
    pub fn close(&mut self) -> bool {
        self.closing = None;
        core::mem::take(&mut self.open)
    }

    /// The table is to close when the round in progress has ended.
    pub fn close_after_round(&mut self, by: &str) {
        self.closing = Some(by.to_owned());
    }

    /// Who asked to close the table after the round, for the last time.
    pub const fn take_closing(&mut self) -> Option<String> {
        self.closing.take()
    }

    /// A technician begins to work on the closed table.
    pub fn begin_maintenance(&mut self, by: &str) {
        debug_assert!(!self.open, "maintenance closes the table first");
        self.maintenance = Some(by.to_owned());
    }

    /// The work is done.
    pub fn end_maintenance(&mut self) {
        self.maintenance = None;
    }

    /// The program is to end: nothing begins any more.
    pub const fn stop(&mut self) {
        self.stopping = true;
    }

    /// Whether the table is open for gaming.
    #[must_use]
    pub const fn is_open(&self) -> bool {
        self.open
    }

    /// Who asked to close the table after the round.
    #[must_use]
    pub fn closing(&self) -> Option<&str> {
        self.closing.as_deref()
    }

    /// Who works on the table, in maintenance.
    #[must_use]
    pub fn maintenance(&self) -> Option<&str> {
        self.maintenance.as_deref()
    }

    /// Whether the program is to end.
    #[must_use]
    pub const fn is_stopping(&self) -> bool {
        self.stopping
    }
}
