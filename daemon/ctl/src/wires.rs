//! `tumblerctl wires`: what every wire and every register says, to find the broken one.

mod live;
mod text;

use crate::context::Context;
use crate::ending::Ended;
use crate::link::{Link, astray};
use crate::one_of::{OneOf, unknown};
use crate::say;
use anyhow::bail;
use std::io::IsTerminal;
use std::time::Duration;
use tumbler_core::line::{InLine, OutLine};
use tumbler_core::wire::ask::{Ask, Query, Told};
use tumbler_core::wire::wires::Wires;

/// Time between two questions of `--follow`: about as often as the daemon has something new.
const PACE: Duration = Duration::from_millis(250);
/// Lamp boards that a table can have.
const BOARDS: [&str; 4] = ["board-2", "board-3", "board-4", "board-5"];

/// Show what every line and every unit of the field bus says: levels, changes, registers and failures
///
/// Lines are shown raw, before any debouncing: the level, what it means, what an output was told, since when, how often it changed
/// since the daemon's start, and the pin. Of units the transactions and how they failed are counted. With the name of a unit, all its
/// registers as they were last read or written; what holds a key that may not be known before the reveal is secret. Looking changes
/// nothing at the table.
///
/// With --follow the picture is kept up to date: on a terminal in place, where q ends it, and the arrow keys and Page Up and Page
/// Down move through it; with --json one line four times a second.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Example:\n  tumblerctl wires\n  tumblerctl wires dome_closed dome_open seal --follow\n  tumblerctl wires board-2\n  \
    tumblerctl wires --json | jq '.lines[] | select(.changes > 100).line'"
)]
pub(crate) struct Arguments {
    /// Only these: a line, or a unit of the field bus with its registers; all lines and units unless given
    #[arg(value_name = "NAME", value_parser = OneOf { names: names, read: name }, hide_possible_values = true)]
    names: Vec<&'static str>,
    /// Show them as they change, until interrupted
    #[arg(long)]
    follow: bool,
}

/// What may be shown alone.
fn names() -> Vec<&'static str> {
    let lines = InLine::ALL.into_iter().map(InLine::name).chain(OutLine::ALL.into_iter().map(OutLine::name));
    lines.chain(["terminal", "reader"]).chain(BOARDS).collect()
}

fn name(wanted: &str) -> Result<&'static str, String> {
    let known = names();
    if let Some(name) = known.iter().find(|name| **name == wanted) {
        return Ok(name);
    }
    Err(unknown(wanted, "neither a line nor a unit of the field bus", &known))
}

pub(crate) fn run(context: &Context, of: &Arguments) -> anyhow::Result<Ended> {
    let mut looked = Look { link: Link::open(&context.socket)?, names: of.names.clone() };
    if !of.follow {
        let wires = looked.next()?;
        match context.json {
            true => say::json(&wires)?,
            false => text::whole(&wires, &of.names)?,
        }
        return Ok(Ended::Done);
    }
    if context.json {
        loop {
            say::json(&looked.next()?)?;
            std::thread::sleep(PACE);
        }
    }
    if !std::io::stdout().is_terminal() {
        bail!("standard output is no terminal: add --json, or leave --follow out");
    }
    live::show(looked)?;
    Ok(Ended::Done)
}

/// Asks the daemon again and again.
struct Look {
    link: Link,
    names: Vec<&'static str>,
}

impl Look {
    /// What the daemon says now, as far as it is wanted.
    ///
    /// # Errors
    /// The daemon is gone, or the table has no such unit.
    fn next(&mut self) -> anyhow::Result<Wires> {
        self.link.ask(Ask::Query(Query::Wires))?;
        let Told::Wires(mut wires) = self.link.next()? else { return Err(astray("`wires`")) };
        if self.names.is_empty() {
            return Ok(*wires);
        }
        let is_unit = |name: &&&str| !wires.lines.iter().any(|wire| wire.line.name() == **name);
        for name in self.names.iter().filter(is_unit) {
            if !wires.units.iter().any(|unit| unit.name == *name) {
                let there: Vec<&str> = wires.units.iter().map(|unit| unit.name.as_str()).collect();
                bail!("this table has no {name}; its units are {}", there.join(", "));
            }
        }
        wires.lines.retain(|wire| self.names.contains(&wire.line.name()));
        wires.units.retain(|unit| self.names.contains(&unit.name.as_str()));
        Ok(*wires)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tumbler_core::device::bus::Unit;
    use tumbler_core::timer::UNITS;

    #[test]
    fn every_unit_that_a_table_can_have_may_be_named() {
        let boards: Vec<String> = (0..u8::try_from(UNITS).unwrap())
            .map(Unit::at)
            .filter(|unit| matches!(unit, Unit::Board(_)))
            .map(|board| format!("board-{}", board.address()))
            .collect();
        assert_eq!(boards, BOARDS);
    }
}
