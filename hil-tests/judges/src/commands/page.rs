//! What the page of the console says of a command, as the table stands.

use super::Asked;
use super::standing::Standing;
use crate::areas::{Family, sorted};
use crate::config::Rules;
use crate::observation::Part;
use crate::scene::{Round, Scene};

const MS: u64 = 1_000_000;
/// The time for collecting and paying (parameter `all_paid`), less and more than it by what a record may be stamped apart.
const PAID_NS: (u64, u64) = (2_900 * MS, 3_100 * MS);
/// The table remembers at least so many rounds for its displays.
const REMEMBERED: usize = 5;

/// What is to become of a command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Says {
    Done,
    Refused,
    /// It hangs on what cannot be told from here.
    Unknown,
}
use Says::{Done, Refused, Unknown};

/// Done if it may be, refused if it may not.
const fn whether(may: bool) -> Says {
    if may { Done } else { Refused }
}

pub(super) fn says(asked: &Asked, standing: &Standing, scene: &Scene) -> Says {
    let any = asked.flag("supervisor") || asked.flag("manager");
    let technicians = match asked.command.as_str() {
        "maintenance" | "hardware-test" | "record" => asked.flag("technician"),
        "witness" if asked.flag("technician") => return Unknown,
        _ => false,
    };
    if !any && !technicians {
        return Refused;
    }
    if !matches!(asked.command.as_str(), "record" | "close" | "witness") && asked.turned_ns.is_none() {
        return Refused;
    }
    if standing.holes {
        return Unknown;
    }
    match asked.command.as_str() {
        "record" | "close" => Done,
        "maintenance" => maintenance(asked, standing),
        "open" => open(asked, standing),
        "hardware-test" => hardware_test(asked, standing, scene),
        "reset" => reset(asked, standing),
        "void" => void(asked, standing),
        "finding" => finding(asked, standing, scene),
        "amend" => amend(asked, standing, scene),
        "supervise" => supervise(standing),
        "settle" => settle(asked, standing, scene),
        "confirm-dome" => confirm_dome(asked, standing),
        "correct" | "void-afterwards" => afterwards(asked, standing),
        "enrol-dice" => enrol(asked, standing, scene),
        _ => Unknown,
    }
}

fn maintenance(asked: &Asked, standing: &Standing) -> Says {
    if standing.round.is_some() || asked.flag("on") == standing.maintenance {
        return Refused;
    }
    if asked.testing { Unknown } else { Done }
}

fn hardware_test(asked: &Asked, standing: &Standing, scene: &Scene) -> Says {
    if !standing.maintenance {
        return Refused;
    }
    let fitted = match asked.text("test") {
        // Whether a thermometer is fitted is not told here.
        "temperature" => return Unknown,
        "reader" => scene.config.given.reader,
        _ => true,
    };
    if asked.testing { Unknown } else { whether(fitted) }
}

fn open(asked: &Asked, standing: &Standing) -> Says {
    if standing.round.is_some() || standing.open == Some(true) || standing.maintenance || !standing.latched.is_empty() {
        return Refused;
    }
    if !asked.testing && standing.open == Some(false) { Done } else { Unknown }
}

fn reset(asked: &Asked, standing: &Standing) -> Says {
    let code = asked.text("code");
    let latched = standing.latched.iter().find(|(latched, _)| latched == code);
    let (Some((_, since_ns)), None) = (latched, &standing.round) else { return Refused };
    let turned_ns = asked.turned_ns.unwrap_or(0);
    if turned_ns.saturating_add(100 * MS) < *since_ns {
        return Refused;
    }
    let procedure = asked.text("exit") != "rectified";
    if procedure && (!matches!(code, "reader" | "terminal" | "lamps") || standing.open == Some(false)) {
        return Refused;
    }
    let newer = *since_ns == 0 || turned_ns > since_ns.saturating_add(100 * MS);
    if newer && !asked.testing { Done } else { Unknown }
}

/// The malfunction that this command, once done, says that there is.
pub(super) fn says_out_of_order(asked: &Asked, standing: &Standing) -> Option<&'static str> {
    let round = standing.round.as_ref();
    match asked.command.as_str() {
        "void" if asked.flag("damaged_dice") => Some("dice"),
        "void-afterwards" => Some("dice"),
        "void" if asked.flag("not_flat") => round.filter(|round| round.flat_by == "reader").map(|_| "reader"),
        "confirm-dome" => Some("dome"),
        "amend" if asked.flag("uphold") => {
            let read = round.and_then(|round| read(asked, standing, round))?;
            asked.dice().filter(|dice| *dice != read).map(|_| "reader")
        }
        _ => None,
    }
}

/// Whether the rules leave to the shift manager or above what no clause decides (5.14).
fn is_left_to_manager(round: &Round) -> bool {
    matches!(round.rules, Some(Rules::SgV6 | Rules::SgOpen))
}

/// Whether only people look at the dice; `None` where that may have changed.
fn only_people(standing: &Standing, round: &Round, scene: &Scene) -> Option<bool> {
    if !scene.config.given.reader {
        return Some(true);
    }
    let broken = [Part::Reader, Part::Bus, Part::Dice].into_iter().any(|part| round.was_broken(part));
    (!broken && standing.serves("reader")).then_some(false)
}

fn void(asked: &Asked, standing: &Standing) -> Says {
    if asked.flag("damaged_dice") {
        return Done;
    }
    let Some(round) = &standing.round else { return Refused };
    if asked.flag("not_flat") {
        if !round.revealed || round.result.is_some() {
            return Refused;
        }
        return if !standing.is_asked() && round.flat_by != "supervisor" { Done } else { Unknown };
    }
    if standing.is_asked() || round.established || is_left_to_manager(round) && !asked.flag("manager") {
        return Refused;
    }
    // Who sees the dice does not choose.
    if round.revealed { if round.valid_spin { Refused } else { Unknown } } else { Done }
}

fn finding(asked: &Asked, standing: &Standing, scene: &Scene) -> Says {
    let Some(round) = &standing.round else { return Refused };
    let finding = asked.text("finding");
    let unasked = !standing.is_asked();
    if unasked && (finding == "undisturbed" || !round.revealed || round.result.is_some() || !round.valid_spin) {
        return Refused;
    }
    if unasked && only_people(standing, round, scene) != Some(true) {
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
        // Nobody can tell here what the table took the dome for.
        ("not-flat", _) if covered => Unknown,
        ("not-flat", "knocked") => match round.rules.map(Rules::family) {
            Some(Family::NewZealand) => Done,
            _ if round.rules == Some(Rules::SgOpenEarly) => Unknown,
            _ => whether(manages),
        },
        ("undisturbed", "knocked") if !round.established => Unknown,
        _ => Done,
    }
}

/// What the reader shows, if it can be told: the dice as they lie, which nobody has touched.
fn read(asked: &Asked, standing: &Standing, round: &Round) -> Option<[u8; 3]> {
    let sure = round.flat_by == "reader" && standing.read && !standing.moved && !round.interrupted;
    asked.lay.filter(|_| sure)
}

fn amend(asked: &Asked, standing: &Standing, scene: &Scene) -> Says {
    let (Some(round), Some(dice)) = (&standing.round, asked.dice()) else { return Refused };
    if !round.revealed || standing.is_asked() {
        return Refused;
    }
    let result = round.result.map(sorted);
    let uphold = asked.flag("uphold");
    if result == Some(dice) || result.is_none() && !uphold {
        return Refused;
    }
    match only_people(standing, round, scene) {
        Some(true) if result.is_some() => Done,
        Some(false) => match read(asked, standing, round) {
            Some(read) if result.is_some() => whether(uphold || read == dice),
            _ => Unknown,
        },
        _ => Unknown,
    }
}

fn supervise(standing: &Standing) -> Says {
    let Some(round) = &standing.round else { return Refused };
    let amends = round.rules.map(Rules::family) == Some(Family::NewZealand);
    whether(standing.differs && amends && round.result.is_none())
}

fn settle(asked: &Asked, standing: &Standing, scene: &Scene) -> Says {
    let Some(round) = &standing.round else { return Refused };
    let Some(result) = round.result.map(sorted) else { return settle_unentered(asked, standing, round, scene) };
    if asked.dice().is_some_and(|dice| dice != result) {
        return Refused;
    }
    if !standing.serves("journal") || round.interrupted {
        return Unknown;
    }
    // Where the lamps cannot be proved, it counts from the result (NZ 7.3, SGV6 5.10).
    let from_ns = match standing.verified_ns {
        Some(verified_ns) => verified_ns,
        None if standing.serves("lamps") => return Refused,
        None => standing.result_ns,
    };
    match asked.at_ns.saturating_sub(from_ns) {
        since if since > PAID_NS.1 => Done,
        since if since < PAID_NS.0 => Refused,
        _ => Unknown,
    }
}

fn settle_unentered(asked: &Asked, standing: &Standing, round: &Round, scene: &Scene) -> Says {
    let Some(dice) = asked.dice() else { return Refused };
    if !round.revealed || standing.is_asked() {
        return Refused;
    }
    match only_people(standing, round, scene) {
        Some(true) => Done,
        Some(false) if round.established => read(asked, standing, round).map_or(Unknown, |read| whether(read == dice)),
        _ => Unknown,
    }
}

fn confirm_dome(asked: &Asked, standing: &Standing) -> Says {
    let Some(round) = standing.round.as_ref().filter(|round| round.covered()) else { return Refused };
    if !round.called || !round.valid_spin || round.revealed || asked.away == Some(true) {
        return Refused;
    }
    if asked.still && asked.away == Some(false) && !standing.is_asked() { Done } else { Unknown }
}

fn afterwards(asked: &Asked, standing: &Standing) -> Says {
    let of = Standing::named(&asked.with);
    if of == 0 || of > standing.last || standing.round.as_ref().is_some_and(|round| round.id == Some(of)) {
        return Refused;
    }
    let Some(void) = standing.ended.get(&of) else { return Unknown };
    if asked.command == "correct" || !void {
        return Done;
    }
    let remembered = standing.ended.keys().rev().take(REMEMBERED).any(|round| *round == of);
    if remembered { Refused } else { Unknown }
}

fn enrol(asked: &Asked, standing: &Standing, scene: &Scene) -> Says {
    if !scene.config.given.reader || standing.round.is_some() {
        return Refused;
    }
    match asked.three {
        Some(three) if !asked.testing && standing.serves("reader") => whether(three),
        _ => Unknown,
    }
}
