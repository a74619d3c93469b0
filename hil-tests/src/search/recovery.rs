//! Liveness: from every state people can bring the table back to where a game may begin, by means that the rules allow.
//!
//! The script heals everything, restores power and daemon, ends the round in progress by the rules (voids it where they let a manager,
//! and else plays it to its end by the dice), resets all latches, and opens the table.

use super::alphabet::SLOW;
use super::invariants::Invariant;
use super::node::Node;
use crate::scenario::{Halt, Trial, parse, play_steps};
use tumbler_bench::{Bench, BenchError};
use tumbler_core::latch::Code;
use tumbler_core::line::InLine;
use tumbler_core::rules;
use tumbler_core::snapshot::Phase;
use tumbler_core::units::Dice;
use tumbler_twin::Declared;

/// Most resets: one for each code, and one for each cause that only shows after the first.
const RESETS: usize = 20;

/// Brings a copy of this node back to where a game may begin. Returns the words that were played, and what is wrong if it
/// fails.
pub(super) fn recover(
    from: &Node,
    trial: &Trial,
    invariants: &[Invariant],
    covered: bool,
) -> (Vec<String>, Option<String>) {
    let mut recovery = Recovery { node: from.clone(), trial, words: Vec::new() };
    let wrong = match recovery.run(covered) {
        Ok(()) => None,
        Err(Halt::Wrong(what)) => Some(format!("the table cannot be brought back: {what} [NZ 7.4, design.md, Latch]")),
        Err(Halt::BenchError(trouble)) => Some(trouble.to_string()),
    };
    let Recovery { mut node, words, .. } = recovery;
    let judged = node.judge(from, invariants, covered);
    (words, judged.or(wrong))
}

struct Recovery<'a> {
    node: Node,
    trial: &'a Trial,
    words: Vec<String>,
}

impl Recovery<'_> {
    fn act(&mut self, words: &str) -> Result<(), Halt> {
        self.words.push(words.to_owned());
        let line = parse::line_of_steps(words, &self.trial.layout).map_err(|bad| BenchError::Rig(bad.to_string()))?;
        play_steps(&mut self.node.bench, self.trial, line.iter().flat_map(|(_, steps)| steps))
    }

    fn run(&mut self, covered: bool) -> Result<(), Halt> {
        self.heal()?;
        self.act("pass 3 s")?;
        self.end_round(covered)?;
        if covered && self.node.bench.physical().dome_up {
            self.act("lower dome")?;
        }
        self.act("pass 3 s")?;
        self.reset()?;
        self.open()?;
        match self.phase()? {
            Some(Phase::Ready | Phase::Void) => Ok(()),
            other => Err(Halt::Wrong(format!("the phase is {other:?}"))),
        }
    }

    fn heal(&mut self) -> Result<(), Halt> {
        let view = self.node.view.clone();
        for fault in view.faults.iter().copied() {
            self.act(&format!("heal {}", fault.name(rules::layout(&self.trial.layout))))?;
        }
        if view.slow {
            self.act(&format!("heal {SLOW}"))?;
        }
        if !view.physical.supply {
            self.act("power on")?;
        } else if !view.is_up() {
            self.act("start")?;
        }
        let twin = self.node.bench.twin();
        let (held, seal) = (twin.level(InLine::Tumble), twin.level(InLine::Seal));
        if held {
            self.act("release tumble")?;
        }
        if !seal {
            self.act("mend seal")?;
        }
        // Time for withheld commits, a spin and rolling dice.
        self.act("pass 15 s")
    }

    fn phase(&mut self) -> Result<Option<Phase>, Halt> {
        Ok(self.node.bench.snapshot()?.map(|table| table.phase))
    }

    fn result(&mut self) -> Result<Option<Dice>, Halt> {
        Ok(self.node.bench.snapshot()?.and_then(|table| table.result))
    }

    fn in_round(&mut self) -> Result<bool, Halt> {
        Ok(self.node.bench.snapshot()?.is_some_and(|table| table.round.is_some()))
    }

    fn end_round(&mut self, covered: bool) -> Result<(), Halt> {
        if self.in_round()? {
            self.act("turn key")?;
            // A person who did not see the dice cannot say what happened to them.
            self.act("as manager; ask interrupted cannot-tell; ask void")?;
            self.act("pass 100 ms")?;
        }
        if self.in_round()? {
            // The round stands: its outcome is established, or a valid spin is under the dome, which nobody voids by choice (NZ 7.1).
            self.conclude(covered)?;
        }
        if self.in_round()? {
            return Err(Halt::Wrong("the round cannot be ended".into()));
        }
        Ok(())
    }

    /// The dealer plays on from here, by the dice; where a device of his is out of service, the supervisor does it at the console.
    fn conclude(&mut self, covered: bool) -> Result<(), Halt> {
        if self.phase()? == Some(Phase::Betting) {
            self.act("press place_bets; pass 300 ms; press no_more_bets; pass 300 ms")?;
        }
        if covered && !self.node.bench.physical().dome_up {
            self.act("lift dome")?;
        }
        self.act("pass 1 s")?;
        // The dice as first seen count, even if they were moved since, and even against a wrong reader.
        let seen = self.node.history.round.as_ref().and_then(|round| round.faces);
        let faces = seen.unwrap_or(self.node.bench.physical().faces);
        let [a, b, c] = faces;
        let mut entries = vec![format!("ask amend {a} {b} {c} uphold")];
        if self.result()?.is_none() {
            entries.splice(0..0, [format!("key {a} {b} {c} entry"), format!("ask settle {a} {b} {c}")]);
        }
        for words in entries {
            if self.result()? != Dice::from_pips(faces).ok() {
                self.act(&words)?;
                self.act("pass 1 s")?;
            }
        }
        // The losers' chips are collected, and the winners paid.
        self.act("pass 6 s")?;
        for all_paid in ["key entry", "ask settle"] {
            if self.in_round()? {
                self.act(all_paid)?;
                self.act("pass 1 s")?;
            }
        }
        Ok(())
    }

    fn latched(&mut self) -> Result<Option<&'static str>, Halt> {
        let malfunctions = self.node.bench.snapshot()?.map(|table| table.malfunctions).unwrap_or_default();
        // No press begins a spin before the buttons are to be relied on.
        let first = malfunctions.iter().min_by_key(|malfunction| malfunction.code != Code::Buttons);
        Ok(first.map(|malfunction| malfunction.code.name()))
    }

    fn reset(&mut self) -> Result<(), Halt> {
        if self.node.bench.snapshot()?.is_some_and(|table| table.test.is_some()) {
            self.act("ask close")?;
            self.act("pass 100 ms")?;
        }
        for _ in 0..RESETS {
            let Some(code) = self.latched()? else { return Ok(()) };
            self.act("turn key")?;
            if code == "dice" {
                self.act("ask enrol-dice")?;
                self.act("pass 500 ms")?;
            }
            self.act(&format!("do reset {code} rectified"))?;
            self.act("pass 1 s")?;
        }
        Err(Halt::Wrong("latches come again and again".into()))
    }

    fn open(&mut self) -> Result<(), Halt> {
        if self.node.bench.snapshot()?.is_some_and(|table| table.open) {
            return Ok(());
        }
        if self.phase()? == Some(Phase::Maintenance) {
            self.act("turn key; do maintenance off")?;
        }
        self.act("open table")
    }
}
