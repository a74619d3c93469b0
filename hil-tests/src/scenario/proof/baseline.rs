//! The state of the table when a proof begins, and the check that no attempt has changed it.

use super::super::check::{holds, wait, where_we_are};
use super::super::halt::Halt;
use super::super::session::Session;
use super::super::step::Check;
use tumbler_bench::BenchError;
use tumbler_core::latch::Code;
use tumbler_core::record::Event;

/// The latch is durable and the sign is on within this time, in milliseconds.
const LATCHED: u64 = 2_000;
/// After the last attempt of a group the proof waits this long for forbidden effects, in milliseconds: records that nothing
/// waits for are durable after 200 ms (`linger`), and a motor starts as soon as its record is.
pub(super) const CONSEQUENCES: u64 = 300;

/// The state when the proof begins.
pub(super) struct Before {
    /// The malfunction that the proof is about.
    pub code: Code,
    /// All latched malfunctions.
    pub latched: Vec<Code>,
    pub records: usize,
    power: usize,
    enables: u32,
    bells: u32,
    lamps_lit: u32,
    /// The dome is away.
    pub dome_up: bool,
}

/// The table as the proof finds it: latched, idle, and the sign on.
pub(super) fn before(session: &mut Session<'_>, code: Code) -> Result<Before, Halt> {
    wait(session, &Check::Latched(code), LATCHED)?;
    let Some(shown) = session.bench.snapshot()? else {
        return Err(BenchError::Rig("`prove` needs a daemon that runs".into()).into());
    };
    if shown.round.is_some() || shown.test.is_some() {
        return Err(BenchError::Rig(format!(
            "`prove` needs a table without a round or a test in progress: a round that is, goes on under many \
             latches; {}",
            where_we_are(session)
        ))
        .into());
    }
    sign_is_on(session, "before anything was tried")?;
    Ok(count(session, code, shown.malfunctions.iter().map(|m| m.code).collect()))
}

/// Counts of everything that must not happen again.
pub(super) fn count(session: &mut Session<'_>, code: Code, latched: Vec<Code>) -> Before {
    let dome_up = session.bench.physical().dome_up;
    let log = session.bench.log();
    Before {
        code,
        latched,
        records: log.records.len(),
        power: log.power.len(),
        enables: log.enables,
        bells: log.bells,
        lamps_lit: log.lamps_lit,
        dome_up,
    }
}

/// Checks that no attempt has had an effect; `what` is the latest attempt.
pub(super) fn nothing_came(session: &mut Session<'_>, before: &Before, what: &str) -> Result<(), Halt> {
    let log = session.bench.log();
    let begun = log.records.iter().skip(before.records).find_map(|durable| match &durable.record.event {
        Event::RoundBegan { .. } => Some("a round began"),
        Event::SpinBegan => Some("a spin began"),
        Event::TestBegan { .. } => Some("a test began"),
        Event::Opened { .. } => Some("the table was opened"),
        Event::Unlatched { .. } => Some("a latch was opened"),
        _ => None,
    });
    let powered = log.power.iter().skip(before.power).any(|(_, on)| *on) && !session.faults.motor_runs_by_itself();
    let log = session.bench.log();
    let came = if let Some(begun) = begun {
        begun
    } else if log.enables != before.enables {
        "motor_enable was commanded on"
    } else if powered {
        "the motor got power"
    } else if log.bells != before.bells {
        "the bell sounded"
    } else if log.lamps_lit != before.lamps_lit {
        "a lamp began to shine"
    } else {
        return Ok(());
    };
    Err(wrong(session, before, what, came))
}

/// Waits for effects of the attempts, then checks everything: the records, the wires, the truth and the table's
/// snapshot.
pub(super) fn still_latched(session: &mut Session<'_>, before: &Before, what: &str) -> Result<(), Halt> {
    session.pass(CONSEQUENCES)?;
    nothing_came(session, before, what)?;
    let Some(shown) = session.bench.snapshot()? else { return Err(wrong(session, before, what, "the daemon is gone")) };
    if let Some(lost) = before.latched.iter().find(|code| !shown.malfunctions.iter().any(|m| m.code == **code)) {
        return Err(wrong(session, before, what, &format!("{lost} is no longer latched")));
    }
    if shown.round.is_some() {
        return Err(wrong(session, before, what, "a round is in progress"));
    }
    sign_is_on(session, what)
}

/// design.md, Latch: the sign says "no games" while none may be played. A sign that is broken itself is left out.
fn sign_is_on(session: &mut Session<'_>, what: &str) -> Result<(), Halt> {
    if session.faults.sign_is_broken() {
        session.left_out("the sign", "it is itself broken");
        return Ok(());
    }
    if let Err(Halt::BenchError(trouble)) = wait(session, &Check::Sign(true), LATCHED) {
        return Err(trouble.into());
    }
    if holds(session, &Check::Sign(true))? {
        return Ok(());
    }
    Err(Halt::Wrong(format!("{what}: the sign \"no games\" is off under a latch; {}", where_we_are(session))))
}

pub(super) fn wrong(session: &mut Session<'_>, before: &Before, what: &str, came: &str) -> Halt {
    Halt::Wrong(format!(
        "{what}: {came} while {} is latched [NZ 7.4: no further game until rectified]; {}",
        before.code,
        where_we_are(session)
    ))
}
