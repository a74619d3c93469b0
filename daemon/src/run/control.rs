//! The control loop: hands everything that happens to the table, and carries out what the table decides.
//!
//! It runs on the process's first thread with a runtime of its own, reads and drives the lines itself, and waits for nothing
//! else: journal, bus, relay, console and recorder are reached through queues that never block.

use crate::hardware::{Lines, OpenLines};
use crate::recording::recorder::{Recorder, Ring};
use crate::run::clock::{self, Alarm};
use crate::run::inbox::Arrival;
use crate::run::meters::Meters;
use crate::run::realtime;
use crate::run::trace::{Observation, Tap, TracedLine};
use anyhow::Context as _;
use std::future::poll_fn;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::task::{Context, Poll};
use tokio::sync::{mpsc, oneshot, watch};
use tumbler_core::effect::{BusRequest, Effect, KeyTold};
use tumbler_core::input::{BusFailure, Input, Stamped};
use tumbler_core::line::OutLine;
use tumbler_core::record::Record;
use tumbler_core::settings::{BadSetting, Settings};
use tumbler_core::snapshot::Snapshot;
use tumbler_core::table::{Start, Table};
use tumbler_core::units::{Millis, Mono, Seq};
use tumbler_core::wire::console::Answer;
use tumbler_core::wire::recording::Entry;
use tumbler_core::wire::wires::BEHIND_MS;

/// Longest time between two iterations of the loop, so that its progress shows even if nothing happens, and between two tellings of
/// what the wires do.
const HEARTBEAT: Millis = Millis(BEHIND_MS);
/// Longest time that an orderly stop waits for its record.
const STOP_LIMIT: Millis = Millis(2000);
/// A deadline that its own tick did not clear is not tried again sooner; nothing in the table is finer.
const DEADLINE_FLOOR: Millis = Millis(1);
/// Inputs taken from the inbox in one turn at most, so that a turn stays short whatever waits.
const BATCH: usize = 64;

/// What the control loop reaches through queues. No call may wait.
pub trait Outside: Send {
    /// Appends records to the journal.
    ///
    /// # Errors
    /// The input that says so to the table.
    fn journal(&mut self, records: Vec<Record>, relayed: Seq, permit: Option<bool>) -> Result<(), Input>;
    /// Runs a transaction on the field bus.
    ///
    /// # Errors
    /// The bus cannot take it.
    fn bus(&mut self, request: BusRequest) -> Result<(), BusFailure>;
    /// Answers a console command.
    fn reply(&mut self, request: u64, answer: Answer);
    /// Tells the relay of a key.
    fn keypad(&mut self, key: KeyTold);
}

/// What the control loop is made of.
pub struct Parts {
    /// The table's settings.
    pub settings: Settings,
    /// What the table starts from.
    pub start: Start,
    /// Opens the lines.
    pub lines: OpenLines,
    /// Everything that does not come from the lines.
    pub inbox: mpsc::Receiver<Arrival>,
    /// Everything but the lines that effects go to.
    pub outside: Box<dyn Outside>,
    /// Writes incidents out.
    pub recorder: Recorder,
    /// Receiver of what the loop sees.
    pub tap: Tap,
    /// How far the loop has come.
    pub progress: Arc<Progress>,
    /// Told once the table is up.
    pub up: oneshot::Sender<Up>,
    /// Ends the loop in safe state.
    pub stop: oneshot::Receiver<()>,
}

/// How often the loop has turned: the watchdog's proof that it lives.
#[derive(Debug, Default)]
pub struct Progress(AtomicU64);

impl Progress {
    /// Turns so far.
    #[must_use]
    pub fn turns(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }

    /// It has turned once more.
    pub fn turned(&self) {
        self.0.fetch_add(1, Ordering::Relaxed);
    }
}

/// The table is up: started, and the effects of its start carried out.
#[derive(Debug)]
pub struct Up {
    /// The table as people see it, always the newest.
    pub snapshot: watch::Receiver<Arc<Snapshot>>,
    /// What wires and bus did, a moment ago.
    pub meters: watch::Receiver<Arc<Meters>>,
}

/// Runs the control loop on the calling thread until it is told to stop.
///
/// # Errors
/// The table refuses its settings, the lines cannot be opened, or the kernel gives no timer.
pub fn run(parts: Parts) -> anyhow::Result<()> {
    realtime::enter();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(async { Control::start(parts)?.run().await })
}

struct Control {
    table: Table,
    lines: Box<dyn Lines>,
    inbox: mpsc::Receiver<Arrival>,
    outside: Box<dyn Outside>,
    ring: Ring,
    recorder: Recorder,
    tap: Tap,
    meters: Meters,
    metered: watch::Sender<Arc<Meters>>,
    progress: Arc<Progress>,
    snapshot: watch::Sender<Arc<Snapshot>>,
    revision: u64,
    stop: oneshot::Receiver<()>,
    /// When to end at the latest, once asked to stop.
    stopping: Option<Mono>,
    alarm: Alarm,
    heartbeat: Mono,
    /// No tick before this moment: only a deadline that a tick did not clear sets it.
    not_before: Mono,
    /// Inputs of this turn.
    batch: Vec<Arrival>,
    /// Inputs that resulted from effects, for the next iteration.
    own: Vec<Arrival>,
    effects: Vec<Effect>,
    /// Last record handed to the journal, and last one known to be kept.
    journalled: Seq,
    durable: Seq,
    journal_failed: bool,
}

impl Control {
    fn start(parts: Parts) -> anyhow::Result<Self> {
        let lines = (parts.lines)().context("the lines cannot be opened")?;
        let mut effects = Vec::new();
        let now = clock::now();
        let table = Table::start(parts.settings, parts.start, now, &mut effects).map_err(|bad| refused(&bad))?;
        let (snapshot, shown) = watch::channel(Arc::new(table.snapshot()));
        let mut meters = Meters::new(now);
        meters.tell(now, &effects);
        let (metered, seen) = watch::channel(Arc::new(meters.clone()));
        let mut control = Self {
            ring: Ring::new(&table),
            revision: table.revision(),
            table,
            lines,
            inbox: parts.inbox,
            outside: parts.outside,
            recorder: parts.recorder,
            tap: parts.tap,
            meters,
            metered,
            progress: parts.progress,
            snapshot,
            stop: parts.stop,
            stopping: None,
            alarm: Alarm::new().context("the kernel gives no timer")?,
            heartbeat: now,
            not_before: now,
            batch: Vec::new(),
            own: Vec::new(),
            effects,
            journalled: Seq(0),
            durable: Seq(0),
            journal_failed: false,
        };
        control.carry_out(0);
        // What was found out before the start, such as a disk without room, counts before anybody is told that the table is up.
        while let Ok(arrival) = control.inbox.try_recv() {
            control.batch.push(Arrival { at: now, ..arrival });
        }
        control.turn();
        // Nobody listening any more means that the daemon is about to end.
        let _ = parts.up.send(Up { snapshot: shown, meters: seen });
        Ok(control)
    }

    async fn run(mut self) -> anyhow::Result<()> {
        loop {
            let deadline = self.table.next_deadline().unwrap_or(self.heartbeat);
            let wake = deadline.max(self.not_before).min(self.heartbeat);
            self.alarm.set(Some(wake)).context("the kernel's timer failed")?;
            poll_fn(|cx| self.poll_arrivals(cx)).await;
            let late = self.turn().nanos_since(wake);
            // After the turn: nobody's picture comes before the table.
            if late > 0 {
                self.tap.tell(Observation::Late(late));
            }
            if self.stopped() {
                return Ok(());
            }
        }
    }

    /// Collects what waits; ready when there is anything, or when it is time to turn anyway.
    fn poll_arrivals(&mut self, cx: &mut Context<'_>) -> Poll<()> {
        let mut ready = self.alarm.poll(cx).is_ready();
        if self.lines.poll_ready(cx).is_ready() {
            self.lines.drain(&mut self.batch);
            ready = true;
        }
        if !self.own.is_empty() {
            self.batch.append(&mut self.own);
            ready = true;
        }
        for _ in 0..BATCH {
            let Poll::Ready(Some(arrival)) = self.inbox.poll_recv(cx) else { break };
            self.batch.push(arrival);
            ready = true;
        }
        // A stop is asked for once; a main thread that is gone asks for it too.
        if self.stopping.is_none() && std::pin::Pin::new(&mut self.stop).poll(cx).is_ready() {
            self.begin_stop();
            ready = true;
        }
        if ready { Poll::Ready(()) } else { Poll::Pending }
    }

    /// Hands in what waits; says when it began.
    fn turn(&mut self) -> Mono {
        let now = clock::now();
        let mut batch = std::mem::take(&mut self.batch);
        for arrival in &mut batch {
            arrival.at = arrival.at.min(now);
        }
        batch.sort_by_key(|arrival| arrival.at);
        for Arrival { at, input } in batch.drain(..) {
            self.note(&input);
            self.hand_in(at, now, input);
        }
        self.batch = batch;
        if self.table.next_deadline().is_some_and(|deadline| deadline <= now) {
            self.hand_in(now, now, Input::Tick);
            if self.table.next_deadline().is_some_and(|deadline| deadline <= now) {
                self.not_before = now.after(DEADLINE_FLOOR);
            }
        }
        if now >= self.heartbeat {
            self.heartbeat = now.after(HEARTBEAT);
            self.metered.send_replace(Arc::new(self.meters.clone()));
        }
        let revision = self.table.revision();
        if revision != self.revision {
            self.revision = revision;
            self.snapshot.send_replace(Arc::new(self.table.snapshot()));
        }
        self.progress.turned();
        now
    }

    /// Takes note of what the loop itself needs to know for an orderly stop.
    fn note(&mut self, input: &Input) {
        match input {
            Input::Durable { seq } => self.durable = self.durable.max(*seq),
            Input::JournalFailed { .. } => self.journal_failed = true,
            _ => {}
        }
    }

    /// Tells who draws it.
    fn tell(&mut self, at: Mono, now: Mono, input: &Input, masked: bool) {
        let ended = self.meters.take(at, input, masked);
        self.meters.tell(now, &self.effects);
        match *input {
            Input::Level { line, active } | Input::Edge { line, active } => {
                self.tap.tell(Observation::Level { line: TracedLine::In(line), active, at });
            }
            Input::Readback { line, active } => {
                self.tap.tell(Observation::Level { line: TracedLine::Out(line), active, at })
            }
            Input::Bus { reply: Ok(_), .. } => {
                let Some((unit, took)) = ended else { return };
                self.tap.tell(Observation::Answered { unit, took });
            }
            _ => {}
        }
    }

    fn hand_in(&mut self, at: Mono, now: Mono, input: Input) {
        // The table gets what the ring keeps, so that a replay cannot differ for what was masked.
        let masked = self.table.next_poll_is_hidden();
        let input = self.table.redact(input);
        self.table.handle(at, now, &input, &mut self.effects);
        // Outputs first in the list go out before anybody is told and before anything is reckoned for the recording.
        let driven = self.drive_first();
        self.tell(at, now, &input, masked);
        let entry = Entry::of(self.ring.next_index(), Stamped { at, now, input }, &self.effects);
        self.ring.push(entry, &self.table);
        self.carry_out(driven);
    }

    /// Drives the outputs that head the effects, and says how many they were.
    fn drive_first(&mut self) -> usize {
        let stopping = self.stopping.is_some();
        let mut driven = 0;
        for effect in &self.effects {
            let Effect::Set(told) = effect else { break };
            drive(self.lines.as_mut(), told.line(), told.is_active(), stopping);
            driven += 1;
        }
        driven
    }

    /// Carries the effects out, but for the first `done` ones.
    fn carry_out(&mut self, done: usize) {
        let stopping = self.stopping.is_some();
        let mut effects = std::mem::take(&mut self.effects);
        for effect in effects.drain(..).skip(done) {
            match effect {
                Effect::Set(told) => drive(self.lines.as_mut(), told.line(), told.is_active(), stopping),
                Effect::Journal { records, relayed, permit } => {
                    self.journalled = records.last().map_or(self.journalled, |record| record.seq);
                    if let Err(input) = self.outside.journal(records, relayed, permit) {
                        self.own.push(Arrival { at: clock::now(), input });
                    }
                }
                Effect::Bus(request) => {
                    let id = request.id;
                    if let Err(failure) = self.outside.bus(request) {
                        let input = Input::Bus { id, reply: Err(failure) };
                        self.own.push(Arrival { at: clock::now(), input });
                    }
                }
                Effect::Reply { request, answer } => self.outside.reply(request, answer),
                Effect::Keypad(key) => self.outside.keypad(key),
                Effect::Dump { reason, request } => {
                    let recording = self.ring.cut(reason, &self.table).asked_by(request);
                    if let (Err(why), Some(request)) = (self.recorder.write(recording), request) {
                        self.outside
                            .reply(request, Answer::refused("not-recorded", format!("not recorded: {why}; try again")));
                    }
                }
            }
        }
        self.effects = effects;
    }

    /// Safe state at once; then the table records the stop.
    fn begin_stop(&mut self) {
        let now = clock::now();
        self.lines.make_safe();
        self.stopping = Some(now.after(STOP_LIMIT));
        self.batch.push(Arrival { at: now, input: Input::Stop });
    }

    fn stopped(&self) -> bool {
        let Some(limit) = self.stopping else { return false };
        let kept = self.durable >= self.journalled;
        if !kept && (self.journal_failed || clock::now() >= limit) {
            tracing::warn!(
                journalled = self.journalled.0,
                durable = self.durable.0,
                "stopping although the last records are not known to be kept"
            );
            return true;
        }
        kept
    }
}

impl Drop for Control {
    /// However the loop ends, by a panic too, the motor is switched off on the way out.
    fn drop(&mut self) {
        self.lines.make_safe();
    }
}

/// Drives an output; once the daemon stops, nothing is energised any more.
fn drive(lines: &mut dyn Lines, line: OutLine, active: bool, stopping: bool) {
    let energises = match line {
        OutLine::MotorEnable | OutLine::Bell => active,
        OutLine::MotorAlive => true,
        OutLine::OutOfService => !active,
    };
    if !(stopping && energises) {
        lines.set(line, active);
    }
}

fn refused(bad: &[BadSetting]) -> anyhow::Error {
    let list: Vec<String> = bad.iter().map(ToString::to_string).collect();
    anyhow::anyhow!("the table refuses its settings: {}", list.join("; "))
}

#[cfg(test)]
mod tests;
