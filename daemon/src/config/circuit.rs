//! What a line's pin, level and resistor come to once it is wired: with a cable that is cut, and while nobody drives it.

use super::problem::Wrong;
use super::{Bias, Pins};
use tumbler_core::line::{InLine, OutLine};

/// Inputs that are active while all is well, or that ask for something: a cut cable must not make them active.
const SAFE_IF_CUT: [InLine; 5] =
    [InLine::DomeClosed, InLine::Seal, InLine::PowerGood, InLine::SupervisorKey, InLine::Tumble];

/// A cable that is cut leaves its input to the chip's resistor.
pub(super) fn cut_cables(pins: &Pins, wrong: &mut Vec<Wrong>) {
    for line in SAFE_IF_CUT {
        let Some(pin) = pins.inputs.get(line.index()) else { continue };
        let (level, resistor, right) = match (pin.active_low, pin.bias) {
            (true, Bias::PullDown) => ("active-low", "pull-down", "pull-up"),
            (false, Bias::PullUp) => ("active-high", "pull-up", "pull-down"),
            _ => continue,
        };
        wrong.push((
            format!("lines.{}", line.name()),
            format!("with {level} and {resistor} a cut cable reads as {}", meaning(line)),
            format!("a broken wire must be the safe state: take {right}, or the other level"),
        ));
    }
}

const fn meaning(line: InLine) -> &'static str {
    match line {
        InLine::DomeClosed => "a dome that is down",
        InLine::Seal => "a whole seal",
        InLine::PowerGood => "a good supply",
        InLine::SupervisorKey => "a turned key",
        _ => "a pressed button",
    }
}

/// An output is at its pull-down's level until the daemon drives it, and when it has gone: nothing turns then, and the sign is
/// lit (wiring.md, Reasons).
pub(super) fn idle_outputs(pins: &Pins, wrong: &mut Vec<Wrong>) {
    for (line, meaning) in
        [(OutLine::MotorEnable, "the motor's gate is open"), (OutLine::OutOfService, "the sign is dark")]
    {
        let (pin, right) = (pins.output(line), line == OutLine::OutOfService);
        if pin.active_low != right || pin.bias == Bias::PullUp {
            wrong.push((
                format!("lines.{}", line.name()),
                format!("{meaning} while nothing drives the pin"),
                format!("take {} and no pull-up", if right { "active-low" } else { "active-high" }),
            ));
        }
    }
}
