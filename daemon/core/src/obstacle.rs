//! Why no game may start: one list, from which the refusal follows, the sign "no games" and the phase.

use crate::latch::Malfunction;
use crate::ledger::Ledger;
use crate::prelude::*;
use crate::refusal::Refusal;
use crate::service::Service;
use crate::snapshot::Phase;

/// What decides beside the service and the ledger.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Facts {
    /// A test is in progress.
    pub(crate) testing: bool,
    /// The lines are watched.
    pub(crate) watched: bool,
    /// The round in progress waits for a person's word.
    pub(crate) asked: bool,
    /// The permission to play is durable.
    pub(crate) permitted: bool,
}

/// What stands in the way of a game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Obstacle<'a> {
    /// The daemon is stopping.
    Stopping,
    /// This technician works on the table.
    InMaintenance(&'a str),
    /// This is latched, first of all that is.
    Malfunction(&'a Malfunction),
    /// Nobody has opened the table.
    Closed,
    /// Somebody has asked to close it after the round.
    ClosesAfterRound,
    /// A test is in progress.
    Testing,
    /// The lines are lost.
    Unwatched,
    /// A person is asked how the dice lie.
    Asked,
    /// A crash could still forget that games are permitted.
    NotPermitted,
}

/// All that stands in the way of a game; what people are told of comes first.
pub(crate) fn obstacles<'a>(
    service: &'a Service,
    ledger: &'a Ledger,
    facts: Facts,
) -> impl Iterator<Item = Obstacle<'a>> {
    [
        service.is_stopping().then_some(Obstacle::Stopping),
        service.maintenance().map(Obstacle::InMaintenance),
        ledger.first().map(Obstacle::Malfunction),
        (!service.is_open()).then_some(Obstacle::Closed),
        service.closing().map(|_| Obstacle::ClosesAfterRound),
        facts.testing.then_some(Obstacle::Testing),
        (!facts.watched).then_some(Obstacle::Unwatched),
        facts.asked.then_some(Obstacle::Asked),
        (!facts.permitted).then_some(Obstacle::NotPermitted),
    ]
    .into_iter()
    .flatten()
}

impl Obstacle<'_> {
    /// What is told to whoever asks for a game.
    pub(crate) fn refusal(self) -> Refusal {
        match self {
            Self::Stopping => Refusal::Stopping,
            Self::InMaintenance(who) => Refusal::InMaintenance(who.to_owned()),
            Self::Malfunction(malfunction) => Refusal::Malfunction(malfunction.code, malfunction.cause.clone()),
            Self::Closed => Refusal::Closed,
            Self::ClosesAfterRound => Refusal::ClosesAfterRound,
            Self::Testing => Refusal::Testing,
            Self::Unwatched => Refusal::Unwatched,
            Self::Asked => Refusal::AskedBeforeMotion,
            Self::NotPermitted => Refusal::PermissionNotDurable,
        }
    }

    /// Whether it lights the sign: within a round the closing of the table is not yet the players' business.
    pub(crate) const fn lights_sign(self) -> bool {
        !matches!(self, Self::ClosesAfterRound)
    }

    /// The phase in which it keeps a table where no round is in progress; `None` where it passes by itself.
    pub(crate) const fn phase(self) -> Option<Phase> {
        match self {
            Self::InMaintenance(_) => Some(Phase::Maintenance),
            Self::Malfunction(_) => Some(Phase::Blocked),
            Self::Closed => Some(Phase::Closed),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::latch::Code;
    use crate::units::Mono;

    const PLAYS: Facts = Facts { testing: false, watched: true, asked: false, permitted: true };

    fn latched() -> Ledger {
        let cause = "area 3 is dark".to_owned();
        Ledger::new(vec![Malfunction { code: Code::Lamps, cause, since: Mono(1), in_spin: false }], Vec::new())
    }

    /// What is told first, whether the sign is lit, and the phase.
    fn seen(service: &Service, ledger: &Ledger, facts: Facts) -> (Option<Refusal>, bool, Option<Phase>) {
        let all = || obstacles(service, ledger, facts);
        (all().next().map(Obstacle::refusal), all().any(Obstacle::lights_sign), all().find_map(Obstacle::phase))
    }

    /// design.md, Latch: the sign is lit while no game may be played, and dark while games are played.
    #[test]
    fn the_sign_is_lit_where_a_game_is_refused() {
        let (open, sound) = (Service::new(true, None), Ledger::default());
        assert_eq!(seen(&open, &sound, PLAYS), (None, false, None));
        for (facts, told) in [
            (Facts { testing: true, ..PLAYS }, Refusal::Testing),
            (Facts { watched: false, ..PLAYS }, Refusal::Unwatched),
            (Facts { asked: true, ..PLAYS }, Refusal::AskedBeforeMotion),
            (Facts { permitted: false, ..PLAYS }, Refusal::PermissionNotDurable),
        ] {
            assert_eq!(seen(&open, &sound, facts), (Some(told), true, None));
        }
        let mut stopping = open;
        stopping.stop();
        assert_eq!(seen(&stopping, &sound, PLAYS), (Some(Refusal::Stopping), true, None));
        // The round in progress is played to its end.
        let closing = Service::new(true, Some("Mei".into()));
        assert_eq!(seen(&closing, &sound, PLAYS), (Some(Refusal::ClosesAfterRound), false, None));
    }

    /// NZ 7.4 and 5: no game while something is latched, and none before a supervisor has opened the table.
    #[test]
    fn people_are_told_of_maintenance_before_a_latch_and_of_a_latch_before_the_opening() {
        let mut service = Service::new(false, None);
        let latch = Refusal::Malfunction(Code::Lamps, "area 3 is dark".into());
        assert_eq!(seen(&service, &Ledger::default(), PLAYS), (Some(Refusal::Closed), true, Some(Phase::Closed)));
        assert_eq!(seen(&service, &latched(), PLAYS), (Some(latch), true, Some(Phase::Blocked)));
        service.begin_maintenance("Ana");
        let told = Refusal::InMaintenance("Ana".into());
        assert_eq!(seen(&service, &latched(), PLAYS), (Some(told), true, Some(Phase::Maintenance)));
    }
}
