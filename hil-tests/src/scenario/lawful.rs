//! Finds voids without a reason: those whose round had no act out of turn and no fault.

use super::step::Step;
use tumbler_bench::log::Log;
use tumbler_core::record::Event;

/// When something last happened out of turn, and which records have been checked against it.
#[derive(Debug, Default)]
pub(super) struct Lawfulness {
    /// When somebody last acted out of turn, or a fault was last in force.
    last_out_of_turn: Option<u64>,
    /// End of the previous round.
    round_from: u64,
    /// Number of records checked.
    looked: usize,
}

impl Lawfulness {
    /// Notes that something happened out of turn at this time.
    pub(super) fn out_of_turn(&mut self, at: u64) {
        self.last_out_of_turn = Some(at);
    }

    /// Checks the new records. Returns the first that nothing out of turn explains.
    pub(super) fn look(&mut self, log: &Log) -> Option<String> {
        let mut wrong = None;
        for durable in log.records.iter().skip(self.looked) {
            let record = &durable.record;
            match &record.event {
                Event::Settled { .. } => self.round_from = record.at.0,
                Event::Voided(void) => {
                    // Every void reason of NZ 7.1, SG 5.5 and 5.6 is an act or a defect.
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

    /// Number of records checked.
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
