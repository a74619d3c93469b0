//! Wires and registers as tables.

use crate::say::{self, Tone};
use tumbler_core::units::Mono;
use tumbler_core::wire::registers::Kind;
use tumbler_core::wire::wires::{Register, Unit, Wire, Wires};

/// Column at which a line goes on that is longer than the terminal.
pub(super) const HANG: usize = 4;

/// A line of text, and whether something is odd about what it tells.
pub(super) type Toned = (Option<Tone>, String);

/// Prints all of it; the registers of those units that were asked for by name.
///
/// # Errors
/// If standard output is gone.
pub(super) fn whole(wires: &Wires, names: &[&str]) -> std::io::Result<()> {
    for (tone, line) in lines(wires, !names.is_empty()) {
        let line = tone.map_or_else(|| line.clone(), |tone| tone.of(&line));
        say::hanging(&line, HANG)?;
    }
    Ok(())
}

/// All of it, a line a row, heads and empty lines between tables included.
pub(super) fn lines(wires: &Wires, registers: bool) -> Vec<Toned> {
    let now = wires.now;
    let mut all = Vec::new();
    let mut add = |tones: Vec<Option<Tone>>, laid_out: Vec<String>| {
        if !all.is_empty() {
            all.push((None, String::new()));
        }
        all.extend([None].into_iter().chain(tones).zip(laid_out));
    };
    if !wires.lines.is_empty() {
        let head = ["line", "level", "means", "told", "for", "changes", "last", "pin", "note"];
        let rows = wires.lines.iter().map(|wire| of_wire(wire, now));
        add(wires.lines.iter().map(tone_of_wire).collect(), say::laid_out(head, rows));
    }
    if !wires.units.is_empty() {
        let head =
            ["unit", "", "asked", "time-outs", "corrupt", "misshapen", "exceptions", "no port", "retries", "heard"];
        let rows = wires.units.iter().map(|unit| of_unit(unit, now));
        add(wires.units.iter().map(tone_of_unit).collect(), say::laid_out(head, rows));
    }
    for unit in wires.units.iter().filter(|_| registers) {
        let head = [unit.name.as_str(), "address", "value", "as of", "name", "area"];
        let rows = unit.registers.iter().map(|register| of_register(register, now));
        add(vec![None; unit.registers.len()], say::laid_out(head, rows));
    }
    all
}

fn of_wire(wire: &Wire, now: Mono) -> [String; 9] {
    let level = match (wire.active, wire.high) {
        (Some(active), Some(high)) => format!("{}, {}", level(active), if high { "high" } else { "low" }),
        (Some(active), None) => level(active).to_owned(),
        (None, _) => "?".to_owned(),
    };
    let pin = match (&wire.pin, wire.header) {
        (Some(pin), Some(header)) => format!("{header} (GPIO: {pin})"),
        (Some(pin), None) => pin.clone(),
        (None, _) => String::new(),
    };
    [
        wire.line.name().to_owned(),
        level,
        wire.means.clone().unwrap_or_default(),
        wire.commanded.map(level_told).unwrap_or_default(),
        wire.since.map(|since| time(since, now)).unwrap_or_default(),
        wire.changes.to_string(),
        wire.changed.map(|changed| ago(changed, now)).unwrap_or_default(),
        pin,
        noted(wire),
    ]
}

const fn level(active: bool) -> &'static str {
    if active { "active" } else { "inactive" }
}

fn level_told(active: bool) -> String {
    level(active).to_owned()
}

/// What is odd about a line.
fn noted(wire: &Wire) -> String {
    let gaps = (wire.gaps > 0).then(|| format!("edges were lost {} times", wire.gaps));
    let lost = (!wire.watched).then(|| "not watched: chip or bench is gone".to_owned());
    lost.into_iter().chain(wire.note.clone()).chain(gaps).collect::<Vec<_>>().join("; ")
}

fn tone_of_wire(wire: &Wire) -> Option<Tone> {
    if !wire.watched || wire.note.is_some() { Some(Tone::Wrong) } else { (wire.gaps > 0).then_some(Tone::Near) }
}

fn of_unit(unit: &Unit, now: Mono) -> [String; 10] {
    let exceptions = match unit.exception {
        Some(code) => format!("{} (last {code:02})", unit.exceptions),
        None => unit.exceptions.to_string(),
    };
    [
        unit.name.clone(),
        if unit.lost { "LOST" } else { "" }.to_owned(),
        unit.exchanges.to_string(),
        unit.timeouts.to_string(),
        unit.corrupt.to_string(),
        unit.misshapen.to_string(),
        exceptions,
        unit.port_gone.to_string(),
        unit.retries.to_string(),
        unit.answered.map_or_else(|| "never".to_owned(), |at| ago(at, now)),
    ]
}

fn tone_of_unit(unit: &Unit) -> Option<Tone> {
    if unit.lost { Some(Tone::Wrong) } else { (unit.failed() > 0).then_some(Tone::Near) }
}

fn of_register(register: &Register, now: Mono) -> [String; 6] {
    let value = match (register.kind, register.value) {
        (Kind::Coil | Kind::DiscreteInput, Some(value)) => if value == 1 { "on" } else { "off" }.to_owned(),
        (_, Some(value)) if value > 9 => format!("{value} (0x{value:04X})"),
        (_, Some(value)) => value.to_string(),
        (_, None) if register.secret => "secret".to_owned(),
        (_, None) => String::new(),
    };
    [
        register.kind.name().to_owned(),
        register.address.to_string(),
        value,
        register.at.map_or_else(|| "never".to_owned(), |at| ago(at, now)),
        register.name.clone(),
        register.area.clone().unwrap_or_default(),
    ]
}

fn ago(at: Mono, now: Mono) -> String {
    format!("{} ago", time(at, now))
}

/// The time since `at`, in the unit that suits it.
fn time(at: Mono, now: Mono) -> String {
    let tenths = now.nanos_since(at) / 100_000_000;
    match tenths {
        0..100 => format!("{}.{} s", tenths / 10, tenths % 10),
        100..1_200 => format!("{} s", tenths / 10),
        1_200..72_000 => format!("{} min", tenths / 600),
        _ => format!("{} h", tenths / 36_000),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_told_in_the_unit_that_suits_them() {
        let told = |ms: u64| time(Mono(7), Mono(7 + ms * 1_000_000));
        assert_eq!([0, 990, 9_990].map(told), ["0.0 s", "0.9 s", "9.9 s"]);
        assert_eq!([10_000, 119_999].map(told), ["10 s", "119 s"]);
        assert_eq!([120_000, 7_199_999, 7_200_000].map(told), ["2 min", "119 min", "2 h"]);
        assert_eq!(time(Mono(8), Mono(7)), "0.0 s", "a moment that lies ahead");
    }
}
