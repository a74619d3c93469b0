//! What happens at the table, in any order and at any time: edges, presses, keys, units that answer anything, a disk that commits late,
//! commands, restarts. The table must not panic, and the motor may only be energised while every guard is there.

#![no_main]

#[path = "../../../daemon/core/tests/world/mod.rs"]
mod world;

use libfuzzer_sys::arbitrary::{Result, Unstructured};
use libfuzzer_sys::fuzz_target;
use std::sync::LazyLock;
use tumbler_core::effect::Effect;
use tumbler_core::hardware_test::HardwareTest;
use tumbler_core::input::{BusFailure, BusReply, Input};
use tumbler_core::latch::Code;
use tumbler_core::line::{InLine, OutLine};
use tumbler_core::round::Finding;
use tumbler_core::rules;
use tumbler_core::units::{Dice, MilliCelsius, Seq};
use tumbler_core::wire::console::{Caller, Command, Exit, Witness};
use world::text::RULES;
use world::{SUPERVISOR, World, settings};

/// A table of each rule set, opened by a supervisor.
static OPENED: LazyLock<Vec<World>> = LazyLock::new(|| {
    let all = RULES.iter().map(|(rules, layout)| {
        let mut world = World::new(settings(rules, layout));
        world.pass(2000);
        world.open();
        world.watch = watch;
        // What led here is the same every time, and is not looked at.
        world.history.clear();
        world
    });
    all.collect()
});

/// Looks at every effect as it is carried out (design.md, Motor guard).
fn watch(world: &World, effect: &Effect) {
    let Effect::Set(told) = effect else { return };
    let (line, active) = (told.line(), told.is_active());
    if line == OutLine::MotorAlive {
        assert!(world.outs[OutLine::MotorEnable.index()], "a dead-man edge while the motor is not commanded on");
    }
    if line == OutLine::MotorEnable && active {
        let is = |line: InLine| world.lines[line.index()];
        assert!(is(InLine::Seal) && is(InLine::PowerGood) && !is(InLine::MotorFault), "a guard is away");
        let covered = rules::rule_set(&world.settings.rules).is_some_and(|rules| rules.order.covered);
        assert!(!covered || is(InLine::DomeClosed) && !is(InLine::DomeOpen), "the dome is not down");
    }
}

fn reply(u: &mut Unstructured<'_>) -> Result<std::result::Result<BusReply, BusFailure>> {
    Ok(match u.int_in_range(0..=4)? {
        0 => Ok(BusReply::Words((0..u.int_in_range(0..=16)?).map(|_| u.arbitrary()).collect::<Result<_>>()?)),
        1 => Ok(BusReply::Bits(u.arbitrary()?)),
        2 => Ok(BusReply::Written),
        3 => Err(BusFailure::Timeout),
        _ => Err(BusFailure::Exception(u.arbitrary()?)),
    })
}

fn command(u: &mut Unstructured<'_>) -> Result<Command> {
    let name = String::from(SUPERVISOR);
    let reason = String::from("seen");
    let dice = |u: &mut Unstructured<'_>| -> Result<Dice> {
        let pips = [u.int_in_range(1..=6)?, u.int_in_range(1..=6)?, u.int_in_range(1..=6)?];
        Ok(Dice::from_pips(pips).expect("a die has six faces"))
    };
    Ok(match u.int_in_range(0..=14)? {
        0 => Command::Open { name },
        1 => Command::Witness {
            item: *u.choose(&[Witness::Areas, Witness::Seal, Witness::Bell, Witness::Sign, Witness::Dice])?,
            right: u.arbitrary()?,
            name,
        },
        2 => Command::Close { name },
        3 => Command::Maintenance { on: u.arbitrary()?, name },
        4 => Command::HardwareTest { test: *u.choose(&HardwareTest::ALL)?, name },
        5 => Command::Reset {
            code: *u.choose(&Code::ALL)?,
            exit: if u.arbitrary()? { Exit::Rectified } else { Exit::Procedure(reason) },
            name,
        },
        6 => Command::Amend { dice: dice(u)?, uphold: u.arbitrary()?, name },
        7 => Command::Void { reason, damaged_dice: u.arbitrary()?, not_flat: u.arbitrary()?, name },
        8 => Command::Finding { finding: *u.choose(&Finding::ALL)?, reason, name },
        9 => Command::Supervise { name },
        10 => Command::ConfirmDome { reason, name },
        11 => Command::Settle { dice: if u.arbitrary()? { Some(dice(u)?) } else { None }, reason, name },
        12 => Command::EnrolDice { reason, name },
        13 => Command::Open { name: u.arbitrary()? },
        _ => Command::Record,
    })
}

/// One thing that happens.
fn act(world: &mut World, u: &mut Unstructured<'_>) -> Result<()> {
    match u.int_in_range(0..=23)? {
        0..=2 => {
            let line = *u.choose(&InLine::ALL)?;
            let active = !world.lines[line.index()];
            world.line(line, active);
        }
        3..=5 => world.press(*u.choose(&[InLine::Tumble, InLine::PlaceBets, InLine::NoMoreBets, InLine::NoSpin])?),
        6 => world.turn_key(),
        7 | 8 => {
            let key = u.int_in_range(0..=8)?;
            world.keys(&[key]);
        }
        9 | 10 => world.pass(u64::from(u.arbitrary::<u8>()?) + 1),
        11 => world.pass(u64::from(u.arbitrary::<u8>()?) * 20 + 1),
        12 => world.pass_nanos(u64::from(u.arbitrary::<u32>()?)),
        13 => {
            let id = u32::from(u.arbitrary::<u16>()?);
            let reply = reply(u)?;
            world.input(Input::Bus { id, reply });
        }
        14 => {
            world.disk = u.arbitrary()?;
            if world.disk {
                world.commit();
            }
        }
        15 => world.commit_first(),
        16 => world.bus_works = u.arbitrary()?,
        17 => world.shaft_works = u.arbitrary()?,
        18 => {
            let die = u.choose_index(3)?;
            world.poses[die] = u.int_in_range(0..=4)?;
            world.faces[die] = u.int_in_range(0..=7)?;
        }
        19 => world.step_ms = u64::from(u.arbitrary::<u8>()?) + 1,
        20 | 21 => {
            let [technician, supervisor, manager] = u.arbitrary()?;
            let caller = Caller { account: "eve".into(), technician, supervisor, manager };
            let command = command(u)?;
            world.ask_as(caller, command);
        }
        22 => match u.int_in_range(0..=6)? {
            0 => world.input(Input::JournalFailed { reason: "no space left".into() }),
            1 => world.input(Input::LineGap { line: *u.choose(&InLine::ALL)? }),
            2 => world.input(Input::Temperature { reading: u.arbitrary::<Option<i32>>()?.map(MilliCelsius) }),
            3 => world.input(Input::Relayed { seq: Seq(u.arbitrary()?) }),
            4 => world.dead_lamps = u.arbitrary()?,
            5 => world.lose_lines(),
            _ => world.stuck_out = *u.choose(&[None, Some(OutLine::Bell), Some(OutLine::OutOfService)])?,
        },
        _ => world.restart(u.arbitrary()?),
    }
    Ok(())
}

fuzz_target!(|bytes: &[u8]| {
    let mut u = Unstructured::new(bytes);
    let Ok(which) = u.choose_index(OPENED.len()) else { return };
    let mut world = OPENED[which].clone();
    // Bounded, so that none takes seconds.
    for _ in 0..80 {
        if u.is_empty() || act(&mut world, &mut u).is_err() {
            break;
        }
        world.history.clear();
    }
    let _ = world.table.snapshot();
    world.check_answers();
});
