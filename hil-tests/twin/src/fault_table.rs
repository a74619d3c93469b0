//! Every fault of the twin, declared once: its id in scenarios and the catalogue, its value, the part that it breaks, how campaigns
//! and the search have it, and how it is healed. Parser, names, letters, campaigns and what the catalogue leaves out follow from this
//! table. The effect of a fault is in the physics of its part, which asks `takes_effect`; a healed fault is no longer in force.

use super::fault::{Fault, Garble, LampFault, Noise};
use super::fault_row::{Constructor, Declared, Draw, Healing, Row, Share};
use tumbler_core::line::InLine;

/// A part of the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// Motor, driver and temperature sensor.
    Motor,
    /// The dead-man relay.
    Relay,
    /// The cam's sensors.
    Cam,
    /// The dome's contacts.
    DomeContacts,
    /// Buttons, key and the other contacts.
    Buttons,
    /// An output pin.
    Gpio,
    /// The dice.
    Dice,
    /// The dice reader.
    Reader,
    /// Keypad and display.
    Terminal,
    /// Lamps and their boards.
    Lamps,
    /// The field bus.
    Bus,
    /// The part of the line that is its argument.
    Line,
}

/// `part` is `None` for what judges need not know: acts of people, noise that a healthy table tolerates, and the loads of bell and sign.
const fn row(id: &'static str, make: Constructor<Fault>, part: Option<Part>, swarm: Share) -> Row<Fault, Option<Part>> {
    Row::new(id, make, part, swarm)
}

const fn every(arguments: &'static [&'static str]) -> Share {
    Share::Every(arguments)
}

const fn drawn(draw: Draw) -> Share {
    Share::Drawn(draw)
}

const NEVER: Share = Share::Never;
const EVERY: Share = every(&[""]);
const DOME: Share = Share::Dome;
const READER: Share = Share::Reader;

/// All faults.
#[rustfmt::skip]
const TABLE: &[Row<Fault, Option<Part>>] = &[
    row("motor.stall", Constructor::Plain(Fault::MotorStall), Some(Part::Motor), EVERY).searched(""),
    row("motor.dead", Constructor::Plain(Fault::MotorDead), Some(Part::Motor), EVERY),
    row("motor.slow", Constructor::Plain(Fault::MotorSlow), Some(Part::Motor), EVERY).searched(""),
    row("motor.intermittent", Constructor::Plain(Fault::MotorIntermittent), Some(Part::Motor), EVERY),
    row("motor.coast", Constructor::Plain(Fault::MotorCoast), Some(Part::Motor), EVERY).searched("").heals(Healing::Settles(8_000)),
    row("motor.reverse", Constructor::Plain(Fault::MotorReverse), Some(Part::Motor), EVERY),
    row("motor.driver_fault", Constructor::Plain(Fault::DriverFault), Some(Part::Motor), EVERY).searched(""),
    row("motor.driver_fault_dead", Constructor::Plain(Fault::DriverFaultDead), Some(Part::Motor), EVERY),
    row("motor.enable_stuck", Constructor::Plain(Fault::EnableStuck), Some(Part::Motor), EVERY),
    row("deadman.stuck", Constructor::Plain(Fault::DeadmanWelded), Some(Part::Relay), EVERY).searched(""),
    row("motor.runaway", Constructor::Plain(Fault::Runaway), Some(Part::Relay), EVERY).searched(""),
    row("motor.hot", Constructor::Plain(Fault::MotorHot), Some(Part::Motor), EVERY).heals(Healing::Settles(12_000)),
    row("sensor.temp_dead", Constructor::Plain(Fault::TemperatureDead), Some(Part::Motor), EVERY).heals(Healing::Settles(4_000)),
    row("sensor.temp_absurd", Constructor::Plain(Fault::TemperatureAbsurd), Some(Part::Motor), EVERY).searched("").heals(Healing::Settles(4_000)),
    row("cam.a_stuck_0", Constructor::Plain(Fault::LineStuck { line: InLine::CamA, active: false }), Some(Part::Cam), EVERY),
    row("cam.a_stuck_1", Constructor::Plain(Fault::LineStuck { line: InLine::CamA, active: true }), Some(Part::Cam), EVERY),
    row("cam.b_stuck_0", Constructor::Plain(Fault::LineStuck { line: InLine::CamB, active: false }), Some(Part::Cam), EVERY),
    row("cam.b_stuck_1", Constructor::Plain(Fault::LineStuck { line: InLine::CamB, active: true }), Some(Part::Cam), EVERY),
    row("cam.lost_edges", Constructor::Plain(Fault::CamLost), Some(Part::Cam), EVERY).searched(""),
    row("cam.bounce", Constructor::Plain(Fault::CamBounce), Some(Part::Cam), EVERY).healthy(),
    row("cam.phantom", Constructor::Plain(Fault::Noise(Noise::CamPhantom)), Some(Part::Cam), EVERY),
    row("cam.both_noise", Constructor::Plain(Fault::Noise(Noise::CamBoth)), Some(Part::Cam), EVERY),
    row("dome.stuck_closed", Constructor::Plain(Fault::LineStuck { line: InLine::DomeClosed, active: true }), Some(Part::DomeContacts), DOME).searched(""),
    row("dome.stuck_open", Constructor::Plain(Fault::LineStuck { line: InLine::DomeOpen, active: true }), Some(Part::DomeContacts), DOME),
    row("dome.cable_cut", Constructor::Plain(Fault::DomeCable { active: false }), Some(Part::DomeContacts), DOME).searched(""),
    row("dome.short", Constructor::Plain(Fault::DomeCable { active: true }), Some(Part::DomeContacts), DOME),
    row("dome.bounce", Constructor::Plain(Fault::DomeBounce), Some(Part::DomeContacts), DOME),
    row("dome.flicker", Constructor::Plain(Fault::Noise(Noise::flicker(InLine::DomeClosed))), None, DOME).healthy(),
    row("dome.flicker_long", Constructor::Plain(Fault::Noise(Noise::long_flicker(InLine::DomeClosed))), None, DOME).searched(""),
    row("dome.chatter", Constructor::Plain(Fault::Noise(Noise::loose(InLine::DomeClosed))), Some(Part::DomeContacts), NEVER),
    row("seal.flicker", Constructor::Plain(Fault::Noise(Noise::flicker(InLine::Seal))), None, EVERY).healthy(),
    row("seal.chatter", Constructor::Plain(Fault::Noise(Noise::loose(InLine::Seal))), Some(Part::Buttons), NEVER),
    row("dice.cocked_1", Constructor::Plain(Fault::DiceCocked(1)), None, EVERY).searched(""),
    row("dice.cocked_2", Constructor::Plain(Fault::DiceCocked(2)), None, EVERY),
    row("dice.cocked_3", Constructor::Plain(Fault::DiceCocked(3)), None, EVERY),
    row("dice.moving", Constructor::Plain(Fault::DiceMoving), Some(Part::Dice), EVERY).searched(""),
    row("dice.missing", Constructor::Plain(Fault::DiceMissing), Some(Part::Dice), READER),
    row("dice.extra", Constructor::Plain(Fault::DiceExtra), Some(Part::Dice), READER),
    row("dice.foreign", Constructor::Plain(Fault::DiceForeign), Some(Part::Dice), READER).searched(""),
    row("dice.twins", Constructor::Plain(Fault::DiceTwins), Some(Part::Dice), READER),
    row("dice.not_tumbled", Constructor::Plain(Fault::DiceNotTumbled), Some(Part::Dice), EVERY),
    row("reader.silent", Constructor::Plain(Fault::UnitSilent(10)), Some(Part::Reader), READER).searched(""),
    row("reader.crc", Constructor::Plain(Fault::ReaderFrames(Garble::Hit)), Some(Part::Reader), READER),
    row("reader.slow", Constructor::Plain(Fault::ReaderFrames(Garble::Late)), Some(Part::Reader), READER),
    row("reader.says_flat", Constructor::Plain(Fault::ReaderSaysFlat), Some(Part::Reader), READER),
    row("reader.says_not_flat", Constructor::Plain(Fault::ReaderSaysNotFlat), Some(Part::Reader), READER),
    row("reader.wrong_face", Constructor::Plain(Fault::ReaderWrongFace), Some(Part::Reader), READER).searched(""),
    row("reader.garbage", Constructor::Plain(Fault::ReaderGarbage), Some(Part::Reader), READER),
    row("reader.stale", Constructor::Plain(Fault::ReaderStale), Some(Part::Reader), READER),
    row("terminal.silent", Constructor::Plain(Fault::UnitSilent(1)), Some(Part::Terminal), EVERY).searched(""),
    row("terminal.chatter", Constructor::Plain(Fault::KeyChatter), None, EVERY).healthy(),
    row("terminal.ghost", Constructor::Plain(Fault::KeyGhost), Some(Part::Terminal), EVERY),
    row("terminal.flood", Constructor::Plain(Fault::Noise(Noise::Keys)), Some(Part::Terminal), EVERY),
    row("display.wrong", Constructor::Plain(Fault::DisplayWrong), Some(Part::Terminal), EVERY).searched(""),
    row("lamps.board_silent", Constructor::Plain(Fault::UnitSilent(2)), Some(Part::Lamps), EVERY),
    row("lamps.psu_dead", Constructor::Plain(Fault::LampSupplyDead), Some(Part::Lamps), EVERY),
    row("lamps.flicker", Constructor::Plain(Fault::Noise(Noise::LampSupply)), Some(Part::Lamps), EVERY),
    row("lamps.partial", Constructor::Plain(Fault::LampsPartial), Some(Part::Lamps), EVERY),
    row("bell.dead", Constructor::Plain(Fault::BellDead), None, EVERY),
    row("sign.dead", Constructor::Plain(Fault::SignDead), None, EVERY),
    row("bus.cut", Constructor::Plain(Fault::BusCut), Some(Part::Bus), EVERY),
    row("bus.noise_1pct", Constructor::Plain(Fault::Frames { garble: Garble::Hit, percent: 1 }), Some(Part::Bus), EVERY).healthy(),
    row("bus.noise_30pct", Constructor::Plain(Fault::Frames { garble: Garble::Hit, percent: 30 }), Some(Part::Bus), EVERY),
    row("bus.late_reply", Constructor::Percent(|percent| Fault::Frames { garble: Garble::Late, percent }), Some(Part::Bus), every(&["20"])),
    row("bus.duplicate_reply", Constructor::Percent(|percent| Fault::Frames { garble: Garble::Twice, percent }), Some(Part::Bus), every(&["", "30"])),
    row("bus.wrong_unit", Constructor::Percent(|percent| Fault::Frames { garble: Garble::OtherUnit, percent }), Some(Part::Bus), every(&["20"])),
    row("bus.babble", Constructor::Plain(Fault::BusBabble), Some(Part::Bus), EVERY),
    row("lamp.open", Constructor::Area(|lamp| Fault::Lamp { kind: LampFault::Open, lamp }), Some(Part::Lamps), drawn(Draw::Area)).searched("single-1"),
    row("lamp.short", Constructor::Area(|lamp| Fault::Lamp { kind: LampFault::Short, lamp }), Some(Part::Lamps), drawn(Draw::Area)),
    row("lamp.stuck_off", Constructor::Area(|lamp| Fault::Lamp { kind: LampFault::StuckOff, lamp }), Some(Part::Lamps), drawn(Draw::Area)),
    row("lamp.stuck_on", Constructor::Area(|lamp| Fault::Lamp { kind: LampFault::StuckOn, lamp }), Some(Part::Lamps), drawn(Draw::Area)),
    row("lamp.swapped", Constructor::Areas(Fault::LampsSwapped), Some(Part::Lamps), drawn(Draw::Areas)),
    row("button.stuck", Constructor::Button(|line| Fault::LineStuck { line, active: true }), Some(Part::Buttons), drawn(Draw::Button)).heals(Healing::Settles(500)),
    row("button.crossed", Constructor::Buttons(Fault::ButtonsCrossed), Some(Part::Buttons), NEVER),
    row("line.stuck_inactive", Constructor::Line(|line| Fault::LineStuck { line, active: false }), Some(Part::Line), drawn(Draw::Line)),
    row("button.chatter", Constructor::Button(|line| Fault::Noise(Noise::Chatter(line))), Some(Part::Buttons), drawn(Draw::Button)),
    row("key.stuck_on", Constructor::Plain(Fault::LineStuck { line: InLine::SupervisorKey, active: true }), Some(Part::Buttons), EVERY).heals(Healing::Settles(500)),
    row("line.stuck_active", Constructor::Line(|line| Fault::LineStuck { line, active: true }), Some(Part::Line), NEVER),
    row("gpio.write_fails", Constructor::Output(Fault::PinStuck), Some(Part::Gpio), drawn(Draw::Output)).searched("motor_enable"),
    row("terminal.key_stuck", Constructor::Key(Fault::KeyStuck), Some(Part::Terminal), drawn(Draw::Key)),
];

impl Declared for Fault {
    type Part = Option<Part>;
    const TABLE: &'static [Row<Self, Self::Part>] = TABLE;
}

impl Fault {
    /// The part that it breaks; `None` for what judges need not know.
    #[must_use]
    pub fn part(self) -> Option<Part> {
        match (self.row()?.part, self) {
            (Some(Part::Line), Self::LineStuck { line, .. }) => Some(match line {
                InLine::CamA | InLine::CamB => Part::Cam,
                InLine::DomeClosed | InLine::DomeOpen => Part::DomeContacts,
                InLine::MotorFault => Part::Motor,
                _ => Part::Buttons,
            }),
            (part, _) => part,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    use tumbler_core::rules;

    #[test]
    fn ids_are_found_and_unknown_ones_are_told_what_is_allowed() {
        let layout = rules::layout("sg-v6-1");
        let lamp = layout.unwrap().areas.iter().position(|area| area.id == "small").unwrap() as u16;
        let parse = |name| Fault::named(name, layout);
        assert_eq!(parse("motor.stall"), Ok(Fault::MotorStall));
        assert_eq!(parse("lamp.open:small"), Ok(Fault::Lamp { kind: LampFault::Open, lamp }));
        let error = parse("motor.stal").unwrap_err().to_string();
        assert_eq!(error, "unknown fault `motor.stal`: did you mean `motor.stall`?");
        assert!(parse("lamp.open:nowhere").unwrap_err().to_string().starts_with("unknown area `nowhere`"));
        assert!(parse("button.stuck:bell").is_err() && parse("button.stuck:seal").is_err());
        assert!(parse("motor.stall:1").is_err());
        let late = |percent| Ok(Fault::Frames { garble: Garble::Late, percent });
        assert_eq!([parse("bus.late_reply:10"), parse("bus.late_reply")], [late(10), late(100)]);
        assert!(parse("bus.late_reply:0").unwrap_err().to_string().contains("1 to 100"));
    }

    #[test]
    fn of_several_ids_of_a_fault_one_is_its_name() {
        let layout = rules::layout("sg-v6-1");
        for (name, same) in [
            ("line.stuck_active:tumble", "button.stuck:tumble"),
            ("line.stuck_active:supervisor_key", "key.stuck_on"),
            ("line.stuck_inactive:cam_a", "cam.a_stuck_0"),
            ("lamp.swapped:small+big", "lamp.swapped:small+big"),
            ("bus.late_reply:100", "bus.late_reply"),
        ] {
            assert_eq!(Fault::named(name, layout).unwrap().name(layout), same);
        }
    }

    #[test]
    fn every_fault_breaks_the_part_that_it_is_declared_with() {
        for row in TABLE.iter().filter(|row| row.part != Some(Part::Line)) {
            assert_eq!(row.example().part(), row.part, "{}", row.entry.id);
        }
        for (line, part) in
            [(InLine::CamA, Part::Cam), (InLine::DomeOpen, Part::DomeContacts), (InLine::Seal, Part::Buttons)]
        {
            assert_eq!(Fault::LineStuck { line, active: true }.part(), Some(part));
        }
    }
}
