//! The test of the buttons and the key, compared with what their lines and people's hands did.

use super::*;

const BUTTONS: [Line; 5] = [Line::Tumble, Line::PlaceBets, Line::NoMoreBets, Line::NoSpin, Line::SupervisorKey];

/// A hand is on a button for 120 ms; its press is seen on this line, if on any.
fn press(script: &mut Script, button: Line, seen: Option<Line>) {
    script.truth(Truth::Hand { button, down: true });
    if let Some(line) = seen {
        script.wire(line, true);
    }
    script.pass(120);
    script.truth(Truth::Hand { button, down: false });
    if let Some(line) = seen {
        script.wire(line, false);
    }
    script.pass(200);
}

fn begun() -> Script {
    let mut script = maintained("sg-v6");
    begin(&mut script, "buttons");
    script.pass(300);
    script
}

/// The report: with the number that were seen, other presses, flickers, and what was found.
fn told(mut script: Script, [pressed, wrong, hold, flickers]: [i64; 4], found: &str) -> Vec<(&'static str, String)> {
    let most = |quantity, value, marginal: i64, fail: i64| {
        let verdict = if value > fail {
            "fail"
        } else if value > marginal {
            "marginal"
        } else {
            "pass"
        };
        super::value(quantity, value, &json!({"marginal_above": marginal, "fail_above": fail}), verdict)
    };
    let all = json!({"fail_below": 5, "marginal_below": 5});
    let measured = [
        value("buttons-pressed", pressed, &all, if pressed < 5 { "fail" } else { "pass" }),
        most("buttons-wrong", wrong, 0, 2),
        most("buttons-together", 0, 0, 0),
        most("button-hold", hold, 2_000_000, 5_000_000),
        most("button-bounce", 0, 10_000, 20_000),
        most("button-bounces", 0, 4, 8),
        most("button-flickers", flickers, 0, 2),
    ];
    let verdict = match (found.is_empty(), pressed) {
        (_, 5) if wrong == 1 => "marginal",
        (true, _) => "pass",
        (false, _) => "fail",
    };
    let mut report = json!({"test": "buttons", "by": "Teo", "verdict": verdict, "measurements": measured});
    if !found.is_empty() {
        report["found"] = found.into();
    }
    script.record_of(None, "hardware-tested", report);
    let judged = script.judged(judge());
    judged.violations().iter().map(|v| (v.clause, v.what.clone())).collect()
}

#[test]
fn presses_as_asked_pass_and_nobody_is_blamed_for_them() {
    let all = || {
        let mut script = begun();
        BUTTONS.into_iter().for_each(|button| press(&mut script, button, Some(button)));
        script
    };
    assert_eq!(told(all(), [5, 0, 120_000, 0], ""), []);
    let blamed = told(all(), [5, 0, 120_000, 0], "measure: no_spin flickered 9 times");
    assert!(blamed.iter().any(|(clause, _)| *clause == NAMED), "{blamed:?}");
    for wrong in [[5, 0, 121_000, 0], [5, 0, 120_000, 1]] {
        let found = told(all(), wrong, "");
        assert!(found.iter().any(|(clause, _)| *clause == VALUES), "{wrong:?}: {found:?}");
    }
}

/// hardware-tests.md: "The report names buttons that ... came on instead of another", and one of them is marginal.
#[test]
fn a_slip_has_to_be_named_and_fails_nothing() {
    let slipped = || {
        let mut script = begun();
        press(&mut script, Line::PlaceBets, Some(Line::PlaceBets));
        BUTTONS.into_iter().for_each(|button| press(&mut script, button, Some(button)));
        script
    };
    assert_eq!(told(slipped(), [5, 1, 120_000, 0], "place_bets came on when tumble was asked for"), []);
    let untold = told(slipped(), [5, 1, 120_000, 0], "");
    assert!(untold.iter().any(|(clause, _)| *clause == NAMED), "{untold:?}");
}

/// Each kind of defect is to be named, by what hands did and by what lines showed, whatever the report says.
#[test]
fn what_is_out_of_order_has_to_be_named() {
    let played = |of: &dyn Fn(&mut Script, Line)| {
        let mut script = begun();
        BUTTONS.into_iter().for_each(|button| of(&mut script, button));
        script.pass(11_000);
        script
    };
    let is_unnamed = |found: &[(&'static str, String)], line: &str| {
        let named = format!("`buttons`: {line}: ");
        found.iter().any(|(clause, what)| *clause == NAMED && what.starts_with(&named))
    };
    let broken = |script: &mut Script, button| press(script, button, (button != Line::NoSpin).then_some(button));
    let found = told(played(&broken), [4, 0, 120_000, 0], "measure: tumble was not seen");
    assert!(is_unnamed(&found, "no_spin"), "{found:?}");
    let found = told(played(&broken), [4, 0, 120_000, 0], "measure: no_spin was not seen");
    assert!(found.iter().all(|(clause, _)| *clause != NAMED), "{found:?}");

    let crossed = |script: &mut Script, button| {
        press(
            script,
            button,
            match button {
                Line::Tumble | Line::PlaceBets => Some(Line::Tumble),
                other => Some(other),
            },
        );
    };
    let found = told(played(&crossed), [5, 0, 120_000, 0], "");
    assert!(is_unnamed(&found, "tumble") && is_unnamed(&found, "place_bets"), "{found:?}");

    let stuck = |script: &mut Script, button| {
        press(script, button, Some(button));
        if button == Line::SupervisorKey {
            script.wire(button, true);
        }
    };
    let found = told(played(&stuck), [5, 0, 120_000, 0], "");
    assert!(is_unnamed(&found, "supervisor_key"), "{found:?}");

    let chatter = |script: &mut Script, button| {
        press(script, button, Some(button));
        script.wire(Line::NoMoreBets, true);
        script.pass(3);
        script.wire(Line::NoMoreBets, false);
        script.pass(100);
    };
    let found = told(played(&chatter), [5, 0, 120_000, 5], "measure: tumble flickered");
    assert!(is_unnamed(&found, "no_more_bets") && !is_unnamed(&found, "tumble"), "{found:?}");
}

/// hardware-tests.md: a turn in the test gives no privilege, so that a command that needs one is refused afterwards.
#[test]
fn a_turn_in_the_test_is_no_turn_for_what_follows() {
    let mut script = maintained("sg-v6");
    script.pass(290_000);
    begin(&mut script, "buttons");
    script.pass(300);
    BUTTONS.into_iter().for_each(|button| press(&mut script, button, Some(button)));
    script.record_of(
        None,
        "hardware-tested",
        json!({"test": "buttons", "by": "Teo", "verdict": "fail", "found": "measure: called off", "measurements": []}),
    );
    script.pass(15_000);
    begin(&mut script, "bus");
    let found = script.judged(judge()).violations().to_vec();
    assert!(found.iter().any(|v| v.clause == BEGIN && v.what.contains("without the key")), "{found:#?}");
}
