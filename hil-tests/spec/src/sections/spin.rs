//! The records of a spin: what the cam shows is what they say.
//!
//! ```text
//!  began ──┬── dropped: something came in the way before it was durable
//!          └── motor on ── flickered (up to `flickers`) ── made: 13 steps ── ended: how, steps, full tumbles, valid
//! ```

use super::run::{How, NEEDED, new_zealand, spinning};
use crate::ledger::{Ledger, What};
use crate::observation::{Line, Observation, Seen, Truth};
use crate::record::Fact;
use crate::rule::Rule;
use crate::scene::Scene;
use crate::section::{Answer, Section};
use serde_json::{Value, json};

const MADE: Rule = Rule::new("spin.made", "table.md, How tumbles are counted: the 13th step proves three tumbles");
const FLICKERED: Rule = Rule::new("spin.flickered", "design.md, Motor guard: after a flicker the same spin goes on");
const ENDED: Rule = Rule::new(
    "spin.ended",
    "design.md, Spin; mqtt.md, What ends a spin: judged once its shaft stands still, by what the cam showed",
);
const LOST: Rule = Rule::new(
    "spin.lost",
    "table.md, Phases: a controller that is lost after the third tumble is on record finds a valid spin",
);
const SUSPENDED: Rule = Rule::new(
    "spin.suspended",
    "table.md, How the motor stops: tumbles that were counted before it was suspended count",
);

/// What latches these ends a spin that is not over at once.
const ENDING: [&str; 5] = ["tumbler", "dome", "seal", "gpio", "journal"];

/// Watches the records of spins.
#[derive(Clone, Debug, Default)]
pub(super) struct Spin {
    /// A spin of a round is under way: its motor was or will be on.
    under_way: bool,
    /// How the spin ends and when, as the ledger has it.
    planned: Option<(How, u64, i64)>,
    hung_ns: Option<u64>,
    /// When a latch ended it before its shaft stood still.
    cut_ns: u64,
    /// When its dome will have been away for long enough.
    exposed_ns: Option<u64>,
}

/// What the record of the end says.
fn ended(how: How, steps: i64, scene: &Scene) -> What {
    // NZ 7.1(b): nor does a tumbler operate correctly that does this.
    let fails = ["stall", "reverse", "erratic", "slow", "time-limit"].contains(&how) && new_zealand(scene);
    let valid = steps >= NEEDED && how != "runs-on" && !fails;
    let tumbles = (steps - 1).max(0) / 4;
    let data = [
        ("how", json!(how)),
        ("steps", json!(steps)),
        ("needed", json!(NEEDED)),
        ("tumbles", json!(tumbles)),
        ("valid", json!(valid)),
    ];
    What::Record { kind: "spin-ended", data: data.to_vec() }
}

fn record(kind: &'static str, field: &'static str, value: Value) -> What {
    What::Record { kind, data: vec![(field, value)] }
}

impl Spin {
    fn plan(&mut self, scene: &Scene, ledger: &mut Ledger) {
        self.exposed(scene);
        let judged = scene.run.judged(scene).filter(|_| self.under_way);
        let planned = judged.map(|(how, at_ns)| {
            (how, at_ns.min(self.cut_ns).min(self.exposed_ns.unwrap_or(u64::MAX)), scene.run.counted)
        });
        if planned == self.planned {
            return;
        }
        ledger.drop_of(ENDED);
        if let Some((how, at_ns, steps)) = planned {
            let (rule, from_ns) = match (how, self.hung_ns) {
                ("interruption", Some(hung_ns)) => (SUSPENDED, hung_ns),
                _ => (ENDED, at_ns),
            };
            ledger.must(rule, ended(how, steps, scene), from_ns, at_ns);
        }
        self.planned = planned;
    }

    /// A dome that is found away before "No more bets" voids the round, and ends its spin, at once.
    fn exposed(&mut self, scene: &Scene) {
        let contacts = [(Line::DomeClosed, false), (Line::DomeOpen, true)];
        let away = contacts.iter().all(|(line, away)| scene.is(*line, *away));
        let bets = scene.round.as_ref().is_some_and(|round| round.covered() && !round.called);
        let since_ns = contacts.iter().map(|(line, _)| scene.since(*line)).max().unwrap_or(0);
        self.exposed_ns = (away && bets).then_some(since_ns + scene.config.given.limits.dome_debounce_ns);
    }

    fn read(&mut self, seen: &Observation, scene: &Scene, ledger: &mut Ledger) {
        let Seen::Record(record) = &seen.what else { return };
        match &record.fact {
            Fact::SpinBegan if record.at_ns >= scene.started_ns => (self.under_way, self.cut_ns) = (true, u64::MAX),
            Fact::Plain if record.kind == "spin-dropped" => self.under_way = false,
            Fact::SpinEnded { .. } => self.under_way = false,
            Fact::Latched { code }
                if self.under_way
                    && ENDING.contains(&code.as_str())
                    && (code != "tumbler" || scene.run.counted < NEEDED) =>
            {
                self.cut_ns = record.at_ns;
            }
            Fact::Started { .. } if scene.round.as_ref().is_some_and(|round| round.spinning && round.made) => {
                ledger.must(LOST, ended("interruption", NEEDED, scene), record.at_ns, record.at_ns);
            }
            _ => {}
        }
        self.under_way &= !scene.ended;
    }
}

impl Section for Spin {
    fn rules(&self) -> Vec<Rule> {
        vec![MADE, FLICKERED, ENDED, LOST, SUSPENDED]
    }

    fn explain(&mut self, seen: &Observation, scene: &Scene, _: &mut Ledger) -> Answer {
        let Seen::Record(record) = &seen.what else { return Answer::NotMine };
        let accepted = || {
            format!(
                "planned {:?}; {:?}, {:?}, {} steps",
                self.planned, scene.run.state, scene.run.cam, scene.run.counted
            )
        };
        match record.kind.as_str() {
            "spin-made" => Answer::Unexplained(MADE, accepted()),
            "spin-flickered" => Answer::Unexplained(FLICKERED, accepted()),
            "spin-ended" => Answer::Unexplained(ENDED, accepted()),
            _ => Answer::NotMine,
        }
    }

    fn notice(&mut self, seen: &Observation, scene: &Scene, ledger: &mut Ledger) {
        self.read(seen, scene, ledger);
        match &seen.what {
            Seen::Truth(Truth::Process { .. }) => (self.under_way, self.planned, self.hung_ns) = (false, None, None),
            Seen::Truth(Truth::Hung { hung: true }) => (self.planned, self.hung_ns) = (None, Some(seen.at_ns)),
            Seen::Wire { .. } if self.under_way && scene.run.reached(NEEDED, seen) => {
                ledger.must(MADE, record("spin-made", "steps", json!(NEEDED)), seen.at_ns, seen.at_ns);
            }
            _ => {}
        }
        if let Some(line) = scene.run.back {
            let flickered = record("spin-flickered", "line", json!(line.name()));
            let owe = if spinning(scene) { Ledger::must } else { Ledger::may };
            owe(ledger, FLICKERED, flickered, seen.at_ns, seen.at_ns);
        }
        self.plan(scene, ledger);
    }
}
