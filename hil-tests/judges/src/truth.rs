//! Holds every ending of a round against the truth table of `truth/table.toml`: what the five rule texts say of what really happened.
//!
//! The situation is derived from wires, truth, people's commands and keys, and from records only where they tell of a person's words; never from the
//! reason that the table itself gives. Where physics leaves doubt, a set of situations is admitted, and the record must fit one of them.

pub(crate) mod allowed;
mod endings;
mod history;
mod situation;
mod table;

use crate::config::Rules;
use crate::judge::{Exercised, Findings, Judge, RowUse};
use crate::observation::{Line, Observation, Part, Seen};
use crate::record::{Fact, Record};
use crate::scene::{Round, Scene};
pub use allowed::{AllowedEnding, AllowedEndings};
use endings::{Admitted, Endings};
use history::History;
use situation::{Event, Finding};
use std::collections::BTreeMap;
pub(crate) use table::may_void;
use table::{Ending, Says, Table};

const NAME: &str = "truth";
pub(crate) const ENDING: &str = "texts: a round ends as they say of what happened";
pub(crate) const CLAUSES: &str = "texts: a void cites every clause that applies, and no other";
pub(crate) const GOES_ON: &str = "texts: a round is void, or a person is asked, where they say so";
pub(crate) const ASKED: &str = "texts: people are asked for what only they can know";
pub(crate) const CHOICE: &str =
    "SGV6 5.4.1, NZ 4.9: who voids dice of a valid spin that people see says how they lie, and does not choose";
pub(crate) const AFTERWARDS: &str =
    "SGV6 5.6, SGOC 5.6, SGOC-early 5.1.1: the clause of the round's own rules; NZ 4.9 has none";

/// Every row of the table with a rule set under which it speaks.
#[must_use]
pub fn rows() -> Vec<(&'static str, &'static str)> {
    let of = |rules: Rules| Table::built_in().rows(rules).map(move |(row, _)| (row.id.as_str(), rules.id()));
    Rules::ALL.into_iter().flat_map(of).collect()
}

/// Rows that no run of the rig can reach, each with the rule set (`*`: all of them) and why. A campaign asks for every other one.
pub const UNREACHABLE: &[(&str, &str, &str)] = &[
    (
        "open-cover-early-proved",
        "*",
        "the table lets no spin begin before the call, and a shaft that turns by itself is cut before three tumbles",
    ),
    ("open-cover-early-and-short-later", "*", "as open-cover-early-proved: the round is void before the spin ends"),
    (
        "open-cover-early-still-tumbling",
        "*",
        "the table lets no spin begin before the call: a shaft that turns by itself then is open-cover-unspun-turns-early",
    ),
    ("open-cover-early-and-short", "*", "as open-cover-early-still-tumbling"),
    (
        "proved-dome-bets-closed",
        "sg-open",
        "no dome covers the dice: what its contacts tell in a spin is a guard that broke (open-cover-proved-guard)",
    ),
    ("proved-dome-bets-closed", "sg-open-early", "as under sg-open"),
    (
        "unspun-seal-or-other-dice",
        "*",
        "dice are identified after a spin, and counted at the opening: no round is in progress then",
    ),
    (
        "nz-revealed-no-spin-call-answered-flat",
        "*",
        "nobody is asked after a call: the supervisor says so or play goes on",
    ),
    ("nz-revealed-no-spin-call-answered-not-flat", "*", "as nz-revealed-no-spin-call-answered-flat"),
    ("nz-revealed-no-spin-call-cannot-tell", "*", "as nz-revealed-no-spin-call-answered-flat"),
    ("keyed-other-dice", "*", "dice are not identified again once a result stands"),
    ("keyed-manager", "*", "the table refuses a decision against an established result"),
    ("unspun-supervisor", "sg-v6", "refused, so that nothing ends by which it could be seen"),
    ("unspun-supervisor", "sg-open", "as under sg-v6"),
    ("valid-spin-supervisor", "sg-v6", "refused, so that nothing ends by which it could be seen"),
    ("open-cover-valid-spin-supervisor", "sg-open", "as under sg-v6"),
    ("revealed-supervisor", "sg-v6", "refused, so that nothing ends by which it could be seen"),
    ("revealed-supervisor", "sg-open", "as under sg-v6"),
    ("revealed-knocked", "*", "where only people look, no wire and no unit tells of a knock"),
    ("revealed-knocked-undisturbed", "*", "as revealed-knocked"),
    ("revealed-knocked-not-flat", "*", "as revealed-knocked"),
    (
        "revealed-not-flat-and-damaged",
        "*",
        "a reader that sees a die that does not lie flat voids the round at once, and a person's command names one ground of the two",
    ),
    (
        "exposed-before-no-more-bets-and-not-flat",
        "*",
        "a dome that opens before the call voids the round at once, before anybody can say how the dice lie",
    ),
    (
        "settled-stands",
        "*",
        "a settled round is no round in progress: nothing is recorded of it but what is found afterwards",
    ),
];

/// Holds endings against the truth table.
#[derive(Clone, Debug, Default)]
pub(crate) struct TruthTable {
    history: History,
    /// Situations in which a person was asked, and what the table admits since the answer.
    asked: Vec<Admitted>,
    answered: Vec<Admitted>,
    /// The rules of every round that ended.
    rules: BTreeMap<u64, Rules>,
    /// What was asked for last of a round that had ended was to void it.
    late: bool,
    rows: BTreeMap<(&'static str, &'static str), u64>,
    voids: u64,
    settlements: u64,
    questions: u64,
    answers: u64,
    afterwards: u64,
    one: u64,
    sets: u64,
    /// What the table admits for each round that ended, in their order.
    allowed: Vec<AllowedEndings>,
}

impl Judge for TruthTable {
    fn name(&self) -> &'static str {
        NAME
    }

    fn observe(&mut self, seen: &Observation, scene: &Scene, findings: &mut Findings) {
        if let Seen::Record(record) = &seen.what {
            self.history.time_passes(scene);
            self.record(record, scene, findings);
            if scene.began {
                self.history.begin(record.at_ns, scene);
                self.asked.clear();
                self.answered.clear();
                return;
            }
        }
        if let Seen::ConsoleCommand { command, .. } = &seen.what {
            self.late = match command.as_str() {
                "void-afterwards" => true,
                "correct" => false,
                _ => self.late,
            };
        }
        self.history.observe(seen, scene);
        if matches!(&seen.what, Seen::Record(_) | Seen::Wire { line: Line::MotorEnable | Line::DomeOpen, .. }) {
            self.goes_on(scene);
        }
    }

    fn exercised(&self) -> Vec<Exercised> {
        vec![
            ("void endings held against the texts", self.voids),
            ("settlements held against the texts", self.settlements),
            ("questions held against the texts", self.questions),
            ("answers held against the texts", self.answers),
            ("rounds void afterwards held against the texts", self.afterwards),
            ("endings of which physics leaves no doubt", self.one),
            ("endings of which physics leaves doubt", self.sets),
        ]
    }

    fn rows_used(&self) -> Vec<RowUse> {
        self.rows.iter().map(|((row, rules), times)| RowUse { row, rules, times: *times }).collect()
    }

    fn allowed_endings(&self) -> Vec<AllowedEndings> {
        self.allowed.clone()
    }
}

impl TruthTable {
    fn record(&mut self, record: &Record, scene: &Scene, findings: &mut Findings) {
        if let Fact::VoidedAfterwards { round, clauses, .. } = &record.fact {
            self.afterwards(*round, clauses, scene, findings);
        }
        // Whoever asks to void what stands has it written down and no more.
        if record.kind == "corrected" && self.late {
            let of = record.data.get("round").and_then(serde_json::Value::as_u64);
            if let Some(rules) = of.and_then(|round| self.rules.get(&round)).copied() {
                let rows = Table::built_in().rows(rules).filter(|(row, _)| row.id == "settled-damaged-dice");
                for (row, _) in rows.filter(|(_, says)| says.ending == Ending::Stands) {
                    *self.rows.entry((row.id.as_str(), rules.id())).or_default() += 1;
                }
            }
        }
        let round = if scene.ended { scene.last.as_ref() } else { scene.round.as_ref() };
        let Some((round, rules)) = round.and_then(|round| Some((round, round.rules?))) else { return };
        // What a failing disk holds back tells of moments long gone.
        if scene.config.given.free_play && round.was_broken(Part::Journal) {
            self.sets += u64::from(scene.ended);
            return;
        }
        match &record.fact {
            Fact::Voided { clauses, .. } if scene.ended => {
                self.rules.extend(round.id.map(|id| (id, rules)));
                self.voids += 1;
                let verdict = self.verdict(rules, round, scene, findings);
                self.held(&verdict);
                let besides = self.besides(rules, clauses, scene);
                self.allowed.push(AllowedEndings::of(rules, &verdict, besides.clone()));
                self.void(rules, clauses, &besides, &verdict, scene, findings);
            }
            Fact::Settled { .. } if scene.ended => {
                self.rules.extend(round.id.map(|id| (id, rules)));
                self.settlements += 1;
                let verdict = self.verdict(rules, round, scene, findings);
                self.held(&verdict);
                self.allowed.push(AllowedEndings::of(rules, &verdict, Vec::new()));
                self.settled(rules, &verdict, scene, findings);
            }
            Fact::Asked { why } => {
                self.questions += 1;
                let verdict = self.verdict(rules, round, scene, findings);
                self.held(&verdict);
                self.asked = verdict.admitted.iter().filter(|a| a.says.ending == Ending::Asked).copied().collect();
                // The reader may find later what it had no time to find before the interruption.
                let interrupted = verdict.admitted.iter().any(|a| a.situation.event == Event::Interruption);
                if self.asked.is_empty() && verdict.unlisted.is_none() && !interrupted {
                    let text = format!("a person is asked (`{why}`); the texts have {}", told(&verdict.admitted));
                    findings.note(NAME, scene.now_ns, ASKED, text);
                }
                for asked in self.asked.clone() {
                    self.speak(&asked, rules);
                }
            }
            Fact::Answered { finding, .. } => self.answers(finding, rules, scene, findings),
            Fact::Decided { what, .. } if what == "void" && self.history.chooses(round) => {
                let text = format!("{}: void by a choice, with the dice in sight", rules.id());
                findings.note(NAME, scene.now_ns, CHOICE, text);
            }
            _ => {}
        }
    }

    fn verdict(&self, rules: Rules, round: &Round, scene: &Scene, findings: &mut Findings) -> Endings {
        let mut verdict = Endings::of(&self.history, rules, round, scene);
        if !self.answered.is_empty() {
            verdict.admitted.extend_from_slice(&self.answered);
            verdict.due = None;
        }
        if let Some(what) = &verdict.unlisted {
            findings.note_unlisted(scene.now_ns, what.clone());
        }
        verdict
    }

    /// A round in which nothing happened goes on: what the table says of that has spoken, where there is no doubt of the stage.
    fn goes_on(&mut self, scene: &Scene) {
        let Some((round, rules)) = scene.round.as_ref().and_then(|round| Some((round, round.rules?))) else { return };
        if self.history.asked || round.interrupted {
            return;
        }
        let rows = Endings::quiet(&self.history, rules, scene);
        if let [one] = rows.as_slice() {
            if one.says.ending == Ending::Continues {
                self.speak(one, rules);
            }
        }
    }

    /// Counts how much doubt there was.
    fn held(&mut self, verdict: &Endings) {
        let ends = if verdict.endings() > 1 { &mut self.sets } else { &mut self.one };
        *ends += 1;
    }

    fn speak(&mut self, admitted: &Admitted, rules: Rules) {
        *self.rows.entry((admitted.row.id.as_str(), rules.id())).or_default() += 1;
    }

    /// What happens besides, before the void is recorded, is cited besides: dice exposed, equipment that breaks, damage that is found.
    fn besides(&self, rules: Rules, clauses: &[String], scene: &Scene) -> Vec<String> {
        let exposed = if rules == Rules::SgV6 { " 5.5.3" } else { " 7.1(c)" };
        let broke = self.history.guard_broke()
            || scene.last.as_ref().is_some_and(|round| round.interrupted || round.broken.contains(&true));
        let besides = |clause: &&String| {
            self.history.lifted() && clause.ends_with(exposed)
                || broke && clause.ends_with(" 5.4.2")
                || self.history.damaged() && (clause.ends_with(" 5.6") || clause.ends_with(" 5.1.1"))
        };
        clauses.iter().filter(besides).cloned().collect()
    }

    fn void(
        &mut self,
        rules: Rules,
        clauses: &[String],
        besides: &[String],
        verdict: &Endings,
        scene: &Scene,
        findings: &mut Findings,
    ) {
        let first: Vec<String> = clauses.iter().filter(|clause| !besides.contains(clause)).cloned().collect();
        let cites = |says: &Says| says.cites(rules, clauses) || !first.is_empty() && says.cites(rules, &first);
        let fits = |says: &Says| says.ending == Ending::Void && cites(says);
        let fitting: Vec<Admitted> = verdict.admitted.iter().filter(|a| fits(a.says)).copied().collect();
        let mut spoken: Vec<&str> = Vec::new();
        for admitted in &fitting {
            if !spoken.contains(&admitted.row.id.as_str()) {
                spoken.push(&admitted.row.id);
                self.speak(admitted, rules);
            }
        }
        if !fitting.is_empty() || verdict.unlisted.is_some() {
            return;
        }
        let void = verdict.admitted.iter().any(|admitted| admitted.says.ending == Ending::Void);
        let text = format!("{}: void with {clauses:?}; the texts have {}", rules.id(), told(&verdict.admitted));
        findings.note(NAME, scene.now_ns, if void { CLAUSES } else { ENDING }, text);
    }

    fn settled(&mut self, rules: Rules, verdict: &Endings, scene: &Scene, findings: &mut Findings) {
        if let Some(due) = &verdict.due {
            let text = format!("{}: settled; the texts have {}", rules.id(), told(&[*due]));
            findings.note(NAME, scene.now_ns, GOES_ON, text);
            return;
        }
        let goes_on = |says: &Says| matches!(says.ending, Ending::Stands | Ending::Continues);
        if !verdict.admitted.iter().any(|admitted| goes_on(admitted.says)) && verdict.unlisted.is_none() {
            let text = format!("{}: settled; the texts have {}", rules.id(), told(&verdict.admitted));
            findings.note(NAME, scene.now_ns, ENDING, text);
        }
        // What surely happened and let the round go on has spoken as well.
        for admitted in verdict.admitted.iter().filter(|admitted| goes_on(admitted.says)) {
            *self.rows.entry((admitted.row.id.as_str(), rules.id())).or_default() += 1;
        }
    }

    fn answers(&mut self, finding: &str, rules: Rules, scene: &Scene, findings: &mut Findings) {
        self.answers += 1;
        let finding = match finding {
            "undisturbed" => Finding::Undisturbed,
            "not-flat" => Finding::NotFlat,
            _ => Finding::CannotTell,
        };
        if !self.history.asked && self.asked.is_empty() {
            self.history.person_says(finding, scene);
            return;
        }
        let verdict = Endings::answered(&self.asked, rules, finding);
        let goes_on = finding == Finding::Undisturbed;
        if goes_on
            && !self.asked.is_empty()
            && verdict.admitted.iter().all(|admitted| admitted.says.ending == Ending::Void)
        {
            let text = format!("{}: play goes on by an answer; the texts have {}", rules.id(), told(&verdict.admitted));
            findings.note(NAME, scene.now_ns, ASKED, text);
        }
        if goes_on {
            for admitted in &verdict.admitted {
                *self.rows.entry((admitted.row.id.as_str(), rules.id())).or_default() += 1;
            }
            // Whatever was before is answered.
            self.history.happenings.clear();
            self.answered.clear();
        } else {
            self.answered = verdict.admitted;
        }
        self.history.asked = false;
        self.asked.clear();
    }

    fn afterwards(&mut self, round: u64, clauses: &[String], scene: &Scene, findings: &mut Findings) {
        let Some(rules) = self.rules.get(&round).copied() else { return };
        self.afterwards += 1;
        let right = Table::built_in().rows(rules).find(|(row, _)| row.id == "settled-damaged-dice");
        match right {
            Some((row, says)) if says.ending == Ending::Asked && says.cites(rules, clauses) => {
                *self.rows.entry((row.id.as_str(), rules.id())).or_default() += 1;
            }
            right => {
                let right = right.map(|(_, says)| &says.clauses);
                let text = format!("{}: round {round} void afterwards with {clauses:?}, not {right:?}", rules.id());
                findings.note(NAME, scene.now_ns, AFTERWARDS, text);
            }
        }
    }
}

/// Admitted endings, for a person.
fn told(admitted: &[Admitted]) -> String {
    let mut told: Vec<String> = admitted
        .iter()
        .map(|a| format!("{:?} {:?} ({}, {:?})", a.says.ending, a.says.clauses, a.row.id, a.situation.event))
        .collect();
    told.sort();
    told.dedup();
    if told.is_empty() { "nothing that ends it".to_owned() } else { told.join(", or ") }
}

#[cfg(test)]
mod tests;
