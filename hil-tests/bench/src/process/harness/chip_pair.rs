//! The copper between two chips that one kernel simulates, and the dead-man relay at the rig's: what stands for the harness of
//! wires where there is no second Pi. It knows levels only, as copper does.

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

/// What a harness can have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Flaw {
    /// This line's wire is broken.
    Open(Line),
    /// These two are exchanged at one end.
    Crossed(Line, Line),
    /// These two touch, and a low level on either is one on both.
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

/// Two chips and the copper between them.
#[derive(Debug)]
pub(in crate::process) struct Copper {
    /// The table's chip.
    pub(in crate::process) table: Chip,
    /// How the two are wired.
    pub(in crate::process) wiring: Wiring,
    stop: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl Copper {
    /// Makes both chips, the table's with this label, and lays the copper.
    ///
    /// # Errors
    /// [`RigFault`] where the kernel makes no chips.
    pub(in crate::process) fn lay(label: &str) -> Result<Self, RigFault> {
        Self::with(label, None)
    }

    /// The same with a flaw.
    ///
    /// # Errors
    /// As [`Copper::lay`].
    pub(super) fn with(label: &str, flaw: Option<Flaw>) -> Result<Self, RigFault> {
        let other = format!("{label}-rig");
        let wiring = wiring(label, &other);
        let table = Chip::make(label)?;
        // The rig's lines have no names, and lie the other way round.
        let rig = Arc::new(SimChip::make(&other, &vec![""; names().count() + 1])?);
        let stop = Arc::<AtomicBool>::default();
        let mut net = Net::of(&wiring, table.sim(), rig, flaw);
        let ends = Arc::clone(&stop);
        let thread = std::thread::Builder::new().name("copper".into()).spawn(move || {
            while !ends.load(Ordering::SeqCst) {
                std::thread::sleep(if net.conduct() { LOOK } else { REST });
            }
        });
        let thread = thread.map_err(RigFault::system("start the thread that is the copper"))?;
        Ok(Self { table, wiring, stop, thread: Some(thread) })
    }
}

impl Drop for Copper {
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
        // The kernel simulates no pin that is let go of while somebody holds it for an output.
        drive: Drive::PushPull,
        relay: Some(Relay { rig: place(count), closed: Level::Low }),
        lines: lines.collect(),
    }
}

/// One wire: what drives it, and what reads it.
#[derive(Debug)]
struct Strand {
    line: Line,
    from: (Arc<SimChip>, usize),
    to: (Arc<SimChip>, usize),
    last: Option<bool>,
}

#[derive(Debug)]
struct Net {
    strands: Vec<Strand>,
    shorted: Option<(Line, Line)>,
    motor: bool,
    /// The relay's line at the rig, when its monostable was triggered last, and what its contact was told to read.
    relay: (Arc<SimChip>, usize),
    triggered: Option<Instant>,
    closed: Option<bool>,
    welded: bool,
}

impl Net {
    fn of(wiring: &Wiring, table: Arc<SimChip>, rig: Arc<SimChip>, flaw: Option<Flaw>) -> Self {
        let count = wiring.lines.len();
        let strands = wiring.lines.iter().enumerate().filter(|(_, wire)| flaw != Some(Flaw::Open(wire.line)));
        let strands = strands.map(|(offset, wire)| {
            let (ours, theirs) = ((Arc::clone(&table), offset), (Arc::clone(&rig), count - 1 - offset));
            // While nobody holds a pin, its resistor decides what the wire has.
            ours.0.pull(ours.1, wire.rests_high());
            theirs.0.pull(theirs.1, wire.rests_high());
            let (from, to) = if matches!(wire.line, Line::Out(_)) { (ours, theirs) } else { (theirs, ours) };
            Strand { line: wire.line, from, to, last: None }
        });
        let mut strands: Vec<Strand> = strands.collect();
        if let Some(Flaw::Crossed(one, other)) = flaw {
            let place = |line: Line| strands.iter().position(|strand| strand.line == line);
            if let (Some(one), Some(other)) = (place(one), place(other)) {
                let ends = [one, other].map(|at| strands.get(at).map(|strand| strand.to.clone()));
                for (at, end) in [other, one].into_iter().zip(ends) {
                    if let (Some(strand), Some(end)) = (strands.get_mut(at), end) {
                        strand.to = end;
                    }
                }
            }
        }
        Self {
            strands,
            shorted: if let Some(Flaw::Shorted(one, other)) = flaw { Some((one, other)) } else { None },
            motor: false,
            relay: (rig, count),
            triggered: None,
            closed: None,
            welded: flaw == Some(Flaw::Welded),
        }
    }

    /// Carries every level over. Whether the motor is on: then much hangs on it.
    fn conduct(&mut self) -> bool {
        // The motor's after its dead-man line, as at the bridge of a single chip.
        let mut levels: Vec<_> =
            self.strands.iter().rev().map(|strand| (strand.line, strand.from.0.level(strand.from.1))).collect();
        levels.reverse();
        if let Some((one, other)) = self.shorted {
            let low = levels.iter().any(|(line, level)| [one, other].contains(line) && *level == Some(false));
            levels
                .iter_mut()
                .filter(|(line, _)| low && [one, other].contains(line))
                .for_each(|(_, l)| *l = Some(false));
        }
        for (strand, (line, level)) in self.strands.iter_mut().zip(levels) {
            let Some(level) = level else { continue };
            if strand.last == Some(level) {
                continue;
            }
            // What it has when it is laid is no edge.
            if line == Line::Out(OutLine::MotorAlive) && strand.last.is_some() {
                self.triggered = Some(Instant::now());
            }
            if line == Line::Out(OutLine::MotorEnable) {
                self.motor = level;
            }
            strand.last = Some(level);
            strand.to.0.pull(strand.to.1, level);
        }
        let closed = self.welded || self.triggered.is_some_and(|at| at.elapsed() < HOLD);
        if self.closed.replace(closed) != Some(closed) {
            self.relay.0.pull(self.relay.1, !closed);
        }
        self.motor || closed
    }
}
