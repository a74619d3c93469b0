//! Hardware tests in maintenance: who may run them, what they measure, and that every guard holds in them.

use crate::world;

use tumbler_core::hardware_test::{HardwareTest, Quantity, Report, Verdict};
use tumbler_core::input::Input;
use tumbler_core::latch::Code;
use tumbler_core::line::{InLine, OutLine};
use tumbler_core::record::Event;
use tumbler_core::units::Millis;
use tumbler_core::wire::console::{Answer, Caller, Command, Witness};
use tumbler_core::wire::registers::terminal;
use world::{World, settings};

/// A table in maintenance.
fn maintained() -> World {
    world::play::maintained("nz-div9", "nz-div9-1")
}

fn begin(world: &mut World, test: HardwareTest) -> u64 {
    world.ask(Command::HardwareTest { test, name: "teo".into() })
}

fn report(world: &World) -> Option<&Report> {
    world.events().find_map(|event| match event {
        Event::HardwareTested(report) => Some(&**report),
        _ => None,
    })
}

/// Runs a test to its end.
fn run(world: &mut World, test: HardwareTest) -> Report {
    let request = begin(world, test);
    assert!(world.until(60_000, |w| w.reply(request).is_some()), "the test ends");
    world.pass(2000);
    let report = report(world).unwrap().clone();
    let told = format!("{test}: {}", report.verdict.name());
    assert_eq!(world.reply(request), Some(&Answer::Done(told)));
    assert_eq!((report.test, report.by.as_str()), (test, "teo"));
    assert!(!world.outs[OutLine::MotorEnable.index()] && world.table.snapshot().test.is_none());
    report
}

fn judged(report: &Report, quantity: Quantity) -> (i64, Verdict) {
    let found = report.measurements.iter().find(|m| m.quantity == quantity);
    found.map(|m| (m.value, m.verdict)).unwrap_or_else(|| panic!("{quantity:?} in {report:?}"))
}

/// NZ 5(c): the tumbler in good working order; a healthy one passes all that is measured of it.
#[test]
fn a_healthy_tumbler_passes_both_its_tests() {
    let mut world = maintained();
    let motor = run(&mut world, HardwareTest::Motor);
    assert_eq!((motor.verdict, motor.found.as_str()), (Verdict::Pass, ""), "{motor:?}");
    assert_eq!(judged(&motor, Quantity::PeriodMean), (600_000, Verdict::Pass));
    assert_eq!(judged(&motor, Quantity::Tumbles), (4, Verdict::Pass));
    assert_eq!(motor.plots.periods, [600_000; 4]);

    let mut world = maintained();
    let cam = run(&mut world, HardwareTest::Cam);
    assert_eq!(cam.verdict, Verdict::Pass, "{cam:?}");
    assert_eq!(judged(&cam, Quantity::CamAngle), (90, Verdict::Pass));
    assert!(!world.has(|e| matches!(e, Event::Tested { .. })), "one record says everything");
    assert!(world.latched().is_empty());
}

/// faults.md motor.slow: a malfunction whoever finds it (NZ 7.4), and one that only wears is marginal and none.
#[test]
fn a_slow_motor_is_marginal_until_it_is_out_of_limits() {
    for (step_ms, verdict, latched) in
        [(150, Verdict::Pass, vec![]), (260, Verdict::Marginal, vec![]), (450, Verdict::Fail, vec![Code::Tumbler])]
    {
        let mut world = maintained();
        world.step_ms = step_ms;
        let found = run(&mut world, HardwareTest::Motor);
        assert_eq!((found.verdict, world.latched()), (verdict, latched), "{step_ms} ms: {found:?}");
        // A tumble that is too slow is not waited for: it took the whole time allowed, and more.
        let period = judged(&found, Quantity::PeriodGreatest);
        assert_eq!(
            period,
            if step_ms == 450 { (1_500_000, Verdict::Marginal) } else { (step_ms as i64 * 4000, verdict) }
        );
    }
}

/// faults.md motor.dead, cam.a_stuck_0, cam.b_stuck_0: what did not move is named first, and a stuck sensor is no shaft that binds.
#[test]
fn a_spin_without_progress_names_the_sensor_that_did_not_move() {
    for (works, stuck, named, start) in [
        (false, None, "neither cam_a nor cam_b moved; the motor is on", (700_000, Verdict::Marginal)),
        (true, Some(InLine::CamA), "cam_a did not move, and cam_b did", (300_000, Verdict::Pass)),
        (true, Some(InLine::CamB), "cam_b did not move, and cam_a did", (150_000, Verdict::Pass)),
    ] {
        let mut world = maintained();
        (world.shaft_works, world.stuck_cam) = (works, stuck);
        let found = run(&mut world, HardwareTest::Motor);
        assert_eq!((found.verdict, judged(&found, Quantity::StartTime)), (Verdict::Fail, start), "{found:?}");
        assert!(found.found.starts_with(&format!("tumbler: {named}")), "{found:?}");
        let latched = &world.table.snapshot().malfunctions[0];
        assert!(latched.cause.starts_with(named), "{latched:?}");
    }
}

/// faults.md cam.bounce: no tumble more, and the sensor's test shows it.
#[test]
fn a_cam_sensor_that_bounces_fails_its_test_and_not_the_motors() {
    let mut world = maintained();
    world.bounces = 25;
    let cam = run(&mut world, HardwareTest::Cam);
    assert_eq!(judged(&cam, Quantity::CamBounces), (25, Verdict::Fail), "{cam:?}");
    let mut world = maintained();
    world.bounces = 25;
    assert_eq!(run(&mut world, HardwareTest::Motor).verdict, Verdict::Pass);
    assert!(world.latched().is_empty());
}

/// design.md, Motor guard: the guards hold in maintenance and in opening tests too, and no procedure waives them.
#[test]
fn the_guards_hold_in_a_hardware_test() {
    for line in [InLine::DomeClosed, InLine::Seal] {
        let mut world = maintained();
        begin(&mut world, HardwareTest::Motor);
        world.pass(900);
        assert!(world.outs[OutLine::MotorEnable.index()]);
        world.line(line, false);
        assert!(!world.outs[OutLine::MotorEnable.index()], "{line:?}: off at the first edge");
        world.pass(2000);
        assert_eq!(report(&world).unwrap().verdict, Verdict::Fail, "{line:?}");
        // And it does not begin: the motor stays off for as long as the guard is away.
        world.turn_key();
        begin(&mut world, HardwareTest::Motor);
        world.pass(3000);
        assert!(!world.outs[OutLine::MotorEnable.index()], "{line:?}");
    }
}

/// design.md rule 2: nothing moves before the test's beginning is durable.
#[test]
fn nothing_moves_before_the_beginning_is_durable() {
    let mut world = maintained();
    world.pass(500);
    world.disk = false;
    begin(&mut world, HardwareTest::Motor);
    world.pass(1000);
    assert!(!world.outs[OutLine::MotorEnable.index()]);
    world.disk = true;
    world.commit();
    world.pass(500);
    assert!(world.outs[OutLine::MotorEnable.index()]);
}

/// design.md, People and roles: whatever moves something needs the key switch; and hardware is tested in maintenance only.
#[test]
fn a_hardware_test_needs_maintenance_the_key_and_a_technician() {
    let refused = |world: &World, request: u64, why: &str| match world.reply(request) {
        Some(Answer::Refused { why: told, .. }) => assert!(told.contains(why), "{told}"),
        other => panic!("{other:?}"),
    };
    let mut world = World::new(settings("nz-div9", "nz-div9-1"));
    world.pass(2000);
    world.turn_key();
    let request = begin(&mut world, HardwareTest::Motor);
    refused(&world, request, "not in maintenance");

    let mut world = maintained();
    world.pass(301_000);
    let request = begin(&mut world, HardwareTest::Motor);
    refused(&world, request, "turn the supervisor's key");

    let mut world = maintained();
    let command = Command::HardwareTest { test: HardwareTest::Motor, name: "bo".into() };
    let caller = |technician| Caller { account: "bo".into(), technician, supervisor: false, manager: false };
    world.input(Input::Console { request: 90, caller: caller(false), command: command.clone() });
    refused(&world, 90, "is not in the group");
    world.input(Input::Console { request: 91, caller: caller(true), command });
    world.pass(300);
    let request = begin(&mut world, HardwareTest::Cam);
    refused(&world, request, "a test is in progress");
    assert!(world.until(20_000, |w| w.reply(91).is_some()));
    assert!(matches!(world.reply(91), Some(Answer::Done(_))));
}

/// The bars of a test in progress, and nothing of them afterwards.
#[test]
fn what_is_measured_is_shown_while_the_test_goes_on() {
    let mut world = maintained();
    begin(&mut world, HardwareTest::Motor);
    world.pass(1700);
    let shown = world.table.snapshot();
    assert_eq!(shown.test.as_deref(), Some("hardware motor: tumbler"));
    assert!(shown.measurements.iter().any(|m| m.quantity == Quantity::Tumbles && m.value > 0), "{shown:?}");
    world.pass(6000);
    assert!(world.table.snapshot().measurements.is_empty());
}

/// Ends the test in progress by a person's answer.
fn answer(world: &mut World, item: Witness, right: bool) -> Report {
    assert!(world.until(90_000, |w| w.table.snapshot().test.is_some_and(|t| t.contains("waits for a witness"))));
    let request = world.ask(Command::Witness { item, right, name: "teo".into() });
    assert!(matches!(world.reply(request), Some(Answer::Done(_))));
    world.pass(1000);
    report(world).unwrap().clone()
}

fn shows(world: &World, what: &str) -> bool {
    world.table.snapshot().test.is_some_and(|test| test.ends_with(what))
}

/// faults.md dome.*: the travel is the time without either contact.
#[test]
fn the_dome_is_measured_while_a_person_moves_it() {
    for (travel, verdict) in [(100, Verdict::Pass), (280, Verdict::Marginal), (400, Verdict::Fail)] {
        let mut world = maintained();
        begin(&mut world, HardwareTest::Dome);
        world.pass(300);
        assert!(shows(&world, "lift the dome"));
        world.line(InLine::DomeClosed, false);
        world.pass(travel);
        world.line(InLine::DomeOpen, true);
        world.pass(500);
        assert!(shows(&world, "put the dome back"));
        world.cover();
        world.pass(1000);
        let found = report(&world).unwrap();
        assert_eq!(judged(found, Quantity::DomeTravel), (travel as i64 * 1000, verdict), "{found:?}");
        assert_eq!(found.verdict, verdict);
    }
    for (moves, named) in [
        (vec![], "dome_closed did not come off and dome_open did not come on: the dome was not seen lifted"),
        (vec![(InLine::DomeClosed, false)], "dome_open did not come on: the dome was not seen lifted"),
        (
            vec![(InLine::DomeClosed, false), (InLine::DomeOpen, true)],
            "dome_open did not come off and dome_closed did not come on: the dome was not seen put back",
        ),
    ] {
        let mut world = maintained();
        begin(&mut world, HardwareTest::Dome);
        world.pass(300);
        for (line, active) in moves {
            world.line(line, active);
            world.pass(500);
        }
        assert!(world.until(200_000, |w| report(w).is_some()));
        assert!(report(&world).unwrap().found.contains(named), "{named}: {:?}", report(&world));
    }
}

/// NZ 5 and design.md, Wires: only a person hears the bell.
#[test]
fn the_bell_and_the_seal_pass_by_a_persons_answer() {
    for (test, item) in [(HardwareTest::Bell, Witness::Bell), (HardwareTest::Seal, Witness::Seal)] {
        for right in [true, false] {
            let mut world = maintained();
            begin(&mut world, test);
            let found = answer(&mut world, item, right);
            assert_eq!(found.verdict, if right { Verdict::Pass } else { Verdict::Fail }, "{found:?}");
            assert_eq!(found.seen.len(), usize::from(right));
            assert!(!world.has(|e| matches!(e, Event::Tested { .. } | Event::Opened { .. })));
        }
    }
    // faults.md seal.flicker: harmless, and worth a look.
    let mut world = maintained();
    begin(&mut world, HardwareTest::Seal);
    world.pass(500);
    world.line(InLine::Seal, false);
    world.pass(1);
    world.line(InLine::Seal, true);
    let found = answer(&mut world, Witness::Seal, true);
    assert_eq!((judged(&found, Quantity::SealBreaks), found.verdict), ((1, Verdict::Marginal), Verdict::Marginal));
    assert!(world.latched().is_empty());
}

fn flicker(world: &mut World, line: InLine) {
    let rest = world.lines[line.index()];
    world.line(line, !rest);
    world.pass(1);
    world.line(line, rest);
}

/// `hardware-tests.md`: the seal's loop is watched for 2 s. What breaks it before, while the beginning is written, or while a
/// person takes hold of the seal to look at it, is not measured.
#[test]
fn the_seals_breaks_are_those_of_its_2_s() {
    let mut world = maintained();
    world.disk = false;
    begin(&mut world, HardwareTest::Seal);
    flicker(&mut world, InLine::Seal);
    world.disk = true;
    world.commit();
    world.pass(1950);
    flicker(&mut world, InLine::Seal);
    world.pass(100);
    assert!(shows(&world, "witness: seal"));
    for _ in 0..3 {
        world.pass(20);
        flicker(&mut world, InLine::Seal);
    }
    let found = answer(&mut world, Witness::Seal, true);
    assert_eq!(judged(&found, Quantity::SealBreaks), (1, Verdict::Marginal), "{found:?}");
}

/// NZ 3.3(a): six number keys and the entry key, each where it belongs.
#[test]
fn the_terminals_keys_are_asked_for_one_after_another() {
    let mut world = maintained();
    begin(&mut world, HardwareTest::Terminal);
    assert!(world.until(10_000, |w| shows(w, "press the key 1")));
    world.keys(&[1, 2, 3, 6, 4, 5, 6]);
    assert!(shows(&world, "press the entry key"));
    world.keys(&[terminal::ENTRY]);
    world.pass(500);
    let found = report(&world).unwrap();
    assert_eq!(judged(found, Quantity::KeysPressed), (7, Verdict::Pass));
    assert_eq!(judged(found, Quantity::KeysWrong), (1, Verdict::Marginal), "{found:?}");
    assert!(
        world.told.iter().all(|key| *key == tumbler_core::effect::KeyTold::SomeKey),
        "no key leaves the table by value"
    );
}

/// faults.md terminal.chatter: a key that bounces was pressed once, and its bounce is told.
#[test]
fn a_key_that_bounces_is_told() {
    let mut world = maintained();
    begin(&mut world, HardwareTest::Terminal);
    assert!(world.until(10_000, |w| shows(w, "press the key 1")));
    world.keys.extend([1, 1]);
    world.keys(&[1, 2, 3, 4, 5, 6, terminal::ENTRY]);
    world.pass(500);
    let found = report(&world).unwrap();
    assert_eq!((judged(found, Quantity::KeyBounces).0, judged(found, Quantity::KeysWrong).0), (2, 0), "{found:?}");
}

/// faults.md lamp.stuck_on: areas that are lit untold are named too.
#[test]
fn areas_that_are_lit_untold_are_named() {
    let mut world = maintained();
    world.stuck_lamps = 0b1;
    let request = begin(&mut world, HardwareTest::Lamps);
    world.until(60_000, |w| shows(w, "witness: areas"));
    world.ask(Command::Witness { item: Witness::Areas, right: true, name: "teo".into() });
    assert!(world.until(60_000, |w| w.reply(request).is_some()));
    world.pass(500);
    let found = report(&world).unwrap();
    assert_eq!(judged(found, Quantity::LampsUntold), (1, Verdict::Fail), "{found:?}");
    let area = &tumbler_core::rules::layout("nz-div9-1").unwrap().areas[0].id;
    assert_eq!(found.plots.untold, [area.as_str()]);
    // And by a reset, which runs the same test.
    let mut world = World::new(settings("nz-div9", "nz-div9-1"));
    world.pass(2000);
    world.open();
    world.stuck_lamps = 0b1;
    world.pass(2000);
    assert_eq!(world.latched(), [Code::Lamps]);
    world.turn_key();
    let reset = world.ask(Command::Reset {
        code: Code::Lamps,
        exit: tumbler_core::wire::console::Exit::Rectified,
        name: "mei".into(),
    });
    assert!(world.until(60_000, |w| w.reply(reset).is_some()));
    assert!(
        matches!(world.reply(reset), Some(Answer::Refused { why, .. }) if why.contains(&format!("({area})"))),
        "{:?}",
        world.reply(reset)
    );
}

/// faults.md lamps.flicker: the last picture of the lamps' test shines long enough to find out lamps that flicker, and only it.
#[test]
fn the_last_lamps_shine_longest() {
    let mut world = maintained();
    let begun = world.now;
    begin(&mut world, HardwareTest::Lamps);
    let mut pictures: Vec<(Vec<String>, u64)> = Vec::new();
    while !shows(&world, "witness: areas") {
        assert!(world.now < begun.after(Millis(60_000)), "{pictures:?}");
        world.pass(10);
        let lit = world.table.snapshot().lit;
        match pictures.last_mut().filter(|(last, _)| *last == lit) {
            Some((_, ms)) => *ms += 10,
            None => pictures.push((lit, 10)),
        }
    }
    pictures.retain(|(lit, _)| !lit.is_empty());
    let (last, others) = pictures.split_last().unwrap();
    assert!(last.1 >= 1000 && others.len() > 5 && others.iter().all(|(_, ms)| *ms < 1000), "{pictures:?}");
}

/// faults.md lamp.open: the areas are named, all of them, and the test goes on to its end.
#[test]
fn dark_areas_are_named_and_the_others_still_shown() {
    let mut world = maintained();
    begin(&mut world, HardwareTest::Lamps);
    let healthy = answer(&mut world, Witness::Areas, true);
    assert_eq!(healthy.verdict, Verdict::Pass, "{healthy:?}");
    assert_eq!((healthy.plots.layout.as_str(), healthy.plots.dark.len()), ("nz-div9-1", 0), "{healthy:?}");

    let mut world = maintained();
    world.dead_lamps = 0b101;
    begin(&mut world, HardwareTest::Lamps);
    let found = answer(&mut world, Witness::Areas, true);
    assert_eq!(judged(&found, Quantity::LampsDark), (2, Verdict::Fail), "{found:?}");
    assert_eq!(found.plots.dark.len(), 2);
    assert_eq!(world.latched(), [Code::Lamps]);
    // The others light in their time; the dark ones have none, and are not marginal for it.
    assert_eq!(judged(&found, Quantity::LampsTime).1, Verdict::Pass);
    let mut world = maintained();
    world.dead_lamps = u128::MAX;
    begin(&mut world, HardwareTest::Lamps);
    let found = answer(&mut world, Witness::Areas, true);
    assert_eq!(judged(&found, Quantity::LampsDark).1, Verdict::Fail);
    assert!(found.measurements.iter().all(|m| m.quantity != Quantity::LampsTime), "{found:?}");
}

/// faults.md dice.*, sensor.temp_*, bus.*: a healthy table passes what remains.
#[test]
fn a_healthy_reader_sensor_and_bus_pass() {
    for (test, quantity) in [
        (HardwareTest::Reader, Quantity::SettleTime),
        (HardwareTest::Temperature, Quantity::Temperature),
        (HardwareTest::Bus, Quantity::BusErrors),
    ] {
        let mut world = maintained();
        let found = run(&mut world, test);
        assert_eq!(found.verdict, Verdict::Pass, "{found:?}");
        assert_eq!(judged(&found, quantity).1, Verdict::Pass);
    }
    let mut world = maintained();
    begin(&mut world, HardwareTest::Bus);
    world.pass(500);
    world.bus_works = false;
    world.pass(200);
    world.bus_works = true;
    assert!(world.until(60_000, |w| report(w).is_some()));
    assert_eq!(judged(report(&world).unwrap(), Quantity::BusErrors).1, Verdict::Fail);
}

#[test]
fn what_is_not_fitted_is_refused() {
    let mut bare = settings("nz-div9", "nz-div9-1");
    (bare.reader, bare.temperature) = (false, false);
    let mut world = World::new(bare);
    world.pass(2000);
    world.turn_key();
    world.ask(Command::Maintenance { on: true, name: "teo".into() });
    for test in [HardwareTest::Reader, HardwareTest::Temperature] {
        let request = begin(&mut world, test);
        assert!(
            matches!(world.reply(request), Some(Answer::Refused { why, .. }) if why.contains("none fitted")),
            "{test}"
        );
    }
}

/// design.md rule 1: whatever core decides replays from its recorded inputs, bit for bit; a key of a terminal's test too.
#[test]
fn hardware_tests_replay_from_their_inputs() {
    let mut world = maintained();
    run(&mut world, HardwareTest::Cam);
    begin(&mut world, HardwareTest::Terminal);
    world.until(10_000, |w| shows(w, "press the key 1"));
    world.keys(&[1, 2, 3]);
    let mut table = world.started();
    for (stamped, effects) in &world.history {
        let mut again = Vec::new();
        table.handle(stamped.at, stamped.now, &stamped.input, &mut again);
        assert_eq!(again, *effects);
    }
    assert_eq!(table, world.table);
}
