//! The latch and the permission: what persists is permission, not prohibition.

use super::Table;
use crate::latch::{Code, Malfunction};
use crate::line::OutLine;
use crate::obstacle::{Facts, Obstacle, obstacles};
use crate::prelude::*;
use crate::record::{Event, Standing};
use crate::refusal::Refusal;
use crate::wire::console::Exit;

impl Table {
    /// Latches a malfunction: no further game until it is rectified or replaced by a procedure (NZ 7.4).
    pub(super) fn latch(&mut self, code: Code, cause: String) {
        self.latch_as(code, cause, false);
    }

    /// Latches a malfunction that showed only while the tumbler ran.
    pub(super) fn latch_in_spin(&mut self, code: Code, cause: String) {
        self.latch_as(code, cause, true);
    }

    fn latch_as(&mut self, code: Code, cause: String, in_spin: bool) {
        if !self.ledger.latch(Malfunction { code, cause: cause.clone(), since: self.ctx.at(), in_spin }) {
            return;
        }
        self.record(Event::Latched { code, cause, in_spin });
        self.ctx.dump(code.name(), None);
        self.update_permit();
        self.sequence.hurry();
    }

    /// Tells the journal whether a game may start from here on.
    pub(super) fn update_permit(&mut self) {
        self.sequence.permit(self.service.is_open() && !self.ledger.is_blocked());
    }

    /// All that stands in the way of a game now.
    pub(super) fn obstacles(&self) -> impl Iterator<Item = Obstacle<'_>> {
        let facts = Facts {
            testing: self.is_testing(),
            watched: self.devices.inputs.is_watched(),
            asked: self.is_asked(),
            permitted: self.sequence.is_permitted(),
        };
        obstacles(&self.service, &self.ledger, facts)
    }

    /// Whether a game may start now; otherwise what stands in the way.
    pub(super) fn may_play(&self) -> Result<(), Refusal> {
        self.obstacles().next().map_or(Ok(()), |obstacle| Err(obstacle.refusal()))
    }

    /// Keeps the sign "no games" true.
    pub(super) fn sign(&mut self) {
        let lit = self.obstacles().any(Obstacle::lights_sign);
        if self.ctx.pins().commanded(OutLine::OutOfService) != lit {
            self.ctx.sign(lit);
            self.ctx.note_change();
        }
    }

    /// Closes the table: waivers end, and a supervisor has to open it again.
    pub(super) fn close(&mut self, by: &str) {
        if !self.service.close() {
            return;
        }
        self.ledger.end_procedures();
        self.record(Event::Closed { by: by.to_owned() });
        self.update_permit();
        self.sequence.hurry();
    }

    /// Opens a latch.
    pub(super) fn unlatch(&mut self, code: Code, exit: &Exit, by: &str) {
        self.ledger.unlatch(code);
        self.record(Event::unlatched(code, exit, by));
        self.update_permit();
        self.sequence.hurry();
    }

    /// Everything that a restart needs: the table as it is, also where people see it only once that is durable.
    #[must_use]
    pub fn standing(&self) -> Standing {
        Standing {
            site: self.ctx.settings().site.clone(),
            table: self.ctx.settings().table.clone(),
            backend: self.ctx.settings().backend.clone(),
            boot: self.boot.clone(),
            rules: self.ctx.settings().rules.as_str().into(),
            layout: self.ctx.settings().layout.as_str().into(),
            open: self.service.is_open(),
            closing: self.service.closing().map(str::to_owned),
            latched: self.ledger.latched().to_vec(),
            waived: self.ledger.waived().to_vec(),
            last_round: self.history.last(),
            rules_since: self.history.rules_since().to_vec(),
            round: self.round.as_ref().map(|round| round.interrupted(self.devices.reader.faces().flatten())),
            dice: self.devices.reader.enrolled(),
            recent: self.history.recent().to_vec(),
        }
    }
}
