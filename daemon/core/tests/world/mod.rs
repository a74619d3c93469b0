//! A small world around one table: wires, a tumbler that turns, units that answer, a journal that commits when it is
//! let, and a restart. It knows no rule of the game; what must hold of every step is checked in `invariants.rs`.

#![allow(dead_code, missing_docs, unreachable_pub, reason = "each fuzz target uses its own part of the world")]
#![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::panic, reason = "a test may fail loudly")]

mod acts;
pub mod durable;
pub mod play;
mod restarts;
pub mod text;
mod units;

use std::collections::{BTreeMap, VecDeque};
use tumbler_core::effect::{Effect, KeyTold};
use tumbler_core::input::{Input, Stamped};
use tumbler_core::latch::Code;
use tumbler_core::line::{InLine, OutLine};
use tumbler_core::record::{Event, Record, Standing};
use tumbler_core::round::ending::Void;
use tumbler_core::settings::{Parameters, Settings};
use tumbler_core::table::{Found, Start, Table};
use tumbler_core::units::{MilliCelsius, Mono, Seq};
use tumbler_core::wire::console::{Answer, Caller};
use tumbler_core::wire::registers::{reader, terminal};

/// Everything outside that an invariant may want to know of.
#[derive(Clone)]
pub struct World {
    pub table: Table,
    inbox: VecDeque<Input>,
    pub settings: Settings,
    pub now: Mono,
    pub outs: [bool; 4],
    /// An output that stays as it is, whatever is written to it.
    pub stuck_out: Option<OutLine>,
    pub lines: [bool; 12],
    /// When the last dead-man edge came.
    pub last_beat: Option<Mono>,
    /// Records handed to the journal, durable up to `durable`.
    pub records: Vec<Record>,
    pub durable: Seq,
    /// Commits that the disk still works on.
    pub commits: VecDeque<Seq>,
    /// Whether the disk commits by itself.
    pub disk: bool,
    pub permit: bool,
    pub boot: String,
    /// Cam phase 0..4 and the time of its next step, while the shaft turns.
    pub cam: u8,
    next_step: Option<Mono>,
    next_reading: Mono,
    pub step_ms: u64,
    pub shaft_works: bool,
    /// The dead-man relay is welded: it gives power without edges.
    pub welded: bool,
    /// How late the table reads every edge of the cam, in milliseconds.
    pub cam_late_ms: u64,
    /// Every other edge of the cam is read together with the next one.
    pub cam_bursts: bool,
    /// A sensor of the cam that does not change any more.
    pub stuck_cam: Option<InLine>,
    /// Edges of the cam that happened and are not read yet.
    late: VecDeque<(Mono, InLine, bool)>,
    /// Bounces after every edge of the cam.
    pub bounces: u8,
    pub faces: [u16; 3],
    pub poses: [u16; 3],
    pub motion: u16,
    /// The moment of the measurement that the reader repeats for ever.
    pub stale: Option<Mono>,
    /// The shaft turns and the dice stay where they are.
    pub dice_stay: bool,
    pub keys: Vec<u16>,
    acked: u16,
    display: u16,
    coils: [u64; 2],
    pub dead_lamps: u128,
    /// Areas that are lit whatever their coils are told.
    pub stuck_lamps: u128,
    /// Units of the field bus that do not answer.
    pub silent: Vec<u8>,
    /// What the display shows whatever it is told.
    pub stuck_display: Option<u16>,
    pub bus_works: bool,
    pub replies: Vec<(u64, Answer)>,
    /// The last record, if any, of the step that took a request.
    pub asked: BTreeMap<u64, Seq>,
    /// Requests that a person was told "done" of, when, what was durable then, and whether no other request was open.
    pub done: Vec<(u64, Mono, Seq, bool)>,
    pub told: Vec<KeyTold>,
    pub faces_read: usize,
    /// Every input with the effects it had, for replay.
    pub history: Vec<(Stamped, Vec<Effect>)>,
    /// Looked at after every step.
    pub watch: fn(&World, &Effect),
    /// Whether somebody at the table presses the button where a test asks for that.
    pub is_attended: bool,
    /// When that person lets it go again.
    release: Option<Mono>,
    requests: u64,
    started: (Start, Mono),
}

pub fn settings(rules: &str, layout: &str) -> Settings {
    Settings {
        site: "test".into(),
        table: "t1".into(),
        backend: "virtual".into(),
        rules: rules.into(),
        layout: layout.into(),
        reader: true,
        temperature: true,
        house: tumbler_core::settings::House::default(),
        parameters: Parameters { lamp_dwell: 10, ..Parameters::default() },
    }
}

pub const SUPERVISOR: &str = "ana";

pub fn caller() -> Caller {
    Caller { account: SUPERVISOR.into(), technician: true, supervisor: true, manager: true }
}

impl World {
    /// A table that has just started for the first time, healthy in every part, the dome down.
    pub fn new(settings: Settings) -> Self {
        let standing = Standing { boot: "none".into(), ..Standing::default() };
        let start = Start {
            boot: "boot-1".into(),
            build: "test".into(),
            config: "00".into(),
            journal: Found::Good { standing: Box::new(standing), last: Seq(0), relayed: Seq(0), permit: false },
        };
        let now = Mono::from_millis(1000);
        let mut effects = Vec::new();
        let table = Table::start(settings.clone(), start.clone(), now, &mut effects).unwrap();
        let mut world = Self {
            table,
            inbox: VecDeque::new(),
            settings,
            now,
            outs: [false; 4],
            stuck_out: None,
            lines: [false; 12],
            last_beat: None,
            records: Vec::new(),
            durable: Seq(0),
            commits: VecDeque::new(),
            disk: true,
            permit: false,
            boot: "boot-1".into(),
            cam: 0,
            next_step: None,
            next_reading: now,
            step_ms: 150,
            shaft_works: true,
            welded: false,
            cam_late_ms: 0,
            cam_bursts: false,
            stuck_cam: None,
            late: VecDeque::new(),
            bounces: 0,
            faces: [1, 3, 6],
            poses: [reader::FLAT; 3],
            motion: 0,
            stale: None,
            dice_stay: false,
            keys: Vec::new(),
            acked: 0,
            display: terminal::BLANK,
            coils: [0; 2],
            dead_lamps: 0,
            stuck_lamps: 0,
            silent: Vec::new(),
            stuck_display: None,
            bus_works: true,
            replies: Vec::new(),
            asked: BTreeMap::new(),
            done: Vec::new(),
            told: Vec::new(),
            faces_read: 0,
            history: Vec::new(),
            watch: |_, _| {},
            is_attended: true,
            release: None,
            requests: 0,
            started: (start, now),
        };
        for line in [InLine::DomeClosed, InLine::Seal, InLine::PowerGood] {
            world.lines[line.index()] = true;
        }
        world.carry_out(effects);
        world.report_levels();
        world
    }

    fn report_levels(&mut self) {
        for line in InLine::ALL {
            let active = self.lines[line.index()];
            self.input(Input::Level { line, active });
        }
        self.input(Input::Temperature { reading: Some(MilliCelsius(30_000)) });
    }

    /// Hands an input in as the shell does: with everything that it leads to at once.
    pub fn input(&mut self, input: Input) {
        self.inbox.push_back(input);
        self.drain();
    }

    /// Hands in what waits, in order; what an effect leads to waits until all effects before it are carried out.
    fn drain(&mut self) {
        while let Some(input) = self.inbox.pop_front() {
            self.handle(self.now, input);
        }
    }

    /// An edge that happened at `at` and is read at `read`.
    pub fn edge_read_at(&mut self, line: InLine, active: bool, at: Mono, read: Mono) {
        self.step_to(read);
        self.lines[line.index()] = active;
        self.handle(at, Input::Edge { line, active });
        self.drain();
    }

    fn handle(&mut self, at: Mono, input: Input) {
        let mut effects = Vec::new();
        let kept = self.table.redact(input.clone());
        self.table.handle(at, self.now, &input, &mut effects);
        if let Input::Console { request, .. } = &input {
            let recorded = effects.iter().rev().find_map(|effect| match effect {
                Effect::Journal { records, .. } => records.last(),
                _ => None,
            });
            self.asked.extend(recorded.map(|last| (*request, last.seq)));
        }
        self.history.push((Stamped { at, now: self.now, input: kept }, effects.clone()));
        self.carry_out(effects);
    }

    fn carry_out(&mut self, effects: Vec<Effect>) {
        for effect in effects {
            (self.watch)(self, &effect);
            match effect {
                Effect::Set(drive) => {
                    let (line, active) = (drive.line(), drive.is_active());
                    let level = &mut self.outs[line.index()];
                    if self.stuck_out != Some(line) {
                        *level = active;
                    }
                    if line == OutLine::MotorAlive {
                        self.last_beat = Some(self.now);
                    } else {
                        self.inbox.push_back(Input::Readback { line, active: *level });
                    }
                    self.drive();
                }
                Effect::Journal { records, permit, .. } => {
                    let ended = |r: &Record| matches!(r.event, Event::Settled { .. } | Event::Voided { .. });
                    let ended = records.iter().any(ended);
                    self.records.extend(records.iter().cloned());
                    if ended {
                        self.compare_with_records();
                    }
                    if let Some(last) = records.last() {
                        self.commits.push_back(last.seq);
                    }
                    if let Some(permit) = permit {
                        self.permit = permit;
                    }
                    if self.disk {
                        self.acknowledge();
                    }
                }
                Effect::Bus(request) => {
                    let reply = self.answer(&request);
                    // One millisecond a transaction: time passes on the wire.
                    self.step_to(Mono(self.now.0 + 1_000_000));
                    self.inbox.push_back(Input::Bus { id: request.id, reply });
                }
                Effect::Reply { request, answer } => {
                    if let Answer::Done(_) = answer {
                        let alone = (1..=self.requests).all(|r| r == request || self.reply(r).is_some());
                        self.done.push((request, self.now, self.durable, alone));
                    }
                    self.replies.push((request, answer));
                    // What is recorded from now on is recorded later.
                    self.step_to(Mono(self.now.0 + 1));
                }
                Effect::Keypad(key) => self.told.push(key),
                Effect::Dump { request, .. } => {
                    self.replies.extend(request.map(|request| (request, Answer::Done("written".into()))));
                }
            }
        }
    }

    /// The disk has written everything it was given.
    pub fn commit(&mut self) {
        self.acknowledge();
        self.drain();
    }

    /// The disk has written the first of what it was given.
    pub fn commit_first(&mut self) {
        if let Some(seq) = self.commits.pop_front() {
            self.durable = seq;
            self.input(Input::Durable { seq });
        }
    }

    fn acknowledge(&mut self) {
        while let Some(seq) = self.commits.pop_front() {
            self.durable = seq;
            self.inbox.push_back(Input::Durable { seq });
        }
    }

    /// Whether the motor has power: enabled, and the dead-man monostable not yet run down.
    pub fn powered(&self) -> bool {
        self.outs[OutLine::MotorEnable.index()]
            && self.shaft_works
            && (self.welded || self.last_beat.is_some_and(|b| self.now.0 - b.0 < 100_000_000))
    }

    fn drive(&mut self) {
        if self.powered() && self.next_step.is_none() {
            self.next_step = Some(Mono(self.now.0 + self.step_ms * 1_000_000));
        }
    }

    fn turn(&mut self) {
        self.cam = (self.cam + 1) % 4;
        self.motion = self.motion.wrapping_add(u16::from(!self.dice_stay));
        self.next_step = self.powered().then(|| Mono(self.now.0 + self.step_ms * 1_000_000));
        let (line, active) = match self.cam {
            1 => (InLine::CamA, true),
            2 => (InLine::CamB, true),
            3 => (InLine::CamA, false),
            _ => (InLine::CamB, false),
        };
        if self.stuck_cam == Some(line) {
            return;
        }
        if self.cam_late_ms > 0 || self.cam_bursts {
            self.late.push_back((self.now, line, active));
            return;
        }
        self.line(line, active);
        for _ in 0..self.bounces {
            self.line(line, !active);
            self.line(line, active);
        }
    }

    /// When the next edge of the cam is read that waits for it.
    fn next_late(&self) -> Option<Mono> {
        let (happened, ..) = self.late.front()?;
        match (self.cam_bursts, self.late.get(1)) {
            (true, Some((next, ..))) => Some(*next),
            (true, None) => Some(Mono(happened.0 + 190_000_000)),
            (false, _) => Some(Mono(happened.0 + self.cam_late_ms * 1_000_000)),
        }
    }

    fn read_late(&mut self) {
        for _ in 0..if self.cam_bursts { 2 } else { 1 } {
            if let Some((happened, line, active)) = self.late.pop_front() {
                self.edge_read_at(line, active, happened, self.now);
            }
        }
    }

    fn step_to(&mut self, to: Mono) {
        self.now = Mono(self.now.0.max(to.0));
    }

    /// Lets time pass, with everything that happens meanwhile.
    pub fn pass(&mut self, ms: u64) {
        self.pass_nanos(ms * 1_000_000);
    }

    /// The same in nanoseconds.
    pub fn pass_nanos(&mut self, nanos: u64) {
        let end = Mono(self.now.0 + nanos);
        loop {
            let deadline = self.table.next_deadline().unwrap_or(end);
            let step = self.next_step.unwrap_or(end);
            let late = self.next_late().unwrap_or(end);
            self.attend();
            let release = self.release.unwrap_or(end);
            let next = deadline.min(step).min(self.next_reading).min(late).min(release);
            if next >= end || self.now >= end {
                break;
            }
            self.step_to(next);
            if release <= next {
                self.attend();
            } else if self.next_reading <= next {
                self.next_reading = Mono(self.now.0 + 500_000_000);
                self.input(Input::Temperature { reading: Some(MilliCelsius(30_000)) });
            } else if late <= next {
                self.read_late();
            } else if step <= deadline {
                self.turn();
            } else {
                self.input(Input::Tick);
            }
        }
        self.step_to(end);
        self.input(Input::Tick);
    }

    /// Lets time pass in small steps, until `done` or the limit.
    pub fn until(&mut self, limit_ms: u64, done: impl Fn(&Self) -> bool) -> bool {
        for _ in 0..limit_ms / 20 {
            if done(self) {
                return true;
            }
            self.pass(20);
        }
        done(self)
    }

    pub fn events(&self) -> impl Iterator<Item = &Event> {
        self.records.iter().map(|r| &r.event)
    }

    pub fn first_void(&self) -> Option<&Void> {
        self.events().find_map(|e| match e {
            Event::Voided(void) => Some(void),
            _ => None,
        })
    }

    pub fn last_void(&self) -> Option<&Void> {
        self.records.iter().rev().find_map(|r| match &r.event {
            Event::Voided(void) => Some(void),
            _ => None,
        })
    }

    /// design.md rule 2, "make durable, then publish": what a command did was durable when its person was told "done". What the table did
    /// meanwhile of itself need not be: a call at the buttons, a table that closes at the round's end.
    pub fn check_answers(&self) {
        for (request, told, durable, alone) in &self.done {
            let at_once = self.asked.get(request).filter(|last| *last > durable);
            assert!(at_once.is_none(), "told \"done\" at {told:?} with {durable:?} durable, and not yet {at_once:?}");
            // What comes later, such as the opening after its tests, bears the person's name.
            let early =
                self.records.iter().find(|r| *alone && r.at <= *told && r.seq > *durable && asked_for(&r.event));
            assert!(early.is_none(), "told \"done\" at {told:?} with {durable:?} durable, and not yet {early:?}");
        }
    }

    pub fn has(&self, found: impl Fn(&Event) -> bool) -> bool {
        self.events().any(found)
    }

    pub fn latched(&self) -> Vec<Code> {
        self.table.snapshot().malfunctions.into_iter().map(|m| m.code).collect()
    }

    /// The table as it started, for a replay of the history.
    pub fn started(&self) -> Table {
        let (start, now) = self.started.clone();
        Table::start(self.settings.clone(), start, now, &mut Vec::new()).unwrap()
    }
}

/// Whether somebody's command is behind this event.
fn asked_for(event: &Event) -> bool {
    let named = serde_json::to_value(event)
        .is_ok_and(|event| event.pointer("/data/by").is_some_and(serde_json::Value::is_string));
    named && !matches!(event, Event::Closed { .. })
}
