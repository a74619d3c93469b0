//! The register maps of the units on the field bus, as their published description has them.

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
