//! The register maps of the units on the field bus, from `daemon/docs/registers.md`.

/// The entry terminal's unit address.
pub(crate) const TERMINAL: u8 = 1;
/// Terminal, holding register: the display. Three nibbles: 1 to 6 a digit, 14 the letter E, 15 blank.
pub(crate) const DISPLAY: u16 = 1;
/// Unit address of the first lamp board; the second one follows.
pub(crate) const LAMPS: u8 = 2;
/// Outputs on a lamp board.
pub(crate) const PER_BOARD: u16 = 64;
/// The dice reader's unit address.
pub(crate) const READER: u8 = 10;
/// Reader, first register of the face block (its counter).
pub(crate) const FACES_FIRST: u16 = 0x100;
/// Reader, last register of the face block.
pub(crate) const FACES_LAST: u16 = 0x103;
/// Terminal, holding register: the number of the next key event that the master wants.
pub(crate) const ACKNOWLEDGE: u16 = 0;
/// Terminal, input register: the keys that are held now, bit `code - 1` for each.
pub(crate) const HELD: u16 = 2;
/// Terminal, input register: the number of key events in the reply.
pub(crate) const EVENTS: u16 = 4;
/// Terminal, input register: what the display really shows.
pub(crate) const SHOWN: u16 = 13;
/// Reader, first register of the pose block (its counter); two registers further, the poses of the three dice.
pub(crate) const POSES: u16 = 16;

/// Reader: the pose "moving".
pub(crate) const MOVING: u16 = 3;

/// The place of a unit among terminal, both lamp boards and reader.
pub(crate) const fn place(unit: u8) -> Option<usize> {
    match unit {
        TERMINAL => Some(0),
        LAMPS => Some(1),
        3 => Some(2),
        READER => Some(3),
        _ => None,
    }
}
