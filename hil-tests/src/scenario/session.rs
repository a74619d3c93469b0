//! A trial in progress: the bench, and the state that steps share.

use super::console::Console;
use super::faults::Faults;
use super::file::Trial;
use super::held_controls::HeldControls;
use super::lawful::Lawfulness;
use super::records::{Records, kind};
use super::round::Round;
use super::settings::OwnSettings;
use super::timeline::{Timeline, Told};
use tumbler_bench::{Bench, BenchError};
use tumbler_core::line::InLine;
use tumbler_twin::{Act, MS};

/// A trial in progress.
pub(super) struct Session<'a> {
    pub bench: &'a mut dyn Bench,
    pub trial: &'a Trial,
    pub records: Records,
    pub round: Round,
    pub console: Console,
    pub faults: Faults,
    pub held: HeldControls,
    pub own: OwnSettings,
    pub lawful: Lawfulness,
    pub timeline: Timeline,
    /// Whether the current step may fail (`try`).
    pub trying: bool,
    /// Who is told of each step as it begins.
    pub told: Told<'a>,
    /// The current step's words.
    pub words: &'a str,
    /// Details of failed checks, for the message.
    pub detail: Vec<String>,
    /// What was left out, and why.
    notes: Vec<String>,
    /// Table time of the last mark, and the number of bells until then.
    marked_at: u64,
    bells: u32,
}

impl<'a> Session<'a> {
    /// A trial before its first step.
    pub(super) fn new(bench: &'a mut dyn Bench, trial: &'a Trial) -> Self {
        Self {
            bench,
            trial,
            records: Records::default(),
            round: Round::default(),
            console: Console::default(),
            faults: Faults::default(),
            held: HeldControls::default(),
            own: OwnSettings::default(),
            lawful: Lawfulness::default(),
            timeline: Timeline::default(),
            trying: false,
            told: None,
            words: "",
            detail: Vec::new(),
            notes: Vec::new(),
            marked_at: 0,
            bells: 0,
        }
    }

    /// Ends the session. Returns what was left out, and the timeline.
    pub(super) fn into_notes(self) -> (Vec<String>, Timeline) {
        (self.notes, self.timeline)
    }

    /// The records, up to date.
    pub(super) fn records(&mut self) -> &Records {
        self.records.catch_up(self.bench.log());
        &self.records
    }

    /// Whether the round has a record of one of these kinds.
    pub(super) fn recorded(&mut self, kinds: &[&str]) -> bool {
        let first = self.round.first();
        self.records().has(first, kinds)
    }

    /// How many rounds have ended so far.
    pub(super) fn ended_rounds(&mut self) -> usize {
        self.records().all().iter().filter(|record| matches!(kind(record), "settled" | "voided")).count()
    }

    /// Restarts the order of play.
    pub(super) fn restart_round(&mut self) {
        let first = self.records().all().len();
        self.round.restart(first);
    }

    /// Looks for records, bells and endings only from here on.
    pub(super) fn mark(&mut self) {
        self.round.known_endings = self.ended_rounds();
        self.records.set_mark();
        self.marked_at = self.bench.now();
        self.faults.since = self.marked_at;
        self.bells = self.bench.log().bells;
    }

    /// When the last mark was made, in table time.
    pub(super) fn marked_at(&self) -> u64 {
        self.marked_at
    }

    /// Bells rung since the last mark.
    pub(super) fn bells(&self) -> u32 {
        self.bench.log().bells.wrapping_sub(self.bells)
    }

    /// Notes that something was not tried, so that a pass claims nothing about it.
    pub(super) fn left_out(&mut self, what: &str, why: &str) {
        let note = format!("latch proof: {what}: {why}");
        if !self.notes.contains(&note) {
            self.notes.push(note);
        }
    }

    /// Lets this much table time pass.
    pub(super) fn pass(&mut self, millis: u64) -> Result<(), BenchError> {
        let until = self.bench.now() + millis * MS;
        while self.bench.now() < until {
            self.console.pass(self.bench, until)?;
        }
        Ok(())
    }

    /// Presses a button for `millis`, and waits until the table has seen the release.
    pub(super) fn press(&mut self, line: InLine, millis: u32) -> Result<(), BenchError> {
        self.bench.act(Act::Press { line, millis })?;
        self.pass(u64::from(millis) + 80)
    }

    /// Turns the supervisor's key and takes it out again.
    pub(super) fn turn_key(&mut self) -> Result<(), BenchError> {
        self.press(InLine::SupervisorKey, 1000)
    }

    /// Keys of the terminal, as fast as a practised dealer.
    pub(super) fn keys(&mut self, keys: &[u8]) -> Result<(), BenchError> {
        for key in keys {
            self.bench.act(Act::Key(*key))?;
            self.pass(220)?;
        }
        Ok(())
    }

    /// What the dealer keys: the dice as first seen, even if somebody moved them later, because the first reading counts (faults.md
    /// dice.moved).
    pub(super) fn dice_as_seen(&mut self) -> [u8; 3] {
        let round = self.bench.log().records.iter().rev().find_map(|durable| durable.record.round);
        match self.round.established {
            Some((of, faces)) if Some(of) == round => faces,
            _ => self.bench.physical().faces,
        }
    }

    /// Keys the dice as seen, and entry.
    pub(super) fn enter_dice(&mut self) -> Result<(), BenchError> {
        let [a, b, c] = self.dice_as_seen();
        self.keys(&[a, b, c, 7])
    }
}
