//! `tumblerd take-over`: another state directory, as on another card, goes on with the table.

use super::bench::Place;
use nix::sys::signal::Signal;
use serde_json::{Value, json};

fn latched(place: &Place) -> Vec<String> {
    let answer = place.ask(&json!("faults"));
    let Value::Array(faults) = answer["answer"]["faults"]["latched"].clone() else { panic!("{answer}") };
    faults.iter().map(|fault| fault["code"].as_str().unwrap().to_owned()).collect()
}

/// Killed with a malfunction latched, replaced, started: the same table is blocked by the same malfunction, and the board before is out.
#[test]
fn a_table_goes_on_where_another_board_left_it() {
    let (old, new) = (Place::new(), Place::new());
    old.commission();
    let mut daemon = old.start();
    drop(old.wire());
    old.told("READY=");
    // Whatever is latched first: no unit of this bus answers, and the wires are gone.
    while latched(&old).is_empty() {
        std::thread::yield_now();
    }
    let running = new.take_over(&old.path("state"));
    assert_eq!(running.status.code(), Some(1));
    let why = String::from_utf8_lossy(&running.stderr).into_owned();
    assert!(why.contains("in use by another tumblerd; stop that one first"), "{why}");
    let before = latched(&old);
    daemon.signal(Signal::SIGKILL);
    daemon.ended();

    let taken = new.take_over(&old.path("state"));
    let said = String::from_utf8_lossy(&taken.stdout).into_owned();
    assert!(taken.status.success(), "{}", String::from_utf8_lossy(&taken.stderr));
    assert!(said.contains("taken over: table s/t, ") && said.contains("latched, and stays so: "), "{said}");
    let gone = old.once("");
    let why = String::from_utf8_lossy(&gone.stderr).into_owned();
    assert!(gone.status.code() == Some(1) && why.contains("this table was taken over by board"), "{why}");

    let _daemon = new.start();
    let _wire = new.wire();
    new.told("READY=");
    let after = latched(&new);
    assert!(before.iter().all(|code| after.contains(code)), "{before:?} {after:?}");
    assert_eq!(new.records("noted").iter().filter(|noted| noted["data"]["kind"] == "board-replaced").count(), 1);
}
