//! The abstract inputs: one letter each, in the words of a scenario's steps, so that a path is a scenario.
//!
//! A letter is offered only where it has an effect: a lifted dome is not lifted again, a daemon that runs is not started.
//! Dealers err in every way. The supervisor does not lie: statements about dice and dome are offered only where they are true.
//! Nobody stands at the button who presses it when a test asks for that: the press is a letter like every other.
//! Acts end after a fraction of a second; two letters let time pass:
//!
//! - `a moment`: until the next record or the next whole tumble, at most 5 s. So every moment of a spin, of a test and of a
//!   settling is a state.
//! - `rest`: until nothing moves, everything is durable and nothing has been recorded for 0.7 s, at most 20 s.
//!
//! Both are written down as `pass N ms` with the time that they took.

use super::view::View;
use crate::scenario::parse;
use crate::scenario::step::Step;
use tumbler_bench::environment_fault::SLOW_SYNC_MILLIS;
use tumbler_bench::{EnvironmentFault, Wrong};
use tumbler_core::line::InLine;
use tumbler_core::rules;
use tumbler_twin::{Declared, Fault};

/// What a letter does.
#[derive(Clone, Debug)]
pub enum Action {
    /// These steps.
    Steps(Vec<Step>),
    /// These words, with the first latched malfunction in place of `{code}`.
    OfLatch(&'static str),
    /// Time passes until the next record or whole tumble.
    Moment,
    /// Time passes until the table is at rest.
    Rest,
}

/// When a letter is offered.
type Offered = fn(&View) -> bool;

/// One abstract input.
#[derive(Clone, Debug)]
pub struct Letter {
    /// Its words, as a scenario has them.
    pub words: String,
    /// What it does.
    pub action: Action,
    when: Offered,
    /// The fault that it injects, or heals (`false`).
    fault: Option<(Fault, bool)>,
}

impl Letter {
    /// Whether it is offered here, with at most `faults` faults of the twin at once.
    #[must_use]
    pub fn is_offered(&self, view: &View, faults: usize) -> bool {
        let fault = match self.fault {
            None => true,
            Some((fault, true)) => view.faults.len() < faults && !view.faults.contains(&fault),
            Some((fault, false)) => view.faults.contains(&fault),
        };
        fault && (self.when)(view)
    }
}

/// The disk withholds every commit. Beside it, the search breaks what the twin's table has a letter for.
pub(super) const SLOW: EnvironmentFault = EnvironmentFault::DiskTakes(SLOW_SYNC_MILLIS);

/// Letters of people and of the machine, with when they are offered. A fixed pause lets contacts and commits settle.
const ACTS: &[(&str, Offered)] = &[
    ("press tumble", |v| v.physical.supply),
    ("press place_bets", |v| v.physical.supply),
    ("press no_more_bets", |v| v.physical.supply),
    ("press no_spin", |v| v.physical.supply),
    ("turn key", View::is_up),
    ("lift dome", |v| !v.physical.dome_up),
    ("lift dome; pass 300 ms", |v| !v.physical.dome_up),
    ("lower dome; pass 300 ms", |v| v.physical.dome_up),
    ("key 1 3 6 entry", View::is_up),
    ("key 1 1 2 entry", View::is_up),
    ("key 4 entry", View::is_up),
    ("key entry", View::is_up),
    ("break seal; pass 50 ms", |v| v.level(InLine::Seal)),
    ("mend seal; pass 50 ms", |v| !v.level(InLine::Seal)),
    ("turn shaft 4 quarters; pass 2 s", |v| !v.physical.shaft_moves),
    ("lay die 1 face 5 flat; pass 600 ms", |v| !v.physical.shaft_moves),
    ("dip supply; pass 50 ms", |v| v.physical.supply),
    ("hold tumble; pass 50 ms", |v| !v.level(InLine::Tumble)),
    ("release tumble; pass 50 ms", |v| v.level(InLine::Tumble)),
    ("kill", View::is_up),
    ("stop", View::is_up),
    ("start; pass 100 ms", |v| !v.is_up() && v.physical.supply),
    ("power off", |v| v.physical.supply),
    ("power on; pass 100 ms", |v| !v.physical.supply),
    ("ask alone open; pass 20 ms", idle),
    (
        "ask witness areas right; ask witness seal right; ask witness bell right; ask witness sign right; pass 50 ms",
        tested,
    ),
    ("ask witness areas wrong; pass 20 ms", tested),
    ("ask close; pass 20 ms", View::is_up),
    ("ask void; pass 20 ms", in_round),
    ("ask void damaged; pass 20 ms", in_round),
    ("ask void not-flat; pass 20 ms", cocked),
    ("ask settle; pass 20 ms", in_round),
    ("ask amend 1 3 6 uphold; pass 20 ms", shown),
    ("ask confirm-dome; pass 20 ms", uncovered),
];

fn idle(view: &View) -> bool {
    view.table.as_ref().is_some_and(|table| !table.open && table.test.is_none())
}

fn tested(view: &View) -> bool {
    view.table.as_ref().and_then(|table| table.test.as_ref()).is_some_and(|test| test.contains("witness"))
}

fn in_round(view: &View) -> bool {
    view.table.as_ref().is_some_and(|table| table.round.is_some())
}

fn cocked(view: &View) -> bool {
    in_round(view) && view.physical.flat.contains(&false)
}

/// The dice show what the letters of keys and commands say.
fn shown(view: &View) -> bool {
    in_round(view) && view.physical.faces == [1, 3, 6]
}

fn uncovered(view: &View) -> bool {
    in_round(view) && view.physical.dome_up
}

/// All letters under this rule set and layout.
///
/// # Errors
/// A letter that is no step: the alphabet is wrong.
pub fn letters(rules: &str, layout: &str) -> Result<Vec<Letter>, Wrong> {
    let covered = rules::rule_set(rules).is_some_and(|set| set.order.covered);
    let fixed = |words: &str, when: Offered, fault| {
        Ok(Letter { words: words.to_owned(), action: Action::Steps(steps(words, layout)?), when, fault })
    };
    let mut all = vec![
        Letter { words: "a moment".into(), action: Action::Moment, when: |_| true, fault: None },
        Letter { words: "rest".into(), action: Action::Rest, when: |_| true, fault: None },
    ];
    for (words, when) in ACTS.iter().filter(|(words, _)| covered || !words.contains("dome")) {
        all.push(fixed(words, *when, None)?);
    }
    for words in ["ask alone reset {code} rectified; pass 50 ms", "ask reset {code} procedure; pass 50 ms"] {
        let when: Offered = |view| view.latched().is_some();
        all.push(Letter { words: words.into(), action: Action::OfLatch(words), when, fault: None });
    }
    all.push(fixed(&format!("fault {SLOW}"), |v| !v.slow, None)?);
    all.push(fixed(&format!("heal {SLOW}"), |v| v.slow, None)?);
    let here = Fault::TABLE.iter().map(|row| &row.entry).filter(|entry| entry.swarm.fits(covered, true));
    for name in here.filter_map(|entry| Some(entry.with(entry.search?))) {
        let fault = Fault::named(&name, rules::layout(layout))?;
        all.push(fixed(&format!("fault {name}; pass 50 ms"), |_| true, Some((fault, true)))?);
        all.push(fixed(&format!("heal {name}; pass 50 ms"), |_| true, Some((fault, false)))?);
    }
    Ok(all)
}

/// The steps of words with semicolons between them.
///
/// # Errors
/// The word that is wrong in the first that is none.
pub fn steps(words: &str, layout: &str) -> Result<Vec<Step>, Wrong> {
    Ok(parse::line_of_steps(words, layout)?.into_iter().flat_map(|(_, steps)| steps).collect())
}
