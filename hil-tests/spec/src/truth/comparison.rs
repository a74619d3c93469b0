//! The judge of endings: what the truth table says of what happened, compared with the record.

use super::allowed::AllowedEndings;
use super::endings::{Admitted, Endings};
use super::history::History;
use super::situation::{Event, Finding};
use super::table::{Ending, Says, Table};
use crate::config::Rules;
use crate::judge::{Exercised, Findings, Judge, RowUse};
use crate::observation::{Line, Observation, Part, Seen};
use crate::record::{Fact, Record};
use crate::scene::{Round, Scene};
use std::collections::BTreeMap;

const NAME: &str = "truth";
const ENDING: &str = "texts: a round ends as they say of what happened";
const CLAUSES: &str = "texts: a void cites every clause that applies, and no other";
const GOES_ON: &str = "texts: a round is void, or a person is asked, where they say so";
const ASKED: &str = "texts: people are asked for what only they can know";
const CHOICE: &str =
    "SGV6 5.4.1, NZ 4.9: who voids dice of a valid spin that people see says how they lie, and does not choose";
const AFTERWARDS: &str = "SGV6 5.6, SGOC 5.6, SGOC-early 5.1.1: the clause of the round's own rules; NZ 4.9 has none";

/// Every row of the table, with each rule set for which it says something.
#[must_use]
pub fn rows() -> Vec<(&'static str, &'static str)> {
    let of = |rules: Rules| Table::built_in().rows(rules).map(move |(row, _)| (row.id.as_str(), rules.id()));
    Rules::ALL.into_iter().flat_map(of).collect()
}

/// Compares endings with the truth table.
#[derive(Clone, Debug, Default)]
pub(crate) struct TruthTable {
    history: History,
    /// The endings that were possible when a person was asked, and those that the answer allows.
    asked: Vec<Admitted>,
    answered: Vec<Admitted>,
    /// The rules of every round that has ended.
    rules: BTreeMap<u64, Rules>,
    /// The last command about a round that had ended asked to void it.
    late: bool,
    rows: BTreeMap<(&'static str, &'static str), u64>,
    voids: u64,
    settlements: u64,
    questions: u64,
    answers: u64,
    afterwards: u64,
    without_doubt: u64,
    in_doubt: u64,
    /// What the table allows for each round that ended, in order.
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
            ("endings of which physics leaves no doubt", self.without_doubt),
            ("endings of which physics leaves doubt", self.in_doubt),
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
        // A request to void a round that stands is written down, and that is all.
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
        // The records that a failing disk held back are about moments long past.
        if scene.config.given.free_play && round.was_broken(Part::Journal) {
            self.in_doubt += u64::from(scene.ended);
            return;
        }
        match &record.fact {
            Fact::Voided { clauses, .. } if scene.ended => {
                self.rules.extend(round.id.map(|id| (id, rules)));
                self.voids += 1;
                let endings = self.endings(rules, round, scene, findings);
                self.count_doubt(&endings);
                let besides = self.besides(rules, clauses, scene);
                self.allowed.push(AllowedEndings::of(rules, &endings, besides.clone()));
                self.void(rules, clauses, &besides, &endings, scene, findings);
            }
            Fact::Settled { .. } if scene.ended => {
                self.rules.extend(round.id.map(|id| (id, rules)));
                self.settlements += 1;
                let endings = self.endings(rules, round, scene, findings);
                self.count_doubt(&endings);
                self.allowed.push(AllowedEndings::of(rules, &endings, Vec::new()));
                self.settled(rules, &endings, scene, findings);
            }
            Fact::Asked { why } => {
                self.questions += 1;
                let endings = self.endings(rules, round, scene, findings);
                self.count_doubt(&endings);
                self.asked = endings.admitted.iter().filter(|a| a.says.ending == Ending::Asked).copied().collect();
                // The reader may find later what it had no time to find before the interruption.
                let interrupted = endings.admitted.iter().any(|a| a.situation.event == Event::Interruption);
                if self.asked.is_empty() && endings.unlisted.is_none() && !interrupted {
                    let text = format!("a person is asked (`{why}`); the texts have {}", listed(&endings.admitted));
                    findings.note(NAME, scene.now_ns, ASKED, text);
                }
                for asked in self.asked.clone() {
                    self.count_row(&asked, rules);
                }
            }
            Fact::Answered { finding, .. } => self.answered(finding, rules, scene, findings),
            Fact::Decided { kind, .. } if kind == "void" && self.history.chooses(round) => {
                let text = format!("{}: void by a choice, with the dice in sight", rules.id());
                findings.note(NAME, scene.now_ns, CHOICE, text);
            }
            _ => {}
        }
    }

    fn endings(&self, rules: Rules, round: &Round, scene: &Scene, findings: &mut Findings) -> Endings {
        let mut endings = Endings::of(&self.history, rules, round, scene);
        if !self.answered.is_empty() {
            endings.admitted.extend_from_slice(&self.answered);
            endings.due = None;
        }
        if let Some(what) = &endings.unlisted {
            findings.note_unlisted(scene.now_ns, what.clone());
        }
        endings
    }

    /// A round in which nothing happened goes on. Counts the row that says so, if there is no doubt about the stage.
    fn goes_on(&mut self, scene: &Scene) {
        let Some((round, rules)) = scene.round.as_ref().and_then(|round| Some((round, round.rules?))) else { return };
        if self.history.asked || round.interrupted {
            return;
        }
        let rows = Endings::quiet(&self.history, rules, scene);
        if let [one] = rows.as_slice() {
            if one.says.ending == Ending::Continues {
                self.count_row(one, rules);
            }
        }
    }

    /// Counts how often physics left a doubt about the ending.
    fn count_doubt(&mut self, endings: &Endings) {
        let ends = if endings.endings() > 1 { &mut self.in_doubt } else { &mut self.without_doubt };
        *ends += 1;
    }

    fn count_row(&mut self, admitted: &Admitted, rules: Rules) {
        *self.rows.entry((admitted.row.id.as_str(), rules.id())).or_default() += 1;
    }

    /// Clauses that a void may cite in addition, for what happened before it was recorded: dice exposed, equipment that broke,
    /// damage found.
    fn besides(&self, rules: Rules, clauses: &[String], scene: &Scene) -> Vec<String> {
        let broke = self.history.guard_broke()
            || scene.last.as_ref().is_some_and(|round| round.interrupted || round.broken.contains(&true));
        let besides = |clause: &&String| {
            self.history.lifted() && clause.split_once(' ').map(|(_, number)| number) == rules.exposed()
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
        endings: &Endings,
        scene: &Scene,
        findings: &mut Findings,
    ) {
        let first: Vec<String> = clauses.iter().filter(|clause| !besides.contains(clause)).cloned().collect();
        let cites = |says: &Says| says.cites(rules, clauses) || !first.is_empty() && says.cites(rules, &first);
        let fits = |says: &Says| says.ending == Ending::Void && cites(says);
        let fitting: Vec<Admitted> = endings.admitted.iter().filter(|a| fits(a.says)).copied().collect();
        let mut spoken: Vec<&str> = Vec::new();
        for admitted in &fitting {
            if !spoken.contains(&admitted.row.id.as_str()) {
                spoken.push(&admitted.row.id);
                self.count_row(admitted, rules);
            }
        }
        if !fitting.is_empty() || endings.unlisted.is_some() {
            return;
        }
        let void = endings.admitted.iter().any(|admitted| admitted.says.ending == Ending::Void);
        let text = format!("{}: void with {clauses:?}; the texts have {}", rules.id(), listed(&endings.admitted));
        findings.note(NAME, scene.now_ns, if void { CLAUSES } else { ENDING }, text);
    }

    fn settled(&mut self, rules: Rules, endings: &Endings, scene: &Scene, findings: &mut Findings) {
        if let Some(due) = &endings.due {
            let text = format!("{}: settled; the texts have {}", rules.id(), listed(&[*due]));
            findings.note(NAME, scene.now_ns, GOES_ON, text);
            return;
        }
        let goes_on = |says: &Says| matches!(says.ending, Ending::Stands | Ending::Continues);
        if !endings.admitted.iter().any(|admitted| goes_on(admitted.says)) && endings.unlisted.is_none() {
            let text = format!("{}: settled; the texts have {}", rules.id(), listed(&endings.admitted));
            findings.note(NAME, scene.now_ns, ENDING, text);
        }
        // Rows by which the round could go on count as well.
        for admitted in endings.admitted.iter().filter(|admitted| goes_on(admitted.says)) {
            *self.rows.entry((admitted.row.id.as_str(), rules.id())).or_default() += 1;
        }
    }

    fn answered(&mut self, finding: &str, rules: Rules, scene: &Scene, findings: &mut Findings) {
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
        let endings = Endings::answered(&self.asked, rules, finding);
        let goes_on = finding == Finding::Undisturbed;
        if goes_on
            && !self.asked.is_empty()
            && endings.admitted.iter().all(|admitted| admitted.says.ending == Ending::Void)
        {
            let text =
                format!("{}: play goes on by an answer; the texts have {}", rules.id(), listed(&endings.admitted));
            findings.note(NAME, scene.now_ns, ASKED, text);
        }
        if goes_on {
            for admitted in &endings.admitted {
                *self.rows.entry((admitted.row.id.as_str(), rules.id())).or_default() += 1;
            }
            // The answer covers everything that happened before.
            self.history.happenings.clear();
            self.answered.clear();
        } else {
            self.answered = endings.admitted;
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

/// Possible endings, for people to read.
fn listed(admitted: &[Admitted]) -> String {
    let mut listed: Vec<String> = admitted
        .iter()
        .map(|a| format!("{:?} {:?} ({}, {:?})", a.says.ending, a.says.clauses, a.row.id, a.situation.event))
        .collect();
    listed.sort();
    listed.dedup();
    if listed.is_empty() { "nothing that ends it".to_owned() } else { listed.join(", or ") }
}

#[cfg(test)]
mod tests;
