//! The register maps of the units on the field bus (Modbus RTU). `daemon/docs/registers.md` is the page for
//! builders of boards; this file is what the table reckons with.

use serde::{Deserialize, Serialize};
use strum::IntoStaticStr;

/// What a unit has at an address, as Modbus calls it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, IntoStaticStr)]
#[serde(rename_all = "kebab-case")]
pub enum Kind {
    /// A 16-bit word that the master only reads.
    #[strum(serialize = "input register")]
    InputRegister,
    /// A 16-bit word that the master writes.
    #[strum(serialize = "holding register")]
    HoldingRegister,
    /// A bit that the master writes.
    #[strum(serialize = "coil")]
    Coil,
    /// A bit that the master reads.
    #[strum(serialize = "discrete input")]
    DiscreteInput,
}

impl Kind {
    /// Its name, as on the page.
    #[must_use]
    pub fn name(self) -> &'static str {
        self.into()
    }
}

/// Registers or bits of one name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Named {
    /// What they are.
    pub kind: Kind,
    /// Address of the first.
    pub address: u16,
    /// How many.
    pub count: u16,
    /// What they are called.
    pub name: &'static str,
}

const fn named(kind: Kind, address: u16, count: u16, name: &'static str) -> Named {
    Named { kind, address, count, name }
}

/// The entry terminal.
pub mod terminal {
    use super::{Kind, Named, named};

    /// All that it has, in the page's order.
    pub const MAP: [Named; 10] = [
        named(Kind::InputRegister, VERSION, 1, "version of this map"),
        named(Kind::InputRegister, FIRMWARE, 1, "firmware id"),
        named(Kind::InputRegister, POLL, 1, "keys held now"),
        named(Kind::InputRegister, POLL + 1, 1, "number of the first event in this reply"),
        named(Kind::InputRegister, POLL + 2, 1, "events in this reply"),
        named(Kind::InputRegister, POLL + 3, WINDOW as u16, "codes of the events"),
        named(Kind::InputRegister, POLL + 11, 1, "display"),
        named(Kind::HoldingRegister, ACKNOWLEDGE, 1, "acknowledge"),
        named(Kind::HoldingRegister, DISPLAY, 1, "display"),
        named(Kind::HoldingRegister, LED, 1, "lamp"),
    ];
    /// Whether the input register at this address has keys of the dealer in it: the held ones, or the code of an event.
    #[must_use]
    pub const fn is_key(address: u16) -> bool {
        address == POLL || address > POLL + 2 && address < POLL + 11
    }

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
    use super::{Kind, Named, named};

    /// All that it has, in the page's order.
    pub const MAP: [Named; 2] = [
        named(Kind::Coil, 0, PER_BOARD as u16, "lamp commanded on"),
        named(Kind::DiscreteInput, 0, PER_BOARD as u16, "current flows through the lamp"),
    ];
    /// Modbus unit address of the first board; the others follow.
    pub const FIRST_UNIT: u8 = 2;
    /// Outputs on a board: coils 0 to 63 command them, discrete inputs 0 to 63 say whether current flows.
    pub const PER_BOARD: usize = 64;
}

/// The dice reader.
pub mod reader {
    use super::{Kind, Named, named};

    /// All that it has, in the page's order.
    pub const MAP: [Named; 7] = [
        named(Kind::InputRegister, POSE, 1, "measurements since power-up"),
        named(Kind::InputRegister, POSE + 1, 1, "dice seen"),
        named(Kind::InputRegister, POSE + 2, 3, "poses of the three dice"),
        named(Kind::InputRegister, POSE + 5, 3, "identities of the three dice"),
        named(Kind::InputRegister, POSE + 8, 1, "motion"),
        named(Kind::InputRegister, FACES, 1, "measurements since power-up"),
        named(Kind::InputRegister, FACES + 1, 3, "faces of the three dice"),
    ];
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
