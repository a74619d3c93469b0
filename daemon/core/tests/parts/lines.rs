//! What a bench and a daemon tell each other of lines, as JSON.

use tumbler_core::line::{InLine, OutLine};
use tumbler_core::wire::lines::{FromBench, Line, LineMessage, ToBench};

#[test]
fn the_bytes_are_those_of_the_contract() {
    let edge: FromBench = serde_json::from_str(r#"{"line":"dome_closed","active":true,"at_ns":123,"seq":7}"#).unwrap();
    assert_eq!(
        edge,
        FromBench::Line(LineMessage { line: Line::In(InLine::DomeClosed), active: true, at_ns: 123, seq: 7 })
    );
    let out = ToBench { line: OutLine::MotorEnable, active: true };
    assert_eq!(serde_json::to_string(&out).unwrap(), r#"{"line":"motor_enable","active":true}"#);
}

#[test]
fn what_is_no_message_is_refused() {
    for wrong in [
        r#"{"line":"dome","active":true,"at_ns":1,"seq":1}"#,
        r#"{"line":"seal","active":1,"at_ns":1,"seq":1}"#,
        r#"{"line":"seal","active":true,"at_ns":1}"#,
        r#"{"line":"seal","active":true,"at_ns":-1,"seq":1}"#,
        r#"{"line":"seal","active":true,"at_ns":1,"seq":1,"more":0}"#,
        r#"{"line":"seal","active":true,"at_ns":1,"seq":1,"motor_temperature_mc":null}"#,
        r#"{"motor_temperature_mc":1}"#,
        r#"{"at_ns":1}"#,
        r#"["seal",true,1,1,null]"#,
        "null",
    ] {
        assert!(serde_json::from_str::<FromBench>(wrong).is_err(), "{wrong}");
    }
}

#[test]
fn every_line_is_known_by_its_name() {
    for line in InLine::ALL {
        assert_eq!(serde_json::to_value(line).unwrap(), line.name());
    }
    for line in OutLine::ALL {
        assert_eq!(serde_json::to_value(line).unwrap(), line.name());
    }
}
