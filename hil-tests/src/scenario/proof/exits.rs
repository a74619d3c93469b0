//! The two exits of a latch (NZ 7.4), and no third one: both need a supervisor, a turn of the key newer than the latch and a
//! named person; then a test of the device itself, or a procedure if a person's eyes can replace it.

use super::super::ask::{ask, await_answer, told};
use super::super::check::where_we_are;
use super::super::halt::Halt;
use super::super::records::brief_event;
use super::super::session::Session;
use super::attempts::{
    Key, dome, eyes_can_stand_in, key, key_turned, must_be_refused, name, procedure, rectified, resets,
};
use super::baseline::{Before, CONSEQUENCES, before, count, still_latched, wrong};
use tumbler_bench::{BenchError, Role};
use tumbler_core::latch::Code;
use tumbler_core::record::Event;
use tumbler_core::wire::console::{Answer, Command, Exit};

/// While the condition lasts, every exit is refused, for every role and every state of the key.
pub(in super::super) fn prove_shut(session: &mut Session<'_>, code: Code) -> Result<(), Halt> {
    let (role, asked) = (session.console.role, session.console.asked);
    let before = before(session, code)?;
    refuse_others(session, &before)?;
    session.turn_key()?;
    refuse_without_a_reason(session, &before)?;
    // The dome's test waits two minutes for somebody to move it, which is too long for a bench in real time.
    if code == Code::Dome && session.bench.grace() > 0 {
        session.left_out("`rectified` while the dome's contacts are wrong", "its test waits two minutes");
    } else {
        session.console.role = Role::Supervisor;
        ask(session, rectified(code))?;
        match await_answer(session)? {
            Answer::Refused { code, .. } if code == "stays-latched" => {}
            answer => return Err(wrong(session, &before, "`rectified` while it lasts", &told(&answer))),
        }
    }
    // The test may have run the tumbler and lit the lamps; from here on only the latch counts.
    let after = count(session, code, before.latched);
    still_latched(session, &after, "every exit while the condition lasts")?;
    (session.console.role, session.console.asked) = (role, asked);
    Ok(())
}

/// The condition is gone: this exit opens the latch, and nothing else does.
pub(in super::super) fn prove_opens(session: &mut Session<'_>, code: Code, exit: &Exit) -> Result<(), Halt> {
    let (role, asked) = (session.console.role, session.console.asked);
    let before = before(session, code)?;
    refuse_others(session, &before)?;
    session.turn_key()?;
    refuse_without_a_reason(session, &before)?;
    session.console.role = Role::Supervisor;
    ask(session, Command::Reset { code, exit: exit.clone(), name: name() })?;
    if let answer @ Answer::Refused { .. } = await_answer(session)? {
        return Err(Halt::Wrong(format!(
            "the lawful exit does not open {code}: the answer was {}; {}",
            told(&answer),
            where_we_are(session)
        )));
    }
    session.pass(CONSEQUENCES)?;
    opened_on_record(session, &before, exit)?;
    dome(session, before.dome_up)?;
    (session.console.role, session.console.asked) = (role, asked);
    Ok(())
}

/// Technicians, people without a role, and a supervisor whose turn of the key is older than the latch or has expired.
fn refuse_others(session: &mut Session<'_>, before: &Before) -> Result<(), Halt> {
    for role in [Role::Technician, Role::Nobody] {
        for command in resets(before.code) {
            match must_be_refused(session, before, role, command) {
                Err(Halt::BenchError(BenchError::Unsupported(why))) => {
                    session.left_out(&format!("a reset by {}", role.name()), &why)
                }
                done => done?,
            }
        }
    }
    let Some(shown) = session.bench.snapshot()? else {
        return Err(wrong(session, before, "exits", "the daemon is gone"));
    };
    let turned = if shown.key { key_turned(session) } else { None };
    let latched = shown.malfunctions.iter().find(|m| m.code == before.code);
    if latched.is_some_and(|latched| key(turned, latched) != Key::Newer) {
        for command in resets(before.code) {
            must_be_refused(session, before, Role::Supervisor, command)?;
        }
    }
    Ok(())
}

/// With the key, but without a name, without a procedure, or with a procedure where a repair is required.
fn refuse_without_a_reason(session: &mut Session<'_>, before: &Before) -> Result<(), Halt> {
    let code = before.code;
    for exit in [Exit::Rectified, Exit::Procedure("by eye, two persons".into())] {
        must_be_refused(session, before, Role::Supervisor, Command::Reset { code, exit, name: " ".into() })?;
    }
    let unstated = Command::Reset { code, exit: Exit::Procedure(" ".into()), name: name() };
    must_be_refused(session, before, Role::Supervisor, unstated)?;
    if !eyes_can_stand_in(code) {
        must_be_refused(session, before, Role::Supervisor, procedure(code))?;
    }
    Ok(())
}

/// design.md, Latch: both exits with a named person and a record; everything that shows the table shows the procedure.
fn opened_on_record(session: &mut Session<'_>, before: &Before, exit: &Exit) -> Result<(), Halt> {
    let code = before.code;
    let unlatched = Event::unlatched(code, exit, &name());
    if !session.bench.log().records.iter().skip(before.records).any(|d| d.record.event == unlatched) {
        return Err(Halt::Wrong(format!("no record says {}; {}", brief_event(&unlatched), where_we_are(session))));
    }
    let Some(shown) = session.bench.snapshot()? else {
        return Err(wrong(session, before, "an exit", "the daemon is gone"));
    };
    let waived = shown.waived.iter().any(|w| w.code == code && w.by == name());
    if shown.malfunctions.iter().any(|m| m.code == code) || waived != matches!(exit, Exit::Procedure(_)) {
        let names = |all: Vec<Code>| match all.as_slice() {
            [] => "nothing".to_owned(),
            all => all.iter().map(|code| code.name()).collect::<Vec<_>>().join(", "),
        };
        return Err(Halt::Wrong(format!(
            "{code} was opened, and the table shows {} latched and {} waived",
            names(shown.malfunctions.iter().map(|m| m.code).collect()),
            names(shown.waived.iter().map(|w| w.code).collect())
        )));
    }
    Ok(())
}
