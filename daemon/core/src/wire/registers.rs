//! The register maps of the units on the field bus (Modbus RTU). `daemon/docs/registers.md` is the page for
//! builders of boards; this file is what the table reckons with.

/// The entry terminal.
pub mod terminal {
    /// Modbus unit address.
    pub const UNIT: u8 = 1;
    /// Input register: version of this map.
    pub const VERSION: u16 = 0;
    /// Input register: firmware id.
    pub const FIRMWARE: u16 = 1;
    /// First input register of the block that is polled.
    pub const POLL: u16 = 2;
    /// Input registers in the polled block: held keys, number of the first event, count of events, eight events, display as driven.
    pub const POLL_COUNT: u16 = 12;
    /// Most key events in one reply.
    pub const WINDOW: usize = 8;
    /// Event code and held-key bit of the entry key: codes 1 to 6 are the digits, 7 is entry; bit `code - 1` is set while held.
    pub const ENTRY: u16 = 7;
    /// Holding register: number of the next event that the table wants; all before it may be forgotten.
    pub const ACKNOWLEDGE: u16 = 0;
    /// Holding register: the display. Four nibbles, the highest one always zero; then left, middle and right position:
    /// 1 to 6 a digit, 13 a dash, 14 the letter E, 15 blank. 0x0FFF is all blank.
    pub const DISPLAY: u16 = 1;
    /// The blank display.
    pub const BLANK: u16 = 0x0FFF;
    /// The display that says "error": three times E.
    pub const ERROR: u16 = 0x0EEE;
    /// The display that says "void": three dashes.
    pub const VOID: u16 = 0x0DDD;
    /// Holding register: LED, 1 on, 0 off.
    pub const LED: u16 = 2;
    /// Capacity of the terminal's own event queue; when full, new presses are dropped and not numbered.
    pub const QUEUE: usize = 64;
}

/// A lamp board. Area `i` of a layout hangs on board `i / 64`, output `i % 64`, areas counted in the layout's order.
pub mod lamps {
    /// Modbus unit address of the first board; the others follow.
    pub const FIRST_UNIT: u8 = 2;
    /// Outputs on a board: coils 0 to 63 command them, discrete inputs 0 to 63 say whether current flows.
    pub const PER_BOARD: usize = 64;
}

/// The dice reader.
pub mod reader {
    /// Modbus unit address.
    pub const UNIT: u8 = 10;
    /// First input register of the pose block.
    pub const POSE: u16 = 0x10;
    /// Registers in the pose block: measurement counter, dice seen, three poses, three identities, motion counter.
    pub const POSE_COUNT: u16 = 9;
    /// Pose: the reader cannot say.
    pub const UNKNOWN: u16 = 0;
    /// Pose: lies flat on the platform.
    pub const FLAT: u16 = 1;
    /// Pose: at rest, and not flat.
    pub const NOT_FLAT: u16 = 2;
    /// Pose: moves.
    pub const MOVING: u16 = 3;
    /// Pose: no die at this place.
    pub const MISSING: u16 = 4;
    /// First input register of the face block, kept apart so that poses can be read without faces.
    pub const FACES: u16 = 0x100;
    /// Registers in the face block: measurement counter, three faces (1 to 6; 0 cannot say).
    pub const FACES_COUNT: u16 = 4;
}
