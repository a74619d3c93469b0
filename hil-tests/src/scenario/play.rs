//! A round as a dealer plays it, in the order of its rule set.

use super::check::wait;
use super::halt::Halt;
use super::order::{self, Action};
use super::session::Session;
use super::step::{Check, Pattern, Stage};
use tumbler_bench::BenchError;
use tumbler_core::line::InLine;
use tumbler_core::record::Kind;
use tumbler_core::snapshot::Phase;
use tumbler_core::wire::registers::terminal;
use tumbler_twin::Act;

/// Longest wait within a healthy round, in milliseconds.
const WAIT: u64 = 20_000;
/// Longest wait for a call to be taken, in milliseconds: on a slow disk its record takes seconds.
const CALLED: u64 = 5_000;
/// The dealer's delay before "all paid", and the time from a key to the snapshot that shows it, in milliseconds: a poll of the
/// terminal comes in between.
const PAYING: u64 = 700;
/// Most attempts to key a result.
const ENTRIES: u32 = 3;
/// Most repetitions of "tumble" by a campaign's dealer.
const PRESSES: u64 = 4;

fn record(kind: Kind) -> Check {
    Check::Record(Pattern { kind, fields: Vec::new() })
}

/// Plays on to a stage; after the end of a round, the next one.
pub(super) fn play_to(session: &mut Session<'_>, stage: Stage) -> Result<(), Halt> {
    next_round(session);
    let order = order::of(&session.trial.rules);
    if stage == Stage::Covered && !order::covered(&session.trial.rules) {
        return Ok(());
    }
    let Some(goal) = order.iter().position(|(_, reached)| *reached == stage) else {
        return Err(BenchError::Rig(format!("`{}` is no stage under {}", stage.name(), session.trial.rules)).into());
    };
    play_through(session, goal + 1)
}

/// Plays on to the moment before the dealer presses "tumble".
pub(super) fn up_to_spin(session: &mut Session<'_>) -> Result<(), Halt> {
    next_round(session);
    let order = order::of(&session.trial.rules);
    play_through(session, order.iter().position(|(action, _)| *action == Action::Tumble).unwrap_or(0))
}

/// Restarts the order of play if the round has ended.
pub(super) fn next_round(session: &mut Session<'_>) {
    if session.round.begun() && session.recorded(&["settled", "voided"]) {
        session.restart_round();
    }
}

fn play_through(session: &mut Session<'_>, count: usize) -> Result<(), Halt> {
    while let Some(action) = session.round.next(&session.trial.rules, count) {
        session.round.advance();
        if let Err(halt) = act(session, action) {
            return Err(told(session, action, halt));
        }
    }
    Ok(())
}

/// The failure of the dealer's action, with its words, and with what was left out before it.
fn told(session: &mut Session<'_>, action: Action, halt: Halt) -> Halt {
    let Halt::Wrong(why) = halt else { return halt };
    let shut = matches!(session.bench.snapshot(), Ok(Some(shown)) if !shown.open && shown.round.is_none());
    let remedy = if shut { "the table is not open (`open table` opens it); " } else { "" };
    Halt::Wrong(format!("at `{}`: {remedy}{why}", action.words()))
}

/// Losers are collected and winners paid (NZ 6.5): "all paid" counts only after that.
pub(super) fn collect_and_pay(session: &mut Session<'_>) -> Result<(), BenchError> {
    let all_paid = u64::from(session.bench.settings().parameters.all_paid);
    session.pass(all_paid + PAYING)
}

fn act(session: &mut Session<'_>, action: Action) -> Result<(), Halt> {
    match action {
        Action::Cover => {
            if session.bench.physical().dome_up {
                session.bench.act(Act::LowerDome)?;
                session.pass(400)?;
            }
            Ok(())
        }
        Action::Tumble => {
            session.bench.act(Act::Press { line: InLine::Tumble, millis: 120 })?;
            let mut turns = wait(session, &Check::Shaft(true), 2000);
            // A guard that flickers during the second look refuses the spin, so the dealer presses again.
            for n in 0..PRESSES {
                if !session.trial.free || turns.is_ok() {
                    break;
                }
                // A varying pause, so that presses do not stay in step with the vibration.
                session.pass(170 + 37 * n)?;
                session.bench.act(Act::Press { line: InLine::Tumble, millis: 120 })?;
                turns = wait(session, &Check::Shaft(true), 2000);
            }
            turns?;
            Ok(session.pass(200)?)
        }
        Action::AwaitSpun => {
            wait(session, &record(Kind::SpinEnded), WAIT)?;
            wait(session, &Check::DiceRest, WAIT)
        }
        Action::PlaceBets => {
            session.press(InLine::PlaceBets, 120)?;
            // A table that refuses the call plays no round, and what follows would be tried on nothing.
            if session.trial.free { Ok(()) } else { wait(session, &Check::Phase(Phase::Betting), CALLED) }
        }
        Action::NoMoreBets => Ok(session.press(InLine::NoMoreBets, 120)?),
        Action::Uncover => session.bench.act(Act::LiftDome).map_err(Into::into),
        Action::AwaitOutcome => {
            if session.trial.reader {
                wait(session, &record(Kind::Established), WAIT)
            } else {
                wait(session, &record(Kind::Revealed), WAIT)
            }
        }
        Action::Enter => {
            // The dealer looks at the dice first. A key pressed before the terminal's next poll cannot be told from
            // one pressed before the reveal.
            session.pass(600)?;
            for _ in 0..ENTRIES {
                session.enter_dice()?;
                // On a noisy bus a digit may be missing. The display shows it, and the dealer keys again.
                if session.bench.physical().display != terminal::ERROR {
                    break;
                }
            }
            wait(session, &record(Kind::LampsVerified), WAIT)
        }
        Action::AllPaid => {
            collect_and_pay(session)?;
            session.keys(&[7])?;
            wait(session, &record(Kind::Settled), WAIT)
        }
    }
}
