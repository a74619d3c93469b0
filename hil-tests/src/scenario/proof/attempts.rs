//! What people can do to start a game: press buttons, play the order of play, give commands.

use super::super::ask::{ask_as, await_answer};
use super::super::check::where_we_are;
use super::super::halt::Halt;
use super::super::order;
use super::super::session::Session;
use super::super::step::Stage;
use super::baseline::{Before, nothing_came, still_latched, wrong};
use std::collections::BTreeMap;
use tumbler_bench::witnessed;
use tumbler_bench::{BenchError, Role};
use tumbler_core::latch::{Code, Malfunction};
use tumbler_core::line::InLine;
use tumbler_core::record::Event;
use tumbler_core::round::call::Call;
use tumbler_core::units::{Dice, Mono, RoundId};
use tumbler_core::wire::console::{Answer, Command, Exit};
use tumbler_twin::{Act, MS};

/// The dealer's four buttons.
const BUTTONS: [InLine; 4] = [InLine::Tumble, InLine::PlaceBets, InLine::NoMoreBets, InLine::NoSpin];
/// All 24 orders of the four buttons: the shortest sequence that contains each as four neighbours. A table that has refused
/// everything so far is unchanged, so the orders may overlap.
const ORDERS: &[u8; 33] = b"012301203120132010231021302103210";
/// Duration of a press, and the pause before the next, in milliseconds: both longer than bounce (5 ms) and debounce (20 ms).
const PRESS: (u32, u64) = (40, 60);
/// The dome's travel and debounce, in milliseconds.
const DOME: u64 = 300;
/// Within this time, in milliseconds, presses are recorded.
const ON_RECORD: u64 = 2_000;

/// The supervisor's key in relation to a latch.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Key {
    /// No privilege is in force.
    Off,
    /// The last turn is older than the latch.
    Older,
    /// The last turn is newer than the latch, which may be opened now.
    Newer,
}

/// Everything that people can try without a restart and without closing the table.
pub(super) fn try_people(session: &mut Session<'_>, before: &Before) -> Result<(), Halt> {
    try_buttons(session, before)?;
    try_order_of_play(session, before)?;
    try_commands(session, before)?;
    still_latched(session, before, "buttons, order of play and commands")
}

/// Each button alone: the shortest proof, for after a restart.
pub(super) fn try_each_button(session: &mut Session<'_>, before: &Before, when: &str) -> Result<(), Halt> {
    try_presses(session, before, when, BUTTONS.into_iter())
}

fn try_buttons(session: &mut Session<'_>, before: &Before) -> Result<(), Halt> {
    try_each_button(session, before, "each button alone")?;
    let orders = ORDERS.iter().filter_map(|place| BUTTONS.get(usize::from(place.wrapping_sub(b'0'))).copied());
    try_presses(session, before, "all buttons in every order", orders)
}

fn try_presses(
    session: &mut Session<'_>,
    before: &Before,
    when: &str,
    buttons: impl Iterator<Item = InLine> + Clone,
) -> Result<(), Halt> {
    // In real time a bench that was delayed may make a press too short; then all of them are tried again.
    let attempts = if session.bench.grace() > 0 { 3 } else { 1 };
    let mut missing = None;
    for _ in 0..attempts {
        let from = session.bench.log().records.len();
        let mut pressed = BTreeMap::new();
        for button in buttons.clone() {
            if press(session, button)? {
                *pressed.entry(button).or_insert(0) += 1;
            }
            nothing_came(session, before, &format!("{when}, {} pressed", button.name()))?;
        }
        missing = missing_presses(session, from, &pressed)?;
        if missing.is_none() {
            return Ok(());
        }
    }
    let Some(button) = missing else { return Ok(()) };
    // With a stuck button, lost wires or a journal that cannot be written, presses leave no record.
    if matches!(before.code, Code::Buttons | Code::Gpio | Code::Journal) {
        let why = format!("under {} not all of them leave a record", before.code);
        session.left_out(&format!("presses of {}", button.name()), &why);
        return Ok(());
    }
    Err(BenchError::Rig(format!(
        "not every press of {} is on record, so the latch proof proves nothing; {}",
        button.name(),
        where_we_are(session)
    ))
    .into())
}

/// Presses a button, unless it is held: a press would release it.
fn press(session: &mut Session<'_>, line: InLine) -> Result<bool, Halt> {
    if session.held.holds(line) {
        session.left_out(&format!("presses of {}", line.name()), "somebody holds it");
        return Ok(false);
    }
    session.bench.act(Act::Press { line, millis: PRESS.0 })?;
    session.pass(PRESS.1)?;
    Ok(true)
}

/// Presses that never reached the table prove nothing, so each must be on record, as refused or as a call out of turn.
/// Returns the first button with a missing press, if any.
fn missing_presses(
    session: &mut Session<'_>,
    from: usize,
    pressed: &BTreeMap<InLine, u32>,
) -> Result<Option<InLine>, Halt> {
    let until = session.bench.now() + ON_RECORD * MS + session.bench.grace();
    loop {
        let seen = presses_on_record(session, from);
        let missing = BUTTONS.into_iter().find(|button| seen.get(button) < pressed.get(button));
        if missing.is_none() || session.bench.now() >= until {
            return Ok(missing);
        }
        session.bench.pass(until)?;
    }
}

fn presses_on_record(session: &Session<'_>, from: usize) -> BTreeMap<InLine, u32> {
    let mut seen = BTreeMap::new();
    for durable in session.bench.log().records.iter().skip(from) {
        let button = match &durable.record.event {
            Event::Refused { what, .. } if what == InLine::Tumble.name() => InLine::Tumble,
            Event::Called { call: Call::PlaceBets, .. } => InLine::PlaceBets,
            Event::Called { call: Call::NoMoreBets, .. } => InLine::NoMoreBets,
            Event::Called { call: Call::NoSpin, .. } => InLine::NoSpin,
            _ => continue,
        };
        *seen.entry(button).or_insert(0) += 1;
    }
    seen
}

/// Plays the whole order of play, whatever the table refuses.
fn try_order_of_play(session: &mut Session<'_>, before: &Before) -> Result<(), Halt> {
    for (action, reached) in order::of(&session.trial.rules) {
        match action {
            order::Action::Cover => dome(session, false)?,
            order::Action::Uncover => dome(session, true)?,
            order::Action::Tumble => drop(press(session, InLine::Tumble)?),
            order::Action::PlaceBets => drop(press(session, InLine::PlaceBets)?),
            order::Action::NoMoreBets => drop(press(session, InLine::NoMoreBets)?),
            order::Action::Enter => session.keys(&[1, 3, 6, 7])?,
            order::Action::AllPaid => session.keys(&[7])?,
            order::Action::AwaitSpun | order::Action::AwaitOutcome => {}
        }
        let stage = Stage::ALL.iter().find(|(_, stage)| stage == reached).map_or("", |(name, _)| *name);
        nothing_came(session, before, &format!("the order of play, {} on the way to {stage}", action.words()))?;
    }
    dome(session, before.dome_up)
}

pub(super) fn dome(session: &mut Session<'_>, up: bool) -> Result<(), Halt> {
    if session.bench.physical().dome_up == up || !order::covered(&session.trial.rules) {
        return Ok(());
    }
    session.bench.act(if up { Act::LiftDome } else { Act::LowerDome })?;
    Ok(session.pass(DOME)?)
}

/// Every command of every role that could start a game, open the table or open the latch without being allowed to.
pub(super) fn try_commands(session: &mut Session<'_>, before: &Before) -> Result<(), Halt> {
    let Some(shown) = session.bench.snapshot()? else {
        return Err(wrong(session, before, "commands", "the daemon is gone"));
    };
    let turned = if shown.key { key_turned(session) } else { None };
    // A failing journal does not record the turn of the key.
    let unrecorded = shown.key && turned.is_none();
    let mut supervisor = never_granted();
    for malfunction in &shown.malfunctions {
        let code = malfunction.code;
        match key(turned, malfunction) {
            _ if unrecorded => {
                session.left_out("what the key allows", "it is in force, and its turn could not be recorded");
            }
            Key::Off => {
                supervisor.extend(resets(code));
                session.left_out("a reset under an older turn of the key", "the key was not turned before the latch");
            }
            Key::Older => {
                supervisor.extend(resets(code));
                session.left_out("a reset without the key", "the key is in force from before the latch");
            }
            Key::Newer => {
                if !eyes_can_stand_in(code) || !shown.open {
                    supervisor.push(procedure(code));
                }
                session.left_out("a reset without the key", "the key was turned after the latch");
            }
        }
    }
    let mut technician = never_granted();
    technician.extend(shown.malfunctions.iter().flat_map(|m| resets(m.code)));
    technician.extend([enrol(), Command::Close { name: name() }]);
    if turned.is_none() && !unrecorded {
        // With the key they are lawful and start no game; the thorough proof tries them.
        supervisor.extend([enrol(), maintenance(true), maintenance(false)]);
        technician.extend([maintenance(true), maintenance(false)]);
    }
    let mut nobody = technician.clone();
    nobody.extend([maintenance(true), maintenance(false)]);
    for (role, commands) in [(Role::Supervisor, supervisor), (Role::Technician, technician), (Role::Nobody, nobody)] {
        for command in commands {
            match must_be_refused(session, before, role, command) {
                Err(Halt::BenchError(BenchError::Unsupported(why))) => {
                    session.left_out(&format!("commands by {}", role.name()), &why);
                    break;
                }
                done => done?,
            }
        }
    }
    Ok(())
}

/// When the key was last turned, on the clock of the records.
pub(super) fn key_turned(session: &Session<'_>) -> Option<Mono> {
    let records = session.bench.log().records.iter().rev();
    records.map(|durable| &durable.record).find(|r| r.event == Event::KeyTurned).map(|r| r.at)
}

/// Gives a command that must be refused without effect.
pub(super) fn must_be_refused(
    session: &mut Session<'_>,
    before: &Before,
    role: Role,
    command: Command,
) -> Result<(), Halt> {
    let asked = serde_json::to_string(&command).unwrap_or_default();
    let what = format!("{} asked {asked}", role.name());
    ask_as(session, role, command)?;
    let answer = await_answer(session)?;
    nothing_came(session, before, &what)?;
    match answer {
        Answer::Refused { .. } => Ok(()),
        Answer::Done(done) => Err(wrong(session, before, &what, &format!("the answer was done ({done})"))),
    }
}

pub(super) fn key(turned: Option<Mono>, latched: &Malfunction) -> Key {
    match turned {
        None => Key::Off,
        Some(at) if at <= latched.since => Key::Older,
        Some(_) => Key::Newer,
    }
}

pub(super) fn name() -> String {
    "Mei".into()
}

fn reason() -> String {
    "the latch proof tries it".into()
}

/// Commands that no key and no role permits on a latched table without a round.
fn never_granted() -> Vec<Command> {
    let dice = Dice::all().next();
    let witness = witnessed(false);
    let mut all = vec![
        Command::Open { name: name() },
        Command::ConfirmDome { reason: reason(), name: name() },
        Command::Settle { dice: None, reason: reason(), name: name() },
        Command::Settle { dice, reason: reason(), name: name() },
        Command::Void { reason: reason(), damaged_dice: false, not_flat: false, name: name() },
        // Rounds count from 1; for a real one this would be lawful, and also latch `dice`.
        Command::VoidAfterwards { round: RoundId(0), reason: reason(), name: name() },
    ];
    all.extend(dice.map(|dice| Command::Amend { dice, uphold: true, name: name() }));
    all.extend(witness.into_iter().map(|item| Command::Witness { item, right: true, name: name() }));
    all
}

/// design.md, Latch: a procedure is for these three only. The list is the proof's own and does not come from the core.
pub(super) fn eyes_can_stand_in(code: Code) -> bool {
    matches!(code, Code::Lamps | Code::Terminal | Code::Reader)
}

pub(super) fn procedure(code: Code) -> Command {
    Command::Reset { code, exit: Exit::Procedure("by eye, two persons".into()), name: name() }
}

pub(super) fn rectified(code: Code) -> Command {
    Command::Reset { code, exit: Exit::Rectified, name: name() }
}

pub(super) fn resets(code: Code) -> [Command; 2] {
    [rectified(code), procedure(code)]
}

pub(super) fn maintenance(on: bool) -> Command {
    Command::Maintenance { on, name: name() }
}

fn enrol() -> Command {
    Command::EnrolDice { reason: reason(), name: name() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn the_sequence_holds_every_order_of_the_four_buttons() {
        let orders: BTreeSet<&[u8]> =
            ORDERS.windows(4).filter(|order| order.iter().collect::<BTreeSet<_>>().len() == BUTTONS.len()).collect();
        assert_eq!(orders.len(), 24);
    }
}
