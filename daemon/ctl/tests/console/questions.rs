//! Questions: status, watch, rounds, events, faults.

use super::stub::{Stub, done};
use serde_json::Value;
use std::io::{BufRead, BufReader};
use std::process::Stdio;
use tumbler_core::latch::{Code, Malfunction};
use tumbler_core::record::{Decision, Event, Lit};
use tumbler_core::round::call::Call;
use tumbler_core::round::ending::{Void, VoidReason};
use tumbler_core::round::{Doubt, Finding, FlatBy, Past, Reveal, SpinEnd};
use tumbler_core::snapshot::{Phase, Question, Snapshot};
use tumbler_core::units::{Dice, Mono, RoundId, Tumbles};
use tumbler_core::wire::ask::{MAX_LINE, RoundSummary, Status};
use tumbler_core::wire::topics::EventMessage;

fn two_rounds(stub: &Stub) {
    for (round, pips) in [(1, [1, 1, 3]), (2, [4, 5, 6])] {
        let dice = Dice::from_pips(pips).unwrap();
        stub.record(Some(round), Event::RoundBegan { rules: "sg-v6".into(), layout: "sg-v6-3".into() });
        stub.record(
            Some(round),
            Event::SpinEnded { tumbles: Tumbles(4), valid: true, steps: 17, needed: 13, how: SpinEnd::Target },
        );
        if round == 1 {
            stub.record(Some(round), Event::Settled { dice, total: dice.total(), lamps: Lit::Proved, by: None });
        } else {
            let (reason, clauses) = (VoidReason::NotFlat, vec!["SGV6 5.5.2".to_owned()]);
            stub.record(Some(round), Event::Voided(Void { reason, clauses, silent: None, detail: "die 2".into() }));
        }
    }
}

#[test]
fn status_shows_the_table_as_it_is() {
    let stub = Stub::start(done);
    stub.change(|table| {
        table.phase = Phase::Blocked;
        table.open = true;
        table.malfunctions =
            vec![Malfunction { code: Code::Seal, cause: "broken".into(), since: Mono(1), in_spin: false }];
    });
    let status: Status = serde_json::from_value(stub.ctl(&["status", "--json"]).json()).unwrap();
    assert_eq!((status.snapshot.phase, status.relay), (Phase::Blocked, None));
    let ran = stub.ctl(&["status"]);
    assert_eq!(ran.code, Some(0));
    assert!(ran.out.starts_with("MALFUNCTION        seal: broken\n"), "what is wrong comes first: {}", ran.out);
    assert!(!ran.out.contains("yes\n"), "nobody is served at a table that is blocked: {}", ran.out);
    for said in [
        "table              t1 at pit\n",
        "no further game until the malfunction is put right\n",
        "blocked",
        "seal: broken",
        "nothing here is a real game",
        "none configured",
    ] {
        assert!(ran.out.contains(said), "{said}: {}", ran.out);
    }
}

/// What waits for a person, what was told and what is, why a round is void, and what comes next; a monitor has it by the exit code.
#[test]
fn status_tells_what_is_asked_what_shines_and_what_comes_next() {
    type Change = fn(&mut Snapshot);
    let cases: [(Change, i32, &[&str]); 5] = [
        (
            |table| {
                table.phase = Phase::Interrupted;
                table.round = Some(RoundId(9));
                let answers = vec![Finding::Undisturbed, Finding::CannotTell];
                let text = "Do the dice lie flat and undisturbed?".to_owned();
                table.question = Some(Question { round: RoundId(9), why: Doubt::Interrupted, text, answers });
            },
            1,
            &[
                "QUESTION           round 9: Do the dice lie flat and undisturbed?\n",
                "next               a person answers, with the supervisor's key turned: tumblerctl interrupted undisturbed|cannot-tell --name NAME\n",
                "open for gaming    play waits until the question is answered\n",
            ],
        ),
        (
            |table| {
                table.phase = Phase::Settling;
                table.lit = vec!["small".into(), "total-5".into()];
                table.sensed = vec!["small".into(), "big".into()];
            },
            0,
            &[
                "told to light      small total-5\n",
                "lit, as sensed     small big\n",
                "DARK               total-5\n",
                "LIT UNTOLD         big\n",
                "proved as told     no\n",
                "next               the wagers are paid",
            ],
        ),
        (
            |table| {
                table.phase = Phase::Void;
                table.recent = vec![Past::of(RoundId(7), "sg-v6", None, Some(VoidReason::NotFlat))];
            },
            0,
            &["last round         7: void: not-flat", "next               the dealer calls \"Place your bets\""],
        ),
        (|table| table.lost_units = vec![2], 1, &["LOST UNIT          board-2 does not answer"]),
        (
            |table| {
                let latched = |code| Malfunction { code, cause: "broken".into(), since: Mono(1), in_spin: false };
                table.malfunctions = vec![latched(Code::Seal)];
                table.phase = Phase::Blocked;
            },
            2,
            &["tumblerctl reset seal --rectified --name NAME"],
        ),
    ];
    for (change, code, told) in cases {
        let mut stub = Stub::start(done);
        stub.change(change);
        let shown = stub.ctl(&["status"]).out;
        for said in told {
            assert!(shown.contains(said), "{said}: {shown}");
        }
        let checked = stub.ctl(&["status", "--check"]);
        assert_eq!((checked.code, checked.out.lines().count()), (Some(code), 1), "{checked:?}");
        let socket = stub.socket.clone();
        stub.stop();
        let mut gone = std::process::Command::new(env!("CARGO_BIN_EXE_tumblerctl"));
        let gone = gone.arg("--socket").arg(socket).args(["status", "--check"]).output().unwrap();
        assert_eq!((gone.status.code(), gone.stdout.starts_with(b"CRITICAL: ")), (Some(2), true), "{gone:?}");
    }
}

#[test]
fn faults_say_how_they_are_reset() {
    let stub = Stub::start(done);
    assert_eq!(stub.ctl(&["faults"]).out, "no malfunction is latched\n");
    stub.change(|table| {
        table.malfunctions =
            vec![Malfunction { code: Code::Lamps, cause: "open".into(), since: Mono(1), in_spin: false }];
    });
    let ran = stub.ctl(&["faults"]);
    let reset = "with the supervisor's key turned again: tumblerctl reset lamps --rectified, or with --procedure";
    assert!(ran.out.contains(reset), "{ran:?}");
    assert!(ran.out.contains("tumblerctl test lamps; a pass rectifies it: the reset runs this test"), "{ran:?}");
    stub.change(|table| {
        table.malfunctions =
            vec![Malfunction { code: Code::Tumbler, cause: "stalled".into(), since: Mono(1), in_spin: false }];
    });
    let tumbler = stub.ctl(&["faults"]).out;
    assert!(tumbler.contains("tumblerctl test motor; a pass rectifies it: the reset runs this test"), "{tumbler}");
    stub.change(|table| {
        table.malfunctions =
            vec![Malfunction { code: Code::Lamps, cause: "open".into(), since: Mono(1), in_spin: false }];
    });
    let json = stub.ctl(&["faults", "--json"]).json();
    assert_eq!(
        (json["latched"][0]["code"].as_str(), json["waived"].as_array().map(Vec::len)),
        (Some("lamps"), Some(0))
    );
}

/// No reset is refused for a round that the advice to it did not name, and no wrong answer is turned into its opposite.
#[test]
fn a_latch_in_an_interrupted_round_waits_for_its_end() {
    let stub = Stub::start(done);
    stub.change(|table| {
        let latched = Malfunction { code: Code::Seal, cause: "broken".into(), since: Mono(1), in_spin: false };
        (table.malfunctions, table.round, table.phase) = (vec![latched], Some(RoundId(9)), Phase::Interrupted);
        let answers = vec![Finding::Undisturbed, Finding::CannotTell];
        table.question = Some(Question { round: RoundId(9), why: Doubt::Interrupted, text: "How?".into(), answers });
    });
    let faults = stub.ctl(&["faults"]).out;
    for said in [
        "when put right, and round 9 has ended, with the supervisor's key turned again: tumblerctl reset seal --rectified",
        "round 9 waits: a person answers, with the supervisor's key turned: tumblerctl interrupted undisturbed|cannot-tell --name NAME",
    ] {
        assert!(faults.contains(said), "{said}: {faults}");
    }
    let wrong = stub.ctl(&["interrupted", "disturbed"]);
    assert!(
        wrong.code == Some(2) && wrong.err.contains("[possible values: undisturbed, not-flat, cannot-tell]"),
        "{wrong:?}"
    );
    assert!(!wrong.err.contains("tip"), "{wrong:?}");
}

/// Where the whole bus is silent nobody is sent to clean the reader's window first.
#[test]
fn units_that_fell_silent_together_lead_to_the_bus() {
    let stub = Stub::start(done);
    let latched = |code, unit: &str| {
        let cause = format!("{unit} does not reply");
        Malfunction { code, cause, since: Mono(1), in_spin: false }
    };
    let lamps = latched(Code::Lamps, "lamp board 2");
    stub.change(|table| table.malfunctions = vec![lamps.clone()]);
    assert!(!stub.ctl(&["faults"]).out.contains("adapter"), "one unit is a unit");
    stub.change(|table| {
        table.malfunctions =
            vec![latched(Code::Reader, "the dice reader"), latched(Code::Terminal, "the entry terminal"), lamps];
    });
    let silent = "reader, terminal and lamps fell silent: before any single unit, look at what they share, which is the bus: its cable, its \
                  adapter and port, and the units' power.";
    let faults = stub.ctl(&["faults"]).out;
    assert!(faults.starts_with(&format!("field bus: {silent}")), "{faults}");
    let status = stub.ctl(&["status"]).out;
    assert!(status.starts_with(&format!("FIELD BUS          {silent}")), "{status}");
    assert!(status.contains(&format!("next               {silent}")), "{status}");
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

/// An inspector is told the whole round: on the terminal, as a page of HTML, as a page of text, and for programs.
#[test]
fn a_round_is_told_whole() {
    let stub = Stub::start(done);
    let dice = |pips| Dice::from_pips(pips).unwrap();
    let (by, round) = (|| "Mei".to_owned(), Some(7));
    let (first, last) = (dice([1, 3, 5]), dice([1, 3, 6]));
    let spun = Event::SpinEnded { tumbles: Tumbles(4), valid: true, steps: 17, needed: 13, how: SpinEnd::Target };
    let remark = Some("without \"Place your bets\" (NZ98 6.1)".to_owned());
    let areas = vec!["small".to_owned()];
    let call = "1, 3, 5, total 9".to_owned();
    for event in [
        Event::RoundBegan { rules: "nz-1998".into(), layout: "nz-1998".into() },
        spun,
        Event::Called { call: Call::NoMoreBets, in_turn: true, remark },
        Event::Resumed { established: false },
        Event::Asked { why: Doubt::Interrupted },
        Event::Answered { finding: Finding::Undisturbed, reason: "I stood by".into(), by: by() },
        Event::Revealed { how: Reveal::Dome },
        Event::Established { flat: FlatBy::Dealer },
        Event::Result { dice: first, total: 9, call, areas },
        Event::Amended { from: first, to: last, by: by() },
        Event::decided(Decision::SettledByDice, "lamp 7 <dark>", &by()),
        Event::Settled { dice: last, total: 10, lamps: Lit::ByTheDice, by: Some(by()) },
    ] {
        stub.record(round, event);
    }
    let reason = "paid as 1 3 5".to_owned();
    stub.record(Some(8), Event::RoundBegan { rules: "nz-1998".into(), layout: "nz-1998".into() });
    stub.record(Some(8), Event::Corrected { round: tumbler_core::units::RoundId(7), reason, by: by() });
    let told = [
        "began 2026-11-21 03:24:05Z",
        "ended settled by Mei: 1, 3, 6, total 10; by the dice, as the areas could not be lit or proved",
        "tumbles 4 full tumbles (17 steps of the cam counted, 13 needed): a valid spin, ended by target",
        "called \"No more bets\" was called, without \"Place your bets\" (NZ98 6.1)",
        "asked interrupted: Play was interrupted after a valid spin.",
        "answered undisturbed: I stood by; by Mei",
        "lie flat by the dealer's eye",
        "result 1, 3, 5, total 9",
        "amended from 1, 3, 5, total 9 to 1, 3, 6, total 10 by Mei",
        "corrected paid as 1 3 5; by Mei",
    ];
    let words = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    let shown = words(&stub.ctl(&["rounds", "7"]).out);
    for said in told {
        assert!(shown.contains(said), "{said}: {shown}");
    }
    assert!(shown.contains("decided settled by the dice: lamp 7 <dark>; by Mei"), "{shown}");
    let dir = tempfile::tempdir().unwrap();
    for (name, dark) in [("round.html", "lamp 7 &lt;dark&gt;"), ("round.txt", "lamp 7 <dark>")] {
        let file = dir.path().join(name);
        let ran = stub.ctl(&["rounds", "7", "--report", file.to_str().unwrap()]);
        assert_eq!((ran.code, ran.out.as_str()), (Some(0), ""), "{ran:?}");
        let page = std::fs::read_to_string(&file).unwrap();
        assert_eq!(page.starts_with("<!DOCTYPE html>"), name.ends_with("html"));
        let page = words(&page.replace("</th><td>", " ").replace("</td>", " ").replace("&quot;", "\""));
        let head = stub.ctl(&["rounds", "7", "--json"]).json().as_array().unwrap().last().unwrap()["head"].to_string();
        let head = format!("is {}", head.trim_matches('"'));
        let vouched = [
            "site pit",
            "table t1",
            "build tumblerd 0.1.0",
            head.as_str(),
            "to verify `tumblerctl journal verify DIRECTORY`",
        ];
        for said in told.iter().chain(&[dark]).chain(&vouched) {
            assert!(page.contains(said), "{said}: {page}");
        }
    }
    let json = stub.ctl(&["rounds", "7", "--json"]).json();
    assert_eq!(json.as_array().map(Vec::len), Some(13), "its twelve records and the correction");
    let listed = stub.ctl(&["rounds"]).out;
    assert!(listed.contains("4 (17/13 steps)") && listed.contains("amended from 1 3 5"), "{listed}");
    let unknown = stub.ctl(&["rounds", "9"]);
    assert_eq!(unknown.code, Some(2));
    assert!(unknown.err.contains("the journal has no round 9; its newest is 8"), "{unknown:?}");
    let nowhere = stub.ctl(&["rounds", "7", "--report", "/nonexistent/page.html"]);
    assert!(nowhere.code == Some(2) && nowhere.err.contains("/nonexistent/page.html cannot be made"), "{nowhere:?}");
    assert_eq!(stub.ctl(&["rounds", "--report", "page.html"]).code, Some(2), "of which round");
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
    assert_eq!(text, "   300 2026-11-21 03:24:05Z the supervisor's key was turned\n");
}

/// As the panel's browser of the journal looks for records, over more of them than one answer has.
#[test]
fn events_are_looked_for_by_kind_round_time_and_words() {
    let stub = Stub::start(done);
    for n in 1..=1500 {
        let cause = format!("lamp {n} is dark");
        stub.record(Some(n), Event::Latched { code: Code::Lamps, cause, in_spin: false });
        stub.record(None, Event::KeyTurned);
    }
    let count = |arguments: &[&str]| {
        let ran = stub.ctl(&[&["events"], arguments].concat());
        assert_eq!(ran.code, Some(0), "{ran:?}");
        ran.out.lines().count()
    };
    assert_eq!(count(&["--kind", "latched", "--limit", "1000"]), 1000);
    assert_eq!(count(&["--round", "7"]), 1);
    assert_eq!(count(&["--after", "10", "--round", "7"]), 1);
    assert_eq!(count(&["--grep", "LAMP 123 is"]), 1);
    assert_eq!(count(&["--kind", "key-turned", "--grep", "lamp"]), 0);
    assert_eq!(count(&["--since", "2026-11-21 03:24", "--limit", "3"]), 3);
    assert_eq!(count(&["--since", "2026-11-22"]), 0);
    for nothing in [["--since", "2030-02-28 23"], ["--round", "1501"], ["--after", "3000"], ["--grep", "lamp 1501"]] {
        let ran = stub.ctl(&[&["events"], &nothing[..]].concat());
        assert_eq!((ran.code, ran.out.as_str()), (Some(0), ""), "{ran:?}");
        assert!(
            ran.err.contains("no record matches; the journal ends with record 3000 of 2026-11-21 03:24:05Z"),
            "{ran:?}"
        );
    }
    let moment = "a date, as 2026-11-21, or a beginning of 2026-11-21 03:04:05Z";
    let (no_month, no_day, no_hour) = ("2026-13-01", "2026-02-30", "2026-11-21 24");
    for (option, wrong, said) in [
        ("--kind", "weather", "there are commissioned, "),
        ("--kind", "latch", "`latch` is no kind of record: did you mean `latched` or `unlatched`?"),
        ("--since", "yesterday", moment),
        ("--since", "2026-1-1", moment),
        ("--since", "2026-11-21 03:04:05Z and more", moment),
        ("--since", no_month, moment),
        ("--since", no_day, moment),
        ("--since", no_hour, moment),
    ] {
        let ran = stub.ctl(&["events", option, wrong]);
        assert_eq!(ran.code, Some(2), "{ran:?}");
        assert!(ran.err.contains(said), "{ran:?}");
    }
}

/// Of a keyframe a person learns nothing: each sentence is about what happened. Programs get every record.
#[test]
fn records_are_sentences_and_keyframes_are_shown_on_request() {
    let stub = Stub::start(done);
    stub.record(None, Event::Opened { by: "Mei".into() });
    stub.record(Some(7), Event::FacesRead { dice: Dice::from_pips([1, 3, 6]).unwrap() });
    stub.record(None, Event::Keyframe(Box::default()));
    let at = "2026-11-21 03:24:05Z";
    let sentences =
        format!("     1 {at} Mei opened the table\n     2 {at} round 7: the reader sees 1, 3, 6, total 10\n");
    assert_eq!(stub.ctl(&["events"]).out, sentences);
    assert_eq!(stub.ctl(&["events", "--limit", "2"]).out, sentences, "a keyframe takes no place");
    assert_eq!(stub.ctl(&["events", "--after", "1"]).out.lines().count(), 1);
    let all = stub.ctl(&["events", "--all"]).out;
    assert_eq!(all, format!("{sentences}     3 {at} how the table stands, for a restart\n"));
    assert_eq!(stub.ctl(&["events", "--json"]).out.lines().count(), 3);
}

/// Every kind of record is a sentence, in which nothing looks like a program's data.
#[test]
fn no_kind_of_record_is_shown_as_data() {
    let stub = Stub::start(done);
    let jo = || "Jo".to_owned();
    let events = [
        Event::Commissioned { site: "pit".into(), table: "t1".into(), backend: "cdev".into() },
        Event::Started {
            boot: "0d5f8a7e-3c1b".into(),
            build: "0.1.0".into(),
            config: "08bcf1527f2d0de5c2bb".into(),
            backend: "cdev".into(),
            rules: "sg-v6".into(),
            layout: "sg-v6-1".into(),
        },
        Event::TestBegan { test: "opening".into(), by: jo() },
        Event::Tested { test: "seal".into(), passed: false, found: "broken".into() },
        Event::Maintenance { on: true, by: jo() },
        Event::DiceEnrolled { dice: [11, 12, 13], by: jo() },
    ];
    for event in events {
        stub.record(None, event);
    }
    let shown = stub.ctl(&["events"]).out;
    let sentences: Vec<&str> = shown.lines().map(|line| line.split_once("Z ").unwrap().1).collect();
    assert_eq!(
        sentences,
        [
            "the table was put together: table t1 of site pit, with hardware cdev",
            "tumblerd 0.1.0 started under sg-v6 on sg-v6-1, with hardware cdev (configuration 08bcf1527f2d, boot 0d5f8a7e)",
            "Jo began a test: opening",
            "test seal: FAILED: broken",
            "Jo began maintenance",
            "Jo enrolled the dice 11, 12 and 13",
        ]
    );
}

/// Told in its fields and once more as the chain covers it, it is longer than any line that a client may send.
#[test]
fn the_longest_record_is_told() {
    let stub = Stub::start(done);
    stub.record(None, Event::Noted { kind: None, what: "\"".repeat(MAX_LINE / 2) });
    let ran = stub.ctl(&["events", "--json"]);
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    let told: EventMessage = serde_json::from_str(ran.out.trim_end()).unwrap();
    assert!(ran.out.len() > 2 * MAX_LINE);
    assert_eq!(told.body, serde_json::to_string(&told.record).unwrap());
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
