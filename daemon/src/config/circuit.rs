//! What a line's pin, level and resistor come to once it is wired: with a cable that is cut, and while nobody drives it.

use super::problem::Wrong;
use super::{Bias, HEADER_CHIPS, Hardware, Pins};
use crate::hardware::thermometer;
use std::collections::BTreeMap;
use std::path::Path;
use tumbler_core::line::{InLine, OutLine};

/// What is wrong with the wires.
pub(super) fn check(hardware: &Hardware, sensor: Option<&thermometer::Settings>, wrong: &mut Vec<Wrong>) {
    let (pins, on_header) = match hardware {
        Hardware::Virtual { .. } => return,
        Hardware::Cdev { chip, pins } => (pins, HEADER_CHIPS.contains(&chip.as_str())),
        Hardware::Rppal { pins, .. } => (pins, true),
    };
    let taken = one_line_each(pins, on_header, wrong);
    cut_cables(pins, on_header, wrong);
    idle_outputs(pins, wrong);
    if let Hardware::Rppal { speed, .. } = hardware {
        no_resistors_at_outputs(pins, wrong);
        if let Some(speed) = speed {
            pwm(speed.channel, &taken, wrong);
        }
    }
    if on_header && sensor.is_some_and(|sensor| sensor.bus == Path::new("/dev/i2c-1")) {
        i2c(&taken, wrong);
    }
}

/// Two lines at one pin are one line. A name is the same pin as an offset where that is known before the chip is opened, which
/// looks again. Gives what is taken, by the header's GPIOs or as it is written.
fn one_line_each(pins: &Pins, on_header: bool, wrong: &mut Vec<Wrong>) -> BTreeMap<String, &'static str> {
    let mut taken: BTreeMap<String, &str> = BTreeMap::new();
    for (line, pin) in pins.all() {
        let number = pin.place.on_header().filter(|_| on_header);
        let key = number.map_or_else(|| pin.place.to_string(), |number| number.to_string());
        if let Some(other) = taken.insert(key, line) {
            let problem = format!("line {} is that of `{other}` already", pin.place);
            wrong.push((format!("lines.{line}"), problem, "a line of its own for each".into()));
        }
    }
    taken
}

/// Where a Raspberry Pi has this channel of its PWM. Up to the 4 the device tree says which of two; the 5 has one for each.
const fn pwm_at(channel: u8) -> &'static [u32] {
    match channel {
        0 => &[12, 18],
        1 => &[13, 19],
        2 => &[18],
        _ => &[19],
    }
}

fn pwm(channel: u8, taken: &BTreeMap<String, &'static str>, wrong: &mut Vec<Wrong>) {
    let places = pwm_at(channel);
    let others: Vec<&str> = places.iter().filter_map(|gpio| taken.get(&gpio.to_string()).copied()).collect();
    if others.len() == places.len() {
        let places: Vec<String> = places.iter().map(ToString::to_string).collect();
        wrong.push((
            "hardware.motor_pwm".into(),
            format!(
                "channel {channel} comes out at line {}, taken by `{}`",
                places.join(" or "),
                others.join("` and `")
            ),
            "the PWM's pin is no line of the table: put that elsewhere in [lines], or take another channel".into(),
        ));
    }
}

/// The header's own I2C bus.
fn i2c(taken: &BTreeMap<String, &'static str>, wrong: &mut Vec<Wrong>) {
    for gpio in ["2", "3"] {
        if let Some(line) = taken.get(gpio) {
            let problem = format!("line {gpio} is the temperature sensor's bus, /dev/i2c-1");
            wrong.push((
                format!("lines.{line}"),
                problem,
                "take another line, or another hardware.temperature_bus".into(),
            ));
        }
    }
}

/// rppal gives resistors to inputs only.
fn no_resistors_at_outputs(pins: &Pins, wrong: &mut Vec<Wrong>) {
    for (line, pin) in OutLine::ALL.into_iter().zip(&pins.outputs) {
        if pin.bias != Bias::AsIs {
            let problem = "backend \"rppal\" cannot give an output a resistor".to_owned();
            wrong.push((format!("lines.{}", line.name()), problem, "leave the word out".into()));
        }
    }
}

/// Inputs that are active while all is well, or that ask for something: a cut cable must not make them active.
const SAFE_IF_CUT: [InLine; 8] = [
    InLine::DomeClosed,
    InLine::Seal,
    InLine::PowerGood,
    InLine::SupervisorKey,
    InLine::Tumble,
    InLine::PlaceBets,
    InLine::NoMoreBets,
    InLine::NoSpin,
];

/// A cable that is cut leaves its input to the chip's resistor. Of another board than a Raspberry Pi the resistor may come from its
/// device tree; a Pi's own pull most pins down from reset on.
fn cut_cables(pins: &Pins, on_header: bool, wrong: &mut Vec<Wrong>) {
    for line in SAFE_IF_CUT {
        let Some(pin) = pins.inputs.get(line.index()) else { continue };
        let (level, right) = if pin.active_low { ("active-low", "pull-up") } else { ("active-high", "pull-down") };
        let problem = match (pin.active_low, pin.bias) {
            (true, Bias::PullUp) | (false, Bias::PullDown) => continue,
            (true, Bias::PullDown) => format!("with {level} and pull-down a cut cable reads as {}", meaning(line)),
            (false, Bias::PullUp) => format!("with {level} and pull-up a cut cable reads as {}", meaning(line)),
            (_, Bias::None) => format!("with no-pull a cut cable may read as {}", meaning(line)),
            (_, Bias::AsIs) if on_header => {
                format!("without a word about its resistor a cut cable may read as {}", meaning(line))
            }
            (_, Bias::AsIs) => continue,
        };
        let other = if matches!(pin.bias, Bias::None | Bias::AsIs) {
            "; a resistor outside that pulls the same way does not mind"
        } else {
            ", or the other level"
        };
        wrong.push((
            format!("lines.{}", line.name()),
            problem,
            format!("a broken wire must be the safe state: take {right}{other}"),
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
fn idle_outputs(pins: &Pins, wrong: &mut Vec<Wrong>) {
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
