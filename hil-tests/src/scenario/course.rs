//! Plays a trial: its steps in order, then the checks at its end.

use super::endings;
use super::halt::Halt;
use super::invariants::watch;
use super::records::{brief, field, kind};
use super::session::Session;
use super::step::Step;
use super::steps::step;
use tumbler_bench::BenchError;
use tumbler_core::record::Kind;

/// Plays all steps, then checks the end. Returns what is wrong.
pub(super) fn play(session: &mut Session<'_>) -> Result<Vec<String>, Halt> {
    for (number, (text, steps)) in session.trial.steps.iter().enumerate() {
        session.words = text;
        if let Some(told) = session.told {
            told(number + 1, text, session.bench.now());
        }
        for each in steps {
            let done = played(session, each);
            let at = |what: String| format!("step {} `{text}`: {what}", number + 1);
            done.map_err(|halt| match halt {
                Halt::Wrong(what) => Halt::Wrong(at(what)),
                Halt::BenchError(BenchError::Rig(what)) => BenchError::Rig(at(what)).into(),
                unsupported @ Halt::BenchError(_) => unsupported,
            })?;
        }
    }
    let mut wrongs = finished(session)?;
    if session.trial.must_show {
        if let Some(id) = session.faults.unshown(session.bench) {
            return Err(BenchError::Rig(format!("fault `{id}` never took effect")).into());
        }
    }
    if !session.trial.free {
        wrongs.extend(endings::wrong(session.bench.log(), session.trial));
        latches(session, &mut wrongs)?;
    }
    for never in &session.trial.never {
        if let Some(record) = session.records.all().iter().find(|r| kind(r) == never.name()) {
            wrongs.push(format!(
                "never `{name}`, but {}\n  if that is right, take \"{name}\" out of never under [at_end]",
                brief(record),
                name = never.name()
            ));
        }
    }
    Ok(wrongs)
}

fn played(session: &mut Session<'_>, each: &Step) -> Result<(), Halt> {
    // What the scenario means was not tried then. In free play chance may have done it already.
    if let Some(why) = idle(session, each)?.filter(|_| !session.trial.free) {
        return Err(BenchError::Rig(format!("has no effect: {why}")).into());
    }
    step(session, each)?;
    watch(session, each)
}

/// Why a step would do nothing, where that shows only in play.
fn idle(session: &mut Session<'_>, step: &Step) -> Result<Option<&'static str>, BenchError> {
    Ok(match step {
        Step::Heal(broken) if !session.faults.is_in_force(broken.fault) => Some("it is not broken"),
        Step::At(stage) if session.round.is_at(&session.trial.rules, *stage) => Some("the round is there already"),
        Step::LoseEdge(_) if !session.bench.physical().supply || session.bench.snapshot()?.is_none() => {
            Some("the daemon does not run, and misses every edge")
        }
        _ => None,
    })
}

fn finished(session: &mut Session<'_>) -> Result<Vec<String>, BenchError> {
    let found = session.bench.finish()?.into_iter().map(|violation| format!("judge: {violation}")).collect();
    session.records();
    Ok(found)
}

/// The judges' violations in a trial that ended before its last step.
pub(super) fn judged(session: &mut Session<'_>) -> Vec<String> {
    // If the bench cannot finish either, the failed step says enough.
    finished(session).unwrap_or_default()
}

/// Plays all steps, ignoring failures. Returns the judges' first violation.
pub(super) fn play_for_judges(session: &mut Session<'_>) -> Option<String> {
    for (text, steps) in &session.trial.steps {
        session.words = text;
        for each in steps {
            let done = step(session, each).and_then(|()| watch(session, each));
            if let Some(found) = session.bench.first_violation() {
                return Some(found);
            }
            if let Err(Halt::BenchError(_)) = done {
                return None;
            }
        }
    }
    session.bench.finish().ok()?.into_iter().next()
}

/// That these names and not those are the value of a key of `[at_end]`; and what to write where the table is right.
fn differ(key: &str, must: &str, wanted: &[&str], got: &[&str]) -> String {
    let told = |all: &[&str]| if all.is_empty() { "nothing".to_owned() } else { all.join(", ") };
    let write: Vec<String> = got.iter().map(|name| format!("\"{name}\"")).collect();
    format!(
        "{} {must}, but it is {}\n  if that is right, write under [at_end]: {key} = [{}]",
        told(wanted),
        told(got),
        write.join(", ")
    )
}

fn latches(session: &mut Session<'_>, wrongs: &mut Vec<String>) -> Result<(), Halt> {
    let all = session.records.all().iter().filter(|r| kind(r) == Kind::Latched.name());
    let mut latched: Vec<String> = all.map(|r| field(r, "code").unwrap_or_default()).collect();
    let mut wanted: Vec<&str> = session.trial.latches.iter().map(|code| code.name()).collect();
    if !session.trial.in_order {
        latched.sort_unstable();
        wanted.sort_unstable();
    }
    if latched != wanted {
        let latched: Vec<&str> = latched.iter().map(String::as_str).collect();
        wrongs.push(differ("latches", "must have latched", &wanted, &latched));
    }
    let Some(snapshot) = session.bench.snapshot()? else { return Ok(()) };
    let now: Vec<&str> = snapshot.malfunctions.iter().map(|m| m.code.name()).collect();
    let must: Vec<&str> = session.trial.latched.iter().map(|code| code.name()).collect();
    if now != must {
        wrongs.push(differ("latched", "must be latched at the end", &must, &now));
    }
    match session.trial.phase {
        Some(phase) if snapshot.phase != phase => {
            let (phase, now) = (phase.name(), snapshot.phase.name());
            wrongs.push(format!(
                "at the end the phase must be {phase}, but is {now}\n  if that is right, write under [at_end]: phase = \"{now}\""
            ));
        }
        _ => {}
    }
    Ok(())
}
