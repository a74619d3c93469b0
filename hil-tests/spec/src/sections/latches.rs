//! Latches and their causes.
//!
//! ```text
//!  sound ── a sign shows ──> shown since then ── it has lasted for its time ──> LATCHED ── `unlatched` ──> sound
//!                  └── gone before ──> sound                 (in a test, or while waived: the test fails instead)
//! ```

use super::signs::{SIGNS, Seens, Sign};
use crate::ledger::{Ledger, What};
use crate::observation::{Line, Observation, Part, Seen, Truth};
use crate::record::{Fact, Record};
use crate::rule::Rule;
use crate::scene::Scene;
use crate::specification::{Answer, Section, may, must};
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
const FLICKERS: Rule = Rule::new(
    "latches.flickers",
    "faults.md, Lamps: lamps whose supply flickers differ from the commands again and again",
);
const BUTTONS: [Line; 4] = [Line::Tumble, Line::PlaceBets, Line::NoMoreBets, Line::NoSpin];

/// The end of a transaction, or the next poll, may tell it a little later.
const CLOSE_NS: u64 = 30_000_000;

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
    seens: Seens,
    stretches: [VecDeque<Stretch>; SIGNS.len()],
}

impl Default for Latches {
    fn default() -> Self {
        Self { seens: Seens::default(), stretches: [const { VecDeque::new() }; SIGNS.len()] }
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

impl Section for Latches {
    fn explain(&mut self, seen: &Observation, scene: &Scene, _: &mut Ledger) -> Answer {
        let Seen::Record(record) = &seen.what else { return Answer::NotMine };
        let Fact::Latched { code } = &record.fact else { return Answer::NotMine };
        self.latched(record, code, scene)
    }

    fn notice(&mut self, seen: &Observation, scene: &Scene, ledger: &mut Ledger) {
        if let Seen::Truth(Truth::Process { .. }) = &seen.what {
            self.seens.forget();
            self.stretches.iter_mut().for_each(VecDeque::clear);
        }
        self.seens.take(seen, scene);
        if let Seen::Record(Record { fact: Fact::Latched { code }, .. }) = &seen.what {
            ledger.forget(&latched(code));
        }
        for ((sign, code, after_ns), stretch) in SIGNS.iter().zip(&mut self.stretches) {
            let Some(since_ns) = self.seens.since(*sign, scene) else { continue };
            let now_ns = scene.now_ns;
            match stretch.back_mut() {
                Some(known) if known.since_ns == since_ns => known.until_ns = now_ns,
                _ => stretch.push_back(Stretch { since_ns, until_ns: now_ns, due: false }),
            }
            if stretch.len() > 8 {
                stretch.pop_front();
            }
            let Some(last) = stretch.back_mut().filter(|last| !last.due && now_ns >= last.since_ns + after_ns) else {
                continue;
            };
            last.due = true;
            let due_ns = last.since_ns + after_ns;
            let excused = scene.is_latched(code) || scene.is_waived(code) || scene.testing() || scene.may_lag();
            let latched = latched(code);
            if !excused && !matches!(sign, Sign::Disk | Sign::Chip | Sign::Stalled) && !ledger.expects(&latched) {
                ledger.must(SHOWN, latched, due_ns.saturating_sub(CLOSE_NS), due_ns + CLOSE_NS);
            }
        }
    }
}

impl Latches {
    fn latched(&self, record: &Record, code: &str, scene: &Scene) -> Answer {
        let at_ns = record.at_ns;
        let mut accepted = Vec::new();
        for ((sign, of, after_ns), stretch) in SIGNS.iter().zip(&self.stretches).filter(|((_, of, _), _)| *of == code) {
            for Stretch { since_ns, until_ns, .. } in stretch {
                accepted.truncate(3);
                accepted.insert(
                    0,
                    format!(
                        "{sign:?} since {} us, +{} us at {}",
                        since_ns / 1000,
                        after_ns / 1000,
                        (at_ns as i64 - (*since_ns + *after_ns) as i64) / 1000
                    ),
                );
                if at_ns == since_ns + after_ns {
                    return must(SHOWN);
                }
                if at_ns + CLOSE_NS >= since_ns + after_ns && at_ns <= *until_ns {
                    return may(LATER);
                }
            }
            let _ = of;
        }
        if code == "buttons"
            && at_ns == scene.started_ns
            && BUTTONS.into_iter().any(|line| scene.past.line(line).at(at_ns).is_some_and(|(_, on)| *on))
        {
            return must(AT_START);
        }
        let flickers = self
            .stretches
            .iter()
            .zip(&SIGNS)
            .any(|(stretch, (sign, ..))| matches!(sign, Sign::Lamps(_)) && stretch.len() > 1);
        if code == "lamps" && flickers {
            return may(FLICKERS);
        }
        if code == "journal" && (at_ns == scene.started_ns || scene.recently_broken(Part::Journal, 4_000_000_000)) {
            return may(JOURNAL);
        }
        let by_word =
            scene.past.asked.within(at_ns, at_ns).any(|(_, asked)| said(&asked.command, &asked.with).contains(&code));
        if by_word {
            return must(SAID);
        }
        Answer::Unexplained(SHOWN, format!("`{code}` by a sign: {accepted:?} {}", record.data["cause"]))
    }
}
