//! The result that people enter, and "all paid".
//!
//! ```text
//!  revealed ── three numbers and Entry ──┬── as the dice were read ──> `result` ── lit, `all_paid`, Entry alone ──> `settled`
//!                                        ├── not ──> `entry-differs` ── a supervisor: `supervise`, or `amend` ──> `result`
//!                                        └── fewer ──> `entry-error`
//! ```
//! A press is decided at the end of the reading that brings it, by all that was decided before: so it is judged once a record of that
//! moment, or of a later one, is seen.

use super::keys::{ENTRY, Keys, Press};
use crate::areas::{faces, sorted, total};
use crate::journal::announcement;
use crate::ledger::{Ledger, What};
use crate::observation::{Observation, Part, Seen, Truth};
use crate::record::{Fact, Record};
use crate::rule::Rule;
use crate::scene::{Round, Scene};
use crate::section::{Answer, Section, may, must};
use serde_json::{Value, json};
use std::collections::VecDeque;

const RESULT: Rule = Rule::new(
    "entry.result",
    "NZ 6.4, table.md, The result: the last three numbers before Entry, with their total, call and areas",
);
const DIFFERS: Rule = Rule::new(
    "entry.differs",
    "table.md, The result: numbers that differ from those that the reader sees are no result",
);
const ERROR: Rule = Rule::new(
    "entry.error",
    "table.md, The result: an entry that is neither a result nor \"all paid\" is recorded with the reason",
);
const PAID: Rule = Rule::new(
    "entry.paid",
    "NZ 4.4, table.md: Entry alone, `all_paid` after the areas were proved or the result was entered, settles",
);
const NAMED: Rule =
    Rule::new("entry.named", "NZ 7.2, 7.3, console.md: a supervisor names the dice, amends them or settles by them");

const MS: u64 = 1_000_000;
const ALL_PAID_NS: u64 = 3000 * MS;
const RESULT_BACK_NS: u64 = 2000 * MS;
/// After a fault of the terminal its presses may count twice, or not at all.
const MENDED_NS: u64 = 10_000 * MS;

/// Follows the keys.
#[derive(Clone, Debug, Default)]
pub(super) struct Entry {
    keys: Keys,
    /// Presses that are not judged yet.
    presses: VecDeque<Press>,
    /// Numbers that count, with their times.
    digits: Vec<(u64, u8)>,
    revealed_ns: Option<u64>,
    read: Option<[u8; 3]>,
    /// What was entered and differs from what the reader sees.
    differs: Option<[u8; 3]>,
    supervised: bool,
    /// When the areas were proved, and the result was entered.
    proved_ns: Option<u64>,
    result_ns: u64,
    started_ns: u64,
}

/// An entry error of this code.
fn error(code: &str) -> Option<(Rule, What)> {
    Some((ERROR, What::Record { kind: "entry-error", data: vec![("code", json!(code))] }))
}

impl Entry {
    /// Judges all presses up to this moment, by the picture of all that was decided before.
    fn judge(&mut self, until_ns: u64, scene: &Scene, ledger: &mut Ledger) {
        while let Some(press) = self.presses.front().copied().filter(|press| press.at_ns <= until_ns) {
            self.presses.pop_front();
            let Some(round) = &scene.round else { continue };
            if self.revealed_ns.is_none_or(|revealed| press.before_ns.0 < revealed) {
                continue;
            }
            if press.code != ENTRY {
                let counts = round.asked.is_none() && !self.waits(scene);
                if let (true, Ok(digit)) = (counts, u8::try_from(press.code)) {
                    self.digits.push((press.at_ns, digit));
                }
                continue;
            }
            let digits = core::mem::take(&mut self.digits);
            let Some((rule, what)) = self.decide(press, &digits, round, scene) else { continue };
            let doubt = scene.may_lag()
                || [Part::Terminal, Part::Bus].into_iter().any(|part| scene.recently_broken(part, MENDED_NS));
            if doubt {
                ledger.may(rule, what, press.at_ns, press.at_ns);
            } else {
                ledger.must(rule, what, press.at_ns, press.at_ns);
            }
        }
    }

    /// What follows from Entry, after these numbers.
    fn decide(&self, press: Press, digits: &[(u64, u8)], round: &Round, scene: &Scene) -> Option<(Rule, What)> {
        if round.asked.is_some() {
            return error("asked-before-entry");
        }
        if round.result.is_some() {
            let fresh = digits.iter().any(|(at, _)| press.at_ns.saturating_sub(*at) <= RESULT_BACK_NS);
            return if fresh { error("entered-already") } else { self.paid(press, round, scene) };
        }
        if self.waits(scene) {
            return error("amended-under-supervisor");
        }
        let [.., (_, a), (_, b), (_, c)] = digits else { return error("not-three-numbers") };
        let dice = sorted([*a, *b, *c]);
        match self.read.filter(|read| *read != dice) {
            Some(read) => {
                let data = vec![("entered", json!(dice)), ("read", json!(read))];
                Some((DIFFERS, What::Record { kind: "entry-differs", data }))
            }
            None => Some((RESULT, What::Record { kind: "result", data: of_result(dice, round, scene) })),
        }
    }

    /// Whether wrong numbers wait for the game supervisor: until then the terminal takes none (console.md, `supervise`).
    fn waits(&self, scene: &Scene) -> bool {
        self.differs.is_some() && !self.supervised && scene.rules().is_new_zealand()
    }

    fn paid(&self, press: Press, round: &Round, scene: &Scene) -> Option<(Rule, What)> {
        let lamps = scene.in_service("lamps");
        let by_the_dice_ns = self.result_ns.max(self.started_ns);
        let (from_ns, lit) = match self.proved_ns {
            Some(at) if lamps => (at, Some("proved")),
            // A board that is heard again is proved again. Whether its lamps still shone so at the press, no record says.
            Some(_) => (by_the_dice_ns, None),
            None if lamps && !scene.is_latched("journal") => return error("areas-not-lit"),
            None => (by_the_dice_ns, Some("by-the-dice")),
        };
        if press.before_ns.1 < from_ns + ALL_PAID_NS {
            return error("paid-too-early");
        }
        let dice = round.result?;
        let mut data = vec![("dice", json!(dice)), ("total", json!(total(dice))), ("by", Value::Null)];
        data.extend(lit.map(|lit| ("lamps", json!(lit))));
        Some((PAID, What::Record { kind: "settled", data }))
    }

    /// What a supervisor's command explains.
    fn named(&self, record: &Record, scene: &Scene) -> Answer {
        let asked = scene.past.asked.within(record.at_ns, record.at_ns);
        let mut asked = asked.filter(|(_, asked)| matches!(asked.command.as_str(), "amend" | "settle"));
        let Some((_, asked)) = asked.next() else {
            return Answer::Unexplained(
                rule_of(record),
                format!("no press at that moment leads to it{}", self.state()),
            );
        };
        let said: Option<[u8; 3]> =
            asked.with.get("dice").and_then(|dice| serde_json::from_value(dice.clone()).ok()).map(sorted);
        let stands = scene.round.as_ref().and_then(|round| round.result);
        let Some(dice) = said.or(stands).filter(|dice| faces(*dice)) else {
            return Answer::Unexplained(NAMED, "dice that are named or entered".into());
        };
        let by = asked.with.get("name").cloned().unwrap_or_default();
        let want: Vec<(&str, Value)> = match record.kind.as_str() {
            "result" => scene.round.as_ref().map(|round| of_result(dice, round, scene)).unwrap_or_default(),
            "amended" => vec![("from", json!(stands.or(self.differs))), ("to", json!(dice)), ("by", by)],
            "settled" => vec![("dice", json!(dice)), ("total", json!(total(dice))), ("by", by)],
            _ => return Answer::Unexplained(rule_of(record), "a press of Entry".into()),
        };
        let wrong = want.iter().find(|(field, value)| record.data.get(field).unwrap_or(&Value::Null) != value);
        match wrong {
            None => must(NAMED),
            Some(wrong) => Answer::Unexplained(NAMED, format!("{wrong:?}")),
        }
    }
}

fn rule_of(record: &Record) -> Rule {
    match record.kind.as_str() {
        "entry-error" => ERROR,
        "entry-differs" => DIFFERS,
        "settled" => PAID,
        "amended" => NAMED,
        _ => RESULT,
    }
}

/// What the record of a result says.
fn of_result(dice: [u8; 3], round: &Round, scene: &Scene) -> Vec<(&'static str, Value)> {
    let mut data = vec![("dice", json!(dice)), ("total", json!(total(dice))), ("call", json!(announcement::of(dice)))];
    let order = scene.config.given.lamps.iter().find(|order| order.layout == round.layout);
    if let (Some(order), Some(board)) = (order, scene.config.board(&round.layout)) {
        let wins =
            |id: &&String| id.parse().is_ok_and(|area| board.layout.winning(dice).iter().any(|(won, _)| *won == area));
        data.push(("areas", json!(order.areas.iter().filter(wins).collect::<Vec<_>>())));
    }
    data
}

const KINDS: [&str; 5] = ["entry-error", "entry-differs", "result", "amended", "settled"];

impl Section for Entry {
    fn rules(&self) -> Vec<Rule> {
        vec![RESULT, DIFFERS, ERROR, PAID, NAMED]
    }

    fn explain(&mut self, seen: &Observation, scene: &Scene, ledger: &mut Ledger) -> Answer {
        let Seen::Record(record) = &seen.what else { return Answer::NotMine };
        if !KINDS.contains(&record.kind.as_str()) {
            return Answer::NotMine;
        }
        self.judge(record.at_ns, scene, ledger);
        match ledger.take(seen) {
            Some(met) => Answer::Explained(met.rule, met.firmness),
            None if scene.recently_broken(Part::Terminal, MENDED_NS) => may(rule_of(record)),
            None => self.named(record, scene),
        }
    }

    fn notice(&mut self, seen: &Observation, scene: &Scene, ledger: &mut Ledger) {
        match &seen.what {
            Seen::Bus(bus) => self.presses.extend(self.keys.read(bus, seen.at_ns)),
            Seen::Truth(Truth::Process { .. }) => {
                // What was on record before is carried on. Keys count from the second reading on.
                let revealed_ns = scene.round.as_ref().filter(|round| round.revealed).map(|_| seen.at_ns);
                let (read, differs, supervised) = (self.read, self.differs, self.supervised);
                *self = Self { started_ns: seen.at_ns, revealed_ns, read, differs, supervised, ..Self::default() };
            }
            Seen::Record(record) => {
                self.judge(record.at_ns.saturating_sub(1), scene, ledger);
                self.record(record);
            }
            _ => {}
        }
    }

    fn state(&self) -> String {
        format!("; {self:?}")
    }
}

impl Entry {
    fn record(&mut self, record: &Record) {
        let read = |field: &str| record.data.get(field).and_then(|dice| serde_json::from_value(dice.clone()).ok());
        match &record.fact {
            Fact::RoundBegan { .. } | Fact::Settled { .. } | Fact::Voided { .. } => {
                self.digits.clear();
                (self.revealed_ns, self.read, self.differs, self.supervised, self.proved_ns) =
                    (None, None, None, false, None);
            }
            Fact::Revealed { .. } => self.revealed_ns = Some(record.at_ns),
            Fact::FacesRead => self.read = read("dice"),
            Fact::EntryDiffers => {
                self.differs = read("entered");
                self.supervised = false;
            }
            Fact::Result { .. } | Fact::Amended { .. } => {
                self.proved_ns = None;
                self.result_ns = record.at_ns;
            }
            Fact::LampsVerified => self.proved_ns = Some(record.at_ns),
            Fact::Latched { code } if code == "lamps" => self.proved_ns = None,
            _ if record.kind == "supervised" => self.supervised = true,
            _ => {}
        }
    }
}
