//! Maintenance and its hardware tests from the browser: the console's own commands, in the name of whoever is logged in, and what
//! came of them.

use super::bench::Bench;
use super::login::{PASSWORD, cookie, log_in, post, start};
use serde_json::json;
use tumbler_core::hardware_test::{HardwareTest, Measurement, Plots, Quantity, Report, Verdict};
use tumbler_core::record::Event;
use tumbler_core::settings::Parameters;
use tumbler_core::wire::console::{Answer, Witness};
use tumblerd::network::messages::TechnicianCommand as Command;

/// A table that tests the bell only.
fn bell(command: &Command) -> Answer {
    match command {
        Command::HardwareTest { test: HardwareTest::Bell } => Answer::Done("bell waits for a witness: bell".into()),
        Command::Witness { .. } => Answer::Done("bell: right".into()),
        Command::Maintenance { on: true } => Answer::Done("maintenance: no game can start".into()),
        _ => Answer::refused("no-key", "turn the supervisor's key first: its privilege lasts 300 s"),
    }
}

fn report() -> Report {
    let m = Measurement::new(Quantity::PeriodMean, 1_600_000, &Parameters::default());
    Report {
        test: HardwareTest::Motor,
        by: "jo (panel)".into(),
        verdict: Verdict::Fail,
        found: String::new(),
        seen: vec![],
        measurements: vec![m],
        plots: Plots { periods: vec![1_600_000], ..Plots::default() },
    }
}

#[tokio::test]
async fn a_test_is_asked_for_in_the_technicians_name() {
    let (bench, asked) = start(bell).await;
    let cookie = cookie(&log_in(&bench, "jo", PASSWORD).await);
    let closed = post(&bench, "/api/maintenance", &cookie, &json!({ "on": true })).await;
    assert_eq!((closed.code, closed.json()), (200, json!({ "done": "maintenance: no game can start" })));
    let began = post(&bench, "/api/test", &cookie, &json!({ "test": "bell" })).await;
    assert_eq!((began.code, began.json()), (200, json!({ "done": "bell waits for a witness: bell" })));
    let seen = post(&bench, "/api/witness", &cookie, &json!({ "item": "bell", "right": true })).await;
    assert_eq!(seen.code, 200, "{seen:?}");
    let asked = asked.lock().unwrap().clone();
    let commands = [
        Command::Maintenance { on: true },
        Command::HardwareTest { test: HardwareTest::Bell },
        Command::Witness { item: Witness::Bell, right: true },
    ];
    assert_eq!(asked, commands.map(|command| ("jo".to_owned(), command)));
    bench.stop().await;
}

#[tokio::test]
async fn what_the_table_refuses_is_said_in_its_own_words() {
    let (bench, _) = start(bell).await;
    let cookie = cookie(&log_in(&bench, "jo", PASSWORD).await);
    let refused = post(&bench, "/api/test", &cookie, &json!({ "test": "motor" })).await;
    assert_eq!(refused.code, 409);
    assert!(refused.json()["error"].as_str().unwrap().contains("turn the supervisor's key"), "{refused:?}");
    let unknown = post(&bench, "/api/test", &cookie, &json!({ "test": "lights" })).await;
    assert!(unknown.code == 400 && unknown.body.contains("`temperature`"), "what is allowed is said: {unknown:?}");
    bench.stop().await;
}

/// Nobody who is not logged in has anything tested, and nothing but maintenance and its tests can be asked for.
#[tokio::test]
async fn without_a_login_nothing_is_tested() {
    let (bench, asked) = start(bell).await;
    let granted = cookie(&log_in(&bench, "jo", PASSWORD).await);
    let name = granted.split('=').next().unwrap();
    for cookie in ["", &format!("{name}="), &format!("{name}={}", "0".repeat(64))] {
        let refused = post(&bench, "/api/test", cookie, &json!({ "test": "bell" })).await;
        assert!(refused.code == 401 && refused.body.contains("log in first"), "{refused:?}");
        assert_eq!(post(&bench, "/api/witness", cookie, &json!({ "item": "bell", "right": true })).await.code, 401);
        assert_eq!(post(&bench, "/api/maintenance", cookie, &json!({ "on": false })).await.code, 401);
    }
    assert!(asked.lock().unwrap().is_empty());
    bench.stop().await;
}

#[tokio::test]
async fn what_is_measured_is_followed_and_its_result_is_a_page() {
    let bench = Bench::start().await;
    let mut follower = bench.follow().await;
    assert!(follower.next("status").await.get("bars").is_none());
    bench.change(|table| table.measurements = report().measurements);
    let bars = &follower.next("status").await["bars"];
    assert_eq!(bars[0]["value"], "1600.0 ms");
    assert_eq!(bars[0]["verdict"], "fail");
    bench.record(1, None, Event::KeyTurned);
    bench.record(2, None, Event::HardwareTested(Box::new(report())));
    let result = bench.get("/api/result?record=2").await.json();
    assert_eq!((&result["by"], &result["verdict"]), (&json!("jo (panel)"), &json!("fail")));
    assert!(result["bars"][0]["remedy"].as_str().unwrap().contains("oil the bearings"), "{result}");
    let page = bench.get("/report?record=2").await;
    assert!(page.code == 200 && page.body.contains("1600.0 ms") && page.body.contains("<svg"), "{page:?}");
    assert!(!page.body.contains("<style") && page.body.contains("/report.css"), "its policy allows nothing inline");
    assert_eq!(bench.get("/report.css").await.code, 200);
    for (record, said) in [(1, "no hardware test's"), (9, "no record 9")] {
        let none = bench.get(&format!("/report?record={record}")).await;
        assert!(none.code == 404 && none.body.contains(said), "{none:?}");
    }
    bench.stop().await;
}
