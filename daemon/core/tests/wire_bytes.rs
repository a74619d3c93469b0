//! The bytes of the formats that strangers speak are pinned in `fixtures/wire/`: a change here is a change of a contract,
//! and every kept journal is read by it.

#![allow(clippy::panic, clippy::indexing_slicing, clippy::unwrap_used, reason = "a test may fail loudly")]

use serde::Serialize;
use serde::de::DeserializeOwned;
use std::fmt::Debug;
use tumbler_core::effect::{Effect, KeyTold, OutLine};
use tumbler_core::hardware_test::{HardwareTest, Measurement, Plots, Quantity, Report, Verdict, Wave};
use tumbler_core::input::InLine;
use tumbler_core::latch::{Code, Malfunction, Waiver};
use tumbler_core::record::{Event, Record, Standing};
use tumbler_core::round::call::Call;
use tumbler_core::round::ending::{Void, VoidReason};
use tumbler_core::round::{FlatBy, Interrupted, Past, Reveal};
use tumbler_core::settings::Parameters;
use tumbler_core::units::{Dice, MilliCelsius, Mono, RoundId, Seq, Tumbles};
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
        Event::Called { call: Call::NoMoreBets, in_turn: true },
        Event::SpinBegan,
        Event::SpinFlickered { line: text("seal") },
        Event::SpinEnded { tumbles: Tumbles(4), valid: true, how: text("standstill") },
        Event::Revealed { how: Reveal::Dome },
        Event::Established { flat: FlatBy::Reader },
        Event::EntryError { why: text("2 numbers keyed") },
        Event::EntryDiffers { entered: Dice::from_pips([1, 3, 5]).unwrap(), read: dice() },
        Event::Result {
            dice: dice(),
            total: 10,
            call: text("1, 3, 6, total 10"),
            areas: vec![text("small"), text("total-10")],
        },
        Event::Amended { from: Dice::from_pips([1, 3, 5]).unwrap(), to: dice(), by: by() },
        Event::LampsVerified,
        Event::Settled { dice: dice(), total: 10, by: None },
        Event::Voided(Void { reason: VoidReason::NotFlat, clause: text("NZ9 7.1(a)"), detail: text("1 of the dice") }),
        Event::Noted { what: text("the seal of the dice compartment is broken") },
        Event::VoidedAfterwards { round: RoundId(7), reason: text("chipped"), clause: text("SGV6 5.6"), by: by() },
        Event::Resumed { established: true },
        Event::Latched { code: Code::Lamps, cause: text("total-10") },
        Event::Unlatched { code: Code::Lamps, how: text("rectified"), by: by() },
        Event::Refused { what: text("tumble"), why: text("the dome is not down") },
        Event::KeyTurned,
        Event::Decided { what: text("void"), reason: text("seen"), by: by() },
        Event::DiceEnrolled { dice: [11, 12, 13], by: by() },
        Event::Keyframe(Box::new(Standing {
            site: text("pit"),
            table: text("t1"),
            backend: text("cdev"),
            boot: text("5d7b1b2e"),
            rules: text("nz-div9"),
            layout: text("nz-div9-2"),
            open: true,
            latched: vec![Malfunction { code: Code::Seal, cause: text("broken"), since: Mono(5) }],
            waived: vec![Waiver { code: Code::Lamps, procedure: text("announced"), by: by() }],
            last_round: RoundId(8),
            round: Some(Interrupted {
                id: RoundId(8),
                rules: text("nz-div9"),
                layout: text("nz-div9-2"),
                established: true,
                tumbles: Tumbles(4),
                read: None,
                result: Some(dice()),
            }),
            dice: Some([11, 12, 13]),
            recent: vec![
                Past { id: RoundId(6), dice: Some(dice()), void: None },
                Past { id: RoundId(7), dice: None, void: Some(VoidReason::Exposed) },
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
    ];
    for event in &all {
        match event {
            Event::Commissioned { .. } | Event::Started { .. } | Event::Stopped | Event::TestBegan { .. } => {}
            Event::Tested { .. } | Event::Opened { .. } | Event::Closed { .. } | Event::Maintenance { .. } => {}
            Event::RoundBegan { .. } | Event::Called { .. } | Event::SpinBegan | Event::SpinFlickered { .. } => {}
            Event::SpinEnded { .. } | Event::Revealed { .. } | Event::Established { .. } => {}
            Event::EntryError { .. } | Event::EntryDiffers { .. } | Event::FacesRead { .. } | Event::Result { .. } => {}
            Event::Amended { .. } | Event::LampsVerified | Event::Settled { .. } | Event::Voided(_) => {}
            Event::Noted { .. } | Event::VoidedAfterwards { .. } | Event::Resumed { .. } => {}
            Event::Latched { .. } | Event::Unlatched { .. } | Event::Refused { .. } | Event::KeyTurned => {}
            Event::Decided { .. } | Event::DiceEnrolled { .. } | Event::Keyframe(_) | Event::HardwareTested(_) => {}
        }
    }
    all
}

/// The values are written as the file has them, and the file is read as the values.
fn pinned<T: Serialize + DeserializeOwned + PartialEq + Debug>(file: &str, values: &[T]) {
    let written: Vec<String> = values.iter().map(|v| serde_json::to_string(v).unwrap()).collect();
    assert!(file.lines().eq(written.iter()), "the pinned bytes are other than these:\n{}\n", written.join("\n"));
    for (line, value) in file.lines().zip(values) {
        assert_eq!(serde_json::from_str::<T>(line).unwrap(), *value);
    }
}

#[test]
fn records_are_written_and_read_as_pinned() {
    let records: Vec<Record> = (1..)
        .zip(events())
        .map(|(seq, event)| Record {
            seq: Seq(seq),
            at: Mono(seq * 1_000_000),
            round: (seq % 2 == 0).then_some(RoundId(8)),
            event,
        })
        .collect();
    pinned(RECORDS, &records);
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
    pinned(LINES_IN, &from);
    let to: Vec<ToBench> = OutLine::ALL.into_iter().map(|line| ToBench { line, active: true }).collect();
    pinned(LINES_OUT, &to);
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
    let effects = [Effect::Set { line: OutLine::Bell, active: true }];
    let json = serde_json::to_string(&effects).unwrap();
    let hash = |hash: u64, byte: u8| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
    let expected = json.bytes().fold(0xcbf2_9ce4_8422_2325, hash);
    assert_eq!(Digest::of(&effects).to_string(), format!("{expected:016x}"));
    assert_eq!(Digest::of(&[]).to_string(), "cbf29ce484222325", "of nothing");
}
