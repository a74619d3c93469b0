//! Malfunctions (NZ 7.1(a), 7.3, 7.4, SGV6 5.5.2, SGOC-early 5.1.3; design.md, Field bus; faults.md, No false alarms): what is out
//! of order is latched in time and not unlatched while it lasts, and nothing is latched without a symptom.
//!
//! Symptoms are taken from wires, bus and readings alone, as a technician with an oscilloscope would see them. The times are the
//! parameters of table.md.

mod symptoms;

use crate::judge::{Exercised, Findings, Judge};
use crate::observation::{Line, Observation, Part, Seen, Truth};
use crate::record::Fact;
use crate::scene::Scene;
use symptoms::{CAUSES, Symptoms};

const NAME: &str = "malfunctions";
pub(crate) const UNSEEN: &str = "NZ 7.3, 7.4: what is out of order is found, and bars the next game";
pub(crate) const LASTS: &str = "NZ 7.4: no latch opens as rectified while its cause lasts";
pub(crate) const UNPROVED: &str = "table.md: a latch opens as rectified by its own test";
pub(crate) const CAUSELESS: &str = "faults.md, No false alarms: a sound device gives none";
pub(crate) const ASKED: &str = "design.md, Field bus: every unit of the field bus is asked all the time";

pub(crate) const RESTLESS: &str =
    "NZ 7.1(a), SGV6 5.5.2, SGOC-early 5.1.3: dice that do not come to rest do not lie flat";
pub(crate) const ACKNOWLEDGED: &str = "registers: what was read of the keys is acknowledged";

/// The test that proves a malfunction rectified (table.md, Malfunctions).
const PROVES: [(&str, &str); 5] = [
    ("tumbler", "tumbler"),
    ("interference", "dice"),
    ("dice", "dice"),
    ("buttons", "buttons"),
    ("temperature", "temperature"),
];

const MS: u64 = 1_000_000;
/// Even on the slowest healthy disk, the record of a latch is durable by then.
const SOON_NS: u64 = 3_000 * MS;
/// A symptom that was there within this time explains a latch.
const LATELY_NS: u64 = 6_000 * MS;
/// Dice that still move this long after their spin never come to rest (parameter `settle_limit`, and the record of the void).
const RESTLESS_NS: u64 = 9_000 * MS;
/// The slowest poll comes every 450 ms, and a damaged frame is requested again.
const UNASKED_NS: u64 = 2_500 * MS;

/// What is known about a cause.
#[derive(Clone, Copy, Debug, Default)]
struct CauseState {
    /// Since when its symptom has shown.
    since_ns: Option<u64>,
    /// Since when the table has had to latch it.
    due_ns: Option<u64>,
    /// When it had last lasted long enough to be latched.
    held_ns: Option<u64>,
    reported: bool,
}

/// Watches that symptoms and latches go together.
#[derive(Clone, Debug, Default)]
pub(crate) struct Malfunctions {
    symptoms: Symptoms,
    causes: [CauseState; CAUSES.len()],
    silence_reported: bool,
    restless_reported: bool,
    /// Tests that have passed since the last one began.
    passed: Vec<String>,
    /// Latches whose symptom was seen.
    shown: u64,
    latches: u64,
    exits: u64,
}

impl Judge for Malfunctions {
    fn name(&self) -> &'static str {
        NAME
    }

    fn observe(&mut self, seen: &Observation, scene: &Scene, findings: &mut Findings) {
        if !scene.config.given.alone || symptoms::is_dead_man(scene) {
            return;
        }
        self.symptoms.take(seen, scene);
        self.watch(scene, findings);
        match &seen.what {
            Seen::Truth(Truth::Process { .. }) => {
                self.silence_reported = false;
                self.symptoms.forget();
            }
            Seen::Truth(Truth::Hung { .. }) => self.symptoms.forget(),
            Seen::Record(record) if scene.now_ns < record.at_ns.saturating_add(SOON_NS) => match &record.fact {
                Fact::Latched { code } => self.latched(code, scene, findings),
                Fact::Unlatched { code, how, .. } if how == "rectified" => self.unlatched(code, scene, findings),
                Fact::Tested { test, passed: false } if test == "buttons" => self.buttons_failed(scene, findings),
                Fact::Tested { test, passed: true } => self.passed.push(test.clone()),
                Fact::Plain if record.kind == "test-began" => self.passed.clear(),
                _ => {}
            },
            _ => {}
        }
    }

    fn exercised(&self) -> Vec<Exercised> {
        vec![
            ("latches with their sign", self.shown),
            ("malfunctions latched", self.latches),
            ("latches opened as rectified", self.exits),
        ]
    }
}

impl Malfunctions {
    fn watch(&mut self, scene: &Scene, findings: &mut Findings) {
        let (now, lagging) = (scene.now_ns, scene.may_lag());
        for (cause, known) in CAUSES.iter().zip(&mut self.causes) {
            if !self.symptoms.shows(cause.symptom, scene) {
                let enough = known.since_ns.is_some_and(|since| now.saturating_sub(since) >= cause.after_ns / 10 * 9);
                let held_ns = if enough { Some(now) } else { known.held_ns };
                *known = CauseState { held_ns, ..CauseState::default() };
                continue;
            }
            let lasts = now.saturating_sub(*known.since_ns.get_or_insert(now));
            if lasts >= cause.after_ns / 10 * 9 {
                known.held_ns = Some(now);
            }
            let latched = scene.is_latched(cause.code) || scene.is_latched("gpio");
            if lagging || latched || scene.testing() || scene.is_waived(cause.code) {
                known.due_ns = None;
                continue;
            }
            let due = now.saturating_sub(*known.due_ns.get_or_insert(now));
            if !known.reported && due > cause.after_ns.saturating_add(SOON_NS) {
                known.reported = true;
                let text =
                    format!("{} for {} ms, and `{}` is not latched", cause.symptom.words(), lasts / MS, cause.code);
                findings.note(NAME, now, UNSEEN, text);
            }
        }
        let asked = scene.round.as_ref().is_none_or(|round| round.interrupted || round.asked.is_some());
        if self.symptoms.moving().is_some_and(|since| now > since.saturating_add(RESTLESS_NS))
            && scene.in_service("reader")
            && !(asked || lagging || self.restless_reported)
        {
            self.restless_reported = true;
            findings.note(NAME, now, RESTLESS, "the reader tells all the time that a die moves, and the round goes on");
        }
        let broken = [Part::Terminal, Part::Bus].into_iter().any(|part| scene.broken(part));
        if self.symptoms.unacknowledged(scene, UNASKED_NS) && !(lagging || broken || self.silence_reported) {
            self.silence_reported = true;
            findings.note(NAME, now, ACKNOWLEDGED, "key events are read and not acknowledged");
        }
        if let (Some(unit), false) = (self.symptoms.unasked(scene, UNASKED_NS), lagging || self.silence_reported) {
            self.silence_reported = true;
            findings.note(NAME, scene.now_ns, ASKED, format!("unit {unit} is not asked any more"));
        }
    }

    fn latched(&mut self, code: &str, scene: &Scene, findings: &mut Findings) {
        self.latches += 1;
        let recent = |at: Option<u64>| at.is_some_and(|at| scene.now_ns <= at.saturating_add(LATELY_NS));
        let mut of = CAUSES.iter().zip(&self.causes).filter(|(cause, _)| cause.code == code).peekable();
        let known = of.peek().is_some();
        let shown = of.any(|(_, known)| recent(known.held_ns));
        self.shown += u64::from(shown);
        if known && !shown && !scene.testing() && !scene.may_lag() && !self.symptoms.otherwise(code, scene, LATELY_NS) {
            findings.note(NAME, scene.now_ns, CAUSELESS, format!("`{code}` is latched, and nothing shows why"));
        }
    }

    /// The test of the buttons failed. It fails only if one of them is held.
    fn buttons_failed(&self, scene: &Scene, findings: &mut Findings) {
        let lately = |at: u64| scene.now_ns < at.saturating_add(LATELY_NS);
        let line = |line: Line| scene.is(line, true) || lately(scene.since(line));
        let held = [Line::Tumble, Line::PlaceBets, Line::NoMoreBets, Line::NoSpin].into_iter().any(line);
        if !held && !scene.may_lag() && !scene.recently_broken(Part::Buttons, LATELY_NS) {
            findings.note(NAME, scene.now_ns, CAUSELESS, "the buttons fail their test, and none is held");
        }
    }

    fn unlatched(&mut self, code: &str, scene: &Scene, findings: &mut Findings) {
        self.exits += 1;
        let needed = PROVES.iter().find(|(of, _)| *of == code).map(|(_, test)| *test);
        if let Some(test) = needed.filter(|test| !self.passed.iter().any(|passed| passed == test)) {
            findings.note(NAME, scene.now_ns, UNPROVED, format!("`{code}` is rectified without the test `{test}`"));
        }
        for (cause, known) in CAUSES.iter().zip(&self.causes).filter(|(cause, _)| cause.code == code) {
            if known.held_ns == Some(scene.now_ns) && cause.lasting && !scene.may_lag() {
                let text = format!("`{code}` is rectified, and still {}", cause.symptom.words());
                findings.note(NAME, scene.now_ns, LASTS, text);
            }
        }
    }
}

#[cfg(test)]
mod tests;
