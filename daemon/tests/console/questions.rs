//! Questions: status, watch, rounds, events, faults.

use crate::stub::{Stub, done};
use serde_json::Value;
use std::io::{BufRead, BufReader};
use std::process::Stdio;
use tumbler_core::latch::{Code, Malfunction};
use tumbler_core::record::Event;
use tumbler_core::round::ending::{Void, VoidReason};
use tumbler_core::snapshot::Phase;
use tumbler_core::units::{Dice, Mono, Tumbles};
use tumbler_core::wire::ask::{RoundSummary, Status};
use tumbler_core::wire::topics::EventMessage;

fn two_rounds(stub: &Stub) {
    for (round, pips) in [(1, [1, 1, 3]), (2, [4, 5, 6])] {
        let dice = Dice::from_pips(pips).unwrap();
        stub.record(Some(round), Event::RoundBegan { rules: "sg-v6".into(), layout: "sg-v6-3".into() });
        stub.record(Some(round), Event::SpinEnded { tumbles: Tumbles(4), valid: true, how: "standstill".into() });
        if round == 1 {
            stub.record(Some(round), Event::Settled { dice, total: dice.total(), by: None });
        } else {
            let (reason, clause) = (VoidReason::NotFlat, "SGV6 5.5.2".to_owned());
            stub.record(Some(round), Event::Voided(Void { reason, clause, detail: "die 2".into() }));
        }
    }
}

#[test]
fn status_shows_the_table_as_it_is() {
    let stub = Stub::start(done);
    stub.change(|table| {
        table.phase = Phase::Blocked;
        table.malfunctions = vec![Malfunction { code: Code::Seal, cause: "broken".into(), since: Mono(1) }];
    });
    let status: Status = serde_json::from_value(stub.ctl(&["status", "--json"]).json()).unwrap();
    assert_eq!((status.snapshot.phase, status.relay), (Phase::Blocked, None));
    let ran = stub.ctl(&["status"]);
    assert_eq!(ran.code, Some(0));
    for said in ["blocked", "seal: broken", "nothing here is a real game", "none configured"] {
        assert!(ran.out.contains(said), "{said}: {}", ran.out);
    }
}

#[test]
fn faults_say_how_they_are_reset() {
    let stub = Stub::start(done);
    assert_eq!(stub.ctl(&["faults"]).out, "no malfunction is latched\n");
    stub.change(|table| {
        table.malfunctions = vec![Malfunction { code: Code::Lamps, cause: "open".into(), since: Mono(1) }];
    });
    let ran = stub.ctl(&["faults"]);
    assert!(ran.out.contains("reset lamps --rectified, or with --procedure"), "{ran:?}");
    assert!(ran.out.contains("tumblerctl test lamps; a pass rectifies it: the reset runs this test"), "{ran:?}");
    stub.change(|table| {
        table.malfunctions = vec![Malfunction { code: Code::Tumbler, cause: "stalled".into(), since: Mono(1) }];
    });
    let tumbler = stub.ctl(&["faults"]).out;
    assert!(tumbler.contains("tumblerctl test motor; a pass rectifies it: the reset runs this test"), "{tumbler}");
    stub.change(|table| {
        table.malfunctions = vec![Malfunction { code: Code::Lamps, cause: "open".into(), since: Mono(1) }];
    });
    let json = stub.ctl(&["faults", "--json"]).json();
    assert_eq!(
        (json["latched"][0]["code"].as_str(), json["waived"].as_array().map(Vec::len)),
        (Some("lamps"), Some(0))
    );
}

#[test]
fn rounds_end_settled_or_void_with_the_clause() {
    let stub = Stub::start(done);
    two_rounds(&stub);
    let rounds: Vec<RoundSummary> = serde_json::from_value(stub.ctl(&["rounds", "--json"]).json()).unwrap();
    assert_eq!(rounds.iter().map(|r| r.round.0).collect::<Vec<_>>(), [1, 2]);
    assert!(rounds[0].settled && !rounds[1].settled);
    let text = stub.ctl(&["rounds", "--last", "1"]).out;
    assert!(text.contains("void: not-flat (SGV6 5.5.2)") && !text.contains("settled"), "{text}");
}

#[test]
fn events_are_the_latest_unless_told_after_which() {
    let stub = Stub::start(done);
    for _ in 0..300 {
        stub.record(None, Event::KeyTurned);
    }
    let seqs = |arguments: &[&str]| -> Vec<u64> {
        let ran = stub.ctl(arguments);
        assert_eq!(ran.code, Some(0), "{ran:?}");
        ran.out.lines().map(|l| serde_json::from_str::<EventMessage>(l).unwrap().record.seq.0).collect()
    };
    assert_eq!(seqs(&["events", "--json", "--limit", "3"]), [298, 299, 300]);
    assert_eq!(seqs(&["events", "--json", "--after", "0", "--limit", "200"]), (1..=200).collect::<Vec<_>>());
    assert_eq!(seqs(&["events", "--json", "--after", "300"]), Vec::<u64>::new());
    let text = stub.ctl(&["events", "--limit", "1"]).out;
    assert_eq!(text, "   300 2026-11-21 03:24:05Z key-turned\n");
}

/// Every record in order, though they come faster than they are read, and the newest state.
#[test]
fn watch_shows_every_record_and_the_newest_state() {
    let stub = Stub::start(done);
    stub.record(None, Event::KeyTurned);
    let mut child = stub.command(&["watch", "--json"]).stdout(Stdio::piped()).spawn().unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let mut next = || serde_json::from_str::<Value>(&lines.next().unwrap().unwrap()).unwrap();
    // The first state says that the watch has begun: only what is recorded from here on is shown.
    assert_eq!(next()["status"]["snapshot"]["phase"], "ready");
    for _ in 0..500 {
        stub.record(None, Event::KeyTurned);
    }
    stub.change(|table| table.phase = Phase::Closed);
    let (mut seqs, mut is_closed) = (Vec::new(), false);
    while seqs.len() < 500 || !is_closed {
        let told = next();
        if let Some(seq) = told["record"]["seq"].as_u64() {
            seqs.push(seq);
        }
        is_closed |= told["status"]["snapshot"]["phase"] == "closed";
    }
    assert_eq!(seqs, (2..=501).collect::<Vec<_>>());
    child.kill().unwrap();
    child.wait().unwrap();
}
