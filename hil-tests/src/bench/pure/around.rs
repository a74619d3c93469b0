//! What breaks around the daemon, as far as the pure bench has a counterpart: what the table is handed, and when.

use super::super::{Bench, Outside, Trouble};
use super::Pure;
use crate::twin::MS;
use std::collections::BTreeSet;
use tumbler_judges::{Seen, Truth};

/// What the bench remembers of what was broken.
#[derive(Debug, Default)]
pub(super) struct Around {
    /// What has shown since the bench began.
    pub(super) shown: BTreeSet<Outside>,
    /// The process is stopped: nothing is handed in, and nothing of its own goes on.
    pub(super) hung: bool,
}

fn no_means(outside: Outside) -> Trouble {
    Trouble::NotHere(format!("the pure bench has no means for {outside:?}"))
}

impl Pure {
    fn hang(&mut self, hung: bool) {
        self.around.hung = hung;
        self.observer.tell(self.now, Seen::Truth(Truth::Hung { hung }));
    }

    /// Breaks something around the daemon.
    pub(super) fn break_around(&mut self, outside: Outside) -> Result<(), Trouble> {
        match outside {
            Outside::Kill => {
                self.kill()?;
                self.around.shown.insert(outside);
            }
            Outside::Hang => {
                self.hang(true);
                self.around.shown.insert(outside);
            }
            Outside::DiskTakes(millis) => {
                self.journal.set_latency(u64::from(millis) * MS);
                self.around.shown.insert(outside);
            }
            Outside::PermitMissing | Outside::RunMissing | Outside::PermitOlder | Outside::SlotMissing => {
                self.break_files(outside)?;
                self.around.shown.insert(outside);
            }
            _ => return Err(no_means(outside)),
        }
        Ok(())
    }

    /// What happens to the files beside the journal while the daemon is off.
    fn break_files(&mut self, outside: Outside) -> Result<(), Trouble> {
        if self.table.is_some() {
            return Err(Trouble::Rig(format!("{outside:?} is for a daemon that is off")));
        }
        match outside {
            Outside::PermitOlder if !self.journal.put_permit_back() => {
                return Err(Trouble::NotHere("the table was never open, so there is no older permit".into()));
            }
            Outside::PermitMissing | Outside::RunMissing => self.journal.lose_permit(),
            Outside::SlotMissing => self.journal.lose_slot(),
            _ => {}
        }
        Ok(())
    }

    /// Mends it again.
    pub(super) fn mend_around(&mut self, outside: Outside) -> Result<(), Trouble> {
        match outside {
            Outside::Kill => self.start(),
            Outside::Hang => {
                self.hang(false);
                self.after()
            }
            Outside::DiskTakes(_) => {
                self.journal.set_latency(self.commit_ns);
                Ok(())
            }
            // The daemon has made its own again.
            Outside::PermitMissing | Outside::RunMissing | Outside::PermitOlder | Outside::SlotMissing => Ok(()),
            _ => Err(no_means(outside)),
        }
    }
}
