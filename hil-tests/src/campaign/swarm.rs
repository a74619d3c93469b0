//! Days with many faults. Each day first draws the kinds of trouble that occur at all: omitting most kinds reaches states that a little of
//! everything would hide (Groce and others, Swarm Testing, 2012).

use super::table::{Table, pick};
use super::truth_table_rounds;
use super::{errand, hardware};
use crate::scenario::order;
use tumbler_bench::{AnyFault, EnvironmentFault};
use tumbler_core::latch::Code;
use tumbler_core::line::InLine;
use tumbler_core::rules;
use tumbler_twin::fault_row::{BUTTONS, Draw, Entry, Share};
use tumbler_twin::rng::Rng;

/// The longest hang that is drawn, in milliseconds.
const LONGEST_HANG: u64 = 1_500;
const OUTPUTS: [&str; 3] = ["motor_enable", "out_of_service", "bell"];

/// Chances, in thousandths: that a day begins with an errand that needs its first rounds, that a round is an errand, that any other round
/// is one for the truth table, and that a technician's session replaces any of these.
const FIRST_ERRANDS: u32 = 200;
const ERRANDS: u32 = 200;
const TEXTS: u32 = 400;
const SESSIONS: u32 = 60;

/// A kind of trouble.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    /// A fault of the fault tables, with its argument.
    Fault(&'static Entry, &'static str),
    /// A fault whose argument is drawn when it is broken.
    Drawn(&'static Entry, Draw),
    Press,
    Hold,
    Keys,
    Dome,
    Seal,
    Dip,
    LayDie,
    TurnShaft,
    LoseEdge,
    Settings,
    Kill,
    Stop,
    Power,
    Dies,
    Hang,
    Broker,
    Commit,
    Command,
    Reset,
}

/// Kinds of trouble besides the fault tables.
const KINDS: &[Kind] = &[
    Kind::Press,
    Kind::Hold,
    Kind::Keys,
    Kind::Dome,
    Kind::Seal,
    Kind::Dip,
    Kind::LayDie,
    Kind::TurnShaft,
    Kind::LoseEdge,
    Kind::Settings,
    Kind::Kill,
    Kind::Stop,
    Kind::Power,
    Kind::Dies,
    Kind::Hang,
    Kind::Broker,
    Kind::Commit,
    Kind::Command,
    Kind::Reset,
];

/// A day with faults.
pub(super) struct Swarm<'a> {
    rng: &'a mut Rng,
    table: Table,
    kinds: Vec<Kind>,
    /// Chance of trouble at a stage of a round, in thousandths.
    often: u32,
    /// The latest fault that is not healed, for `heal`.
    broken: Vec<String>,
    steps: Vec<String>,
}

impl<'a> Swarm<'a> {
    pub(super) fn drawn(rng: &'a mut Rng, table: Table) -> Self {
        let covered = order::covered(table.rules);
        let here = AnyFault::entries().filter(|entry| entry.swarm.fits(covered, table.reader));
        let faults = here.flat_map(|entry| match entry.swarm {
            Share::Never => Vec::new(),
            Share::Dome | Share::Reader => vec![Kind::Fault(entry, "")],
            Share::Every(arguments) => arguments.iter().map(|argument| Kind::Fault(entry, argument)).collect(),
            Share::Drawn(draw) => vec![Kind::Drawn(entry, draw)],
        });
        let all: Vec<Kind> = faults.chain(KINDS.iter().copied()).collect();
        let share = pick(rng, &[30, 100, 300, 600]).copied().unwrap_or(100);
        let mut kinds: Vec<Kind> = all.iter().copied().filter(|_| rng.chance(share)).collect();
        if kinds.is_empty() {
            kinds.extend(pick(rng, &all).copied());
        }
        let often = pick(rng, &[60, 200, 500]).copied().unwrap_or(200);
        Self { rng, table, kinds, often, broken: Vec::new(), steps: Vec::new() }
    }

    fn step(&mut self, words: impl Into<String>) {
        self.steps.push(words.into());
    }

    fn pause(&mut self) {
        let longest = pick(self.rng, &[5, 60, 700, 700, 5_000, 40_000]).copied().unwrap_or(700);
        let millis = self.rng.range(0, longest) + 1;
        self.step(format!("pass {millis} ms"));
    }

    /// A day with this many rounds. At its end everything is healed, and a healthy round is played.
    pub(super) fn day(mut self, rounds: u64) -> Vec<String> {
        self.commit();
        if self.rng.chance(200) {
            // BenchError in the opening tests themselves.
            self.step("turn key");
            self.step("ask open");
            self.trouble();
            self.pause();
            self.mend();
        } else {
            self.step("open table");
        }
        if self.rng.chance(FIRST_ERRANDS) {
            let first = if self.rng.chance(500) { errand::FIRST } else { errand::FIRST_LATER };
            self.run(first);
        }
        let errands = errand::of(self.table);
        for _ in 1..rounds.max(2) {
            if self.rng.chance(SESSIONS) {
                self.mend();
                self.steps.extend(hardware::session(self.rng, self.table));
                self.mend();
            } else if self.rng.chance(ERRANDS) {
                // From a table that is ready for it.
                self.mend();
                if let Some(words) = pick(self.rng, &errands) {
                    self.run(words);
                }
                self.mend();
            } else if self.rng.chance(TEXTS) {
                self.mend();
                self.steps.extend(truth_table_rounds::round(self.rng, self.table));
                self.mend();
            } else {
                self.round();
            }
        }
        self.step("recover table and play");
        self.steps
    }

    fn run(&mut self, errand: &str) {
        for words in errand.split(';') {
            self.step(words.trim());
        }
    }

    fn mend(&mut self) {
        self.broken.clear();
        self.step("recover table");
        self.commit();
    }

    fn commit(&mut self) {
        if self.kinds.contains(&Kind::Commit) {
            let longest = pick(self.rng, &[3, 30, 300, 3_000]).copied().unwrap_or(30);
            let commits = EnvironmentFault::disk_takes(self.rng.range(1, longest));
            self.step(format!("try fault {commits}"));
        }
    }

    /// A round, with trouble at any of its stages.
    fn round(&mut self) {
        if self.rng.chance(500) {
            let [a, b, c] = [self.rng.face(), self.rng.face(), self.rng.face()];
            self.step(format!("dice {a} {b} {c}"));
        }
        let mut troubled = false;
        let mut last = None;
        for (_, stage) in order::of(self.table.rules) {
            let name =
                crate::scenario::step::Stage::ALL.iter().find(|(_, s)| s == stage).map_or("settled", |(name, _)| name);
            if self.rng.chance(self.often) {
                self.trouble();
                troubled = true;
            }
            if last != Some(name) {
                self.step(format!("try play to {name}"));
            }
            last = Some(name);
        }
        if troubled && self.rng.chance(150) {
            // Try a wrong exit before the fault is healed.
            self.reset();
        }
        if troubled && self.rng.chance(700) {
            self.mend();
        }
    }

    fn trouble(&mut self) {
        let Some(kind) = pick(self.rng, &self.kinds).copied() else { return };
        if self.rng.chance(500) {
            self.pause();
        }
        match kind {
            Kind::Fault(entry, argument) => self.fault(entry.with(argument)),
            Kind::Drawn(entry, draw) => {
                let argument = self.argument(draw);
                self.fault(entry.with(&argument));
            }
            Kind::Press => {
                let (line, millis) = (self.button(), self.rng.range(30, 800));
                self.step(format!("press {line} for {millis} ms"));
            }
            Kind::Hold => {
                let line = self.button();
                self.step(format!("hold {line}"));
                self.pause();
                self.step(format!("release {line}"));
            }
            Kind::Keys => {
                let keys: Vec<String> = (0..self.rng.range(1, 5)).map(|_| self.rng.face().to_string()).collect();
                let entry = if self.rng.chance(600) { " entry" } else { "" };
                self.step(format!("key {}{entry}", keys.join(" ")));
            }
            Kind::Dome => {
                self.step("lift dome");
                self.pause();
                if self.rng.chance(700) {
                    self.step("lower dome");
                }
            }
            Kind::Seal => {
                self.step("break seal");
                self.pause();
                self.step("mend seal");
            }
            Kind::Dip => self.step("dip supply"),
            Kind::LayDie => {
                let (die, face) = (self.rng.range(1, 4), self.rng.face());
                let how = if self.rng.chance(600) { "flat" } else { "cocked" };
                // A hand that comes before the first reading leaves nothing to hold the dice against.
                self.step("pass 800 ms");
                self.step(format!("lay die {die} face {face} {how}"));
                // Dice that are uncovered while a hand still moves them were never seen as they lay.
                self.step("pass 300 ms");
            }
            Kind::TurnShaft => {
                let quarters = pick(self.rng, &[-5_i64, -1, 1, 2, 5, 13]).copied().unwrap_or(1);
                self.step(format!("turn shaft {quarters} quarters"));
            }
            Kind::LoseEdge => {
                let line = pick(self.rng, &InLine::ALL).map_or("tumble", |line| line.name());
                self.step(format!("lose edge {line}"));
            }
            Kind::Settings => {
                self.steps.extend(truth_table_rounds::other_settings(self.rng));
            }
            Kind::Kill => self.off("try kill", "try start"),
            Kind::Stop => self.off("try stop", "try start"),
            Kind::Power => self.off("try power off", "try power on"),
            Kind::Dies => {
                let at =
                    if self.rng.chance(500) { EnvironmentFault::KillAtSync } else { EnvironmentFault::KillAtWrite };
                let dies = at(self.rng.range(1, 8) as u16);
                self.fault(dies.to_string());
            }
            Kind::Hang => {
                self.step(format!("try fault {}", EnvironmentFault::Hang));
                let millis = self.rng.range(20, LONGEST_HANG);
                self.step(format!("pass {millis} ms"));
                self.step(format!("heal {}", EnvironmentFault::Hang));
            }
            Kind::Broker => self.off("broker down", "broker up"),
            Kind::Commit => self.commit(),
            Kind::Command => self.command(),
            Kind::Reset => self.reset(),
        }
        if self.rng.chance(500) {
            self.pause();
        }
        if self.rng.chance(250) {
            if let Some(id) = self.broken.pop() {
                self.step(format!("heal {id}"));
            }
        }
    }

    fn argument(&mut self, draw: Draw) -> String {
        match draw {
            Draw::Button => self.button().to_owned(),
            Draw::Line => pick(self.rng, &InLine::ALL).map_or("tumble", |line| line.name()).to_owned(),
            Draw::Output => pick(self.rng, &OUTPUTS).copied().unwrap_or("bell").to_owned(),
            Draw::Area => self.area().to_owned(),
            Draw::Areas => {
                let (one, other) = (self.area(), self.area());
                format!("{one}+{other}")
            }
            Draw::Key => self.rng.range(1, 8).to_string(),
        }
    }

    fn fault(&mut self, id: String) {
        self.step(format!("try fault {id}"));
        self.broken.push(id);
    }

    fn off(&mut self, off: &str, on: &str) {
        self.step(off);
        if self.rng.chance(500) {
            self.pause();
        }
        self.step(on);
    }

    fn button(&mut self) -> &'static str {
        pick(self.rng, &BUTTONS).map_or("tumble", |line| line.name())
    }

    fn area(&mut self) -> &'static str {
        let layout = rules::layout(self.table.layout);
        layout.and_then(|layout| pick(self.rng, &layout.areas)).map_or("small", |area| area.id.as_str())
    }

    fn code(&mut self) -> &'static str {
        pick(self.rng, &Code::ALL).map_or("tumbler", |code| code.name())
    }

    fn reset(&mut self) {
        let code = self.code();
        let how = if self.rng.chance(500) { "rectified" } else { "procedure" };
        if self.rng.chance(800) {
            self.step("turn key");
        }
        self.step(format!("ask reset {code} {how}"));
        if self.rng.chance(500) {
            self.step("try answer done");
        }
    }

    fn command(&mut self) {
        let role = pick(self.rng, &["supervisor", "supervisor", "supervisor", "technician", "nobody"]).copied();
        self.step(format!("as {}", role.unwrap_or("supervisor")));
        if self.rng.chance(700) {
            self.step("turn key");
        }
        let [a, b, c] = [self.rng.face(), self.rng.face(), self.rng.face()];
        let commands = [
            "open".to_owned(),
            "close".to_owned(),
            "witness areas right".to_owned(),
            "witness bell wrong".to_owned(),
            "maintenance on".to_owned(),
            "maintenance off".to_owned(),
            format!("amend {a} {b} {c}"),
            format!("amend {a} {b} {c} uphold"),
            "void".to_owned(),
            "void damaged".to_owned(),
            "void not-flat".to_owned(),
            format!("void-afterwards {}", self.rng.range(0, 40)),
            "confirm-dome".to_owned(),
            "settle".to_owned(),
            format!("settle {a} {b} {c}"),
            "enrol-dice".to_owned(),
            "record".to_owned(),
        ];
        let command = pick(self.rng, &commands).cloned().unwrap_or_default();
        self.step(format!("ask {command}"));
        if self.rng.chance(300) {
            self.step("try answer done");
        }
    }
}
