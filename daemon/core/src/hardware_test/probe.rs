//! What watches a hardware test.

use super::{
    Buttons, Dome, HardwareTest, Keys, LampMap, Loop, Measurement, Plots, Settling, Spin, Thermometer, Traffic,
};
use crate::device::bus::Unit;
use crate::line::{InLine, Key};
use crate::prelude::*;
use crate::settings::Parameters;
use crate::units::{MilliCelsius, Mono};
use serde::{Deserialize, Serialize};

/// What a probe hears of, whatever the test.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Signal {
    /// A raw edge of a wire.
    Edge(InLine, bool),
    /// A transaction on the field bus began.
    Asked,
    /// It was answered by this unit, well or not.
    Answered(Unit, bool),
    /// The terminal was polled.
    Polled {
        /// A key is held.
        held: bool,
        /// Presses that were bounce, since the start.
        bounced: u32,
    },
    /// A key of the terminal was pressed.
    Pressed(Key),
    /// A temperature was read.
    Read(MilliCelsius),
}

/// What watches a test and measures.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Probe {
    /// A spin, for the motor.
    Motor(Spin),
    /// A spin, for the cam.
    Cam(Spin),
    /// The dome.
    Dome(Dome),
    /// The buttons and the key.
    Buttons(Box<Buttons>),
    /// Nothing is measured: a person's answer is all.
    Person,
    /// The terminal.
    Terminal(Keys),
    /// The lamps.
    Lamps(LampMap),
    /// The reader.
    Reader(Settling),
    /// The seal.
    Seal(Loop),
    /// The temperature.
    Temperature(Thermometer),
    /// The field bus.
    Bus(Traffic),
}

impl Probe {
    /// The probe of this test.
    #[must_use]
    pub fn new(test: HardwareTest) -> Self {
        match test {
            HardwareTest::Motor => Self::Motor(Spin::default()),
            HardwareTest::Cam => Self::Cam(Spin::default()),
            HardwareTest::Dome => Self::Dome(Dome::default()),
            HardwareTest::Buttons => Self::Buttons(Box::default()),
            HardwareTest::Bell => Self::Person,
            HardwareTest::Terminal => Self::Terminal(Keys::default()),
            HardwareTest::Lamps => Self::Lamps(LampMap::default()),
            HardwareTest::Reader => Self::Reader(Settling::default()),
            HardwareTest::Seal => Self::Seal(Loop::default()),
            HardwareTest::Temperature => Self::Temperature(Thermometer::default()),
            HardwareTest::Bus => Self::Bus(Traffic::default()),
        }
    }

    /// Takes what just happened at `at`, as far as this test is about it. Some things count only while it `measures`: neither before
    /// nor while a person is waited for.
    pub fn take(&mut self, signal: Signal, at: Mono, measures: bool) {
        match (self, signal) {
            (Self::Motor(spin) | Self::Cam(spin), Signal::Edge(line @ (InLine::CamA | InLine::CamB), active)) => {
                spin.edge(line, active, at);
            }
            (Self::Dome(dome), Signal::Edge(line @ (InLine::DomeClosed | InLine::DomeOpen), active)) => {
                dome.edge(line, active, at);
            }
            (Self::Buttons(buttons), Signal::Edge(line, active)) if measures => buttons.edge(line, active, at),
            (Self::Seal(seal), Signal::Edge(InLine::Seal, active)) if measures => seal.edge(active),
            (Self::Bus(traffic), Signal::Asked) => traffic.ask(at),
            (Self::Bus(traffic), Signal::Answered(unit, good)) => traffic.answer(unit, at, good),
            (Self::Terminal(keys), Signal::Polled { held, bounced }) => keys.poll(held, bounced, at),
            (Self::Terminal(keys), Signal::Pressed(key)) if measures => keys.press(key),
            (Self::Temperature(thermometer), Signal::Read(reading)) if measures => thermometer.read(reading, at),
            _ => {}
        }
    }

    /// Whether it looks at this unit of the field bus closely.
    #[must_use]
    pub fn watches(&self, unit: Unit) -> bool {
        match self {
            Self::Bus(_) => true,
            Self::Terminal(_) => unit == Unit::Terminal,
            Self::Reader(_) => unit == Unit::Reader,
            _ => false,
        }
    }

    /// Whether the terminal's keys are its own, and enter nothing.
    #[must_use]
    pub const fn takes_keys(&self) -> bool {
        matches!(self, Self::Terminal(_))
    }

    /// Whether the buttons and the key are its own, and command nothing.
    #[must_use]
    pub const fn takes_buttons(&self) -> bool {
        matches!(self, Self::Buttons(_))
    }

    /// What is measured by `now`: of a test in progress, as far as it is known.
    #[must_use]
    pub fn measurements(&self, now: Mono, p: &Parameters) -> Vec<Measurement> {
        let values = match self {
            Self::Motor(spin) => spin.motor(now),
            Self::Cam(spin) => spin.cam(),
            Self::Dome(dome) => dome.found(),
            Self::Buttons(buttons) => buttons.found(now),
            Self::Person => Vec::new(),
            Self::Terminal(keys) => keys.found(),
            Self::Lamps(map) => map.found(),
            Self::Reader(settling) => settling.found(now),
            Self::Seal(seal) => seal.found(),
            Self::Temperature(thermometer) => thermometer.found(),
            Self::Bus(traffic) => traffic.found(),
        };
        values.into_iter().map(|(quantity, value)| Measurement::new(quantity, value, p)).collect()
    }

    /// What is wrong, by name and with what to do, whatever the limits say of it; empty if nothing is.
    #[must_use]
    pub fn wrong(&self, now: Mono, p: &Parameters) -> String {
        match self {
            Self::Buttons(buttons) => buttons.wrong(p, now),
            Self::Bus(traffic) => traffic.wrong(),
            _ => String::new(),
        }
    }

    /// What was seen.
    #[must_use]
    pub fn plots(&self) -> Plots {
        match self {
            Self::Motor(spin) | Self::Cam(spin) => spin.plots(),
            Self::Lamps(map) => map.plots(),
            Self::Dome(dome) => dome.plots(),
            _ => Plots::default(),
        }
    }

    /// What goes on, or what a person is to do.
    #[must_use]
    pub fn prompt(&self, p: &Parameters) -> String {
        match self {
            Self::Dome(dome) => dome.prompt().to_owned(),
            Self::Buttons(buttons) => buttons.prompt(p),
            Self::Terminal(keys) => keys.prompt(),
            Self::Lamps(_) => "each result in turn: look at the areas".to_owned(),
            Self::Reader(_) => "waits until the dice rest".to_owned(),
            _ => "measures".to_owned(),
        }
    }
}
