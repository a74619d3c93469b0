//! The motor's pin and the dead-man line.
//!
//! ```text
//!  off ── record of the spin durable ──> ON, an edge every `alive` ── guard ──> off ── back within `flicker` ──> ON again
//!      <── stands still ── edges end, pin stays on <── 17 steps ─┘
//! ```

use super::press::Button;
use super::run::{How, Run, State, spinning};
use crate::ledger::{Ledger, What};
use crate::observation::{Line, Observation, Seen, Truth};
use crate::record::Fact;
use crate::rule::Rule;
use crate::scene::Scene;
use crate::section::{Answer, Section, may, must};

const SPIN: Rule =
    Rule::new("motor.spin", "design.md rule 2: the motor goes on when the record of its spin is durable");
const TESTED: Rule = Rule::new(
    "motor.test",
    "design.md, Motion by command: a test's spin begins by a press of tumble and by nothing else",
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
const STOPPED: Rule =
    Rule::new("motor.stopped", "design.md, Start and restart: a daemon that is told to stop switches its outputs off");
const DISK: Rule = Rule::new("motor.disk", "faults.md disk.full: nothing runs on if the journal cannot be written");
const WIRES: Rule = Rule::new("motor.wires", "faults.md gpio.chip_gone: motor off when lines are lost");
const OFF: Rule = Rule::new("motor.off", "design.md rule 2: what is off may be driven off again");
const ALIVE: Rule =
    Rule::new("motor.alive", "design.md, Dead-man line: an edge every 10 ms while the motor is commanded on");

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
        "journal" => DISK,
        "wires" => WIRES,
        "interruption" => SUSPENDED,
        _ => GUARD,
    }
}

/// Watches the motor's pin and the dead-man line.
#[derive(Clone, Debug)]
pub(super) struct Motor {
    run: Run,
    tumble: Button,
    /// The end that time alone will bring, as the ledger has it.
    planned: Option<(How, u64)>,
    /// The level that the table last gave the dead-man line; a daemon that starts has given none, and begins with the other one.
    alive: bool,
}

impl Default for Motor {
    fn default() -> Self {
        Self { run: Run::default(), tumble: Button::new(Line::Tumble), planned: None, alive: false }
    }
}

impl Motor {
    fn explain_off(&self, seen: &Observation, scene: &Scene, ledger: &mut Ledger) -> Answer {
        if !scene.is(Line::MotorEnable, true) || seen.at_ns == scene.started_ns {
            return may(OFF);
        }
        match self.run.cause(scene) {
            Some(how @ ("heat" | "decision")) => must(rule(how)),
            Some(how) => may(rule(how)),
            // Nobody outside sees that it was told to stop; but then it ends.
            None => {
                ledger.must(STOPPED, What::End, seen.at_ns, seen.at_ns + STOP_NS);
                may(STOPPED)
            }
        }
    }

    /// An edge of the dead-man line is due so much later.
    fn edge(&self, after_ns: u64, scene: &Scene, ledger: &mut Ledger) {
        let edge = What::Output { line: Line::MotorAlive, active: !self.alive };
        ledger.must(ALIVE, edge, scene.now_ns + after_ns, scene.now_ns + after_ns);
    }

    /// What has to happen to the pin now, after what was seen.
    fn drive(&mut self, scene: &Scene, ledger: &mut Ledger) {
        let (now_ns, on) = (scene.now_ns, scene.is(Line::MotorEnable, true));
        let planned = self.run.next(scene).filter(|_| on && !matches!(self.run.state, State::Cut { .. }));
        if planned != self.planned {
            if let Some((how, _)) = self.planned {
                ledger.drop_of(rule(how));
            }
            if let Some((how, at_ns)) = planned {
                ledger.must(rule(how), MOTOR_OFF, at_ns, at_ns);
            }
            self.planned = planned;
        }
        if !matches!(self.run.state, State::Runs) {
            ledger.drop_of(ALIVE);
        }
        match self.run.state {
            State::Cut { .. } if on && !ledger.owes(GUARD) => ledger.must(GUARD, MOTOR_OFF, now_ns, now_ns),
            State::Over { how, since_ns } if on && since_ns == now_ns && !ledger.owes(rule(how)) => {
                ledger.must(rule(how), MOTOR_OFF, now_ns, now_ns);
            }
            _ => {}
        }
    }
}

impl Section for Motor {
    fn explain(&mut self, seen: &Observation, scene: &Scene, ledger: &mut Ledger) -> Answer {
        match &seen.what {
            Seen::Wire { line: Line::MotorEnable, active: true, .. } => {
                Answer::Unexplained(SPIN, format!("no edge: {:?}", self.run.state))
            }
            Seen::Wire { line: Line::MotorEnable, active: false, .. } => self.explain_off(seen, scene, ledger),
            Seen::Wire { line: Line::MotorAlive, .. } => Answer::Unexplained(
                ALIVE,
                format!("an edge 10 ms after the last one, while it runs: {:?}", self.run.state),
            ),
            _ => Answer::NotMine,
        }
    }

    fn notice(&mut self, seen: &Observation, scene: &Scene, ledger: &mut Ledger) {
        let now_ns = seen.at_ns;
        let before = self.run.state;
        self.run.notice(seen, scene);
        self.tumble.take(seen, scene);
        match &seen.what {
            Seen::Truth(Truth::Process { .. }) => (self.planned, self.alive) = (None, false),
            Seen::Truth(Truth::Hung { .. }) => self.planned = None,
            Seen::Record(record)
                if matches!(record.fact, Fact::SpinBegan)
                    && record.at_ns >= scene.started_ns
                    && self.run.dropped(record.at_ns, scene).is_none() =>
            {
                ledger.must(SPIN, MOTOR_ON, now_ns, now_ns);
            }
            Seen::Wire { line: Line::Tumble, initial: false, .. } => {
                ledger.drop_of(TESTED);
                if let Some(due) = self.tumble.due(scene).filter(|_| scene.testing()) {
                    ledger.may(TESTED, MOTOR_ON, due, due);
                }
            }
            Seen::Wire { line: Line::MotorEnable, active: true, .. } if self.run.state == State::Runs => {
                self.edge(0, scene, ledger);
            }
            Seen::Wire { line: Line::MotorAlive, active, initial: false } => {
                self.alive = *active;
                if self.run.state == State::Runs {
                    self.edge(ALIVE_NS, scene, ledger);
                }
            }
            Seen::Wire { line, initial: false, .. } if line.guards() && self.run.comes_back(before, scene) => {
                // A test that has to find whether a line breaks ends when it does.
                let owe = if spinning(scene) { Ledger::must } else { Ledger::may };
                owe(ledger, AGAIN, MOTOR_ON, now_ns, now_ns);
            }
            _ => {}
        }
        self.drive(scene, ledger);
    }

    fn state(&self) -> String {
        format!("; run: {:?}, steps {}", self.run.state, self.run.cam.most)
    }
}
