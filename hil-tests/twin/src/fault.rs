//! Faults of the twin: one value for each fault of the catalogue. Each can be healed, and proves that it took effect.

use std::collections::BTreeSet;
use tumbler_core::line::{InLine, OutLine};

/// A source of recurring noise.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Noise {
    /// Random edges on one of the cam's sensors.
    CamPhantom,
    /// Random edges on both of the cam's sensors.
    CamBoth,
    /// The line breaks repeatedly: vibration, or a loose contact.
    Flicker {
        /// The line.
        line: InLine,
        /// For how long.
        micros: u32,
        /// How often, in milliseconds.
        every_ms: u32,
    },
    /// A button's contact closes repeatedly for some milliseconds, although nobody touches it.
    Chatter(InLine),
    /// The terminal reports a thousand presses of its number keys a second.
    Keys,
    /// The lamps' supply breaks for 100 ms five times a second.
    LampSupply,
}

impl Noise {
    /// Breaks that a spin survives: it takes about 2.5 s, in which the table tolerates three breaks.
    pub const fn flicker(line: InLine) -> Self {
        Self::Flicker { line, micros: 2_000, every_ms: 1_200 }
    }

    /// Breaks each of which ends a spin.
    pub const fn long_flicker(line: InLine) -> Self {
        Self::Flicker { line, micros: 10_000, every_ms: 250 }
    }

    /// A loose contact: more breaks than a spin survives.
    pub const fn loose(line: InLine) -> Self {
        Self::Flicker { line, micros: 1_000, every_ms: 40 }
    }
}

/// What becomes of a reply on its way over the field bus.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Garble {
    /// It is corrupted and fails its checksum; or the request is, and no unit acts on it.
    Hit,
    /// It comes after the master's timeout.
    Late,
    /// It comes twice.
    Twice,
    /// It carries another unit's address, with a good checksum.
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
    /// The drive slips: it turns for 250 ms and stands for 450 ms, so that a tumble takes about 1,750 ms.
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
    /// Both of the last two: only the guards' contacts stop the motor.
    Runaway,
    /// The motor heats up to 95 degrees.
    MotorHot,
    /// The temperature sensor does not answer.
    TemperatureDead,
    /// The temperature jumps by 60 degrees and back.
    TemperatureAbsurd,
    /// An input line is stuck at a level.
    LineStuck {
        /// The line.
        line: InLine,
        /// The level.
        active: bool,
    },
    /// The wires of two buttons are crossed: a press of one is seen on the line of the other.
    ButtonsCrossed(InLine, InLine),
    /// The cable of the dome's contacts: both lines have the same level, wherever the dome is.
    DomeCable {
        /// Shorted: both active. Cut: both inactive.
        active: bool,
    },
    /// The dome's contacts bounce for 30 ms whenever they move.
    DomeBounce,
    /// An output pin ignores writes.
    PinStuck(OutLine),
    /// No edge of the cam arrives.
    CamLost,
    /// Fifty extra edges on one sensor per transition.
    CamBounce,
    /// Recurring noise.
    Noise(Noise),
    /// This many dice, 1 to 3, come to rest cocked.
    DiceCocked(u8),
    /// The dice never come to rest.
    DiceMoving,
    /// A die is missing.
    DiceMissing,
    /// There is one die too many.
    DiceExtra,
    /// A die is not of the enrolled set.
    DiceForeign,
    /// Two dice have the same identity.
    DiceTwins,
    /// The platform does not shake the dice although the shaft turns.
    DiceNotTumbled,
    /// The reader reports every die flat.
    ReaderSaysFlat,
    /// The reader reports no die flat.
    ReaderSaysNotFlat,
    /// The reader misreads the first die's face.
    ReaderWrongFace,
    /// The reader answers with meaningless numbers.
    ReaderGarbage,
    /// The reader repeats its last measurement, counter included.
    ReaderStale,
    /// Every reply of the reader is garbled like this.
    ReaderFrames(Garble),
    /// A key of the terminal is stuck down.
    KeyStuck(u8),
    /// Every press of a key is reported five times.
    KeyChatter,
    /// Every press of a number key also presses its neighbour: both make contact in turn, twice each.
    KeyGhost,
    /// The display shows another number than was written.
    DisplayWrong,
    /// A lamp.
    Lamp {
        /// Which fault.
        kind: LampFault,
        /// Number of the lamp: its area's place in the layout.
        lamp: u16,
    },
    /// Two lamps are swapped: each shines for the other, and the sensed currents look right.
    LampsSwapped(u16, u16),
    /// The lamps' supply is dead: the boards answer, and nothing shines.
    LampSupplyDead,
    /// One of the boards' two fuses is gone: every second lamp stays dark.
    LampsPartial,
    /// The bell's magnet does not strike.
    BellDead,
    /// The sign does not light.
    SignDead,
    /// A unit on the field bus is silent.
    UnitSilent(u8),
    /// The cable of the field bus is cut: every unit is silent.
    BusCut,
    /// A share of all replies is garbled.
    Frames {
        /// How they are garbled.
        garble: Garble,
        /// The share in percent, 1 to 100.
        percent: u8,
    },
    /// A transmitter that is stuck on fills the line with random bytes.
    BusBabble,
}

/// The faults that are in force, and those that have taken effect.
#[derive(Clone, Debug, Default)]
pub(super) struct Faults {
    active: BTreeSet<Fault>,
    taken_hold: BTreeSet<Fault>,
}

impl Faults {
    pub(super) fn set(&mut self, fault: Fault) {
        self.active.insert(fault);
    }

    pub(super) fn heal(&mut self, fault: Fault) {
        self.active.remove(&fault);
    }

    /// Whether the fault is in force, without noting that it takes effect.
    pub(super) fn has(&self, fault: Fault) -> bool {
        !self.active.is_empty() && self.active.contains(&fault)
    }

    /// Whether the fault is in force; if so, it takes effect now.
    pub(super) fn takes_effect(&mut self, fault: Fault) -> bool {
        let hit = self.has(fault);
        if hit {
            self.taken_hold.insert(fault);
        }
        hit
    }

    /// Notes that a fault has taken effect.
    pub(super) fn note_hold(&mut self, fault: Fault) {
        self.taken_hold.insert(fault);
    }

    pub(super) fn took_effect(&self, fault: Fault) -> bool {
        self.taken_hold.contains(&fault)
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = Fault> + '_ {
        self.active.iter().copied()
    }
}
