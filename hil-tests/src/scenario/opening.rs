//! The opening tests (NZ 5), everything seen and heard right.

use super::ask::{answer, ask};
use super::attend::keys_left;
use super::check::wait;
use super::halt::Halt;
use super::session::Session;
use super::step::Check;
use tumbler_bench::witnessed;
use tumbler_core::snapshot::{Phase, Snapshot};
use tumbler_core::wire::console::Command;

/// Longest wait for the table to open after the last confirmation, in milliseconds.
const WAIT: u64 = 20_000;
/// Time from a key to the snapshot that shows it, in milliseconds: a poll of the terminal comes in between.
const POLL: u64 = 700;
/// Most repetitions of keys that are still asked for.
const ATTEMPTS: u64 = 4;

/// The opening tests (NZ 5), everything seen and heard right.
pub(super) fn open(session: &mut Session<'_>) -> Result<(), Halt> {
    let name = || "Mei".to_owned();
    // A bench in real time may start with a table that these steps have opened already (templates.rs).
    if session.bench.snapshot()?.is_some_and(|snapshot| snapshot.open) {
        // The motor's temperature is read once a second.
        session.pass(1200)?;
        session.mark();
        return Ok(());
    }
    // By then all units on the bus have answered.
    session.pass(1500)?;
    session.turn_key()?;
    ask(session, Command::Open { name: name() })?;
    answer(session, true, "")?;
    press_every_key(session)?;
    for item in witnessed(session.trial.reader) {
        ask(session, Command::Witness { item, right: true, name: name() })?;
        answer(session, true, "")?;
    }
    // A round that waits for its spin goes on where it stood.
    let goes_on = session.bench.snapshot()?.filter(|snapshot| snapshot.round.is_some());
    wait(session, &Check::Phase(goes_on.map_or(Phase::Ready, |snapshot| snapshot.phase)), WAIT)?;
    session.mark();
    Ok(())
}

/// Presses every key of the terminal, then those that the opening still asks for, as a noisy bus loses some.
pub(super) fn press_every_key(session: &mut Session<'_>) -> Result<(), Halt> {
    session.keys(&[1, 2, 3, 4, 5, 6, 7])?;
    for _ in 0..ATTEMPTS {
        let left = |shown: Snapshot| shown.test.map_or_else(Vec::new, |test| keys_left(&test));
        if session.bench.snapshot()?.map_or_else(Vec::new, left).is_empty() {
            break;
        }
        // The last press may not have arrived yet.
        session.pass(POLL)?;
        let left = session.bench.snapshot()?.map_or_else(Vec::new, left);
        session.keys(&left)?;
    }
    Ok(())
}
