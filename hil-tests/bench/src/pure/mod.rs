//! The pure bench: core and twin in one process on a virtual clock, with the field bus at register level. There is no thread, socket
//! or real clock, so the same seed gives the same run, bit for bit.

mod broker;
mod bus;
mod control;
mod effects;
mod environment;
mod inspect;
mod journal;
mod left;
mod recording;
mod setup;

use super::injection_check::InjectionCheck;
use super::log::{Durable, Log};
use super::observe::Observer;
use super::{BenchError, Physical, SITE};
use broker::Broker;
use bus::Transaction;
use environment::Environment;
use journal::{CommitResult, Journal};
use left::Left;
pub use setup::Setup;
use std::collections::{BTreeMap, VecDeque};
use tumbler_core::effect::Effect;
use tumbler_core::input::{BusFailure, Input, Stamped};
use tumbler_core::settings::Settings;
use tumbler_core::snapshot::Snapshot;
use tumbler_core::table::{Start, Table};
use tumbler_core::units::{Mono, Seq};
use tumbler_core::wire::console::Answer;
use tumbler_core::wire::recording::Line;
use tumbler_twin::{self, Truth, Twin, Wire};

/// Name of this bench's own table.
const TABLE: &str = "pure";

/// Most inputs and ticks that are handled at one time. A table that needs more would ask for ticks for ever.
const MOST_INPUTS_AT_ONCE: u32 = 10_000;

/// The bench. A copy goes on from the same state and draws the same random numbers.
#[derive(Clone)]
pub struct Pure {
    settings: Settings,
    now: u64,
    twin: Twin,
    table: Option<Table>,
    boots: u32,
    boot_id: String,
    wires: Vec<Wire>,
    inbox: VecDeque<(u64, Input)>,
    effects: Vec<Effect>,
    bus: Option<Transaction>,
    journal: Journal,
    commit_ns: u64,
    broker: bool,
    /// The broker's model, if only the judges decide.
    told: Option<Broker>,
    relay: Option<(u64, Seq)>,
    durable: Seq,
    answers: BTreeMap<u64, Answer>,
    requests: u64,
    shown: Option<(u64, Snapshot)>,
    /// When the status was last passed to the judges.
    told_ns: Option<u64>,
    /// The revision whose phase was noted last.
    watched: u64,
    log: Log,
    /// Counts everything that was seen, so that `pass` knows when to return.
    news: u64,
    events: u64,
    observer: Observer,
    injection_check: InjectionCheck,
    /// Every effect with its time, if there is a trace.
    effected: Option<Vec<(u64, Effect)>>,
    /// What left the table, if it is kept.
    left: Option<Left>,
    environment: Environment,
    /// The raw inputs since the daemon's start, if they are recorded.
    tape: Option<Vec<Line>>,
    trouble: Option<BenchError>,
}

impl Pure {
    /// Builds a table and starts its daemon.
    ///
    /// # Errors
    /// [`BenchError::Rig`] if the settings, the rule set or the layout are invalid.
    pub fn new(setup: Setup) -> Result<Self, BenchError> {
        let rig = |problem: String| BenchError::Rig(problem);
        let (rule_set, layout) = setup
            .settings
            .check()
            .map_err(|bad| rig(bad.iter().map(ToString::to_string).collect::<Vec<_>>().join("; ")))?;
        let config = tumbler_twin::Config {
            reader: setup.settings.reader,
            temperature: setup.settings.temperature,
            ..tumbler_twin::Config::full(rule_set.order.covered, layout.areas.len())
        };
        let told = tumbler_spec::Config {
            free_play: setup.free_play,
            exact: setup.exact,
            topics: broker::root(&setup.settings),
            ..Observer::config(&setup.settings)
        };
        let observer = Observer::with(told, setup.judge, setup.trace)?;
        let (journal, commissioned) = Journal::commission(&setup.settings, setup.commit_ns);
        let mut bench = Self {
            twin: Twin::new(config, setup.seed),
            told: setup.judge.then(|| Broker::new(&setup.settings)),
            settings: setup.settings,
            now: 0,
            table: None,
            boots: 1,
            boot_id: "boot-1".into(),
            wires: Vec::with_capacity(64),
            inbox: VecDeque::with_capacity(64),
            effects: Vec::with_capacity(64),
            bus: None,
            journal,
            commit_ns: setup.commit_ns,
            broker: true,
            relay: None,
            durable: Seq(1),
            answers: BTreeMap::new(),
            requests: 0,
            shown: None,
            told_ns: None,
            watched: u64::MAX,
            log: Log::default(),
            news: 0,
            events: 0,
            observer,
            injection_check: InjectionCheck::of(SITE, TABLE),
            effected: setup.trace.then(Vec::new),
            left: setup.left.then(Left::default),
            environment: Environment::default(),
            tape: setup.record.then(Vec::new),
            trouble: None,
        };
        bench.recorded(commissioned);
        bench.launch()?;
        Ok(bench)
    }

    /// How many inputs the table has taken so far.
    #[must_use]
    pub const fn events(&self) -> u64 {
        self.events
    }

    /// All observations; empty unless the bench keeps a trace.
    #[must_use]
    pub const fn observer(&self) -> &Observer {
        &self.observer
    }

    /// The trace and the phases, as from [`Observer::take_trace`].
    pub fn take_trace(&mut self) -> (Vec<tumbler_spec::Observation>, Vec<(u64, String)>) {
        self.observer.take_trace()
    }

    /// Every effect that the table had, with its time; empty unless the bench keeps a trace.
    #[must_use]
    pub fn effects(&self) -> &[(u64, Effect)] {
        self.effected.as_deref().unwrap_or_default()
    }

    /// What left the table, in order, a line each; empty unless the bench was set up to keep it.
    #[must_use]
    pub fn left(&self) -> &[String] {
        self.left.as_ref().map_or(&[], |left| &left.lines)
    }

    /// Sets how long a commit takes from now on, in nanoseconds.
    pub const fn set_commit(&mut self, nanos: u64) {
        self.journal.set_latency(nanos);
    }

    /// Starts the daemon, which reads every level, then every pin.
    fn launch(&mut self) -> Result<(), BenchError> {
        let start = Start {
            boot: self.boot_id.clone(),
            build: "pure".into(),
            config: "pure".into(),
            journal: self.journal.found(&self.boot_id),
        };
        let mut effects = core::mem::take(&mut self.effects);
        let table = Table::start(self.settings.clone(), start, Mono(self.now), &mut effects);
        self.effects = effects;
        self.table = Some(
            table.map_err(|bad| BenchError::Rig(bad.iter().map(ToString::to_string).collect::<Vec<_>>().join("; ")))?,
        );
        self.process(true);
        self.resume_events();
        self.connected(self.broker);
        self.tape.iter_mut().for_each(Vec::clear);
        self.log.online = Some(self.broker);
        self.read_lines();
        self.carry_out();
        self.drain_inputs();
        self.trouble()
    }

    /// The daemon is gone; its pins keep their levels.
    fn gone(&mut self) {
        self.environment.hung = false;
        self.table = None;
        self.bus = None;
        self.relay = None;
        self.inbox.clear();
        self.effects.clear();
        self.journal.lose();
        self.shown = None;
        self.process(false);
        self.connected(false);
    }

    fn process(&mut self, alive: bool) {
        self.log.down = !alive;
        self.observer.tell(self.now, tumbler_spec::Seen::Truth(tumbler_spec::Truth::Process { alive }));
    }

    fn trouble(&self) -> Result<(), BenchError> {
        self.trouble.clone().map_or(Ok(()), Err)
    }

    /// Time of the next event.
    fn next(&self) -> Option<u64> {
        if self.environment.hung {
            return self.twin.next();
        }
        let table = self.table.as_ref().and_then(Table::next_deadline).map(|at| at.0.max(self.now));
        let bus = self.bus.as_ref().map(Transaction::next);
        let relay = self.relay.map(|(due, _)| due);
        [self.twin.next(), table, bus, self.journal.next(), relay].into_iter().flatten().min()
    }

    /// Lets the next event happen, if it is due by `until`. Returns whether one was.
    fn step(&mut self, until: u64) -> bool {
        let Some(at) = self.next().filter(|at| *at <= until) else {
            self.now = self.now.max(until);
            return false;
        };
        self.now = self.now.max(at);
        self.twin.advance(self.now, &mut self.wires);
        self.notice();
        if self.environment.hung {
            return true;
        }
        self.bus_step();
        match self.journal.poll(self.now, &self.boot_id) {
            CommitResult::Nothing => {}
            CommitResult::Durable(records) => self.committed(records),
            CommitResult::Failed(reason) => {
                self.inbox.push_back((self.now, Input::JournalFailed { reason: reason.into() }));
            }
            CommitResult::Dead(records) => {
                self.committed(records);
                self.journal.kill_at = None;
                self.note_death();
                self.gone();
            }
        }
        if let Some((_, seq)) = self.relay.take_if(|(due, _)| *due <= self.now) {
            self.tell_events(self.log.relayed, seq);
            self.log.relayed = seq;
            self.news += 1;
            self.inbox.push_back((self.now, Input::Relayed { seq }));
            self.relay_more();
        }
        self.drain_inputs();
        true
    }

    fn bus_step(&mut self) {
        let Some(transaction) = &mut self.bus else { return };
        if transaction.next() > self.now {
            return;
        }
        if transaction.reply.is_none() {
            let request = &transaction.request;
            let answer = if self.environment.port_gone {
                tumbler_twin::Answer { reply: Err(BusFailure::PortGone), garble: None }
            } else {
                self.twin.answer(self.now, request.unit, &request.op, &mut self.wires)
            };
            transaction.answered(&answer);
            self.notice();
        } else if let Some(Transaction { request, begun, reply: Some((_, reply)), twice, .. }) = self.bus.take() {
            self.observer.bus(begun, self.now, request.unit, &request.op, reply.as_ref().map_err(|e| *e));
            if twice {
                self.inbox.push_back((self.now, Input::Bus { id: request.id, reply: reply.clone() }));
            }
            self.inbox.push_back((self.now, Input::Bus { id: request.id, reply }));
        }
    }

    fn committed(&mut self, records: Vec<tumbler_core::record::Record>) {
        let Some(last) = records.last().map(|r| r.seq) else { return };
        for record in records {
            self.recorded(record);
        }
        if let (Some(left), Some(table)) = (&mut self.left, &self.table) {
            left.state(self.now, &table.snapshot());
        }
        self.durable = last;
        self.inbox.push_back((self.now, Input::Durable { seq: last }));
        self.relay_more();
    }

    fn recorded(&mut self, record: tumbler_core::record::Record) {
        self.observer.record(self.now, &record);
        if let Some(left) = &mut self.left {
            left.record(self.now, &record);
        }
        if let Some(told) = &mut self.told {
            told.record(self.now, &self.boot_id, &record);
        }
        self.injection_check.learn(&record.event);
        self.log.records.push(Durable { at: self.now, record });
        self.news += 1;
    }

    /// Takes what the twin showed.
    fn notice(&mut self) {
        let mut wires = core::mem::take(&mut self.wires);
        for wire in wires.drain(..) {
            self.observer.wire(&wire);
            self.log.note(&wire);
            match wire {
                Wire::Edge { .. } | Wire::RepeatedLevel { .. } | Wire::Readback { .. } | Wire::Temperature { .. }
                    if self.environment.chip_gone => {}
                Wire::Edge { at, line, active } | Wire::RepeatedLevel { at, line, active } => {
                    self.inbox.push_back((at, Input::Edge { line, active }))
                }
                Wire::Readback { at, line, active } => self.inbox.push_back((at, Input::Readback { line, active })),
                Wire::Temperature { at, reading } => self.inbox.push_back((at, Input::Temperature { reading })),
                Wire::Truth { truth, .. } => {
                    self.news += 1;
                    if truth == Truth::Supply(false) {
                        self.gone();
                    }
                }
            }
        }
        self.wires = wires;
    }

    /// Hands in pending inputs, then fires deadlines, until nothing is left to do at this time.
    fn drain_inputs(&mut self) {
        if self.environment.hung {
            return;
        }
        for _ in 0..MOST_INPUTS_AT_ONCE {
            let Some(table) = &mut self.table else {
                self.inbox.clear();
                return;
            };
            let now = Mono(self.now);
            let (at, input) = match self.inbox.pop_front() {
                Some((at, input)) => (Mono(at), input),
                None if table.next_deadline().is_some_and(|due| due <= now) => (now, Input::Tick),
                None => {
                    if self.watched != table.revision() {
                        self.watched = table.revision();
                        let phase = table.phase();
                        self.log.phases.insert(phase);
                        self.observer.phase(self.now, phase.name());
                        self.tell_table();
                    }
                    return;
                }
            };
            if let Some(tape) = &mut self.tape {
                recording::handle(tape, table, Stamped { at, now, input }, &mut self.effects);
            } else {
                table.handle(at, now, &input, &mut self.effects);
            }
            self.events += 1;
            self.carry_out();
        }
        self.trouble = Some(BenchError::Rig(format!("at {} ns the table asks for ticks without end", self.now)));
    }

    fn physical_now(&self) -> Physical {
        Physical::of(&self.twin, self.now)
    }
}
