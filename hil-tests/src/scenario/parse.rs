//! Parses the words of a step. Errors say what is allowed.

use super::bounds::{self, within};
use super::forms::{self, AFTER_CHECKS};
use super::names::{self, code, named};
use super::step::{Cause, Change, Check, Pattern, Reaction, Stage, Step, TableFault};
use crate::citation;
use tumbler_bench::{AnyFault, Role, Wrong};
use tumbler_core::hardware_test::HardwareTest;
use tumbler_core::line::InLine;
use tumbler_core::prompt::PromptId;
use tumbler_core::round::Finding;
use tumbler_core::rules;
use tumbler_core::settings::Parameters;
use tumbler_core::units::{Dice, RoundId};
use tumbler_core::wire::console::{Command, Exit, Witness};

/// Time limit of a wait without `within N ms`, in milliseconds: far longer than anything on a healthy table.
const WAIT_MILLIS: u64 = 15_000;
/// The supervisor of all scenarios.
const NAME: &str = "Mei";

type Words<'a> = &'a [&'a str];

/// The step with these words, on a table with this layout.
///
/// # Errors
/// The word that is wrong, and what is allowed in its place.
pub fn step(text: &str, layout: &str) -> Result<Vec<Step>, Wrong> {
    let words: Vec<&str> = text.split_whitespace().collect();
    parse(&words, layout)
}

/// The steps of one line, separated by semicolons, each with its words.
///
/// # Errors
/// As [`step`], of the first that cannot be read.
pub fn line_of_steps(text: &str, layout: &str) -> Result<Vec<(String, Vec<Step>)>, Wrong> {
    parts(text)?.into_iter().map(|part| Ok((part.to_owned(), step(part, layout)?))).collect()
}

/// The parts of a line between its semicolons: a step each.
///
/// # Errors
/// There is none.
pub(super) fn parts(line: &str) -> Result<Vec<&str>, Wrong> {
    // The words of a clause may contain a semicolon.
    let parts: Vec<&str> = if line.contains(" because ") { vec![line] } else { line.split(';').collect() };
    let parts: Vec<&str> = parts.into_iter().map(str::trim).filter(|part| !part.is_empty()).collect();
    if parts.is_empty() { Err(Wrong::new(line, "there is no step in this line", "")) } else { Ok(parts) }
}

fn parse(words: Words<'_>, layout: &str) -> Result<Vec<Step>, Wrong> {
    if let ["try", rest @ ..] = words {
        return Ok(parse(rest, layout)?.into_iter().map(|step| Step::Try(Box::new(step))).collect());
    }
    if let ["do", "settle", dice @ ..] = words {
        // What the dice show is entered first, and paid before the supervisor settles.
        let give = |command: Words<'_>| Ok([Step::Ask(Box::new(ask(command)?)), Step::Answer(true, String::new())]);
        let entered = if dice.is_empty() { None } else { Some(give(words.get(1..).unwrap_or_default())?) };
        let settled = give(&["settle"])?;
        return Ok(entered.into_iter().flatten().chain([Step::Collect]).chain(settled).collect());
    }
    if let ["do", command @ ..] = words {
        return Ok(vec![Step::Ask(Box::new(ask(command)?)), Step::Answer(true, String::new())]);
    }
    Ok(vec![match words {
        ["open", "table"] => Step::Open,
        ["play", "to", name] => Step::PlayTo(stage(name)?),
        ["play", "up", "to", "spin"] => Step::UpToSpin,
        ["go", "on"] => Step::GoOn,
        ["at", name] => Step::At(stage(name)?),
        ["press", name] => Step::Press(control(name)?, 120),
        ["press", name, "for", n, "ms"] => Step::Press(control(name)?, bounds::millis(n)?),
        ["hold", name] => Step::Hold(control(name)?),
        ["release", name] => Step::LetGo(control(name)?),
        ["lift", "dome"] => Step::LiftDome,
        ["lower", "dome"] => Step::LowerDome,
        ["key", keys @ ..] if !keys.is_empty() => Step::Keys(keys.iter().map(|k| key(k)).collect::<Result<_, _>>()?),
        ["enter", "dice"] => Step::EnterDice,
        ["turn", "key"] => Step::Press(InLine::SupervisorKey, 1000),
        ["turn", "shaft", n, "quarters"] => Step::TurnShaft(bounds::quarters(n)?),
        ["break", "seal"] => Step::BreakSeal,
        ["mend", "seal"] => Step::MendSeal,
        ["lay", "die", n, "face", face, how @ ("flat" | "cocked")] => {
            Step::MoveDie(within("die", n, 1..=3)? - 1, within("face of a die", face, 1..=6)?, *how == "flat")
        }
        ["dip", "supply"] => Step::Dip,
        ["lose", "edge", name] => Step::LoseEdge(line(name)?),
        ["settings", "own"] => Step::Settings(Change::Own),
        ["settings", "layout", id] => Step::Settings(Change::Layout(names::layout(id)?.id.clone())),
        ["settings", "parameter", name, value] => {
            let Some(of) = Parameters::TABLE.iter().find(|parameter| parameter.name == *name) else {
                let known = Parameters::TABLE.iter().map(|parameter| parameter.name);
                return Err(Wrong::unknown("parameter", name, known));
            };
            Step::Settings(Change::Parameter(of.name.into(), bounds::parameter(of, value)?))
        }
        ["fault", id] => Step::Fault(fault(id, layout)?),
        ["heal", "all"] => Step::HealAll,
        ["recover", "table"] => Step::Recover,
        ["recover", "table", "and", "play"] => return Ok(vec![Step::Recover, Step::PlayTo(Stage::Settled)]),
        ["heal", id] => Step::Heal(fault(id, layout)?),
        ["dice", "any"] => Step::Dice(None),
        ["dice", a, b, c] => Step::Dice(Some(dice(a, b, c)?)),
        ["pass", n, "ms"] => Step::Pass(bounds::millis(n)?),
        ["pass", n, "s"] => Step::Pass(bounds::seconds(n)?),
        ["wait", check @ .., "within", n, "ms"] => Step::Wait(self::check(check, layout)?, bounds::millis(n)?),
        ["wait", .., "within", n, unit] => {
            return Err(Wrong::new(unit, format!("`within {n} {unit}` has no such unit"), "within N ms"));
        }
        ["wait", check @ ..] => Step::Wait(self::check(check, layout)?, WAIT_MILLIS),
        ["expect", rest @ ..] => {
            let Some(because) = rest.iter().position(|w| *w == "because") else {
                self::check(rest, layout)?;
                return Err(no_clause());
            };
            let (check, clause) = rest.split_at(because);
            let clause = clause.get(1..).unwrap_or_default().join(" ");
            if clause.is_empty() {
                return Err(no_clause());
            }
            citation::read(&clause)?;
            Step::Expect(self::check(check, layout)?, clause)
        }
        ["ask", "alone", command @ ..] => Step::AskAlone(Box::new(ask(command)?)),
        ["ask", command @ ..] => Step::Ask(Box::new(ask(command)?)),
        ["answer", how @ ("done" | "refused"), word @ ..] => Step::Answer(*how == "done", word.join(" ")),
        ["as", "supervisor"] => Step::As(Role::Supervisor),
        ["as", "manager"] => Step::As(Role::Manager),
        ["as", "technician"] => Step::As(Role::Technician),
        ["as", "nobody"] => Step::As(Role::Nobody),
        ["press", "every", "key"] => Step::Keys((1..=7).collect()),
        ["collect", "and", "pay"] => Step::Collect,
        ["mark"] => Step::Mark,
        ["kill"] => Step::Kill,
        ["start"] => Step::Start,
        ["stop"] => Step::Stop,
        ["power", "off"] => Step::Power(false),
        ["power", "on"] => Step::Power(true),
        ["broker", "down"] => Step::Broker(false),
        ["broker", "up"] => Step::Broker(true),
        ["prove", "latched", name] => Step::Prove(code(name)?, false),
        ["prove", "latched", name, "thoroughly"] => Step::Prove(code(name)?, true),
        ["prove", "shut", name] => Step::ProveShut(code(name)?),
        ["prove", "opens", name, how @ ("rectified" | "procedure")] => Step::ProveOpens(code(name)?, exit(how)),
        _ => return Err(forms::none_of("step", words, &forms::steps(), &[])),
    }])
}

fn no_clause() -> Wrong {
    Wrong::new("expect", "`expect` names no clause", "expect CHECK because CLAUSE")
}

fn fault(name: &str, layout: &str) -> Result<TableFault, Wrong> {
    Ok(TableFault { name: name.to_owned(), fault: AnyFault::named(name, rules::layout(layout))? })
}

fn check(words: Words<'_>, layout: &str) -> Result<Check, Wrong> {
    Ok(match words {
        [what @ .., "at", "most", n, "ms", "after", since] => {
            let what = match what {
                ["motor", "off"] => Reaction::MotorOff,
                ["latched", name] => Reaction::Latched(code(name)?),
                ["voided"] => Reaction::Voided,
                _ => return Err(forms::none_of("reaction", what, &["motor off", "latched CODE", "voided"], &[])),
            };
            let (_, cause) = named("cause", since, Cause::ALL, |(word, _)| word)?;
            Check::InTime(what, bounds::millis(n)?, cause)
        }
        ["phase", name] => Check::Phase(names::phase(name)?),
        ["record", kind, fields @ ..] => Check::Record(pattern(kind, fields, false)?),
        ["no", "record", kind, fields @ ..] => Check::NoRecord(pattern(kind, fields, true)?),
        ["latched", name] => Check::Latched(code(name)?),
        ["nothing", "latched"] => Check::NothingLatched,
        ["motor", "on"] => Check::Motor(true),
        ["motor", "off"] => Check::Motor(false),
        ["shaft", "turns"] => Check::Shaft(true),
        ["shaft", "rests"] => Check::Shaft(false),
        ["dice", "rest"] => Check::DiceRest,
        ["tumbles", range] => {
            let (from, to) = bounds::tumbles(range)?;
            Check::Tumbles(from, to)
        }
        ["lit", a, b, c] => Check::Lit(Some(dice(a, b, c)?)),
        ["dark"] => Check::Lit(None),
        ["display", text] => Check::Display(display(text)?),
        ["bells", n] => Check::Bells(within("number of bells", n, 0..=u32::MAX)?),
        ["sign", "on"] => Check::Sign(true),
        ["sign", "off"] => Check::Sign(false),
        ["deadman"] => Check::Deadman,
        ["relayed"] => Check::Relayed,
        ["link", "up"] => Check::Linked(true),
        ["link", "lost"] => Check::Linked(false),
        ["status", "online"] => Check::Online(true),
        ["status", "offline"] => Check::Online(false),
        ["retained", "right"] => Check::Retained,
        ["held", id] => Check::Held(fault(id, layout)?),
        ["daemon", "up"] => Check::Daemon(true),
        ["daemon", "down"] => Check::Daemon(false),
        ["no", "test"] => Check::NoTest,
        ["prompt", id] => Check::Prompt(named("prompt", id, PromptId::ALL, PromptId::name)?),
        _ => return Err(forms::none_of("check", words, &forms::checks(), AFTER_CHECKS)),
    })
}

fn ask(words: Words<'_>) -> Result<Command, Wrong> {
    let name = || NAME.to_owned();
    let reason = || "as the scenario has it".to_owned();
    Ok(match words {
        ["open"] => Command::Open { name: name() },
        ["witness", item, how @ ("right" | "wrong")] => Command::Witness {
            item: match *item {
                "areas" => Witness::Areas,
                "seal" => Witness::Seal,
                "bell" => Witness::Bell,
                "sign" => Witness::Sign,
                "dice" => Witness::Dice,
                _ => return Err(forms::none_of("command", words, &forms::commands(), &[])),
            },
            right: *how == "right",
            name: name(),
        },
        ["close"] => Command::Close { name: name() },
        ["maintenance", on @ ("on" | "off")] => Command::Maintenance { on: *on == "on", name: name() },
        ["hardware-test", test] => Command::HardwareTest {
            test: named("hardware test", test, HardwareTest::ALL, HardwareTest::name)?,
            name: name(),
        },
        ["reset", what, how @ ("rectified" | "procedure")] => {
            Command::Reset { code: code(what)?, exit: exit(how), name: name() }
        }
        ["amend", a, b, c, rest @ ..] if matches!(rest, [] | ["uphold"]) => {
            Command::Amend { dice: faces(a, b, c)?, uphold: !rest.is_empty(), name: name() }
        }
        ["void", rest @ ..] if matches!(rest, [] | ["damaged" | "not-flat"]) => Command::Void {
            reason: reason(),
            damaged_dice: rest == ["damaged"],
            not_flat: rest == ["not-flat"],
            name: name(),
        },
        ["void-afterwards", id] => Command::VoidAfterwards { round: round(id)?, reason: reason(), name: name() },
        ["interrupted", found] => Command::Finding {
            finding: named("finding", found, Finding::ALL, Finding::name)?,
            reason: reason(),
            name: name(),
        },
        ["supervise"] => Command::Supervise { name: name() },
        ["correct", id] => Command::Correct { round: round(id)?, reason: reason(), name: name() },
        ["confirm-dome"] => Command::ConfirmDome { reason: reason(), name: name() },
        ["settle"] => Command::Settle { dice: None, reason: reason(), name: name() },
        ["settle", a, b, c] => Command::Settle { dice: Some(faces(a, b, c)?), reason: reason(), name: name() },
        ["enrol-dice"] => Command::EnrolDice { reason: reason(), name: name() },
        ["record"] => Command::Record,
        _ => return Err(forms::none_of("command", words, &forms::commands(), &[])),
    })
}

fn exit(how: &str) -> Exit {
    if how == "rectified" { Exit::Rectified } else { Exit::Procedure("by eye, two persons".into()) }
}

/// `absent`: there must be no such record.
fn pattern(kind: &str, fields: Words<'_>, absent: bool) -> Result<Pattern, Wrong> {
    let kind = names::kind(kind)?;
    let mut read: Vec<(String, String)> = Vec::new();
    for field in fields {
        let form =
            || Wrong::new(field, format!("`{field}` is no field"), "FIELD=VALUE, with _ for a space in the value");
        let (name, value) = field.split_once('=').ok_or_else(form)?;
        let value = names::field(kind, name, value, absent)?;
        if read.iter().any(|(known, _)| known == name) {
            return Err(Wrong::new(field, format!("`{name}` has a value already, and no record has two"), ""));
        }
        read.push((name.to_owned(), value));
    }
    Ok(Pattern { kind, fields: read })
}

fn stage(name: &str) -> Result<Stage, Wrong> {
    named("stage", name, Stage::ALL, |(word, _)| word).map(|(_, stage)| stage)
}

fn line(name: &str) -> Result<InLine, Wrong> {
    named("line", name, InLine::ALL, InLine::name)
}

/// What a hand presses or turns: a button, or the supervisor's key. Dome, seal and faults have steps of their own.
fn control(name: &str) -> Result<InLine, Wrong> {
    let [tumble, place_bets, no_more_bets, no_spin] = InLine::BUTTONS;
    let controls = [tumble, place_bets, no_more_bets, no_spin, InLine::SupervisorKey];
    named("button or key", name, controls, InLine::name)
}

/// The register's value that shows these characters: digits, E, D for a dash, `-` for blank.
fn display(text: &str) -> Result<u16, Wrong> {
    let shown = text.chars().try_fold(0_u16, |shown, c| {
        let code = match c {
            '1'..='6' => c.to_digit(10).and_then(|d| u16::try_from(d).ok())?,
            'D' => 13,
            'E' => 14,
            '-' => 15,
            _ => return None,
        };
        Some(shown << 4 | code)
    });
    let allowed = "three of 1 to 6, E, D for a dash, - for blank";
    let shown = shown.filter(|_| text.chars().count() == 3);
    shown.ok_or_else(|| Wrong::new(text, format!("the display never shows `{text}`"), allowed))
}

/// The three characters of a display's register, as [`display`] reads them.
pub(super) fn shown(display: u16) -> String {
    format!("{display:03x}").replace('d', "D").replace('e', "E").replace('f', "-")
}

fn key(word: &str) -> Result<u8, Wrong> {
    match word {
        "entry" => Ok(7),
        _ => match word.parse() {
            Ok(digit @ 1..=6) => Ok(digit),
            _ => Err(Wrong::new(word, format!("`{word}` is no key"), "1 to 6, entry")),
        },
    }
}

/// Three faces of dice.
///
/// # Errors
/// The word that is none.
pub(super) fn dice(a: &str, b: &str, c: &str) -> Result<[u8; 3], Wrong> {
    let face = |word: &str| {
        let face = word.parse().ok().filter(|face| (1..=6).contains(face));
        face.ok_or_else(|| Wrong::new(word, format!("`{word}` is no face of a die"), "1 to 6"))
    };
    Ok([face(a)?, face(b)?, face(c)?])
}

fn faces(a: &str, b: &str, c: &str) -> Result<Dice, Wrong> {
    Dice::from_pips(dice(a, b, c)?).map_err(|e| Wrong::new(a, e.to_string(), "three faces, 1 to 6"))
}

fn round(word: &str) -> Result<RoundId, Wrong> {
    within("round", word, 1..=u64::MAX).map(RoundId)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_display_is_told_as_it_is_asked_for() {
        for characters in ["136", "EEE", "DDD", "---", "4--"] {
            assert_eq!(shown(display(characters).unwrap()), characters);
        }
    }
    use tumbler_core::record::Kind;

    fn step(text: &str) -> Result<Vec<Step>, Wrong> {
        super::step(text, "nz-div9-1")
    }

    #[test]
    fn a_wait_says_in_which_unit_its_time_is() {
        let said = step("wait latched seal within 1 s").unwrap_err().to_string();
        assert!(said.contains("`within 1 s`") && said.contains("within N ms"), "{said}");
    }

    #[test]
    fn steps_read_as_they_are_written() {
        assert_eq!(step("play to bets-closed"), Ok(vec![Step::PlayTo(Stage::BetsClosed)]));
        assert_eq!(step("key 1 3 6 entry"), Ok(vec![Step::Keys(vec![1, 3, 6, 7])]));
        assert_eq!(
            step("wait record voided reason=not-flat within 500 ms"),
            Ok(vec![Step::Wait(
                Check::Record(Pattern { kind: Kind::Voided, fields: vec![("reason".into(), "not-flat".into())] }),
                500
            )])
        );
        assert_eq!(step("wait tumbles 2.8..").unwrap(), vec![Step::Wait(Check::Tumbles(2800, i64::MAX), WAIT_MILLIS)]);
    }

    #[test]
    fn what_is_no_step_is_told_what_is_allowed() {
        for (text, told) in [
            ("pres tumble", "unknown step `pres`: did you mean `press`?"),
            ("press tumbel", "unknown button or key `tumbel`: did you mean `tumble`?"),
            (
                "press seal",
                "unknown button or key `seal`\n  allowed is tumble, place_bets, no_more_bets, no_spin, supervisor_key",
            ),
            ("press dome_present for 50 ms", "unknown button or key `dome_present`"),
            ("hold power_good", "unknown button or key `power_good`"),
            ("release cam", "unknown button or key `cam`"),
            ("lose edge sael", "unknown line `sael`: did you mean `seal`?"),
            ("play to end", "unknown stage `end`\n  allowed is covered, betting"),
            ("key 7", "`7` is no key\n  allowed is 1 to 6, entry"),
            ("wait phase redy", "unknown phase `redy`: did you mean `ready`?"),
            ("expect no record voidd because NZ 7.1", "unknown record `voidd`: did you mean `voided`?"),
            ("wait latched lamps at most 500 ms after luck", "unknown cause `luck`\n  allowed is fault"),
            ("wait bells 2 at most 500 ms after entry", "unknown reaction `bells`\n  allowed is motor off"),
            ("wait no record settled dice=136 dice=135", "`dice` has a value already"),
            ("wait record voided reason=not-flat reason=not-flat", "`reason` has a value already"),
            ("expect phase ready", "`expect` names no clause"),
            ("expect phase ready because", "`expect` names no clause"),
            ("ask reset motor rectified", "unknown malfunction `motor`"),
            ("ask witness ares right", "unknown word in a command `ares`: did you mean `areas`?"),
            ("as superviser", "unknown word in a step `superviser`: did you mean `supervisor`?"),
            ("fault lamp.open:bgi", "unknown area `bgi`: did you mean `big`?"),
            ("settings parameter stal 3", "unknown parameter `stal`: did you mean `stall`?"),
            ("wait display 137x", "the display never shows `137x`"),
            ("dice 1 2 7", "`7` is no face of a die"),
        ] {
            let error = step(text).unwrap_err().to_string();
            assert!(error.starts_with(told), "{text}: {error}");
        }
    }
}
