//! The catalogue's ids of faults, as scenarios write them: `motor.stall`, `lamp.open:small`, `line.stuck_active:tumble`.

use super::fault::{Fault, Garble, LampFault, Noise};
use tumbler_core::line::{InLine, OutLine};

/// Ids that need no argument.
const PLAIN: &[(&str, Fault)] = &[
    ("motor.stall", Fault::MotorStall),
    ("motor.dead", Fault::MotorDead),
    ("motor.slow", Fault::MotorSlow),
    ("motor.intermittent", Fault::MotorIntermittent),
    ("motor.coast", Fault::MotorCoast),
    ("motor.reverse", Fault::MotorReverse),
    ("motor.driver_fault", Fault::DriverFault),
    ("motor.driver_fault_dead", Fault::DriverFaultDead),
    ("motor.enable_stuck", Fault::EnableStuck),
    ("deadman.stuck", Fault::DeadmanWelded),
    ("motor.runaway", Fault::Runaway),
    ("motor.hot", Fault::MotorHot),
    ("sensor.temp_dead", Fault::TemperatureDead),
    ("sensor.temp_absurd", Fault::TemperatureAbsurd),
    ("cam.a_stuck_0", Fault::LineStuck { line: InLine::CamA, active: false }),
    ("cam.a_stuck_1", Fault::LineStuck { line: InLine::CamA, active: true }),
    ("cam.b_stuck_0", Fault::LineStuck { line: InLine::CamB, active: false }),
    ("cam.b_stuck_1", Fault::LineStuck { line: InLine::CamB, active: true }),
    ("cam.lost_edges", Fault::CamLost),
    ("cam.bounce", Fault::CamBounce),
    ("cam.phantom", Fault::Noise(Noise::CamPhantom)),
    ("cam.both_noise", Fault::Noise(Noise::CamBoth)),
    ("dome.stuck_closed", Fault::LineStuck { line: InLine::DomeClosed, active: true }),
    ("dome.stuck_open", Fault::LineStuck { line: InLine::DomeOpen, active: true }),
    ("dome.cable_cut", Fault::DomeCable { active: false }),
    ("dome.short", Fault::DomeCable { active: true }),
    ("dome.bounce", Fault::DomeBounce),
    // A spin takes some 2.5 s: the table bears three breaks in one.
    ("dome.flicker", Fault::Noise(Noise::Flicker { line: InLine::DomeClosed, micros: 2000, every_ms: 1200 })),
    ("dome.flicker_long", Fault::Noise(Noise::Flicker { line: InLine::DomeClosed, micros: 10_000, every_ms: 250 })),
    ("dome.chatter", Fault::Noise(Noise::Flicker { line: InLine::DomeClosed, micros: 1000, every_ms: 40 })),
    ("seal.flicker", Fault::Noise(Noise::Flicker { line: InLine::Seal, micros: 2000, every_ms: 1200 })),
    ("seal.chatter", Fault::Noise(Noise::Flicker { line: InLine::Seal, micros: 1000, every_ms: 40 })),
    ("dice.cocked_1", Fault::DiceCocked(1)),
    ("dice.cocked_2", Fault::DiceCocked(2)),
    ("dice.cocked_3", Fault::DiceCocked(3)),
    ("dice.moving", Fault::DiceMoving),
    ("dice.missing", Fault::DiceMissing),
    ("dice.extra", Fault::DiceExtra),
    ("dice.foreign", Fault::DiceForeign),
    ("dice.twins", Fault::DiceTwins),
    ("dice.not_tumbled", Fault::DiceNotTumbled),
    ("reader.silent", Fault::UnitSilent(10)),
    ("reader.crc", Fault::ReaderFrames(Garble::Hit)),
    ("reader.slow", Fault::ReaderFrames(Garble::Late)),
    ("reader.says_flat", Fault::ReaderSaysFlat),
    ("reader.says_not_flat", Fault::ReaderSaysNotFlat),
    ("reader.wrong_face", Fault::ReaderWrongFace),
    ("reader.garbage", Fault::ReaderGarbage),
    ("reader.stale", Fault::ReaderStale),
    ("terminal.silent", Fault::UnitSilent(1)),
    ("terminal.chatter", Fault::KeyChatter),
    ("terminal.ghost", Fault::KeyGhost),
    ("terminal.flood", Fault::Noise(Noise::Keys)),
    ("display.wrong", Fault::DisplayWrong),
    ("lamps.board_silent", Fault::UnitSilent(2)),
    ("lamps.psu_dead", Fault::LampSupplyDead),
    ("lamps.flicker", Fault::Noise(Noise::LampSupply)),
    ("lamps.partial", Fault::LampsPartial),
    ("bell.dead", Fault::BellDead),
    ("sign.dead", Fault::SignDead),
    ("key.stuck_on", KEY_TURNED),
    ("key.active_at_start", KEY_TURNED),
    ("bus.cut", Fault::BusCut),
    ("bus.noise_1pct", Fault::Frames { garble: Garble::Hit, percent: 1 }),
    ("bus.noise_30pct", Fault::Frames { garble: Garble::Hit, percent: 30 }),
    ("bus.late_reply", Fault::Frames { garble: Garble::Late, percent: 100 }),
    ("bus.duplicate_reply", Fault::Frames { garble: Garble::Twice, percent: 100 }),
    ("bus.wrong_unit", Fault::Frames { garble: Garble::OtherUnit, percent: 100 }),
    ("bus.babble", Fault::BusBabble),
];

const KEY_TURNED: Fault = Fault::LineStuck { line: InLine::SupervisorKey, active: true };

/// Ids that need an argument after a colon, and what it is.
const WITH: &[(&str, &str)] = &[
    ("button.stuck", "a line, such as tumble"),
    ("button.active_at_start", "a line, such as tumble"),
    ("button.chatter", "a line, such as tumble"),
    ("line.stuck_active", "a line"),
    ("line.stuck_inactive", "a line"),
    ("gpio.write_fails", "an output, such as bell"),
    ("lamp.open", "an area"),
    ("lamp.short", "an area"),
    ("lamp.stuck_off", "an area"),
    ("lamp.stuck_on", "an area"),
    ("lamp.swapped", "two areas with + between them"),
    ("terminal.key_stuck", "a key, 1 to 7; 7 is entry"),
    ("bus.late_reply", PERCENT),
    ("bus.duplicate_reply", PERCENT),
    ("bus.wrong_unit", PERCENT),
];

const PERCENT: &str = "a share in percent, 1 to 100; every reply without";

/// Not a fault that the twin knows.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("fault `{name}`: {problem}; allowed is {allowed}")]
pub struct BadFault {
    /// What was written.
    pub name: String,
    /// What is wrong with it.
    pub problem: String,
    /// What is allowed.
    pub allowed: String,
}

/// All ids, those that need an argument without it.
pub fn ids() -> impl Iterator<Item = &'static str> {
    PLAIN.iter().map(|(id, _)| *id).chain(WITH.iter().map(|(id, _)| *id))
}

/// The fault with this id. `lamp` tells the number of an area's lamp.
///
/// # Errors
/// [`BadFault`] with the ids or arguments that are allowed.
pub fn parse(name: &str, lamp: &dyn Fn(&str) -> Option<u16>) -> Result<Fault, BadFault> {
    if let Some((_, fault)) = PLAIN.iter().find(|(id, _)| *id == name) {
        return Ok(*fault);
    }
    let bad = |problem: &str, allowed: String| BadFault { name: name.into(), problem: problem.into(), allowed };
    let (id, argument) = name.split_once(':').unwrap_or((name, ""));
    let Some((_, wanted)) = WITH.iter().find(|(known, _)| *known == id) else {
        let all: Vec<String> = PLAIN
            .iter()
            .map(|(id, _)| (*id).to_owned())
            .chain(WITH.iter().map(|(id, argument)| format!("{id}:<{argument}>")))
            .collect();
        return Err(bad("is not in the catalogue", all.join(", ")));
    };
    let wrong = || bad(&format!("`{argument}` is no argument of {id}"), (*wanted).into());
    let line = || InLine::ALL.into_iter().find(|l| l.name() == argument).ok_or_else(wrong);
    let frames = |garble| match argument.parse() {
        Ok(percent @ 1..=100) => Ok(Fault::Frames { garble, percent }),
        _ => Err(wrong()),
    };
    let of_lamp = |kind| lamp(argument).map(|lamp| Fault::Lamp { kind, lamp }).ok_or_else(wrong);
    match id {
        "button.stuck" | "button.active_at_start" | "line.stuck_active" => {
            Ok(Fault::LineStuck { line: line()?, active: true })
        }
        "line.stuck_inactive" => Ok(Fault::LineStuck { line: line()?, active: false }),
        "button.chatter" => Ok(Fault::Noise(Noise::Chatter(line()?))),
        "bus.late_reply" => frames(Garble::Late),
        "bus.duplicate_reply" => frames(Garble::Twice),
        "bus.wrong_unit" => frames(Garble::OtherUnit),
        "gpio.write_fails" => {
            OutLine::ALL.into_iter().find(|l| l.name() == argument).map(Fault::PinStuck).ok_or_else(wrong)
        }
        "lamp.open" => of_lamp(LampFault::Open),
        "lamp.short" => of_lamp(LampFault::Short),
        "lamp.stuck_off" => of_lamp(LampFault::StuckOff),
        "lamp.stuck_on" => of_lamp(LampFault::StuckOn),
        "lamp.swapped" => {
            let (a, b) = argument.split_once('+').ok_or_else(wrong)?;
            Ok(Fault::LampsSwapped(lamp(a).ok_or_else(wrong)?, lamp(b).ok_or_else(wrong)?))
        }
        _ => match argument.parse() {
            Ok(key @ 1..=7) => Ok(Fault::KeyStuck(key)),
            _ => Err(wrong()),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_found_and_unknown_ones_are_told_what_is_allowed() {
        let lamp = |area: &str| (area == "small").then_some(3);
        assert_eq!(parse("motor.stall", &lamp), Ok(Fault::MotorStall));
        assert_eq!(parse("lamp.open:small", &lamp), Ok(Fault::Lamp { kind: LampFault::Open, lamp: 3 }));
        let error = parse("motor.stal", &lamp).unwrap_err().to_string();
        assert!(error.contains("motor.stal") && error.contains("motor.stall,"), "{error}");
        assert!(parse("lamp.open:nowhere", &lamp).unwrap_err().to_string().contains("an area"));
        assert!(parse("button.stuck:bell", &lamp).is_err());
        let tenth = Fault::Frames { garble: Garble::Late, percent: 10 };
        assert_eq!(parse("bus.late_reply:10", &lamp), Ok(tenth));
        assert!(parse("bus.late_reply:0", &lamp).unwrap_err().to_string().contains("1 to 100"));
    }
}
