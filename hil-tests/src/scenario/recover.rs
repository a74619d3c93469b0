//! Recovery: technician and supervisor heal every fault, and bring the table back to play by the lawful exits.
//!
//! ```text
//!  off ──power, start──> runs ──void | settle by the dice──> no round ──reset each latch──> nothing latched
//!                                                                │  (dice: enrol; dome: lift and lower)
//!                          playable <──opening tests── closed <──┘ waivers end, maintenance off
//! ```

use super::ask::ask;
use super::check::where_we_are;
use super::halt::Halt;
use super::opening::press_every_key;
use super::order;
use super::play::collect_and_pay;
use super::session::Session;
use super::staff::say_what_is_asked;
use super::step::{Change, Step};
use tumbler_bench::{BenchError, Role, witnessed};
use tumbler_core::latch::{Code, Malfunction};
use tumbler_core::line::InLine;
use tumbler_core::snapshot::{Phase, Snapshot};
use tumbler_core::units::Dice;
use tumbler_core::wire::console::{Answer, Command, Exit};
use tumbler_twin::{Act, MS};

/// Most steps of recovery: all latches at once and an opening take fewer.
const MOST_ACTS: u32 = 60;
/// Longest test, in milliseconds: two minutes for a person's part, and the lamps of 56 results.
const TEST_MILLIS: u64 = 300_000;
/// Within this time, in milliseconds, a healthy motor cools from 95 to 80 degrees, the shaft stops, the dice come to rest and all
/// units answer.
const CALM_MILLIS: u64 = 4_000;
const NAME: &str = "Mei";
/// The terminal's key for "entry" and "all paid".
const ENTRY: u8 = 7;

fn reason() -> String {
    "back to play".into()
}

/// Heals all faults, releases what is held, closes the seal, and restores supply, daemon and broker.
pub(super) fn heal_all(session: &mut Session<'_>) -> Result<(), BenchError> {
    session.faults.heal_all(session.bench)?;
    session.held.let_go_of_all(session.bench)?;
    if session.held.seal_broken() {
        session.timeline.note(session.bench.now(), &Step::MendSeal);
        session.held.seal(session.bench, false)?;
    }
    if !session.bench.physical().supply {
        session.bench.power(true)?;
    }
    if session.own.is_changed() {
        session.own.change(session.bench, &Change::Own)?;
        // Starts once more, so that the journal's copy from the last start has these settings too. With an older copy nobody could know
        // the rule set of its round.
        for _ in 0..2 {
            if session.bench.snapshot()?.is_some() {
                session.bench.stop()?;
            }
            session.bench.start()?;
        }
    }
    if session.bench.snapshot()?.is_none() {
        session.bench.start()?;
    }
    session.bench.broker(true)?;
    Ok(())
}

/// Heals everything, and brings the table back to play.
pub(super) fn recover(session: &mut Session<'_>) -> Result<(), Halt> {
    heal_all(session)?;
    session.console.role = Role::Supervisor;
    let calm = calm_millis(session)?;
    session.pass(calm)?;
    let mut last = String::new();
    for _ in 0..MOST_ACTS {
        let Some(shown) = session.bench.snapshot()? else {
            return Err(Halt::Wrong("the daemon does not run".into()));
        };
        if shown.open
            && shown.round.is_none()
            && shown.malfunctions.is_empty()
            && shown.waived.is_empty()
            && shown.test.is_none()
        {
            session.restart_round();
            session.mark();
            return Ok(());
        }
        last = act_on(session, &shown)?;
        // The next snapshot must show the effect of what was just done.
        session.pass(400)?;
    }
    Err(Halt::Wrong(format!("cannot be brought back to play; the last answer was {last}; {}", where_we_are(session))))
}

/// Time until the table is calm. A closed table on which nothing was broken and nothing moves is calm at once, because an opening
/// test that fails is repeated. On an open table a fault may not have shown yet.
fn calm_millis(session: &mut Session<'_>) -> Result<u64, Halt> {
    let closed = session.bench.snapshot()?.is_some_and(|shown| !shown.open);
    let physical = session.bench.physical();
    let rests = !physical.motor_power && !physical.shaft_moves && !physical.dice_move;
    if closed && rests && session.faults.is_empty() {
        return Ok(0);
    }
    // The snapshot may lag by two commits (design.md rule 2: make durable, then publish), and only then shows what a round waits
    // for.
    Ok(CALM_MILLIS.max(2 * session.faults.slowest_commit()))
}

/// Does the next thing that the table needs. Returns the result in words.
fn act_on(session: &mut Session<'_>, shown: &Snapshot) -> Result<String, Halt> {
    let name = || NAME.to_owned();
    if shown.test.is_some() {
        return see_test_through(session);
    }
    session.turn_key()?;
    if shown.round.is_some() {
        return end_round(session, shown);
    }
    if shown.phase == Phase::Maintenance {
        return tell(session, Command::Maintenance { on: false, name: name() });
    }
    // Tests that run the tumbler come last: other latches keep the motor off, and that of the buttons every press that begins a spin.
    let spins = |code| matches!(code, Code::Reader | Code::Tumbler | Code::Deadman | Code::Gpio);
    let order = |latched: &&Malfunction| (latched.code != Code::Buttons, spins(latched.code));
    if let Some(latched) = shown.malfunctions.iter().min_by_key(order) {
        return reset(session, latched.code);
    }
    if !shown.waived.is_empty() && shown.open {
        return tell(session, Command::Close { name: name() });
    }
    open_tests(session)
}

/// Gives a command and waits for its answer.
fn tell(session: &mut Session<'_>, command: Command) -> Result<String, Halt> {
    ask(session, command)?;
    heard(session)
}

fn heard(session: &mut Session<'_>) -> Result<String, Halt> {
    Ok(match session.console.answer(session.bench, TEST_MILLIS)? {
        Some(Answer::Done(text)) => format!("done: {text}"),
        Some(Answer::Refused { why: text, .. }) => format!("refused: {text}"),
        None => "none at all".into(),
    })
}

/// Voids a round where the rules let a manager, and concludes any other by the dice (SGV6 5.4, 5.14).
fn end_round(session: &mut Session<'_>, shown: &Snapshot) -> Result<String, Halt> {
    let name = || NAME.to_owned();
    say_what_is_asked(session)?;
    let command = Command::Void { reason: reason(), damaged_dice: false, not_flat: false, name: name() };
    session.console.role = Role::Manager;
    let voided = tell(session, command)?;
    session.console.role = Role::Supervisor;
    if voided.starts_with("done") {
        return Ok(voided);
    }
    let faces = session.dice_as_seen();
    match (Dice::from_pips(faces).ok(), shown.result) {
        (None, _) => Ok(voided),
        (Some(dice), None) => reveal_and_enter(session, shown.phase, faces, dice),
        // The dice are authoritative, not the reader (design.md trap 8).
        (Some(dice), Some(entered)) if entered != dice => {
            tell(session, Command::Amend { dice, uphold: true, name: name() })
        }
        (Some(_), Some(_)) => {
            collect_and_pay(session)?;
            let settled = tell(session, Command::Settle { dice: None, reason: reason(), name: name() })?;
            if settled.starts_with("refused") {
                // Beside sound equipment the dealer ends the round on the terminal (NZ 6.4).
                session.keys(&[ENTRY])?;
            }
            Ok(settled)
        }
    }
}

/// The dealer plays on: nobody voids a valid spin under the dome by choice, and its numbers are keyed on a terminal that works
/// (NZ 7.1, 6.4).
fn reveal_and_enter(session: &mut Session<'_>, phase: Phase, faces: [u8; 3], dice: Dice) -> Result<String, Halt> {
    let name = || NAME.to_owned();
    let covered = order::covered(&session.trial.rules);
    if covered && phase == Phase::Betting {
        session.press(InLine::PlaceBets, 120)?;
        session.pass(300)?;
        session.press(InLine::NoMoreBets, 120)?;
        return Ok("\"No more bets\" was called".into());
    }
    if covered && phase == Phase::BetsClosed && !session.bench.physical().dome_up {
        session.bench.act(Act::LiftDome)?;
        session.pass(600)?;
        return Ok("the dome was lifted".into());
    }
    let told = tell(session, Command::Settle { dice: Some(dice), reason: reason(), name: name() })?;
    if !told.starts_with("refused") {
        return Ok(told);
    }
    // The dice are authoritative, not the reader (design.md trap 8).
    let told = tell(session, Command::Amend { dice, uphold: true, name: name() })?;
    if told.starts_with("refused") {
        let [a, b, c] = faces;
        session.keys(&[a, b, c, ENTRY])?;
    }
    Ok(told)
}

/// Attends to the test in progress until it ends.
fn see_test_through(session: &mut Session<'_>) -> Result<String, Halt> {
    session.console.send_attendant();
    let until = session.bench.now() + TEST_MILLIS * MS;
    while session.bench.now() < until {
        if session.bench.snapshot()?.is_none_or(|shown| shown.test.is_none()) {
            return Ok("the test in progress ended".into());
        }
        session.console.attend(session.bench, until)?;
    }
    tell(session, Command::Close { name: NAME.to_owned() })
}

/// Proves that a malfunction is gone.
fn reset(session: &mut Session<'_>, code: Code) -> Result<String, Halt> {
    lower_dome(session)?;
    let answer = tell(session, Command::Reset { code, exit: Exit::Rectified, name: NAME.into() })?;
    if answer.starts_with("refused") && matches!(code, Code::Dice | Code::Interference) {
        tell(session, Command::EnrolDice { reason: reason(), name: NAME.into() })?;
    }
    Ok(answer)
}

fn lower_dome(session: &mut Session<'_>) -> Result<(), Halt> {
    if order::covered(&session.trial.rules) && session.bench.physical().dome_up {
        session.bench.act(Act::LowerDome)?;
        session.pass(600)?;
    }
    Ok(())
}

fn open_tests(session: &mut Session<'_>) -> Result<String, Halt> {
    lower_dome(session)?;
    let opened = tell(session, Command::Open { name: NAME.into() })?;
    if opened.starts_with("refused") {
        return Ok(opened);
    }
    press_every_key(session)?;
    for item in witnessed(session.bench.settings().reader) {
        tell(session, Command::Witness { item, right: true, name: NAME.into() })?;
    }
    Ok(opened)
}
