//! Dealer and supervisor, who go on as far as the table lets them: they open a closed table, play the round in its order, look at
//! the dice themselves if a device fails, and call the supervisor. They stop if nothing more is possible.

use super::ask::{decide, supervise};
use super::halt::Halt;
use super::opening::press_every_key;
use super::order::{self, Action};
use super::play::{collect_and_pay, next_round};
use super::session::Session;
use tumbler_bench::{BenchError, witnessed};
use tumbler_core::line::InLine;
use tumbler_core::round::{Doubt, Finding};
use tumbler_core::snapshot::{Phase, Snapshot};
use tumbler_core::units::Dice;
use tumbler_core::wire::console::Command;
use tumbler_twin::{Act, MS};

/// The supervisor.
const NAME: &str = "Mei";
/// Longest wait for a spin and for the dice to settle, in milliseconds.
const SPIN_MILLIS: u64 = 15_000;
/// Longest wait for the dice to settle, with some time for a look, in milliseconds.
const OUTCOME_MILLIS: u64 = 8_000;
/// How often a dealer presses a button that has no effect, and how long each effect is waited for: records that nothing
/// waits for are durable after 200 ms.
const PRESSES: u32 = 5;
const PRESSED_MILLIS: u64 = 300;
/// Within this time the table shows the effect of a key or a button.
const SHOWN_MILLIS: u64 = 2_500;

fn name() -> String {
    NAME.to_owned()
}

/// Goes on until a round has ended, or until the table blocks or refuses to be opened. If a round has already ended since the
/// last `mark` or `go on`, the people play no other one.
pub(super) fn go_on(session: &mut Session<'_>) -> Result<(), Halt> {
    // Lets the latest events become visible and durable.
    session.pass(300)?;
    if session.ended_rounds() > session.round.known_endings {
        session.round.known_endings += 1;
        return Ok(session.pass(1500)?);
    }
    let Some(table) = session.bench.snapshot()? else { return Ok(()) };
    next_round(session);
    if table.round.is_none() {
        // Restarts the order of play, however far the dealer came on a table that refused.
        session.restart_round();
    }
    if table.round.is_none() && !ready_to_play(session, &table)? {
        return Ok(());
    }
    say_what_is_asked(session)?;
    while let Some(action) = session.round.next(&session.trial.rules, usize::MAX) {
        if over(session)? {
            break;
        }
        session.round.advance();
        go_on_with(session, action)?;
        say_what_is_asked(session)?;
    }
    if !over(session)? && session.bench.snapshot()?.is_some_and(|s| s.round.is_some()) {
        // SG 5.14: a person decides what the rules leave open.
        let reason = "the round cannot be played to its end".into();
        decide(session, Command::Void { reason, damaged_dice: false, not_flat: false, name: name() })?;
    }
    // Lets the table show what the round left behind.
    session.pass(1500)?;
    session.round.known_endings = session.ended_rounds();
    Ok(())
}

/// Answers the table's question about the dice with what can be seen.
pub(super) fn say_what_is_asked(session: &mut Session<'_>) -> Result<(), Halt> {
    let Some(question) = session.bench.snapshot()?.and_then(|shown| shown.question) else { return Ok(()) };
    let seen = session.bench.physical();
    let finding = match question.why {
        Doubt::Dice | Doubt::SpinLost => Finding::CannotTell,
        _ if seen.flat != [true; 3] && seen.dome_up => Finding::NotFlat,
        Doubt::Knocked => Finding::CannotTell,
        Doubt::Interrupted => Finding::Undisturbed,
    };
    let said = |finding| Command::Finding { finding, reason: "as seen".into(), name: name() };
    if !decide(session, said(finding))? && finding == Finding::NotFlat {
        // According to the records the dice are covered, so nobody may have seen them.
        decide(session, said(Finding::CannotTell))?;
    }
    Ok(())
}

/// Leaves maintenance and opens the table, as far as the table allows.
fn ready_to_play(session: &mut Session<'_>, table: &Snapshot) -> Result<bool, Halt> {
    if !table.malfunctions.is_empty() {
        return Ok(false);
    }
    if table.phase == Phase::Maintenance && !supervise(session, Command::Maintenance { on: false, name: name() })? {
        return Ok(false);
    }
    if session.bench.snapshot()?.is_some_and(|s| s.open) {
        return Ok(true);
    }
    if order::covered(&session.trial.rules) && session.bench.physical().dome_up {
        session.bench.act(Act::LowerDome)?;
    }
    session.pass(1500)?;
    if !supervise(session, Command::Open { name: name() })? {
        return Ok(false);
    }
    press_every_key(session)?;
    for item in witnessed(session.trial.reader) {
        if !supervise(session, Command::Witness { item, right: true, name: name() })? {
            return Ok(false);
        }
    }
    until(session, SHOWN_MILLIS, |session| Ok(session.bench.snapshot()?.is_some_and(|s| s.open)))
}

/// Whether this round has ended, or the table is blocked with no round in progress.
fn over(session: &mut Session<'_>) -> Result<bool, Halt> {
    if session.recorded(&["settled", "voided"]) {
        return Ok(true);
    }
    Ok(session.bench.snapshot()?.is_none_or(|s| s.phase == Phase::Blocked))
}

/// Lets time pass until a condition holds, the limit is reached or the round is over. Returns whether the condition holds.
fn until(
    session: &mut Session<'_>,
    millis: u64,
    so: impl Fn(&mut Session<'_>) -> Result<bool, Halt>,
) -> Result<bool, Halt> {
    let end = session.bench.now() + millis * MS + session.bench.grace();
    loop {
        if so(session)? {
            return Ok(true);
        }
        if session.bench.now() >= end || over(session)? {
            return Ok(false);
        }
        session.console.pass(session.bench, end)?;
    }
}

fn go_on_with(session: &mut Session<'_>, action: Action) -> Result<(), Halt> {
    match action {
        Action::Cover => {
            if order::covered(&session.trial.rules) && session.bench.physical().dome_up {
                session.bench.act(Act::LowerDome)?;
                session.pass(400)?;
            }
            Ok(())
        }
        Action::Tumble => {
            go_on_with(session, Action::Cover)?;
            push_until(session, InLine::Tumble, &["spin-began", "refused"])?;
            until(session, SHOWN_MILLIS, |session| Ok(session.bench.physical().shaft_moves)).map(drop)
        }
        Action::AwaitSpun => {
            if until(session, SPIN_MILLIS, |session| Ok(session.recorded(&["spin-ended"])))? {
                until(session, SHOWN_MILLIS, |session| Ok(!session.bench.physical().dice_move))?;
            }
            Ok(())
        }
        Action::PlaceBets => push_until(session, InLine::PlaceBets, &["called"]),
        Action::NoMoreBets => push_until(session, InLine::NoMoreBets, &["called"]),
        Action::Uncover => session.bench.act(Act::LiftDome).map_err(Into::into),
        Action::AwaitOutcome => see_the_dice(session),
        Action::Enter => enter_what_lies_there(session),
        Action::AllPaid => {
            collect_and_pay(session)?;
            session.keys(&[7])?;
            if !until(session, SHOWN_MILLIS, |session| Ok(session.recorded(&["settled"])))? {
                settle(session, None)?;
            }
            Ok(())
        }
    }
}

/// Presses again if a press had no effect, because a chattering contact may not register as a press.
fn push_until(session: &mut Session<'_>, line: InLine, came: &[&str]) -> Result<(), Halt> {
    for _ in 0..PRESSES {
        let before = session.records().all().len();
        push(session, line)?;
        let came = |session: &mut Session<'_>| Ok(session.records().has(before, came));
        if until(session, PRESSED_MILLIS, came)? {
            break;
        }
    }
    Ok(())
}

fn push(session: &mut Session<'_>, line: InLine) -> Result<(), BenchError> {
    session.bench.act(Act::Press { line, millis: 120 })?;
    session.pass(200)
}

/// The dealer says how the dice lie if no reader does; the supervisor says where the dome is if its contacts are wrong.
fn see_the_dice(session: &mut Session<'_>) -> Result<(), Halt> {
    let revealed = |session: &mut Session<'_>| Ok(session.recorded(&["revealed"]));
    if !until(session, SHOWN_MILLIS, revealed)? && session.bench.physical().dome_up && !over(session)? {
        let reason = "the dome is open".into();
        supervise(session, Command::ConfirmDome { reason, name: name() })?;
    }
    let by_eye = !session.trial.reader || latched_now(session, "reader")?;
    if !by_eye {
        until(session, OUTCOME_MILLIS, |session| {
            Ok(session.recorded(&["established"]) || latched_now(session, "reader")?)
        })?;
    }
    if over(session)? || session.bench.physical().flat == [true; 3] {
        return Ok(());
    }
    push(session, InLine::NoSpin)?;
    if !until(session, SHOWN_MILLIS, |session| Ok(session.recorded(&["voided"])))? {
        let reason = "a die does not lie flat".into();
        supervise(session, Command::Void { reason, damaged_dice: false, not_flat: true, name: name() })?;
    }
    Ok(())
}

fn latched_now(session: &mut Session<'_>, code: &str) -> Result<bool, Halt> {
    Ok(session.bench.snapshot()?.is_some_and(|s| s.malfunctions.iter().any(|m| m.code.name() == code)))
}

/// Keys what the dice show. If the table rejects it, the supervisor upholds it; if the terminal does not work, the supervisor
/// settles by the dice (NZ 7.3, SG 5.10).
fn enter_what_lies_there(session: &mut Session<'_>) -> Result<(), Halt> {
    session.pass(600)?;
    let faces = session.bench.physical().faces;
    let Ok(dice) = Dice::from_pips(faces) else { return Ok(()) };
    let [a, b, c] = faces;
    session.keys(&[a, b, c, 7])?;
    if !until(session, SHOWN_MILLIS, |session| Ok(session.recorded(&["result"])))? && !over(session)? {
        if session.recorded(&["entry-differs"]) && supervise(session, Command::Supervise { name: name() })? {
            session.keys(&[a, b, c, 7])?;
            until(session, SHOWN_MILLIS, |session| Ok(session.recorded(&["result"])))?;
        }
        let differs = session.recorded(&["entry-differs"]) || session.recorded(&["entry-error"]);
        if session.recorded(&["result"]) {
            return see_the_lamps(session);
        }
        if !differs || !supervise(session, Command::Amend { dice, uphold: true, name: name() })? {
            return settle(session, Some(dice));
        }
    }
    see_the_lamps(session)
}

fn see_the_lamps(session: &mut Session<'_>) -> Result<(), Halt> {
    let proved =
        |session: &mut Session<'_>| Ok(session.recorded(&["lamps-verified"]) || latched_now(session, "lamps")?);
    until(session, OUTCOME_MILLIS, proved).map(drop)
}

fn settle(session: &mut Session<'_>, dice: Option<Dice>) -> Result<(), Halt> {
    if over(session)? {
        return Ok(());
    }
    if dice.is_some() {
        supervise(session, Command::Settle { dice, reason: "by the dice".into(), name: name() })?;
        see_the_lamps(session)?;
    }
    collect_and_pay(session)?;
    supervise(session, Command::Settle { dice: None, reason: "by the dice".into(), name: name() })?;
    until(session, SHOWN_MILLIS, |session| Ok(session.recorded(&["settled"]))).map(drop)
}
