//! Times and records as people read them.

use tumbler_core::hardware_test::{Measurement, Report};
use tumbler_core::record::Event;
use tumbler_core::units::Dice;
use tumbler_core::wire::topics::EventMessage;
use tumblerd::test_report::bar;

/// Wall time in milliseconds since 1970 as `2026-11-21 03:04:05Z`.
pub(crate) fn wall(ms: i64) -> String {
    let seconds = ms.div_euclid(1000);
    let (days, second) = (seconds.div_euclid(86_400), seconds.rem_euclid(86_400));
    // Days to civil date: H. Hinnant, "chrono-compatible low-level date algorithms".
    let z = days + 719_468;
    let era = z.div_euclid(146_097);
    let day_of_era = z.rem_euclid(146_097);
    let year_of_era = (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let shifted_month = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * shifted_month + 2) / 5 + 1;
    let month = if shifted_month < 10 { shifted_month + 3 } else { shifted_month - 9 };
    let year = year_of_era + era * 400 + i64::from(month <= 2);
    format!("{year:04}-{month:02}-{day:02} {:02}:{:02}:{:02}Z", second / 3600, second / 60 % 60, second % 60)
}

/// Dice as `1 3 6`.
pub(crate) fn dice(dice: Dice) -> String {
    let [a, b, c] = dice.pips();
    format!("{a} {b} {c}")
}

/// A record on one line: number, time, round, kind, and what it says.
pub(crate) fn record(message: &EventMessage) -> String {
    let record = &message.record;
    let said = serde_json::to_value(&record.event).unwrap_or_default();
    let kind = said.get("kind").and_then(serde_json::Value::as_str).unwrap_or("?");
    let data = match &record.event {
        Event::HardwareTested(report) => tested(report),
        _ => said.get("data").map(detail).unwrap_or_default(),
    };
    let round = record.round.map(|r| format!("round {} ", r.0)).unwrap_or_default();
    format!("{:>6} {} {round}{kind} {data}", record.seq.0, wall(message.wall)).trim_end().to_owned()
}

/// A hardware test without its plots, which are numbers by the hundred: --json has them, and the report draws them.
fn tested(report: &Report) -> String {
    let one =
        |m: &Measurement| format!("{} {} {}", m.quantity.name(), bar::value(m.quantity, m.value), m.verdict.name());
    let found = if report.found.is_empty() { String::new() } else { format!("; found: {}", report.found) };
    let seen = report.seen.iter().map(|item| format!("; found right: {item}")).collect::<String>();
    let measured = report.measurements.iter().map(|m| format!("; {}", one(m))).collect::<String>();
    format!("{} {} by={:?}{found}{seen}{measured}", report.test, report.verdict.name(), report.by)
}

fn detail(data: &serde_json::Value) -> String {
    let serde_json::Value::Object(fields) = data else { return data.to_string() };
    let parts: Vec<String> = fields
        .iter()
        .filter(|(_, value)| !value.is_null())
        .map(|(key, value)| match value {
            serde_json::Value::String(text) => format!("{key}={text:?}"),
            serde_json::Value::Array(items) => {
                let items: Vec<String> = items.iter().map(ToString::to_string).collect();
                format!("{key}=[{}]", items.join(", "))
            }
            other => format!("{key}={other}"),
        })
        .collect();
    parts.join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wall_time_is_utc() {
        assert_eq!(wall(0), "1970-01-01 00:00:00Z");
        assert_eq!(wall(951_827_696_789), "2000-02-29 12:34:56Z");
        assert_eq!(wall(1_795_231_445_000), "2026-11-21 03:24:05Z");
        assert_eq!(wall(-1), "1969-12-31 23:59:59Z");
    }
}
