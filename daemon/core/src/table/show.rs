//! The picture of the table that people see: all of it durable (design.md rule 2: make durable, then publish).
//!
//! ```text
//!                       everything durable ──> live
//!  something to show ──<
//!                       records still written, at every commit ──> held ──its last record durable──> picture
//! ```
//!
//! So people are never further behind than two commits, also beside a disk that never catches up. A journal that
//! cannot be written must not hide why the table is blocked: then people see the equipment and what stands in the way as they
//! are, and of the round what is on record ([`Snapshot::until_recorded`]).

use super::Table;
use crate::device::reader::Pose;
use crate::line::OutLine;
use crate::obstacle::Obstacle;
use crate::prelude::*;
use crate::record::Standing;
use crate::round::Spin;
use crate::snapshot::{Phase, Snapshot};
use crate::units::Seq;
use serde::{Deserialize, Serialize};

/// What people see of the table, also where its disk is behind.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct Picture {
    /// Changes whenever people are shown something new.
    revision: u64,
    /// Shown once this record is durable.
    held: Option<(Seq, Box<Snapshot>)>,
    /// Shown in place of the table as it is.
    shown: Option<Box<Snapshot>>,
    /// The last picture all of which was durable.
    #[serde(default)]
    on_record: Box<Snapshot>,
}

impl Picture {
    /// What is on record before anything was shown.
    pub(super) fn found(standing: &Standing, last: Seq) -> Self {
        let on_record = Snapshot {
            seq: last,
            rules: String::from(standing.rules.clone()),
            layout: String::from(standing.layout.clone()),
            round: standing.round.as_ref().map(|round| round.id),
            open: standing.open,
            malfunctions: standing.latched.clone(),
            waived: standing.waived.clone(),
            recent: standing.recent.clone(),
            ..Snapshot::default()
        };
        Self { on_record: Box::new(on_record), ..Self::default() }
    }

    /// Changes whenever people are shown something new.
    pub(super) const fn revision(&self) -> u64 {
        self.revision
    }

    /// Shows the table as it is.
    fn show_live(&mut self) {
        self.held = None;
        self.shown = None;
        self.revision = self.revision.wrapping_add(1);
    }

    /// Shows what is held, if its last record is durable.
    fn show_held(&mut self, durable: Seq) {
        if self.held.as_ref().is_some_and(|(last, _)| *last <= durable) {
            self.shown = self.held.take().map(|(_, picture)| picture);
            self.on_record = self.shown.clone().unwrap_or_default();
            self.revision = self.revision.wrapping_add(1);
        }
    }

    /// Holds a picture until its last record is durable.
    fn hold(&mut self, picture: Snapshot) {
        self.held = Some((picture.seq, Box::new(picture)));
    }
}

impl Table {
    /// The phase that people see.
    #[must_use]
    pub fn phase(&self) -> Phase {
        match &self.round {
            Some(round) => Phase::of(round),
            None => self.obstacles().find_map(Obstacle::phase).unwrap_or_else(|| Phase::between(&self.history)),
        }
    }

    /// The table, to be shown to people. Call it when [`Table::revision`] has changed.
    #[must_use]
    pub fn snapshot(&self) -> Snapshot {
        match self.picture.shown.as_deref() {
            Some(shown) => shown.clone(),
            // Beside a journal that takes its time, what came since is held back above.
            None if self.sequence.is_durable() || !self.sequence.has_failed() => self.live(),
            None => self.live().until_recorded(&self.picture.on_record),
        }
    }

    /// Shows what may be shown, once an input has been judged; `committed` if it was a commit.
    pub(super) fn publish(&mut self, committed: bool) {
        if self.ctx.has_changed() && (self.sequence.is_durable() || self.sequence.has_failed()) {
            self.ctx.clear_change();
            self.picture.show_live();
            if self.sequence.is_durable() && self.picture.on_record.seq != self.sequence.last() {
                *self.picture.on_record = self.live();
            }
        } else {
            self.picture.show_held(self.sequence.last_durable());
        }
        if committed && self.ctx.has_changed() && self.picture.held.is_none() {
            let picture = Snapshot { seq: self.sequence.last(), ..self.live() };
            self.picture.hold(picture);
        }
    }

    fn live(&self) -> Snapshot {
        let round = self.round.as_ref();
        let poses = if self.ctx.settings().reader { self.devices.reader.poses() } else { [Pose::Unknown; 3] };
        Snapshot {
            seq: self.sequence.last_durable(),
            phase: self.phase(),
            rules: round.map_or_else(|| self.ctx.settings().rules.clone(), |r| r.rules().to_owned()),
            layout: round.map_or_else(|| self.ctx.settings().layout.clone(), |r| r.layout().to_owned()),
            backend: self.ctx.settings().backend.clone(),
            round: round.map(|r| r.id()),
            open: self.service.is_open(),
            tumbles: match round.map(|r| r.spin()) {
                Some(Spin::Running) => self.devices.tumbler.counted(),
                Some(Spin::Valid { tumbles }) => tumbles,
                _ => crate::units::Tumbles(0),
            },
            dome: self.devices.dome.place().name().to_owned(),
            motor: self.ctx.pins().read(OutLine::MotorEnable) == Some(true),
            poses: poses.map(|pose| pose.name().to_owned()),
            result: round.and_then(|r| r.result()),
            display: self.devices.terminal.shown(),
            lit: self.areas(self.devices.lamps.lit()),
            sensed: self.areas(self.devices.lamps.sensed()),
            verified: round.is_some_and(|r| r.proved_at().is_some()),
            malfunctions: self.ledger.latched().to_vec(),
            waived: self.ledger.waived().to_vec(),
            temperature: self.devices.temperature.last(),
            key: self.devices.key.is_granted(),
            lost_units: self.devices.bus.fitted().filter(|(_, s)| s.is_lost()).map(|(u, _)| u.address()).collect(),
            test: self.test_shown(),
            question: self.question(),
            prompt: self.prompt(),
            measurements: self.measured(),
            recent: self.history.recent().to_vec(),
        }
    }
}
