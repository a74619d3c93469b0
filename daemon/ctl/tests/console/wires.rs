//! What every wire and every register says.

use super::stub::{Stub, done};
use std::io::{BufRead, BufReader};
use std::process::Stdio;
use std::sync::Arc;
use tumbler_core::effect::{BusOp, BusRequest, Effect};
use tumbler_core::input::{BusFailure, BusReply, Input};
use tumbler_core::line::InLine;
use tumbler_core::units::Mono;
use tumbler_core::wire::registers::{lamps, terminal};
use tumbler_core::wire::wires::Wires;
use tumblerd::run::meters::Meters;

/// Lets the stub's wires do something.
pub(crate) fn happen(stub: &Stub, change: impl FnOnce(&mut Meters, Mono)) {
    stub.meters.send_modify(|meters| change(Arc::make_mut(meters), tumblerd::run::clock::now()));
}

/// A transaction with a unit.
pub(crate) fn exchange(meters: &mut Meters, at: Mono, unit: u8, op: BusOp, reply: Result<BusReply, BusFailure>) {
    let masked = unit == terminal::UNIT;
    meters.tell(at, &[Effect::Bus(BusRequest { id: 1, unit, op })]);
    assert!(meters.take(at, &Input::Bus { id: 1, reply }, masked).is_some());
}

fn poll() -> BusOp {
    BusOp::ReadInput { address: terminal::POLL, count: terminal::POLL_COUNT }
}

fn some_wires(meters: &mut Meters, now: Mono) {
    meters.take(now, &Input::Level { line: InLine::Seal, active: true }, false);
    meters.take(now, &Input::Edge { line: InLine::Seal, active: false }, false);
    meters.take(now, &Input::LineGap { line: InLine::CamA }, false);
    for line in [InLine::DomeClosed, InLine::DomeOpen] {
        meters.take(now, &Input::Level { line, active: false }, false);
    }
    exchange(meters, now, terminal::UNIT, poll(), Err(BusFailure::Timeout));
    exchange(meters, now, lamps::FIRST_UNIT, poll(), Err(BusFailure::Exception(2)));
    let words = vec![1, 40, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0x0136];
    exchange(meters, now, terminal::UNIT, poll(), Ok(BusReply::Words(words)));
    let coils = BusOp::WriteCoils { address: 0, count: 2, bits: 0b10 };
    exchange(meters, now, lamps::FIRST_UNIT, coils, Ok(BusReply::Written));
}

/// The words of the row that begins so.
fn row<'t>(text: &'t str, beginning: &str) -> Vec<&'t str> {
    let row = text.lines().find(|line| line.trim_start().starts_with(beginning));
    row.unwrap_or_else(|| panic!("no {beginning}: {text}")).split_whitespace().collect()
}

#[test]
fn every_line_and_every_unit_is_shown_with_what_is_odd() {
    let stub = Stub::start(done);
    stub.change(|table| table.lost_units = vec![3, lamps::FIRST_UNIT]);
    happen(&stub, some_wires);
    let ran = stub.ctl(&["wires"]);
    assert_eq!((ran.code, ran.err.as_str()), (Some(0), ""));
    for line in InLine::ALL {
        row(&ran.out, line.name());
    }
    let seal = row(&ran.out, "seal");
    assert_eq!((&seal[1..3], &seal[5..6]), (["inactive", "broken"].as_slice(), ["1"].as_slice()), "{seal:?}");
    assert_eq!(row(&ran.out, "bell"), ["bell", "?", "0"]);
    assert!(row(&ran.out, "cam_a").join(" ").ends_with("edges were lost 1 times"), "{}", ran.out);
    assert!(row(&ran.out, "dome_open").join(" ").ends_with("neither contact of the dome is made"), "{}", ran.out);
    assert_eq!(row(&ran.out, "terminal")[..5], ["terminal", "2", "1", "0", "0"]);
    let board = row(&ran.out, "board-2");
    assert_eq!((&board[..3], &board[6..9]), (["board-2", "LOST", "2"].as_slice(), ["1", "(last", "02)"].as_slice()));
    assert_eq!(row(&ran.out, "reader").last(), Some(&"never"));
    assert!(!ran.out.contains("holding register"), "registers of no unit were asked for: {}", ran.out);
}

#[test]
fn a_unit_is_shown_with_its_registers_and_no_key_that_may_not_be_known() {
    let stub = Stub::start(done);
    happen(&stub, some_wires);
    let shown = stub.ctl(&["wires", "terminal", "seal"]).out;
    for (register, told) in [
        ("input register    2", "secret"),
        ("input register    3", "40 (0x0028)"),
        ("input register    5", "secret"),
        ("input register    6", "0 "),
        ("input register    13", "310 (0x0136)"),
        ("holding register  1", "never"),
    ] {
        let row = shown.lines().find(|line| line.trim_start().starts_with(register));
        assert!(row.is_some_and(|row| row.contains(told)), "{register} {told}: {shown}");
    }
    assert!(
        row(&shown, "seal").contains(&"broken") && !shown.contains("cam_a") && !shown.contains("board-2"),
        "{shown}"
    );
    let board = stub.ctl(&["wires", "board-2"]).out;
    let coils: Vec<Vec<&str>> = board
        .lines()
        .map(|line| line.split_whitespace().collect())
        .filter(|row: &Vec<_>| row.first() == Some(&"coil"))
        .collect();
    assert_eq!(
        coils.iter().map(|row| (row[1], row[2], *row.last().unwrap())).collect::<Vec<_>>(),
        [("0", "off", "small"), ("1", "on", "big")]
    );
}

#[test]
fn a_name_that_is_none_is_refused_with_the_nearest_one() {
    let stub = Stub::start(done);
    let wrong = stub.ctl(&["wires", "dome_close"]);
    assert_eq!(wrong.code, Some(2));
    assert!(wrong.err.contains("`dome_close` is neither a line nor a unit"), "{}", wrong.err);
    assert!(wrong.err.contains("field bus: did you mean `dome_closed`?\n"), "{}", wrong.err);
    let part = stub.ctl(&["wires", "dome"]).err;
    assert!(part.contains("did you mean `dome_closed` or `dome_open`?"), "{part}");
    let far = stub.ctl(&["wires", "weather"]).err;
    assert!(!far.contains("did you mean") && far.contains("there are"), "{far}");
    let none = stub.ctl(&["wires", "board-3"]);
    assert_eq!(none.code, Some(2));
    assert!(none.err.contains("this table has no board-3; its units are terminal, board-2, reader"), "{}", none.err);
    let file = stub.ctl(&["wires", "--follow"]);
    assert!(file.code == Some(2) && file.err.contains("add --json, or leave --follow out"), "{}", file.err);
}

#[test]
fn programs_get_all_of_it_and_may_follow_it() {
    let stub = Stub::start(done);
    happen(&stub, some_wires);
    let wires: Wires = serde_json::from_value(stub.ctl(&["wires", "--json"]).json()).unwrap();
    assert_eq!((wires.lines.len(), wires.units.len()), (16, 3));
    let mut child = stub
        .command(&["wires", "tumble", "--json", "--follow"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let mut next = || serde_json::from_str::<Wires>(&lines.next().unwrap().unwrap()).unwrap();
    let first = next();
    assert_eq!((first.lines.len(), first.lines[0].changes, first.units.len()), (1, 0, 0));
    happen(&stub, |meters, now| {
        meters.take(now, &Input::Edge { line: InLine::Tumble, active: true }, false);
    });
    while next().lines[0].changes == 0 {}
    drop(stub);
    let ended = child.wait_with_output().unwrap();
    assert_eq!(ended.status.code(), Some(2), "a daemon that is gone is no end in good order: {ended:?}");
}
