//! `tumblerctl layouts`: the layouts that the product knows, and where their areas' lamps hang.

use crate::ending::Ended;
use crate::one_of::{OneOf, unknown};
use crate::say;
use serde::Serialize;
use tumbler_core::rules::{self, Layout};
use tumbler_core::wire::registers::lamps::{FIRST_UNIT, PER_BOARD};

/// List the layouts, each with its rule set and the number of its areas; or their areas in the order of the lamp boards
///
/// With --areas every area has the unit of its lamp board on the field bus, and its output there: the address of the coil that
/// commands its lamp, and of the discrete input that senses it.
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:\n  tumblerctl layouts --json\n  tumblerctl layouts sg-v6-3 --areas --json")]
pub(crate) struct Arguments {
    /// Only this layout
    #[arg(value_name = "LAYOUT", value_parser = OneOf { names: ids, read: layout })]
    layout: Option<&'static Layout>,
    /// List the areas, each with its lamp board and output
    #[arg(long)]
    areas: bool,
}

/// The ids of all layouts.
pub(crate) fn ids() -> Vec<&'static str> {
    rules::layouts().map(|layout| layout.id.as_str()).collect()
}

/// The layout with this id.
///
/// # Errors
/// There is none; says which there are.
pub(crate) fn layout(id: &str) -> Result<&'static Layout, String> {
    rules::layout(id).ok_or_else(|| unknown(id, "no layout", &ids()))
}

#[derive(Serialize)]
struct Row<'a> {
    id: &'a str,
    rules: &'a str,
    areas: usize,
}

/// Where an area's lamp hangs.
#[derive(Serialize)]
struct Place<'a> {
    layout: &'a str,
    area: &'a str,
    /// The lamp board's unit on the field bus.
    unit: usize,
    /// Coil and discrete input of that unit.
    output: usize,
}

pub(crate) fn run(of: &Arguments, json: bool) -> anyhow::Result<Ended> {
    let layouts: Vec<&'static Layout> = of.layout.map_or_else(|| rules::layouts().collect(), |layout| vec![layout]);
    if of.areas {
        return areas(&layouts, json);
    }
    let rows: Vec<Row<'_>> = layouts.iter().map(|l| Row { id: &l.id, rules: &l.rules, areas: l.areas.len() }).collect();
    if json {
        say::json(&rows)?;
    } else {
        let cells = |row: &Row<'_>| [row.id.to_owned(), row.rules.to_owned(), row.areas.to_string()];
        let words = |row: &Row<'_>| format!("{}: {}, {} areas", row.id, row.rules, row.areas);
        say::table(["layout", "rules", "areas"], &rows, cells, words)?;
    }
    Ok(Ended::Done)
}

fn areas(layouts: &[&'static Layout], json: bool) -> anyhow::Result<Ended> {
    let place = |(layout, at, area)| Place {
        layout,
        area,
        unit: usize::from(FIRST_UNIT) + at / PER_BOARD,
        output: at % PER_BOARD,
    };
    let of =
        |layout: &'static Layout| (0..).zip(&layout.areas).map(|(at, area)| (layout.id.as_str(), at, area.id.as_str()));
    let rows: Vec<Place<'_>> = layouts.iter().flat_map(|layout| of(layout)).map(place).collect();
    if json {
        say::json(&rows)?;
    } else {
        let cells = |row: &Place<'_>| {
            [row.layout.to_owned(), row.area.to_owned(), row.unit.to_string(), row.output.to_string()]
        };
        let words =
            |row: &Place<'_>| format!("{}: {} at unit {}, output {}", row.layout, row.area, row.unit, row.output);
        say::table(["layout", "area", "unit", "output"], &rows, cells, words)?;
    }
    Ok(Ended::Done)
}
