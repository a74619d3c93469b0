//! Resets: what proves that a malfunction is rectified is the hardware test of its device, and only its pass opens the latch
//! (NZ 7.4; design.md, Latch).

use crate::world;

use tumbler_core::hardware_test::{HardwareTest, Quantity, Report, Verdict};
use tumbler_core::input::Input;
use tumbler_core::latch::Code;
use tumbler_core::line::InLine;
use tumbler_core::record::Event;
use tumbler_core::units::MilliCelsius;
use tumbler_core::wire::console::{Answer, Command, Exit, Witness};
use world::{World, settings};

/// A table on which this latched, and which is in order again.
fn latched(code: Code, malfunction: impl FnOnce(&mut World)) -> World {
    let mut world = World::new(settings("nz-div9", "nz-div9-1"));
    world.pass(2000);
    malfunction(&mut world);
    world.pass(1000);
    assert!(world.latched().contains(&code), "{code}: {:?}", world.latched());
    world.turn_key();
    world
}

fn reset(world: &mut World, code: Code) -> u64 {
    world.ask(Command::Reset { code, exit: Exit::Rectified, name: "mei".into() })
}

fn witness(world: &mut World, item: Witness, right: bool) {
    let request = world.ask(Command::Witness { item, right, name: "mei".into() });
    assert!(matches!(world.reply(request), Some(Answer::Done(_))), "{:?}", world.reply(request));
}

/// What the reset's test measured, once it has ended.
fn ended(world: &mut World, request: u64) -> (Answer, Report) {
    assert!(world.until(200_000, |w| w.reply(request).is_some()), "the reset ends");
    world.pass(2000);
    let last = world.events().filter_map(|event| match event {
        Event::HardwareTested(report) => Some((**report).clone()),
        _ => None,
    });
    let report = last.last().unwrap();
    assert_eq!(report.by, "mei");
    (world.reply(request).unwrap().clone(), report)
}

/// The latch is open, by the pass of this test.
fn opened(world: &mut World, request: u64, code: Code) -> Report {
    let (answer, report) = ended(world, request);
    assert_eq!(answer, Answer::Done(format!("{code} is rectified")), "{report:?}");
    assert!(!world.latched().contains(&code));
    assert_eq!(Some(report.test), code.hardware_test());
    assert_ne!(report.verdict, Verdict::Fail, "{report:?}");
    report
}

/// The latch is what it was.
fn refused(world: &mut World, request: u64, code: Code, why: &str) -> Report {
    let (answer, report) = ended(world, request);
    let Answer::Refused { why: told, .. } = answer else { panic!("{answer:?}: {report:?}") };
    assert!(told.starts_with(&format!("{code} stays latched: ")) && told.contains(why), "{told}");
    assert!(world.latched().contains(&code));
    assert_eq!((Some(report.test), report.verdict), (code.hardware_test(), Verdict::Fail), "{report:?}");
    report
}

fn measured(report: &Report, quantity: Quantity) -> i64 {
    report.measurements.iter().find(|m| m.quantity == quantity).map(|m| m.value).unwrap()
}

/// Nothing on the field bus answers for a while.
fn silent(world: &mut World) {
    world.bus_works = false;
    world.pass(4000);
    world.bus_works = true;
}

fn prompts(world: &mut World, what: &str) {
    assert!(
        world.until(90_000, |w| w.table.snapshot().test.is_some_and(|test| test.ends_with(what))),
        "{what}: {:?}",
        world.table.snapshot().test
    );
}

/// NZ 7.4: the reset of a tumbler is the motor's hardware test, and a shaft that turns again, but out of its limits, is not
/// rectified.
#[test]
fn a_reset_of_the_tumbler_runs_the_motors_test_and_opens_by_its_pass_only() {
    let mut world = latched(Code::Tumbler, |world| {
        world.shaft_works = false;
        world.turn_key();
        world.ask(Command::Maintenance { on: true, name: "teo".into() });
        world.ask(Command::HardwareTest { test: HardwareTest::Motor, name: "teo".into() });
        world.pass(10_000);
        world.shaft_works = true;
    });
    // A motor without its gear: far too fast, and nothing else finds it.
    world.step_ms = 70;
    let request = reset(&mut world, Code::Tumbler);
    refused(&mut world, request, Code::Tumbler, "tumbler stays latched: period");
    let Some(Answer::Refused { why: told, .. }) = world.reply(request) else { panic!() };
    assert!(told.contains("is out of limits. "), "the remedy is said: {told}");
    assert_eq!(world.latched(), [Code::Tumbler]);
    // One that only wears is in order.
    world.step_ms = 260;
    world.turn_key();
    let request = reset(&mut world, Code::Tumbler);
    assert_eq!(opened(&mut world, request, Code::Tumbler).verdict, Verdict::Marginal);
    assert!(world.latched().is_empty());
}

/// faults.md dome.*: the reset of the dome measures it while a person moves it.
#[test]
fn a_reset_of_the_dome_measures_it() {
    let mut world = latched(Code::Dome, |world| {
        world.line(InLine::DomeOpen, true);
        world.pass(2000);
        world.line(InLine::DomeOpen, false);
    });
    assert_eq!(world.latched(), [Code::Dome]);
    let request = reset(&mut world, Code::Dome);
    prompts(&mut world, "lift the dome");
    world.lift();
    world.pass(1000);
    prompts(&mut world, "put the dome back");
    world.cover();
    let report = opened(&mut world, request, Code::Dome);
    assert_eq!((report.test, report.verdict), (HardwareTest::Dome, Verdict::Pass), "{report:?}");
    assert_eq!(measured(&report, Quantity::DomeTravel), 100_000, "as long as the hand took");
}

/// faults.md sensor.temp_*: the sensor is read for as long as its test reads it.
#[test]
fn a_reset_of_the_temperature_reads_the_sensor_as_its_test_does() {
    let hot = |world: &mut World| world.input(Input::Temperature { reading: Some(MilliCelsius(95_000)) });
    let mut world = latched(Code::Temperature, hot);
    let request = reset(&mut world, Code::Temperature);
    let report = opened(&mut world, request, Code::Temperature);
    assert_eq!(measured(&report, Quantity::Temperature), 30_000);

    // faults.md sensor.temp_absurd: it comes back while it is measured.
    let mut world = latched(Code::Temperature, hot);
    let request = reset(&mut world, Code::Temperature);
    prompts(&mut world, "reset temperature: measures");
    hot(&mut world);
    refused(&mut world, request, Code::Temperature, "temperature, 95000 ");
}

/// `table.md`, "Malfunctions": three good readings in a row, then five within the limit. A sensor that recovers as the reset
/// begins is not measured by what it said before.
#[test]
fn a_reset_of_the_temperature_measures_after_three_good_readings() {
    let read = |world: &mut World, celsius: i32| {
        world.input(Input::Temperature { reading: Some(MilliCelsius(celsius * 1000)) });
    };
    let mut world = latched(Code::Temperature, |world| read(world, 95));
    let request = reset(&mut world, Code::Temperature);
    read(&mut world, 85);
    // The motor cools: these three are good, and not measured.
    for celsius in [79, 69, 60] {
        assert!(!world.table.snapshot().test.unwrap().ends_with("measures"));
        read(&mut world, celsius);
    }
    assert!(world.table.snapshot().test.unwrap().ends_with("measures"));
    for celsius in [50, 48, 45, 42, 40] {
        read(&mut world, celsius);
    }
    let report = opened(&mut world, request, Code::Temperature);
    assert_eq!(measured(&report, Quantity::Temperature), 50_000);
    assert_eq!(measured(&report, Quantity::TemperatureSpread), 10_000);
}

/// `table.md`, "Malfunctions": "for flicker then a full spin without a break". One that a game would bear does not pass for whole.
#[test]
fn a_contact_that_flickered_in_a_spin_is_proved_by_one_without_a_break() {
    for breaks in [false, true] {
        let flicker = |world: &mut World| {
            world.line(InLine::Seal, false);
            world.pass(1);
            world.line(InLine::Seal, true);
        };
        let mut world = World::new(settings("nz-div9", "nz-div9-1"));
        world.pass(2000);
        world.open();
        world.press(InLine::Tumble);
        world.pass(300);
        for _ in 0..4 {
            flicker(&mut world);
            world.pass(20);
        }
        world.pass(3000);
        assert_eq!(world.latched(), [Code::Seal]);
        world.turn_key();
        let request = reset(&mut world, Code::Seal);
        prompts(&mut world, "waits for a witness: seal");
        witness(&mut world, Witness::Seal, true);
        world.pass(500);
        assert!(world.table.snapshot().motor);
        if breaks {
            flicker(&mut world);
            refused(&mut world, request, Code::Seal, "seal broke while the tumbler ran");
        } else {
            opened(&mut world, request, Code::Seal);
        }
    }
}

/// faults.md terminal.*: every key where it belongs, after the display.
#[test]
fn a_reset_of_the_terminal_asks_for_every_key() {
    let mut world = latched(Code::Terminal, silent);
    let request = reset(&mut world, Code::Terminal);
    prompts(&mut world, "press the key 1");
    world.keys(&[1, 2, 3, 4, 5, 6]);
    assert!(world.latched().contains(&Code::Terminal), "the entry key was not pressed yet");
    world.all_paid();
    let report = opened(&mut world, request, Code::Terminal);
    assert_eq!((measured(&report, Quantity::KeysPressed), measured(&report, Quantity::KeysWrong)), (7, 0));
    assert!(
        world.told.iter().all(|key| *key == tumbler_core::effect::KeyTold::SomeKey),
        "no key leaves the table by value"
    );

    let mut world = latched(Code::Terminal, silent);
    let request = reset(&mut world, Code::Terminal);
    refused(&mut world, request, Code::Terminal, "nobody did: press the key 1");
}

/// NZ 5(b), faults.md lamp.*: the currents of all areas, and a person's eyes for what currents do not show.
#[test]
fn a_reset_of_the_lamps_measures_them_and_asks_a_person_for_the_areas() {
    let mut world = latched(Code::Lamps, silent);
    let request = reset(&mut world, Code::Lamps);
    prompts(&mut world, "waits for a witness: areas");
    assert_eq!(world.reply(request), None, "it is not done by the measuring");
    witness(&mut world, Witness::Areas, true);
    let report = opened(&mut world, request, Code::Lamps);
    assert_eq!(report.seen, ["areas"]);

    let mut world = latched(Code::Lamps, silent);
    let request = reset(&mut world, Code::Lamps);
    prompts(&mut world, "waits for a witness: areas");
    witness(&mut world, Witness::Areas, false);
    refused(&mut world, request, Code::Lamps, "a person found areas wrong");
}

/// Nobody is asked to look at lamps of which the table itself knows that they are dark; and it says which.
#[test]
fn a_reset_of_lamps_that_stay_dark_ends_without_a_person_and_names_them() {
    let mut world = latched(Code::Lamps, silent);
    world.dead_lamps = 0b1;
    let request = reset(&mut world, Code::Lamps);
    let report = refused(&mut world, request, Code::Lamps, "dark areas, 1 ");
    let Some(Answer::Refused { why: told, .. }) = world.reply(request) else { panic!() };
    let [dark] = report.plots.dark.as_slice() else { panic!("{report:?}") };
    assert!(told.contains(&format!("({dark})")), "{told}");
}

/// faults.md reader.*: it has to see the dice move, and come to rest.
#[test]
fn a_reset_of_the_reader_shows_it_a_spin() {
    let mut world = latched(Code::Reader, silent);
    let request = reset(&mut world, Code::Reader);
    let report = opened(&mut world, request, Code::Reader);
    assert!(measured(&report, Quantity::SettleTime) > 0);
    assert!(world.has(|event| matches!(event, Event::Tested { test, passed: true, .. } if test == "deadman")));

    let mut world = latched(Code::Reader, silent);
    world.dice_stay = true;
    let request = reset(&mut world, Code::Reader);
    refused(&mut world, request, Code::Reader, "the reader saw no motion of the dice");
}

/// NZ 5(d), faults.md seal.broken: a closed loop says nothing about the seal; the supervisor's look does.
#[test]
fn a_reset_of_the_seal_asks_for_a_look_at_it() {
    let broken = |world: &mut World| {
        world.line(InLine::Seal, false);
        world.pass(1000);
        world.line(InLine::Seal, true);
    };
    for right in [true, false] {
        let mut world = latched(Code::Seal, broken);
        let request = reset(&mut world, Code::Seal);
        prompts(&mut world, "waits for a witness: seal");
        witness(&mut world, Witness::Seal, right);
        if right {
            assert_eq!(opened(&mut world, request, Code::Seal).seen, ["seal"]);
        } else {
            refused(&mut world, request, Code::Seal, "a person found seal wrong");
        }
    }
}

/// design.md, Latch: what has no device to measure is proved by the reset's own steps, and reports no hardware test.
#[test]
fn what_has_no_hardware_test_is_proved_by_the_resets_own_steps() {
    let mut world = latched(Code::Buttons, |world| {
        world.line(InLine::Tumble, true);
        world.pass(6000);
        world.line(InLine::Tumble, false);
    });
    let request = reset(&mut world, Code::Buttons);
    assert!(world.until(10_000, |w| w.reply(request).is_some()));
    assert_eq!(world.reply(request), Some(&Answer::Done("buttons is rectified".into())));
    assert!(!world.has(|event| matches!(event, Event::HardwareTested(_))));
}
