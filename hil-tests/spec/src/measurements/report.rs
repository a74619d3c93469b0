//! A report, compared with what was seen during its test (hardware-tests.md).

use super::lamps::{self, LampTest, shown};
use super::limits::{self, NAMES, Verdict};
use super::log::{Expected, Span};
use super::spin::Spin;
use super::{IN_TIME, REPORT, units};
use super::{buttons, contacts};
use crate::ledger::Ledger;
use crate::observation::{Line, Part};
use crate::record::Record;
use crate::rule::Rule;
use crate::scene::Scene;
use serde::Deserialize;
use std::collections::BTreeMap;

pub(crate) const QUANTITIES: Rule =
    Rule::new("measurements.quantities", "hardware-tests: a test measures what the page names for it");
pub(crate) const VALUES: Rule = Rule::new("measurements.values", "hardware-tests: a value is what was seen");
pub(crate) const LIMITS: Rule = Rule::new("measurements.limits", "hardware-tests: the limits are the page's");
pub(crate) const VERDICTS: Rule =
    Rule::new("measurements.verdicts", "hardware-tests: a value's verdict is by its limits, the test's is the worst");
pub(crate) const PERSONS: Rule =
    Rule::new("measurements.persons", "hardware-tests: what a person says is the person's word");
pub(crate) const NAMED: Rule =
    Rule::new("measurements.named", "hardware-tests: each button or key that is out of order is named, and no other");
pub(crate) const DRAWN: Rule = Rule::new("measurements.drawn", "hardware-tests: a report draws what was seen");
pub(crate) const SOUND: Rule =
    Rule::new("measurements.sound", "hardware-tests: a test of a sound device comes to its end");

/// A test that runs.
#[derive(Clone, Debug)]
pub(super) struct Run {
    /// The hardware test.
    pub(super) test: String,
    /// The malfunction whose reset runs it.
    pub(super) code: Option<String>,
    pub(super) by: String,
    /// Length of the log when it was asked for.
    pub(super) mark: usize,
    pub(super) began_ns: u64,
    /// When its beginning was durable. Nothing moves or lights before.
    pub(super) durable_ns: u64,
    /// Nothing was latched when it began.
    pub(super) sound: bool,
    /// The bell has been rung since.
    pub(super) struck: bool,
    /// What people have witnessed since: the item, and whether it is right.
    pub(super) witnessed: Vec<(String, bool)>,
}

#[derive(Debug, Deserialize)]
struct Report {
    test: String,
    by: String,
    verdict: String,
    #[serde(default)]
    found: String,
    #[serde(default)]
    seen: Vec<String>,
    measurements: Vec<Measured>,
    #[serde(default)]
    plots: Plots,
}

#[derive(Debug, Deserialize)]
struct Measured {
    quantity: String,
    value: i64,
    limits: BTreeMap<String, i64>,
    verdict: String,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Plots {
    periods: Vec<i64>,
    waves: Vec<Wave>,
    layout: String,
    dark: Vec<String>,
    untold: Vec<String>,
}

#[derive(Debug, Deserialize)]
struct Wave {
    line: String,
    active: bool,
    edges: Vec<i64>,
}

/// A test takes less than this, in ns, apart from what people do in it.
const NOBODYS_NS: u64 = 100_000_000_000;
/// The test of the bus needs at least this many transactions to measure thousandths.
const TRANSACTIONS: usize = 100;

/// Everything that is needed to judge a report.
struct Case<'a> {
    run: &'a Run,
    report: &'a Report,
    span: Span<'a>,
    spin: Option<Spin>,
    areas: Option<LampTest>,
    layout: &'a str,
    scene: &'a Scene,
}

/// Judges a report: whether something was out of the page's limits.
pub(super) fn judge(
    run: &Run,
    record: &Record,
    span: Span<'_>,
    layout: &str,
    scene: &Scene,
    ledger: &mut Ledger,
) -> bool {
    let report = match Report::deserialize(&record.data) {
        Ok(report) => report,
        Err(why) => {
            ledger.wrong(REPORT, format!("a report that cannot be read: {why}"));
            return false;
        }
    };
    if report.test != run.test || report.by != run.by {
        let what = format!("`{}` by {} is reported, and `{}` by {} began", report.test, report.by, run.test, run.by);
        ledger.wrong(REPORT, what);
    }
    let held = |span: Span<'_>| {
        let spin = matches!(run.test.as_str(), "motor" | "cam" | "reader").then(|| Spin::of(&span)).flatten();
        let areas = (run.test == "lamps").then(|| shown(&span));
        Case { run, report: &report, span, spin, areas, layout, scene }.held()
    };
    let (mut judged, mut wrong) = held(span);
    // What else happened at the moment of the report may have come before it or after.
    for span in [span.short(), span.until_off()] {
        if wrong.is_empty() {
            break;
        }
        let (others, none) = held(span);
        if none.is_empty() {
            (judged, wrong) = (others, none);
        }
    }
    if wrong.is_empty() {
        ledger.held(VALUES);
    }
    for (rule, what) in wrong {
        ledger.wrong(rule, format!("`{}`: {what}", run.test));
    }
    judged
}

/// Takes what is wrong: the rule, and what was seen.
type Say<'a> = dyn FnMut(Rule, String) + 'a;

impl Case<'_> {
    /// Everything that is wrong with the report.
    fn held(&self) -> (bool, Vec<(Rule, String)>) {
        let mut wrong = Vec::new();
        let mut say = |rule: Rule, what: String| wrong.push((rule, what));
        let failed = self.verdicts(&mut say);
        self.persons(&mut say);
        self.sound(&mut say);
        if self.run.test == "buttons" && self.span.uninterrupted() {
            self.named(&mut say);
        }
        self.complete(&mut say);
        if self.span.prompt() {
            self.values(&mut say);
            self.drawn(&mut say);
        }
        (failed, wrong)
    }

    /// Whether the test came to its end.
    fn ended(&self) -> bool {
        self.report.found.is_empty()
    }

    /// How often another button than was asked for came on, in a test of the buttons that nobody called off.
    fn slips(&self) -> i64 {
        if self.run.test != "buttons" || !self.span.uninterrupted() {
            return 0;
        }
        let wrong = self.report.measurements.iter().find(|measured| measured.quantity == "buttons-wrong");
        wrong.map_or(0, |measured| measured.value)
    }

    /// Whether the test measures anything: under Open Cover no dome is opened and closed.
    fn measures(&self) -> bool {
        self.run.test != "dome" || self.scene.config.rules.covered()
    }

    /// Checks names, limits and verdicts. Returns whether anything is out of limits.
    fn verdicts(&self, say: &mut Say<'_>) -> bool {
        let mut worst = Verdict::Pass;
        for (place, measured) in self.report.measurements.iter().enumerate() {
            let name = &measured.quantity;
            let Some(row) = limits::of(&self.run.test).find(|row| row.quantity == *name) else {
                say(QUANTITIES, format!("`{name}` is none of its quantities"));
                continue;
            };
            if self.report.measurements.iter().take(place).any(|before| before.quantity == *name) {
                say(QUANTITIES, format!("`{name}` is reported twice"));
            }
            let reported = NAMES.map(|limit| measured.limits.get(limit).copied());
            if !row.allows(reported) || measured.limits.keys().any(|limit| !NAMES.contains(&limit.as_str())) {
                say(LIMITS, format!("`{name}` has other limits: {:?}", measured.limits));
            }
            let verdict = row.verdict(measured.value, reported);
            if Verdict::named(&measured.verdict) != Some(verdict) {
                let (value, said) = (measured.value, &measured.verdict);
                say(VERDICTS, format!("`{name}`, {value}, is {verdict:?}, and `{said}` is reported"));
            }
            worst = worst.max(verdict);
        }
        // A slip of a person is named too, and a unit of the bus that was not heard, and fails nothing by itself.
        let names = self.slips() > 0 || self.run.test == "bus";
        let verdict = if self.ended() || names { worst } else { Verdict::Fail };
        if Verdict::named(&self.report.verdict) != Some(verdict) {
            say(VERDICTS, format!("the test is {verdict:?}, and `{}` is reported", self.report.verdict));
        }
        worst == Verdict::Fail
    }

    /// Checks what people witnessed, and the bell that they heard.
    fn persons(&self, say: &mut Say<'_>) {
        let said = |item: &str| self.run.witnessed.iter().any(|(of, right)| of == item && *right);
        for item in self.report.seen.iter().filter(|item| !said(item)) {
            say(PERSONS, format!("nobody found {item} right"));
        }
        if !self.ended() || self.run.code.as_deref() == Some("dome") {
            return;
        }
        // A reset asks nobody to look at what is measured out of limits. It does not reach its end then.
        if self.report.seen.iter().map(String::as_str).ne(limits::seen(&self.run.test).iter().copied()) {
            say(PERSONS, format!("ended, and found right is {:?}", self.report.seen));
        }
        if self.run.test == "bell" && !self.run.struck {
            say(PERSONS, "the bell was not struck".into());
        }
    }

    /// The test of a sound device reaches its end.
    fn sound(&self, say: &mut Say<'_>) {
        let span = &self.span;
        let is = |line, active| span.level(line) == Some(active);
        let guarded = is(Line::Seal, true)
            && is(Line::PowerGood, true)
            && is(Line::MotorFault, false)
            && (!self.scene.config.rules.covered() || is(Line::DomeClosed, true) && is(Line::DomeOpen, false));
        let on = span.edges(Line::MotorEnable).find(|(_, on)| *on).map_or(span.to_ns, |(at, _)| at);
        let stood = [Line::CamA, Line::CamB].into_iter().all(|line| span.edges(line).all(|(at, _)| at >= on));
        let took = span.to_ns.saturating_sub(span.from_ns);
        let nobodys = matches!(self.run.test.as_str(), "motor" | "cam" | "reader" | "temperature" | "bus");
        if !self.run.sound || !guarded || !stood || !span.undisturbed() || !self.measures() {
            return;
        }
        if nobodys && took > NOBODYS_NS {
            say(IN_TIME, format!("took {} s", took / 1_000_000_000));
        }
        // Whoever presses nothing is told so after 10 s for each.
        if self.run.test == "buttons" && !buttons::pressed_as_asked(span, self.run.durable_ns) {
            return;
        }
        let doubted = self.run.witnessed.iter().any(|(_, right)| !right);
        if !self.ended() && !doubted && (nobodys || took < NOBODYS_NS) {
            say(SOUND, format!("nothing was wrong, and it ended with: {}", self.report.found));
        }
    }

    /// What is out of order on the table itself is named in the report of the buttons' test, and fails it; and nothing else is.
    fn named(&self, say: &mut Say<'_>) {
        let wrong = buttons::wrong(&self.span, self.run.durable_ns);
        let found = &self.report.found;
        for (line, why) in &wrong {
            if self.report.verdict != "fail" || !found.contains(line.name()) {
                say(NAMED, format!("{}: {why}, and found is: {found}", line.name()));
            }
        }
        if self.slips() > 0 && found.is_empty() {
            say(NAMED, format!("{} came on instead of another, and none is named", self.slips()));
        }
        if wrong.is_empty() && buttons::pressed_as_asked(&self.span, self.run.durable_ns) && !found.is_empty() {
            say(NAMED, format!("all are in order and were pressed as asked, and found is: {found}"));
        }
    }

    /// The range of each quantity, by what was seen.
    fn expected(&self) -> Vec<Expected> {
        match (self.run.test.as_str(), &self.spin, &self.areas) {
            ("motor", Some(spin), _) => spin.motor(),
            ("cam", Some(spin), _) => spin.cam(),
            ("reader", Some(_), _) => units::reader(&self.span, self.ended()),
            ("lamps", _, Some(areas)) if self.ended() => areas.expected(self.span.broken(Part::Bus)),
            ("dome", ..) => contacts::dome(&self.span),
            ("buttons", ..) => buttons::expected(&self.span, self.run.durable_ns),
            ("bus", ..) => units::bus(&self.span),
            ("terminal", ..) => units::terminal(&self.span),
            ("seal", ..) => contacts::seal(&self.span, self.run.durable_ns),
            ("temperature", ..) => contacts::temperature(&self.span, self.ended()),
            _ => Vec::new(),
        }
    }

    /// Compares the values with what was seen.
    fn values(&self, say: &mut Say<'_>) {
        let reported = |name: &str| self.report.measurements.iter().any(|measured| measured.quantity == name);
        let ended = self.areas.as_ref().filter(|_| self.ended() && !self.span.broken(Part::Bus));
        if ended.is_some_and(|areas| areas.right() == Some(false)) && reported(lamps::TIME) {
            say(VALUES, "a time to light is reported, and no picture was right".into());
        }
        if self.report.measurements.iter().any(|measured| measured.quantity == limits::COAST && measured.value == 0) {
            say(VALUES, "`coast-time` is 0, and no shaft stops with its last step at that very moment".into());
        }
        for Expected { quantity, least, most } in self.expected() {
            let Some(measured) = self.report.measurements.iter().find(|measured| measured.quantity == quantity) else {
                // A test that ended early may not have got as far as this quantity.
                let known = matches!(self.run.test.as_str(), "motor" | "cam" | "bus" | "temperature" | "seal");
                if known && quantity != limits::COAST {
                    say(QUANTITIES, format!("`{quantity}` was seen, and is not reported"));
                }
                continue;
            };
            let value = measured.value;
            // Wires, bus and sensor carry the times at which the table gets them: there is nothing to round.
            if value < least || value > most {
                let seen = if least == most { least.to_string() } else { format!("{least} to {most}") };
                say(VALUES, format!("`{quantity}` is {value}, and {seen} was seen"));
            }
        }
    }

    /// A test that reached its end has measured everything, for long enough.
    fn complete(&self, say: &mut Say<'_>) {
        if !self.ended() || !self.measures() {
            return;
        }
        // If no picture was right, nothing has a time to light.
        let none_lit = self.areas.as_ref().is_some_and(|areas| areas.right() != Some(true));
        // A shaft that stops before its next step tells no time.
        let at_once = !self.expected().iter().any(|expected| expected.quantity == limits::COAST);
        for row in limits::of(&self.run.test) {
            if row.quantity == lamps::TIME && none_lit || row.quantity == limits::COAST && at_once {
                continue;
            }
            if !self.report.measurements.iter().any(|measured| measured.quantity == row.quantity) {
                say(QUANTITIES, format!("ended without `{}`", row.quantity));
            }
        }
        let span = &self.span;
        let enough = match self.run.test.as_str() {
            "motor" | "cam" | "reader" => self.spin.as_ref().is_some_and(Spin::ended) || !span.prompt(),
            "bus" => units::transactions(span) >= TRANSACTIONS,
            "temperature" => contacts::read_enough(span, self.run.code.is_some()),
            "seal" => span.to_ns.saturating_sub(self.run.durable_ns) >= contacts::SEAL_NS || !span.prompt(),
            "lamps" => {
                let all = self.scene.config.board(self.layout).map(|board| board.all);
                let commanded = self.areas.as_ref().map(|areas| areas.commanded);
                all.is_none() || commanded.zip(all).is_some_and(|([a, b], [x, y])| x & !a == 0 && y & !b == 0)
            }
            _ => true,
        };
        if !enough {
            say(QUANTITIES, "ended before everything was measured".into());
        }
    }

    /// Checks what the report draws.
    fn drawn(&self, say: &mut Say<'_>) {
        let plots = &self.report.plots;
        let spin = self.spin.as_ref().filter(|_| self.run.test != "reader");
        if let Some(spin) = spin {
            if !spin.periods().contains(&plots.periods) {
                say(DRAWN, format!("the periods {:?} are drawn, and {:?} were seen", plots.periods, spin.periods()));
            }
        } else if !plots.periods.is_empty() {
            say(DRAWN, format!("the periods {:?} are drawn of no spin", plots.periods));
        }
        let waves: Vec<(String, bool, Vec<i64>)> =
            plots.waves.iter().map(|wave| (wave.line.clone(), wave.active, wave.edges.clone())).collect();
        let seen = match (self.run.test.as_str(), spin) {
            (_, Some(spin)) => spin.waves(),
            ("dome", _) => contacts::strokes(&self.span),
            _ => Vec::new(),
        };
        let lost = [Line::DomeClosed, Line::DomeOpen].into_iter().any(|line| self.span.again(line));
        if waves != seen && !lost {
            say(DRAWN, format!("drawn is {waves:?}, and {seen:?} was seen"));
        }
        self.drawn_areas(say);
    }

    fn drawn_areas(&self, say: &mut Say<'_>) {
        let plots = &self.report.plots;
        let Some(areas) = self.areas.as_ref().filter(|_| self.ended()) else { return };
        if plots.layout != self.layout {
            say(DRAWN, format!("the areas of `{}` are drawn, and `{}` is in force", plots.layout, self.layout));
        }
        let orders = &self.scene.config.given.lamps;
        let Some(order) = orders.iter().find(|order| order.layout == self.layout) else { return };
        for (names, [surely, perhaps]) in [(&plots.dark, areas.dark), (&plots.untold, areas.uncommanded)] {
            let is =
                |set: [u64; 2], place: usize| set.get(place / 64).is_some_and(|word| word >> (place % 64) & 1 != 0);
            for (place, area) in order.areas.iter().enumerate() {
                let reported = names.contains(area);
                if reported && !is(perhaps, place) || !reported && is(surely, place) {
                    say(DRAWN, format!("{area}: drawn as wrong is {names:?}"));
                }
            }
        }
    }
}
