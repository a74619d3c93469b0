//! Longer doings: the opening tests, and a round in the order of its rule set.

use super::attend::keys_left;
use super::order::{self, Deed};
use super::run::{Halt, Runner};
use super::step::{Check, Pattern, Stage, Step};
use tumbler_bench::Trouble;
use tumbler_bench::witnessed;
use tumbler_core::line::InLine;
use tumbler_core::snapshot::Snapshot;
use tumbler_core::wire::console::Command;
use tumbler_core::wire::registers::terminal;
use tumbler_twin::Act;

/// Longest wait within a healthy round, in milliseconds.
const WAIT: u64 = 20_000;
/// From the end of the time for collecting and paying to the dealer's hand at the key, and from a key to what the table shows of
/// it, in milliseconds: a poll of the terminal lies between.
const PAYING: u64 = 700;
/// A dealer keys a result so often.
const ENTRIES: u32 = 3;
/// A dealer of a campaign presses "tumble" so often again.
const PRESSES: u64 = 4;

fn record(kind: &str) -> Check {
    Check::Record(Pattern { kind: kind.into(), fields: Vec::new() })
}

impl Runner<'_> {
    /// The opening tests (NZ 5), everything seen and heard right.
    pub(super) fn open(&mut self) -> Result<(), Halt> {
        let name = || "Mei".to_owned();
        // A bench in real time may begin with a table that was opened by these very steps.
        if self.bench.snapshot()?.is_some_and(|snapshot| snapshot.open) {
            // The motor's temperature comes once a second.
            self.pass(1200)?;
            return self.step(&Step::Mark);
        }
        // Units on the bus have answered by then.
        self.pass(1500)?;
        self.turn_key()?;
        self.ask(Command::Open { name: name() })?;
        self.answer(true, "")?;
        self.press_every_key()?;
        for item in witnessed(self.trial.reader) {
            self.ask(Command::Witness { item, right: true, name: name() })?;
            self.answer(true, "")?;
        }
        self.wait(&Check::Phase("ready".into()), WAIT)?;
        self.step(&Step::Mark)
    }

    /// Presses every key of the terminal, and again those that the opening still asks for: a noisy bus loses some.
    pub(super) fn press_every_key(&mut self) -> Result<(), Halt> {
        self.keys(&[1, 2, 3, 4, 5, 6, 7])?;
        for _ in 0..PRESSES {
            let left = |shown: Snapshot| shown.test.map_or_else(Vec::new, |test| keys_left(&test));
            if self.bench.snapshot()?.map_or_else(Vec::new, left).is_empty() {
                break;
            }
            // What was pressed last may still be on its way.
            self.pass(PAYING)?;
            let left = self.bench.snapshot()?.map_or_else(Vec::new, left);
            self.keys(&left)?;
        }
        Ok(())
    }

    fn ended(&mut self) -> bool {
        self.catch_up();
        self.seen.iter().skip(self.round_from).any(|r| matches!(super::check::kind(r), "settled" | "voided"))
    }

    /// Plays on to a stage; after the end of a round, the next one.
    pub(super) fn play_to(&mut self, stage: Stage) -> Result<(), Halt> {
        self.next_round();
        let order = order::of(&self.trial.rules);
        if stage == Stage::Covered && !order::covered(&self.trial.rules) {
            return Ok(());
        }
        let Some(goal) = order.iter().position(|(_, reached)| *reached == stage) else {
            return Err(Trouble::Rig(format!("{stage:?} is no stage under {}", self.trial.rules)).into());
        };
        self.play_through(goal + 1)
    }

    /// Plays on to the moment before the dealer presses "tumble".
    pub(super) fn up_to_spin(&mut self) -> Result<(), Halt> {
        self.next_round();
        let order = order::of(&self.trial.rules);
        self.play_through(order.iter().position(|(deed, _)| *deed == Deed::Tumble).unwrap_or(0))
    }

    /// After the end of a round its order begins anew.
    pub(super) fn next_round(&mut self) {
        if self.done > 0 && self.ended() {
            self.done = 0;
            self.round_from = self.seen.len();
        }
    }

    fn play_through(&mut self, deeds: usize) -> Result<(), Halt> {
        while self.done < deeds {
            let Some((deed, _)) = order::of(&self.trial.rules).get(self.done) else { break };
            self.done += 1;
            self.deed(*deed)?;
        }
        Ok(())
    }

    /// Losers are collected and winners paid (NZ 6.5): "all paid" counts only after that.
    pub(super) fn collect_and_pay(&mut self) -> Result<(), Halt> {
        let all_paid = u64::from(self.bench.settings().parameters.all_paid);
        self.pass(all_paid + PAYING)
    }

    /// The round was played by hand up to this stage.
    pub(super) fn at(&mut self, stage: Stage) {
        let order = order::of(&self.trial.rules);
        self.done = order.iter().position(|(_, reached)| *reached == stage).map_or(0, |place| place + 1);
    }

    fn deed(&mut self, deed: Deed) -> Result<(), Halt> {
        match deed {
            Deed::Cover => {
                if self.bench.physical().dome_up {
                    self.bench.act(Act::LowerDome)?;
                    self.pass(400)?;
                }
                Ok(())
            }
            Deed::Tumble => {
                self.bench.act(Act::Press { line: InLine::Tumble, millis: 120 })?;
                let mut turns = self.wait(&Check::Shaft(true), 2000);
                // A guard that flickers at the very moment of the second look refuses the spin; the dealer presses again.
                for n in 0..PRESSES {
                    if !self.trial.free || turns.is_ok() {
                        break;
                    }
                    // Nobody's fingers keep time with a vibration.
                    self.pass(170 + 37 * n)?;
                    self.bench.act(Act::Press { line: InLine::Tumble, millis: 120 })?;
                    turns = self.wait(&Check::Shaft(true), 2000);
                }
                turns?;
                self.pass(200)
            }
            Deed::AwaitSpun => {
                self.wait(&record("spin-ended"), WAIT)?;
                self.wait(&Check::DiceRest, WAIT)
            }
            Deed::PlaceBets => self.step(&Step::Press(InLine::PlaceBets, 120)),
            Deed::NoMoreBets => self.step(&Step::Press(InLine::NoMoreBets, 120)),
            Deed::Uncover => self.bench.act(Act::LiftDome).map_err(Into::into),
            Deed::AwaitOutcome => {
                if self.trial.reader {
                    self.wait(&record("established"), WAIT)
                } else {
                    self.wait(&record("revealed"), WAIT)
                }
            }
            Deed::Enter => {
                // The dealer looks at the dice first. A key pressed before the terminal's next poll cannot be told from
                // one pressed before the reveal.
                self.pass(600)?;
                for _ in 0..ENTRIES {
                    self.step(&Step::EnterDice)?;
                    // Where polls were hit, a digit may be missing. The display says so, and a dealer keys again.
                    if self.bench.physical().display != terminal::ERROR {
                        break;
                    }
                }
                self.wait(&record("lamps-verified"), WAIT)
            }
            Deed::AllPaid => {
                self.collect_and_pay()?;
                self.keys(&[7])?;
                self.wait(&record("settled"), WAIT)
            }
        }
    }
}
