//! `[hardware]` and `[lines]`: what drives the wires, and where they are.

use super::Hardware;
use super::effective::Wrong;
use super::pin::{HEADER, Pin, Pins};
use crate::thermometer;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::PathBuf;
use tumbler_core::effect::OutLine;
use tumbler_core::input::InLine;

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Wires {
    pub(super) backend: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    socket: Option<PathBuf>,
    #[serde(skip_serializing_if = "Option::is_none")]
    chip: Option<String>,
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
    pub(super) fn resolve(&self, lines: &mut BTreeMap<String, Pin>, wrong: &mut Vec<Wrong>) -> Option<Hardware> {
        let mut misplaced = |key: String, there: bool, backend: &str| {
            if there {
                let problem = format!("backend \"{}\" has no use for it", self.backend);
                wrong.push((key, problem, format!("leave it out, or take backend \"{backend}\"")));
            }
        };
        if self.backend == "cdev" {
            misplaced("hardware.socket".into(), self.socket.is_some(), "virtual");
            misplaced("hardware.temperature".into(), self.temperature == "wires", "virtual");
            return self.cdev(lines, wrong);
        }
        misplaced("hardware.chip".into(), self.chip.is_some(), "cdev");
        for (line, _) in HEADER {
            misplaced(format!("lines.{line}"), lines.contains_key(line), "cdev");
        }
        if self.socket.is_none() {
            let allowed = "backend \"virtual\" needs the path of the socket on which the bench listens";
            wrong.push(("hardware.socket".into(), "the key is missing".into(), allowed.into()));
        }
        Some(Hardware::Virtual { socket: self.socket.clone()?, temperature: self.temperature == "wires" })
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

    fn cdev(&self, lines: &mut BTreeMap<String, Pin>, wrong: &mut Vec<Wrong>) -> Option<Hardware> {
        for (line, text) in HEADER {
            if let (None, Ok(pin)) = (lines.get(line), Pin::try_from(text.to_owned())) {
                lines.insert(line.to_owned(), pin);
            }
        }
        let mut taken: BTreeMap<String, &str> = BTreeMap::new();
        for (line, _) in HEADER {
            let Some(pin) = lines.get(line) else { continue };
            if let Some(other) = taken.insert(pin.place.to_string(), line) {
                let problem = format!("line {} is that of `{other}` already", pin.place);
                wrong.push((format!("lines.{line}"), problem, "a line of its own for each".into()));
            }
        }
        if self.chip.is_none() {
            let allowed = "backend \"cdev\" needs the label of the GPIO chip as `gpiodetect` shows it: pinctrl-bcm2711 on a \
                           Raspberry Pi 4, pinctrl-rp1 on a Pi 5, pinctrl-bcm2835 on those before";
            wrong.push(("hardware.chip".into(), "the key is missing".into(), allowed.into()));
        }
        let pin = |name: &str| lines.get(name).cloned();
        let [a, b, c, d] = OutLine::ALL.map(|line| pin(line.name()));
        let inputs: Vec<Pin> = InLine::ALL.into_iter().filter_map(|line| pin(line.name())).collect();
        let pins = Pins { outputs: [a?, b?, c?, d?], inputs: inputs.try_into().ok()? };
        Some(Hardware::Cdev { chip: self.chip.clone()?, pins: Box::new(pins) })
    }
}
