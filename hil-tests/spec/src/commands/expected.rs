//! What must become of a command by the page of the console (`daemon/docs/console.md`), NZ 7.2 to 7.4, SGV6 and SGOC 5.10 and 5.14,
//! in the state that the table is in.

use super::Command;
use super::state::State;
use crate::areas::sorted;
use crate::config::{Decides, Rules};
use crate::observation::Part;
use crate::scene::{Round, Scene};

const MS: u64 = 1_000_000;
/// The time for collecting and paying (parameter `all_paid`), shortest and longest: the times of two records may differ a little.
const PAID_NS: (u64, u64) = (2_900 * MS, 3_100 * MS);
/// The table remembers at least this many rounds for its displays.
const REMEMBERED: usize = 5;

/// What must become of a command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Expected {
    Done,
    Refused,
    /// It depends on something that the judge cannot know.
    Unknown,
}
use Expected::{Done, Refused, Unknown};

/// Done if it is allowed, refused if not.
const fn whether(may: bool) -> Expected {
    if may { Done } else { Refused }
}

pub(super) fn expected(asked: &Command, state: &State, scene: &Scene) -> Expected {
    let any = asked.flag("supervisor") || asked.flag("manager");
    let technicians = match asked.command.as_str() {
        "maintenance" | "hardware-test" | "record" => asked.flag("technician"),
        "witness" if asked.flag("technician") => return Unknown,
        // It calls a hardware test off.
        "close" if asked.flag("technician") && state.maintenance && asked.testing => return Unknown,
        _ => false,
    };
    if !any && !technicians {
        return Refused;
    }
    // A named person answers for whatever is commanded (design.md, People and roles).
    if asked.with.get("name").is_some() && asked.text("name").trim().is_empty() {
        return Refused;
    }
    if !matches!(asked.command.as_str(), "record" | "close" | "witness") && asked.turned_ns.is_none() {
        return Refused;
    }
    if state.holes {
        return Unknown;
    }
    match asked.command.as_str() {
        // Of more than these within some minutes it depends on who asked before, and when.
        "record" if state.recordings > 8 => Unknown,
        "record" | "close" => Done,
        "maintenance" => maintenance(asked, state),
        "open" => open(asked, state),
        "hardware-test" => hardware_test(asked, state, scene),
        "reset" => reset(asked, state),
        "void" => void(asked, state),
        "finding" => finding(asked, state, scene),
        "amend" => amend(asked, state, scene),
        "supervise" => supervise(state),
        "settle" => settle(asked, state, scene),
        "confirm-dome" => confirm_dome(asked, state),
        "correct" | "void-afterwards" => afterwards(asked, state),
        "enrol-dice" => enrol(asked, state, scene),
        _ => Unknown,
    }
}

fn maintenance(asked: &Command, state: &State) -> Expected {
    if state.round.is_some() || asked.flag("on") == state.maintenance {
        return Refused;
    }
    if asked.testing { Unknown } else { Done }
}

fn hardware_test(asked: &Command, state: &State, scene: &Scene) -> Expected {
    if !state.maintenance {
        return Refused;
    }
    let fitted = match asked.text("test") {
        // The judge does not know whether a thermometer is fitted.
        "temperature" => return Unknown,
        "reader" => scene.config.given.reader,
        _ => true,
    };
    if asked.testing { Unknown } else { whether(fitted) }
}

fn open(asked: &Command, state: &State) -> Expected {
    if state.round.is_some() || state.open == Some(true) || state.maintenance || !state.latched.is_empty() {
        return Refused;
    }
    if !asked.testing && state.open == Some(false) { Done } else { Unknown }
}

fn reset(asked: &Command, state: &State) -> Expected {
    let code = asked.text("code");
    let latched = state.latched.iter().find(|(latched, _)| latched == code);
    let (Some((_, since_ns)), None) = (latched, &state.round) else { return Refused };
    let turned_ns = asked.turned_ns.unwrap_or(0);
    if turned_ns.saturating_add(100 * MS) < *since_ns {
        return Refused;
    }
    let procedure = asked.text("exit") != "rectified";
    if procedure && (!matches!(code, "reader" | "terminal" | "lamps") || state.open == Some(false)) {
        return Refused;
    }
    let newer = *since_ns == 0 || turned_ns > since_ns.saturating_add(100 * MS);
    if newer && !asked.testing { Done } else { Unknown }
}

/// The malfunction that a person reports with this command, once it is done.
pub(super) fn reported_malfunction(asked: &Command, state: &State) -> Option<&'static str> {
    let round = state.round.as_ref();
    match asked.command.as_str() {
        "void" if asked.flag("damaged_dice") => Some("dice"),
        "void-afterwards" => Some("dice"),
        "void" if asked.flag("not_flat") => round.filter(|round| round.flat_by == "reader").map(|_| "reader"),
        "confirm-dome" => Some("dome"),
        "amend" if asked.flag("uphold") => {
            let read = round.and_then(|round| read(asked, state, round))?;
            asked.dice().filter(|dice| *dice != read).map(|_| "reader")
        }
        _ => None,
    }
}

/// Whether the rules leave it to the shift manager or above to decide what no clause decides (5.14).
fn is_left_to_manager(round: &Round) -> bool {
    round.rules.map(Rules::decides) == Some(Decides::Manager)
}

/// Whether only people look at the dice; `None` if that may have changed.
fn only_people(state: &State, round: &Round, scene: &Scene) -> Option<bool> {
    if !scene.config.given.reader {
        return Some(true);
    }
    let broken = [Part::Reader, Part::Bus, Part::Dice].into_iter().any(|part| round.was_broken(part));
    (!broken && state.serves("reader")).then_some(false)
}

fn void(asked: &Command, state: &State) -> Expected {
    if asked.flag("damaged_dice") {
        return Done;
    }
    let Some(round) = &state.round else { return Refused };
    if asked.flag("not_flat") {
        if !round.revealed || round.result.is_some() {
            return Refused;
        }
        return if !state.is_asked() && round.flat_by != "supervisor" { Done } else { Unknown };
    }
    if state.is_asked() || round.established || is_left_to_manager(round) && !asked.flag("manager") {
        return Refused;
    }
    // NZ 7.1 names the grounds of a void, and a choice is none of them. Only a round without a spin, whose motor is held, is ended so.
    if is_new_zealand(round) {
        let held = state.open != Some(true) || state.latched.iter().any(|(code, _)| holds_motor(code));
        return whether(held && !round.valid_spin && !round.spinning);
    }
    // A person who sees the dice says how they lie, and does not choose.
    if round.revealed { if round.valid_spin { Refused } else { Unknown } } else { Done }
}

/// Whether the motor may not run while this is latched (`daemon/docs/table.md`, Malfunctions).
fn holds_motor(code: &str) -> bool {
    !matches!(code, "buttons" | "key" | "reader" | "terminal" | "lamps")
}

fn finding(asked: &Command, state: &State, scene: &Scene) -> Expected {
    let Some(round) = &state.round else { return Refused };
    let finding = asked.text("finding");
    let unasked = !state.is_asked();
    if unasked && (finding == "undisturbed" || !round.revealed || round.result.is_some() || !round.valid_spin) {
        return Refused;
    }
    if unasked && only_people(state, round, scene) != Some(true) {
        return Unknown;
    }
    let why = round.asked.as_deref().unwrap_or("interrupted");
    let manages = !is_left_to_manager(round) || asked.flag("manager");
    let covered = round.covered() && !round.revealed;
    match (finding, why) {
        ("cannot-tell", _) => whether(manages),
        (_, "dice") => Refused,
        ("undisturbed", "knocked") if covered => Refused,
        ("not-flat", _) if covered && (!round.called || asked.away == Some(false)) => Refused,
        // The judge does not know where the table believed the dome to be.
        ("not-flat", _) if covered => Unknown,
        ("not-flat", "knocked") => match round.rules.map(Rules::decides) {
            Some(Decides::Supervisor) => Done,
            Some(Decides::Manager) => whether(manages),
            Some(Decides::Unsaid) | None => Unknown,
        },
        ("undisturbed", "knocked") if !round.established => Unknown,
        _ => Done,
    }
}

/// What the reader shows, if that is known: the dice as they lie, if nobody has touched them.
fn read(asked: &Command, state: &State, round: &Round) -> Option<[u8; 3]> {
    let sure = round.flat_by == "reader" && state.read && !state.moved && !round.interrupted;
    asked.lay.filter(|_| sure)
}

fn amend(asked: &Command, state: &State, scene: &Scene) -> Expected {
    let (Some(round), Some(dice)) = (&state.round, asked.dice()) else { return Refused };
    if !round.revealed || state.is_asked() {
        return Refused;
    }
    let result = round.result.map(sorted);
    let uphold = asked.flag("uphold");
    if result == Some(dice) || result.is_none() && !uphold {
        return Refused;
    }
    match only_people(state, round, scene) {
        Some(true) if result.is_some() => Done,
        Some(false) => match read(asked, state, round) {
            Some(read) if result.is_some() => whether(uphold || read == dice),
            _ => Unknown,
        },
        _ => Unknown,
    }
}

fn supervise(state: &State) -> Expected {
    let Some(round) = &state.round else { return Refused };
    whether(state.differs && is_new_zealand(round) && round.result.is_none())
}

fn is_new_zealand(round: &Round) -> bool {
    round.rules.is_some_and(Rules::is_new_zealand)
}

fn settle(asked: &Command, state: &State, scene: &Scene) -> Expected {
    let Some(round) = &state.round else { return Refused };
    // NZ 6.4 has the result entered on the terminal; 7.3 begins where the lamps have failed.
    if is_new_zealand(round) && ["terminal", "lamps", "journal"].into_iter().all(|code| state.serves(code)) {
        return Refused;
    }
    let Some(result) = round.result.map(sorted) else { return settle_unentered(asked, state, round, scene) };
    if asked.dice().is_some_and(|dice| dice != result) {
        return Refused;
    }
    if !state.serves("journal") || round.interrupted {
        return Unknown;
    }
    // If the lamps cannot be proved, the time counts from the result (NZ 7.3, SGV6 5.10).
    let from_ns = match state.verified_ns {
        Some(verified_ns) => verified_ns,
        None if state.serves("lamps") => return Refused,
        None => state.result_ns,
    };
    match asked.at_ns.saturating_sub(from_ns) {
        since if since > PAID_NS.1 => Done,
        since if since < PAID_NS.0 => Refused,
        _ => Unknown,
    }
}

fn settle_unentered(asked: &Command, state: &State, round: &Round, scene: &Scene) -> Expected {
    let Some(dice) = asked.dice() else { return Refused };
    if !round.revealed || state.is_asked() {
        return Refused;
    }
    match only_people(state, round, scene) {
        Some(true) => Done,
        Some(false) if round.established => read(asked, state, round).map_or(Unknown, |read| whether(read == dice)),
        _ => Unknown,
    }
}

fn confirm_dome(asked: &Command, state: &State) -> Expected {
    let Some(round) = state.round.as_ref().filter(|round| round.covered()) else { return Refused };
    if !round.called || !round.valid_spin || round.revealed || asked.away == Some(true) {
        return Refused;
    }
    if asked.still && asked.away == Some(false) && !state.is_asked() { Done } else { Unknown }
}

fn afterwards(asked: &Command, state: &State) -> Expected {
    let of = State::named(&asked.with);
    if of == 0 || of > state.last || state.round.as_ref().is_some_and(|round| round.id == Some(of)) {
        return Refused;
    }
    let Some(void) = state.ended.get(&of) else { return Unknown };
    if asked.command == "correct" || !void {
        return Done;
    }
    let remembered = state.ended.keys().rev().take(REMEMBERED).any(|round| *round == of);
    if remembered { Refused } else { Unknown }
}

fn enrol(asked: &Command, state: &State, scene: &Scene) -> Expected {
    if !scene.config.given.reader || state.round.is_some() {
        return Refused;
    }
    match asked.three {
        Some(three) if !asked.testing && state.serves("reader") => whether(three),
        _ => Unknown,
    }
}
