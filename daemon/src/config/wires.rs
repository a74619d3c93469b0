//! `[hardware]` and `[lines]`: what drives the wires, and where they are.

use super::Hardware;
use super::pin::{Pin, Pins, header};
use super::problem::Wrong;
use super::speed::Speed;
use crate::hardware::thermometer;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::PathBuf;
use tumbler_core::line::{InLine, OutLine};

/// Where a bench listens unless configured. No key of the shipped file, or a fragment could not take another backend.
const BENCH: &str = "/run/tumblerd-bench/wire.sock";

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Wires {
    pub(super) backend: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    socket: Option<PathBuf>,
    #[serde(skip_serializing_if = "Option::is_none")]
    chip: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    motor_pwm: Option<u8>,
    #[serde(skip_serializing_if = "Option::is_none")]
    motor_pwm_hz: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    motor_pwm_percent: Option<u8>,
    #[serde(default)]
    pub(super) reader: bool,
    #[serde(default = "no_sensor")]
    pub(super) temperature: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    temperature_bus: Option<PathBuf>,
    #[serde(skip_serializing_if = "Option::is_none")]
    temperature_address: Option<u8>,
}

fn no_sensor() -> String {
    "none".into()
}

impl Wires {
    /// The wires, if they are all there. Lines that are not configured get their place on the 40-pin header.
    pub(super) fn resolve(&mut self, lines: &mut BTreeMap<String, Pin>, wrong: &mut Vec<Wrong>) -> Option<Hardware> {
        let mut misplaced = |key: String, there: bool, backend: &str| {
            if there {
                let problem = format!("backend \"{}\" has no use for it", self.backend);
                wrong.push((key, problem, format!("leave it out, or take backend \"{backend}\"")));
            }
        };
        if self.backend != "cdev" {
            misplaced("hardware.chip".into(), self.chip.is_some(), "cdev");
        }
        if self.backend != "rppal" {
            misplaced("hardware.motor_pwm".into(), self.motor_pwm.is_some(), "rppal");
        }
        if self.backend != "virtual" {
            misplaced("hardware.socket".into(), self.socket.is_some(), "virtual");
            misplaced("hardware.temperature".into(), self.temperature == "wires", "virtual");
        }
        let speed = self.speed(wrong);
        match self.backend.as_str() {
            "cdev" => self.cdev(lines, wrong),
            "rppal" => Some(Hardware::Rppal { pins: pins(lines, wrong)?, speed }),
            _ => self.bench(lines, wrong),
        }
    }

    /// The wires of a bench.
    fn bench(&mut self, lines: &BTreeMap<String, Pin>, wrong: &mut Vec<Wrong>) -> Option<Hardware> {
        for (line, _) in header() {
            if lines.contains_key(line) {
                let problem = format!("backend \"{}\" has no use for it", self.backend);
                wrong.push((
                    format!("lines.{line}"),
                    problem,
                    "leave it out, or take backend \"cdev\" or \"rppal\"".into(),
                ));
            }
        }
        let socket = self.socket.get_or_insert_with(|| BENCH.into()).clone();
        Some(Hardware::Virtual { socket, temperature: self.temperature == "wires" })
    }

    /// The sensor at the I2C bus, if there is one. Unless configured it is the first one on the header's own bus.
    pub(super) fn thermometer(&mut self, wrong: &mut Vec<Wrong>) -> Option<thermometer::Settings> {
        let kind = match self.temperature.as_str() {
            "lm75" => thermometer::Kind::Lm75,
            "pct2075" => thermometer::Kind::Pct2075,
            other => {
                let (bus, address) = (self.temperature_bus.is_some(), self.temperature_address.is_some());
                for (key, there) in [("temperature_bus", bus), ("temperature_address", address)] {
                    if there {
                        let problem = format!("temperature \"{other}\" has no use for it");
                        let allowed = "leave it out, or take temperature \"lm75\" or \"pct2075\"";
                        wrong.push((format!("hardware.{key}"), problem, allowed.into()));
                    }
                }
                return None;
            }
        };
        let bus = self.temperature_bus.get_or_insert_with(|| "/dev/i2c-1".into()).clone();
        let address = *self.temperature_address.get_or_insert(0x48);
        Some(thermometer::Settings { kind, bus, address })
    }

    /// The motor's speed, where a PWM sets it.
    fn speed(&mut self, wrong: &mut Vec<Wrong>) -> Option<Speed> {
        let Some(channel) = self.motor_pwm else {
            let (hz, percent) = (self.motor_pwm_hz.is_some(), self.motor_pwm_percent.is_some());
            for (key, there) in [("motor_pwm_hz", hz), ("motor_pwm_percent", percent)] {
                if there {
                    let problem = "there is no PWM to set".to_owned();
                    wrong.push((format!("hardware.{key}"), problem, "it needs motor_pwm, the PWM's channel".into()));
                }
            }
            return None;
        };
        let hz = *self.motor_pwm_hz.get_or_insert(20_000);
        let percent = *self.motor_pwm_percent.get_or_insert(100);
        Some(Speed { channel, hz, percent })
    }

    fn cdev(&self, lines: &mut BTreeMap<String, Pin>, wrong: &mut Vec<Wrong>) -> Option<Hardware> {
        let pins = pins(lines, wrong);
        if self.chip.is_none() {
            let allowed = "backend \"cdev\" needs the label of the GPIO chip as `gpiodetect` shows it: pinctrl-bcm2711 on a \
                           Raspberry Pi 4, pinctrl-rp1 on a Pi 5, pinctrl-bcm2835 on those before";
            wrong.push(("hardware.chip".into(), "the key is missing".into(), allowed.into()));
        }
        Some(Hardware::Cdev { chip: self.chip.clone()?, pins: pins? })
    }
}

/// Whether the first raw edge of a line acts: the motor guard's (design.md, Motor guard), and the supply's, which comes 20 ms before the end.
const fn acts_at_once(line: InLine) -> bool {
    match line {
        InLine::MotorFault | InLine::DomeClosed | InLine::DomeOpen | InLine::Seal | InLine::PowerGood => true,
        InLine::CamA
        | InLine::CamB
        | InLine::Tumble
        | InLine::PlaceBets
        | InLine::NoMoreBets
        | InLine::NoSpin
        | InLine::SupervisorKey => false,
    }
}

/// Where the lines are. Those that are not configured get their place on the 40-pin header.
fn pins(lines: &mut BTreeMap<String, Pin>, wrong: &mut Vec<Wrong>) -> Option<Box<Pins>> {
    for (line, text) in header() {
        if let (None, Ok(pin)) = (lines.get(line), Pin::try_from(text.to_owned())) {
            lines.insert(line.to_owned(), pin);
        }
    }
    for line in OutLine::ALL
        .map(OutLine::name)
        .into_iter()
        .chain(InLine::ALL.into_iter().filter(|l| acts_at_once(*l)).map(InLine::name))
    {
        if lines.get(line).is_some_and(|pin| pin.debounce_ms != 0) {
            let allowed = "the kernel's debounce is for the cam, the buttons and the key";
            wrong.push((format!("lines.{line}"), "this line cannot wait for a debounce".into(), allowed.into()));
        }
    }
    let pin = |name: &str| lines.get(name).cloned();
    let [a, b, c, d] = OutLine::ALL.map(|line| pin(line.name()));
    let inputs: Vec<Pin> = InLine::ALL.into_iter().filter_map(|line| pin(line.name())).collect();
    Some(Box::new(Pins { outputs: [a?, b?, c?, d?], inputs: inputs.try_into().ok()? }))
}
