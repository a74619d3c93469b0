//! Two simulated chips with simulated wires between them, and the dead-man relay on the rig's side: replaces the wire harness where
//! there is no second Pi. Like a real wire it carries levels only.

use super::wiring::{Drive, Level, Place, Relay, Wire, Wiring};
use crate::process::gpio_sim::{Chip, LOOK, REST, SimChip, active_low, names};
use crate::process::rig_fault::RigFault;
use std::str::FromStr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};
use tumbler_core::line::{InLine, OutLine};
use tumbler_core::wire::lines::Line;

/// How long the relay's monostable holds after an edge (`daemon/docs/wiring.md`).
const HOLD: Duration = Duration::from_millis(100);

/// A defect of the harness.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Flaw {
    /// This line's wire is broken.
    Open(Line),
    /// These two are swapped at one end.
    Crossed(Line, Line),
    /// These two touch: a low level on one pulls the other low.
    Shorted(Line, Line),
    /// The relay's contact is welded.
    Welded,
}

impl FromStr for Flaw {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let line = |name: &str| {
            serde_json::from_value(serde_json::Value::from(name))
                .map_err(|_| format!("`{name}` is no line of the table"))
        };
        let two = |names: &str| match names.split_once(',') {
            Some((one, other)) => Ok((line(one)?, line(other)?)),
            None => Err(format!("`{names}` is to be two lines with a comma between them")),
        };
        match text.split_once(':') {
            Some(("open", name)) => Ok(Self::Open(line(name)?)),
            Some(("crossed", names)) => two(names).map(|(one, other)| Self::Crossed(one, other)),
            Some(("shorted", names)) => two(names).map(|(one, other)| Self::Shorted(one, other)),
            None if text == "welded" => Ok(Self::Welded),
            _ => Err("a flaw is open:LINE, crossed:LINE,LINE, shorted:LINE,LINE or welded".into()),
        }
    }
}

/// Two simulated chips and the wires between them.
#[derive(Debug)]
pub(in crate::process) struct ChipPair {
    /// The table's chip.
    pub(in crate::process) table: Chip,
    /// How the two chips are wired.
    pub(in crate::process) wiring: Wiring,
    stop: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl ChipPair {
    /// Creates both chips, the table's with this label, and wires them.
    ///
    /// # Errors
    /// [`RigFault`] where the kernel cannot simulate chips.
    pub(in crate::process) fn connect(label: &str) -> Result<Self, RigFault> {
        Self::with(label, None)
    }

    /// As [`ChipPair::connect`], with a flaw in the harness.
    ///
    /// # Errors
    /// As [`ChipPair::connect`].
    pub(super) fn with(label: &str, flaw: Option<Flaw>) -> Result<Self, RigFault> {
        let other = format!("{label}-rig");
        let wiring = wiring(label, &other);
        let table = Chip::make(label)?;
        // The rig's lines are unnamed and in reverse order, so that a mix-up of offsets shows.
        let rig = Arc::new(SimChip::make(&other, &vec![""; names().count() + 1])?);
        let stop = Arc::<AtomicBool>::default();
        let mut harness = SimHarness::of(&wiring, table.sim(), rig, flaw);
        let ends = Arc::clone(&stop);
        let thread = std::thread::Builder::new().name("chip-pair".into()).spawn(move || {
            while !ends.load(Ordering::SeqCst) {
                std::thread::sleep(if harness.copy_levels() { LOOK } else { REST });
            }
        });
        let thread = thread.map_err(RigFault::system("start the thread between the chips"))?;
        Ok(Self { table, wiring, stop, thread: Some(thread) })
    }
}

impl Drop for ChipPair {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::SeqCst);
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

/// The wiring of two simulated chips with these labels.
fn wiring(table: &str, rig: &str) -> Wiring {
    let count = names().count();
    let lines = OutLine::ALL.into_iter().map(Line::Out).chain(InLine::ALL.into_iter().map(Line::In));
    let place = |offset: usize| Place::Offset(u32::try_from(offset).unwrap_or(u32::MAX));
    let lines = lines.zip(names()).enumerate().map(|(offset, (line, name))| Wire {
        line,
        table: if offset % 3 == 0 { place(offset) } else { Place::Name(name.to_owned()) },
        rig: place(count - 1 - offset),
        active: if active_low(offset) { Level::Low } else { Level::High },
    });
    Wiring {
        table_chip: table.to_owned(),
        rig_chip: rig.to_owned(),
        reach: Vec::new(),
        bus: None,
        // gpio-sim cannot simulate open drain: a requested output is always driven.
        drive: Drive::PushPull,
        relay: Some(Relay { rig: place(count), closed: Level::Low }),
        lines: lines.collect(),
    }
}

/// One wire: what drives it, and what reads it.
#[derive(Debug)]
struct SimWire {
    line: Line,
    from: (Arc<SimChip>, usize),
    to: (Arc<SimChip>, usize),
    last: Option<bool>,
}

#[derive(Debug)]
struct SimHarness {
    sim_wires: Vec<SimWire>,
    shorted: Option<(Line, Line)>,
    motor: bool,
    /// Chip and offset of the line on which the rig reads the relay's contact.
    relay: (Arc<SimChip>, usize),
    /// When the monostable was triggered last.
    triggered: Option<Instant>,
    /// State of the contact as last written.
    closed: Option<bool>,
    welded: bool,
}

impl SimHarness {
    fn of(wiring: &Wiring, table: Arc<SimChip>, rig: Arc<SimChip>, flaw: Option<Flaw>) -> Self {
        let count = wiring.lines.len();
        let sim_wires = wiring.lines.iter().enumerate().filter(|(_, wire)| flaw != Some(Flaw::Open(wire.line)));
        let sim_wires = sim_wires.map(|(offset, wire)| {
            let (ours, theirs) = ((Arc::clone(&table), offset), (Arc::clone(&rig), count - 1 - offset));
            // Until a pin is requested, its pull resistor sets the level.
            ours.0.pull(ours.1, wire.rests_high());
            theirs.0.pull(theirs.1, wire.rests_high());
            let (from, to) = if matches!(wire.line, Line::Out(_)) { (ours, theirs) } else { (theirs, ours) };
            SimWire { line: wire.line, from, to, last: None }
        });
        let mut sim_wires: Vec<SimWire> = sim_wires.collect();
        if let Some(Flaw::Crossed(one, other)) = flaw {
            let place = |line: Line| sim_wires.iter().position(|sim_wire| sim_wire.line == line);
            if let (Some(one), Some(other)) = (place(one), place(other)) {
                let ends = [one, other].map(|at| sim_wires.get(at).map(|sim_wire| sim_wire.to.clone()));
                for (at, end) in [other, one].into_iter().zip(ends) {
                    if let (Some(sim_wire), Some(end)) = (sim_wires.get_mut(at), end) {
                        sim_wire.to = end;
                    }
                }
            }
        }
        Self {
            sim_wires,
            shorted: if let Some(Flaw::Shorted(one, other)) = flaw { Some((one, other)) } else { None },
            motor: false,
            relay: (rig, count),
            triggered: None,
            closed: None,
            welded: flaw == Some(Flaw::Welded),
        }
    }

    /// Copies every changed level to the other end. `true`: the motor is or may be on, so look again soon.
    fn copy_levels(&mut self) -> bool {
        // `motor_enable` is read after `motor_alive`, as the bridge of a single chip does.
        let mut levels: Vec<_> = self
            .sim_wires
            .iter()
            .rev()
            .map(|sim_wire| (sim_wire.line, sim_wire.from.0.level(sim_wire.from.1)))
            .collect();
        levels.reverse();
        if let Some((one, other)) = self.shorted {
            let low = levels.iter().any(|(line, level)| [one, other].contains(line) && *level == Some(false));
            levels
                .iter_mut()
                .filter(|(line, _)| low && [one, other].contains(line))
                .for_each(|(_, l)| *l = Some(false));
        }
        for (sim_wire, (line, level)) in self.sim_wires.iter_mut().zip(levels) {
            let Some(level) = level else { continue };
            if sim_wire.last == Some(level) {
                continue;
            }
            // The initial level is no edge.
            if line == Line::Out(OutLine::MotorAlive) && sim_wire.last.is_some() {
                self.triggered = Some(Instant::now());
            }
            if line == Line::Out(OutLine::MotorEnable) {
                self.motor = level;
            }
            sim_wire.last = Some(level);
            sim_wire.to.0.pull(sim_wire.to.1, level);
        }
        let closed = self.welded || self.triggered.is_some_and(|at| at.elapsed() < HOLD);
        if self.closed.replace(closed) != Some(closed) {
            self.relay.0.pull(self.relay.1, !closed);
        }
        self.motor || closed
    }
}
