//! The specification: all that leaves the table has to be explained by what a stranger with probes sees and what the twin knows.
//!
//! ```text
//!  observation ──┬── of the world ──> sections take notice, and write into the ledger what the table owes for it
//!                │
//!                └── of the table ──> the ledger, or the section that answers for its kind, explains it
//!                                       ├── explained: counted
//!                                       └── not: UNEXPLAINED, with what would have been accepted
//! ```
//! The state of the round, the latches and the permission follow the records that were explained, so that a kill needs no guess: the
//! journal that is found afterwards says which of the records under way it holds.

use crate::judge::{Exercised, Findings, Judge, RowUse};
use crate::ledger::Ledger;
use crate::observation::{Observation, Seen, Truth};
use crate::rule::Coverage;
use crate::scene::Scene;
use crate::section::{Answer, COMMIT_NS, Section};
use crate::sections;
use crate::truth::AllowedEndings;

const NAME: &str = "specification";

/// The specification of one table, over one run.
#[derive(Clone)]
pub(crate) struct Specification {
    sections: Vec<Box<dyn Section>>,
    ledger: Ledger,
}

impl Specification {
    /// With all its sections, or with those only that a bench serves where observations do not come at their own moments.
    pub(crate) fn new(exact: bool, late_ns: u64) -> Self {
        let sections = if exact { sections::all() } else { sections::late() };
        let mut ledger = Ledger::of(late_ns);
        sections.iter().flat_map(|section| section.rules()).for_each(|rule| ledger.coverage.know(rule));
        Self { sections, ledger }
    }

    fn explain(&mut self, seen: &Observation, kind: &str, scene: &Scene, findings: &mut Findings) {
        if let Some(met) = self.ledger.take(seen) {
            self.ledger.coverage.count(met.rule, kind, met.firmness);
            return;
        }
        for section in &mut self.sections {
            match section.explain(seen, scene, &mut self.ledger) {
                Answer::NotMine => {}
                Answer::Later => return,
                Answer::Explained(rule, firmness) => return self.ledger.coverage.count(rule, kind, firmness),
                Answer::Unexplained(rule, accepted) => {
                    let state = section.state();
                    let text = format!("unexplained: {}; accepted: {accepted}{state}", told(seen));
                    return findings.note(rule.name, seen.at_ns, rule.says, text);
                }
            }
        }
    }

    /// Passes on what the sections found wrong.
    fn say(&mut self, at_ns: u64, findings: &mut Findings) {
        for (rule, text) in self.ledger.take_wrong() {
            findings.note(rule.name, at_ns, rule.says, text);
        }
        for situation in self.ledger.take_unlisted() {
            findings.note_unlisted(at_ns, situation);
        }
    }

    fn overdue(&mut self, seen: &Observation, scene: &Scene, findings: &mut Findings) {
        let lags = scene.may_lag();
        for missing in self.ledger.overdue(seen, (!lags).then_some(COMMIT_NS)) {
            if lags {
                continue;
            }
            let (from, by) = (missing.from_ns / 1_000_000, missing.by_ns / 1_000_000);
            let text = format!("missing: {:?}, from {from} ms to {by} ms", missing.what);
            findings.note(missing.rule.name, seen.at_ns, missing.rule.says, text);
        }
    }
}

/// What left the table, if this did, by its kind.
fn kind(seen: &Seen) -> Option<&str> {
    match seen {
        Seen::Record(record) => Some(record.kind.as_str()),
        Seen::Wire { line, initial: false, .. } if line.is_output() => Some(line.name()),
        Seen::Bus(bus) if bus.is_poll() => Some("poll"),
        Seen::Bus(_) => Some("bus"),
        Seen::Mqtt { .. } => Some("message"),
        Seen::Answer { .. } => Some("answer"),
        Seen::Status(_) => Some("status"),
        _ => None,
    }
}

fn told(seen: &Observation) -> String {
    match &seen.what {
        Seen::Record(record) => {
            format!("record {} `{}` of {} us: {}", record.seq, record.kind, record.at_ns / 1000, record.data)
        }
        other => format!("{other:?}"),
    }
}

impl Judge for Specification {
    fn name(&self) -> &'static str {
        NAME
    }

    fn before(&mut self, seen: &Observation, scene: &Scene, findings: &mut Findings) {
        self.overdue(seen, scene, findings);
        if let Some(kind) = kind(&seen.what) {
            self.explain(seen, kind, scene, findings);
        }
    }

    fn observe(&mut self, seen: &Observation, scene: &Scene, findings: &mut Findings) {
        if matches!(seen.what, Seen::Truth(Truth::Process { .. } | Truth::Hung { .. } | Truth::Supply { .. })) {
            self.ledger.clear();
        }
        for section in &mut self.sections {
            section.notice(seen, scene, &mut self.ledger);
        }
        self.say(seen.at_ns, findings);
    }

    fn finish(&mut self, at_ns: u64, scene: &Scene, findings: &mut Findings) {
        let end = Observation::new(at_ns, Seen::Truth(Truth::DiceMoved));
        self.overdue(&end, scene, findings);
        for section in &mut self.sections {
            section.finish(at_ns, scene, &mut self.ledger);
        }
        self.say(at_ns, findings);
    }

    fn coverage(&self) -> Option<&Coverage> {
        Some(&self.ledger.coverage)
    }

    fn rows_used(&self) -> Vec<RowUse> {
        self.sections.iter().flat_map(|section| section.rows_used()).collect()
    }

    fn allowed_endings(&self) -> Vec<AllowedEndings> {
        self.sections.iter().flat_map(|section| section.allowed_endings()).collect()
    }

    fn exercised(&self) -> Vec<Exercised> {
        self.ledger.coverage.rules().map(|(rule, uses)| (rule.name, uses.must)).collect()
    }
}
