//! What can break in the twin: one value a fault of the catalogue, each with its heal and a proof that it took hold.

use std::collections::BTreeSet;
use tumbler_core::line::{InLine, OutLine};

/// A source of disturbance that comes again and again.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Noise {
    /// Random edges on one of the cam's sensors.
    CamPhantom,
    /// Random edges on both of the cam's sensors.
    CamBoth,
    /// The line breaks again and again: vibration, or a loose contact.
    Flicker {
        /// The line.
        line: InLine,
        /// For how long.
        micros: u32,
        /// How often, in milliseconds.
        every_ms: u32,
    },
    /// A button's contact makes for some milliseconds again and again although nobody touches it.
    Chatter(InLine),
    /// The terminal makes a thousand presses of its number keys a second.
    Keys,
    /// The lamps' supply breaks for 100 ms five times a second.
    LampSupply,
}

/// What becomes of a reply on its way over the field bus.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Garble {
    /// It is hit, and so fails by its checksum; or the request was, and then no unit heard it.
    Hit,
    /// It comes after the master has given it up.
    Late,
    /// It comes twice.
    Twice,
    /// It carries another unit's address, and a good checksum.
    OtherUnit,
}

/// A fault of one lamp.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum LampFault {
    /// Filament or cable open: no current, no light.
    Open,
    /// Short: the board's output trips, so no current is sensed and there is no light.
    Short,
    /// The board's output does not switch on.
    StuckOff,
    /// The board's output does not switch off.
    StuckOn,
}

/// A fault of the twin.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Fault {
    /// The shaft jams.
    MotorStall,
    /// The motor never turns.
    MotorDead,
    /// A tumble takes 2,200 ms.
    MotorSlow,
    /// The drive slips: it turns for 250 ms and stands for 450 ms, so that a tumble takes some 1,750 ms.
    MotorIntermittent,
    /// The shaft runs on for seconds.
    MotorCoast,
    /// The motor turns backwards.
    MotorReverse,
    /// The driver trips and says so.
    DriverFault,
    /// The driver trips, and its fault line stays silent.
    DriverFaultDead,
    /// The driver is shorted: it is on whatever `motor_enable` says.
    EnableStuck,
    /// The dead-man relay is welded: power stays without edges.
    DeadmanWelded,
    /// Both of the last two: the motor runs and nothing but the guards' contacts stops it.
    Runaway,
    /// The motor heats up to 95 degrees.
    MotorHot,
    /// The temperature sensor does not answer.
    TemperatureDead,
    /// The temperature jumps by 60 degrees and back.
    TemperatureAbsurd,
    /// An input line stays at a level, whatever happens.
    LineStuck {
        /// The line.
        line: InLine,
        /// The level.
        active: bool,
    },
    /// The cable of the dome's contacts: both lines say this, wherever the dome is.
    DomeCable {
        /// Shorted: both active. Cut: both inactive.
        active: bool,
    },
    /// The dome's contacts bounce for 30 ms whenever they move.
    DomeBounce,
    /// An output pin stays as it is, whatever is written to it.
    PinStuck(OutLine),
    /// The cam's edges do not arrive at all.
    CamLost,
    /// Fifty extra edges on one sensor per transition.
    CamBounce,
    /// Something that comes again and again.
    Noise(Noise),
    /// This many dice, 1 to 3, come to rest cocked.
    DiceCocked(u8),
    /// The dice never come to rest.
    DiceMoving,
    /// A die is missing.
    DiceMissing,
    /// There is a die too many.
    DiceExtra,
    /// A die is not of the enrolled set.
    DiceForeign,
    /// Two of the dice have one identity.
    DiceTwins,
    /// The platform does not shake the dice although the shaft turns.
    DiceNotTumbled,
    /// The reader says flat whatever lies there.
    ReaderSaysFlat,
    /// The reader says not flat whatever lies there.
    ReaderSaysNotFlat,
    /// The reader reads another face of the first die.
    ReaderWrongFace,
    /// The reader answers with numbers that mean nothing.
    ReaderGarbage,
    /// The reader repeats its last measurement, and the counter with it.
    ReaderStale,
    /// This becomes of every reply of the reader.
    ReaderFrames(Garble),
    /// A key of the terminal is held down for ever.
    KeyStuck(u8),
    /// Every press of a key makes contact five times.
    KeyChatter,
    /// Every press of a number key is one of its neighbour too: both make contact by turns, twice each.
    KeyGhost,
    /// The display shows something else than it was told.
    DisplayWrong,
    /// A lamp.
    Lamp {
        /// Which fault.
        kind: LampFault,
        /// Number of the lamp: its area's place in the layout.
        lamp: u16,
    },
    /// Two lamps are crossed: each shines for the other, and their currents look right.
    LampsSwapped(u16, u16),
    /// The lamps' supply is dead: the boards answer, and nothing shines.
    LampSupplyDead,
    /// One of the boards' two fuses is gone: every second lamp stays dark.
    LampsPartial,
    /// The bell's magnet does not strike.
    BellDead,
    /// The sign does not light.
    SignDead,
    /// A unit on the field bus is mute.
    UnitSilent(u8),
    /// The cable of the field bus is cut: every unit is mute.
    BusCut,
    /// This becomes of a share of all replies.
    Frames {
        /// What becomes of them.
        garble: Garble,
        /// The share in percent, 1 to 100.
        percent: u8,
    },
    /// A transmitter that is stuck on fills the line with random bytes.
    BusBabble,
}

/// The faults that are in force, and those that have shown.
#[derive(Clone, Debug, Default)]
pub(super) struct Faults {
    active: BTreeSet<Fault>,
    bitten: BTreeSet<Fault>,
}

impl Faults {
    pub(super) fn set(&mut self, fault: Fault) {
        self.active.insert(fault);
    }

    pub(super) fn heal(&mut self, fault: Fault) {
        self.active.remove(&fault);
    }

    /// Whether the fault is in force, without a claim that it showed.
    pub(super) fn has(&self, fault: Fault) -> bool {
        !self.active.is_empty() && self.active.contains(&fault)
    }

    /// Whether the fault is in force; if so, it shows now.
    pub(super) fn bites(&mut self, fault: Fault) -> bool {
        let hit = self.has(fault);
        if hit {
            self.bitten.insert(fault);
        }
        hit
    }

    /// Notes that a fault showed.
    pub(super) fn bit(&mut self, fault: Fault) {
        self.bitten.insert(fault);
    }

    pub(super) fn took_hold(&self, fault: Fault) -> bool {
        self.bitten.contains(&fault)
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = Fault> + '_ {
        self.active.iter().copied()
    }
}
