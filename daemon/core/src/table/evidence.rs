//! Which clauses of the rule set in force a record is about, by their keys ([`crate::rules::CLAUSE_KEYS`]).

use crate::latch::Code;
use crate::prelude::*;
use crate::record::{Event, Lit};
use crate::round::call::Call;
use crate::rules::{RuleSet, Wager};

/// The clauses that this event is about, each once, in the order of the keys; none where the text says nothing. A void's own come
/// first.
pub(super) fn clauses(rules: &RuleSet, event: &Event, keys: &[&str]) -> Vec<String> {
    let mut cited: Vec<String> = Vec::new();
    let of_void = match event {
        Event::Voided(void) => void.clauses.as_slice(),
        Event::VoidedAfterwards { clauses, .. } => clauses.as_slice(),
        _ => &[],
    };
    let keyed = keys.iter().map(|key| rules.clause(key).to_string());
    for clause in of_void.iter().cloned().chain(keyed).filter(|clause| !clause.is_empty()) {
        if !cited.contains(&clause) {
            cited.push(clause);
        }
    }
    cited
}

/// The keys of the clauses that an event of this kind is about. A refusal has its own ([`crate::refusal::Refusal::keys`]).
pub(super) fn keys(event: &Event) -> &'static [&'static str] {
    match event {
        Event::Opened { .. } => &["opening-power", "opening-lamps", "opening-tumbler", "opening-seal"],
        Event::RoundBegan { .. } => &["round", "dice", "cover"],
        Event::Called { call: Call::PlaceBets, .. } => &["place-bets"],
        Event::Called { call: Call::NoMoreBets, .. } => &["no-more-bets", "bell", "bets-closed"],
        Event::Called { call: Call::NoSpin, .. } => &["no-spin"],
        Event::SpinBegan => &["activate", "at-least-three"],
        Event::SpinMade { .. } | Event::SpinEnded { .. } => &["at-least-three"],
        Event::Revealed { .. } => &["uncover"],
        Event::Established { .. } => &["flat"],
        Event::Asked { .. } | Event::Answered { .. } => &["flat", "interruption-established"],
        Event::FacesRead { .. } => &["uppermost"],
        Event::EntryDiffers { .. } => &["uppermost", "amend"],
        // SGV6 and SGOC 3.10: "all three dice are of the same number".
        Event::Result { dice, .. } if Wager::AnyTriple.wins(*dice) => {
            &["entry", "call", "uppermost", "total", "triple", "terminal-display"]
        }
        Event::Result { .. } => &["entry", "call", "uppermost", "total", "terminal-display"],
        Event::Amended { .. } | Event::Supervised { .. } => &["amend"],
        Event::LampsVerified => &["lamps"],
        Event::Settled { lamps: Lit::ByTheDice, .. } => {
            &["result-stands", "lamps-fail", "collect-and-pay", "all-paid", "display", "display-not-binding"]
        }
        Event::Settled { .. } => &["result-stands", "collect-and-pay", "all-paid", "display", "display-not-binding"],
        Event::Voided(_) => &["earlier-rounds-stand", "void-returned"],
        Event::VoidedAfterwards { .. } => &["voided-afterwards", "void-returned"],
        Event::Corrected { .. } => &["late-error"],
        Event::Resumed { .. } => &["interruption-established"],
        Event::Latched { code: Code::Interference, .. } => &["interference", "malfunction"],
        Event::Latched { code: Code::Seal, .. } => &["seal", "malfunction"],
        Event::Latched { code: Code::Lamps, .. } => &["lamps-fail", "malfunction"],
        Event::Latched { .. } => &["malfunction"],
        Event::Unlatched { procedure: Some(_), .. } => &["malfunction-procedures"],
        Event::Unlatched { .. } => &["malfunction"],
        Event::DiceEnrolled { .. } => &["dice", "seal"],
        _ => &[],
    }
}
