//! Which clauses of the rule set in force a record is about, by their keys ([`crate::rules::CLAUSE_KEYS`]).

use crate::latch::Code;
use crate::prelude::*;
use crate::record::{Decision, Event, Lit};
use crate::round::call::Call;
use crate::rules::{RuleSet, Wager};
use crate::units::Dice;

/// The clauses that this event is about, each once, in the order of the keys; none where the text says nothing. A void's own come
/// first.
pub(super) fn clauses(rules: &RuleSet, event: &Event, keys: &[&str]) -> Vec<String> {
    let mut cited: Vec<String> = Vec::new();
    let of_void = match event {
        Event::Voided(void) => void.clauses.as_slice(),
        Event::VoidedAfterwards { clauses, .. } => clauses.as_slice(),
        _ => &[],
    };
    // SGV6 and SGOC 5.5: "in the event that any of the following situations occur", which are its own paragraphs.
    let occurred = |clause: &str| of_void.iter().any(|cited| cited.starts_with(&format!("{clause}.")));
    let keyed = keys.iter().map(|key| (*key, rules.clause(key).to_string()));
    let keyed =
        keyed.filter(|(key, clause)| *key != "earlier-rounds-stand" || occurred(clause)).map(|(_, clause)| clause);
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
        Event::Asked { .. } | Event::Answered { .. } => &["flat"],
        Event::Decided { kind: Some(Decision::DomeOpen), .. } => &["uncover"],
        Event::FacesRead { .. } => &["uppermost"],
        Event::EntryDiffers { .. } => &["uppermost", "amend"],
        Event::Amended { .. } | Event::Supervised { .. } => &["amend"],
        Event::LampsVerified => &["lamps"],
        Event::Settled { lamps: Lit::ByTheDice, .. } => {
            &["result-stands", "lamps-fail", "collect-and-pay", "all-paid", "display", "display-not-binding"]
        }
        Event::Settled { .. } => &["result-stands", "collect-and-pay", "all-paid", "display", "display-not-binding"],
        Event::Voided(_) => &["earlier-rounds-stand", "void-returned"],
        Event::VoidedAfterwards { .. } => &["voided-afterwards", "void-returned"],
        Event::Resumed { established: true, .. } => &["interruption-established"],
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

/// The keys of a result: keyed on the terminal (NZ 6.4, 3.3(a)), or told on the console.
pub(super) fn result(dice: Dice, keyed: bool) -> &'static [&'static str] {
    // SGV6 and SGOC 3.10: "all three dice are of the same number".
    match (keyed, Wager::AnyTriple.wins(dice)) {
        (true, true) => &["entry", "call", "uppermost", "total", "triple", "terminal-display"],
        (true, false) => &["entry", "call", "uppermost", "total", "terminal-display"],
        (false, true) => &["call", "uppermost", "total", "triple"],
        (false, false) => &["call", "uppermost", "total"],
    }
}
