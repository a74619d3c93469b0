//! The wiring table: which pin of the table goes to which pin of the rig.

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use std::fmt;
use std::path::PathBuf;
use tumbler_core::line::{InLine, OutLine};
use tumbler_core::wire::lines::Line;

/// The section `[wiring]` of a bench's file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Wiring {
    /// Label of the table's chip, as `gpiodetect` shows it.
    pub table_chip: String,
    /// Label of the rig's chip.
    pub rig_chip: String,
    /// The command that runs `tumbler-hil` on the rig's machine; empty: this program.
    #[serde(default)]
    pub reach: Vec<String>,
    /// The field bus' two ends.
    #[serde(default)]
    pub bus: Option<BusEnds>,
    /// How the rig drives the table's inputs.
    #[serde(default)]
    pub drive: Drive,
    /// The contact of the dead-man relay; none where no module is fitted.
    #[serde(default)]
    pub relay: Option<Relay>,
    /// A wire for each line of the table.
    pub lines: Vec<Wire>,
}

/// The field bus: an adapter at each end of a pair of wires.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct BusEnds {
    /// The table's serial port.
    pub table: PathBuf,
    /// The rig's, on the same machine.
    pub rig: PathBuf,
}

/// How the rig drives the table's inputs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Drive {
    /// Pulled to the active level or released, like an opto-coupler does: the table's own resistor is under test too.
    #[default]
    OpenDrain,
    /// Driven to both levels; neither end has resistors.
    PushPull,
}

/// A level at a pin.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Level {
    /// 0 V.
    Low,
    /// 3.3 V.
    High,
}

/// The contact of the dead-man relay.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Relay {
    /// The rig's line.
    pub rig: Place,
    /// The level while the contact is closed.
    pub closed: Level,
}

/// One wire.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Wire {
    /// The table's line.
    #[schemars(schema_with = "lines")]
    pub line: Line,
    /// Its place on the table's chip.
    pub table: Place,
    /// Where the wire ends on the rig's.
    pub rig: Place,
    /// The level that is active.
    pub active: Level,
}

/// The table's lines, for editors.
fn lines(_: &mut SchemaGenerator) -> Schema {
    let all: Vec<&str> = InLine::ALL.map(InLine::name).into_iter().chain(OutLine::ALL.map(OutLine::name)).collect();
    json_schema!({"enum": all})
}

/// A line of a chip, by offset or by name.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum Place {
    /// By its offset: the number of a Raspberry Pi's GPIO.
    Offset(u32),
    /// By its name, as `gpioinfo` shows it.
    Name(String),
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Offset(offset) => write!(f, "line {offset}"),
            Self::Name(name) => f.write_str(name),
        }
    }
}

impl Wire {
    /// Whether its level is high while it is not driven.
    #[must_use]
    pub const fn rests_high(&self) -> bool {
        matches!((self.line, self.active), (Line::In(_), Level::Low))
    }

    /// The name of the table's line.
    #[must_use]
    pub fn name(&self) -> &'static str {
        match self.line {
            Line::In(line) => line.name(),
            Line::Out(line) => line.name(),
        }
    }
}

impl Wiring {
    /// Why this wiring cannot be used, if it cannot.
    #[must_use]
    pub fn problem(&self) -> Option<String> {
        let all = InLine::ALL.into_iter().map(Line::In).chain(OutLine::ALL.into_iter().map(Line::Out));
        for line in all {
            let wires = self.lines.iter().filter(|wire| wire.line == line);
            let name = match line {
                Line::In(line) => line.name(),
                Line::Out(line) => line.name(),
            };
            match wires.count() {
                0 => return Some(format!("lines: `{name}` has no wire; every line of the table needs one")),
                1 => {}
                n => return Some(format!("lines: `{name}` has {n} wires; it needs one")),
            }
        }
        let ends = [
            ("table", self.lines.iter().map(|wire| &wire.table).collect::<Vec<_>>()),
            ("rig", self.lines.iter().map(|wire| &wire.rig).chain(self.relay.iter().map(|r| &r.rig)).collect()),
        ];
        for (end, places) in ends {
            let mut seen = BTreeSet::new();
            if let Some(twice) = places.into_iter().find(|place| !seen.insert((*place).clone())) {
                return Some(format!("lines: {twice} of the {end}'s chip has two wires; each pin takes one"));
            }
        }
        // An open drain only pulls down.
        let high = |wire: &&Wire| matches!((wire.line, wire.active), (Line::In(_), Level::High));
        if self.drive == Drive::OpenDrain {
            if let Some(wire) = self.lines.iter().find(high) {
                let name = wire.name();
                return Some(format!(
                    "lines: `{name}` is active high, and an open drain only pulls down: set drive = \"push-pull\""
                ));
            }
        }
        None
    }

    /// The section `[lines]` of the table's configuration: an input has the pull resistor that its circuit expects
    /// (`daemon/docs/wiring.md`).
    pub fn texts(&self) -> impl Iterator<Item = (&'static str, String)> + '_ {
        self.lines.iter().map(|wire| {
            let place = match &wire.table {
                Place::Offset(offset) => offset.to_string(),
                Place::Name(name) => name.clone(),
            };
            let level = if wire.active == Level::Low { " active-low" } else { "" };
            let pull = if wire.rests_high() && self.drive == Drive::OpenDrain { " pull-up" } else { "" };
            (wire.name(), format!("{place}{level}{pull}"))
        })
    }

    /// The wire of this line of the table's.
    pub(super) fn wire(&self, line: Line) -> Option<&Wire> {
        self.lines.iter().find(|wire| wire.line == line)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::file::BenchFile;
    use std::path::Path;

    fn repository(path: &str) -> PathBuf {
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(path)
    }

    fn shipped() -> Wiring {
        BenchFile::read(&repository("fixtures/benches/pi.toml")).unwrap().wiring.unwrap()
    }

    /// The cells of a page's tables, without their marks.
    fn rows(page: &str) -> Vec<Vec<String>> {
        let text = std::fs::read_to_string(repository(page)).unwrap();
        let rows = text.lines().filter(|line| line.starts_with("| "));
        rows.map(|row| {
            row.trim_matches('|').split('|').map(|cell| cell.replace(['`', '*'], "").trim().to_owned()).collect()
        })
        .collect()
    }

    fn told(wire: &Wire) -> [String; 4] {
        let place = |place: &Place| match place {
            Place::Offset(offset) => offset.to_string(),
            Place::Name(name) => name.clone(),
        };
        let active = if wire.active == Level::Low { "low" } else { "high" };
        [wire.name().to_owned(), place(&wire.table), place(&wire.rig), active.to_owned()]
    }

    #[test]
    fn the_page_has_the_wires_of_the_benchs_file() {
        let (wiring, page) = (shipped(), rows("hil-tests/docs/pi.md"));
        let names: Vec<&str> = wiring.lines.iter().map(Wire::name).collect();
        let told: Vec<_> = wiring.lines.iter().map(told).collect();
        let page = page.iter().filter(|row| names.contains(&row[0].as_str()));
        let page: Vec<_> = page.map(|row| [&row[0], &row[1], &row[2], &row[4]].map(Clone::clone)).collect();
        assert_eq!(page, told);
    }

    /// A table that is wired by the daemon's own page needs no other wires for its bench.
    #[test]
    fn the_tables_end_is_the_daemons_own_header() {
        let mut header = Vec::new();
        for row in rows("daemon/docs/wiring.md") {
            let columns: Vec<Vec<&str>> =
                [0, 1, 2].map(|at| row.get(at).map_or(Vec::new(), |c| c.split(", ").collect())).into();
            for ((name, bcm), pin) in columns[0].iter().zip(&columns[1]).zip(&columns[2]) {
                header.push(((*name).to_owned(), (*bcm).to_owned(), (*pin).to_owned()));
            }
        }
        let pages = rows("hil-tests/docs/pi.md");
        for wire in &shipped().lines {
            let [name, table, ..] = told(wire);
            let row = header.iter().find(|(of, ..)| *of == name).unwrap();
            let page = pages.iter().find(|row| row[0] == name).unwrap();
            assert_eq!((&row.1, &row.2), (&table, &page[3]), "{name}");
        }
    }

    #[test]
    fn the_daemon_is_told_its_lines_as_its_outside_has_them() {
        let texts: Vec<_> = shipped().texts().collect();
        assert_eq!(texts.len(), 16);
        let text = |name: &str| texts.iter().find(|(of, _)| *of == name).unwrap().1.clone();
        assert_eq!(text("motor_enable"), "17");
        assert_eq!(text("out_of_service"), "22 active-low");
        assert_eq!(text("seal"), "26 active-low pull-up");
        let driven = Wiring { drive: Drive::PushPull, ..shipped() };
        assert!(driven.texts().all(|(_, text)| !text.contains("pull")));
    }

    #[test]
    fn what_is_no_harness_is_refused_with_what_to_do() {
        let problem = |change: fn(&mut Wiring)| {
            let mut wiring = shipped();
            change(&mut wiring);
            wiring.problem().unwrap_or_default()
        };
        assert_eq!(problem(|_| {}), "");
        for (change, words) in [
            ((|w| w.lines.retain(|wire| wire.name() != "seal")) as fn(&mut Wiring), "`seal` has no wire"),
            (|w| w.lines.push(w.lines[0].clone()), "`motor_enable` has 2 wires"),
            (|w| w.lines[0].rig = w.lines[1].rig.clone(), "line 27 of the rig's chip has two wires"),
            (|w| w.lines[5].table = w.lines[6].table.clone(), "line 6 of the table's chip has two wires"),
            (|w| w.relay = Some(Relay { rig: Place::Offset(17), closed: Level::Low }), "line 17 of the rig's"),
            (|w| w.lines[5].active = Level::High, "set drive = \"push-pull\""),
        ] {
            let said = problem(change);
            assert!(said.contains(words), "{said}");
        }
    }
}
