//! Which endings the table admits for what happened.

use super::history::{Happening, History, Moment, ONE_ACT_NS, READ_NS};
use super::situation::{Bets, Dice, Event, Finding, Situation, Stage, Tumbles};
use super::table::{Ending, Lookup, Row, Says, Table};
use crate::areas::Family;
use crate::config::Rules;
use crate::observation::{Line, Part};
use crate::scene::{Round, Scene};

/// An ending that the table admits.
#[derive(Clone, Copy, Debug)]
pub(super) struct Admitted {
    pub(super) row: &'static Row,
    pub(super) says: &'static Says,
    pub(super) situation: Situation,
}

/// Everything that the table admits.
#[derive(Clone, Debug, Default)]
pub(super) struct Endings {
    pub(super) admitted: Vec<Admitted>,
    /// What certainly happened and admits one ending only: void, or a question.
    pub(super) due: Option<Admitted>,
    /// A situation that the table does not hold.
    pub(super) unlisted: Option<String>,
}

/// Events that a broken part may be, where wires do not show them; and what the tumbler's own faults are.
const BREAKS: [(Part, &[Event]); 9] = [
    (Part::Motor, &[Event::Stall, Event::RunsOn, Event::Temperature, Event::Equipment]),
    (Part::Relay, &[Event::Stall, Event::RunsOn]),
    (Part::Cam, &[Event::Stall, Event::Sensor, Event::RunsOn]),
    (Part::Gpio, &[Event::Equipment, Event::Stall, Event::Sensor, Event::RunsOn, Event::DomeOpened, Event::NoSpin]),
    (Part::DomeContacts, &[Event::Equipment, Event::DomeOpened, Event::GuardLost]),
    (Part::Buttons, &[Event::Equipment, Event::SealBroken, Event::Supply, Event::NoSpin, Event::GuardLost]),
    (Part::Journal, &[Event::Equipment, Event::Interruption]),
    (Part::Dice, &[Event::None, Event::ForeignDice, Event::WrongCount, Event::NotTumbled, Event::Knocked]),
    (Part::Reader, &[Event::None, Event::ForeignDice, Event::WrongCount, Event::NotTumbled, Event::Knocked]),
];

/// Every situation that this moment, these events and this finding may be.
fn situations(rules: Rules, moment: &Moment, events: &[Event], finding: Finding) -> Vec<Situation> {
    let mut all = Vec::new();
    for &stage in &moment.stages {
        let none = [Tumbles::None];
        // NZ 6.1 has the spin before the call: a spin is filed with the bets as they were at its activation.
        let before = [Bets::Open];
        let spins_first = rules.family() == Family::NewZealand;
        let bets: &[Bets] = if spins_first && stage == Stage::Tumbling { &before } else { &moment.bets };
        let tumbles: &[Tumbles] = if stage == Stage::Unspun { &none } else { &moment.tumbles };
        for &event in events {
            let unseen = [Dice::Unseen];
            let hidden = [Dice::Unseen, Dice::NotFlat];
            let dice: &[Dice] = match stage {
                Stage::Unspun | Stage::Tumbling => &unseen,
                // A reader sees under the dome which die does not lie flat, if nothing else ends the round before it has looked.
                Stage::Spun if event == Event::None && moment.dice == [Dice::NotFlat] => &hidden[1..],
                Stage::Spun if event != Event::Knocked && moment.dice.contains(&Dice::NotFlat) => &hidden,
                Stage::Spun if event != Event::Knocked => &unseen,
                _ => &moment.dice,
            };
            for &tumbles in tumbles {
                for &bets in bets {
                    for &dice in dice {
                        for &eyes in &moment.eyes {
                            all.push(Situation { stage, bets, tumbles, event, dice, eyes, finding });
                        }
                    }
                }
            }
        }
    }
    all
}

impl Endings {
    /// What the table holds of one happening; nothing, where it can only be what is filed elsewhere.
    fn look(&mut self, rules: Rules, happening: &Happening, finding: Finding) -> Vec<Admitted> {
        let mut admitted = Vec::new();
        for situation in situations(rules, &happening.moment, &happening.events, finding) {
            match Table::built_in().look_up(rules, &situation) {
                Lookup::Row(row, says) => admitted.push(Admitted { row, says, situation }),
                Lookup::Impossible => {}
                Lookup::Unlisted => self.unlisted = Some(format!("{}: {situation:?}", rules.id())),
            }
        }
        if admitted.is_empty() && happening.certain {
            self.unlisted = Some(format!("{}: {:?} at {:?}", rules.id(), happening.events, happening.moment));
        }
        admitted
    }

    /// What the table admits for the round as it stands, with this answer to what was asked.
    pub(super) fn of(history: &History, rules: Rules, round: &Round, scene: &Scene) -> Self {
        let mut verdict = Self::default();
        let mut until_ns = u64::MAX;
        let mut happenings = history.happenings.clone();
        happenings.extend(standing(history, round, scene));
        let opened = happenings.iter().any(|h| h.events == [Event::DomeOpened]);
        for mut happening in happenings {
            // Dice that are exposed while the program is gone are found so by the next one.
            let asked = verdict.due.is_some_and(|due| due.says.ending == Ending::Asked);
            let exposed = (asked || round.interrupted) && happening.events == [Event::DomeOpened];
            if happening.at_ns > until_ns && !exposed {
                continue;
            }
            // A spin runs out after what ended it: the steps of its coasting count as well.
            if happening.moment.stages.contains(&Stage::Tumbling) && happening.certain {
                history.moment(scene).tumbles.into_iter().for_each(|tumbles| {
                    if !happening.moment.tumbles.contains(&tumbles) {
                        happening.moment.tumbles.push(tumbles);
                    }
                });
            }
            let found = verdict.look(rules, &happening, Finding::None);
            let only =
                |ending: Ending| !found.is_empty() && found.iter().all(|admitted| admitted.says.ending == ending);
            // One lift of the dome: first its guard, then the exposure.
            let sure = happening.certain && !(happening.events.contains(&Event::GuardLost) && opened);
            if sure && (only(Ending::Void) || only(Ending::Asked)) && verdict.due.is_none() {
                verdict.due = found.first().copied();
                // A person who is asked has not yet answered, and meanwhile something may void by itself.
                if only(Ending::Void) || !history.asked {
                    let found_ns = if happening.events == [Event::None] { READ_NS } else { ONE_ACT_NS };
                    until_ns = happening.at_ns.saturating_add(found_ns);
                }
            }
            verdict.admitted.extend(found);
        }
        verdict
    }

    /// The rows that hold a round in which nothing happens now, each once.
    pub(super) fn quiet(history: &History, rules: Rules, scene: &Scene) -> Vec<Admitted> {
        let mut rows: Vec<Admitted> = Vec::new();
        for situation in situations(rules, &history.moment(scene), &[Event::None], Finding::None) {
            if let Lookup::Row(row, says) = Table::built_in().look_up(rules, &situation) {
                if rows.iter().all(|one| one.row.id != row.id) {
                    rows.push(Admitted { row, says, situation });
                }
            }
        }
        rows
    }

    /// What the table admits once a person has answered.
    pub(super) fn answered(asked: &[Admitted], rules: Rules, finding: Finding) -> Self {
        let mut verdict = Self::default();
        for before in asked {
            let mut situation = Situation { finding, ..before.situation };
            // Dice that are not the enrolled ones are no matter of fact: a manager decides.
            if matches!(situation.event, Event::ForeignDice | Event::WrongCount) {
                situation = Situation { finding: Finding::None, event: Event::ManagerDecision, ..situation };
            }
            if let Lookup::Row(row, says) = Table::built_in().look_up(rules, &situation) {
                verdict.admitted.push(Admitted { row, says, situation });
            }
        }
        verdict
    }

    /// How many different endings are admitted.
    pub(super) fn endings(&self) -> usize {
        let mut different: Vec<(Ending, &[String])> =
            self.admitted.iter().map(|admitted| (admitted.says.ending, admitted.says.clauses.as_slice())).collect();
        different.sort();
        different.dedup();
        different.len()
    }
}

/// What holds by the state of things, at the end of what happened.
fn standing(history: &History, round: &Round, scene: &Scene) -> Vec<Happening> {
    let now = history.moment(scene);
    let at_ns = scene.now_ns;
    let mut standing = vec![Happening { at_ns, events: vec![Event::None], certain: false, moment: now.clone() }];
    if round.result.is_some() && !round.verified {
        standing.push(Happening { at_ns, events: vec![Event::LampsNotProved], certain: false, moment: now.clone() });
    }
    if history.activated() {
        // A spin that nobody and nothing else ended short was ended by the tumbler.
        let ends = |h: &Happening| h.certain || h.events.contains(&Event::GuardLost);
        let ended = history.happenings.iter().any(|h| ends(h) && h.moment.stages.contains(&Stage::Tumbling));
        let off = !scene.is(Line::MotorEnable, true) || round.interrupted;
        let moment = Moment { stages: vec![Stage::Tumbling], ..now.clone() };
        if !ended && !now.tumbles.contains(&Tumbles::Proved) {
            standing.push(Happening { at_ns, events: vec![Event::Stall], certain: off, moment });
        }
    }
    for (part, events) in BREAKS.into_iter().filter(|(part, _)| round.was_broken(*part)) {
        let mut moment = now.clone();
        // A spin whose dice may be seen is over: what breaks then breaks no spin.
        let seen = now.stages.iter().any(|stage| matches!(stage, Stage::Revealed | Stage::Keyed));
        if history.activated() && !seen {
            moment.stages.push(Stage::Tumbling);
        }
        if matches!(part, Part::Dice | Part::Reader) {
            moment.dice = vec![Dice::Flat, Dice::NotFlat];
        }
        standing.push(Happening { at_ns, events: events.to_vec(), certain: false, moment });
    }
    standing
}
