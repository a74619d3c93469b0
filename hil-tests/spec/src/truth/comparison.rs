//! The judge of endings: what the truth table says of what happened, compared with the record.

use super::allowed::AllowedEndings;
use super::endings::{Admitted, Endings};
use super::history::History;
use super::situation::{Event, Finding};
use super::table::{Ending, Says, Table};
use crate::config::Rules;
use crate::judge::RowUse;
use crate::ledger::{Ledger, What};
use crate::observation::{Line, Observation, Part, Seen};
use crate::record::{Fact, Record};
use crate::rule::{Firmness, Rule};
use crate::scene::{Round, Scene};
use crate::section::{Answer, Section};
use serde_json::json;
use std::collections::BTreeMap;

const ENDING: Rule = Rule::new("truth.ending", "texts: a round ends as they say of what happened");
const CLAUSES: Rule = Rule::new("truth.clauses", "texts: a void cites every clause that applies, and no other");
const GOES_ON: Rule = Rule::new("truth.goes-on", "texts: a round is void, or a person is asked, where they say so");
const ASKED: Rule = Rule::new("truth.asked", "texts: people are asked for what only they can know");
const CHOICE: Rule = Rule::new(
    "truth.choice",
    "SGV6 5.4.1, NZ 4.9: who voids dice of a valid spin that people see says how they lie, and does not choose",
);
const AFTERWARDS: Rule = Rule::new(
    "truth.afterwards",
    "SGV6 5.6, SGOC 5.6, SGOC-early 5.1.1: the clause of the round's own rules; NZ 4.9 has none",
);
const RESUMED: Rule =
    Rule::new("truth.resumed", "mqtt.md, event: a daemon that finds a round in progress says how far it was");
const SILENT: Rule = Rule::new(
    "truth.silent",
    "table.md, Void reasons and their clauses: where no clause is cited it is said who decided, and only there",
);

/// Every row of the table, with each rule set for which it says something.
#[must_use]
pub fn rows() -> Vec<(&'static str, &'static str)> {
    let of = |rules: Rules| Table::built_in().rows(rules).map(move |(row, _)| (row.id.as_str(), rules.id()));
    Rules::ALL.into_iter().flat_map(of).collect()
}

/// Kinds that the truth table explains.
const KINDS: [&str; 3] = ["voided", "asked", "resumed"];

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
    /// What the table allows for each round that ended, in order.
    allowed: Vec<AllowedEndings>,
}

impl Section for TruthTable {
    fn rules(&self) -> Vec<Rule> {
        vec![ENDING, CLAUSES, GOES_ON, ASKED, CHOICE, AFTERWARDS, RESUMED, SILENT]
    }

    fn explain(&mut self, seen: &Observation, _: &Scene, _: &mut Ledger) -> Answer {
        match &seen.what {
            Seen::Record(record) if KINDS.contains(&record.kind.as_str()) => Answer::Later,
            _ => Answer::NotMine,
        }
    }

    fn notice(&mut self, seen: &Observation, scene: &Scene, ledger: &mut Ledger) {
        if let Seen::Record(record) = &seen.what {
            self.history.time_passes(scene);
            self.record(record, scene, ledger);
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

    fn rows_used(&self) -> Vec<RowUse> {
        self.rows.iter().map(|((row, rules), times)| RowUse { row, rules, times: *times }).collect()
    }

    fn allowed_endings(&self) -> Vec<AllowedEndings> {
        self.allowed.clone()
    }
}

impl TruthTable {
    fn record(&mut self, record: &Record, scene: &Scene, ledger: &mut Ledger) {
        if let Fact::VoidedAfterwards { round, clauses, .. } = &record.fact {
            self.afterwards(*round, clauses, ledger);
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
        let Some((round, rules)) = round.and_then(|round| Some((round, round.rules?))) else {
            if KINDS.contains(&record.kind.as_str()) {
                ledger.wrong(ENDING, format!("`{}`, and no round is in progress", record.kind));
            }
            return;
        };
        // The records that a failing disk held back are about moments long past.
        if scene.config.given.free_play && round.was_broken(Part::Journal) {
            Self::explained(ENDING, record, Firmness::May, ledger);
            return;
        }
        match &record.fact {
            Fact::Voided { clauses, silent, .. } if scene.ended => {
                self.rules.extend(round.id.map(|id| (id, rules)));
                let endings = self.endings(rules, round, scene, ledger);
                let certain = endings.endings() <= 1;
                Self::explained(ENDING, record, if certain { Firmness::Must } else { Firmness::May }, ledger);
                let besides = self.besides(rules, clauses, scene);
                self.allowed.push(AllowedEndings::of(rules, &endings, besides.clone()));
                if clauses.is_empty() != silent.as_ref().is_some_and(|who| !who.trim().is_empty()) {
                    let text = format!("{}: void with {clauses:?}, and it is said who decided: {silent:?}", rules.id());
                    ledger.wrong(SILENT, text);
                }
                self.void(rules, clauses, &besides, &endings, ledger);
            }
            Fact::Settled { .. } if scene.ended => {
                self.rules.extend(round.id.map(|id| (id, rules)));
                let endings = self.endings(rules, round, scene, ledger);
                self.allowed.push(AllowedEndings::of(rules, &endings, Vec::new()));
                self.settled(rules, &endings, ledger);
            }
            Fact::Started { .. } => {
                let data = vec![("established", json!(round.established))];
                ledger.must(RESUMED, What::Record { kind: "resumed", data }, record.at_ns, record.at_ns);
            }
            Fact::Resumed { .. } => Self::resumed(record, round, ledger),
            Fact::Asked { why } => {
                Self::explained(ASKED, record, Firmness::Must, ledger);
                let endings = self.endings(rules, round, scene, ledger);
                self.asked = endings.admitted.iter().filter(|a| a.says.ending == Ending::Asked).copied().collect();
                // The reader may find later what it had no time to find before the interruption.
                let interrupted = endings.admitted.iter().any(|a| a.situation.event == Event::Interruption);
                if self.asked.is_empty() && endings.unlisted.is_none() && !interrupted {
                    let text = format!("a person is asked (`{why}`); the texts have {}", listed(&endings.admitted));
                    ledger.wrong(ASKED, text);
                }
                for asked in self.asked.clone() {
                    self.count_row(&asked, rules);
                }
            }
            Fact::Answered { finding, .. } => self.answered(finding, rules, scene, ledger),
            Fact::Decided { kind, .. } if kind == "void" && self.history.chooses(round) => {
                let text = format!("{}: void by a choice, with the dice in sight", rules.id());
                ledger.wrong(CHOICE, text);
            }
            _ => {}
        }
    }

    /// Counts that the record is explained, if it is of a kind that the table explains.
    fn explained(rule: Rule, record: &Record, firmness: Firmness, ledger: &mut Ledger) {
        if KINDS.contains(&record.kind.as_str()) {
            ledger.coverage.count(rule, &record.kind, firmness);
        }
    }

    fn resumed(record: &Record, round: &Round, ledger: &mut Ledger) {
        if record.data == json!({ "established": round.established }) {
            Self::explained(RESUMED, record, Firmness::Must, ledger);
        } else {
            ledger.wrong(RESUMED, format!("{}, established: {}", record.data, round.established));
        }
    }

    fn endings(&self, rules: Rules, round: &Round, scene: &Scene, ledger: &mut Ledger) -> Endings {
        let mut endings = Endings::of(&self.history, rules, round, scene);
        if !self.answered.is_empty() {
            endings.admitted.extend_from_slice(&self.answered);
            endings.due = None;
        }
        if let Some(what) = &endings.unlisted {
            ledger.unlisted(what.clone());
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

    fn void(&mut self, rules: Rules, clauses: &[String], besides: &[String], endings: &Endings, ledger: &mut Ledger) {
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
        ledger.wrong(if void { CLAUSES } else { ENDING }, text);
    }

    fn settled(&mut self, rules: Rules, endings: &Endings, ledger: &mut Ledger) {
        if let Some(due) = &endings.due {
            let text = format!("{}: settled; the texts have {}", rules.id(), listed(&[*due]));
            ledger.wrong(GOES_ON, text);
            return;
        }
        let goes_on = |says: &Says| matches!(says.ending, Ending::Stands | Ending::Continues);
        if !endings.admitted.iter().any(|admitted| goes_on(admitted.says)) && endings.unlisted.is_none() {
            let text = format!("{}: settled; the texts have {}", rules.id(), listed(&endings.admitted));
            ledger.wrong(ENDING, text);
        }
        // Rows by which the round could go on count as well.
        for admitted in endings.admitted.iter().filter(|admitted| goes_on(admitted.says)) {
            *self.rows.entry((admitted.row.id.as_str(), rules.id())).or_default() += 1;
        }
    }

    fn answered(&mut self, finding: &str, rules: Rules, scene: &Scene, ledger: &mut Ledger) {
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
            ledger.wrong(ASKED, text);
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

    fn afterwards(&mut self, round: u64, clauses: &[String], ledger: &mut Ledger) {
        let Some(rules) = self.rules.get(&round).copied() else { return };
        let right = Table::built_in().rows(rules).find(|(row, _)| row.id == "settled-damaged-dice");
        match right {
            Some((row, says)) if says.ending == Ending::Asked && says.cites(rules, clauses) => {
                *self.rows.entry((row.id.as_str(), rules.id())).or_default() += 1;
            }
            right => {
                let right = right.map(|(_, says)| &says.clauses);
                let text = format!("{}: round {round} void afterwards with {clauses:?}, not {right:?}", rules.id());
                ledger.wrong(AFTERWARDS, text);
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
