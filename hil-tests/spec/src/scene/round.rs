//! One round, as far as it was observed.

use crate::config::Rules;
use crate::observation::Part;
use crate::record::{Call, Fact, Record};

/// A round.
#[derive(Clone, Debug)]
pub(crate) struct Round {
    pub(crate) id: Option<u64>,
    pub(crate) rules: Option<Rules>,
    pub(crate) layout: String,
    pub(crate) began_ns: u64,
    /// When the button "No more bets" was first pressed.
    pub(crate) no_more_bets_ns: Option<u64>,
    /// The call "No more bets" is on record, in turn.
    pub(crate) called: bool,
    /// "No spin" was pressed, or a void was asked for under the key.
    pub(crate) no_spin: bool,
    /// The supervisor, under the key, said that a die does not lie flat.
    pub(crate) said_not_flat: bool,
    /// Why the table asks a person what became of the dice; `None` while it asks nobody.
    pub(crate) asked: Option<String>,
    /// A person who was asked did not say that the dice lie as they lay.
    pub(crate) doubted: bool,
    /// "Place your bets" was called in turn.
    pub(crate) placed: bool,
    /// How many spins began, by the records.
    pub(crate) spins: u32,
    pub(crate) spinning: bool,
    /// Three full tumbles of its spin are on record.
    pub(crate) made: bool,
    pub(crate) valid_spin: bool,
    /// The motor was switched on after "No more bets".
    pub(crate) spun_closed: bool,
    /// The supervisor confirmed that the dome is open.
    pub(crate) confirmed: bool,
    /// The dice may lawfully be seen, by wires, truth and people.
    pub(crate) could_see: bool,
    pub(crate) revealed: bool,
    pub(crate) established: bool,
    pub(crate) flat_by: String,
    pub(crate) result: Option<[u8; 3]>,
    pub(crate) result_ns: u64,
    pub(crate) amended: bool,
    /// The supervisor, under the key, said what the dice show.
    pub(crate) decided: bool,
    pub(crate) verified: bool,
    /// How often Entry was pressed since the result, and when last.
    pub(crate) paid: u32,
    pub(crate) entry_ns: Option<u64>,
    /// The process or the supply failed in this round.
    pub(crate) interrupted: bool,
    /// `power_good` dropped in this round, if only for a moment.
    pub(crate) dipped: bool,
    /// Parts that were broken at any time in this round.
    pub(crate) broken: [bool; Part::COUNT],
}

impl Round {
    /// A round that begins now; `broken` are the parts that are broken already.
    pub(super) fn new(
        id: Option<u64>,
        rules: Option<Rules>,
        layout: String,
        began_ns: u64,
        broken: [bool; Part::COUNT],
    ) -> Self {
        Self {
            id,
            rules,
            layout,
            began_ns,
            no_more_bets_ns: None,
            called: false,
            no_spin: false,
            said_not_flat: false,
            asked: None,
            doubted: false,
            placed: false,
            spins: 0,
            spinning: false,
            made: false,
            valid_spin: false,
            spun_closed: false,
            confirmed: false,
            could_see: false,
            revealed: false,
            established: false,
            flat_by: String::new(),
            result: None,
            result_ns: 0,
            amended: false,
            decided: false,
            verified: false,
            paid: 0,
            entry_ns: None,
            interrupted: false,
            dipped: false,
            broken,
        }
    }

    pub(crate) fn covered(&self) -> bool {
        self.rules.is_some_and(Rules::covered)
    }
    pub(crate) fn was_broken(&self, part: Part) -> bool {
        self.broken.get(part as usize).copied().unwrap_or(false)
    }

    /// A press after the result counts even if it comes before the record of the result is durable.
    fn paid_since(&self, at_ns: u64) -> u32 {
        u32::from(self.entry_ns.is_some_and(|pressed| pressed >= at_ns))
    }

    pub(super) fn record(&mut self, Record { fact, at_ns, kind, .. }: &Record, now_ns: u64) {
        match fact {
            Fact::Called { call: Call::NoMoreBets, in_turn: true } => {
                self.called = true;
                // Where the button is not watched, the record stands for it.
                self.no_more_bets_ns.get_or_insert(now_ns);
            }
            Fact::Called { call: Call::PlaceBets, in_turn: true } => self.placed = true,
            // Nothing moved.
            Fact::Plain if kind == "spin-dropped" => {
                self.spins = self.spins.saturating_sub(1);
                self.spinning = false;
            }
            Fact::SpinBegan => {
                self.spins = self.spins.saturating_add(1);
                self.spinning = true;
                self.made = false;
            }
            Fact::SpinMade => self.made = true,
            Fact::SpinEnded { valid, .. } => {
                self.spinning = false;
                self.valid_spin |= *valid;
            }
            Fact::Revealed { .. } => self.revealed = true,
            Fact::Established { flat } => {
                self.established = true;
                self.flat_by.clone_from(flat);
            }
            Fact::Result { dice, .. } => {
                self.result = Some(*dice);
                self.result_ns = now_ns;
                self.verified = false;
                self.paid = self.paid_since(*at_ns);
            }
            Fact::Amended { to, .. } => {
                self.result = Some(*to);
                self.result_ns = now_ns;
                self.amended = true;
                self.verified = false;
                self.paid = self.paid_since(*at_ns);
            }
            Fact::LampsVerified => self.verified = true,
            Fact::Asked { why } => {
                self.asked = Some(why.clone());
                // It was lost with the controller.
                self.spinning &= why != "spin-lost";
            }
            Fact::Answered { finding, .. } => {
                self.asked = None;
                self.said_not_flat |= finding == "not-flat";
                self.doubted |= finding != "undisturbed";
            }
            Fact::Resumed { .. } => self.interrupted = true,
            _ => {}
        }
    }
}
