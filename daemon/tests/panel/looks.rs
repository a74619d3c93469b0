//! What can be looked up: layouts, rounds with their waveform, the journal, health.

use super::bench::{Bench, LONG};
use serde_json::{Value, json};
use std::sync::Arc;
use tumbler_core::latch::{Code, Malfunction};
use tumbler_core::line::{InLine, OutLine};
use tumbler_core::record::{Event, Lit};
use tumbler_core::round::SpinEnd;
use tumbler_core::rules;
use tumbler_core::units::{Dice, Mono, Tumbles};
use tumbler_core::wire::lines::Line;
use tumbler_core::wire::wires::{Wire, Wires};
use tumblerd::run::trace::{Observation, TracedLine};

fn round(bench: &Bench, n: u64) {
    let (at, ms) = (n * 10_000_000_000, 1_000_000);
    bench.record(at, Some(n), Event::RoundBegan { rules: "sg-v6".into(), layout: "sg-v6-3".into() });
    bench.record(at + 100 * ms, Some(n), Event::SpinBegan);
    let how = SpinEnd::Target;
    bench.record(
        at + 2000 * ms,
        Some(n),
        Event::SpinEnded { tumbles: Tumbles(4), valid: true, steps: 17, needed: 13, how },
    );
    let dice = Dice::from_pips([1, 2, 3]).unwrap();
    bench.record(at + 3000 * ms, Some(n), Event::Settled { dice, total: 6, lamps: Lit::Proved, by: None });
}

/// All ten layouts can be drawn, each with all its areas; another one's name is answered with those there are.
#[tokio::test]
async fn every_layout_has_all_its_areas() {
    let bench = Bench::start().await;
    for layout in rules::layouts() {
        let answer = bench.get(&format!("/api/layout?id={}", layout.id)).await.json();
        let drawn: Vec<&str> = answer["areas"].as_array().unwrap().iter().map(|a| a["id"].as_str().unwrap()).collect();
        assert_eq!(drawn, layout.areas.iter().map(|a| a.id.as_str()).collect::<Vec<_>>());
        assert_eq!(answer["areas"][0]["odds"], json!(layout.areas[0].odds));
        let placed = answer["rows"].as_array().unwrap().iter().map(|row| row.as_array().unwrap().len());
        assert_eq!(placed.sum::<usize>(), drawn.len());
    }
    let unknown = bench.get("/api/layout?id=macau").await;
    assert_eq!(unknown.code, 404);
    assert!(unknown.json()["error"].as_str().unwrap().contains("nz-div9-2"), "{unknown:?}");
    bench.stop().await;
}

#[tokio::test]
async fn a_round_comes_with_its_records_and_its_waveform() {
    let bench = Bench::start().await;
    for n in 1..=3 {
        round(&bench, n);
    }
    let at = |ms: u64| Mono(20_000_000_000 + ms * 1_000_000);
    let level = |line, active, at| bench.tap.tell(Observation::Level { line, active, at });
    level(TracedLine::In(InLine::DomeClosed), true, Mono(5));
    level(TracedLine::Out(OutLine::MotorEnable), true, at(110));
    level(TracedLine::Out(OutLine::MotorEnable), false, at(1800));
    level(TracedLine::In(InLine::CamA), true, Mono(90_000_000_000));
    let shown =
        eventually(&bench, "/api/round?id=2", |answer| answer["waves"]["changes"].as_array().map(Vec::len) == Some(2))
            .await;
    let kinds: Vec<&str> = shown["records"].as_array().unwrap().iter().map(|r| r["kind"].as_str().unwrap()).collect();
    assert_eq!(kinds, ["round-began", "spin-began", "spin-ended", "settled"]);
    assert_eq!(shown["waves"]["before"], json!({ "dome_closed": true }));
    assert_eq!(shown["waves"]["changes"][0], json!({ "at": at(110).0, "line": "motor_enable", "active": true }));
    let unknown = bench.get("/api/round?id=9").await;
    assert_eq!(unknown.code, 404);
    assert!(unknown.json()["error"].as_str().unwrap().contains("round 9"));
    let rounds = bench.get("/api/rounds?last=2").await.json();
    assert_eq!(rounds.as_array().unwrap().iter().map(|r| r["round"].as_u64().unwrap()).collect::<Vec<_>>(), [2, 3]);
    bench.stop().await;
}

#[tokio::test]
async fn the_journal_is_searched_from_the_newest_back() {
    let bench = Bench::start().await;
    for n in 1..=30 {
        round(&bench, n);
    }
    bench.record(1, None, Event::Latched { code: Code::Lamps, cause: "triple-5 stays dark".into(), in_spin: false });
    let found = bench.get("/api/journal?search=TRIPLE-5").await.json();
    assert_eq!(found["records"].as_array().unwrap().len(), 1);
    let latched = &found["records"][0];
    assert_eq!(latched["data"]["code"], "lamps");
    assert_eq!(latched["said"], format!("malfunction lamps: {}", latched["data"]["cause"].as_str().unwrap()));
    let first = bench.get("/api/journal?kind=settled&limit=10").await.json();
    assert_eq!(first["records"][0]["round"], 30);
    let next = bench.get(&format!("/api/journal?kind=settled&limit=10&before={}", first["before"])).await.json();
    assert_eq!(next["records"][0]["round"], 20);
    assert_eq!(bench.get("/api/journal?before=yesterday").await.code, 400);
    bench.stop().await;
}

#[tokio::test]
async fn health_times_the_bus_unit_by_unit() {
    let bench = Bench::start().await;
    bench.tap.tell(Observation::Answered { unit: 1, took: 9_000_000 });
    bench.tap.tell(Observation::Late(70_000));
    let health = eventually(&bench, "/api/health", |answer| answer["health"]["late"]["max_us"] == 70).await;
    assert_eq!(health["health"]["took"]["1"]["max_us"], 9_000);
    assert!(health["disk"]["free"].as_u64().unwrap() > 0);
    bench.stop().await;
}

/// A monitor has the table's standing by the answer's code alone.
#[tokio::test]
async fn a_monitor_is_told_how_the_table_stands() {
    let bench = Bench::start().await;
    let healthy = bench.get("/healthz").await;
    assert_eq!((healthy.code, &healthy.json()["status"]), (200, &json!("ok")), "{healthy:?}");
    let cause = "triple-5 stays dark".to_owned();
    let latched = Malfunction { code: Code::Lamps, cause, since: Mono(1), in_spin: false };
    bench.change(|table| table.malfunctions = vec![latched]);
    let blocked = bench.get("/healthz").await;
    let said = "CRITICAL: table t1 at pit: malfunction lamps: triple-5 stays dark";
    assert_eq!((blocked.code, blocked.json()), (503, json!({ "status": "critical", "said": said })));
    bench.stop().await;
}

/// The page has words of its own for units only; what they share is told as at the console.
#[tokio::test]
async fn a_bus_that_fell_silent_is_told_first() {
    let bench = Bench::start().await;
    let mut follower = bench.follow().await;
    assert_eq!(follower.next("status").await["shared"], json!(null));
    let latched =
        |code| Malfunction { code, cause: "the unit does not reply".to_owned(), since: Mono(1), in_spin: false };
    bench.change(|table| table.malfunctions = vec![latched(Code::Terminal), latched(Code::Lamps)]);
    let said = follower.next("status").await["shared"].to_string();
    assert!(said.contains("terminal and lamps fell silent") && said.contains("its adapter and port"), "{said}");
    bench.stop().await;
}

/// Every wire and every register is told as the table's process tells it, and the drawing goes by the same levels.
#[tokio::test]
async fn wires_and_registers_are_told_as_they_are() {
    let bench = Bench::start().await;
    assert_eq!(bench.get("/api/wires").await.json()["lines"], json!([]), "nothing is heard yet");
    let wire = |line, active| Wire {
        line,
        pin: Some("26 active-low pull-up".into()),
        header: Some(37),
        watched: true,
        active,
        means: None,
        high: None,
        since: None,
        changes: 3,
        changed: Some(Mono(8)),
        gaps: 0,
        commanded: None,
        note: None,
    };
    let lines = vec![wire(Line::In(InLine::Seal), Some(false)), wire(Line::Out(OutLine::Bell), None)];
    bench.wires.send_replace(Arc::new(Wires { now: Mono(9), lines, ..Wires::default() }));
    let told: Wires = serde_json::from_value(bench.get("/api/wires").await.json()).unwrap();
    assert_eq!(told, **bench.wires.borrow());
    let mut follower = bench.follow().await;
    assert_eq!(follower.next("status").await["lines"], json!({ "seal": false }));
    bench.stop().await;
}

/// Asks until the answer is the one that must come.
async fn eventually(bench: &Bench, path: &str, wanted: impl Fn(&Value) -> bool) -> Value {
    tokio::time::timeout(LONG, async {
        loop {
            let answer = bench.get(path).await.json();
            if wanted(&answer) {
                return answer;
            }
            tokio::task::yield_now().await;
        }
    })
    .await
    .unwrap_or_else(|_| panic!("{path} never answers so"))
}
