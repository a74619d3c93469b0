//! `tumblerctl test trends`: the journal's hardware tests side by side, so that wear shows before it fails.

use crate::context::Context;
use crate::ending::Ended;
use crate::link::Link;
use crate::say;
use serde::Serialize;
use std::collections::BTreeMap;
use tumbler_core::hardware_test::{HardwareTest, Measurement, Quantity, Report};
use tumbler_core::record::Event;
use tumbler_core::units::Seq;
use tumbler_core::wire::ask::{Ask, MAX_EVENTS, Query, Told};
use tumblerd::pages::test_report::bar;

/// Heights of a sparkline.
const HEIGHTS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];
/// Most values of a sparkline: the latest ones.
const SHOWN: usize = 24;
/// A slope is at least so many standard errors away from none: of four values that only scatter, one line in seventeen is as
/// steep (Student's t, two degrees of freedom).
const SURE: f64 = 4.0;

/// How one quantity went, oldest first.
#[derive(Debug, Serialize)]
struct Trend {
    test: HardwareTest,
    quantity: Quantity,
    unit: &'static str,
    values: Vec<i64>,
    /// In how many more tests it is out of limits, if it goes on as it did.
    left: Option<i64>,
}

pub(super) fn run(context: &Context) -> anyhow::Result<Ended> {
    let mut reports = Vec::new();
    let (mut link, mut after) = (Link::open(&context.socket)?, Seq(0));
    loop {
        link.ask(Ask::Query(Query::Events { after, limit: MAX_EVENTS }))?;
        let from = after;
        while let Told::Record(record) = link.next()? {
            after = record.record.seq;
            if let Event::HardwareTested(report) = record.record.event {
                reports.push(*report);
            }
        }
        if after == from {
            break;
        }
    }
    let trends = trends(&reports);
    if context.json {
        say::json(&trends)?;
        return Ok(Ended::Done);
    }
    if trends.is_empty() {
        say::line("no hardware test is in the journal")?;
        return Ok(Ended::Done);
    }
    say::table(["test", "measured", "tests", "first", "last", "trend", "out of limits"], &trends, row, words)?;
    Ok(Ended::Done)
}

fn row(trend: &Trend) -> [String; 7] {
    let of = |value: Option<&i64>| value.map(|v| bar::value(trend.quantity, *v)).unwrap_or_default();
    [
        trend.test.name().to_owned(),
        trend.quantity.name().to_owned(),
        trend.values.len().to_string(),
        of(trend.values.first()),
        of(trend.values.last()),
        sparkline(&trend.values),
        trend.left.map(|left| format!("in about {left} tests")).unwrap_or_default(),
    ]
}

/// The same for narrow terminals: a line with what it is, and one with how it went.
fn words(trend: &Trend) -> String {
    let [test, measured, tests, first, last, sparkline, left] = row(trend);
    let left = if left.is_empty() { left } else { format!(", out of limits {left}") };
    format!("{test}: {measured}\n  {sparkline} {first} to {last} in {tests} tests{left}")
}

fn trends(reports: &[Report]) -> Vec<Trend> {
    let mut all: BTreeMap<(HardwareTest, Quantity), Vec<Measurement>> = BTreeMap::new();
    for report in reports {
        for m in &report.measurements {
            all.entry((report.test, m.quantity)).or_default().push(*m);
        }
    }
    all.into_iter()
        .map(|((test, quantity), measured)| Trend {
            test,
            quantity,
            unit: quantity.unit(),
            left: left(&measured),
            values: measured.iter().map(|m| m.value).collect(),
        })
        .collect()
}

/// Tests until the value is out of its limits, by the straight line that fits best; none where it does not go there. A
/// line through fewer than four values says nothing, nor one that chance may have drawn.
fn left(measured: &[Measurement]) -> Option<i64> {
    let last = measured.last()?;
    if measured.len() < 4 {
        return None;
    }
    let count = measured.len() as f64;
    let (mean_x, mean_y) = ((count - 1.0) / 2.0, measured.iter().map(|m| m.value as f64).sum::<f64>() / count);
    let (mut over, mut under) = (0.0, 0.0);
    for (x, m) in measured.iter().enumerate() {
        let dx = x as f64 - mean_x;
        over += dx * (m.value as f64 - mean_y);
        under += dx * dx;
    }
    let slope = over / under;
    let residual: f64 =
        measured.iter().enumerate().map(|(x, m)| (m.value as f64 - mean_y - slope * (x as f64 - mean_x)).powi(2)).sum();
    if slope.abs() < SURE * (residual / (count - 2.0) / under).sqrt() {
        return None;
    }
    let limit = if slope > 0.0 { last.limits.fail_above? } else { last.limits.fail_below? };
    let now = slope.mul_add(count - 1.0 - mean_x, mean_y);
    let left = (limit as f64 - now) / slope;
    // Nobody plans for more tests than that.
    (left.is_finite() && (0.0..1000.0).contains(&left)).then(|| left.ceil() as i64)
}

fn sparkline(values: &[i64]) -> String {
    let shown = values.get(values.len().saturating_sub(SHOWN)..).unwrap_or_default();
    let (Some(least), Some(greatest)) = (shown.iter().min(), shown.iter().max()) else { return String::new() };
    let height = |value: i64| {
        let step = (value - least) * 7 / (greatest - least).max(1);
        usize::try_from(step).ok().and_then(|step| HEIGHTS.get(step)).copied().unwrap_or(' ')
    };
    shown.iter().map(|value| height(*value)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use tumbler_core::settings::Parameters;

    fn measured(values: &[i64]) -> Vec<Measurement> {
        values.iter().map(|v| Measurement::new(Quantity::PeriodMean, *v, &Parameters::default())).collect()
    }

    #[test]
    fn a_period_that_grows_is_told_before_it_is_out_of_limits() {
        assert_eq!(left(&measured(&[600_000, 700_000, 800_000, 900_000])), Some(6));
        assert_eq!(left(&measured(&[600_000, 600_000, 600_000, 600_000])), None);
        assert_eq!(left(&measured(&[600_000, 900_000])), None, "two values are no trend");
        assert_eq!(left(&measured(&[601_000, 598_000, 602_000, 603_000])), None, "values that scatter are none either");
        assert_eq!(left(&measured(&[600_000, 705_000, 796_000, 901_000])), Some(7), "a trend scatters a little too");
        assert_eq!(left(&measured(&[900_000, 800_000, 700_000, 600_000])), Some(3), "downwards to the lower limit");
    }

    #[test]
    fn a_sparkline_rises_with_its_values() {
        assert_eq!(sparkline(&[1, 4, 8]), "▁▄█");
        assert_eq!(sparkline(&[5, 5]), "▁▁");
        assert_eq!(sparkline(&[]), "");
    }
}
