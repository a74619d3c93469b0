//! The world around the daemon: the twin, what judges are told, and what was seen, on one clock.
//!
//! Table time is nanoseconds since the bench began. Within one turn of the world time stands still: everything that
//! is seen in it carries the turn's time, so that observations are in order.

use super::clock::{self, Stalls};
use super::harness::check::OPENS_NS;
use super::harness::link::Since;
use super::observer::Message;
use super::rig_fault::RigFault;
use super::units::{Response, Units};
use super::watch::JournalWatch;
use super::wire::WireSocket;
use crate::log::{Durable, Log};
use crate::observe::Observer as Judges;
use serde_json::Value;
use tumbler_core::effect::BusOp;
use tumbler_core::input::BusFailure;
use tumbler_core::line::{InLine, OutLine};
use tumbler_core::record::Record;
use tumbler_core::units::{Mono, Seq};
use tumbler_core::wire::lines::ToBench;
use tumbler_judges::{Outlet, Part, Seen, Truth as Known};
use tumbler_twin::{Twin, Wire};

/// The lines whose first edge cuts the motor.
const GUARDS: [InLine; 5] = [InLine::DomeClosed, InLine::DomeOpen, InLine::Seal, InLine::MotorFault, InLine::PowerGood];

/// The world around the daemon.
pub(super) struct World {
    base: Mono,
    /// Time of this turn.
    pub(super) turn: u64,
    pub(super) twin: Twin,
    wires: Vec<Wire>,
    pub(super) judges: Judges,
    pub(super) journal: JournalWatch,
    pub(super) log: Log,
    /// Counts everything that was seen, so that `pass` knows when to return.
    pub(super) news: u64,
    /// The supply is failing: what is written but not synced may never have been.
    pub(super) cut: bool,
    fault: Option<RigFault>,
    root: String,
    topic: String,
    state: String,
    status: String,
    /// How late guard edges were told while the motor was commanded on.
    pub(super) stalls: Stalls,
    /// Messages of strangers on the topics of tables.
    pub(super) strangers: u64,
    /// When a lamp board last told what its lamps draw, in table time.
    pub(super) sensed: Option<u64>,
}

impl World {
    pub(super) fn new(twin: Twin, judges: Judges, journal: JournalWatch, root: &str) -> Self {
        Self {
            base: clock::now(),
            turn: 0,
            twin,
            wires: Vec::with_capacity(64),
            judges,
            journal,
            log: Log::default(),
            news: 0,
            cut: false,
            fault: None,
            root: root.to_owned(),
            topic: format!("{root}/event"),
            state: format!("{root}/state"),
            status: format!("{root}/status"),
            stalls: Stalls::default(),
            strangers: 0,
            sensed: None,
        }
    }

    /// Table time now.
    pub(super) fn now(&self) -> u64 {
        clock::now().nanos_since(self.base).max(self.turn)
    }

    /// The moment on the machine's clock that a table time is.
    pub(super) fn mono(&self, table: u64) -> Mono {
        Mono(self.base.0.saturating_add(table))
    }

    /// The table's topics lie below this one.
    pub(super) fn root(&self) -> &str {
        &self.root
    }

    /// Begins a turn: time moves on, and the twin with it.
    pub(super) fn begin_turn(&mut self) {
        self.turn = self.now();
        self.twin.advance(self.turn, &mut self.wires);
    }

    /// Something that a person or the rig does to the twin, in this turn.
    pub(super) fn touch(&mut self, deed: impl FnOnce(&mut Twin, u64, &mut Vec<Wire>)) {
        deed(&mut self.twin, self.turn, &mut self.wires);
    }

    /// Takes up what the twin showed, and tells the daemon.
    pub(super) fn notice(&mut self, socket: &mut WireSocket) {
        let mut wires = core::mem::take(&mut self.wires);
        for wire in wires.drain(..) {
            self.judges.wire(&wire);
            self.log.note(&wire);
            match wire {
                Wire::Edge { at, line, active } => {
                    if GUARDS.contains(&line) && self.twin.pin_level(OutLine::MotorEnable) {
                        self.stalls.note_guard(at, self.now());
                    }
                    socket.edge(self.mono(at), line, active);
                }
                Wire::Again { at, line, active } => socket.edge(self.mono(at), line, active),
                Wire::Readback { at, line, active } => socket.readback(self.mono(at), line, active),
                Wire::Temperature { at, reading } => socket.temperature(self.mono(at), reading),
                Wire::Truth { .. } => self.news += 1,
            }
        }
        self.wires = wires;
    }

    /// A daemon connected: it is told every level.
    pub(super) fn greet(&mut self, socket: &mut WireSocket) {
        let at = self.mono(self.turn);
        for line in InLine::ALL {
            let active = self.twin.level(line);
            self.judges.level(self.turn, line, active);
            socket.level(at, line, active);
        }
        for line in OutLine::ALL {
            let active = self.twin.pin_level(line);
            self.judges.pin(self.turn, line, active);
            socket.output_level(at, line, active);
        }
    }

    /// The daemon drives an output.
    pub(super) fn driven(&mut self, line: OutLine, active: bool) {
        self.log.driven(self.turn, line, active, self.twin.pin_level(line) != active);
        if line != OutLine::MotorAlive {
            // What the daemon committed before it drove the line is told before the line.
            self.read_journal();
        }
        self.judges.output(self.turn, line, active);
        self.twin.output(self.turn, line, active, &mut self.wires);
    }

    /// A kernel has made an input of the pin of a program that is gone, and its resistor another level: the outside sees that, and it
    /// is no act of the daemon's.
    pub(super) fn let_go(&mut self, pin: ToBench) {
        self.twin.output(self.turn, pin.line, pin.active, &mut self.wires);
    }

    /// The table drove an output so soon after an edge at one of its inputs, by the clock of the rig's pins.
    pub(super) fn reacted(&mut self, driven: ToBench, since: Since) {
        let cuts =
            GUARDS.contains(&since.line) && since.active == matches!(since.line, InLine::DomeOpen | InLine::MotorFault);
        if cuts && driven == (ToBench { line: OutLine::MotorEnable, active: false }) {
            self.log.cuts.push((since.line, since.ns));
        }
    }

    /// The dead-man relay closed, or opened so long after the last edge of its line.
    ///
    /// # Errors
    /// [`RigFault`] where it opened at another time than its module is to: the bench is at fault, and no table.
    pub(super) fn relay(&mut self, closed: bool, after_ns: Option<u64>) -> Result<(), RigFault> {
        match after_ns.filter(|after| !closed && !OPENS_NS.contains(after)) {
            Some(after) => Err(RigFault::Other(format!(
                "the dead-man relay opened {} ms after the last edge of motor_alive; try its module (`tumbler-hil selftest`)",
                after / 1_000_000
            ))),
            None => Ok(()),
        }
    }

    /// Reads the records that became durable.
    pub(super) fn read_journal(&mut self) {
        if self.cut {
            return;
        }
        match self.journal.take() {
            Ok(records) => records.into_iter().for_each(|record| self.durable(record)),
            Err(fault) => self.fault = self.fault.take().or(Some(fault)),
        }
    }

    fn durable(&mut self, record: Record) {
        // Judges reckon in table time; what was recorded before the bench began, at its beginning.
        let shifted = Record { at: Mono(record.at.nanos_since(self.base)), ..record.clone() };
        self.judges.record(self.turn, &shifted);
        self.log.records.push(Durable { at: self.turn, record });
        self.news += 1;
    }

    /// What a subscriber at the broker received.
    pub(super) fn received(&mut self, message: Message) {
        if message.foreign {
            // Not the table's words; judges judge the table.
            self.strangers += 1;
            return;
        }
        let mut payload = (!message.payload.is_empty()).then(|| {
            let text = || Value::String(String::from_utf8_lossy(&message.payload).into_owned());
            serde_json::from_slice(&message.payload).unwrap_or_else(|_| text())
        });
        if message.topic == self.topic {
            let seq = payload.as_ref().and_then(|p| p.get("seq")).and_then(Value::as_u64).unwrap_or(0);
            self.log.relayed = self.log.relayed.max(Seq(seq));
            // In table time, as the record that it is.
            if let Some(at) = payload.as_mut().and_then(|p| p.get_mut("at")) {
                *at = at.as_u64().map_or(Value::Null, |at| Mono(at).nanos_since(self.base).into());
            }
            self.news += 1;
        }
        if message.topic == self.state {
            if let Some(phase) = payload.as_ref().and_then(|p| p.get("phase")).and_then(Value::as_str) {
                self.judges.phase(self.turn, phase);
            }
        }
        if message.topic == self.status {
            let said = payload.as_ref().and_then(|p| p.get("status")).and_then(Value::as_str);
            self.log.online = said.map(|said| said == "online");
            self.news += 1;
        }
        self.judges.tell(self.turn, Seen::Mqtt { topic: message.topic, payload, retained: message.retained });
    }

    /// The daemon told people something on the console.
    pub(super) fn said(&mut self, text: &str) {
        self.judges.tell(self.turn, Seen::Text { outlet: Outlet::Console, text: text.to_owned() });
    }

    /// The daemon's process began or ended.
    pub(super) fn process(&mut self, alive: bool) {
        self.judges.tell(self.turn, Seen::Truth(Known::Process { alive }));
    }

    /// The daemon's process stands still or goes on.
    pub(super) fn hung(&mut self, hung: bool) {
        self.judges.tell(self.turn, Seen::Truth(Known::Hung { hung }));
    }

    /// The disk under the journal is broken, or whole again.
    pub(super) fn journal_broken(&mut self, broken: bool) {
        self.judges.tell(self.turn, Seen::Truth(Known::Broken { part: Part::Journal, broken }));
    }

    /// What went wrong with the rig in this turn, once.
    pub(super) fn take_fault(&mut self) -> Result<(), RigFault> {
        self.fault.take().map_or(Ok(()), Err)
    }
}

impl Units for World {
    fn transact(&mut self, unit: u8, op: &BusOp) -> Response {
        self.read_journal();
        let answer = self.twin.answer(self.turn, unit, op, &mut self.wires);
        if matches!(op, BusOp::ReadDiscrete { .. }) {
            self.sensed = Some(self.turn);
        }
        self.judges.bus(self.turn, self.turn, unit, op, answer.heard().as_ref().map_err(|e| *e));
        match answer.reply {
            Ok(reply) => Response::Reply(reply, answer.garble),
            Err(BusFailure::Exception(code)) => Response::Exception(code),
            Err(_) => Response::Silence,
        }
    }

    fn babble(&mut self) -> Option<[u8; 8]> {
        self.twin.babble()
    }
}
