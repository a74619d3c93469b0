//! A cell's wires, bus, phases and truths as a value change dump, which GTKWave and PulseView open.

use super::capture::Capture;
use super::waves::{WaveGroup, Waves};
use std::io::{self, Write};
use vcd::{IdCode, SimulationCommand, TimescaleUnit, Value, VarType, Writer};

/// Nanoseconds of one unit of time. PulseView keeps a sample for every unit, so a minute in nanoseconds would not
/// fit into memory; nothing that the rig plays is faster than tens of microseconds.
const UNIT_NS: u64 = 1_000;

/// A change of a line.
enum Change<'a> {
    Bit(bool),
    Text(&'a str),
}

/// Writes the dump of what was seen in the cell of this name.
///
/// Levels are wires of one bit. Phases and bus units have a wire each, because sigrok cannot read strings; the strings
/// (`$var string`, a GTKWave extension that sigrok skips) are written as well.
///
/// # Errors
/// It cannot be written.
pub fn write(out: impl Write, cell: &str, capture: &Capture) -> io::Result<()> {
    let waves = Waves::of(capture);
    let mut writer = Writer::new(out);
    writer.version(&word(&format!("tumbler-hil {}", env!("CARGO_PKG_VERSION"))))?;
    writer.comment(&word(cell))?;
    writer.timescale(1, TimescaleUnit::US)?;
    let mut changes: Vec<(u64, IdCode, Change<'_>)> = Vec::new();
    let mut unknown: Vec<IdCode> = Vec::new();
    let mut ids = (0..).map(id);
    for group in WaveGroup::ALL {
        writer.add_module(group.name())?;
        for (((_, name), values), id) in waves.bits().filter(|((of, _), _)| *of == group).zip(&mut ids) {
            let id = id?;
            writer.var_def(VarType::Wire, 1, id, name, None)?;
            unknown.push(id);
            changes.extend(values.iter().map(|(at, value)| (at / UNIT_NS, id, Change::Bit(*value))));
        }
        for (((_, name), values), id) in waves.texts().filter(|((of, _), _)| *of == group).zip(&mut ids) {
            let id = id?;
            writer.var_def(VarType::String, 1, id, &format!("{name}_text"), None)?;
            changes.extend(values.iter().map(|(at, value)| (at / UNIT_NS, id, Change::Text(value))));
        }
        writer.upscope()?;
    }
    writer.enddefinitions()?;
    // Changes of one line are in order already; this merges the lines by time.
    changes.sort_by_key(|(at, _, _)| *at);
    let mut now = 0;
    writer.timestamp(now)?;
    writer.begin(SimulationCommand::Dumpvars)?;
    for id in unknown {
        writer.change_scalar(id, Value::X)?;
    }
    writer.end()?;
    for (at, id, change) in changes {
        if at != now {
            now = at;
            writer.timestamp(now)?;
        }
        match change {
            Change::Bit(value) => writer.change_scalar(id, value)?,
            Change::Text(text) => writer.change_string(id, &word(text))?,
        }
    }
    let end = waves.end_ns / UNIT_NS;
    if end > now {
        writer.timestamp(end)?;
    }
    writer.flush()
}

/// The identifier of the line of this number. Importers that do not know strings take what stands behind one for a change, which none can be
/// that begins with an `n`: not a vector (`b`), a real (`r`), a string (`s`), a scalar or a keyword.
fn id(number: u32) -> io::Result<IdCode> {
    format!("n{number}").parse().map_err(io::Error::other)
}

/// The text as one word of printable characters, because a blank ends a value in a dump and `$` begins a keyword.
fn word(text: &str) -> String {
    let word: String = text.chars().map(|c| if c.is_ascii_graphic() && c != '$' { c } else { '_' }).collect();
    if word.is_empty() { "_".to_owned() } else { word }
}
