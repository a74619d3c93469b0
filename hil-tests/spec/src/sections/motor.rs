//! The motor's pin and the dead-man line.
//!
//! ```text
//!  off ── record of the spin durable ──> ON, an edge every `alive` ── guard ──> off ── back within `flicker` ──> ON again
//!      <── stands still ── edges end, pin stays on <── 17 steps ─┘
//! ```

use super::round::{GRANTED, equipment, is_grave, withdrawn};
use super::run::{How, State, spinning};
use crate::ledger::{Ledger, What};
use crate::observation::{Line, Observation, Seen, Truth};
use crate::record::{Fact, Record};
use crate::rule::Rule;
use crate::scene::Scene;
use crate::section::{Answer, COMMIT_NS, Section, may, must};

const SPIN: Rule =
    Rule::new("motor.spin", "design.md rule 2: the motor goes on when the record of its spin is durable");
const TESTED: Rule = Rule::new(
    "motor.test",
    "design.md, Motion by command: a test's spin begins by a press of tumble and by nothing else",
);
const ASKS: Rule = Rule::new(
    "motor.asks",
    "design.md, Motion by command: when a test comes to its spin, the table asks for a press of `tumble`",
);
const AGAIN: Rule = Rule::new("motor.again", "design.md, Motor guard: after a flicker the same spin goes on");
const GUARD: Rule =
    Rule::new("motor.guard", "design.md, Motor guard: the first raw edge of a guard line switches the motor off");
const NO_SPIN: Rule = Rule::new("motor.no-spin", "table.md, Phases: \"No spin\" stops a running motor always");
const TARGET: Rule = Rule::new("motor.target", "table.md, How the motor stops: off when the cam stands still");
const COAST: Rule =
    Rule::new("motor.coast", "faults.md deadman.stuck: off when the shaft turns on past the relay's drop");
const LIMIT: Rule = Rule::new("motor.limit", "design.md, Spin: a spin ends at its time limit");
const STALL: Rule = Rule::new("motor.stall", "faults.md motor.stall: off 700 ms after the last cam edge");
const SLOW: Rule = Rule::new("motor.slow", "faults.md motor.slow: off when a tumble takes longer than `tumble_period`");
const CAM: Rule = Rule::new("motor.cam", "faults.md motor.reverse, cam: off when the cam falls back");
const HEAT: Rule =
    Rule::new("motor.heat", "faults.md motor.hot: off at a reading beyond the limit, or without a reading");
const DECIDED: Rule = Rule::new("motor.decided", "table.md, Phases: a named person's void stops a spin");
const SUSPENDED: Rule = Rule::new(
    "motor.suspended",
    "table.md, How the motor stops: a daemon that was suspended switches the motor off before any edge",
);
const STOPPED: Rule = Rule::new(
    "motor.stopped",
    "design.md, Start and restart; faults.md disk.full, gpio.chip_gone: off when it is told to stop, or loses its disk or its lines; \
     which ends it, or is latched",
);
const OFF: Rule = Rule::new("motor.off", "design.md rule 2: what is off may be driven off again");
const ALIVE: Rule =
    Rule::new("motor.alive", "design.md, Dead-man line: an edge every 10 ms while the motor is commanded on");

/// The press has to come within this time of the table's asking.
const PRESS_NS: u64 = 10_000_000_000;
/// The question for a press of `tumble`.
const QUESTION: &str = "prompt tumble";
const MOTOR_ON: What = What::Output { line: Line::MotorEnable, active: true };
const MOTOR_OFF: What = What::Output { line: Line::MotorEnable, active: false };
/// Parameter `alive`.
const ALIVE_NS: u64 = 10_000_000;
/// A daemon that is told to stop has written its last record by then.
const STOP_NS: u64 = 4_000_000_000;

/// The rule by which a run that ends so has its motor switched off.
fn rule(how: How) -> Rule {
    match how {
        "no-spin" => NO_SPIN,
        "target" => TARGET,
        "runs-on" => COAST,
        "time-limit" => LIMIT,
        "stall" => STALL,
        "slow" => SLOW,
        "reverse" | "erratic" => CAM,
        "heat" => HEAT,
        "decision" => DECIDED,
        "interruption" => SUSPENDED,
        _ => GUARD,
    }
}

/// Watches the motor's pin and the dead-man line.
#[derive(Clone, Debug, Default)]
pub(super) struct Motor {
    /// The end that time alone will bring, as the ledger has it.
    planned: Option<(How, u64)>,
    /// The level that the table last gave the dead-man line; a daemon that starts has given none, and begins with the other one.
    alive: bool,
    /// Whether the table asks for a press of `tumble`, and since when it has for this spin.
    asks: bool,
    asked_ns: Option<u64>,
    /// Whether the bench shows the table's own account of its state.
    told: bool,
    /// Whether the test that began last is an opening.
    opens: bool,
}

impl Motor {
    fn explain_off(&self, seen: &Observation, scene: &Scene, ledger: &mut Ledger) -> Answer {
        if !scene.is(Line::MotorEnable, true) || seen.at_ns == scene.started_ns {
            return may(OFF);
        }
        if let Some(how) = scene.run.cause(scene) {
            return must(rule(how));
        }
        // Nobody outside sees that it was told to stop, or what it lost.
        ledger.must(STOPPED, What::End, seen.at_ns, seen.at_ns + STOP_NS);
        may(STOPPED)
    }

    fn explain_on(seen: &Observation, scene: &Scene, ledger: &mut Ledger) -> Answer {
        let withdrawn = withdrawn(scene, seen.at_ns);
        if ledger.meet(GRANTED, seen.at_ns) && withdrawn.is_none() {
            return must(SPIN);
        }
        Answer::Unexplained(SPIN, format!("no edge: {:?}; in its way: {withdrawn:?}", scene.run.state))
    }

    /// An edge of the dead-man line is due so much later.
    fn edge(&self, after_ns: u64, scene: &Scene, ledger: &mut Ledger) {
        let edge = What::Output { line: Line::MotorAlive, active: !self.alive };
        ledger.must(ALIVE, edge, scene.now_ns + after_ns, scene.now_ns + after_ns);
    }

    fn read(&mut self, record: &Record, scene: &Scene, ledger: &mut Ledger) {
        match &record.fact {
            // The motor goes on just now, or what stood in its way until now drops the spin.
            Fact::SpinBegan if record.at_ns >= scene.started_ns => {
                ledger.must(SPIN, What::Own(GRANTED), record.at_ns, scene.now_ns);
            }
            Fact::Latched { code } => {
                if ["journal", "gpio"].contains(&code.as_str()) {
                    ledger.drop_of(STOPPED);
                }
                let began_ns = scene.run.began_ns;
                if is_grave(code) && scene.run.durable_ns == began_ns && record.at_ns < began_ns && spinning(scene) {
                    ledger.wrong(SPIN, format!("the spin began although {code} had latched"));
                }
            }
            _ if scene.ended => ledger.drop_of(SPIN),
            Fact::Plain if record.kind == "test-began" => {
                self.opens = record.data.get("test").is_some_and(|test| test == "opening");
                self.asked_ns = None;
            }
            // After the seal comes the spin.
            Fact::Tested { test, passed: true, .. } if test == "seal" && self.opens && record.who.is_none() => {
                let held = [Line::Tumble, Line::NoSpin].into_iter().any(|line| scene.is(line, true));
                if self.told && !held && equipment(scene, scene.now_ns).is_none() {
                    ledger.must(ASKS, What::Own(QUESTION), scene.now_ns, scene.now_ns);
                }
            }
            _ => {}
        }
    }

    /// What has to happen to the pin now, after what was seen.
    fn drive(&mut self, scene: &Scene, ledger: &mut Ledger) {
        let (now_ns, on) = (scene.now_ns, scene.is(Line::MotorEnable, true));
        let planned = scene.run.next(scene).filter(|_| on && !matches!(scene.run.state, State::Cut { .. }));
        if planned != self.planned {
            if let Some((how, _)) = self.planned {
                ledger.drop_of(rule(how));
            }
            if let Some((how, at_ns)) = planned {
                ledger.must(rule(how), MOTOR_OFF, at_ns, at_ns);
            }
            self.planned = planned;
        }
        if !matches!(scene.run.state, State::Runs) {
            ledger.drop_of(ALIVE);
        }
        match scene.run.state {
            State::Cut { .. } if on && !ledger.owes(GUARD) => ledger.must(GUARD, MOTOR_OFF, now_ns, now_ns),
            State::Over { how, since_ns } if on && since_ns == now_ns && !ledger.owes(rule(how)) => {
                ledger.must(rule(how), MOTOR_OFF, now_ns, now_ns);
            }
            _ => {}
        }
    }
}

impl Section for Motor {
    fn rules(&self) -> Vec<Rule> {
        vec![
            SPIN, TESTED, ASKS, AGAIN, GUARD, NO_SPIN, TARGET, COAST, LIMIT, STALL, SLOW, CAM, HEAT, DECIDED,
            SUSPENDED, STOPPED, OFF, ALIVE,
        ]
    }

    fn explain(&mut self, seen: &Observation, scene: &Scene, ledger: &mut Ledger) -> Answer {
        match &seen.what {
            Seen::Wire { line: Line::MotorEnable, active: true, .. } => Self::explain_on(seen, scene, ledger),
            Seen::Wire { line: Line::MotorEnable, active: false, .. } => self.explain_off(seen, scene, ledger),
            Seen::Wire { line: Line::MotorAlive, .. } => Answer::Unexplained(
                ALIVE,
                format!("an edge 10 ms after the last one, while it runs: {:?}", scene.run.state),
            ),
            _ => Answer::NotMine,
        }
    }

    fn notice(&mut self, seen: &Observation, scene: &Scene, ledger: &mut Ledger) {
        let now_ns = seen.at_ns;
        match &seen.what {
            Seen::Truth(Truth::Process { .. }) => {
                (self.planned, self.alive, self.asks, self.asked_ns) = (None, false, false, None)
            }
            Seen::Status(status) => {
                self.told = true;
                self.asks = status.pointer("/prompt/id").is_some_and(|id| id == "tumble");
                if self.asks {
                    self.asked_ns.get_or_insert(now_ns);
                    ledger.meet(QUESTION, now_ns);
                }
            }
            Seen::Truth(Truth::Hung { .. }) => self.planned = None,
            Seen::Record(record) => self.read(record, scene, ledger),
            Seen::Wire { line: Line::Tumble, initial: false, .. } => {
                ledger.drop_of(TESTED);
                let until_ns = self.asked_ns.filter(|_| self.asks).map_or(0, |at| at + PRESS_NS);
                let asked = |due: &u64| *due < until_ns || !self.told && scene.testing();
                if let Some(due) = scene.buttons.due(Line::Tumble).filter(asked) {
                    // The time runs from the decision to ask, which is told once it is durable.
                    let owe = if due + COMMIT_NS < until_ns { Ledger::must } else { Ledger::may };
                    owe(ledger, TESTED, MOTOR_ON, due, due);
                }
            }
            // What comes in its way before it has acted takes the press back.
            Seen::Wire { line, initial: false, .. }
                if (line.guards() || *line == Line::NoSpin) && ledger.owes(TESTED) =>
            {
                ledger.drop_of(TESTED);
                if let Some(due) = scene.buttons.due(Line::Tumble) {
                    ledger.may(TESTED, MOTOR_ON, due, due);
                }
            }
            Seen::Wire { line: Line::MotorEnable, active: true, .. } if scene.run.state == State::Runs => {
                self.asked_ns = None;
                self.edge(0, scene, ledger);
            }
            Seen::Wire { line: Line::MotorAlive, active, initial: false } => {
                self.alive = *active;
                if scene.run.state == State::Runs {
                    self.edge(ALIVE_NS, scene, ledger);
                }
            }
            _ => {}
        }
        if scene.run.back.is_some() {
            // A test that has to find whether a line breaks ends when it does.
            let owe = if spinning(scene) { Ledger::must } else { Ledger::may };
            owe(ledger, AGAIN, MOTOR_ON, now_ns, now_ns);
        }
        self.drive(scene, ledger);
    }
}
