//! Measurements (hardware-tests.md; console.md; NZ 7.4): the report of a hardware test is compared with what the wires, the bus and
//! the sensor themselves showed during the test, and its verdicts with the limits of the page.

mod buttons;
mod contacts;
mod lamps;
mod limits;
mod log;
mod report;
mod spin;
mod units;

use crate::ledger::Ledger;
use crate::observation::{Line, Observation, Seen, Truth};
use crate::record::{Fact, Record};
use crate::rule::Rule;
use crate::scene::Scene;
use crate::section::Section;
pub(crate) use limits::unlike;
use log::Log;
use report::Run;
use serde_json::Value;

pub(crate) const BEGIN: Rule =
    Rule::new("measurements.begun", "console: a hardware test is begun by who may, in maintenance and under the key");
pub(crate) const REFUSED: Rule =
    Rule::new("measurements.refused", "console: a hardware test that may be begun is not refused");
pub(crate) const REPORT: Rule =
    Rule::new("measurements.report", "hardware-tests: each test has its report, of who began it");
pub(crate) const IN_TIME: Rule =
    Rule::new("measurements.in-time", "hardware-tests: a test that was begun ends with a report");
pub(crate) const RECTIFIED: Rule =
    Rule::new("measurements.rectified", "NZ 7.4: what measures out of limits is not rectified");

/// Tolerance around the key privilege, in ns.
const GRACE_NS: u64 = 1_000_000_000;
/// From the first contact of the key to its privilege at the latest, in ns: the contact bounces and is debounced.
const DEBOUNCED_NS: u64 = 100_000_000;
/// The longest that a test can take, in ns: its beginning is written, a guard is put right and a person does his part, each within
/// the two minutes that people have, and the areas of all results are shown.
const LONGEST_NS: u64 = 600_000_000_000;

/// A request for a test that was neither started nor refused yet.
#[derive(Clone, Debug)]
struct Request {
    at_ns: u64,
    /// Length of the log at that time.
    mark: usize,
    /// The hardware test, or the code that is to be reset.
    what: String,
    reset: bool,
    name: String,
    /// Why it must be refused.
    unlawful: Option<&'static str>,
    /// It must be granted.
    lawful: bool,
}

/// Watches hardware tests, both a technician's and those that a reset runs.
#[derive(Clone, Debug, Default)]
pub(crate) struct Measurements {
    log: Log,
    requests: Vec<Request>,
    run: Option<Run>,
    /// A test of any kind may be running.
    busy: bool,
    /// Maintenance was asked for, and neither granted nor refused yet.
    turning: bool,
    /// The code of the last reset that measured, and whether anything was out of limits.
    proof: Option<(String, bool)>,
    /// The layout in force.
    layout: String,
    late: bool,
}

impl Section for Measurements {
    fn rules(&self) -> Vec<Rule> {
        vec![
            BEGIN,
            REFUSED,
            REPORT,
            IN_TIME,
            RECTIFIED,
            report::QUANTITIES,
            report::VALUES,
            report::LIMITS,
            report::VERDICTS,
            report::PERSONS,
            report::NAMED,
            report::DRAWN,
            report::SOUND,
        ]
    }

    fn notice(&mut self, seen: &Observation, scene: &Scene, ledger: &mut Ledger) {
        // It was tried only where every observation arrives at its own moment.
        if !scene.config.given.exact || !scene.config.given.free_play {
            return;
        }
        if self.watches() {
            self.log.take(seen);
            self.look(scene, ledger);
        }
        match &seen.what {
            Seen::ConsoleCommand { command, with, .. } => self.asked(command, with, scene),
            Seen::Wire { line: Line::Bell, active: true, .. } => {
                if let Some(run) = &mut self.run {
                    run.struck = true;
                }
            }
            Seen::Record(record) => self.record(record, scene, ledger),
            Seen::Truth(Truth::Process { .. }) => self.forget(),
            _ => {}
        }
    }
}

fn text<'a>(of: &'a Value, name: &str) -> &'a str {
    of.get(name).and_then(Value::as_str).unwrap_or_default()
}

impl Measurements {
    fn watches(&self) -> bool {
        self.run.is_some() || !self.requests.is_empty()
    }

    /// A daemon that is gone or new runs no test.
    fn forget(&mut self) {
        self.requests.clear();
        self.run = None;
        self.busy = false;
        self.turning = false;
        self.proof = None;
        self.late = false;
    }

    fn look(&mut self, scene: &Scene, ledger: &mut Ledger) {
        let Some(run) = &self.run else { return };
        if self.late || scene.now_ns.saturating_sub(run.began_ns) <= LONGEST_NS {
            return;
        }
        self.late = true;
        if self.log.span(run.mark, run.began_ns, scene.now_ns).prompt() {
            ledger.wrong(IN_TIME, format!("the test `{}` does not end", run.test));
        }
    }

    fn asked(&mut self, command: &str, with: &Value, scene: &Scene) {
        match command {
            "maintenance" => self.turning = true,
            "witness" => {
                if let Some(run) = &mut self.run {
                    let right = with.get("right").and_then(Value::as_bool).unwrap_or(false);
                    run.witnessed.push((text(with, "item").to_owned(), right));
                }
            }
            "hardware-test" | "reset" => {
                if !self.watches() {
                    self.log.begin(scene);
                }
                let reset = command == "reset";
                let what = text(with, if reset { "code" } else { "test" }).to_owned();
                let (unlawful, lawful) = if reset { (None, false) } else { self.may(&what, with, scene) };
                let name = text(with, "name").to_owned();
                let mark = self.log.mark();
                self.requests.push(Request { at_ns: scene.now_ns, mark, what, reset, name, unlawful, lawful });
            }
            _ => {}
        }
    }

    /// Why a hardware test must be refused, and whether it must be granted.
    fn may(&self, test: &str, with: &Value, scene: &Scene) -> (Option<&'static str>, bool) {
        let limits = &scene.config.given.limits;
        let role = |name: &str| with.get(name).and_then(Value::as_bool).unwrap_or(false);
        let known = with.get("technician").is_some();
        let nobody = known && !role("technician") && !role("supervisor") && !role("manager");
        let turned = scene.key_ns.map(|edge| scene.now_ns.saturating_sub(edge));
        let unlawful = if nobody {
            Some("by a person without the role")
        } else if turned.is_none_or(|ago| ago > limits.key_privilege_ns.saturating_add(GRACE_NS)) {
            Some("without the key")
        } else if !scene.maintenance && !self.turning {
            Some("without maintenance")
        } else if test == "reader" && !scene.config.given.reader {
            Some("of a reader that is not fitted")
        } else {
            None
        };
        let fresh = turned.is_some_and(|ago| {
            ago > DEBOUNCED_NS
                && ago < limits.key_privilege_ns.saturating_sub(GRACE_NS)
                && scene.since(Line::SupervisorKey) + DEBOUNCED_NS < scene.now_ns
        });
        // The key was turned since this daemon started.
        let own = scene.key_ns.is_some_and(|edge| edge > scene.started_ns + DEBOUNCED_NS);
        let idle = !self.busy && self.requests.is_empty() && self.run.is_none() && scene.round.is_none();
        let whole = !scene.broken(crate::Part::Buttons) && !scene.broken(crate::Part::Gpio);
        let lawful = unlawful.is_none() && known && fresh && own && idle && whole;
        (unlawful, lawful && scene.maintenance && !self.turning && scene.alive == Some(true))
    }

    fn record(&mut self, record: &Record, scene: &Scene, ledger: &mut Ledger) {
        match (&record.fact, record.kind.as_str()) {
            (Fact::Started { layout, .. }, _) => {
                self.layout.clone_from(layout);
                self.forget();
            }
            (Fact::Maintenance { .. }, _) => self.turning = false,
            (Fact::Opened { .. } | Fact::Tested { passed: false, .. }, _) => self.busy = false,
            (Fact::Unlatched { code, how, .. }, _) => {
                self.busy = false;
                self.requests.retain(|ask| !ask.reset || ask.what != *code);
                let proof = self.proof.take();
                if how == "rectified" && proof.is_some_and(|(of, failed)| of == *code && failed) {
                    let what = format!("{code} was rectified by a test that found it out of limits");
                    ledger.wrong(RECTIFIED, what);
                }
            }
            (_, "refused") => self.refused(record, ledger),
            (_, "test-began") => self.began(record, scene, ledger),
            (_, "hardware-tested") => self.reported(record, scene, ledger),
            _ => {}
        }
    }

    fn refused(&mut self, record: &Record, ledger: &mut Ledger) {
        let reset = match text(&record.data, "what") {
            "hardware-test" => false,
            "reset" => true,
            "maintenance" => {
                self.turning = false;
                return;
            }
            _ => return,
        };
        let Some(place) = self.requests.iter().position(|ask| ask.reset == reset) else { return };
        let ask = self.requests.remove(place);
        if ask.lawful {
            let why = text(&record.data, "why");
            ledger.wrong(REFUSED, format!("the test `{}` was refused: {why}", ask.what));
        }
    }

    fn began(&mut self, record: &Record, scene: &Scene, ledger: &mut Ledger) {
        let (test, by) = (text(&record.data, "test"), text(&record.data, "by"));
        self.busy = true;
        self.proof = None;
        if let Some(run) = self.run.take() {
            ledger.wrong(IN_TIME, format!("`{test}` began, and `{}` has no report", run.test));
        }
        let hardware = test.strip_prefix("hardware ");
        let what = hardware.unwrap_or(test);
        let of = |ask: &Request| ask.reset == hardware.is_none() && ask.what == what && ask.at_ns <= record.at_ns;
        let ask = self.requests.iter().position(of).map(|place| self.requests.remove(place));
        if hardware.is_some() && scene.config.given.sees_commands {
            match &ask {
                None => ledger.wrong(BEGIN, format!("`{test}` began, and nobody asked for it")),
                Some(Request { unlawful: Some(why), .. }) => {
                    ledger.wrong(BEGIN, format!("`{test}` began {why}"));
                }
                Some(ask) if ask.name != by => {
                    ledger.wrong(BEGIN, format!("`{test}` by {by}, asked for by {}", ask.name));
                }
                Some(_) => {}
            }
        }
        // The beginning of a test that nobody asked for was not logged.
        let (Some(Request { mark, .. }), Some(of)) = (ask, hardware.or_else(|| limits::of_reset(what))) else { return };
        self.late = false;
        self.run = Some(Run {
            test: of.to_owned(),
            code: hardware.is_none().then(|| what.to_owned()),
            by: by.to_owned(),
            mark,
            began_ns: record.at_ns,
            durable_ns: scene.now_ns,
            sound: scene.latched.is_empty(),
            struck: false,
            witnessed: Vec::new(),
        });
    }

    fn reported(&mut self, record: &Record, scene: &Scene, ledger: &mut Ledger) {
        self.busy = false;
        let Some(run) = self.run.take() else {
            ledger.wrong(REPORT, "a report of a test that was not begun".into());
            return;
        };
        let span = self.log.span(run.mark, run.began_ns, record.at_ns);
        let failed = report::judge(&run, record, span, &self.layout, scene, ledger);
        self.proof = run.code.map(|code| (code, failed));
    }
}
