//! What people do at the table.

use tumbler_core::line::InLine;

/// One act of a person. The act has the finger's timing; the twin adds the contact's bounce.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Act {
    /// Press a button or turn the key, and release it after this many milliseconds.
    Press {
        /// The button or the key.
        line: InLine,
        /// For how long, in milliseconds.
        millis: u32,
    },
    /// Press a button or turn the key, and hold it.
    Hold(InLine),
    /// Release a held button, or turn the key back.
    LetGo(InLine),
    /// Take the dome away.
    LiftDome,
    /// Put the dome over the dice.
    LowerDome,
    /// Press a key of the terminal for 80 ms: 1 to 6 a digit, 7 entry.
    Key(u8),
    /// Press a key of the terminal and hold it.
    HoldKey(u8),
    /// Release a held key of the terminal.
    LetGoKey(u8),
    /// A line leaves its level and comes back; of the two edges only the second reaches the daemon.
    LoseEdge(InLine),
    /// Break the seal's loop.
    BreakSeal,
    /// Close the seal's loop.
    MendSeal,
    /// Turn the shaft by hand, by this many quarters of a tumble, at one tumble a second; backwards if negative.
    TurnShaft(i32),
    /// Lay a die by hand: flat or cocked, with this face up.
    MoveDie {
        /// Number of the die, 0 to 2.
        die: u8,
        /// The face that shows afterwards, 1 to 6.
        face: u8,
        /// Whether it lies flat afterwards.
        flat: bool,
    },
    /// The supply drops for 10 ms and comes back before anything fails.
    DipSupply,
    /// The supply fails: `power_good` drops now, everything stops 25 ms later.
    CutSupply,
    /// The supply comes back.
    RestoreSupply,
}
