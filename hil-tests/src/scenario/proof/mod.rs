//! The latch proof: while a malfunction is latched, every way to start a game is tried, and nothing comes of any.
//!
//! NZ 7.4: no further game until the malfunction is rectified, or a procedure keeps the game's integrity. design.md, Latch: the
//! latch opens in these two ways only; no reboot, config change, clock step or message opens it.
//!
//! ```text
//! prove latched CODE              people.rs: each button, all in every order, the order of play, every command of every
//!                                 role. Nothing of it restarts the daemon or closes the table
//! prove latched CODE thoroughly   all of that, and around.rs: restarts, changed settings, lost and older files, messages,
//!                                 clocks, the table closed, maintenance, another rule set, a power cut
//! prove shut CODE                 exits.rs: while the condition lasts, no exit opens the latch
//! prove opens CODE HOW            exits.rs: this exit does, for a supervisor with a newer turn of the key and a name
//! ```
//!
//! What a bench has no means for is left out, and the outcome says so.

mod around;
mod attempts;
mod exits;
#[cfg(test)]
mod tests;

use super::run::{Halt, Runner};
use super::step::Check;
use tumbler_bench::Trouble;
use tumbler_core::latch::Code;
use tumbler_core::record::Event;

/// The latch is durable and the sign is on within this time, in milliseconds.
const LATCHED: u64 = 2_000;
/// After the last way of a group the table gets this long, in milliseconds, to do what it must not: records that nothing
/// waits for are durable after 200 ms (`linger`), and a motor starts as soon as its record is.
const CONSEQUENCES: u64 = 300;

/// What had happened when the proof began.
pub(super) struct Before {
    /// The malfunction that the proof is about.
    code: Code,
    /// All that are latched.
    latched: Vec<Code>,
    records: usize,
    power: usize,
    enables: u32,
    bells: u32,
    lamps_lit: u32,
    /// The dome is away.
    dome_up: bool,
}

impl Runner<'_> {
    /// Tries every way to start a game while `code` is latched.
    pub(super) fn prove(&mut self, code: Code, thoroughly: bool) -> Result<(), Halt> {
        let (role, asked) = (self.role, self.asked);
        let before = self.before(code)?;
        self.try_people(&before)?;
        if thoroughly {
            self.try_around(&before)?;
        }
        (self.role, self.asked) = (role, asked);
        Ok(())
    }

    /// The table as the proof finds it: latched, idle, and the sign on.
    fn before(&mut self, code: Code) -> Result<Before, Halt> {
        self.wait(&Check::Latched(code.name().into()), LATCHED)?;
        let Some(shown) = self.bench.snapshot()? else {
            return Err(Trouble::Rig("`prove` needs a daemon that runs".into()).into());
        };
        if shown.round.is_some() || shown.test.is_some() {
            return Err(Trouble::Rig(format!(
                "`prove` needs a table without a round or a test in progress: a round that is, goes on under many \
                 latches; {}",
                self.where_we_are()
            ))
            .into());
        }
        self.sign_is_on("before anything was tried")?;
        Ok(self.count(code, shown.malfunctions.iter().map(|m| m.code).collect()))
    }

    /// How often everything had happened that must not happen again.
    fn count(&mut self, code: Code, latched: Vec<Code>) -> Before {
        let dome_up = self.bench.physical().dome_up;
        let log = self.bench.log();
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

    /// Looks whether anything came of what was tried so far; `what` is the latest of it.
    fn nothing_came(&mut self, before: &Before, what: &str) -> Result<(), Halt> {
        let log = self.bench.log();
        let begun = log.records.iter().skip(before.records).find_map(|durable| match &durable.record.event {
            Event::RoundBegan { .. } => Some("a round began"),
            Event::SpinBegan => Some("a spin began"),
            Event::TestBegan { .. } => Some("a test began"),
            Event::Opened { .. } => Some("the table was opened"),
            Event::Unlatched { .. } => Some("a latch was opened"),
            _ => None,
        });
        let powered = log.power.iter().skip(before.power).any(|(_, on)| *on) && !self.runs_by_itself();
        let log = self.bench.log();
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
        Err(self.wrong(before, what, came))
    }

    /// Lets what was tried have its consequences, then looks at everything: the records, the wires, the truth and what
    /// the table says of itself.
    fn still_latched(&mut self, before: &Before, what: &str) -> Result<(), Halt> {
        self.pass(CONSEQUENCES)?;
        self.nothing_came(before, what)?;
        let Some(shown) = self.bench.snapshot()? else { return Err(self.wrong(before, what, "the daemon is gone")) };
        if let Some(lost) = before.latched.iter().find(|code| !shown.malfunctions.iter().any(|m| m.code == **code)) {
            return Err(self.wrong(before, what, &format!("{lost} is no longer latched")));
        }
        if shown.round.is_some() {
            return Err(self.wrong(before, what, "a round is in progress"));
        }
        self.sign_is_on(what)
    }

    /// design.md, Latch: the sign says "no games" while none may be played. A sign that is broken itself is left out.
    fn sign_is_on(&mut self, what: &str) -> Result<(), Halt> {
        if self.sign_is_broken() {
            self.left_out("the sign", "it is itself broken");
            return Ok(());
        }
        if let Err(Halt::Trouble(trouble)) = self.wait(&Check::Sign(true), LATCHED) {
            return Err(trouble.into());
        }
        if self.holds(&Check::Sign(true))? {
            return Ok(());
        }
        Err(Halt::Wrong(format!("{what}: the sign \"no games\" is off under a latch; {}", self.where_we_are())))
    }

    fn wrong(&mut self, before: &Before, what: &str, came: &str) -> Halt {
        Halt::Wrong(format!(
            "{what}: {came} while {} is latched [NZ 7.4: no further game until rectified]; {}",
            before.code,
            self.where_we_are()
        ))
    }

    /// Notes that something was not tried, so that a pass claims nothing about it.
    pub(super) fn left_out(&mut self, what: &str, why: &str) {
        let note = format!("latch proof: {what}: {why}");
        if !self.notes.contains(&note) {
            self.notes.push(note);
        }
    }
}
