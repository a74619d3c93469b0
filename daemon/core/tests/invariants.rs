//! What must hold after every event of every history: generated people, wires, disks, buses, restarts.

use crate::world;

use proptest::prelude::*;
use tumbler_core::device::reader::Request;
use tumbler_core::effect::Effect;
use tumbler_core::input::Input;
use tumbler_core::latch::Code;
use tumbler_core::line::{InLine, OutLine};
use tumbler_core::record::Event;
use tumbler_core::round::ending::VoidReason;
use tumbler_core::rules;
use tumbler_core::snapshot::Phase;
use tumbler_core::units::{Dice, RoundId};
use tumbler_core::wire::console::{Command, Exit};
use tumbler_core::wire::registers::terminal;
use world::{SUPERVISOR, World, settings};

/// One thing that happens.
#[derive(Clone, Debug)]
enum Act {
    Press(usize),
    Hold(usize, bool),
    Lift,
    Cover,
    Flicker(usize, u64),
    Keys(Vec<u16>),
    Pass(u64),
    Disk(bool),
    Commit,
    DiskFails,
    Bus(bool),
    Shaft(bool),
    DeadLamp(Option<u8>),
    Pose(usize, u16),
    Seal(bool),
    Fault(bool),
    Supply(bool),
    TurnKey,
    Open,
    Reset(usize),
    Amend([u8; 3]),
    Void(bool),
    Settle([u8; 3]),
    ConfirmDome,
    Close,
    Restart(bool),
    LinesLost,
}

const BUTTONS: [InLine; 4] = [InLine::Tumble, InLine::PlaceBets, InLine::NoMoreBets, InLine::NoSpin];
const GUARDS: [InLine; 5] = [InLine::DomeClosed, InLine::DomeOpen, InLine::Seal, InLine::MotorFault, InLine::PowerGood];

fn acts() -> impl Strategy<Value = Act> {
    let face = 1u8..=6;
    prop_oneof![
        12 => (0usize..3).prop_map(Act::Press),
        1 => Just(Act::Press(3)),
        1 => (0usize..4, any::<bool>()).prop_map(|(b, on)| Act::Hold(b, on)),
        5 => Just(Act::Lift),
        4 => Just(Act::Cover),
        2 => (0usize..5, 1u64..15).prop_map(|(l, ms)| Act::Flicker(l, ms)),
        8 => proptest::collection::vec(1u16..=7, 1..5).prop_map(Act::Keys),
        4 => Just(Act::Keys(vec![1, 3, 6, terminal::ENTRY])),
        4 => Just(Act::Keys(vec![terminal::ENTRY])),
        10 => (1u64..4000).prop_map(Act::Pass),
        2 => any::<bool>().prop_map(Act::Disk),
        3 => Just(Act::Commit),
        1 => Just(Act::DiskFails),
        1 => any::<bool>().prop_map(Act::Bus),
        1 => any::<bool>().prop_map(Act::Shaft),
        1 => proptest::option::of(0u8..50).prop_map(Act::DeadLamp),
        1 => (0usize..3, 0u16..=4).prop_map(|(d, p)| Act::Pose(d, p)),
        1 => any::<bool>().prop_map(Act::Seal),
        1 => any::<bool>().prop_map(Act::Fault),
        1 => any::<bool>().prop_map(Act::Supply),
        3 => Just(Act::TurnKey),
        3 => Just(Act::Open),
        3 => (0usize..14).prop_map(Act::Reset),
        1 => [face.clone(), face.clone(), face.clone()].prop_map(Act::Amend),
        1 => any::<bool>().prop_map(Act::Void),
        1 => [face.clone(), face.clone(), face].prop_map(Act::Settle),
        1 => Just(Act::ConfirmDome),
        1 => Just(Act::Close),
        2 => any::<bool>().prop_map(Act::Restart),
        1 => Just(Act::LinesLost),
    ]
}

/// What is latched now; people see it once it is durable.
fn latched(world: &World) -> Vec<Code> {
    world.table.standing().latched.into_iter().map(|m| m.code).collect()
}

/// Checked at every effect, as it is carried out.
fn watch(world: &World, effect: &Effect) {
    let phase = world.table.phase();
    let durable = |found: &dyn Fn(&Event) -> bool| {
        world.records.iter().filter(|r| r.seq <= world.durable).any(|r| found(&r.event))
    };
    match effect {
        Effect::Set(drive) if drive.line() == OutLine::MotorEnable && drive.is_active() => {
            let covered = rules::rule_set(&world.settings.rules).is_some_and(|r| r.order.covered);
            let line = |l: InLine| world.lines[l.index()];
            assert!(line(InLine::Seal) && line(InLine::PowerGood) && !line(InLine::MotorFault), "a guard is away");
            assert!(!covered || (line(InLine::DomeClosed) && !line(InLine::DomeOpen)), "the dome is not down");
            assert!(
                durable(&|e| matches!(e, Event::SpinBegan | Event::TestBegan { .. })),
                "nothing durable says that the motor may run"
            );
            let test = world.table.is_testing();
            assert!(phase == Phase::Tumbling || test, "the motor starts in {phase:?}");
            // A round in progress may still have its spin where nothing about the tumbler is in doubt (NZ9 7.4: no further game).
            let inhibited = latched(world).iter().any(|code| code.inhibits_motor());
            assert!(test || !inhibited, "the motor starts while latched: {:?}", latched(world));
        }
        Effect::Set(drive) if drive.line() == OutLine::MotorAlive => {
            assert!(world.outs[OutLine::MotorEnable.index()], "a dead-man edge while the motor is not commanded on");
        }
        Effect::Set(drive) if drive.line() == OutLine::OutOfService && !drive.is_active() => {
            assert!(latched(world).is_empty() && world.permit, "the sign goes off while no game may start");
        }
        Effect::Bus(request) if request.op == Request::Faces.op().into_op() => {
            let established =
                world.table.standing().round.is_some() && matches!(phase, Phase::Revealed | Phase::Settling);
            assert!(established, "faces are read in {phase:?}");
        }
        Effect::Keypad(key) => {
            let hidden = match phase {
                Phase::Revealed | Phase::Settling | Phase::Ready | Phase::Blocked | Phase::Closed => false,
                // Who is asked of dice that everybody has seen hides nothing.
                Phase::Interrupted => world.table.standing().round.is_none_or(|round| round.revealed.is_none()),
                _ => true,
            };
            if hidden {
                assert_eq!(*key, tumbler_core::effect::KeyTold::SomeKey, "a key is told in {phase:?}");
            }
        }
        _ => {}
    }
}

/// Checked after every act.
fn check(world: &World) {
    // Records are numbered without a gap.
    for pair in world.records.windows(2) {
        assert_eq!(pair[1].seq, pair[0].seq.next());
    }
    // Every round ends once at most, and before the next begins.
    let mut open: Option<RoundId> = None;
    let mut established = false;
    let mut latched: Vec<Code> = Vec::new();
    for record in &world.records {
        match &record.event {
            Event::RoundBegan { .. } => {
                assert_eq!(open, None, "a round begins while another is in progress");
                assert!(latched.is_empty(), "a round begins while {latched:?} is latched");
                open = record.round;
                established = false;
            }
            Event::Established { .. } => established = true,
            Event::Settled { .. } => {
                assert_eq!(open.take(), record.round, "the round that is settled is the one in progress");
                assert!(established, "a round is settled without an outcome");
            }
            Event::Voided(void) => {
                assert_eq!(open.take(), record.round);
                let lawful = !established || matches!(void.reason, VoidReason::DamagedDice | VoidReason::NotFlat);
                assert!(lawful, "an established outcome is voided: {void:?}");
            }
            Event::Latched { code, .. } => latched.push(*code),
            Event::Unlatched { code, .. } => latched.retain(|l| l != code),
            _ => {}
        }
    }
    world.check_answers();
    // Nothing runs without permission.
    if world.outs[OutLine::MotorEnable.index()] {
        let test = world.table.is_testing();
        assert!(test || world.table.phase() == Phase::Tumbling, "the motor is on in {:?}", world.table.phase());
    }
}

fn act(world: &mut World, act: &Act) {
    match act {
        Act::Press(b) => world.press(BUTTONS[*b]),
        Act::Hold(b, on) => world.line(BUTTONS[*b], *on),
        Act::Lift => world.lift(),
        Act::Cover => world.cover(),
        Act::Flicker(l, ms) => {
            let line = GUARDS[*l];
            let was = world.lines[line.index()];
            world.line(line, !was);
            world.pass(*ms);
            world.line(line, was);
        }
        Act::Keys(codes) => world.keys(codes),
        Act::Pass(ms) => world.pass(*ms),
        Act::Disk(works) => {
            world.disk = *works;
            if *works {
                world.commit();
            }
        }
        Act::Commit => world.commit(),
        Act::DiskFails => world.input(Input::JournalFailed { reason: "no space left".into() }),
        Act::Bus(works) => world.bus_works = *works,
        Act::Shaft(works) => world.shaft_works = *works,
        Act::DeadLamp(lamp) => world.dead_lamps = lamp.map_or(0, |l| 1 << l),
        Act::Pose(die, pose) => world.poses[*die] = *pose,
        Act::Seal(whole) => world.line(InLine::Seal, *whole),
        Act::Fault(on) => world.line(InLine::MotorFault, *on),
        Act::Supply(good) => world.line(InLine::PowerGood, *good),
        Act::TurnKey => world.turn_key(),
        Act::Open => {
            world.ask(Command::Open { name: SUPERVISOR.into() });
        }
        Act::Reset(code) => {
            let code = Code::ALL[*code];
            world.ask(Command::Reset { code, exit: Exit::Rectified, name: SUPERVISOR.into() });
        }
        Act::Amend(pips) => {
            let dice = Dice::from_pips(*pips).unwrap();
            world.ask(Command::Amend { dice, uphold: true, name: SUPERVISOR.into() });
        }
        Act::Void(damaged) => {
            world.ask(Command::Void {
                reason: "seen".into(),
                damaged_dice: *damaged,
                not_flat: !damaged,
                name: SUPERVISOR.into(),
            });
        }
        Act::Settle(pips) => {
            let dice = Dice::from_pips(*pips).ok();
            world.ask(Command::Settle { dice, reason: "seen".into(), name: SUPERVISOR.into() });
        }
        Act::ConfirmDome => {
            world.ask(Command::ConfirmDome { reason: "seen".into(), name: SUPERVISOR.into() });
        }
        Act::Close => {
            world.ask(Command::Close { name: SUPERVISOR.into() });
        }
        Act::Restart(reboot) => world.restart(*reboot),
        Act::LinesLost => world.lose_lines(),
    }
    check(world);
}

const LAYOUTS: [&str; 5] = ["nz-1998", "nz-div9-1", "sg-v6-3", "sg-open-1", "sg-open-early-2"];

fn begin(which: usize) -> World {
    let layout = rules::layout(LAYOUTS[which]).unwrap();
    let mut world = World::new(settings(&layout.rules, &layout.id));
    world.watch = watch;
    world.pass(2000);
    world.open();
    world
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 96, failure_persistence: None, max_shrink_iters: 2000, ..ProptestConfig::default() })]

    #[test]
    fn nothing_unlawful_happens_in_any_history(which in 0usize..5, history in proptest::collection::vec(acts(), 1..60)) {
        let mut world = begin(which);
        for one in &history {
            act(&mut world, one);
        }
    }

    /// Whatever core decides replays from its recorded inputs, bit for bit; also from a keyframe, and also though
    /// keys that may not be kept were masked in the recording.
    #[test]
    fn every_history_replays_bit_for_bit(which in 0usize..5, history in proptest::collection::vec(acts(), 1..40)) {
        let mut world = begin(which);
        for one in &history {
            act(&mut world, one);
        }
        let mut table = world.started();
        for (number, (stamped, effects)) in world.history.iter().enumerate() {
            if number % 500 == 250 {
                let kept = serde_json::to_string(&table).unwrap();
                table = serde_json::from_str(&kept).unwrap();
            }
            let mut again = Vec::new();
            table.handle(stamped.at, stamped.now, &stamped.input, &mut again);
            prop_assert_eq!(&again, effects, "input {} {:?}", number, stamped);
        }
        prop_assert_eq!(table.snapshot(), world.table.snapshot());
    }
}

/// The same guards, looked at a second time with every commit held back at every step of a round.
#[test]
fn a_guard_that_changes_while_the_disk_writes_is_seen() {
    for (line, away) in [
        (InLine::DomeClosed, false),
        (InLine::DomeOpen, true),
        (InLine::Seal, false),
        (InLine::MotorFault, true),
        (InLine::PowerGood, false),
    ] {
        let mut world = begin(1);
        world.disk = false;
        world.press(InLine::Tumble);
        assert!(!world.outs[0], "no motion before the record is durable");
        world.line(line, away);
        world.commit();
        world.pass(20);
        assert!(!world.outs[0], "{} changed while the disk wrote", line.name());
    }
}
