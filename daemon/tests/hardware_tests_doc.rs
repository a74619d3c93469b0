//! `daemon/docs/hardware-tests.md` says of every measurement what the code has: its limits at the default parameters, where they
//! come from, and what to do. The failing test prints the table as it should be.

use serde_json::Value;
use std::fmt::Write as _;
use tumbler_core::hardware_test::{HardwareTest, Measurement, Quantity};
use tumbler_core::settings::Parameters;
use tumblerd::pages::test_report::bar;

const DOC: &str = include_str!("../docs/hardware-tests.md");

/// The test that measures it.
const fn test(quantity: Quantity) -> HardwareTest {
    match quantity {
        Quantity::StartTime
        | Quantity::Tumbles
        | Quantity::PeriodMean
        | Quantity::PeriodLeast
        | Quantity::PeriodGreatest
        | Quantity::PeriodSpread
        | Quantity::CoastTime => HardwareTest::Motor,
        Quantity::CamBounce
        | Quantity::CamBounces
        | Quantity::CamRepeats
        | Quantity::CamAngle
        | Quantity::CamJitter => HardwareTest::Cam,
        Quantity::DomeTravel | Quantity::DomeOverlap | Quantity::DomeBounce => HardwareTest::Dome,
        Quantity::ButtonsPressed
        | Quantity::ButtonsWrong
        | Quantity::ButtonsTogether
        | Quantity::ButtonHold
        | Quantity::ButtonBounce
        | Quantity::ButtonBounces
        | Quantity::ButtonFlickers => HardwareTest::Buttons,
        Quantity::BusErrors | Quantity::BusTurnaround | Quantity::BusTurnaroundGreatest => HardwareTest::Bus,
        Quantity::KeysPressed | Quantity::KeysWrong | Quantity::KeyBounces | Quantity::KeyHold => {
            HardwareTest::Terminal
        }
        Quantity::LampsDark | Quantity::LampsUntold | Quantity::LampsTime => HardwareTest::Lamps,
        Quantity::SettleTime => HardwareTest::Reader,
        Quantity::SealBreaks => HardwareTest::Seal,
        Quantity::Temperature | Quantity::TemperatureSpread | Quantity::TemperatureInterval => {
            HardwareTest::Temperature
        }
    }
}

/// All quantities, each with what its definition says of it.
fn quantities() -> Vec<(Quantity, String)> {
    let schema = schemars::schema_for!(Quantity).to_value();
    let one = |of: &Value| {
        let said = of["description"].as_str().unwrap().replace('\n', " ");
        (serde_json::from_value(of["const"].clone()).unwrap(), said)
    };
    schema["oneOf"].as_array().unwrap().iter().map(one).collect()
}

fn table() -> String {
    let mut table = String::from(
        "| test | measured | limits; marginal in between | what it is, and where the limits come from | what to do |\n\
         | --- | --- | --- | --- | --- |\n",
    );
    for (quantity, said) in quantities() {
        let limits = bar::limits(&Measurement::new(quantity, 0, &Parameters::default()));
        let (test, name, remedy) = (test(quantity), quantity.name(), quantity.remedy());
        writeln!(table, "| `{test}` | {name} | {limits} | {said} | {remedy} |").unwrap();
    }
    table
}

#[test]
fn the_page_of_hardware_tests_says_what_the_code_has() {
    let table = table();
    let shown = DOC.split_once("<!-- measurements -->\n").and_then(|(_, rest)| rest.split_once("<!-- end -->"));
    let shown = shown.map(|(shown, _)| shown).unwrap_or_default();
    assert!(shown == table, "docs/hardware-tests.md needs this between its marks:\n{table}");
}
