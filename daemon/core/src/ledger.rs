//! The ledger of malfunctions: what is latched, and which checks a procedure replaces.
//!
//! ```text
//!         --latch-->  latched  --unlatch, rectified-->  sound
//!  sound                 '-----waive, then unlatch---->  replaced by a procedure  --end_procedures, as the table closes-->  sound
//! ```
//!
//! Neither a restart nor a configuration opens a latch: the ledger is in every keyframe of the journal.

use crate::latch::{Code, Malfunction, Waiver};
use crate::prelude::*;
use crate::refusal::Refusal;
use crate::units::Mono;
use serde::{Deserialize, Serialize};

/// What is latched and what is replaced, in the order in which it came.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Ledger {
    latched: Vec<Malfunction>,
    waived: Vec<Waiver>,
}

impl Ledger {
    /// As the journal has it.
    #[must_use]
    pub const fn new(latched: Vec<Malfunction>, waived: Vec<Waiver>) -> Self {
        Self { latched, waived }
    }

    /// Latches a malfunction, unless it is latched already or a procedure replaces the check; gives whether it did.
    pub fn latch(&mut self, malfunction: Malfunction) -> bool {
        let news = self.is_in_service(malfunction.code);
        if news {
            self.latched.push(malfunction);
        }
        news
    }

    /// Opens a latch.
    pub fn unlatch(&mut self, code: Code) {
        self.latched.retain(|malfunction| malfunction.code != code);
    }

    /// A procedure replaces the check until the table closes.
    pub fn waive(&mut self, waiver: Waiver) {
        debug_assert!(waiver.code.allows_procedure(), "only a repair opens `{}`", waiver.code);
        self.waived.push(waiver);
    }

    /// The table closes: no procedure replaces anything any more.
    pub fn end_procedures(&mut self) {
        self.waived.clear();
    }

    /// Another boot has another clock: whatever is latched counts as latched `now`.
    pub fn begin_clock(&mut self, now: Mono) {
        for malfunction in &mut self.latched {
            malfunction.since = now;
        }
    }

    /// Whether anything is latched.
    #[must_use]
    pub fn is_blocked(&self) -> bool {
        !self.latched.is_empty()
    }

    /// Whether this malfunction is latched.
    #[must_use]
    pub fn is_latched(&self, code: Code) -> bool {
        self.malfunction(code).is_some()
    }

    /// Whether a procedure replaces this check.
    #[must_use]
    pub fn is_waived(&self, code: Code) -> bool {
        self.waived.iter().any(|waiver| waiver.code == code)
    }

    /// Whether the table may rely on this device: neither latched nor replaced by a procedure.
    #[must_use]
    pub fn is_in_service(&self, code: Code) -> bool {
        !self.is_latched(code) && !self.is_waived(code)
    }

    /// Whether the areas of a result can be lit and proved: that takes the lamps, and the journal before them.
    #[must_use]
    pub fn can_prove_areas(&self) -> bool {
        self.is_in_service(Code::Lamps) && self.is_in_service(Code::Journal)
    }

    /// This malfunction, where it is latched.
    #[must_use]
    pub fn malfunction(&self, code: Code) -> Option<&Malfunction> {
        self.latched.iter().find(|malfunction| malfunction.code == code)
    }

    /// The malfunction that a reset is about; otherwise why there is none.
    ///
    /// # Errors
    /// It is not latched.
    pub fn to_reset(&self, code: Code) -> Result<&Malfunction, Refusal> {
        self.malfunction(code).ok_or(Refusal::NotLatched(code))
    }

    /// Whether this procedure may replace the check, on a table that is `open` or closed; otherwise why not (NZ 7.4).
    ///
    /// # Errors
    /// What the supervisor is told.
    pub fn may_be_waived(code: Code, procedure: &str, open: bool) -> Result<(), Refusal> {
        if let Err(why) = code.may_be_replaced() {
            Err(Refusal::NoProcedureReplaces { code, why })
        } else if procedure.trim().is_empty() {
            Err(Refusal::NoProcedure)
        } else if !open {
            Err(Refusal::ProcedureWhileClosed)
        } else {
            Ok(())
        }
    }

    /// What was latched first among all that is.
    #[must_use]
    pub fn first(&self) -> Option<&Malfunction> {
        self.latched.first()
    }

    /// What was latched first among all that keeps the motor off.
    #[must_use]
    pub fn inhibits_motor(&self) -> Option<&Malfunction> {
        self.latched.iter().find(|malfunction| malfunction.code.inhibits_motor())
    }

    /// All that is latched.
    #[must_use]
    pub fn latched(&self) -> &[Malfunction] {
        &self.latched
    }

    /// All that is replaced by a procedure.
    #[must_use]
    pub fn waived(&self) -> &[Waiver] {
        &self.waived
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(code: Code, cause: &str, since: u64) -> Malfunction {
        Malfunction { code, cause: cause.into(), since: Mono(since), in_spin: false }
    }

    #[test]
    fn a_malfunction_is_latched_once_and_not_where_a_procedure_replaces_its_check() {
        let mut ledger = Ledger::default();
        assert!(ledger.latch(found(Code::Lamps, "area 3 is dark", 1)));
        assert!(!ledger.latch(found(Code::Lamps, "area 4 is dark", 2)));
        assert_eq!(ledger.malfunction(Code::Lamps).map(|malfunction| malfunction.since), Some(Mono(1)));
        ledger.waive(Waiver { code: Code::Lamps, procedure: "the dealer calls the areas".into(), by: "Mei".into() });
        ledger.unlatch(Code::Lamps);
        assert!(!ledger.is_blocked() && !ledger.is_in_service(Code::Lamps));
        assert!(!ledger.latch(found(Code::Lamps, "area 4 is dark", 3)));
        ledger.end_procedures();
        assert!(ledger.latch(found(Code::Lamps, "area 4 is dark", 4)) && ledger.is_blocked());
    }

    /// NZ 7.4: a procedure is stated, replaces what people's eyes can replace, and ends as the table closes.
    #[test]
    fn a_procedure_replaces_what_people_can_do_on_an_open_table() {
        let ask = Ledger::may_be_waived;
        assert_eq!(
            ask(Code::Tumbler, "the dealer shakes it", true),
            Err(Refusal::NoProcedureReplaces {
                code: Code::Tumbler,
                why: Code::Tumbler.may_be_replaced().unwrap_err()
            })
        );
        assert_eq!(ask(Code::Lamps, " ", true), Err(Refusal::NoProcedure));
        assert_eq!(ask(Code::Lamps, "the dealer calls the areas", false), Err(Refusal::ProcedureWhileClosed));
        assert_eq!(ask(Code::Lamps, "the dealer calls the areas", true), Ok(()));
    }

    /// NZ 7.3, SGV6 5.10: where the areas cannot be lit, or be proved on record, wagers are settled by the dice.
    #[test]
    fn areas_are_proved_by_lamps_and_journal() {
        for (code, can) in [(Code::Lamps, false), (Code::Journal, false), (Code::Reader, true)] {
            let mut ledger = Ledger::default();
            assert!(ledger.can_prove_areas());
            ledger.latch(found(code, "it does not do", 1));
            assert_eq!(ledger.can_prove_areas(), can, "{code}");
        }
    }

    #[test]
    fn the_motor_is_kept_off_by_the_first_that_does() {
        let mut ledger = Ledger::default();
        ledger.latch(found(Code::Reader, "it does not reply", 1));
        assert_eq!(ledger.inhibits_motor(), None);
        ledger.latch(found(Code::Tumbler, "it stalls", 2));
        ledger.latch(found(Code::Seal, "it is open", 3));
        assert_eq!(ledger.inhibits_motor().map(|malfunction| malfunction.code), Some(Code::Tumbler));
        assert_eq!(ledger.first().map(|malfunction| malfunction.code), Some(Code::Reader));
    }
}
