//! Hardware tests and their verdicts.
//!
//! ```text
//!  `test-began` (`hardware X`, or a reset of what X rectifies) ──> measured, or ended early ──> `hardware-tested`
//! ```

use crate::ledger::Ledger;
use crate::measurements::unlike;
use crate::observation::{Observation, Seen, Truth};
use crate::record::{Fact, Record};
use crate::rule::Rule;
use crate::scene::Scene;
use crate::section::{Answer, COMMIT_NS, Section, must};
use serde_json::Value;

const TESTED: Rule =
    Rule::new("hardware.tested", "hardware-tests.md: a test has one result, under the name of whoever asked");
const VERDICT: Rule =
    Rule::new("hardware.verdict", "hardware-tests.md: the worst value is the verdict; one that ended early has failed");
const MEASURED: Rule = Rule::new(
    "hardware.measured",
    "hardware-tests.md, the table: a test measures these quantities, and judges each by these limits",
);
const SEEN: Rule = Rule::new("hardware.seen", "console.md: what a person has to see is in the report once found right");

const ENDS: Rule = Rule::new(
    "hardware.ends",
    "hardware-tests.md: a test ends, that of the buttons within two minutes, any other once nobody does his part",
);

const SECOND: u64 = 1_000_000_000;

/// A test that runs: the hardware test's name, and who asked.
#[derive(Clone, Debug)]
struct Running {
    test: &'static str,
    by: Value,
    reset: bool,
    began_ns: u64,
    /// A part of it failed: a reset's test, or a person found something wrong.
    failed: bool,
}

/// Follows the hardware tests.
#[derive(Clone, Debug, Default)]
pub(super) struct Hardware {
    running: Option<Running>,
}

/// The hardware test that this test is, or that rectifies this latch (table.md, Malfunctions).
fn measured(test: &str) -> Option<&'static str> {
    Some(match test {
        "tumbler" | "deadman" | "hardware motor" => "motor",
        "dome" | "hardware dome" => "dome",
        "reader" | "hardware reader" => "reader",
        "terminal" | "hardware terminal" => "terminal",
        "lamps" | "hardware lamps" => "lamps",
        "seal" | "hardware seal" => "seal",
        "temperature" | "hardware temperature" => "temperature",
        "hardware cam" => "cam",
        "hardware buttons" => "buttons",
        "hardware bell" => "bell",
        "hardware bus" => "bus",
        _ => return None,
    })
}

/// Tests that name what is out of order, whatever their verdict.
const NAMES: [&str; 2] = ["buttons", "bus"];

/// What a person has to see in this test.
const fn looked_at(test: &str) -> Option<&'static str> {
    match test.as_bytes() {
        b"lamps" => Some("areas"),
        b"seal" => Some("seal"),
        b"bell" => Some("bell"),
        _ => None,
    }
}

impl Section for Hardware {
    fn rules(&self) -> Vec<Rule> {
        vec![TESTED, VERDICT, MEASURED, SEEN, ENDS]
    }

    fn explain(&mut self, seen: &Observation, scene: &Scene, _: &mut Ledger) -> Answer {
        let Seen::Record(record) = &seen.what else { return Answer::NotMine };
        if record.kind != "hardware-tested" {
            return Answer::NotMine;
        }
        let Some(running) = self.running.take() else { return Answer::Unexplained(TESTED, "a test that runs".into()) };
        let field = |name: &str| record.data.get(name).cloned().unwrap_or_default();
        if field("test") != running.test || field("by") != running.by {
            return Answer::Unexplained(TESTED, format!("{running:?}"));
        }
        let said = scene.past.asked.within(record.at_ns, record.at_ns).filter(|(_, asked)| asked.command == "witness");
        let right = said.clone().any(|(_, asked)| asked.with.get("right") == Some(&Value::Bool(true)));
        let person = looked_at(running.test);
        let told = field("seen").as_array().cloned().unwrap_or_default();
        let looked = told.iter().all(|item| Some(item) == person.map(Value::from).as_ref())
            && (told.is_empty() || right || running.reset);
        let passed = field("verdict") != "fail";
        if !looked || passed && person.is_some() && told.is_empty() {
            return Answer::Unexplained(SEEN, format!("{person:?} if a person found it right"));
        }
        let early = record.data.get("found").is_some() && (person.is_none() || told.is_empty());
        let measured = field("measurements").as_array().cloned().unwrap_or_default();
        // Under Open Cover no dome is opened and closed.
        let measures = running.test != "dome" || scene.rules().covered();
        let ended = measures && record.data.get("found").is_none() && !running.failed;
        if let Some(accepted) = unlike(running.test, &measured, ended) {
            return Answer::Unexplained(MEASURED, accepted.into());
        }
        let names = NAMES.contains(&running.test);
        let worst = worst(record, early && !names || running.failed);
        if field("verdict") != worst && !(early && names && !passed) {
            return Answer::Unexplained(VERDICT, format!("{worst}, of {running:?}"));
        }
        must(TESTED)
    }

    fn notice(&mut self, seen: &Observation, scene: &Scene, ledger: &mut Ledger) {
        match &seen.what {
            Seen::Truth(Truth::Process { .. } | Truth::Supply { .. }) => self.running = None,
            Seen::Record(record) if record.kind == "test-began" => {
                let test = record.data.get("test").and_then(Value::as_str).unwrap_or_default();
                if let Some(running) = self.running.take().filter(|_| !scene.may_lag()) {
                    ledger.wrong(TESTED, format!("missing: the result of {running:?}"));
                }
                let by = record.data.get("by").cloned().unwrap_or_default();
                let reset = !test.starts_with("hardware ");
                self.running =
                    measured(test).map(|test| Running { test, by, reset, began_ns: seen.at_ns, failed: false });
            }
            Seen::Record(Record { fact: Fact::Tested { passed: false, .. }, .. }) => {
                if let Some(running) = &mut self.running {
                    running.failed = true;
                }
            }
            // What a stopped process waits for begins anew.
            Seen::Truth(Truth::Hung { hung: false }) => {
                if let Some(running) = &mut self.running {
                    running.began_ns = seen.at_ns;
                }
            }
            _ => {}
        }
        let person_ns = scene.config.given.limits.person_ns;
        let longest_ns = |test| if test == "buttons" { 120 * SECOND } else { 100 * SECOND + people(test) * person_ns };
        let late = |running: &mut Running| running.began_ns + longest_ns(running.test) + COMMIT_NS < scene.now_ns;
        if let Some(running) = self.running.take_if(late).filter(|_| !scene.may_lag()) {
            ledger.wrong(ENDS, format!("missing: the result of {running:?}"));
        }
    }
}

/// How often a test waits for a person at most: for a guard to be put right, a press, an item, or a step of his hands.
const fn people(test: &str) -> u64 {
    match test.as_bytes() {
        b"bus" | b"temperature" => 0,
        b"seal" => 2,
        b"dome" => 4,
        b"terminal" => 7,
        _ => 1,
    }
}

/// The worst verdict of a report's measurements.
fn worst(record: &Record, failed: bool) -> &'static str {
    let measured = record.data.get("measurements").and_then(Value::as_array).into_iter().flatten();
    let verdicts = |of: &str| measured.clone().any(|one| one.get("verdict").is_some_and(|verdict| verdict == of));
    if failed || verdicts("fail") {
        "fail"
    } else if verdicts("marginal") {
        "marginal"
    } else {
        "pass"
    }
}
