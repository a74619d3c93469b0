use super::*;
use tumbler_core::effect::{BusOp, BusRequest, Effect};
use tumbler_core::input::{BusFailure, BusReply, Input};

fn plan() -> Plan {
    Plan { reader: true, areas: (0..66).map(|area| format!("area-{area}")).collect(), ..Plan::default() }
}

fn shown(meters: &Meters) -> Wires {
    plan().shown(meters, &[3], Mono(1_000), 7)
}

fn line(meters: &Meters, name: &str) -> Wire {
    shown(meters).lines.into_iter().find(|wire| wire.line.name() == name).unwrap()
}

fn unit(meters: &Meters, name: &str) -> Unit {
    shown(meters).units.into_iter().find(|unit| unit.name == name).unwrap()
}

fn register(unit: &Unit, kind: Kind, address: u16) -> Register {
    unit.registers.iter().find(|register| (register.kind, register.address) == (kind, address)).unwrap().clone()
}

/// A transaction with this unit; `masked`: its keys are.
fn exchange(meters: &mut Meters, at: u64, unit: u8, op: BusOp, reply: Result<BusReply, BusFailure>, masked: bool) {
    let id = u32::try_from(at).unwrap();
    meters.tell(Mono(at), &[Effect::Bus(BusRequest { id, unit, op })]);
    assert_eq!(meters.take(Mono(at + 1), &Input::Bus { id, reply }, masked), Some((unit, 1)));
}

#[test]
fn changes_of_a_line_are_counted_and_a_first_level_is_none() {
    let mut meters = Meters::new(Mono(5));
    let (seal, lost) = (InLine::Seal, Input::LinesLost { reason: "gone".into() });
    assert_eq!((line(&meters, "seal").active, line(&meters, "seal").since), (None, None));
    meters.take(Mono(10), &Input::Level { line: seal, active: true }, false);
    let first = line(&meters, "seal");
    assert_eq!((first.active, first.since, first.changes, first.changed), (Some(true), Some(Mono(10)), 0, None));
    assert_eq!(first.means.as_deref(), Some("whole"));
    meters.take(Mono(20), &Input::Edge { line: seal, active: false }, false);
    meters.take(Mono(30), &Input::Edge { line: seal, active: true }, false);
    meters.take(Mono(31), &Input::LineGap { line: seal }, false);
    meters.take(Mono(32), &Input::Level { line: seal, active: true }, false);
    let edges = line(&meters, "seal");
    assert_eq!((edges.since, edges.changes, edges.changed), (Some(Mono(30)), 2, Some(Mono(30))));
    assert_eq!((edges.gaps, line(&meters, "bell").changes), (1, 0));
    meters.take(Mono(40), &lost, false);
    let gone = line(&meters, "seal");
    assert_eq!((gone.watched, gone.active, gone.since, gone.changes), (false, None, None, 2));
    meters.take(Mono(50), &Input::LinesBack, false);
    meters.take(Mono(51), &Input::Level { line: seal, active: false }, false);
    let back = line(&meters, "seal");
    assert_eq!((back.watched, back.since, back.changes), (true, Some(Mono(51)), 3));
    assert_eq!((shown(&meters).began, shown(&meters).now), (Mono(5), Mono(1_000)));
}

#[test]
fn exactly_one_contact_of_the_dome_is_made_in_a_healthy_pair() {
    let noted = |closed: bool, open: bool| {
        let mut meters = Meters::new(Mono(0));
        meters.take(Mono(1), &Input::Level { line: InLine::DomeClosed, active: closed }, false);
        assert_eq!(line(&meters, "dome_closed").note, None, "the other one is not known");
        meters.take(Mono(1), &Input::Level { line: InLine::DomeOpen, active: open }, false);
        assert_eq!(line(&meters, "seal").note, None);
        assert_eq!(line(&meters, "dome_closed").note, line(&meters, "dome_open").note);
        line(&meters, "dome_open").note
    };
    assert_eq!((noted(true, false), noted(false, true)), (None, None));
    assert_eq!(noted(true, true).as_deref(), Some("both contacts of the dome are made"));
    assert_eq!(noted(false, false).as_deref(), Some("neither contact of the dome is made"));
}

#[test]
fn a_pin_that_is_low_is_active_where_the_configuration_says_so() {
    let mut meters = Meters::new(Mono(0));
    meters.take(Mono(1), &Input::Level { line: InLine::Seal, active: true }, false);
    let mut plan = plan();
    for (active_low, high) in [(true, false), (false, true)] {
        plan.inputs[InLine::Seal.index()] = Some(Place { pin: "26".into(), header: Some(37), active_low });
        let wires = plan.shown(&meters, &[], Mono(2), 0);
        let seal = wires.lines.iter().find(|wire| wire.line.name() == "seal").unwrap();
        assert_eq!((seal.high, seal.header, seal.pin.as_deref()), (Some(high), Some(37), Some("26")));
    }
}

#[test]
fn each_failure_of_a_unit_has_its_counter_and_the_next_request_is_a_retry() {
    let mut meters = Meters::new(Mono(0));
    let poll = || BusOp::ReadInput { address: reader::POSE, count: reader::POSE_COUNT };
    let good = || Ok(BusReply::Words((1..=9).collect()));
    let failures = [
        BusFailure::Timeout,
        BusFailure::Timeout,
        BusFailure::Corrupt,
        BusFailure::WrongShape,
        BusFailure::Exception(2),
        BusFailure::PortGone,
    ];
    exchange(&mut meters, 10, reader::UNIT, poll(), good(), false);
    for (at, failure) in (20..).step_by(10).zip(failures) {
        exchange(&mut meters, at, reader::UNIT, poll(), Err(failure), false);
    }
    let lost = unit(&meters, "reader");
    assert_eq!((lost.answered, lost.retries), (Some(Mono(11)), 5));
    exchange(&mut meters, 80, reader::UNIT, poll(), good(), false);
    exchange(&mut meters, 90, reader::UNIT, poll(), good(), false);
    let found = unit(&meters, "reader");
    assert_eq!((found.exchanges, found.failed(), found.retries), (9, 6, 6));
    assert_eq!((found.timeouts, found.corrupt, found.misshapen, found.exceptions), (2, 1, 1, 1));
    assert_eq!((found.exception, found.port_gone, found.answered), (Some(2), 1, Some(Mono(91))));
    assert_eq!(unit(&meters, "terminal").exchanges, 0);
    assert_eq!(meters.take(Mono(95), &Input::Bus { id: 1, reply: good() }, false), None, "nobody asked");
    let lost: Vec<u8> = shown(&meters).units.iter().filter(|unit| unit.lost).map(|unit| unit.unit).collect();
    assert_eq!(lost, [3], "as the table says");
}

/// Bit 0 is the lowest address. Area 64 is wired to output 0 of the second board (registers.md).
#[test]
fn registers_have_their_names_areas_and_last_values() {
    let mut meters = Meters::new(Mono(0));
    let units: Vec<String> = shown(&meters).units.into_iter().map(|unit| unit.name).collect();
    assert_eq!(units, ["terminal", "board-2", "board-3", "reader"]);
    let coils = |count, bits| BusOp::WriteCoils { address: 0, count, bits };
    exchange(&mut meters, 10, 3, coils(2, 0b10), Ok(BusReply::Written), false);
    exchange(&mut meters, 20, 3, coils(2, 0b01), Err(BusFailure::Timeout), false);
    let sense = BusOp::ReadDiscrete { address: 0, count: 2 };
    exchange(&mut meters, 30, 3, sense, Ok(BusReply::Bits(0b01)), false);
    let board = unit(&meters, "board-3");
    let values: Vec<_> = board.registers.iter().map(|r| (r.kind, r.area.as_deref().unwrap(), r.value, r.at)).collect();
    assert_eq!(
        values,
        [
            (Kind::Coil, "area-64", Some(0), Some(Mono(11))),
            (Kind::Coil, "area-65", Some(1), Some(Mono(11))),
            (Kind::DiscreteInput, "area-64", Some(1), Some(Mono(31))),
            (Kind::DiscreteInput, "area-65", Some(0), Some(Mono(31))),
        ],
        "a write that was not acknowledged is none"
    );
    assert_eq!(unit(&meters, "board-2").registers.len(), 128);

    let op = BusOp::WriteHolding { address: terminal::DISPLAY, values: vec![0x0136] };
    exchange(&mut meters, 40, terminal::UNIT, op, Ok(BusReply::Written), false);
    let display = register(&unit(&meters, "terminal"), Kind::HoldingRegister, terminal::DISPLAY);
    assert_eq!((display.name.as_str(), display.value, display.at), ("display", Some(0x0136), Some(Mono(41))));
    let led = register(&unit(&meters, "terminal"), Kind::HoldingRegister, terminal::LED);
    assert_eq!((led.value, led.at), (None, None), "never written");
}

/// design.md, Keys of the terminal: that a key was pressed may be known before the reveal, but not which one.
#[test]
fn a_masked_key_is_said_to_be_secret_and_has_no_value() {
    let mut meters = Meters::new(Mono(0));
    let poll = || BusOp::ReadInput { address: terminal::POLL, count: terminal::POLL_COUNT };
    // One key is held and one press waits, both masked: 1 stands for any key.
    let words = || Ok(BusReply::Words(vec![1, 40, 1, 1, 0, 0, 0, 0, 0, 0, 0, terminal::BLANK]));
    exchange(&mut meters, 10, terminal::UNIT, poll(), words(), true);
    let of = |meters: &Meters, address| register(&unit(meters, "terminal"), Kind::InputRegister, address);
    for key in [terminal::POLL, terminal::POLL + 3] {
        let key = of(&meters, key);
        assert_eq!((key.value, key.secret, key.at), (None, true, Some(Mono(11))), "{}", key.name);
    }
    for (address, value) in [(3, 40), (4, 1), (6, 0), (13, terminal::BLANK)] {
        let open = of(&meters, address);
        assert_eq!((open.value, open.secret), (Some(value), false), "{}", open.name);
    }
    exchange(&mut meters, 20, terminal::UNIT, poll(), words(), false);
    assert_eq!((of(&meters, 5).value, of(&meters, 5).secret), (Some(1), false), "now it may be known");
}
