//! Whether anything but the lawful course of play can have led to what is found.

use super::step::Step;
use tumbler_bench::log::Log;
use tumbler_core::record::Event;

/// When play last left its lawful course, and how far the records were looked at for what that may explain.
#[derive(Debug, Default)]
pub(super) struct Lawfulness {
    /// When somebody last did something out of turn, or something was last broken.
    last_out_of_turn: Option<u64>,
    /// The end of the round before the one in progress.
    round_from: u64,
    /// Records that were looked at.
    looked: usize,
}

impl Lawfulness {
    /// Somebody did something out of turn at this time.
    pub(super) fn out_of_turn(&mut self, at: u64) {
        self.last_out_of_turn = Some(at);
    }

    /// Looks at the records that came since the last look: the first of them that nothing explains.
    pub(super) fn look(&mut self, log: &Log) -> Option<String> {
        let mut wrong = None;
        for durable in log.records.iter().skip(self.looked) {
            let record = &durable.record;
            match &record.event {
                Event::Settled { .. } => self.round_from = record.at.0,
                Event::Voided(void) => {
                    // NZ 7.1, SG 5.5 and 5.6 name every reason of a void, and all of them are acts or defects.
                    if self.last_out_of_turn.is_none_or(|at| at < self.round_from) {
                        let found = || format!("void without a reason: {}, {}", void.reason.name(), void.detail);
                        wrong = wrong.or_else(|| Some(found()));
                    }
                    self.round_from = record.at.0;
                }
                _ => {}
            }
        }
        self.looked = log.records.len();
        wrong
    }

    /// Records that were looked at.
    pub(super) fn looked(&self) -> usize {
        self.looked
    }
}

/// Whether a step is part of lawful play on a healthy table.
pub(super) fn lawful(step: &Step) -> bool {
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
