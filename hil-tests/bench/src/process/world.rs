//! The world around the daemon: the twin, the judges and the bench's log, all on one clock.
//!
//! Table time is nanoseconds since the bench began. Time stands still within one tick: every observation of
//! a tick has its time, so observations stay in order.

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
use tumbler_spec::{Outlet, Part, Seen, Truth as Known};
use tumbler_twin::{Twin, Wire};

/// The lines whose first edge cuts the motor.
const GUARDS: [InLine; 5] = [InLine::DomeClosed, InLine::DomeOpen, InLine::Seal, InLine::MotorFault, InLine::PowerGood];

/// The world around the daemon.
pub(super) struct World {
    base: Mono,
    /// Time of this tick.
    pub(super) tick: u64,
    pub(super) twin: Twin,
    wires: Vec<Wire>,
    pub(super) judges: Judges,
    pub(super) journal: JournalWatch,
    pub(super) log: Log,
    /// Counts observations, so that `pass` knows when to return.
    pub(super) news: u64,
    /// The supply is failing: what is written but not synced may be lost.
    pub(super) cut: bool,
    fault: Option<RigFault>,
    root: String,
    topic: String,
    state: String,
    status: String,
    /// How late the rig was, among other things with guard edges while the motor was commanded on.
    pub(super) stalls: Stalls,
    /// Messages that a rogue client published to the tables' topics.
    pub(super) foreign_messages: u64,
    /// When a lamp board last answered a read of its lamps' current, in table time.
    pub(super) sensed: Option<u64>,
}

impl World {
    pub(super) fn new(twin: Twin, judges: Judges, journal: JournalWatch, root: &str) -> Self {
        Self {
            base: clock::now(),
            tick: 0,
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
            foreign_messages: 0,
            sensed: None,
        }
    }

    /// Table time now.
    pub(super) fn now(&self) -> u64 {
        clock::now().nanos_since(self.base).max(self.tick)
    }

    /// Converts table time to the machine's clock.
    pub(super) fn mono(&self, table: u64) -> Mono {
        Mono(self.base.0.saturating_add(table))
    }

    /// The topic above all topics of the table.
    pub(super) fn root(&self) -> &str {
        &self.root
    }

    /// Begins a tick: advances the time and the twin.
    pub(super) fn begin_tick(&mut self) {
        self.tick = self.now();
        self.twin.advance(self.tick, &mut self.wires);
    }

    /// Does something to the twin, as a person or the rig, in this tick.
    pub(super) fn act_on_twin(&mut self, act: impl FnOnce(&mut Twin, u64, &mut Vec<Wire>)) {
        act(&mut self.twin, self.tick, &mut self.wires);
    }

    /// Hands what the twin's wires showed to the judges, the log and the daemon.
    pub(super) fn deliver_wires(&mut self, socket: &mut WireSocket) {
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
                Wire::RepeatedLevel { at, line, active } => socket.edge(self.mono(at), line, active),
                Wire::Readback { at, line, active } => socket.readback(self.mono(at), line, active),
                Wire::Temperature { at, reading } => socket.temperature(self.mono(at), reading),
                Wire::Truth { .. } => self.news += 1,
            }
        }
        self.wires = wires;
    }

    /// A daemon connected: sends it every level.
    pub(super) fn send_levels(&mut self, socket: &mut WireSocket) {
        let at = self.mono(self.tick);
        for line in InLine::ALL {
            let active = self.twin.level(line);
            self.judges.level(self.tick, line, active);
            socket.level(at, line, active);
        }
        for line in OutLine::ALL {
            let active = self.twin.pin_level(line);
            self.judges.pin(self.tick, line, active);
            socket.output_level(at, line, active);
        }
    }

    /// The daemon drives an output.
    pub(super) fn output_driven(&mut self, line: OutLine, active: bool) {
        self.log.driven(self.tick, line, active, self.twin.pin_level(line) != active);
        if line != OutLine::MotorAlive {
            // Judges must see what the daemon committed before they see the line that it drove after that.
            self.read_journal();
        }
        self.judges.output(self.tick, line, active);
        self.twin.output(self.tick, line, active, &mut self.wires);
    }

    /// The kernel turned the pin of a dead daemon back into an input, and the pull resistor changed its level. The outside sees the
    /// change, but the daemon did not cause it, so the judges do not hear of it.
    pub(super) fn pin_released(&mut self, pin: ToBench) {
        self.twin.output(self.tick, pin.line, pin.active, &mut self.wires);
    }

    /// Notes how soon the table cut the motor after an edge at a guard line, by the clock of the rig's pins.
    pub(super) fn note_reaction(&mut self, driven: ToBench, since: Since) {
        let cuts =
            GUARDS.contains(&since.line) && since.active == matches!(since.line, InLine::DomeOpen | InLine::MotorFault);
        if cuts && driven == (ToBench { line: OutLine::MotorEnable, active: false }) {
            self.log.cuts.push((since.line, since.ns));
        }
    }

    /// The dead-man relay closed or opened; `after_ns` is the time since the last edge of its line.
    ///
    /// # Errors
    /// [`RigFault`] where it opened at a time outside its module's specification: the bench is at fault, not the table.
    pub(super) fn relay_contact(&mut self, closed: bool, after_ns: Option<u64>) -> Result<(), RigFault> {
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
            Ok(records) => records.into_iter().for_each(|record| self.record_durable(record)),
            Err(fault) => self.fault = self.fault.take().or(Some(fault)),
        }
    }

    fn record_durable(&mut self, record: Record) {
        // Judges use table time; a record from before the bench began counts as made at its beginning.
        let shifted = Record { at: Mono(record.at.nanos_since(self.base)), ..record.clone() };
        self.judges.record(self.tick, &shifted);
        self.log.records.push(Durable { at: self.tick, record });
        self.news += 1;
    }

    /// Takes a message that a subscriber at the broker received.
    pub(super) fn mqtt_message(&mut self, message: Message) {
        if message.foreign {
            // Published by a rogue client; judges judge only the table.
            self.foreign_messages += 1;
            return;
        }
        let mut payload = (!message.payload.is_empty()).then(|| {
            let text = || Value::String(String::from_utf8_lossy(&message.payload).into_owned());
            serde_json::from_slice(&message.payload).unwrap_or_else(|_| text())
        });
        if message.topic == self.topic {
            let seq = payload.as_ref().and_then(|p| p.get("seq")).and_then(Value::as_u64).unwrap_or(0);
            self.log.relayed = self.log.relayed.max(Seq(seq));
            // The record's time becomes table time, like that of the record in the journal.
            if let Some(at) = payload.as_mut().and_then(|p| p.get_mut("at")) {
                *at = at.as_u64().map_or(Value::Null, |at| Mono(at).nanos_since(self.base).into());
            }
            self.news += 1;
        }
        if message.topic == self.state {
            if let Some(phase) = payload.as_ref().and_then(|p| p.get("phase")).and_then(Value::as_str) {
                self.judges.phase(self.tick, phase);
            }
        }
        if message.topic == self.status {
            let said = payload.as_ref().and_then(|p| p.get("status")).and_then(Value::as_str);
            self.log.online = said.map(|said| said == "online");
            self.news += 1;
        }
        self.judges.tell(self.tick, Seen::Mqtt { topic: message.topic, payload, retained: message.retained });
    }

    /// The daemon printed something on the console.
    pub(super) fn console_text(&mut self, text: &str) {
        self.judges.tell(self.tick, Seen::Text { outlet: Outlet::Console, text: text.to_owned() });
    }

    /// The daemon's process began or ended.
    pub(super) fn process_alive(&mut self, alive: bool) {
        self.judges.tell(self.tick, Seen::Truth(Known::Process { alive }));
    }

    /// The daemon's process was stopped or continued.
    pub(super) fn process_hung(&mut self, hung: bool) {
        self.judges.tell(self.tick, Seen::Truth(Known::Hung { hung }));
    }

    /// The disk under the journal is broken or repaired.
    pub(super) fn journal_broken(&mut self, broken: bool) {
        self.judges.tell(self.tick, Seen::Truth(Known::Broken { part: Part::Journal, broken }));
    }

    /// Returns the rig's fault of this tick, if there is one, and clears it.
    pub(super) fn take_fault(&mut self) -> Result<(), RigFault> {
        self.fault.take().map_or(Ok(()), Err)
    }
}

impl Units for World {
    fn transact(&mut self, unit: u8, op: &BusOp) -> Response {
        self.read_journal();
        let answer = self.twin.answer(self.tick, unit, op, &mut self.wires);
        if matches!(op, BusOp::ReadDiscrete { .. }) {
            self.sensed = Some(self.tick);
        }
        self.judges.bus(self.tick, self.tick, unit, op, answer.heard().as_ref().map_err(|e| *e));
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
