//! Finding the chip and its lines, and asking the kernel for them.

use crate::config::{Bias, Pin, Pins, Place};
use gpiocdev::Request;
use gpiocdev::chip::Chip;
use gpiocdev::line::{self, EdgeDetection, EventClock, Offset, Value};
use gpiocdev::request::Builder;
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;
use tumbler_core::line::{InLine, OutLine};

/// Consumer name of the lines, as `gpioinfo` shows it.
const CONSUMER: &str = "tumblerd";

/// Edges that the kernel keeps for the daemon. Its own choice would be 16 for each line; 50 bounces on each of the two cam
/// sensors at every step, and a stall of the daemon of half a second, make some 400.
const EDGES: u32 = 1024;

/// Why the lines cannot be had.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    /// No chip has one of the labels.
    #[error("there is no GPIO chip labelled `{}`; {}", .labels.join("` or `"), found(.there))]
    NoChip {
        /// What was looked for.
        labels: Vec<String>,
        /// What there is.
        there: Vec<String>,
    },
    /// A line is not on the chip.
    #[error("`{line}`: chip `{label}` has no line {place}; it has {count} lines (see `gpioinfo`)")]
    NoLine {
        /// The table's line.
        line: &'static str,
        /// The chip.
        label: String,
        /// Where it should be.
        place: Place,
        /// How many lines the chip has.
        count: u32,
    },
    /// Two lines of the table are one of the chip, by different names.
    #[error(
        "`{line}`: line {offset} of `{label}` is that of `{other}` already; a line of its own for each, in [lines]"
    )]
    Twice {
        /// The table's line.
        line: &'static str,
        /// The other one.
        other: &'static str,
        /// The chip.
        label: String,
        /// Where both are.
        offset: Offset,
    },
    /// Somebody else has the line.
    #[error("`{line}`: line {offset} of `{label}` is held by {holder}; stop it, or take another line")]
    Busy {
        /// The table's line.
        line: &'static str,
        /// The chip.
        label: String,
        /// Where the line is.
        offset: Offset,
        /// The holder's consumer name.
        holder: String,
    },
    /// The kernel refuses.
    #[error("{what}: {source}")]
    Refused {
        /// What was asked of it.
        what: String,
        /// Its answer.
        source: gpiocdev::Error,
    },
    /// The board refuses, or is not the one that the backend is for.
    #[error("{0}")]
    Board(String),
}

fn found(labels: &[String]) -> String {
    if labels.is_empty() {
        "there is none at all, or none that may be opened".into()
    } else {
        format!("there are: {}", labels.join(", "))
    }
}

/// A chip, found by its label, never by its number.
#[derive(Debug)]
pub struct LabelledChip {
    chip: Chip,
    label: String,
    count: u32,
}

impl LabelledChip {
    /// The chip with one of these labels.
    pub(super) fn by_label(labels: Vec<String>) -> Result<Self, OpenError> {
        let paths: Vec<PathBuf> = gpiocdev::chip::chips().unwrap_or_default();
        let mut there = Vec::new();
        for path in paths {
            let Ok(chip) = Chip::from_path(&path) else { continue };
            let Ok(info) = chip.info() else { continue };
            if labels.contains(&info.label) {
                return Ok(Self { chip, label: info.label, count: info.num_lines });
            }
            there.push(info.label);
        }
        Err(OpenError::NoChip { labels, there })
    }

    fn offset(&self, line: &'static str, pin: &Pin) -> Result<Offset, OpenError> {
        let offset = match &pin.place {
            Place::Offset(offset) => Some(*offset).filter(|offset| *offset < self.count),
            Place::Name(name) => self.chip.find_line_info(name).map(|info| info.offset),
        };
        let (label, place, count) = (self.label.clone(), pin.place.clone(), self.count);
        offset.ok_or(OpenError::NoLine { line, label, place, count })
    }

    /// Checks that every line of the table is a line of the chip, and of its own.
    ///
    /// # Errors
    /// [`OpenError::NoLine`], [`OpenError::Twice`].
    pub(super) fn check(&self, pins: &Pins) -> Result<(), OpenError> {
        let places = pins.all().map(|(line, pin)| self.offset(line, pin).map(|offset| (line, offset)));
        one_each(&places.collect::<Result<Vec<_>, _>>()?, &self.label)
    }

    fn asks(&self) -> Builder {
        let mut builder = Request::builder();
        builder.on_chip(self.chip.path()).with_consumer(CONSUMER);
        builder
    }

    fn refused(&self, lines: &[(&'static str, Offset)], source: gpiocdev::Error) -> OpenError {
        for (line, offset) in lines {
            let Ok(info) = self.chip.line_info(*offset) else { continue };
            if info.used && info.consumer != CONSUMER {
                let (label, holder) = (self.label.clone(), format!("`{}`", info.consumer));
                return OpenError::Busy { line, label, offset: *offset, holder };
            }
        }
        OpenError::Refused { what: format!("the lines of `{}` cannot be had", self.label), source }
    }

    /// The label.
    pub(super) fn label(&self) -> &str {
        &self.label
    }

    /// Asks for an output, driven to this level at once.
    ///
    /// # Errors
    /// The line is not there or somebody else's, or the kernel refuses.
    pub fn output(&self, line: OutLine, pin: &Pin, active: bool) -> Result<(Request, Offset), OpenError> {
        let offset = self.offset(line.name(), pin)?;
        let mut asks = self.asks();
        configure(asks.with_line(offset).as_output(if active { Value::Active } else { Value::Inactive }), pin);
        asks.request().map(|request| (request, offset)).map_err(|e| self.refused(&[(line.name(), offset)], e))
    }

    /// Holds a line as it is, neither input nor output, so that nobody else can have it.
    ///
    /// # Errors
    /// As [`LabelledChip::output`].
    pub fn hold(&self, line: OutLine, pin: &Pin) -> Result<(Request, Offset), OpenError> {
        let offset = self.offset(line.name(), pin)?;
        let mut asks = self.asks();
        asks.with_line(offset).as_is();
        asks.request().map(|request| (request, offset)).map_err(|e| self.refused(&[(line.name(), offset)], e))
    }

    /// Asks for all inputs, with the edges of each.
    pub(super) fn inputs(&self, pins: &Pins) -> Result<(Request, [Offset; 12]), OpenError> {
        let mut offsets = [0; 12];
        let mut asks = self.asks();
        let mut named = Vec::new();
        for ((line, pin), place) in InLine::ALL.into_iter().zip(&pins.inputs).zip(&mut offsets) {
            *place = self.offset(line.name(), pin)?;
            named.push((line.name(), *place));
            let one = asks.with_line(*place).as_input();
            one.with_edge_detection(EdgeDetection::BothEdges).with_event_clock(EventClock::Monotonic);
            configure(one, pin);
        }
        asks.with_kernel_event_buffer_size(EDGES);
        asks.request().map(|request| (request, offsets)).map_err(|e| self.refused(&named, e))
    }
}

fn one_each(lines: &[(&'static str, Offset)], label: &str) -> Result<(), OpenError> {
    let mut taken = BTreeMap::new();
    for (line, offset) in lines {
        if let Some(other) = taken.insert(offset, line) {
            return Err(OpenError::Twice { line, other, label: label.to_owned(), offset: *offset });
        }
    }
    Ok(())
}

fn configure(asks: &mut Builder, pin: &Pin) {
    if pin.active_low {
        asks.as_active_low();
    }
    let bias = match pin.bias {
        Bias::AsIs => None,
        Bias::PullUp => Some(line::Bias::PullUp),
        Bias::PullDown => Some(line::Bias::PullDown),
        Bias::None => Some(line::Bias::Disabled),
    };
    asks.with_bias(bias);
    if pin.debounce_ms != 0 {
        asks.with_debounce_period(Duration::from_millis(pin.debounce_ms.into()));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// wiring.md: a name and an offset may be the same line; nothing is driven then.
    #[test]
    fn two_lines_at_one_place_are_told_with_both_names() {
        let twice = one_each(&[("motor_enable", 17), ("motor_alive", 27), ("bell", 17)], "pinctrl-rp1").unwrap_err();
        assert_eq!(
            twice.to_string(),
            "`bell`: line 17 of `pinctrl-rp1` is that of `motor_enable` already; a line of its own for each, in [lines]"
        );
        assert!(one_each(&[("motor_enable", 17), ("bell", 18)], "pinctrl-rp1").is_ok());
    }
}
