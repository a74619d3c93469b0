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

/// What is known of a restart.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Restart {
    /// The machine was booted.
    pub(crate) rebooted: bool,
    /// The journal is damaged, missing, foreign or older than it was.
    pub(crate) distrusted: bool,
    /// New rounds go by other rules, or on another layout.
    pub(crate) changed: bool,
    /// Slot and permit beside the journal grant play.
    pub(crate) permitted: bool,
    /// Something is latched.
    pub(crate) blocked: bool,
}

/// What a restart makes of a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum AfterRestart {
    /// It goes on as before.
    GoesOn,
    /// It closes by itself, for this reason: a supervisor opens it again.
    Closes(&'static str),
    /// It was open with nothing latched, and the permission to play is not where it was left: a malfunction.
    PermissionLost,
}

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

    /// What a restart makes of the table.
    pub(crate) const fn judge_restart(&self, restart: Restart) -> AfterRestart {
        match restart {
            _ if !self.open => AfterRestart::GoesOn,
            Restart { rebooted: true, .. } => AfterRestart::Closes("the machine was restarted"),
            // What a damaged journal says of the permission to play permits nothing.
            Restart { distrusted: true, .. } => AfterRestart::Closes("the journal cannot be trusted"),
            Restart { changed: true, .. } => AfterRestart::Closes("rules or layout were changed"),
            Restart { permitted: false, blocked: false, .. } => AfterRestart::PermissionLost,
            _ => AfterRestart::GoesOn,
        }
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

#[cfg(test)]
mod tests {
    use super::*;

    /// design.md, Start and restart, and rule 8: whatever is lost, the table stays closed.
    #[test]
    fn only_a_table_with_its_permission_goes_on_after_a_restart() {
        let whole = Restart { rebooted: false, distrusted: false, changed: false, permitted: true, blocked: false };
        let open = Service::new(true, None);
        let closes = |restart| matches!(open.judge_restart(restart), AfterRestart::Closes(_));
        assert_eq!(open.judge_restart(whole), AfterRestart::GoesOn);
        assert!(closes(Restart { rebooted: true, ..whole }) && closes(Restart { changed: true, ..whole }));
        assert!(closes(Restart { distrusted: true, permitted: false, ..whole }));
        let lost = Restart { permitted: false, ..whole };
        assert_eq!(open.judge_restart(lost), AfterRestart::PermissionLost);
        // A latch took the permission away, and is on record.
        assert_eq!(open.judge_restart(Restart { blocked: true, ..lost }), AfterRestart::GoesOn);
        assert_eq!(Service::new(false, None).judge_restart(lost), AfterRestart::GoesOn);
    }
}
