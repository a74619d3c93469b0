//! Wires and units, as the console tells of them.

use super::bench::{LONG, Place, Wire};
use super::browser::{Browser, with_panel};
use serde_json::json;
use std::thread;
use std::time::Instant;
use tumbler_core::wire::wires::Wires;

fn wires(place: &Place) -> Wires {
    serde_json::from_value(place.ask(&json!("wires"))["answer"]["wires"].clone()).unwrap()
}

/// What is told once it is so. It is told a moment late.
fn once(place: &Place, is_so: impl Fn(&Wires) -> bool) -> Wires {
    let until = Instant::now() + LONG;
    loop {
        let told = wires(place);
        if is_so(&told) {
            return told;
        }
        assert!(Instant::now() < until, "{told:#?}");
        thread::yield_now();
    }
}

fn line(told: &Wires, name: &str) -> tumbler_core::wire::wires::Wire {
    told.lines.iter().find(|wire| wire.line.name() == name).unwrap().clone()
}

fn edge(wire: &mut Wire, line: &str, active: bool, seq: u64) {
    let at_ns = tumblerd::run::clock::now().0;
    wire.send(format!("{}\n", json!({ "line": line, "active": active, "at_ns": at_ns, "seq": seq })).as_bytes());
}

/// What a stranger on the wires says is in the log, and moves no cursor, turns no line round and begins none there.
#[test]
fn a_strangers_words_are_on_one_line_of_the_log() {
    let place = Place::new();
    place.commission();
    let log = std::fs::File::create(place.path("log")).unwrap();
    let _daemon = place.start_logging(log.into());
    let mut wire = place.wire();
    place.told("READY=");
    wire.send(
        "{\"line\":\"dome\u{202e}\\u001b[2J\\nINFO all is well\u{9b}\",\"active\":true,\"at_ns\":1,\"seq\":1}\n"
            .as_bytes(),
    );
    let until = Instant::now() + LONG;
    let line = loop {
        let log = std::fs::read_to_string(place.path("log")).unwrap();
        if let Some(line) = log.lines().find(|line| line.contains("all is well")) {
            break line.to_owned();
        }
        assert!(Instant::now() < until, "{log}");
        thread::yield_now();
    };
    assert!(line.contains("dome\u{fffd}"), "{line:?}");
    assert!(!line.chars().any(tumbler_core::text::is_unseen), "{line:?}");
}

#[test]
fn a_line_that_is_toggled_is_counted_with_its_level_and_its_time() {
    let place = Place::new();
    place.commission();
    let _daemon = place.start();
    let mut wire = place.wire();
    place.told("READY=");
    let before = once(&place, |told| told.lines.iter().take(12).all(|wire| wire.active.is_some()));
    let button = line(&before, "place_bets");
    assert_eq!((button.active, button.changes, button.changed), (Some(false), 0, None));
    assert!(before.began <= before.now && button.since.is_some_and(|since| since <= before.now), "{button:?}");
    // The bench's wire has no pins.
    assert_eq!((button.pin, button.header, button.high), (None, None, None));

    let began = tumblerd::run::clock::now();
    for seq in 1..=5 {
        edge(&mut wire, "place_bets", seq % 2 == 1, seq);
    }
    let pressed = line(&once(&place, |told| line(told, "place_bets").changes == 5), "place_bets");
    assert_eq!((pressed.active, pressed.means.as_deref(), pressed.watched), (Some(true), Some("pressed"), true));
    assert!(pressed.changed.is_some_and(|at| at >= began), "{pressed:?} {began:?}");
    assert_eq!(pressed.since, pressed.changed);
    assert_eq!(line(&wires(&place), "no_spin").changes, 0);
    edge(&mut wire, "dome_open", true, 1);
    let dome = once(&place, |told| line(told, "dome_open").active == Some(true));
    assert_eq!(line(&dome, "dome_closed").note.as_deref(), Some("both contacts of the dome are made"));

    let sign = line(&dome, "out_of_service");
    assert_eq!((sign.commanded, sign.active, sign.note), (Some(true), Some(true), None));
    // The daemon hangs up on who sends what is no message, and finds nobody when it calls again.
    std::fs::remove_file(place.path("lines")).unwrap();
    wire.send(b"{{{nonsense\n");
    let lost = once(&place, |told| told.lines.iter().all(|wire| !wire.watched));
    let pressed = line(&lost, "place_bets");
    assert_eq!((pressed.active, pressed.since, pressed.changes), (None, None, 5), "counted from the daemon's start");
}

#[test]
fn a_unit_on_which_nobody_answers_has_its_time_outs_counted() {
    let place = Place::new();
    place.commission();
    let _daemon = place.start();
    let _wire = place.wire();
    place.told("READY=");
    let terminal = |told: &Wires| told.units.first().unwrap().clone();
    let lost = once(&place, |told| terminal(told).timeouts > 2 && terminal(told).lost);
    let more = once(&place, |told| terminal(told).timeouts > terminal(&lost).timeouts);
    let unit = terminal(&more);
    assert_eq!((unit.name.as_str(), unit.failed(), unit.answered), ("terminal", unit.exchanges, None));
    assert!(unit.retries + 1 >= unit.timeouts, "each followed one that had failed: {unit:?}");
    assert!(unit.registers.iter().all(|register| register.value.is_none() && register.at.is_none()), "{unit:?}");
    // No reader is configured; the layout's 50 areas are on one board.
    let names: Vec<&str> = more.units.iter().map(|unit| unit.name.as_str()).collect();
    assert_eq!((names, more.units[1].registers.len()), (vec!["terminal", "board-2"], 100));
}

/// Through both processes: what a browser is told is what the console tells.
#[test]
fn the_panel_tells_a_line_that_is_toggled() {
    let place = Place::new();
    let panel = with_panel(&place);
    place.commission();
    let _daemon = place.start();
    let mut wire = place.wire();
    place.told("READY=");
    edge(&mut wire, "place_bets", true, 1);
    let told = line(&once(&place, |told| line(told, "place_bets").changes == 1), "place_bets");
    let browser = Browser::new(panel, 0, 9).waits();
    let until = Instant::now() + LONG;
    loop {
        let wires: Wires = serde_json::from_str(&browser.ask("GET", "/api/wires", "").unwrap().body).unwrap();
        let shown = wires.lines.iter().find(|wire| wire.line.name() == "place_bets");
        if shown == Some(&told) {
            return;
        }
        assert!(Instant::now() < until, "{shown:?} instead of {told:?}");
        thread::yield_now();
    }
}

/// A question has no argument, and changes nothing: no record comes of it.
#[test]
fn to_ask_about_the_wires_is_recorded_nowhere() {
    let place = Place::new();
    place.commission();
    let _daemon = place.start();
    let _wire = place.wire();
    place.told("READY=");
    let before = place.records("refused").len();
    let refused = place.ask(&json!({ "query": "wires", "with": { "line": "seal" } }));
    assert!(refused["error"].as_str().unwrap().contains("no request"), "{refused}");
    assert!(place.ask(&json!({ "query": "wires" }))["answer"]["wires"]["lines"].is_array());
    assert_eq!(place.ask(&json!("wires"))["answer"]["wires"]["lines"].as_array().map(Vec::len), Some(16));
    assert_eq!(place.records("refused").len(), before);
}
