//! Parses the words of a step. Errors say what is allowed.

use super::step::{BadStep, Cause, Change, Check, Pattern, Reaction, Stage, Step};
use tumbler_bench::Role;
use tumbler_core::latch::Code;
use tumbler_core::line::InLine;
use tumbler_core::prompt::PromptId;
use tumbler_core::round::Finding;
use tumbler_core::rules;
use tumbler_core::settings::Parameters;
use tumbler_core::snapshot::Phase;
use tumbler_core::units::{Dice, RoundId};
use tumbler_core::wire::console::{Command, Exit, Witness};

/// Time limit of a wait without `within N ms`, in milliseconds: far longer than anything on a healthy table.
const WAIT_MILLIS: u64 = 15_000;
/// The supervisor of all scenarios.
const NAME: &str = "Mei";

/// First words of all steps.
const STEPS: &str = "open table, play to STAGE, play up to spin, go on, at STAGE, press LINE [for N ms], hold LINE, release LINE, lift dome, \
    lower dome, key 1 3 6 entry, enter dice, turn key, turn shaft N quarters, break seal, mend seal, lay die N face F flat|cocked, dip supply, \
    lose edge LINE, settings layout ID, settings parameter NAME N, settings own, \
    fault ID, heal ID, dice 1 3 6|any, pass N ms, wait CHECK [within N ms], expect CHECK because CLAUSE, \
    ask [alone] COMMAND, answer done|refused [WORD], do COMMAND, as supervisor|technician|nobody, mark, kill, start, stop, \
    power off|on, broker down|up, prove latched CODE [thoroughly], prove shut CODE, prove opens CODE rectified|procedure, \
    heal all, recover table [and play], try STEP";

const CHECKS: &str = "phase NAME, record KIND [FIELD=VALUE ...], no record KIND [FIELD=VALUE ...], latched CODE, nothing latched, \
    motor on|off, shaft turns|rests, dice rest, tumbles FROM..TO, lit D D D, dark, display 136, bells N, sign on|off, deadman, relayed, link up|lost, \
    status online|offline, retained right, held FAULT, daemon up|down, no test, prompt ID, motor off|latched CODE|voided at most N ms after CAUSE";

const COMMANDS: &str = "open, witness areas|seal|bell|sign|dice right|wrong, close, maintenance on|off, hardware-test TEST, reset CODE rectified|procedure, \
    amend D D D [uphold], void [damaged|not-flat], interrupted undisturbed|not-flat|cannot-tell, supervise, correct ROUND, void-afterwards ROUND, confirm-dome, settle [D D D], enrol-dice, record";

type Words<'a> = &'a [&'a str];

fn bad(problem: impl Into<String>, allowed: impl Into<String>) -> BadStep {
    BadStep { text: String::new(), problem: problem.into(), allowed: allowed.into() }
}

/// The step with these words.
///
/// # Errors
/// [`BadStep`] with what is allowed in its place.
pub fn step(text: &str) -> Result<Vec<Step>, BadStep> {
    let words: Vec<&str> = text.split_whitespace().collect();
    parse(&words).map_err(|error| BadStep { text: text.into(), ..error })
}

/// The steps of one line, separated by semicolons, each with its words.
///
/// # Errors
/// [`BadStep`] of the first that cannot be read.
pub fn line_of_steps(text: &str) -> Result<Vec<(String, Vec<Step>)>, BadStep> {
    // The words of a clause may contain a semicolon.
    let parts: Vec<&str> = if text.contains(" because ") { vec![text] } else { text.split(';').collect() };
    let parts = parts.into_iter().map(str::trim).filter(|part| !part.is_empty());
    parts.map(|part| Ok((part.to_owned(), step(part)?))).collect()
}

fn parse(words: Words<'_>) -> Result<Vec<Step>, BadStep> {
    if let ["try", rest @ ..] = words {
        return Ok(parse(rest)?.into_iter().map(|step| Step::Try(Box::new(step))).collect());
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
        ["press", name] => Step::Press(line(name)?, 120),
        ["press", name, "for", n, "ms"] => Step::Press(line(name)?, number(n)?),
        ["hold", name] => Step::Hold(line(name)?),
        ["release", name] => Step::LetGo(line(name)?),
        ["lift", "dome"] => Step::LiftDome,
        ["lower", "dome"] => Step::LowerDome,
        ["key", keys @ ..] if !keys.is_empty() => Step::Keys(keys.iter().map(|k| key(k)).collect::<Result<_, _>>()?),
        ["enter", "dice"] => Step::EnterDice,
        ["turn", "key"] => Step::Press(InLine::SupervisorKey, 1000),
        ["turn", "shaft", n, "quarters"] => Step::TurnShaft(number(n)?),
        ["break", "seal"] => Step::BreakSeal,
        ["mend", "seal"] => Step::MendSeal,
        ["lay", "die", n, "face", face, how @ ("flat" | "cocked")] => {
            let die: u8 = number(n)?;
            Step::MoveDie(die.saturating_sub(1), number(face)?, *how == "flat")
        }
        ["dip", "supply"] => Step::Dip,
        ["lose", "edge", name] => Step::LoseEdge(line(name)?),
        ["settings", "own"] => Step::Settings(Change::Own),
        ["settings", "layout", id] => match rules::layout(id) {
            Some(_) => Step::Settings(Change::Layout((*id).into())),
            None => return Err(bad(format!("`{id}` is no layout"), "a layout of any rule set")),
        },
        ["settings", "parameter", name, value] => {
            one_of(name, Parameters::TABLE.iter().map(|parameter| parameter.name), "parameter")?;
            Step::Settings(Change::Parameter((*name).into(), number(value)?))
        }
        ["fault", id] => Step::Fault((*id).into()),
        ["heal", "all"] => Step::HealAll,
        ["recover", "table"] => Step::Recover,
        ["recover", "table", "and", "play"] => return Ok(vec![Step::Recover, Step::PlayTo(Stage::Settled)]),
        ["heal", id] => Step::Heal((*id).into()),
        ["dice", "any"] => Step::Dice(None),
        ["dice", a, b, c] => Step::Dice(Some(dice(a, b, c)?)),
        ["pass", n, "ms"] => Step::Pass(number(n)?),
        ["pass", n, "s"] => Step::Pass(number::<u64>(n)?.saturating_mul(1000)),
        ["wait", check @ .., "within", n, "ms"] => Step::Wait(self::check(check)?, number(n)?),
        ["wait", check @ ..] => Step::Wait(self::check(check)?, WAIT_MILLIS),
        ["expect", rest @ ..] => {
            let Some(because) = rest.iter().position(|w| *w == "because") else {
                return Err(bad("names no clause", "expect CHECK because CLAUSE"));
            };
            let (check, clause) = rest.split_at(because);
            let clause = clause.get(1..).unwrap_or_default().join(" ");
            if clause.is_empty() {
                return Err(bad("names no clause", "expect CHECK because CLAUSE"));
            }
            Step::Expect(self::check(check)?, clause)
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
        _ => return Err(bad("is no step", STEPS)),
    }])
}

fn check(words: Words<'_>) -> Result<Check, BadStep> {
    Ok(match words {
        [what @ .., "at", "most", n, "ms", "after", since] => {
            let what = match what {
                ["motor", "off"] => Reaction::MotorOff,
                ["latched", name] => Reaction::Latched(code(name)?.name().into()),
                ["voided"] => Reaction::Voided,
                _ => return Err(bad(format!("`{}` is no reaction", what.join(" ")), CHECKS)),
            };
            one_of(since, Cause::ALL.iter().map(|(word, _)| *word), "cause")?;
            let cause = Cause::ALL.iter().find(|(word, _)| word == since).map_or(Cause::Fault, |(_, cause)| *cause);
            Check::InTime(what, number(n)?, cause)
        }
        ["phase", name] => {
            let known = Phase::ALL.iter().map(|p| p.name());
            one_of(name, known, "phase")?;
            Check::Phase((*name).into())
        }
        ["record", kind, fields @ ..] => Check::Record(pattern(kind, fields)?),
        ["no", "record", kind, fields @ ..] => Check::NoRecord(pattern(kind, fields)?),
        ["latched", name] => Check::Latched(code(name)?.name().into()),
        ["nothing", "latched"] => Check::NothingLatched,
        ["motor", "on"] => Check::Motor(true),
        ["motor", "off"] => Check::Motor(false),
        ["shaft", "turns"] => Check::Shaft(true),
        ["shaft", "rests"] => Check::Shaft(false),
        ["dice", "rest"] => Check::DiceRest,
        ["tumbles", range] => {
            let (from, to) = range.split_once("..").ok_or_else(|| bad("is no range", "FROM..TO, such as 2.8..3.0"))?;
            Check::Tumbles(thousandths(from)?, if to.is_empty() { i64::MAX } else { thousandths(to)? })
        }
        ["lit", a, b, c] => Check::Lit(Some(dice(a, b, c)?)),
        ["dark"] => Check::Lit(None),
        ["display", text] => Check::Display((*text).into()),
        ["bells", n] => Check::Bells(number(n)?),
        ["sign", "on"] => Check::Sign(true),
        ["sign", "off"] => Check::Sign(false),
        ["deadman"] => Check::Deadman,
        ["relayed"] => Check::Relayed,
        ["link", "up"] => Check::Linked(true),
        ["link", "lost"] => Check::Linked(false),
        ["status", "online"] => Check::Online(true),
        ["status", "offline"] => Check::Online(false),
        ["retained", "right"] => Check::Retained,
        ["held", id] => Check::Held((*id).into()),
        ["daemon", "up"] => Check::Daemon(true),
        ["daemon", "down"] => Check::Daemon(false),
        ["no", "test"] => Check::NoTest,
        ["prompt", id] => {
            one_of(id, PromptId::ALL.iter().map(|prompt| prompt.name()), "prompt")?;
            let asked = PromptId::ALL.into_iter().find(|prompt| prompt.name() == *id);
            Check::Prompt(asked.ok_or_else(|| bad(format!("`{id}` is no prompt"), CHECKS))?)
        }
        _ => return Err(bad(format!("`{}` is no check", words.join(" ")), CHECKS)),
    })
}

fn ask(words: Words<'_>) -> Result<Command, BadStep> {
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
                _ => return Err(bad(format!("`{item}` is nothing to witness"), COMMANDS)),
            },
            right: *how == "right",
            name: name(),
        },
        ["close"] => Command::Close { name: name() },
        ["maintenance", on @ ("on" | "off")] => Command::Maintenance { on: *on == "on", name: name() },
        ["hardware-test", test] => Command::HardwareTest {
            test: test.parse().map_err(|problem: String| bad(problem, COMMANDS))?,
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
        ["void-afterwards", round] => {
            Command::VoidAfterwards { round: RoundId(number(round)?), reason: reason(), name: name() }
        }
        ["interrupted", found] => Command::Finding {
            finding: Finding::ALL
                .into_iter()
                .find(|finding| finding.name() == *found)
                .ok_or_else(|| bad(format!("`{found}` is no answer"), COMMANDS))?,
            reason: reason(),
            name: name(),
        },
        ["supervise"] => Command::Supervise { name: name() },
        ["correct", round] => Command::Correct { round: RoundId(number(round)?), reason: reason(), name: name() },
        ["confirm-dome"] => Command::ConfirmDome { reason: reason(), name: name() },
        ["settle"] => Command::Settle { dice: None, reason: reason(), name: name() },
        ["settle", a, b, c] => Command::Settle { dice: Some(faces(a, b, c)?), reason: reason(), name: name() },
        ["enrol-dice"] => Command::EnrolDice { reason: reason(), name: name() },
        ["record"] => Command::Record,
        _ => return Err(bad(format!("`{}` is no command", words.join(" ")), COMMANDS)),
    })
}

fn exit(how: &str) -> Exit {
    if how == "rectified" { Exit::Rectified } else { Exit::Procedure("by eye, two persons".into()) }
}

fn pattern(kind: &str, fields: Words<'_>) -> Result<Pattern, BadStep> {
    let fields = fields
        .iter()
        .map(|field| match field.split_once('=') {
            Some((name, value)) => Ok((name.to_owned(), value.replace('_', " "))),
            None => Err(bad(format!("`{field}` is no field"), "FIELD=VALUE, with _ for a space in the value")),
        })
        .collect::<Result<_, _>>()?;
    Ok(Pattern { kind: kind.into(), fields })
}

fn one_of<'a>(name: &str, known: impl Iterator<Item = &'a str> + Clone, what: &str) -> Result<(), BadStep> {
    if known.clone().any(|k| k == name) {
        return Ok(());
    }
    Err(bad(format!("`{name}` is no {what}"), known.collect::<Vec<_>>().join(", ")))
}

fn stage(name: &str) -> Result<Stage, BadStep> {
    let known = Stage::ALL.iter().map(|(word, _)| *word);
    one_of(name, known, "stage")?;
    Stage::ALL.iter().find(|(word, _)| *word == name).map(|(_, stage)| *stage).ok_or_else(|| bad("is no stage", ""))
}

fn line(name: &str) -> Result<InLine, BadStep> {
    let known = InLine::ALL.into_iter();
    known
        .clone()
        .find(|l| l.name() == name)
        .ok_or_else(|| bad(format!("`{name}` is no line"), known.map(InLine::name).collect::<Vec<_>>().join(", ")))
}

fn code(name: &str) -> Result<Code, BadStep> {
    name.parse().map_err(|problem: String| bad(problem, "one of these"))
}

fn key(word: &str) -> Result<u8, BadStep> {
    match word {
        "entry" => Ok(7),
        _ => match number(word)? {
            digit @ 1..=6 => Ok(digit),
            _ => Err(bad(format!("`{word}` is no key"), "1 to 6, entry")),
        },
    }
}

fn dice(a: &str, b: &str, c: &str) -> Result<[u8; 3], BadStep> {
    let pips = [number(a)?, number(b)?, number(c)?];
    Dice::from_pips(pips).map_err(|e| bad(e.to_string(), "three faces, 1 to 6"))?;
    Ok(pips)
}

fn faces(a: &str, b: &str, c: &str) -> Result<Dice, BadStep> {
    Dice::from_pips(dice(a, b, c)?).map_err(|e| bad(e.to_string(), "three faces, 1 to 6"))
}

fn number<T: core::str::FromStr>(word: &str) -> Result<T, BadStep> {
    word.parse().map_err(|_| bad(format!("`{word}` is no number that fits here"), "a whole number"))
}

fn thousandths(word: &str) -> Result<i64, BadStep> {
    let value: f64 = word.parse().map_err(|_| bad(format!("`{word}` is no number"), "a number such as 2.9"))?;
    Ok((value * 1000.0).round() as i64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_read_as_they_are_written() {
        assert_eq!(step("play to bets-closed"), Ok(vec![Step::PlayTo(Stage::BetsClosed)]));
        assert_eq!(step("key 1 3 6 entry"), Ok(vec![Step::Keys(vec![1, 3, 6, 7])]));
        assert_eq!(
            step("wait record voided reason=not-flat within 500 ms"),
            Ok(vec![Step::Wait(
                Check::Record(Pattern { kind: "voided".into(), fields: vec![("reason".into(), "not-flat".into())] }),
                500
            )])
        );
        assert_eq!(step("wait tumbles 2.8..").unwrap(), vec![Step::Wait(Check::Tumbles(2800, i64::MAX), WAIT_MILLIS)]);
    }

    #[test]
    fn what_is_no_step_is_told_what_is_allowed() {
        for (text, word) in [
            ("pres tumble", "press LINE"),
            ("press tumbel", "tumble, place_bets"),
            ("play to end", "bets-closed"),
            ("key 7", "1 to 6, entry"),
            ("wait phase open", "settling"),
            ("wait latched lamps at most 500 ms after luck", "entry"),
            ("wait bells 2 at most 500 ms after entry", "voided at most"),
            ("expect phase ready", "because CLAUSE"),
            ("expect phase ready because", "because CLAUSE"),
            ("ask reset motor rectified", "tumbler"),
            ("dice 1 2 7", "1 to 6"),
        ] {
            let error = step(text).unwrap_err().to_string();
            assert!(error.contains(text) && error.contains(word), "{error}");
        }
    }
}
