//! Hardware tests in maintenance: who may run them, what they measure, and that every guard holds in them.

#![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::panic, reason = "a test may fail loudly")]

mod world;

use tumbler_core::effect::OutLine;
use tumbler_core::hardware_test::{HardwareTest, Quantity, Report, Verdict};
use tumbler_core::input::{InLine, Input};
use tumbler_core::latch::Code;
use tumbler_core::record::Event;
use tumbler_core::snapshot::Phase;
use tumbler_core::wire::console::{Answer, Caller, Command};
use world::{World, settings};

/// A table in maintenance.
fn maintained() -> World {
    let mut world = World::new(settings("nz-div9", "nz-div9-1"));
    world.pass(2000);
    world.turn_key();
    world.ask(Command::Maintenance { on: true, name: "teo".into() });
    assert_eq!(world.table.phase(), Phase::Maintenance);
    world
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

/// FAULTS motor.slow: a malfunction whoever finds it (NZ 7.4), and one that only wears is marginal and none.
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

/// FAULTS motor.dead: the report says so also where nothing moved.
#[test]
fn a_dead_motor_fails_by_its_start_time() {
    let mut world = maintained();
    world.shaft_works = false;
    let found = run(&mut world, HardwareTest::Motor);
    assert_eq!(found.verdict, Verdict::Fail);
    assert!(found.found.contains("no progress"), "{found:?}");
    assert_eq!(judged(&found, Quantity::StartTime).0, 700_000);
}

/// FAULTS cam.bounce: no tumble more, and the sensor's test shows it.
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

/// DESIGN, the wires: "the guards hold in maintenance and in opening tests too, and no procedure waives them".
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

/// DESIGN rule 2: nothing moves before the test's beginning is durable.
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

/// DESIGN, people: whatever moves something needs the key switch; and hardware is tested in maintenance only.
#[test]
fn a_hardware_test_needs_maintenance_the_key_and_a_technician() {
    let refused = |world: &World, request: u64, why: &str| match world.reply(request) {
        Some(Answer::Refused(told)) => assert!(told.contains(why), "{told}"),
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
    let caller = |technician| Caller { account: "bo".into(), technician, supervisor: false };
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
