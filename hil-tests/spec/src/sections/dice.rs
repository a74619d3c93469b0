//! How the dice are seen to lie, and what they show.
//!
//! ```text
//!  valid spin + "No more bets" + dome away (open cover: spin over) ──> `revealed`
//!      ├── the reader finds them flat ────────────┐
//!      ├── an entry, where no reader is in service ├──> `established` ── reader in service ──> face block ──> `faces-read`
//!      └── a person's word, where people are asked ┘
//! ```

use crate::areas::{faces, sorted};
use crate::ledger::{Ledger, What};
use crate::observation::{BusKind, Line, Observation, Part, Seen, Transaction, Truth};
use crate::past::remember;
use crate::record::{Fact, Record};
use crate::registers::{FACES_FIRST, POSES, READER, TERMINAL};
use crate::rule::Rule;
use crate::scene::Scene;
use crate::section::{Answer, Section, may, must};
use serde_json::json;
use std::collections::VecDeque;

const LIFTED: Rule = Rule::new(
    "dice.lifted",
    "NZ 6.3, table.md: revealed when both contacts have said \"away\" for `dome_debounce`, after spin and call",
);
const SPUN: Rule = Rule::new(
    "dice.spun",
    "SGOC 3.7: under Open Cover the dice may be seen once the spin after \"No more bets\" has ended",
);
const CONFIRMED: Rule =
    Rule::new("dice.confirmed", "faults.md dome.never_opened: the supervisor confirms that the dome is open");
const READ_FLAT: Rule =
    Rule::new("dice.flat", "table.md, Phases: established once revealed dice lie flat, as the reader says");
const DEALER: Rule =
    Rule::new("dice.dealer", "NZ 6.3: without a reader the dealer's entry says that the dice lie flat");
const PERSON: Rule = Rule::new("dice.person", "table.md, Phases: a person who is asked says how the dice lie");
const FACES: Rule = Rule::new(
    "dice.faces",
    "design.md, Secrecy of faces: the faces that were first seen count, as the reader read them",
);

/// The last pose of the map.
const MOST_POSE: u16 = 4;
/// As many readings and decisions are remembered.
const MOST: usize = 1024;

/// What was seen of the dice.
#[derive(Clone, Debug, Default)]
pub(super) struct Dice {
    /// Pose readings: when they ended, and whether they say "three, all flat".
    poses: VecDeque<(u64, bool)>,
    /// Face readings: when they ended, and the faces.
    faces: VecDeque<(u64, [u8; 3])>,
    /// Readings of the terminal: when they ended.
    keys: VecDeque<u64>,
    /// When the last record was decided.
    decided_ns: u64,
    revealed_ns: u64,
    /// Since when a lifted dome reveals the dice.
    ready_ns: Option<u64>,
}

impl Dice {
    fn bus(&mut self, bus: &Transaction, now_ns: u64) {
        match (bus.unit, bus.kind, bus.address, bus.ok) {
            (READER, BusKind::ReadInput, POSES, true) => {
                let pose = |at: u16| bus.word(POSES + at).unwrap_or(u16::MAX);
                // Nothing is decided on a pose that the map does not have.
                if (2..=4).all(|at| pose(at) <= MOST_POSE) {
                    let flat = pose(1) == 3 && (2..=4).all(|at| pose(at) == 1);
                    remember(&mut self.poses, MOST, (now_ns, flat));
                }
            }
            (READER, BusKind::ReadInput, FACES_FIRST, true) => {
                let face = |at: u16| bus.word(FACES_FIRST + at).and_then(|face| u8::try_from(face).ok()).unwrap_or(0);
                remember(&mut self.faces, MOST, (now_ns, sorted([face(1), face(2), face(3)])));
            }
            (TERMINAL, BusKind::ReadInput, _, true) => remember(&mut self.keys, MOST, now_ns),
            _ => {}
        }
    }

    fn revealed(&self, how: &str, record: &Record, scene: &Scene) -> Answer {
        let at_ns = record.at_ns;
        let Some(round) = scene.round.as_ref().filter(|round| round.valid_spin && round.called && !round.revealed)
        else {
            return Answer::Unexplained(LIFTED, "a reveal after a valid spin and \"No more bets\"".into());
        };
        let away = away(at_ns, scene);
        match how {
            "dome" if !round.covered() => Answer::Unexplained(LIFTED, "no dome under Open Cover".into()),
            "dome" if away == Some(at_ns) => must(LIFTED),
            // What the contacts said while nobody watched counts once the wires are watched again.
            "dome"
                if away.is_some_and(|away| away < at_ns)
                    && (self.decided_ns == at_ns || scene.mended(Part::Gpio) == Some(at_ns)) =>
            {
                may(LIFTED)
            }
            "spin-ended" if !round.covered() && self.decided_ns == at_ns => must(SPUN),
            "confirmed" if commanded(&["confirm-dome"], at_ns, scene) => must(CONFIRMED),
            _ => Answer::Unexplained(
                LIFTED,
                format!("away for `dome_debounce` at {away:?}; last decision at {}", self.decided_ns),
            ),
        }
    }

    fn established(&self, flat: &str, record: &Record, scene: &Scene) -> Answer {
        let at_ns = record.at_ns;
        if !scene.round.as_ref().is_some_and(|round| round.revealed && !round.established) {
            return Answer::Unexplained(READ_FLAT, "an outcome once, after the reveal".into());
        }
        let fitted = scene.config.given.reader && scene.in_service("reader");
        let pose = self.poses.iter().rev().find(|(at, _)| *at <= at_ns);
        let truth = scene.past.dice.at(at_ns).is_some_and(|(_, dice)| dice.is_some_and(|(_, flat)| flat == [true; 3]));
        match flat {
            "reader" if fitted && pose.is_some_and(|(_, flat)| *flat) => {
                let moment =
                    self.revealed_ns == at_ns || pose.is_some_and(|(at, _)| *at == at_ns) || self.decided_ns == at_ns;
                let true_or_broken = truth || scene.broken(Part::Reader) || scene.broken(Part::Dice);
                if moment && true_or_broken {
                    must(READ_FLAT)
                } else {
                    Answer::Unexplained(
                        READ_FLAT,
                        format!("at the reveal or at a reading, of dice that lie flat ({truth})"),
                    )
                }
            }
            "dealer" if !fitted && self.keys.iter().any(|at| *at == at_ns) => must(DEALER),
            "supervisor" if commanded(&["finding", "amend", "settle", "confirm-dome"], at_ns, scene) => must(PERSON),
            _ => Answer::Unexplained(
                READ_FLAT,
                format!("by whom it can be told; the reader says flat: {pose:?}, in service: {fitted}"),
            ),
        }
    }

    /// A dome that was lifted before this was decided has revealed the dice.
    fn lifted(&mut self, record: &Record, scene: &Scene, ledger: &mut Ledger) {
        let due = self.ready_ns.zip(away(record.at_ns, scene)).map(|(ready_ns, away_ns)| away_ns.max(ready_ns));
        let reveals = matches!(record.fact, Fact::Revealed { .. });
        if let Some(due) = due.filter(|due| *due < record.at_ns && !reveals && !scene.may_lag()) {
            ledger.wrong(LIFTED, format!("missing: the reveal at {} ms", due / 1_000_000));
        }
        let ready = scene.round.as_ref().is_some_and(|round| {
            round.covered() && round.valid_spin && round.called && !round.revealed && round.asked.is_none()
        });
        self.ready_ns = ready.then(|| self.ready_ns.unwrap_or(record.at_ns));
    }

    fn read(&self, record: &Record) -> Answer {
        let read = self.faces.iter().rev().find(|(at, _)| *at == record.at_ns).map(|(_, faces)| *faces);
        match read {
            Some(dice) if faces(dice) && record.data.get("dice") == Some(&json!(dice)) => must(FACES),
            read => Answer::Unexplained(FACES, format!("what the reader read at that moment: {read:?}")),
        }
    }
}

/// When both contacts had said "away" for long enough, as they say just before this moment.
fn away(at_ns: u64, scene: &Scene) -> Option<u64> {
    let contact =
        |line, active| scene.past.line(line).before(at_ns).filter(|(_, is)| **is == active).map(|(since, _)| since);
    let (closed, open) = (contact(Line::DomeClosed, false)?, contact(Line::DomeOpen, true)?);
    Some(closed.max(open) + scene.config.given.limits.dome_debounce_ns)
}

/// Whether one of these commands was given at this moment.
fn commanded(commands: &[&str], at_ns: u64, scene: &Scene) -> bool {
    scene.past.asked.within(at_ns, at_ns).any(|(_, asked)| commands.contains(&asked.command.as_str()))
}

impl Section for Dice {
    fn rules(&self) -> Vec<Rule> {
        vec![LIFTED, SPUN, CONFIRMED, READ_FLAT, DEALER, PERSON, FACES]
    }

    fn explain(&mut self, seen: &Observation, scene: &Scene, _: &mut Ledger) -> Answer {
        let Seen::Record(record) = &seen.what else { return Answer::NotMine };
        match &record.fact {
            Fact::Revealed { how } => self.revealed(how, record, scene),
            Fact::Established { flat } => self.established(flat, record, scene),
            Fact::FacesRead => self.read(record),
            _ => Answer::NotMine,
        }
    }

    fn notice(&mut self, seen: &Observation, scene: &Scene, ledger: &mut Ledger) {
        match &seen.what {
            Seen::Bus(bus) => {
                self.bus(bus, seen.at_ns);
                let read = self.faces.back().filter(|(at, dice)| *at == seen.at_ns && faces(*dice));
                let asked = bus.unit == READER && bus.address == FACES_FIRST && bus.ok;
                if let Some((at_ns, dice)) = read.filter(|_| asked && scene.in_service("reader") && !scene.may_lag()) {
                    ledger.must(
                        FACES,
                        What::Record { kind: "faces-read", data: vec![("dice", json!(dice))] },
                        *at_ns,
                        *at_ns,
                    );
                }
            }
            Seen::Truth(Truth::Process { .. } | Truth::Hung { .. }) => self.ready_ns = None,
            Seen::Record(record) => {
                self.decided_ns = record.at_ns;
                self.lifted(record, scene, ledger);
                if let Fact::Revealed { .. } = record.fact {
                    self.revealed_ns = record.at_ns;
                }
            }
            _ => {}
        }
    }
}
