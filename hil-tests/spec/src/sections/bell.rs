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
use crate::section::{Answer, COMMIT_NS, Section, may, must};

const STRUCK: Rule = Rule::new("bell.struck", "NZ 6.2: the bell is rung with \"No more bets\", whatever else goes on");
const TESTED: Rule =
    Rule::new("bell.tested", "NZ 5, hardware-tests.md: a test that a person asked for strikes the bell");
const AGAIN: Rule =
    Rule::new("bell.again", "design.md, Wires: an output that does not read back is driven again every 100 ms");
const STROKE: Rule = Rule::new("bell.stroke", "table.md, Parameters: a stroke lasts as long as `bell` says");
const AT_START: Rule = Rule::new(
    "bell.start",
    "virtual-wire.md, What the daemon sends: at a connection the daemon drives its outputs to rest",
);

/// The stroke of the bell (parameter `bell`).
const STROKE_NS: u64 = 150_000_000;

/// Parameter `readback`.
const READBACK_NS: u64 = 100_000_000;
/// The stroke that a call is owed.
const CALL: &str = "stroke for a call";

/// Watches the bell.
#[derive(Clone, Debug, Default)]
pub(super) struct Bell {
    struck_ns: Option<u64>,
    /// When the record of the last call was durable.
    called_ns: u64,
    /// When the last record was.
    durable_ns: u64,
}

impl Section for Bell {
    fn rules(&self) -> Vec<Rule> {
        vec![STRUCK, TESTED, AGAIN, STROKE, AT_START]
    }

    fn explain(&mut self, seen: &Observation, scene: &Scene, ledger: &mut Ledger) -> Answer {
        match &seen.what {
            Seen::Wire { line: Line::Bell, active: true, .. }
                if seen.at_ns == self.durable_ns && ledger.meet(CALL, seen.at_ns) =>
            {
                must(STRUCK)
            }
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
        if matches!(seen.what, Seen::Record(_)) {
            self.durable_ns = seen.at_ns;
        }
        match &seen.what {
            Seen::Record(record) if matches!(record.fact, Fact::Called { call: Call::NoMoreBets, in_turn: true }) => {
                self.called_ns = scene.now_ns;
                // A bell that sounds still sounds for this call, too.
                if scene.is_latched("journal") {
                    // A journal that failed is believed again once all that waits for it is durable.
                    ledger.may(STRUCK, What::Own(CALL), scene.now_ns, scene.now_ns + COMMIT_NS);
                } else if !scene.is(Line::Bell, true) {
                    ledger.must(STRUCK, What::Own(CALL), scene.now_ns, scene.now_ns);
                }
            }
            // In the next round it would ring for another call.
            Seen::Record(record) if scene.began && record.at_ns <= self.called_ns => ledger.drop_of(STRUCK),
            Seen::Readback { line: Line::Bell, active } => {
                ledger.drop_of(AGAIN);
                if let Some(told) = scene.level(Line::Bell).filter(|told| told != active) {
                    let (again, at_ns) = (What::Output { line: Line::Bell, active: told }, seen.at_ns + READBACK_NS);
                    ledger.must(AGAIN, again, at_ns, at_ns);
                }
            }
            Seen::Wire { line: Line::Bell, active: true, initial: false } if !ledger.owes(STROKE) => {
                self.struck_ns = Some(seen.at_ns);
                let end = What::Output { line: Line::Bell, active: false };
                ledger.must(STROKE, end, seen.at_ns + STROKE_NS, seen.at_ns + STROKE_NS);
            }
            Seen::Truth(Truth::Process { .. }) => self.struck_ns = None,
            _ => {}
        }
    }
}
