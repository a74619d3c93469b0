//! The latch proof: while a malfunction is latched, tries every way to start a game, none of which may succeed.
//!
//! NZ 7.4: no further game until the malfunction is rectified, or a procedure keeps the game's integrity. design.md, Latch: the
//! latch opens in these two ways only; no reboot, config change, clock step or message opens it.
//!
//! ```text
//! prove latched CODE              attempts.rs: each button, all in every order, the order of play, every command of every
//!                                 role. Nothing of it restarts the daemon or closes the table
//! prove latched CODE thoroughly   all of that, and restarts.rs: changed settings, lost and older files, messages,
//!                                 clocks, the table closed, maintenance, another rule set, a power cut
//! prove shut CODE                 exits.rs: while the condition lasts, no exit opens the latch
//! prove opens CODE HOW            exits.rs: this exit does, for a supervisor with a newer turn of the key and a name
//! ```
//!
//! What a bench has no means for is left out, and the report says so.

mod attempts;
mod baseline;
mod exits;
mod restarts;
#[cfg(test)]
mod tests;

pub(super) use exits::{prove_opens, prove_shut};

use super::halt::Halt;
use super::session::Session;
use attempts::try_people;
use baseline::before;
use restarts::try_restarts;
use tumbler_core::latch::Code;

/// Tries every way to start a game while `code` is latched.
pub(super) fn prove(session: &mut Session<'_>, code: Code, thoroughly: bool) -> Result<(), Halt> {
    let (role, asked) = (session.console.role, session.console.asked);
    let before = before(session, code)?;
    try_people(session, &before)?;
    if thoroughly {
        try_restarts(session, &before)?;
    }
    (session.console.role, session.console.asked) = (role, asked);
    Ok(())
}
