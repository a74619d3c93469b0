//! What holds in every run, whatever was done: for scenarios that do not say how their rounds end.

use super::check;
use super::run::{Halt, Runner};
use super::step::Step;
use serde_json::Value;
use tumbler_core::record::Event;

/// Whether anything but the lawful course of play can have led to what is found.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Blame {
    /// When somebody last did something out of turn, or something was last broken.
    last: Option<u64>,
    /// The end of the round before the one in progress, and the first record after it.
    round_from: u64,
    looked: usize,
}

impl Blame {
    /// Somebody did something out of turn at this time.
    pub(super) fn somebody(&mut self, at: u64) {
        self.last = Some(at);
    }
}

/// Whether a step is part of lawful play on a healthy table.
fn lawful(step: &Step) -> bool {
    match step {
        Step::Open
        | Step::PlayTo(_)
        | Step::UpToSpin
        | Step::At(_)
        | Step::Dice(_)
        | Step::Pass(_)
        | Step::Wait(..)
        | Step::Expect(..)
        | Step::Answer(..)
        | Step::As(_)
        | Step::Mark
        | Step::Broker(_) => true,
        Step::Try(step) => lawful(step),
        _ => false,
    }
}

impl Runner<'_> {
    /// What the dealer keys: the dice as first seen, whoever moved them later; the first reading stands (faults.md dice.moved).
    pub(super) fn dice_as_seen(&mut self) -> [u8; 3] {
        let round = self.bench.log().records.iter().rev().find_map(|durable| durable.record.round);
        match self.established {
            Some((of, faces)) if Some(of) == round => faces,
            _ => self.bench.physical().faces,
        }
    }

    /// Looks, after a step, whether what must hold always still does.
    pub(super) fn watch(&mut self, step: &Step) -> Result<(), Halt> {
        if !self.trial.free {
            return Ok(());
        }
        if let Some(found) = self.bench.found() {
            return Err(Halt::Wrong(format!("judge: {found}")));
        }
        let physical = self.bench.physical();
        // A shaft that a hand has turned goes on for as long as it takes, into the next round too.
        let by_hand = physical.shaft_moves && !physical.motor_power;
        if self.anything_broken() || by_hand || !lawful(step) {
            self.blame.somebody(self.bench.now());
        }
        let mut wrong = None;
        let mut established = self.established;
        let (faces, skip) = (physical.faces, self.blame.looked);
        let log = self.bench.log();
        for durable in log.records.iter().skip(skip) {
            let record = &durable.record;
            match &record.event {
                Event::Established { .. } => established = record.round.map(|round| (round, faces)),
                Event::Settled { .. } => self.blame.round_from = record.at.0,
                Event::Voided(void) => {
                    // NZ 7.1, SG 5.5 and 5.6 name every reason of a void, and all of them are acts or defects.
                    if self.blame.last.is_none_or(|at| at < self.blame.round_from) {
                        wrong = wrong.or_else(|| {
                            Some(format!("void without a reason: {}, {}", void.reason.name(), void.detail))
                        });
                    }
                    self.blame.round_from = record.at.0;
                }
                _ => {}
            }
        }
        self.established = established;
        self.catch_up();
        let never = |record: &Value| self.trial.never.iter().any(|kind| kind == check::kind(record));
        if let Some(record) = self.seen.iter().skip(self.blame.looked).find(|record| never(record)) {
            wrong = wrong.or_else(|| Some(format!("never `{}`, but {}", check::kind(record), check::brief(record))));
        }
        self.blame.looked = self.seen.len();
        match wrong {
            Some(wrong) => Err(Halt::Wrong(format!("{wrong}; {}", self.where_we_are()))),
            None => Ok(()),
        }
    }
}
