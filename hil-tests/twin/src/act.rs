//! What people do at the table.

use tumbler_core::line::InLine;

/// One act of a person. Times of the fingers are in the act; the twin adds the contacts' bounce.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Act {
    /// Press a button or turn the key, and let go after this many milliseconds.
    Press {
        /// The button or the key.
        line: InLine,
        /// For how long, in milliseconds.
        millis: u32,
    },
    /// Press a button or turn the key, and keep it so.
    Hold(InLine),
    /// Let go of a held button or turn the key back.
    LetGo(InLine),
    /// Take the dome away.
    LiftDome,
    /// Put the dome over the dice.
    LowerDome,
    /// Press a key of the terminal for 80 ms: 1 to 6 a digit, 7 entry.
    Key(u8),
    /// Press a key of the terminal and hold it.
    HoldKey(u8),
    /// Let go of a held key of the terminal.
    LetGoKey(u8),
    /// A line leaves its level and comes back, and of the two edges only the second is told.
    LoseEdge(InLine),
    /// Break the seal's loop.
    BreakSeal,
    /// Make the seal's loop whole.
    MendSeal,
    /// Turn the shaft by hand, by this many quarters of a tumble, at one tumble a second; backwards if negative.
    TurnShaft(i32),
    /// Cock or lay flat a die, or turn it to another face, by hand.
    MoveDie {
        /// Which, 0 to 2.
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
