//! The bell.
//!
//! ```text
//!  at rest ── the record of "No more bets" is durable, or a test asks for it ──> struck ── `bell` ms ──> at rest
//! ```

use crate::ledger::{Ledger, What};
use crate::observation::{Line, Observation, Part, Seen, Truth};
use crate::record::{Call, Fact};
use crate::rule::Rule;
use crate::scene::Scene;
use crate::section::{Answer, Section, may};

const STRUCK: Rule = Rule::new("bell.struck", "NZ 6.2: the bell is rung with \"No more bets\", whatever else goes on");
const TESTED: Rule =
    Rule::new("bell.tested", "NZ 5, hardware-tests.md: a test that a person asked for strikes the bell");
const STROKE: Rule = Rule::new("bell.stroke", "table.md, Parameters: a stroke lasts as long as `bell` says");
const AT_START: Rule = Rule::new(
    "bell.start",
    "virtual-wire.md, What the daemon sends: at a connection the daemon drives its outputs to rest",
);

/// The stroke of the bell (parameter `bell`).
const STROKE_NS: u64 = 150_000_000;

/// Watches the bell.
#[derive(Clone, Debug, Default)]
pub(super) struct Bell {
    struck_ns: Option<u64>,
}

impl Section for Bell {
    fn explain(&mut self, seen: &Observation, scene: &Scene, _: &mut Ledger) -> Answer {
        match &seen.what {
            Seen::Wire { line: Line::Bell, active: true, .. } if scene.testing() => may(TESTED),
            Seen::Wire { line: Line::Bell, active: true, .. } => {
                Answer::Unexplained(STRUCK, "a stroke when the record of \"No more bets\" has become durable".into())
            }
            Seen::Wire { line: Line::Bell, active: false, .. }
                if seen.at_ns == scene.started_ns || scene.is(Line::Bell, false) || scene.broken(Part::Gpio) =>
            {
                may(AT_START)
            }
            Seen::Wire { line: Line::Bell, active: false, .. } => {
                let at = self.struck_ns.map(|at| at + STROKE_NS);
                Answer::Unexplained(STROKE, format!("the end of a stroke at {at:?} ns"))
            }
            _ => Answer::NotMine,
        }
    }

    fn notice(&mut self, seen: &Observation, scene: &Scene, ledger: &mut Ledger) {
        match &seen.what {
            Seen::Record(record) if matches!(record.fact, Fact::Called { call: Call::NoMoreBets, in_turn: true }) => {
                let struck = What::Output { line: Line::Bell, active: true };
                // A bell that sounds still sounds for this call, too.
                if !scene.is(Line::Bell, true) {
                    ledger.must(STRUCK, struck, scene.now_ns, scene.now_ns);
                }
            }
            Seen::Wire { line: Line::Bell, active: true, initial: false } => {
                self.struck_ns = Some(seen.at_ns);
                let end = What::Output { line: Line::Bell, active: false };
                ledger.must(STROKE, end, seen.at_ns + STROKE_NS, seen.at_ns + STROKE_NS);
            }
            Seen::Truth(Truth::Process { .. }) => self.struck_ns = None,
            _ => {}
        }
    }
}
