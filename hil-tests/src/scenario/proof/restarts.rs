//! Lawful acts and events of the environment, none of which may open a latch: restarts, other settings, lost and older files,
//! messages, clocks, closing the table, maintenance, other rules, a power cut.

use super::super::ask::{answer, ask, await_answer};
use super::super::halt::Halt;
use super::super::order;
use super::super::session::Session;
use super::attempts::{maintenance, name, try_commands, try_each_button};
use super::baseline::{Before, still_latched, wrong};
use tumbler_bench::{BenchError, EnvironmentFault};
use tumbler_core::latch::Code;
use tumbler_core::line::InLine;
use tumbler_core::rules;
use tumbler_core::settings::Settings;
use tumbler_core::wire::console::{Answer, Command};
use tumbler_twin::MS;

/// Within this time after a start, in milliseconds, the table has seen every button at rest and every unit answer.
const UP: u64 = 400;
/// Within this time, in milliseconds, a fault beside a running daemon takes effect.
const SHOWN: u64 = 10_000;

/// How the daemon ends before it starts again.
#[derive(Clone, Copy)]
enum End {
    Stop,
    Kill,
}

/// Everything that restarts the daemon or closes the table. The table ends latched, and closed.
pub(super) fn try_restarts(session: &mut Session<'_>, before: &Before) -> Result<(), Halt> {
    for fault in [EnvironmentFault::BrokerHostile, EnvironmentFault::ClockForward, EnvironmentFault::ClockBack] {
        try_beside(session, before, fault)?;
    }
    try_restart(session, before, "a kill and a start", End::Kill, |_| Ok(()))?;
    try_restart(session, before, "a stop and a start", End::Stop, |_| Ok(()))?;
    // Key privilege does not survive a start, so these commands come without it.
    try_commands(session, before)?;
    for fault in [EnvironmentFault::PermitMissing, EnvironmentFault::RunMissing, EnvironmentFault::PermitOlder] {
        let what = format!("a start with {fault}");
        try_restart(session, before, &what, End::Stop, |session| Ok(session.bench.disturb(fault)?))?;
    }
    let now = session.bench.settings().clone();
    try_settings(session, before, "a start with other parameters and devices", &now, other_parameters(&now))?;
    try_closed(session, before)?;
    try_maintenance(session, before)?;
    match other_rules(&now) {
        Some(other) => try_settings(session, before, "a start under another rule set", &now, other)?,
        None => session.left_out("another rule set", "none has as many lamps"),
    }
    try_power_cut(session, before)
}

/// After a start: tries the buttons, and checks the latch.
fn tried(session: &mut Session<'_>, before: &Before, what: &str) -> Result<(), Halt> {
    session.pass(UP)?;
    try_each_button(session, before, what)?;
    still_latched(session, before, what)
}

/// Injects a fault beside the running daemon.
fn try_beside(session: &mut Session<'_>, before: &Before, fault: EnvironmentFault) -> Result<(), Halt> {
    let what = format!("{fault}");
    match session.bench.disturb(fault) {
        Err(BenchError::Unsupported(why)) => {
            session.left_out(&what, &why);
            return Ok(());
        }
        done => done?,
    }
    let until = session.bench.now() + SHOWN * MS;
    while !session.bench.environment_fault_took_effect(fault) {
        if session.bench.now() >= until {
            return Err(BenchError::Rig(format!("{what} never took effect")).into());
        }
        session.bench.pass(until)?;
    }
    tried(session, before, &what)?;
    Ok(session.bench.restore(fault)?)
}

/// Ends the daemon, lets something happen while it is off, and starts it again.
fn try_restart(
    session: &mut Session<'_>,
    before: &Before,
    what: &str,
    end: End,
    meanwhile: impl FnOnce(&mut Session<'_>) -> Result<(), Halt>,
) -> Result<(), Halt> {
    match end {
        End::Stop => session.bench.stop()?,
        End::Kill => session.bench.kill()?,
    }
    let happened = meanwhile(session);
    session.bench.start()?;
    match happened {
        Err(Halt::BenchError(BenchError::Unsupported(why))) => session.left_out(what, &why),
        done => done?,
    }
    tried(session, before, what)
}

/// Starts the daemon with other settings, then with its own.
fn try_settings(
    session: &mut Session<'_>,
    before: &Before,
    what: &str,
    own: &Settings,
    other: Settings,
) -> Result<(), Halt> {
    try_restart(session, before, what, End::Stop, |session| Ok(session.bench.reconfigure(other)?))?;
    let back = format!("{what}, and its own again");
    try_restart(session, before, &back, End::Stop, |session| Ok(session.bench.reconfigure(own.clone())?))
}

/// The supervisor closes the table, and must not be able to open it.
fn try_closed(session: &mut Session<'_>, before: &Before) -> Result<(), Halt> {
    session.console.role = tumbler_bench::Role::Supervisor;
    ask(session, Command::Close { name: name() })?;
    answer(session, true, "")?;
    try_commands(session, before)?;
    tried(session, before, "the table closed by the supervisor")
}

/// Maintenance is lawful under a new turn of the key, but must not lead to a game.
fn try_maintenance(session: &mut Session<'_>, before: &Before) -> Result<(), Halt> {
    if before.code == Code::Key || session.held.holds(InLine::SupervisorKey) {
        session.left_out("maintenance", "its key is the malfunction");
        return Ok(());
    }
    session.turn_key()?;
    for on in [true, false] {
        ask(session, maintenance(on))?;
        if let Answer::Refused { why, .. } = await_answer(session)? {
            return Err(wrong(session, before, "maintenance under the key", &format!("it was refused ({why})")));
        }
        try_commands(session, before)?;
        tried(session, before, if on { "maintenance begun" } else { "maintenance ended" })?;
    }
    Ok(())
}

fn try_power_cut(session: &mut Session<'_>, before: &Before) -> Result<(), Halt> {
    match session.bench.power(false) {
        Err(BenchError::Unsupported(why)) => {
            session.left_out("a power cut", &why);
            return Ok(());
        }
        done => done?,
    }
    session.bench.power(true)?;
    try_commands(session, before)?;
    tried(session, before, "a power cut")
}

/// Other timings, and no reader or temperature sensor: none of it may count as a repair.
fn other_parameters(now: &Settings) -> Settings {
    let mut other = now.clone();
    (other.reader, other.temperature) = (false, false);
    other.parameters.target_tumbles += 1;
    other.parameters.temperature_limit += 10;
    other.parameters.seal_debounce += 10;
    other.parameters.button_stuck += 1000;
    other
}

/// Another rule set with as many lamps, of the same kind (covered or open) if there is one: the twin stays as it was built.
fn other_rules(now: &Settings) -> Option<Settings> {
    let lamps = rules::layout(&now.layout)?.areas.len().div_ceil(64);
    let covered = order::covered(&now.rules);
    let mut others: Vec<_> = rules::all()
        .iter()
        .filter(|set| set.id != now.rules)
        .filter_map(|set| Some((set, set.layouts.iter().find(|l| l.areas.len().div_ceil(64) == lamps)?)))
        .collect();
    others.sort_by_key(|(set, _)| order::covered(&set.id) != covered);
    let (set, layout) = others.first()?;
    Some(Settings { rules: set.id.clone(), layout: layout.id.clone(), ..now.clone() })
}
