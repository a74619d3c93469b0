//! One cell: an open table, played to the place, broken, and played on as people do until the fault has shown; then the
//! reaction, the round's ending, the latch, its only exit, and a healthy round after it.

use crate::fault::expectation::ShowsWhen;
use crate::fault::{Catalogue, Expect, ExpectedRound, Fault, Place};
use crate::scenario::{Trial, names, order, parse};
use tumbler_core::rules;
use tumbler_core::snapshot::Phase;

/// Longest wait for a malfunction that shows by itself, in milliseconds of table time: the motor's heat takes ten seconds.
const LATCH_MILLIS: u64 = 15_000;

/// A cell of the matrix.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cell {
    /// The fault's id.
    pub fault: String,
    /// Where it breaks.
    pub place: Place,
    /// The trial, named `fault@place::layout`.
    pub trial: Trial,
}

/// A cell that cannot be generated, because the catalogue was not checked.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{cell}: {problem}")]
pub struct BadCell {
    /// Its name.
    pub cell: String,
    /// What is wrong.
    pub problem: String,
}

/// All cells of the catalogue, each rule set by its first layout.
///
/// # Errors
/// [`BadCell`] if the catalogue has words that are not a step.
pub fn cells(catalogue: &Catalogue) -> Result<Vec<Cell>, BadCell> {
    let mut cells = Vec::new();
    for fault in &catalogue.fault {
        for (name, place) in Place::ALL {
            for set in rules::all().iter().filter(|set| place.exists(&set.id)) {
                let layout = set.layouts.first().map(|layout| layout.id.clone()).unwrap_or_default();
                let id = format!("{}@{name}::{layout}", fault.id);
                let bad = |problem: String| BadCell { cell: id.clone(), problem };
                let expect = catalogue
                    .expected(fault, place, &set.id)
                    .ok_or_else(|| bad("the catalogue says nothing of it".into()))?;
                let plan = CellPlan { catalogue, fault, expect, place, rules: &set.id };
                let trial = plan.trial(&id, layout).map_err(bad)?;
                cells.push(Cell { fault: fault.id.clone(), place, trial });
            }
        }
    }
    Ok(cells)
}

struct CellPlan<'a> {
    catalogue: &'a Catalogue,
    fault: &'a Fault,
    expect: &'a Expect,
    place: Place,
    rules: &'a str,
}

impl CellPlan<'_> {
    fn shows(&self) -> ShowsWhen {
        self.expect.shows.unwrap_or(self.fault.shows)
    }

    fn is_free(&self) -> bool {
        self.fault.free || self.expect.free
    }

    fn latch(&self) -> &[String] {
        self.expect.latch.as_deref().unwrap_or(&self.fault.latch)
    }

    /// How the people go on, if the catalogue says so.
    fn steps_to_continue(&self) -> Option<&[String]> {
        self.expect.on.as_deref().or(Some(&self.fault.on)).filter(|on| !on.is_empty())
    }

    /// Whether the fault is healed during the round, which could not go on with it.
    fn heals_in_round(&self) -> bool {
        let heals = |step: &str| step.trim().starts_with("heal ");
        self.steps_to_continue().is_some_and(|on| on.iter().any(|line| line.split(';').any(heals)))
    }

    /// A malfunction other than the fault's that blocks the table beforehand, with the steps that cause and clear it.
    fn blocked_by(&self) -> (&'static str, &'static str) {
        if self.fault.breaks_seal {
            ("buttons", "hold no_spin; wait latched buttons; release no_spin")
        } else {
            ("seal", "break seal; wait latched seal; mend seal")
        }
    }

    fn trial(&self, name: &str, layout: String) -> Result<Trial, String> {
        let mut lines = self.before();
        lines.push("mark".into());
        lines.extend(self.fault.inject());
        if self.is_free() {
            if self.place == Place::Blocked {
                lines.push(exit(self.blocked_by().0));
                lines.push("pass 300 ms".into());
            }
            lines.extend(self.expect.then.as_ref().unwrap_or(&self.fault.then).iter().cloned());
            lines.push("go on".into());
            lines.extend(self.fault.heal());
            lines.push("pass 1500 ms; recover table".into());
        } else {
            lines.extend(self.reaction());
            lines.extend(self.healing());
        }
        // Everything that ended so far was checked; a healthy round follows.
        lines.push("mark; go on".into());
        let mut steps = Vec::new();
        for line in &lines {
            steps.extend(parse::line_of_steps(line, &layout).map_err(|bad| bad.to_string())?);
        }
        let before = (self.place == Place::Void).then(|| ExpectedRound::Void("fewer-than-three".into()));
        let during = self.expect.rounds.iter().filter_map(|text| ExpectedRound::parse(text));
        let rounds = before.into_iter().chain(during).chain([ExpectedRound::Settled]);
        let clauses = &self.catalogue.clauses;
        let mut latches: Vec<&str> = Vec::new();
        if self.place == Place::Blocked {
            latches.push(self.blocked_by().0);
        }
        latches.extend(self.latch().iter().map(String::as_str));
        let latches = latches.into_iter().map(names::code).collect::<Result<_, _>>().map_err(|bad| bad.to_string())?;
        Ok(Trial {
            name: name.into(),
            about: format!("{} [{}]", self.fault.about, self.fault.clause),
            rules: self.rules.into(),
            layout,
            reader: self.fault.reader,
            steps,
            endings: rounds.map(|round| round.ending(self.rules, self.fault.dice, clauses)).collect(),
            latched: Vec::new(),
            latches,
            in_order: false,
            must_show: self.shows() != ShowsWhen::Never,
            phase: Some(Phase::Ready),
            never: Vec::new(),
            seed: None,
            free: self.is_free(),
        })
    }

    /// An open table, played to the place.
    fn before(&self) -> Vec<String> {
        let [a, b, c] = self.fault.dice;
        let covered = order::covered(self.rules);
        let dice = format!("dice {a} {b} {c}");
        if self.place == Place::Closed {
            let mut lines = vec![dice, "pass 2000 ms".into()];
            lines.extend(self.fault.setup.iter().cloned());
            return lines;
        }
        // The first step, so that a bench in real time can start from a template of an opened table.
        let mut lines = vec!["open table".into(), dice];
        lines.extend(self.fault.setup.iter().cloned());
        lines.push(
            match self.place {
                Place::Closed => "",
                Place::Ready if covered => "lift dome; pass 600 ms",
                Place::Ready => "pass 600 ms",
                Place::Covered => "play to covered",
                Place::Betting => "play to betting; pass 700 ms; wait phase betting within 100 ms",
                Place::Tumbling => "play to spinning; wait phase tumbling within 100 ms",
                // Without a dome the outcome is established a moment later.
                Place::Spun if covered => "play to spun; pass 700 ms",
                Place::Spun => "play to spun",
                Place::BetsClosed => "play to bets-closed; pass 300 ms; wait phase bets-closed within 100 ms",
                Place::Revealed => "play to revealed; pass 300 ms; wait phase revealed within 100 ms",
                Place::Settling => "play to entered; pass 300 ms; wait phase settling within 100 ms",
                Place::Void => {
                    "play to spinning; pass 300 ms; press no_spin; wait phase void within 5000 ms; pass 600 ms"
                }
                Place::Blocked => self.blocked_by().1,
                Place::Maintenance => "turn key; do maintenance on; wait phase maintenance within 100 ms; pass 300 ms",
            }
            .into(),
        );
        if self.place == Place::Blocked {
            lines.push("pass 500 ms; wait phase blocked within 100 ms".into());
        }
        lines
    }

    /// The fault shows, by itself or when people go on, and the table reacts in time.
    fn reaction(&self) -> Vec<String> {
        let mut lines = Vec::new();
        let latch = self.latch();
        if self.shows() == ShowsWhen::AtOnce {
            lines.extend(latch.iter().map(|code| format!("wait latched {code} within {LATCH_MILLIS} ms")));
            if latch.is_empty() {
                lines.push("pass 1000 ms".into());
            }
        }
        lines.extend(self.expect.then.as_ref().unwrap_or(&self.fault.then).iter().cloned());
        if self.place == Place::Blocked && self.fault.key && !self.fault.forgets {
            lines.push(exit(self.blocked_by().0));
            lines.push("pass 300 ms".into());
        }
        match self.steps_to_continue() {
            Some(on) => lines.extend(on.iter().cloned()),
            None => lines.extend((0..self.expect.rounds.len().max(1)).map(|_| "go on".to_owned())),
        }
        lines.extend(latch.iter().map(|code| format!("wait latched {code} within {LATCH_MILLIS} ms")));
        let deadlines = self.expect.deadlines.as_ref().unwrap_or(&self.fault.deadlines);
        lines.extend(deadlines.iter().map(|deadline| deadline.step(&self.fault.clause)));
        if latch.is_empty() {
            if self.place != Place::Blocked || self.fault.key {
                lines.push(format!("expect nothing latched because {}", self.fault.clause));
            }
        } else {
            lines.push("wait sign on within 5000 ms".into());
            if self.place != Place::Maintenance {
                lines.push("wait phase blocked within 3000 ms".into());
            }
        }
        lines
    }

    /// The latch holds while the fault lasts and after it has healed; then the test of that device opens it, under the key.
    fn healing(&self) -> Vec<String> {
        let mut lines = Vec::new();
        let latch = self.latch();
        let healed = self.heals_in_round();
        if let ([first, ..], false) = (latch, healed) {
            // Without the dome the tumbler's test would fail for that reason and not for the fault.
            if ["tumbler", "deadman"].contains(&first.as_str()) {
                lines.push("lower dome; pass 600 ms".into());
            }
            if !self.fault.heal().is_empty() {
                lines.push(format!("prove latched {first}"));
            }
            if self.fault.lasts {
                lines.push(format!("turn key; ask reset {first} rectified; answer refused"));
            }
        }
        if !healed {
            lines.extend(self.fault.heal());
        }
        lines.push("pass 1500 ms".into());
        if let [first, ..] = latch {
            lines.push(format!("prove latched {first}"));
        }
        if self.place == Place::Blocked && !self.fault.key && !self.fault.forgets {
            lines.push(exit(self.blocked_by().0));
        }
        lines.extend(latch.iter().map(|code| exit(code)));
        if !latch.is_empty() {
            lines.push("wait nothing latched within 5000 ms".into());
        }
        lines
    }
}

/// The allowed exit: the test of this device, under the supervisor's key.
fn exit(code: &str) -> String {
    match code {
        "dome" => "turn key; ask reset dome rectified; pass 500 ms; lift dome; pass 1000 ms; lower dome; pass 1000 ms; answer done".into(),
        "tumbler" | "deadman" | "gpio" => format!("lower dome; pass 600 ms; turn key; do reset {code} rectified"),
        _ => format!("turn key; do reset {code} rectified"),
    }
}
