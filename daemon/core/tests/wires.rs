//! What the table makes of its wires: flicker and change, levels at the start, lost edges, and a daemon that stops.

use crate::world;

use tumbler_core::context::Drive;
use tumbler_core::effect::Effect;
use tumbler_core::hardware_test::HardwareTest;
use tumbler_core::input::Input;
use tumbler_core::latch::Code;
use tumbler_core::line::{InLine, OutLine};
use tumbler_core::record::Event;
use tumbler_core::round::ending::VoidReason;
use tumbler_core::snapshot::Phase;
use tumbler_core::units::Mono;
use tumbler_core::wire::console::{Answer, Command};
use tumbler_core::wire::registers::reader;
use world::World;
use world::play::{maintained, opened, play_to_reveal, reveal, settle_round};

/// faults.md seal.flicker, motor.driver_fault, design.md, Motor guard: what is shorter than a line's own time is nothing, and what is as
/// long is what it says.
#[test]
fn each_line_has_its_own_time_to_be_believed() {
    for (line, at_rest, ms, code) in
        [(InLine::Seal, true, 10, Code::Seal), (InLine::MotorFault, false, 3, Code::Tumbler)]
    {
        let mut world = opened("nz-div9", "nz-div9-1");
        world.line(line, !at_rest);
        world.pass(ms - 1);
        world.line(line, at_rest);
        world.pass(1000);
        assert_eq!(world.latched(), [], "{} for {} ms", line.name(), ms - 1);
        world.line(line, !at_rest);
        world.pass(ms + 1);
        world.line(line, at_rest);
        world.pass(1000);
        assert_eq!(world.latched(), [code], "{} for {} ms", line.name(), ms + 1);
    }
    let mut world = opened("nz-div9", "nz-div9-1");
    world.line(InLine::Tumble, true);
    world.pass(19);
    world.line(InLine::Tumble, false);
    world.pass(1000);
    assert!(!world.has(|event| matches!(event, Event::SpinBegan)), "a bounce is no press");
}

/// faults.md motor.driver_fault, NZ 7.1(b) with 7.4: a driver that trips ends the spin and blocks, also where nothing turns.
#[test]
fn nz_7_1_b_a_driver_that_trips_voids_the_spin_and_blocks() {
    let mut world = opened("nz-div9", "nz-div9-1");
    world.press(InLine::Tumble);
    world.pass(800);
    world.line(InLine::MotorFault, true);
    assert!(!world.outs[OutLine::MotorEnable.index()], "at the first edge");
    world.pass(3000);
    let void = world.last_void().unwrap();
    assert_eq!((void.reason, void.cited().as_str()), (VoidReason::Equipment, "NZ9 7.1(b), NZ9 6.1"));
    assert_eq!(world.latched(), [Code::Tumbler]);
}

/// A table under Open Cover in mid-spin, its dome at rest on the contact that says so.
fn spinning_under_open_cover() -> World {
    let mut world = opened("sg-open", "sg-open-1");
    world.lift();
    world.press(InLine::PlaceBets);
    world.press(InLine::NoMoreBets);
    world.press(InLine::Tumble);
    world.pass(800);
    assert!(motor(&world), "{:?}", world.records);
    world
}

fn motor(world: &World) -> bool {
    world.outs[OutLine::MotorEnable.index()]
}

/// Virtual wire, "Motor guard": under Open Cover the dome lies aside, and any change of its contacts while the motor is on is a
/// break. A shorter one than a flicker resumes the same spin; a longer one ends it for good, whatever comes back.
#[test]
fn any_change_of_a_dome_that_lies_aside_is_a_break() {
    for (line, level) in [(InLine::DomeOpen, false), (InLine::DomeClosed, true)] {
        for ms in [1, 2, 3, 4, 20, 600] {
            let mut world = spinning_under_open_cover();
            world.line(line, level);
            assert!(!motor(&world), "at the first edge");
            world.pass(ms);
            assert!(!motor(&world), "not before the contact is back");
            world.line(line, !level);
            assert_eq!(motor(&world), ms < 3, "{} for {ms} ms", line.name());
            if ms >= 3 {
                world.pass(3000);
                assert!(!motor(&world), "the motor does not start again by itself");
                assert!(world.has(|e| matches!(e, Event::SpinEnded { valid: false, .. })), "{:?}", world.records);
            }
        }
    }
}

/// Virtual wire, "Motor guard": a line that flickers again and again is a loose contact. Three flickers of a spin are borne, of
/// whichever lines; the fourth ends it and latches its line.
#[test]
fn the_fourth_flicker_of_a_spin_ends_it_and_latches_its_line() {
    for (line, rest, code) in [
        (InLine::DomeClosed, true, Code::Dome),
        (InLine::DomeOpen, false, Code::Dome),
        (InLine::Seal, true, Code::Seal),
        (InLine::MotorFault, false, Code::Tumbler),
        (InLine::PowerGood, true, Code::Gpio),
    ] {
        let mut world = opened("nz-div9", "nz-div9-1");
        world.press(InLine::Tumble);
        world.pass(300);
        for flicker in 1..=3 {
            world.line(line, !rest);
            world.pass(1);
            world.line(line, rest);
            assert!(motor(&world), "{} flicker {flicker}", line.name());
            world.pass(10);
        }
        assert_eq!(world.latched(), []);
        world.line(line, !rest);
        world.pass(1);
        world.line(line, rest);
        assert!(!motor(&world), "{}", line.name());
        world.pass(3000);
        assert!(!motor(&world), "{}", line.name());
        assert_eq!(world.latched(), [code], "{}", line.name());
        assert!(world.has(|e| matches!(e, Event::SpinEnded { valid: false, .. })), "{:?}", world.records);
    }
}

/// Virtual wire, "Time": how long a break lasted is judged by its edges' own times and by when they were read: a late edge neither
/// makes a long break short nor a short one long.
#[test]
fn a_break_is_measured_on_both_clocks() {
    let ms = |world: &World, ms: u64| Mono(world.now.0 + ms * 1_000_000);
    for (lasts, reads, resumes) in [(2, 2, true), (2, 0, true), (5, 0, false), (0, 5, false)] {
        let mut world = opened("nz-div9", "nz-div9-1");
        world.press(InLine::Tumble);
        world.pass(300);
        let (broke, back) = (ms(&world, 0), ms(&world, lasts));
        let read = ms(&world, lasts.max(1));
        world.pass(lasts.max(1));
        world.edge_read_at(InLine::Seal, false, broke, read);
        world.pass(reads);
        world.edge_read_at(InLine::Seal, true, back, Mono(world.now.0));
        assert_eq!(motor(&world), resumes, "lasts {lasts} ms, read within {reads} ms");
    }
}

/// Virtual wire, "Time": edges of the cam are judged by when they happened. Read late by as much as `edge_late` they count like
/// any others; later than that nobody knows what the shaft does now, and older than an edge that was counted it has lost its place.
#[test]
fn edges_of_the_cam_may_come_late_up_to_a_stated_limit() {
    for (late, valid) in [(0, true), (60, true), (110, true), (200, true), (201, false)] {
        let mut world = opened("nz-div9", "nz-div9-1");
        world.cam_late_ms = late;
        world.press(InLine::Tumble);
        world.pass(6000);
        let spin = world.events().find_map(|e| match e {
            Event::SpinEnded { valid, .. } => Some(*valid),
            _ => None,
        });
        assert_eq!(spin, Some(valid), "{late} ms late: {:?}", world.records);
        assert_eq!(world.latched().is_empty(), valid, "{late} ms late: {:?}", world.latched());
    }
}

/// The same, by turns: every other edge waits behind something else, and none of them overtakes.
#[test]
fn edges_of_the_cam_may_be_read_in_bursts() {
    let mut world = opened("nz-div9", "nz-div9-1");
    world.cam_bursts = true;
    world.press(InLine::Tumble);
    world.pass(6000);
    assert!(world.has(|e| matches!(e, Event::SpinEnded { valid: true, .. })), "{:?}", world.records);
    assert_eq!(world.latched(), []);
}

/// Virtual wire, "Time": no late or false stamp keeps a motor on. A shaft that stands is stalled however old the edges are that it
/// sends for it.
#[test]
fn old_edges_keep_no_motor_on() {
    let mut world = opened("nz-div9", "nz-div9-1");
    world.shaft_works = false;
    world.press(InLine::Tumble);
    world.pass(100);
    assert!(motor(&world));
    let stamp = Mono(world.now.0 - 50_000_000);
    world.edge_read_at(InLine::CamA, true, stamp, Mono(world.now.0));
    assert!(motor(&world));
    world.edge_read_at(InLine::CamB, true, Mono(stamp.0 - 1), Mono(world.now.0));
    assert!(!motor(&world), "older than the other line's last edge");
    world.pass(2000);
    assert_eq!(world.latched(), [Code::Tumbler]);
}

/// NZ 5(d), faults.md seal.*, motor.driver_fault: what is wrong when the daemon comes up is as wrong as what goes wrong later.
#[test]
fn a_line_that_is_wrong_at_the_start_blocks() {
    for (line, level, code) in [
        (InLine::Seal, false, Code::Seal),
        (InLine::MotorFault, true, Code::Tumbler),
        (InLine::NoSpin, true, Code::Buttons),
    ] {
        let mut world = opened("nz-div9", "nz-div9-1");
        world.lines[line.index()] = level;
        world.restart(false);
        world.pass(500);
        assert_eq!((world.latched(), world.table.phase()), (vec![code], Phase::Blocked), "{}", line.name());
    }
}

/// design.md, Wires: a line whose edges were lost cannot be relied on, a cam least of all while it counts.
#[test]
fn lost_edges_are_a_malfunction_of_the_wires() {
    for line in [InLine::Seal, InLine::DomeClosed, InLine::Tumble, InLine::CamB] {
        let mut world = opened("nz-div9", "nz-div9-1");
        world.input(Input::LineGap { line });
        world.pass(100);
        assert_eq!(world.latched(), [Code::Gpio], "{}", line.name());
    }
    let mut world = opened("nz-div9", "nz-div9-1");
    world.press(InLine::Tumble);
    world.pass(800);
    world.input(Input::LineGap { line: InLine::CamA });
    assert!(!world.outs[OutLine::MotorEnable.index()], "nobody knows how far the shaft is");
    world.pass(3000);
    assert_eq!(world.last_void().map(|void| void.reason), Some(VoidReason::Equipment));
    assert_eq!(world.latched().len(), 1);
}

/// design.md, Motor guard: a pin that reads on although it was told off lets nothing start.
#[test]
fn a_motor_pin_that_reads_on_starts_nothing() {
    let mut world = opened("nz-div9", "nz-div9-1");
    world.input(Input::Readback { line: OutLine::MotorEnable, active: true });
    world.press(InLine::Tumble);
    assert!(world.has(|event| matches!(event, Event::Refused { why, .. } if why.contains("read back as off"))));
    assert!(!world.has(|event| matches!(event, Event::SpinBegan)));
}

/// faults.md gpio.write_fails, design.md, Motor guard: a motor that could not be switched off is off within the readback time once a
/// write arrives, however late that is. Said and latched once.
#[test]
fn a_motor_pin_that_stays_on_is_told_off_until_it_is_off() {
    for stuck_ms in [50, 99, 100, 101, 350, 60_000] {
        let mut world = opened("nz-div9", "nz-div9-1");
        world.press(InLine::Tumble);
        world.pass(800);
        world.stuck_out = Some(OutLine::MotorEnable);
        world.line(InLine::Seal, false);
        let last_beat = world.last_beat;
        world.pass(stuck_ms);
        assert!(world.outs[OutLine::MotorEnable.index()], "{stuck_ms} ms: nothing arrives");
        world.stuck_out = None;
        world.pass(100);
        assert!(!world.outs[OutLine::MotorEnable.index()], "{stuck_ms} ms");
        assert_eq!(world.last_beat, last_beat, "{stuck_ms} ms: the dead-man relay drops meanwhile");
        world.pass(3000);
        let latched = |event: &Event| matches!(event, Event::Latched { code: Code::Gpio, .. });
        assert_eq!(world.records.iter().filter(|record| latched(&record.event)).count(), 1, "{stuck_ms} ms");
        assert_eq!(world.latched(), [Code::Seal, Code::Gpio]);
        assert_eq!(world.last_void().map(|void| void.reason), Some(VoidReason::Equipment));
    }
}

/// design.md rule 4: a sign that could not be lit is lit once a write arrives.
#[test]
fn an_output_that_does_not_obey_is_told_again() {
    let mut world = opened("nz-div9", "nz-div9-1");
    world.stuck_out = Some(OutLine::OutOfService);
    world.line(InLine::Seal, false);
    world.pass(1000);
    assert!(!world.outs[OutLine::OutOfService.index()]);
    assert_eq!(world.latched(), [Code::Seal, Code::Gpio]);
    world.stuck_out = None;
    world.pass(100);
    assert!(world.outs[OutLine::OutOfService.index()]);
}

/// design.md, Motor guard: the guards hold in maintenance and in opening tests too.
#[test]
fn a_test_of_the_motor_without_wires_starts_nothing_and_fails() {
    let mut world = maintained("sg-open", "sg-open-1");
    world.input(Input::LinesLost { reason: "the chip is gone".into() });
    let request = world.ask(Command::HardwareTest { test: HardwareTest::Motor, name: "teo".into() });
    world.pass(200);
    assert!(!world.outs[OutLine::MotorEnable.index()]);
    world.pass(200_000);
    assert!(matches!(world.reply(request), Some(Answer::Done(told)) if told.ends_with("fail")), "{:?}", world.replies);
    let mut effects = world.history.iter().flat_map(|(_, effects)| effects);
    let starts = |drive: &Drive| drive.line() == OutLine::MotorEnable && drive.is_active();
    assert!(!effects.any(|effect| matches!(effect, Effect::Set(drive) if starts(drive))));
}

/// design.md, Start and restart: a daemon that is told to stop begins nothing any more.
#[test]
fn nothing_begins_once_the_daemon_was_told_to_stop() {
    let mut world = opened("nz-div9", "nz-div9-1");
    world.input(Input::Stop);
    for line in [InLine::PlaceBets, InLine::Tumble, InLine::NoMoreBets, InLine::NoSpin] {
        world.press(line);
    }
    assert!(!world.has(|event| matches!(event, Event::RoundBegan { .. } | Event::SpinBegan | Event::Called { .. })));
    assert!(world.outs[OutLine::OutOfService.index()] && !world.outs[OutLine::MotorEnable.index()]);
}

/// "No more bets" was called, and the disk has not taken it yet.
fn called_and_not_durable() -> World {
    let mut world = opened("nz-div9", "nz-div9-1");
    world.spin();
    world.press(InLine::PlaceBets);
    world.disk = false;
    world.line(InLine::NoMoreBets, true);
    world.pass(30);
    assert!(!world.outs[OutLine::Bell.index()], "it is not durable yet");
    world
}

/// NZ 6.2: the bell rings for "No more bets", once that is durable, and not for wires that are lost.
#[test]
fn nz_6_2_no_bell_rings_without_wires() {
    for lost in [false, true] {
        let mut world = called_and_not_durable();
        if lost {
            world.input(Input::LinesLost { reason: "the chip is gone".into() });
        }
        world.disk = true;
        world.commit();
        assert_eq!(world.outs[OutLine::Bell.index()], !lost);
    }
}

/// NZ 6.2: the call was made, and so the bell rings, whatever has become of its round meanwhile.
#[test]
fn nz_6_2_the_bell_rings_for_a_call_whose_round_is_over() {
    let mut world = called_and_not_durable();
    world.press(InLine::NoSpin);
    world.disk = true;
    world.commit();
    assert!(world.outs[OutLine::Bell.index()]);
    assert!(world.last_void().is_some());
}

/// NZ 7.1(b): what ended a spin is on record, once.
#[test]
fn a_spin_that_a_defect_ended_is_recorded_as_ended() {
    let mut world = opened("nz-div9", "nz-div9-1");
    world.shaft_works = false;
    world.press(InLine::Tumble);
    world.pass(3000);
    let ended: Vec<_> = world.events().filter(|event| matches!(event, Event::SpinEnded { .. })).collect();
    assert!(matches!(ended.as_slice(), [Event::SpinEnded { valid: false, .. }]), "{ended:?}");
}

/// design.md, Result: dice that rest and cannot be judged are the reader's malfunction, and the dealer's eye decides; dice that
/// do not come to rest do not lie flat (NZ 7.1(a)).
#[test]
fn dice_that_the_reader_cannot_judge_are_not_those_that_never_rest() {
    for (pose, void, latched) in
        [(reader::UNKNOWN, None, vec![Code::Reader]), (reader::MOVING, Some(VoidReason::NotFlat), vec![])]
    {
        let mut world = opened("nz-div9", "nz-div9-1");
        world.poses[1] = pose;
        play_to_reveal(&mut world);
        reveal(&mut world);
        world.pass(12_000);
        assert_eq!((world.last_void().map(|void| void.reason), world.latched()), (void, latched), "pose {pose}");
    }
    // And where all is well, nothing comes of the limit.
    let mut world = opened("nz-div9", "nz-div9-1");
    play_to_reveal(&mut world);
    world.pass(12_000);
    assert!(world.last_void().is_none() && world.latched().is_empty());
}

/// design.md, Start and restart: a table is found as it was left, unless its rules or its layout are others now.
#[test]
fn a_table_with_another_layout_or_rules_is_closed() {
    let [same, layout, rules] = [("sg-v6", "sg-v6-1"), ("sg-v6", "sg-v6-2"), ("nz-div9", "nz-div9-1")];
    for (settings, phase) in [(same, Phase::Ready), (layout, Phase::Closed), (rules, Phase::Closed)] {
        let mut world = opened("sg-v6", "sg-v6-1");
        settle_round(&mut world);
        world.pass(500);
        (world.settings.rules, world.settings.layout) = (settings.0.into(), settings.1.into());
        world.restart(false);
        world.pass(500);
        assert_eq!(world.table.phase(), phase, "{settings:?}, {:?}", world.latched());
    }
}

/// design.md, Permission to play: it goes with the malfunction, so that a restart finds none.
#[test]
fn a_malfunction_takes_the_durable_permission_away() {
    let mut world = opened("nz-div9", "nz-div9-1");
    assert!(world.permit);
    world.line(InLine::Seal, false);
    world.pass(500);
    assert!(!world.permit && world.table.snapshot().open);
}
