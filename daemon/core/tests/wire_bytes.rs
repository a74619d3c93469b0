//! The bytes of the formats that strangers speak are pinned in `fixtures/wire/`: a change here is a change of a contract,
//! and every kept journal is read by it.

use serde::Serialize;
use serde::de::DeserializeOwned;
use std::fmt::Debug;
use tumbler_core::context::Context;
use tumbler_core::effect::KeyTold;
use tumbler_core::hardware_test::{HardwareTest, Measurement, Plots, Quantity, Report, Verdict, Wave};
use tumbler_core::latch::{Code, Malfunction, Waiver};
use tumbler_core::line::{InLine, OutLine};
use tumbler_core::record::{Decision, Event, Lit, Record, Remark, Standing};
use tumbler_core::round::call::Call;
use tumbler_core::round::ending::{Void, VoidReason};
use tumbler_core::round::{Doubt, Finding, FlatBy, Interrupted, Past, Reveal, SpinEnd, Spun};
use tumbler_core::rules::RulesSince;
use tumbler_core::settings::Parameters;
use tumbler_core::units::{Dice, MilliCelsius, Mono, RoundId, Seq, Tumbles};
use tumbler_core::wire::console::{Exit, Role, Who};
use tumbler_core::wire::lines::{FromBench, Line, LineMessage, TemperatureMessage, ToBench};
use tumbler_core::wire::recording::Digest;
use tumbler_core::wire::topics::{FaultMessage, KeypadMessage, LampsMessage, Status};

const RECORDS: &str = include_str!("../../../fixtures/wire/records.jsonl");
const LINES_IN: &str = include_str!("../../../fixtures/wire/bench-to-daemon.jsonl");
const LINES_OUT: &str = include_str!("../../../fixtures/wire/daemon-to-bench.jsonl");
const MESSAGES: &str = include_str!("../../../fixtures/wire/messages.jsonl");

fn dice() -> Dice {
    Dice::from_pips([6, 1, 3]).unwrap()
}

fn text(said: &str) -> String {
    said.to_owned()
}

/// Every kind of record once. The match below does not compile when a kind is added and not pinned here.
fn events() -> Vec<Event> {
    let by = || text("ana");
    let all = vec![
        Event::Commissioned { site: text("pit"), table: text("t1"), backend: text("cdev") },
        Event::Started {
            boot: text("5d7b1b2e"),
            build: text("0.1.0"),
            config: text("9f86d081"),
            backend: text("cdev"),
            rules: text("nz-div9"),
            layout: text("nz-div9-2"),
        },
        Event::Stopped,
        Event::TestBegan { test: text("opening"), by: by() },
        Event::Tested { test: text("lamps"), passed: true, found: text("every area lights") },
        Event::Opened { by: by() },
        Event::Closed { by: by() },
        Event::Maintenance { on: true, by: text("teo") },
        Event::RoundBegan { rules: text("nz-div9"), layout: text("nz-div9-2") },
        Event::Called { call: Call::NoMoreBets, in_turn: true, remark: None },
        Event::SpinBegan,
        Event::SpinMade { steps: 13 },
        Event::SpinDropped { why: text("the dome is not down") },
        Event::SpinFlickered { line: text("seal") },
        Event::SpinEnded { tumbles: Tumbles(4), valid: true, steps: 18, needed: 13, how: SpinEnd::Target },
        Event::Revealed { how: Reveal::Dome },
        Event::Established { flat: FlatBy::Reader },
        Event::EntryError { code: text("not-three-numbers"), why: text("2 numbers keyed") },
        Event::EntryDiffers { entered: Dice::from_pips([1, 3, 5]).unwrap(), read: dice() },
        Event::Result {
            dice: dice(),
            total: 10,
            call: text("1, 3, 6, total 10"),
            areas: vec![text("small"), text("total-10")],
        },
        Event::Amended { from: Dice::from_pips([1, 3, 5]).unwrap(), to: dice(), by: by() },
        Event::LampsVerified,
        Event::Settled { dice: dice(), total: 10, lamps: Lit::Proved, by: None },
        Event::Voided(Void {
            reason: VoidReason::FewerThanThree,
            clauses: vec![text("NZ9 7.1(b)"), text("NZ9 6.1")],
            silent: None,
            detail: text("9 steps of the cam counted"),
        }),
        Event::noted(Remark::AfterOutcome, text("the seal of the dice compartment is broken")),
        Event::VoidedAfterwards {
            round: RoundId(7),
            reason: text("chipped"),
            clauses: vec![text("SGV6 5.6")],
            by: by(),
        },
        Event::Corrected { round: RoundId(7), reason: text("read wrong"), by: by() },
        Event::Supervised { by: by() },
        Event::Resumed { established: true },
        Event::Asked { why: Doubt::Interrupted },
        Event::Answered { finding: Finding::Undisturbed, reason: text("the dome was on"), by: by() },
        Event::Latched { code: Code::Lamps, cause: text("total-10"), in_spin: false },
        Event::unlatched(Code::Lamps, &Exit::Rectified, &by()),
        Event::Refused {
            what: text("tumble"),
            code: text("dome-not-down"),
            why: text("the dome is not down"),
            left_out: 0,
        },
        Event::KeyTurned,
        Event::decided(Decision::Void, "seen", &by()),
        Event::DiceEnrolled { dice: [11, 12, 13], by: by() },
        Event::Keyframe(Box::new(Standing {
            site: text("pit"),
            table: text("t1"),
            backend: text("cdev"),
            boot: text("5d7b1b2e"),
            rules: "nz-div9".into(),
            layout: "nz-div9-2".into(),
            open: true,
            closing: None,
            latched: vec![Malfunction { code: Code::Seal, cause: text("broken"), since: Mono(5), in_spin: false }],
            waived: vec![Waiver { code: Code::Lamps, procedure: text("announced"), by: by() }],
            last_round: RoundId(8),
            rules_since: vec![RulesSince { round: RoundId(1), rules: text("nz-div9") }],
            round: Some(Interrupted {
                id: RoundId(8),
                rules: "nz-div9".into(),
                layout: "nz-div9-2".into(),
                established: true,
                tumbles: Tumbles(4),
                began: true,
                made: true,
                spun: Some(Spun { valid: true, steps: 18, how: SpinEnd::Target }),
                bets_opened: true,
                bets_closed: true,
                revealed: Some(Reveal::Dome),
                asked: None,
                supervise: false,
                read: None,
                result: Some(dice()),
            }),
            dice: Some([11, 12, 13]),
            recent: vec![
                Past {
                    id: RoundId(6),
                    rules: text("nz-div9"),
                    dice: Some(dice()),
                    void: None,
                    affected: Some(text("chipped")),
                },
                Past {
                    id: RoundId(7),
                    rules: text("nz-div9"),
                    dice: None,
                    void: Some(VoidReason::Exposed),
                    affected: None,
                },
            ],
        })),
        Event::FacesRead { dice: dice() },
        Event::HardwareTested(Box::new(Report {
            test: HardwareTest::Motor,
            by: text("teo"),
            verdict: Verdict::Fail,
            found: text("a full tumble took longer than a healthy one"),
            seen: vec![],
            measurements: vec![
                Measurement::new(Quantity::StartTime, 271_480, &Parameters::default()),
                Measurement::new(Quantity::PeriodMean, 1_612_003, &Parameters::default()),
            ],
            plots: Plots {
                periods: vec![1_601_200, 1_612_003],
                waves: vec![Wave { line: text("cam_a"), active: false, edges: vec![271_480, 1_077_481] }],
                ..Plots::default()
            },
        })),
        Event::Closing { by: by() },
    ];
    for event in &all {
        match event {
            Event::Commissioned { .. } | Event::Started { .. } | Event::Stopped | Event::TestBegan { .. } => {}
            Event::Tested { .. } | Event::Opened { .. } | Event::Closed { .. } | Event::Maintenance { .. } => {}
            Event::RoundBegan { .. }
            | Event::Called { .. }
            | Event::SpinBegan
            | Event::SpinMade { .. }
            | Event::SpinFlickered { .. } => {}
            Event::SpinDropped { .. } => {}
            Event::SpinEnded { .. } | Event::Revealed { .. } | Event::Established { .. } => {}
            Event::EntryError { .. } | Event::EntryDiffers { .. } | Event::FacesRead { .. } | Event::Result { .. } => {}
            Event::Amended { .. } | Event::LampsVerified | Event::Settled { .. } | Event::Voided(_) => {}
            Event::Noted { .. } | Event::VoidedAfterwards { .. } | Event::Resumed { .. } => {}
            Event::Corrected { .. } | Event::Supervised { .. } | Event::Asked { .. } | Event::Answered { .. } => {}
            Event::Latched { .. } | Event::Unlatched { .. } | Event::Refused { .. } | Event::KeyTurned => {}
            Event::Closing { .. }
            | Event::Decided { .. }
            | Event::DiceEnrolled { .. }
            | Event::Keyframe(_)
            | Event::HardwareTested(_) => {}
        }
    }
    all
}

/// The values are written as the file has them, and the file is read as the values.
/// `TUMBLERD_REWRITE=1` writes the file again.
fn pinned<T: Serialize + DeserializeOwned + PartialEq + Debug>(name: &str, file: &str, values: &[T]) {
    let written: Vec<String> = values.iter().map(|v| serde_json::to_string(v).unwrap()).collect();
    if std::env::var_os("TUMBLERD_REWRITE").is_some() {
        let path = format!("{}/../../../fixtures/wire/{name}", env!("CARGO_MANIFEST_DIR"));
        std::fs::write(path, written.join("\n") + "\n").unwrap();
        return;
    }
    assert!(file.lines().eq(written.iter()), "the pinned bytes are other than these:\n{}\n", written.join("\n"));
    for (line, value) in file.lines().zip(values) {
        assert_eq!(serde_json::from_str::<T>(line).unwrap(), *value);
    }
}

#[test]
fn records_are_written_and_read_as_pinned() {
    let records: Vec<Record> = (1..)
        .zip(events())
        .map(|(seq, event)| {
            let data = &serde_json::to_value(&event).unwrap()["data"];
            let role = |name: &str| if name == "teo" { Role::Technician } else { Role::Supervisor };
            Record {
                clauses: serde_json::from_value(data["clauses"].clone()).unwrap_or_default(),
                who: data["by"].as_str().map(|by| Who { account: by.to_owned(), role: role(by) }),
                seq: Seq(seq),
                at: Mono(seq * 1_000_000),
                round: (seq % 2 == 0).then_some(RoundId(8)),
                event,
            }
        })
        .collect();
    pinned("records.jsonl", RECORDS, &records);
}

#[test]
fn the_virtual_wire_speaks_as_pinned() {
    let mut from: Vec<FromBench> = InLine::ALL
        .into_iter()
        .map(|line| FromBench::Line(LineMessage { line: Line::In(line), active: true, at_ns: 123, seq: 7 }))
        .collect();
    from.push(FromBench::Line(LineMessage {
        line: Line::Out(OutLine::MotorEnable),
        active: false,
        at_ns: 124,
        seq: 0,
    }));
    for reading in [Some(MilliCelsius(35_500)), None] {
        from.push(FromBench::Temperature(TemperatureMessage { motor_temperature_mc: reading, at_ns: 125 }));
    }
    pinned("bench-to-daemon.jsonl", LINES_IN, &from);
    let to: Vec<ToBench> = OutLine::ALL.into_iter().map(|line| ToBench { line, active: true }).collect();
    pinned("daemon-to-bench.jsonl", LINES_OUT, &to);
}

#[test]
fn the_small_messages_are_as_pinned() {
    let written = [
        serde_json::to_string(&Status {
            v: 1,
            status: text("online"),
            boot: text("5d7b1b2e"),
            build: text("0.1.0"),
            backend: text("cdev"),
        }),
        serde_json::to_string(&KeypadMessage { v: 1, key: KeyTold::SomeKey }),
        serde_json::to_string(&KeypadMessage { v: 1, key: KeyTold::Digit(3) }),
        serde_json::to_string(&KeypadMessage { v: 1, key: KeyTold::Entry }),
        serde_json::to_string(&LampsMessage { v: 1, commanded: vec![text("big")], sensed: vec![], verified: false }),
        serde_json::to_string(&FaultMessage { v: 1, code: Code::Dome, cause: text("both made") }),
    ]
    .map(Result::unwrap);
    assert!(MESSAGES.lines().eq(written.iter()), "the pinned bytes are other than these:\n{}\n", written.join("\n"));
}

/// `daemon/core/src/wire/recording.rs`: a recording of another version is read by the same digest, FNV-1a of 64 bits.
#[test]
fn the_digest_of_effects_is_that_of_their_json() {
    let (mut ctx, mut effects) = (Context::default(), Vec::new());
    ctx.sign(true);
    ctx.drain(&mut effects);
    let json = serde_json::to_string(&effects).unwrap();
    let hash = |hash: u64, byte: u8| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
    let expected = json.bytes().fold(0xcbf2_9ce4_8422_2325, hash);
    assert_eq!(Digest::of(&effects).to_string(), format!("{expected:016x}"));
    assert_eq!(Digest::of(&[]).to_string(), "cbf29ce484222325", "of nothing");
}

/// What version 0.1 of the daemon wrote is read: its one clause becomes the list, and what it told of a spin's end in words is not
/// known.
#[test]
fn records_of_version_0_1_are_read() {
    let file = include_str!("../../../fixtures/wire/records-0.1.jsonl");
    let records: Vec<Record> = file.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(records.len(), 34);
    let void = records.iter().find_map(|record| match &record.event {
        Event::Voided(void) => Some(void),
        _ => None,
    });
    let void = void.unwrap();
    assert_eq!((void.clauses.as_slice(), &void.silent), ([text("NZ9 7.1(a)")].as_slice(), &None));
    assert!(records.iter().any(|r| matches!(&r.event, Event::SpinEnded { how: SpinEnd::Unknown, needed: 0, .. })));
    assert!(records.iter().any(
        |r| matches!(&r.event, Event::VoidedAfterwards { clauses, .. } if clauses.as_slice() == [text("SGV6 5.6")])
    ));
    let mut standing = Standing::default();
    records.iter().for_each(|record| standing.fold(record));
    assert_eq!(standing.recent.len(), 2);
}
