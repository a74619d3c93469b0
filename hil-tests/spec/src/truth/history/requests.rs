//! What people asked the table to void, from the command until the record that decides it (NZ 7.1, SGV6 5.6 and 5.14, SGOC 5.6 and
//! 5.14, SGOC-early 5.1.1).

use super::super::situation::Event;
use crate::scene::Round;
use serde_json::Value;

/// Requests to void a round.
#[derive(Clone, Debug, Default)]
pub(super) struct Requests {
    /// What a person asked for that no record has decided yet, and when it was last asked for.
    wanted: Vec<Event>,
    wanted_ns: u64,
    /// A person asked to void a round that has ended.
    afterwards: bool,
    /// A person said in this round that a die is damaged.
    damaged: bool,
}

impl Requests {
    /// What a new round takes over. On a slow disk a void is asked for before the record of the round's beginning is seen.
    pub(super) fn next_round(&mut self, at_ns: u64) -> Self {
        let wanted = if self.wanted_ns >= at_ns { core::mem::take(&mut self.wanted) } else { Vec::new() };
        Self { wanted, wanted_ns: self.wanted_ns, ..Self::default() }
    }

    /// A command of the console.
    pub(super) fn command(&mut self, command: &str, with: &Value, now_ns: u64) {
        let said = |name: &str| with.get(name).and_then(Value::as_bool);
        self.damaged |= command == "void" && said("damaged_dice") == Some(true);
        let wanted: &[Event] = match command {
            "void" if said("damaged_dice") == Some(true) => &[Event::DamagedDice],
            "void" if said("not_flat") == Some(true) => &[Event::SaidNotFlat],
            "void" => match said("manager") {
                Some(true) => &[Event::ManagerDecision],
                Some(false) => &[Event::SupervisorDecision],
                None => &[Event::ManagerDecision, Event::SupervisorDecision],
            },
            "void-afterwards" => {
                self.afterwards = true;
                &[]
            }
            _ => &[],
        };
        // On a slow disk people ask for more, and are refused, before the record of their first request is seen.
        self.wanted_ns = if wanted.is_empty() { self.wanted_ns } else { now_ns };
        for event in wanted {
            if !self.wanted.contains(event) {
                self.wanted.push(*event);
            }
        }
    }

    /// A record decides what was asked for.
    pub(super) fn take(&mut self) -> Vec<Event> {
        core::mem::take(&mut self.wanted)
    }

    /// A record decides what was asked for of a round that has ended.
    pub(super) fn take_afterwards(&mut self) -> bool {
        core::mem::take(&mut self.afterwards)
    }

    /// Whether a person said in this round that a die is damaged.
    pub(super) const fn damaged(&self) -> bool {
        self.damaged
    }

    /// Whether a decision that says nothing about the dice is taken while people see the dice of a valid spin, and nobody has said
    /// how they lie.
    pub(super) fn chooses(&self, round: &Round) -> bool {
        let choices = [Event::ManagerDecision, Event::SupervisorDecision];
        !self.wanted.is_empty()
            && self.wanted.iter().all(|event| choices.contains(event))
            && round.revealed
            && round.valid_spin
            && !round.established
    }
}
