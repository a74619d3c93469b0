//! One end of the harness: the lines of a chip, requested through the kernel's character device. Table and rig differ in which lines
//! they drive.

use super::wiring::{Drive, Level, Place, Wire, Wiring};
use crate::process::rig_fault::RigFault;
use gpiocdev::Request;
use gpiocdev::chip::Chip;
use gpiocdev::line::{Bias, EdgeDetection, EdgeEvent, EdgeKind, EventClock, Offset, Value};
use std::os::fd::{AsFd, BorrowedFd};
use tumbler_core::wire::lines::Line;

/// Size of the kernel's edge buffer, in events: some seconds of a spinning cam and a dead-man line.
const EDGES: u32 = 1024;

/// Which end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Side {
    /// The table's: it drives outputs.
    Table,
    /// The rig's: it drives the table's inputs.
    Rig,
}

impl Side {
    const fn drives(self, line: Line) -> bool {
        matches!((self, line), (Self::Table, Line::Out(_)) | (Self::Rig, Line::In(_)))
    }
}

/// What this end reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Read {
    /// A line of the table.
    Line(Line),
    /// The contact of the dead-man relay.
    Relay,
}

/// An edge, as the kernel saw it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Edge {
    pub(super) read: Read,
    /// Active, or closed.
    pub(super) active: bool,
    /// When, on this machine's CLOCK_MONOTONIC, in nanoseconds.
    pub(super) at_ns: u64,
    /// Edges of this line before it that the kernel had no room for.
    pub(super) lost: u32,
}

/// The end itself. Dropping it releases all lines.
#[derive(Debug)]
pub(super) struct End {
    driven: Request,
    drives: Vec<(Line, Offset)>,
    watched: Request,
    watches: Vec<(Read, Offset, u32)>,
}

impl End {
    /// Requests all lines of this end; outputs are driven inactive at once.
    ///
    /// # Errors
    /// [`RigFault`] with the line and who holds it, or the labels of the chips that there are.
    pub(super) fn take(wiring: &Wiring, side: Side) -> Result<Self, RigFault> {
        let (label, whose) = match side {
            Side::Table => (&wiring.table_chip, " (table_chip of the bench's [wiring])"),
            Side::Rig => (&wiring.rig_chip, " (rig_chip of the bench's [wiring])"),
        };
        let chip = find(label, whose)?;
        let (mut drives, mut watches) = (Vec::new(), Vec::new());
        let (mut driven, mut watched) = (Request::builder(), Request::builder());
        for asks in [&mut driven, &mut watched] {
            asks.on_chip(chip.path()).with_consumer("tumbler-hil");
        }
        for wire in &wiring.lines {
            let place = if side == Side::Table { &wire.table } else { &wire.rig };
            let offset = offset(&chip, label, wire.name(), place)?;
            if side.drives(wire.line) {
                let asks = driven.with_line(offset).as_output(Value::Inactive);
                if side == Side::Rig && wiring.drive == Drive::OpenDrain {
                    asks.with_drive(gpiocdev::line::Drive::OpenDrain);
                }
                polarity(asks, wire.active);
                drives.push((wire.line, offset));
            } else {
                watch(&mut watched, offset, wire.active, bias(wiring, wire, side));
                watches.push((Read::Line(wire.line), offset, 0));
            }
        }
        if let (Some(relay), Side::Rig) = (&wiring.relay, side) {
            let offset = offset(&chip, label, "relay", &relay.rig)?;
            // A contact switches to ground or to the supply. When it is open, a resistor makes the line read open.
            let open = if relay.closed == Level::Low { Bias::PullUp } else { Bias::PullDown };
            let open = Some(open).filter(|_| wiring.drive == Drive::OpenDrain);
            watch(&mut watched, offset, relay.closed, open);
            watches.push((Read::Relay, offset, 0));
        }
        watched.with_kernel_event_buffer_size(EDGES);
        let all = drives.iter().map(|(_, offset)| *offset).chain(watches.iter().map(|(_, offset, _)| *offset));
        let mut all = all.filter_map(|offset| chip.line_info(offset).ok());
        if let Some(info) = all.find(|info| info.used) {
            return Err(RigFault::Other(format!(
                "line {} of chip {label} is held by `{}`: end that program first (a table's own service: systemctl stop tumblerd)",
                info.offset, info.consumer
            )));
        }
        let refused = |error| RigFault::Other(format!("the lines of chip {label} cannot be had: {error}"));
        let watched = watched.request().map_err(refused)?;
        let driven = driven.request().map_err(refused)?;
        Ok(Self { driven, drives, watched, watches })
    }

    /// Drives a line, if it is one that this end drives.
    ///
    /// # Errors
    /// [`RigFault`] where the kernel refuses.
    pub(super) fn drive(&self, line: Line, active: bool) -> Result<(), RigFault> {
        let Some((_, offset)) = self.drives.iter().find(|(of, _)| *of == line) else { return Ok(()) };
        let value = if active { Value::Active } else { Value::Inactive };
        self.driven.set_value(*offset, value).map_err(|error| RigFault::Other(format!("drive line {offset}: {error}")))
    }

    /// The lines that it drives.
    pub(super) fn drives(&self) -> impl Iterator<Item = Line> + '_ {
        self.drives.iter().map(|(line, _)| *line)
    }

    /// The levels of all lines that it reads.
    ///
    /// # Errors
    /// [`RigFault`] where the kernel does not tell.
    pub(super) fn levels(&self) -> Result<Vec<(Read, bool)>, RigFault> {
        let level = |(read, offset, _): &(Read, Offset, u32)| {
            let value = self.watched.value(*offset);
            let value = value.map_err(|error| RigFault::Other(format!("read line {offset}: {error}")))?;
            Ok((*read, value == Value::Active))
        };
        self.watches.iter().map(level).collect()
    }

    /// The next edge in the kernel's buffer, if there is one.
    ///
    /// # Errors
    /// [`RigFault`] where the kernel does not tell.
    pub(super) fn edge(&mut self) -> Result<Option<Edge>, RigFault> {
        let failed = |error: gpiocdev::Error| RigFault::Other(format!("read edges: {error}"));
        while self.watched.has_edge_event().map_err(failed)? {
            let event = self.watched.read_edge_event().map_err(failed)?;
            if let Some(edge) = self.known(&event) {
                return Ok(Some(edge));
            }
        }
        Ok(None)
    }

    fn known(&mut self, event: &EdgeEvent) -> Option<Edge> {
        let (read, _, last) = self.watches.iter_mut().find(|(_, offset, _)| *offset == event.offset)?;
        let lost = event.line_seqno.wrapping_sub(*last).wrapping_sub(1);
        *last = event.line_seqno;
        Some(Edge { read: *read, active: event.kind == EdgeKind::Rising, at_ns: event.timestamp_ns, lost })
    }

    /// Becomes readable when there is an edge.
    pub(super) fn fd(&self) -> BorrowedFd<'_> {
        self.watched.as_fd()
    }
}

/// The pull resistor of a line: the table's inputs have those of its wiring, and the rig's inputs are pulled down.
fn bias(wiring: &Wiring, wire: &Wire, side: Side) -> Option<Bias> {
    let pull = if side == Side::Table && wire.rests_high() { Bias::PullUp } else { Bias::PullDown };
    Some(pull).filter(|_| wiring.drive == Drive::OpenDrain)
}

fn polarity(asks: &mut gpiocdev::request::Builder, active: Level) {
    if active == Level::Low {
        asks.as_active_low();
    }
}

fn watch(asks: &mut gpiocdev::request::Builder, offset: Offset, active: Level, bias: Option<Bias>) {
    asks.with_line(offset).as_input().with_bias(bias);
    asks.with_edge_detection(EdgeDetection::BothEdges).with_event_clock(EventClock::Monotonic);
    polarity(asks, active);
}

/// The chip with this label; `whose` tells the error message where the label comes from.
///
/// # Errors
/// [`RigFault`] with the labels that there are.
pub fn find(label: &str, whose: &str) -> Result<Chip, RigFault> {
    let chips = gpiocdev::chip::chips().map_err(|error| RigFault::Other(format!("list the GPIO chips: {error}")))?;
    let mut there = Vec::new();
    for chip in chips.into_iter().filter_map(|path| Chip::from_path(path).ok()) {
        match chip.info() {
            Ok(info) if info.label == label => return Ok(chip),
            Ok(info) => there.push(info.label),
            Err(_) => {}
        }
    }
    let there = if there.is_empty() { "none".to_owned() } else { there.join(", ") };
    Err(RigFault::Other(format!(
        "there is no GPIO chip labelled `{label}`{whose} on this machine; there are: {there} (`gpiodetect`)"
    )))
}

fn offset(chip: &Chip, label: &str, line: &str, place: &Place) -> Result<Offset, RigFault> {
    let found = match place {
        Place::Offset(offset) => chip.line_info(*offset).ok().map(|info| info.offset),
        Place::Name(name) => chip.find_line_info(name).map(|info| info.offset),
    };
    found.ok_or_else(|| RigFault::Other(format!("chip {label} has no {place}, where the wire of `{line}` is to end")))
}
