//! Where a line of the table lies on the GPIO chip: the texts of `[lines]`.

use serde::{Deserialize, Serialize};
use std::fmt;
use tumbler_core::line::{InLine, OutLine};
use tumbler_core::text;

/// What a text of `[lines]` may be.
pub(super) const ALLOWED: &str = "LINE [active-low | active-high] [pull-up | pull-down | no-pull] [debounce-1ms to debounce-20ms], LINE being the line's offset on the chip or its name, such as \"17 active-low pull-up\"";

/// Most bytes of a line's name: the kernel's GPIO_MAX_NAME_SIZE without its end.
const LONGEST: usize = 31;

/// The resistor that the chip is asked for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Bias {
    /// As it is.
    #[default]
    AsIs,
    /// To the supply.
    PullUp,
    /// To ground.
    PullDown,
    /// None at all.
    None,
}

/// A line on the chip.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Place {
    /// By its offset.
    Offset(u32),
    /// By its name, as `gpioinfo` shows it.
    Name(String),
}

/// The chip of a Raspberry Pi's header, by model: up to the 3, the 4, the 5.
pub const HEADER_CHIPS: [&str; 3] = ["pinctrl-bcm2835", "pinctrl-bcm2711", "pinctrl-rp1"];

/// The pins of a Raspberry Pi's header at which its GPIO 0 to 27 are, in their order.
const HEADER_PINS: [u8; 28] =
    [27, 28, 3, 5, 7, 29, 31, 26, 24, 21, 19, 23, 32, 33, 8, 10, 36, 11, 12, 35, 38, 40, 15, 16, 18, 22, 37, 13];

impl Place {
    /// Which GPIO of a Raspberry Pi's header it is, where it is on one: its lines are named by their offsets.
    pub(super) fn on_header(&self) -> Option<u32> {
        match self {
            Self::Offset(offset) => Some(*offset),
            Self::Name(name) => name.strip_prefix("GPIO")?.parse().ok(),
        }
    }

    /// Its pin on a Raspberry Pi's 40-pin header, 1 to 40, where it is on one.
    #[must_use]
    pub fn header_pin(&self) -> Option<u8> {
        let gpio = usize::try_from(self.on_header()?).ok()?;
        HEADER_PINS.get(gpio).copied()
    }
}

/// A pin: which one, and what makes it active.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Pin {
    /// Which one.
    pub place: Place,
    /// A low level is the active one.
    pub active_low: bool,
    /// Its resistor.
    pub bias: Bias,
    /// How long its level must last before the kernel tells of it, in milliseconds, at most 20; 0 tells of every edge.
    pub debounce_ms: u8,
}

impl TryFrom<String> for Pin {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        let mut words = text.split_whitespace();
        let line = words.next().ok_or("the text is empty")?;
        let place = match line.parse() {
            Ok(offset) => Place::Offset(offset),
            Err(_) if line.chars().all(|c| c.is_ascii_digit()) => return Err(format!("there is no line {line}")),
            Err(_) if line.len() > LONGEST => return Err(format!("a line's name has {LONGEST} bytes at most")),
            Err(_) => {
                text::check("line's name", LONGEST, line).map_err(|why| why.to_string())?;
                Place::Name(line.to_owned())
            }
        };
        let (mut level, mut bias, mut debounce) = (None, None, None);
        for word in words {
            let twice = match word {
                "active-low" => level.replace(true).is_some(),
                "active-high" => level.replace(false).is_some(),
                "pull-up" => bias.replace(Bias::PullUp).is_some(),
                "pull-down" => bias.replace(Bias::PullDown).is_some(),
                "no-pull" => bias.replace(Bias::None).is_some(),
                _ => match debounce_ms(word) {
                    Some(ms) => debounce.replace(ms).is_some(),
                    None => return Err(format!("\"{word}\" is no word for a line")),
                },
            };
            if twice {
                return Err(format!("\"{word}\" after another word of its kind"));
            }
        }
        let (active_low, bias) = (level.unwrap_or(false), bias.unwrap_or_default());
        Ok(Self { place, active_low, bias, debounce_ms: debounce.unwrap_or(0) })
    }
}

/// The milliseconds of a word such as `debounce-5ms`. No more than 20: at the shortest `tumble_period`, 300 ms, the cam makes a step in 75 ms.
fn debounce_ms(word: &str) -> Option<u8> {
    let ms = word.strip_prefix("debounce-")?.strip_suffix("ms")?;
    ms.parse().ok().filter(|ms| (1..=20).contains(ms))
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Offset(offset) => write!(f, "{offset}"),
            Self::Name(name) => f.write_str(name),
        }
    }
}

impl From<Pin> for String {
    fn from(pin: Pin) -> Self {
        let level = if pin.active_low { " active-low" } else { "" };
        let bias = match pin.bias {
            Bias::AsIs => "",
            Bias::PullUp => " pull-up",
            Bias::PullDown => " pull-down",
            Bias::None => " no-pull",
        };
        let debounce = if pin.debounce_ms == 0 { String::new() } else { format!(" debounce-{}ms", pin.debounce_ms) };
        format!("{}{level}{bias}{debounce}", pin.place)
    }
}

/// The 40-pin header's lines, unless configured: `daemon/docs/wiring.md` says why each. Inputs come through opto-couplers
/// that pull the pin low. The sign is lit by a low pin, so that it shines while nobody drives it; the other outputs are
/// low then, and their pins have pull-downs from reset on.
pub(super) fn header() -> [(&'static str, &'static str); 16] {
    [
        (OutLine::MotorEnable.name(), "17"),
        (OutLine::MotorAlive.name(), "27"),
        (OutLine::OutOfService.name(), "22 active-low"),
        (OutLine::Bell.name(), "23"),
        (InLine::MotorFault.name(), "24 active-low pull-up"),
        (InLine::CamA.name(), "5 active-low pull-up"),
        (InLine::CamB.name(), "6 active-low pull-up"),
        (InLine::DomeClosed.name(), "12 active-low pull-up"),
        (InLine::DomeOpen.name(), "13 active-low pull-up"),
        (InLine::Tumble.name(), "16 active-low pull-up"),
        (InLine::PlaceBets.name(), "19 active-low pull-up"),
        (InLine::NoMoreBets.name(), "20 active-low pull-up"),
        (InLine::NoSpin.name(), "21 active-low pull-up"),
        (InLine::SupervisorKey.name(), "25 active-low pull-up"),
        (InLine::Seal.name(), "26 active-low pull-up"),
        (InLine::PowerGood.name(), "4 active-low pull-up"),
    ]
}

/// Every line of the table on its pin.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pins {
    /// In the order of [`OutLine::ALL`].
    pub outputs: [Pin; 4],
    /// In the order of [`InLine::ALL`].
    pub inputs: [Pin; 12],
}

impl Pins {
    /// Every line's name with its pin.
    pub fn all(&self) -> impl Iterator<Item = (&'static str, &Pin)> {
        let outputs = OutLine::ALL.into_iter().map(OutLine::name).zip(&self.outputs);
        outputs.chain(InLine::ALL.into_iter().map(InLine::name).zip(&self.inputs))
    }

    /// The pin of an output.
    #[must_use]
    pub const fn output(&self, line: OutLine) -> &Pin {
        let [enable, alive, sign, bell] = &self.outputs;
        match line {
            OutLine::MotorEnable => enable,
            OutLine::MotorAlive => alive,
            OutLine::OutOfService => sign,
            OutLine::Bell => bell,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pin(text: &str) -> Result<Pin, String> {
        Pin::try_from(text.to_owned())
    }

    #[test]
    fn a_text_says_which_line_and_what_makes_it_active() {
        let place = Place::Name("GPIO5".into());
        assert_eq!(
            pin("17"),
            Ok(Pin { place: Place::Offset(17), active_low: false, bias: Bias::AsIs, debounce_ms: 0 })
        );
        let all = Pin { place, active_low: true, bias: Bias::PullUp, debounce_ms: 5 };
        assert_eq!(pin(" GPIO5  debounce-5ms pull-up active-low"), Ok(all));
    }

    #[test]
    fn what_is_no_line_is_refused_with_its_word() {
        assert_eq!(pin(" "), Err("the text is empty".into()));
        assert_eq!(pin("99999999999"), Err("there is no line 99999999999".into()));
        assert_eq!(pin("17 pull-sideways"), Err("\"pull-sideways\" is no word for a line".into()));
        for word in ["debounce", "debounce-0ms", "debounce-21ms", "debounce-5"] {
            assert_eq!(pin(&format!("17 {word}")), Err(format!("\"{word}\" is no word for a line")));
        }
        assert_eq!(pin("17 pull-up no-pull"), Err("\"no-pull\" after another word of its kind".into()));
    }

    #[test]
    fn every_text_is_shown_as_it_is_read() {
        for (_, text) in
            header().into_iter().chain([("", "GPIO5 active-low no-pull"), ("", "3 pull-down debounce-20ms")])
        {
            assert_eq!(String::from(pin(text).unwrap()), text);
        }
    }
}
