//! Numbers and words that people rely on: the limits of what hardware tests measure, the ranges of the settings, and what
//! a malfunction or a measurement is called and remedied by.

use std::collections::BTreeSet;
use tumbler_core::device::reader::Pose;
use tumbler_core::hardware_test::{Limits, Quantity, Verdict};
use tumbler_core::latch::Code;
use tumbler_core::rules::Wager;
use tumbler_core::settings::{BadSetting, Parameters, Settings};
use tumbler_core::wire::ask::Ask;
use tumbler_core::wire::topics::Topics;

/// Every quantity, its unit, and its limits at a table with the default parameters: fails below, marginal below, marginal
/// above, fails above. From the quantities' own docstrings, worked out by hand.
#[rustfmt::skip]
const QUANTITIES: [(Quantity, &str, [Option<i64>; 4]); 37] = [
    (Quantity::StartTime, "us", [None, None, Some(450_000), Some(700_000)]),
    (Quantity::Tumbles, "tumbles", [Some(4), Some(4), None, None]),
    (Quantity::PeriodMean, "us", [Some(300_000), Some(450_000), Some(900_000), Some(1_500_000)]),
    (Quantity::PeriodLeast, "us", [Some(300_000), Some(450_000), Some(900_000), Some(1_500_000)]),
    (Quantity::PeriodGreatest, "us", [Some(300_000), Some(450_000), Some(900_000), Some(1_500_000)]),
    (Quantity::PeriodSpread, "permille", [None, None, Some(40), Some(80)]),
    (Quantity::CoastTime, "us", [None, None, Some(600_000), Some(2_100_000)]),
    (Quantity::CamBounce, "us", [None, None, Some(1_000), Some(3_000)]),
    (Quantity::CamBounces, "edges", [None, None, Some(2), Some(8)]),
    (Quantity::CamRepeats, "edges", [None, None, Some(0), Some(0)]),
    (Quantity::CamAngle, "degrees", [Some(45), Some(65), Some(115), Some(135)]),
    (Quantity::CamJitter, "permille", [None, None, Some(40), Some(80)]),
    (Quantity::DomeTravel, "us", [None, None, Some(250_000), Some(300_000)]),
    (Quantity::DomeOverlap, "us", [None, None, Some(25_000), Some(50_000)]),
    (Quantity::DomeBounce, "us", [None, None, Some(30_000), Some(50_000)]),
    (Quantity::ButtonsPressed, "buttons", [Some(5), Some(5), None, None]),
    (Quantity::ButtonsWrong, "buttons", [None, None, Some(0), Some(2)]),
    (Quantity::ButtonsTogether, "buttons", [None, None, Some(0), Some(0)]),
    (Quantity::ButtonHold, "us", [None, None, Some(2_000_000), Some(5_000_000)]),
    (Quantity::ButtonBounce, "us", [None, None, Some(10_000), Some(20_000)]),
    (Quantity::ButtonBounces, "breaks", [None, None, Some(4), Some(8)]),
    (Quantity::ButtonFlickers, "flickers", [None, None, Some(0), Some(2)]),
    (Quantity::BusErrors, "permille", [None, None, Some(1), Some(10)]),
    (Quantity::BusTurnaround, "us", [None, None, Some(10_000), Some(25_000)]),
    (Quantity::BusTurnaroundGreatest, "us", [None, None, Some(25_000), Some(50_000)]),
    (Quantity::KeysPressed, "keys", [Some(7), Some(7), None, None]),
    (Quantity::KeysWrong, "keys", [None, None, Some(0), Some(2)]),
    (Quantity::KeyBounces, "presses", [None, None, Some(1), Some(4)]),
    (Quantity::KeyHold, "us", [None, None, Some(2_000_000), Some(5_000_000)]),
    (Quantity::LampsDark, "areas", [None, None, Some(0), Some(0)]),
    (Quantity::LampsUntold, "areas", [None, None, Some(0), Some(0)]),
    (Quantity::LampsTime, "us", [None, None, Some(250_000), Some(500_000)]),
    (Quantity::SettleTime, "us", [None, None, Some(2_000_000), Some(5_000_000)]),
    (Quantity::SealBreaks, "breaks", [None, None, Some(0), Some(2)]),
    (Quantity::Temperature, "millicelsius", [None, None, Some(60_000), Some(80_000)]),
    (Quantity::TemperatureSpread, "millicelsius", [None, None, Some(2_000), Some(10_000)]),
    (Quantity::TemperatureInterval, "us", [None, None, Some(1_000_000), Some(2_000_000)]),
];

#[test]
fn every_quantity_has_the_limits_that_its_document_states() {
    let p = Parameters::default();
    for (quantity, unit, limits) in QUANTITIES {
        let Limits { fail_below, marginal_below, marginal_above, fail_above } = quantity.limits(&p);
        assert_eq!([fail_below, marginal_below, marginal_above, fail_above], limits, "{quantity:?}");
        assert_eq!(quantity.unit(), unit, "{quantity:?}");
    }
}

/// Limits follow the table's parameters, and the motor's start is never allowed longer than its stall.
#[test]
fn limits_follow_the_parameters() {
    let p = Parameters { stall: 300, temperature_limit: 40, target_tumbles: 6, ..Parameters::default() };
    assert_eq!(Quantity::StartTime.limits(&p), Limits::at_most(300_000, 300_000));
    assert_eq!(Quantity::Temperature.limits(&p), Limits::at_most(40_000, 20_000));
    assert_eq!(Quantity::Tumbles.limits(&p), Limits::at_least(6, 6));
}

/// A sentence that tells a person what to do.
fn is_a_sentence(text: &str) -> bool {
    text.len() > 20 && text.starts_with(|c: char| c.is_ascii_uppercase()) && text.ends_with('.')
}

#[test]
fn every_quantity_has_a_name_of_its_own_and_a_remedy() {
    let names: BTreeSet<&str> = QUANTITIES.iter().map(|(quantity, ..)| quantity.name()).collect();
    assert_eq!(names.len(), QUANTITIES.len());
    assert!(!names.contains(""));
    for (quantity, ..) in QUANTITIES {
        assert!(is_a_sentence(quantity.remedy()), "{quantity:?}");
    }
}

#[test]
fn every_malfunction_has_a_name_and_a_remedy_of_its_own() {
    let names: BTreeSet<&str> = Code::ALL.iter().map(|code| code.name()).collect();
    let remedies: BTreeSet<&str> = Code::ALL.iter().map(|code| code.remedy()).collect();
    assert_eq!((names.len(), remedies.len()), (Code::ALL.len(), Code::ALL.len()));
    for code in Code::ALL {
        assert!(is_a_sentence(code.remedy()), "{code}");
        assert_eq!(code.to_string().parse(), Ok(code));
    }
    let unknown = "dish-washer".parse::<Code>().unwrap_err();
    assert!(Code::ALL.iter().all(|code| unknown.contains(code.name())), "{unknown}");
}

/// NZ 7.4, design.md, Latch: eyes can stand in for lamps, terminal and reader, and for nothing else. What is doubtful
/// about tumbler, dice, seal, supply or record stops the motor.
#[test]
fn a_procedure_is_for_three_devices_only() {
    for code in Code::ALL {
        let by_eye = matches!(code, Code::Lamps | Code::Terminal | Code::Reader);
        let harmless = by_eye || matches!(code, Code::Buttons | Code::Key);
        assert_eq!((code.allows_procedure(), code.inhibits_motor()), (by_eye, !harmless), "{code}");
    }
}

fn settings(parameters: Parameters) -> Settings {
    Settings {
        site: "pit".into(),
        table: "1".into(),
        backend: "virtual".into(),
        rules: "nz-div9".into(),
        layout: "nz-div9-1".into(),
        reader: true,
        temperature: true,
        house: tumbler_core::settings::House::default(),
        parameters,
    }
}

fn paths(settings: &Settings) -> Vec<String> {
    settings.check().err().unwrap_or_default().into_iter().map(|BadSetting { path, .. }| path).collect()
}

/// Sets one parameter by its name, as a file would.
fn with(name: &str, value: u32) -> Settings {
    settings(serde_json::from_value(serde_json::json!({ name: value })).unwrap())
}

#[test]
fn every_parameter_is_held_to_its_range_and_its_ends_are_in_it() {
    assert!(paths(&settings(Parameters::default())).is_empty());
    for parameter in Parameters::TABLE {
        let path = vec![format!("parameters.{}", parameter.name)];
        // Alone it may still contradict another one, which has a table of its own.
        for end in [parameter.min, parameter.max] {
            let bad = with(parameter.name, end).check().err().unwrap_or_default();
            assert!(bad.iter().all(|bad| !bad.problem.contains("out of range")), "{}: {bad:?}", parameter.name);
        }
        assert_eq!(paths(&with(parameter.name, parameter.max + 1)), path);
        if parameter.min > 0 {
            assert_eq!(paths(&with(parameter.name, parameter.min - 1)), path);
        }
        assert!((parameter.min..=parameter.max).contains(&parameter.default), "{}", parameter.name);
    }
}

#[test]
fn a_table_needs_known_rules_their_own_layout_and_names_that_a_topic_can_hold() {
    let good = settings(Parameters::default());
    assert_eq!(paths(&Settings { rules: "poker".into(), ..good.clone() }), ["table.rules"]);
    assert_eq!(paths(&Settings { layout: "sg-v6-1".into(), ..good.clone() }), ["table.layout"]);
    for bad in ["", "a/b", "+", "a#", "a\0"] {
        assert_eq!(paths(&Settings { site: bad.into(), ..good.clone() }), ["table.site"], "{bad:?}");
        assert_eq!(paths(&Settings { table: bad.into(), ..good.clone() }), ["table.table"], "{bad:?}");
    }
}

/// An area's id has its numbers in ascending order, so that each area has one id only: whichever two are exchanged or equal.
#[test]
fn an_id_with_its_numbers_in_any_other_order_is_none() {
    for id in ["combo-1-2-3", "combo-1-1-2", "combo-1-2-2", "four-1-2-3-4", "pair-1-2"] {
        assert!(Wager::from_id(id).is_ok(), "{id}");
    }
    for id in [
        "combo-2-1-3",
        "combo-1-3-2",
        "combo-3-2-1",
        "combo-2-1-2",
        "combo-1-1-1",
        "four-2-1-3-4",
        "four-1-3-2-4",
        "four-1-2-4-3",
        "four-1-1-2-3",
        "four-1-2-2-3",
        "four-1-2-3-3",
        "pair-2-1",
        "pair-2-2",
        "total-3",
        "total-18",
        "single-7",
        "single-06",
    ] {
        assert!(Wager::from_id(id).is_err(), "{id}");
    }
}

/// What a pose and a verdict are called in messages and pages.
#[test]
fn poses_and_verdicts_have_their_names() {
    let poses = [Pose::Unknown, Pose::Flat, Pose::NotFlat, Pose::Moving, Pose::Missing].map(Pose::name);
    assert_eq!(poses, ["unknown", "flat", "not-flat", "moving", "missing"]);
    assert_eq!([Verdict::Pass, Verdict::Marginal, Verdict::Fail].map(Verdict::name), ["pass", "marginal", "fail"]);
}

/// What is asked of the console in a way that it does not know is refused by what it knows.
#[test]
fn an_unknown_question_is_answered_by_those_there_are() {
    for asked in [r#"{"x":1}"#, "7", "[]"] {
        let why = serde_json::from_str::<Ask>(asked).unwrap_err().to_string();
        assert!(why.contains("`query` or `command`"), "{asked}: {why}");
    }
}

/// design.md, Relay: the topics of a table.
#[test]
fn topics_lie_below_the_table() {
    let topics = Topics::new("site-7", "t3");
    let all =
        [topics.status(), topics.state(), topics.event(), topics.keypad(), topics.lamps(), topics.fault(Code::Seal)];
    let below =
        ["status", "state", "event", "keypad", "lamps", "fault/seal"].map(|rest| format!("taisai/site-7/t3/{rest}"));
    assert_eq!(all, below);
}
