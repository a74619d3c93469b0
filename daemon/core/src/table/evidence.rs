//! Which clauses of the rule set in force a record is about, by their keys ([`crate::rules::CLAUSE_KEYS`]).

use super::commands::VOID;
use crate::latch::Code;
use crate::record::{Event, Lit, PROCEDURE};
use crate::round::call::Call;
use crate::rules::{RuleSet, Wager};

/// The clauses that this event is about, each once, in the order of the keys here; none where the text says nothing.
pub(super) fn clauses(rules: &RuleSet, event: &Event) -> Vec<String> {
    let mut cited: Vec<String> = Vec::new();
    let of_void = match event {
        Event::Voided(void) => void.clauses.as_slice(),
        Event::VoidedAfterwards { clauses, .. } => clauses.as_slice(),
        _ => &[],
    };
    let keyed = keys(event).iter().map(|key| rules.clause(key).to_owned());
    for clause in of_void.iter().cloned().chain(keyed).filter(|clause| !clause.is_empty()) {
        if !cited.contains(&clause) {
            cited.push(clause);
        }
    }
    cited
}

fn keys(event: &Event) -> &'static [&'static str] {
    match event {
        Event::Opened { .. } => &["opening-power", "opening-lamps", "opening-tumbler", "opening-seal"],
        Event::Tested { test, .. } => tested(test),
        Event::RoundBegan { .. } => &["round", "dice", "cover"],
        Event::Called { call: Call::PlaceBets, .. } => &["place-bets"],
        Event::Called { call: Call::NoMoreBets, .. } => &["no-more-bets", "bell", "bets-closed"],
        Event::Called { call: Call::NoSpin, .. } => &["no-spin"],
        Event::SpinBegan => &["activate", "at-least-three"],
        Event::SpinEnded { .. } => &["at-least-three"],
        Event::Revealed { .. } => &["uncover"],
        Event::Established { .. } => &["flat"],
        Event::Asked { .. } | Event::Answered { .. } => &["flat", "interruption-established"],
        Event::FacesRead { .. } => &["uppermost"],
        Event::EntryError { why } if why.contains("all paid") => &["collect-and-pay", "all-paid"],
        Event::EntryError { .. } => &["entry", "terminal"],
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
        Event::Unlatched { how, .. } if how.starts_with(PROCEDURE) => &["malfunction-procedures"],
        Event::Unlatched { .. } => &["malfunction"],
        Event::Refused { what, why } if what == "tumble" && why.contains("malfunction") => &["activate", "malfunction"],
        Event::Refused { what, .. } if what == "tumble" => &["activate"],
        Event::Refused { what, why } if what == "void" && why.contains("5.14") => &["supervisor"],
        Event::Refused { what, .. } if what == "void" => &["result-stands"],
        Event::Refused { what, .. } if what == "amend" => &["amend"],
        Event::Refused { what, .. } if what == "settle" => &["collect-and-pay", "all-paid"],
        Event::Refused { what, .. } if what == "no-spin" => &["no-spin", "result-stands"],
        // What only the shift manager or above decides; the other decisions are of matters that the rules provide for.
        Event::Decided { what, .. } if what == VOID => &["supervisor"],
        Event::DiceEnrolled { .. } => &["dice", "seal"],
        _ => &[],
    }
}

fn tested(test: &str) -> &'static [&'static str] {
    match test {
        "power" => &["opening-power"],
        "lamps" | "areas" | "terminal" | "keys" | "bus" => &["opening-lamps", "terminal"],
        "tumbler" | "deadman" => &["opening-tumbler"],
        "seal" | "dice" => &["opening-seal"],
        "bell" => &["bell"],
        _ => &[],
    }
}
