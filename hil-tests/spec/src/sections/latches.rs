//! Latches and their causes.
//!
//! ```text
//!  sound ── a sign shows ──> shown since then ── it has lasted for its time ──> LATCHED ── `unlatched` ──> sound
//!                  └── gone before ──> sound                 (in a test, or while waived: the test fails instead)
//! ```

use super::moments::Moments;
use super::signs::{Devices, SIGNS, Sign};
use crate::ledger::{Ledger, What};
use crate::observation::{Line, Observation, Part, Seen, Truth};
use crate::past::remember;
use crate::record::{Fact, Record};
use crate::rule::Rule;
use crate::scene::Scene;
use crate::section::{Answer, Section, may, must};
use serde_json::Value;
use std::collections::VecDeque;

const SHOWN: Rule = Rule::new("latches.shown", "NZ 7.3, 7.4; faults.md: what is out of order for its time is latched");
const LATER: Rule =
    Rule::new("latches.later", "faults.md: what was out of order before the table could see it is latched when it can");
const SAID: Rule =
    Rule::new("latches.said", "NZ 7.4; console.md: what a person finds out of order is latched at that person's word");

const AT_START: Rule =
    Rule::new("latches.start", "design.md, Buttons and key: a button that is active at the start latches");
const JOURNAL: Rule = Rule::new(
    "latches.journal",
    "faults.md, Disk and journal: a journal that cannot be written, or is found wrong at the start, latches",
);
const FLICKERS_DARK: Rule = Rule::new(
    "latches.lamps",
    "faults.md, Lamps: lamps whose supply flickers differ from the commands again and again",
);
const IN_SPIN: Rule =
    Rule::new("latches.in-spin", "design.md, Motor guard: the fourth break of a guard line in a spin latches it");
const CHATTERS: Rule =
    Rule::new("latches.presses", "design.md, Buttons and key: more presses without a rest than any hand makes");
const SPIN: Rule =
    Rule::new("latches.spin", "faults.md, Motor and dead-man relay, Cam: a shaft that does not do as it is told");
const DICE: Rule = Rule::new(
    "latches.dice",
    "faults.md, Dice: dice that moved after they had settled, or are others than the enrolled",
);

/// A part that was mended so recently may still be found out of order.
const MENDED_NS: u64 = 6_000_000_000;
/// A spin may take so long (parameter `spin_limit`).
const SPIN_NS: u64 = 8_000_000_000;
/// So many breaks of a guard line are vibration (parameter `flickers`).
const FLICKERS: usize = 3;
/// More presses without a rest are no hand's (parameters `presses` and `press_rest`).
const PRESSES: u32 = 30;
const REST_NS: u64 = 5_000_000_000;
/// The end of a transaction, or the next poll, may tell it a little later.
const CLOSE_NS: u64 = 30_000_000;

/// As many times that a sign has shown are remembered.
const STRETCHES: usize = 8;

/// A sign that has shown, and is latched or gone.
#[derive(Clone, Copy, Debug)]
struct Stretch {
    since_ns: u64,
    until_ns: u64,
    due: bool,
}

/// Watches latches.
#[derive(Clone, Debug)]
pub(super) struct Latches {
    devices: Devices,
    moments: Moments,
    /// When a new journal began, until the start that follows.
    anew: bool,
    stretches: [VecDeque<Stretch>; SIGNS.len()],
}

impl Default for Latches {
    fn default() -> Self {
        Self {
            devices: Devices::default(),
            moments: Moments::default(),
            anew: false,
            stretches: [const { VecDeque::new() }; SIGNS.len()],
        }
    }
}

/// The code that a command latches by a person's word.
fn said(command: &str, with: &Value) -> &'static [&'static str] {
    let flag = |name: &str| with.get(name) == Some(&Value::Bool(true));
    match command {
        "void" if flag("damaged_dice") => &["dice"],
        "void" if flag("not_flat") => &["reader"],
        "void-afterwards" => &["dice"],
        "confirm-dome" => &["dome"],
        "amend" if flag("uphold") => &["reader"],
        "finding" => &["reader"],
        "witness" if with.get("right") == Some(&Value::Bool(false)) => &["lamps", "seal", "dice"],
        _ => &[],
    }
}

fn latched(code: &str) -> What {
    What::Record { kind: "latched", data: vec![("code", code.into())] }
}

/// The rule by which a sign that showed at one moment is latched.
const fn rule_of(code: &str) -> Rule {
    match code.as_bytes() {
        b"interference" | b"dice" => DICE,
        b"lamps" => FLICKERS_DARK,
        _ => SPIN,
    }
}

/// It has to be latched within this time, unless it is latched, replaced, or found by a test.
fn owe(rule: Rule, code: &str, (from_ns, by_ns): (u64, u64), scene: &Scene, ledger: &mut Ledger) {
    let excused = scene.is_latched(code) || scene.is_waived(code) || scene.testing() || scene.may_lag();
    let latched = latched(code);
    if !excused && !ledger.expects(&latched) {
        ledger.must(rule, latched, from_ns, by_ns);
    }
}

impl Section for Latches {
    fn rules(&self) -> Vec<Rule> {
        vec![SHOWN, LATER, SAID, AT_START, JOURNAL, FLICKERS_DARK, IN_SPIN, CHATTERS, SPIN, DICE]
    }

    fn explain(&mut self, seen: &Observation, scene: &Scene, _: &mut Ledger) -> Answer {
        let Seen::Record(record) = &seen.what else { return Answer::NotMine };
        let Fact::Latched { code } = &record.fact else { return Answer::NotMine };
        self.latched(record, code, scene)
    }

    fn notice(&mut self, seen: &Observation, scene: &Scene, ledger: &mut Ledger) {
        if let Seen::Truth(Truth::Process { .. }) = &seen.what {
            self.devices.forget();
            self.stretches.iter_mut().for_each(VecDeque::clear);
        }
        self.devices.take(seen, scene);
        if let Seen::Record(Record { fact: Fact::Latched { code }, .. }) = &seen.what {
            ledger.forget(&latched(code));
        }
        if let Seen::Record(record) = &seen.what {
            self.record(record, scene, ledger);
        }
        for moment in self.moments.notice(seen, scene).into_iter().filter(|moment| moment.firm) {
            owe(rule_of(moment.code), moment.code, (moment.at_ns, moment.at_ns), scene, ledger);
        }
        for ((sign, code, after_ns), stretch) in SIGNS.iter().zip(&mut self.stretches) {
            let Some(since_ns) = self.devices.since(*sign, scene) else { continue };
            let now_ns = scene.now_ns;
            match stretch.back_mut() {
                Some(known) if known.since_ns == since_ns => known.until_ns = now_ns,
                _ => remember(stretch, STRETCHES, Stretch { since_ns, until_ns: now_ns, due: false }),
            }
            // What was not looked at meanwhile gets its whole time again.
            let by_ns = since_ns.max(self.devices.resumed_ns) + after_ns;
            let Some(last) = stretch.back_mut().filter(|last| !last.due && now_ns >= by_ns) else { continue };
            last.due = true;
            let due_ns = since_ns + after_ns;
            if !matches!(sign, Sign::Disk | Sign::Chip | Sign::Stalled) {
                owe(SHOWN, code, (due_ns.saturating_sub(CLOSE_NS), by_ns + CLOSE_NS), scene, ledger);
            }
        }
    }
}

impl Latches {
    fn latched(&self, record: &Record, code: &str, scene: &Scene) -> Answer {
        let at_ns = record.at_ns;
        let mut shown = Vec::new();
        for ((sign, of, after_ns), stretches) in SIGNS.iter().zip(&self.stretches) {
            for Stretch { since_ns, until_ns, .. } in stretches.iter().filter(|_| *of == code) {
                let due_ns = since_ns + after_ns;
                if at_ns == due_ns {
                    return must(SHOWN);
                }
                if at_ns + CLOSE_NS >= due_ns && at_ns <= *until_ns + CLOSE_NS {
                    return may(LATER);
                }
                shown.push(format!("{sign:?} at {} ms", due_ns / 1_000_000));
            }
        }
        if scene.past.asked.within(at_ns, at_ns).any(|(_, asked)| said(&asked.command, &asked.with).contains(&code)) {
            return must(SAID);
        }
        self.otherwise(record, code, scene).unwrap_or_else(|| {
            let shown: Vec<_> = shown.into_iter().rev().take(4).collect();
            Answer::Unexplained(SHOWN, format!("`{code}` by its sign; shown: {shown:?}"))
        })
    }

    fn record(&mut self, record: &Record, scene: &Scene, ledger: &mut Ledger) {
        match &record.fact {
            Fact::Started { .. } if core::mem::take(&mut self.anew) && !scene.is_latched("journal") => {
                ledger.must(JOURNAL, latched("journal"), record.at_ns, record.at_ns);
            }
            Fact::Keyframe(_) => self.anew = record.fact.begins_new_journal(),
            Fact::Voided { .. } if record.data.get("reason").is_some_and(|reason| reason == "declared") => {
                owe(SPIN, "tumbler", (record.at_ns, record.at_ns), scene, ledger);
            }
            _ => {}
        }
    }

    /// Latches that no lasting sign explains.
    fn otherwise(&self, record: &Record, code: &str, scene: &Scene) -> Option<Answer> {
        let (at_ns, past) = (record.at_ns, &scene.past);
        let broken = |parts: &[Part]| parts.iter().any(|part| scene.recently_broken(*part, MENDED_NS));
        if self.moments.at(code, at_ns) {
            return Some(must(rule_of(code)));
        }
        let in_spin = record.data.get("in_spin").is_some_and(|in_spin| *in_spin == true);
        if in_spin {
            let on_ns = past.line(Line::MotorEnable).at(at_ns).map_or(0, |(since, _)| since).saturating_sub(SPIN_NS);
            let breaks = |line: Line, whole: bool| {
                past.line(line).within(on_ns, at_ns).filter(|(_, level)| **level != whole).count() > FLICKERS
            };
            let flickers = match code {
                "seal" => breaks(Line::Seal, true),
                "gpio" => breaks(Line::PowerGood, true),
                _ => breaks(Line::DomeClosed, true) || breaks(Line::DomeOpen, false),
            };
            return flickers.then_some(must(IN_SPIN));
        }
        let held = |line: &Line| past.line(*line).at(at_ns).is_some_and(|(_, on)| *on);
        let debounce_ns = scene.config.given.limits.button_debounce_ns;
        let no_spin = || past.debounced(Line::NoSpin, true, debounce_ns, 0, at_ns).is_some();
        Some(match code {
            "buttons" if at_ns == scene.started_ns && Line::BUTTONS.iter().any(held) => must(AT_START),
            "buttons" if Line::BUTTONS.into_iter().any(|line| chatters(line, at_ns, scene)) => must(CHATTERS),
            "key" if chatters(Line::SupervisorKey, at_ns, scene) => must(CHATTERS),
            "lamps" if broken(&[Part::Lamps, Part::Bus]) => may(FLICKERS_DARK),
            "journal" if at_ns == scene.started_ns || broken(&[Part::Journal]) => may(JOURNAL),
            "tumbler" if scene.rules().is_new_zealand() && no_spin() => must(SPIN),
            "tumbler" if broken(&[Part::Motor, Part::Cam, Part::Relay, Part::Gpio]) => may(SPIN),
            "reader" if broken(&[Part::Reader, Part::Bus]) => may(LATER),
            "gpio" if broken(&[Part::Gpio]) => may(LATER),
            "temperature" if broken(&[Part::Motor, Part::Journal]) => may(LATER),
            "terminal" if broken(&[Part::Terminal, Part::Bus]) => may(LATER),
            _ => return None,
        })
    }
}

/// Whether the line came on more often without a rest than any hand presses it, and just now once more.
fn chatters(line: Line, at_ns: u64, scene: &Scene) -> bool {
    let (mut after_ns, mut presses) = (at_ns, 0);
    for (edge_ns, _) in scene.past.line(line).within(0, at_ns).filter(|(_, on)| **on) {
        if edge_ns + REST_NS < after_ns {
            break;
        }
        (after_ns, presses) = (edge_ns, presses + 1);
    }
    presses > PRESSES
}
