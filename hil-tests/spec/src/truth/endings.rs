//! Which endings the truth table has for what happened (rule texts as in `table.toml`).

use super::history::{Happening, History, Moment, ONE_ACT_NS, READ_NS};
use super::situation::{Bets, Dice, Event, Finding, Situation, Stage, Tumbles};
use super::table::{Ending, Lookup, Row, Says, Table};
use crate::config::{Order, Rules};
use crate::observation::{Line, Part};
use crate::scene::{Round, Scene};

/// A possible ending: the row, what it says, and the situation for which it was found.
#[derive(Clone, Copy, Debug)]
pub(super) struct Admitted {
    pub(super) row: &'static Row,
    pub(super) says: &'static Says,
    pub(super) situation: Situation,
}

/// All endings that are possible for a round.
#[derive(Clone, Debug, Default)]
pub(super) struct Endings {
    pub(super) admitted: Vec<Admitted>,
    /// An ending that is due for certain: void, or a question to a person.
    pub(super) due: Option<Admitted>,
    /// A situation that is not listed in the table.
    pub(super) unlisted: Option<String>,
}

/// Events that a broken part may cause without a trace on the wires.
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

/// Every situation that this moment, these events and this finding may amount to.
fn situations(rules: Rules, moment: &Moment, events: &[Event], finding: Finding) -> Vec<Situation> {
    let mut all = Vec::new();
    for &stage in &moment.stages {
        let none = [Tumbles::None];
        // NZ 6.1 has the spin before the call: a spin is filed with the bets as they were at its activation.
        let before = [Bets::Open];
        let spins_first = rules.order() == Order::BeforeBets;
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
    /// The rows for one happening; none if it is impossible, or listed under another event.
    fn look_up(&mut self, rules: Rules, happening: &Happening, finding: Finding) -> Vec<Admitted> {
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

    /// The endings that are possible for the round as it stands.
    pub(super) fn of(history: &History, rules: Rules, round: &Round, scene: &Scene) -> Self {
        let mut endings = Self::default();
        let mut until_ns = u64::MAX;
        let mut happenings = history.happenings.clone();
        happenings.extend(by_state(history, round, scene));
        let opened = happenings.iter().any(|h| h.events == [Event::DomeOpened]);
        for mut happening in happenings {
            // Dice that are exposed while the program is gone are found exposed after its restart.
            let asked = endings.due.is_some_and(|due| due.says.ending == Ending::Asked);
            let exposed = (asked || round.interrupted) && happening.events == [Event::DomeOpened];
            // A spin that was cut is judged once the shaft stands: one that does not come to a stand is a fact by then (table.md, "every
            // ground that is a fact at that moment is cited").
            let turns = happening.events == [Event::RunsOn] && happening.moment.stages.contains(&Stage::Tumbling);
            if happening.at_ns > until_ns && !exposed && !turns {
                continue;
            }
            // After a spin was ended the shaft coasts, and the steps count as well.
            if happening.moment.stages.contains(&Stage::Tumbling) && happening.certain {
                history.moment(scene).tumbles.into_iter().for_each(|tumbles| {
                    if !happening.moment.tumbles.contains(&tumbles) {
                        happening.moment.tumbles.push(tumbles);
                    }
                });
            }
            let found = endings.look_up(rules, &happening, Finding::None);
            let only =
                |ending: Ending| !found.is_empty() && found.iter().all(|admitted| admitted.says.ending == ending);
            // One lift of the dome is both: first the guard, then the exposure.
            let sure = happening.certain && !(happening.events.contains(&Event::GuardLost) && opened);
            if sure && (only(Ending::Void) || only(Ending::Asked)) && endings.due.is_none() {
                endings.due = found.first().copied();
                // Until the person who is asked has answered, something else may void the round.
                if only(Ending::Void) || !history.asked {
                    let found_ns = if happening.events == [Event::None] { READ_NS } else { ONE_ACT_NS };
                    until_ns = happening.at_ns.saturating_add(found_ns);
                }
            }
            endings.admitted.extend(found);
        }
        endings
    }

    /// The rows for a round in which nothing happens now, each once.
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

    /// The endings that are possible once a person has answered.
    pub(super) fn answered(asked: &[Admitted], rules: Rules, finding: Finding) -> Self {
        let mut endings = Self::default();
        for before in asked {
            let mut situation = Situation { finding, ..before.situation };
            // Whether dice are foreign is not for the person to say who looks at them: a manager decides.
            if matches!(situation.event, Event::ForeignDice | Event::WrongCount) {
                situation = Situation { finding: Finding::None, event: Event::ManagerDecision, ..situation };
            }
            if let Lookup::Row(row, says) = Table::built_in().look_up(rules, &situation) {
                endings.admitted.push(Admitted { row, says, situation });
            }
        }
        endings
    }

    /// How many different endings are possible.
    pub(super) fn endings(&self) -> usize {
        let mut different: Vec<(Ending, &[String])> =
            self.admitted.iter().map(|admitted| (admitted.says.ending, admitted.says.clauses.as_slice())).collect();
        different.sort();
        different.dedup();
        different.len()
    }
}

/// What may have happened by the present state of the round, though no edge showed it.
fn by_state(history: &History, round: &Round, scene: &Scene) -> Vec<Happening> {
    let now = history.moment(scene);
    let at_ns = scene.now_ns;
    let mut happenings = vec![Happening { at_ns, events: vec![Event::None], certain: false, moment: now.clone() }];
    if round.result.is_some() && !round.verified {
        happenings.push(Happening { at_ns, events: vec![Event::LampsNotProved], certain: false, moment: now.clone() });
    }
    if history.activated() {
        // A spin that ended short, and was not ended by anybody or anything else, was ended by the tumbler.
        let ends = |h: &Happening| h.certain || h.events.contains(&Event::GuardLost);
        let ended = history.happenings.iter().any(|h| ends(h) && h.moment.stages.contains(&Stage::Tumbling));
        let off = !scene.is(Line::MotorEnable, true) || round.interrupted;
        let moment = Moment { stages: vec![Stage::Tumbling], ..now.clone() };
        if !ended && !now.tumbles.contains(&Tumbles::Proved) {
            happenings.push(Happening { at_ns, events: vec![Event::Stall], certain: off, moment });
        }
    }
    for (part, events) in BREAKS.into_iter().filter(|(part, _)| round.was_broken(*part)) {
        let mut moment = now.clone();
        // Once the dice may be seen the spin is over, and what breaks then breaks no spin.
        let seen = now.stages.iter().any(|stage| matches!(stage, Stage::Revealed | Stage::Keyed));
        if history.activated() && !seen {
            moment.stages.push(Stage::Tumbling);
        }
        if matches!(part, Part::Dice | Part::Reader) {
            moment.dice = vec![Dice::Flat, Dice::NotFlat];
        }
        happenings.push(Happening { at_ns, events: events.to_vec(), certain: false, moment });
    }
    happenings
}
