//! The picture of the table that people see.

use super::Table;
use crate::device::reader::Pose;
use crate::effect::OutLine;
use crate::round::Spin;
use crate::snapshot::{Phase, Snapshot};

impl Table {
    /// The phase that people see.
    #[must_use]
    pub fn phase(&self) -> Phase {
        if self.maintenance.is_some() {
            return Phase::Maintenance;
        }
        match &self.round {
            Some(r) if r.spin == Spin::Running => Phase::Tumbling,
            Some(r) if r.result.is_some() => Phase::Settling,
            Some(r) if r.revealed.is_some() => Phase::Revealed,
            Some(r) if r.bets_closed => Phase::BetsClosed,
            Some(_) => Phase::Betting,
            None if !self.latched.is_empty() => Phase::Blocked,
            None if !self.open => Phase::Closed,
            None if self.last_void => Phase::Void,
            None => Phase::Ready,
        }
    }

    /// The table as it is, to be shown to people. Call it when [`Table::revision`] has changed.
    #[must_use]
    pub fn snapshot(&self) -> Snapshot {
        let round = self.round.as_ref();
        let poses = if self.settings.reader { self.reader.poses() } else { [Pose::Unknown; 3] };
        Snapshot {
            seq: self.sequence.last_durable(),
            phase: self.phase(),
            rules: round.map_or_else(|| self.settings.rules.clone(), |r| r.rules.clone()),
            layout: round.map_or_else(|| self.settings.layout.clone(), |r| r.layout.clone()),
            backend: self.settings.backend.clone(),
            round: round.map(|r| r.id),
            open: self.open,
            tumbles: match round.map(|r| r.spin) {
                Some(Spin::Running) => self.tumbler.counted(),
                Some(Spin::Valid { tumbles }) => tumbles,
                _ => crate::units::Tumbles(0),
            },
            dome: self.dome.place().name().to_owned(),
            motor: self.out.read(OutLine::MotorEnable) == Some(true),
            poses: poses.map(|pose| pose.name().to_owned()),
            // Nobody looks before everything is durable, unless the journal fails; then what it has not taken is not shown.
            result: round.and_then(|r| r.result).filter(|_| self.sequence.is_settled() || !self.sequence.has_failed()),
            display: self.terminal.shown(),
            lit: self.areas(self.lamps.lit()),
            sensed: self.areas(self.lamps.sensed()),
            verified: round.is_some_and(|r| r.lit == Some(true)),
            malfunctions: self.latched.clone(),
            waived: self.waived.clone(),
            temperature: self.temperature.last(),
            key: self.key_edge.is_some(),
            lost_units: self.bus.fitted().filter(|(_, s)| s.lost).map(|(u, _)| u.address()).collect(),
            test: self.test_shown(),
            measurements: self.measured(),
            recent: self.recent.clone(),
        }
    }
}
