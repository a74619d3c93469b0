//! Evaluates a scenario's checks, and waits for them.

use super::halt::Halt;
use super::latency::in_time;
use super::parse;
use super::records::{brief, kind};
use super::session::Session;
use super::step::Check;
use super::timeline::Latency;
use tumbler_bench::Physical;
use tumbler_core::rules;
use tumbler_twin::MS;

/// Longest wait without a stated limit, in milliseconds: longer than a spin (8 s) with its dice (500 ms).
pub(super) const PATIENCE: u64 = 9_000;
/// Number of latest records in a failure message.
const TOLD: usize = 12;
/// The monostable's time with the bench's tolerance, in nanoseconds.
const DEADMAN: std::ops::RangeInclusive<u64> = 99_000_000..=101_000_000;

/// Whether a check holds now.
pub(super) fn holds(session: &mut Session<'_>, check: &Check) -> Result<bool, Halt> {
    Ok(match check {
        Check::InTime(reaction, millis, cause) => in_time(session, reaction, *millis, *cause),
        Check::Phase(phase) => session.bench.snapshot()?.is_some_and(|s| s.phase == *phase),
        Check::Latched(code) => {
            session.bench.snapshot()?.is_some_and(|s| s.malfunctions.iter().any(|m| m.code == *code))
        }
        Check::NothingLatched => session.bench.snapshot()?.is_some_and(|s| s.malfunctions.is_empty()),
        Check::Prompt(id) => session.bench.snapshot()?.and_then(|s| s.prompt).is_some_and(|asked| asked.id == *id),
        Check::NoTest => session.bench.snapshot()?.is_some_and(|s| s.test.is_none()),
        Check::Daemon(up) => session.bench.snapshot()?.is_some() == *up,
        Check::Record(pattern) => {
            session.records();
            session.records.search(pattern)
        }
        Check::NoRecord(pattern) => !session.records().marked(pattern),
        Check::Motor(on) => session.bench.physical().motor_power == *on,
        Check::Shaft(turns) => session.bench.physical().shaft_moves == *turns,
        Check::DiceRest => !session.bench.physical().dice_move,
        Check::Tumbles(from, to) => (*from..=*to).contains(&session.bench.physical().milli_tumbles.abs()),
        Check::Lit(dice) => session.bench.physical().shining == lamps(session, *dice),
        Check::Display(shown) => session.bench.physical().display == *shown,
        Check::Bells(count) => session.bells() == *count,
        Check::Sign(lit) => session.bench.physical().sign == *lit,
        Check::Deadman => {
            let log = session.bench.log();
            match (log.power.last(), log.last_alive) {
                (Some((gone, false)), Some(alive)) => DEADMAN.contains(&gone.saturating_sub(alive)),
                _ => false,
            }
        }
        Check::Linked(up) => session.bench.broker_connected()? == Some(*up),
        Check::Online(online) => session.bench.log().online == Some(*online),
        Check::Retained => {
            session.detail = session.bench.retained_differences()?;
            session.detail.is_empty()
        }
        Check::Held(held) => held.fault.took_effect(session.bench),
        Check::Relayed => {
            let log = session.bench.log();
            log.records.last().is_some_and(|last| last.record.seq <= log.relayed)
        }
    })
}

/// Waits until a check holds, up to a limit.
pub(super) fn wait(session: &mut Session<'_>, check: &Check, millis: u64) -> Result<(), Halt> {
    let millis = if session.trying { millis.min(PATIENCE) } else { millis };
    let until = session.bench.now() + millis * MS + session.bench.grace();
    while !holds(session, check)? {
        let now = session.bench.now();
        if matches!(check, Check::Record(_)) && session.bench.log().down {
            return Err(Halt::Wrong(format!("nobody is there to record it; {}", where_we_are(session))));
        }
        if now >= until {
            let instead = instead(session, check)?;
            return Err(Halt::Wrong(format!("not within {millis} ms{instead}; {}", where_we_are(session))));
        }
        // Some truths change without an event, so poll every few milliseconds.
        let look = if matches!(check, Check::Tumbles(..)) { until.min(now + 2 * MS) } else { until };
        session.console.pass(session.bench, look)?;
    }
    Ok(())
}

/// A wait of the scenario. Notes how long it took, if the step states a limit.
pub(super) fn timed(session: &mut Session<'_>, check: &Check, millis: u64) -> Result<(), Halt> {
    let begun = session.bench.now();
    let waited = wait(session, check, millis);
    if let Some((what, _)) = session.words.split_once(" within ") {
        let what = what.strip_prefix("wait ").unwrap_or(what).to_owned();
        let took_ns = session.bench.now() - begun;
        // Not a reaction, because it held already or nothing was broken before.
        if took_ns > 0 && !session.timeline.marks.is_empty() {
            session.timeline.latencies.push(Latency { what, took_ns, limit_ns: millis * MS });
        }
    }
    waited
}

/// What is so instead of a check that does not hold, in the words in which it could be expected; empty where the rest of the message
/// has it.
pub(super) fn instead(session: &mut Session<'_>, check: &Check) -> Result<String, Halt> {
    let snapshot = session.bench.snapshot()?;
    let truth = session.bench.physical();
    let either = |so: bool, yes: &str, no: &str| format!("`{}`", if so { yes } else { no });
    let said = match (check, snapshot) {
        (Check::Lit(_), _) => shining(session),
        (Check::Display(_), _) => format!("the display shows `{}`", parse::shown(truth.display)),
        (Check::Bells(_), _) => format!("`bells {}`, since the last `mark`", session.bells()),
        (Check::Sign(_), _) => either(truth.sign, "sign on", "sign off"),
        (Check::Motor(_), _) => either(truth.motor_power, "motor on", "motor off"),
        (Check::Shaft(_), _) => either(truth.shaft_moves, "shaft turns", "shaft rests"),
        (Check::DiceRest, _) => "the dice move".to_owned(),
        (Check::Tumbles(..), _) => {
            let turned = truth.milli_tumbles.abs();
            format!("{}.{:03} tumbles are turned", turned / 1000, turned % 1000)
        }
        (Check::Held(held), _) => format!("`{}` does nothing here that could be seen", held.name),
        (Check::Latched(_) | Check::NothingLatched, Some(shown)) => {
            let all: Vec<String> = shown.malfunctions.iter().map(|m| format!("`latched {}`", m.code.name())).collect();
            if all.is_empty() { "`nothing latched`".to_owned() } else { all.join(", ") }
        }
        (Check::Daemon(_), shown) => either(shown.is_some(), "daemon up", "daemon down"),
        (Check::NoTest, Some(shown)) => shown.test.map_or_else(String::new, |test| format!("a test goes on: {test}")),
        (Check::Phase(_), Some(shown)) => format!("`phase {}`", shown.phase.name()),
        (Check::Prompt(_), Some(shown)) => {
            let asked = shown.prompt.map(|prompt| format!("`prompt {}`: {}", prompt.id.name(), prompt.text));
            asked.unwrap_or_else(|| "the table asks nothing".to_owned())
        }
        (Check::Record(pattern) | Check::NoRecord(pattern), _) => {
            session.records();
            let last = session.records.all().iter().rev().find(|record| kind(record) == pattern.kind.name());
            match last {
                Some(record) => format!("the last `{}` is {}", pattern.kind.name(), brief(record)),
                None => format!("there is no record `{}`", pattern.kind.name()),
            }
        }
        (Check::Relayed | Check::Linked(_) | Check::Online(_), _) => {
            let link = match session.bench.broker_connected()? {
                Some(true) => "`link up`",
                Some(false) => "`link lost`: the daemon has no connection to its broker",
                None => "the daemon does not run",
            };
            let log = session.bench.log();
            let last = log.records.last().map_or(0, |last| last.record.seq.0);
            let told = match log.online {
                Some(true) => "`status online`",
                Some(false) => "`status offline`",
                None => "no status was told",
            };
            format!("{link}; {told}; the broker has acknowledged up to record {} of {last}", log.relayed.0)
        }
        _ => return Ok(String::new()),
    };
    Ok(format!(": {said}"))
}

/// The lamps that shine, as dice or area by area.
fn shining(session: &mut Session<'_>) -> String {
    let shining = session.bench.physical().shining;
    let faces = 1..=6;
    let all = faces.clone().flat_map(|a| (a..=6).flat_map(move |b| (b..=6).map(move |c| [a, b, c])));
    if shining == [0; 2] {
        return "`dark`: no lamp shines".to_owned();
    }
    let mut alike = all.filter(|dice| lamps(session, Some(*dice)) == shining);
    if let Some([a, b, c]) = alike.next() {
        return format!("`lit {a} {b} {c}`");
    }
    let layout = rules::layout(&session.trial.layout);
    let is_lit = |lamp: usize| shining.get(lamp / 64).is_some_and(|board| board >> (lamp % 64) & 1 == 1);
    let lit: Vec<&str> = layout
        .into_iter()
        .flat_map(|layout| &layout.areas)
        .enumerate()
        .filter(|(lamp, _)| is_lit(*lamp))
        .map(|(_, area)| area.id.as_str())
        .collect();
    format!("the lamps of no dice: {} shine", lit.join(", "))
}

/// The lamps that these dice light, by the judges' own predicates, in the layout's order of lamps.
fn lamps(session: &Session<'_>, dice: Option<[u8; 3]>) -> [u64; 2] {
    let mut boards = [0_u64; 2];
    let (Some(mut dice), Some(layout)) = (dice, rules::layout(&session.trial.layout)) else { return boards };
    dice.sort_unstable();
    for (lamp, area) in layout.areas.iter().enumerate() {
        let wins = area.id.parse::<tumbler_spec::areas::Area>().is_ok_and(|area| area.wins(dice));
        if let (true, Some(board)) = (wins, boards.get_mut(lamp / 64)) {
            *board |= 1 << (lamp % 64);
        }
    }
    boards
}

/// For failure messages: the phase, the latches and the latest records.
pub(super) fn where_we_are(session: &mut Session<'_>) -> String {
    session.records();
    let table = match session.bench.snapshot() {
        Ok(Some(shown)) => {
            let latched: Vec<String> =
                shown.malfunctions.iter().map(|m| format!("{} ({})", m.code.name(), m.cause)).collect();
            let test = shown.test.map(|t| format!(", test: {t}")).unwrap_or_default();
            let latched = if latched.is_empty() { "nothing".into() } else { latched.join(", ") };
            format!("phase {}, latched: {latched}{test}", shown.phase.name())
        }
        Ok(None) => "the daemon does not run".into(),
        Err(trouble) => trouble.to_string(),
    };
    let wrong =
        if session.detail.is_empty() { String::new() } else { format!(", wrong: {}", session.detail.join("; ")) };
    let all = session.records.all();
    let latest: Vec<String> = all.iter().skip(all.len().saturating_sub(TOLD)).map(brief).collect();
    let at = session.bench.now();
    format!(
        "at {}.{:03} s, {table}{wrong}\nin truth {}\nlatest records:\n  {}",
        at / 1_000_000_000,
        at / 1_000_000 % 1000,
        in_words(&session.bench.physical()),
        latest.join("\n  ")
    )
}

/// What is so of dice, motor and display, whatever the table says.
fn in_words(truth: &Physical) -> String {
    let dice = truth.faces.iter().zip(truth.flat);
    let dice: Vec<String> =
        dice.map(|(face, flat)| format!("{face}{}", if flat { "" } else { " (not flat)" })).collect();
    format!(
        "the dice show {}; the motor {} power, the shaft {}; {}.{:03} tumbles turned; the display shows {}",
        dice.join(", "),
        if truth.motor_power { "has" } else { "has no" },
        if truth.shaft_moves { "turns" } else { "rests" },
        truth.milli_tumbles / 1000,
        truth.milli_tumbles % 1000,
        parse::shown(truth.display),
    )
}
