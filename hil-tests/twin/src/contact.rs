//! Contacts and sensors at the daemon's input lines: their true state, and the level of their line.

use super::event_queue::{EventQueue, PlannedEvent};
use super::fault::{Fault, Faults};
use super::rng::Rng;
use super::wire::Wire;
use tumbler_core::line::InLine;

const LINES: usize = InLine::ALL.len();

/// How much a contact bounces.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Bounce {
    /// Most extra breaks.
    pub most: u64,
    /// How long it bounces, in microseconds: drawn from this range.
    pub micros: (u64, u64),
}

impl Bounce {
    /// Whether a fault causes it: then it always bounces the most, even where healthy contacts do not.
    pub(super) const fn is_fault(self) -> bool {
        self.most > 20
    }
}

/// Push button and key switch: a few milliseconds.
pub(super) const BUTTON: Bounce = Bounce { most: 4, micros: (500, 8000) };
/// The dome's contacts: 5 to 30 ms.
pub(super) const DOME: Bounce = Bounce { most: 6, micros: (5000, 30_000) };
/// Hall sensor with a noisy threshold: within 300 microseconds.
pub(super) const HALL: Bounce = Bounce { most: 1, micros: (20, 300) };
/// The fault `cam.bounce`: fifty extra edges.
pub(super) const HALL_BAD: Bounce = Bounce { most: 25, micros: (4000, 4001) };
/// The fault `dome.bounce`: 30 ms of it.
pub(super) const DOME_BAD: Bounce = Bounce { most: 25, micros: (30_000, 30_001) };
/// A clean contact.
pub(super) const CLEAN: Bounce = Bounce { most: 0, micros: (0, 0) };

/// All input lines.
#[derive(Clone, Debug)]
pub(super) struct Contacts {
    /// True states of contacts and sensors.
    raw: [bool; LINES],
    /// Levels of the lines.
    level: [bool; LINES],
    /// Counts the plans of each line: a newer movement cancels the rest of an older one.
    plan: [u32; LINES],
}

fn get<T: Copy + Default>(of: &[T; LINES], line: InLine) -> T {
    of.get(line.index()).copied().unwrap_or_default()
}

fn put<T>(of: &mut [T; LINES], line: InLine, value: T) {
    if let Some(place) = of.get_mut(line.index()) {
        *place = value;
    }
}

impl Contacts {
    pub(super) const fn new() -> Self {
        Self { raw: [false; LINES], level: [false; LINES], plan: [0; LINES] }
    }

    pub(super) fn raw(&self, line: InLine) -> bool {
        get(&self.raw, line)
    }

    pub(super) fn level(&self, line: InLine) -> bool {
        get(&self.level, line)
    }

    /// Sets a contact's initial level, without an edge.
    pub(super) fn begin(&mut self, line: InLine, active: bool) {
        put(&mut self.raw, line, active);
        put(&mut self.level, line, active);
    }

    /// Plans the movement of a contact to `active` from `at` on, with bounce.
    pub(super) fn plan(
        &mut self,
        line: InLine,
        active: bool,
        at: u64,
        bounce: Bounce,
        queue: &mut EventQueue,
        rng: &mut Rng,
    ) {
        let plan = get(&self.plan, line).wrapping_add(1);
        put(&mut self.plan, line, plan);
        queue.plan(at, PlannedEvent::Contact { line, active, plan });
        let extra = if bounce.is_fault() { bounce.most } else { rng.range(0, bounce.most + 1) };
        if extra == 0 {
            return;
        }
        let window = rng.range(bounce.micros.0, bounce.micros.1.max(bounce.micros.0 + 1)) * 1000;
        let step = (window / (2 * extra)).max(2);
        for n in 0..extra {
            let start = at + 2 * n * step;
            queue.plan(start + rng.range(step / 4, step), PlannedEvent::Contact { line, active: !active, plan });
            queue.plan(start + 2 * step, PlannedEvent::Contact { line, active, plan });
        }
    }

    /// Whether a plan is still current.
    pub(super) fn current(&self, line: InLine, plan: u32) -> bool {
        get(&self.plan, line) == plan
    }

    /// The contact takes a level; returns whether its line changes too.
    pub(super) fn moves(&mut self, line: InLine, active: bool, at: u64, faults: &mut Faults, out: &mut Vec<Wire>) {
        put(&mut self.raw, line, active);
        self.follow(line, at, faults, out);
    }

    /// Sets the line to the contact's level, or to that of the fault that holds it.
    pub(super) fn follow(&mut self, line: InLine, at: u64, faults: &mut Faults, out: &mut Vec<Wire>) {
        let raw = self.raw(line);
        let mut level = raw;
        for active in [false, true] {
            let stuck = Fault::LineStuck { line, active };
            if faults.has(stuck) {
                level = active;
                if raw != active {
                    faults.note_hold(stuck);
                }
            }
        }
        if matches!(line, InLine::CamA | InLine::CamB) && faults.has(Fault::CamLost) {
            level = self.level(line);
            if raw != level {
                faults.note_hold(Fault::CamLost);
            }
        }
        if matches!(line, InLine::DomeClosed | InLine::DomeOpen) {
            for active in [false, true] {
                let cable = Fault::DomeCable { active };
                if faults.has(cable) {
                    level = active;
                    if raw != active {
                        faults.note_hold(cable);
                    }
                }
            }
        }
        if line == InLine::MotorFault && faults.has(Fault::DriverFaultDead) {
            level = false;
        }
        if level != self.level(line) {
            put(&mut self.level, line, level);
            out.push(Wire::Edge { at, line, active: level });
        }
    }
}

impl Contacts {
    /// Plans a pulse: the contact leaves its level for `active` at `at`, and returns after `nanos`.
    pub(super) fn pulse(&mut self, line: InLine, active: bool, at: u64, nanos: u64, queue: &mut EventQueue) {
        let plan = get(&self.plan, line).wrapping_add(1);
        put(&mut self.plan, line, plan);
        queue.plan(at, PlannedEvent::Contact { line, active, plan });
        queue.plan(at + nanos, PlannedEvent::Contact { line, active: !active, plan });
    }
}
