//! A measurement in characters: the value with its unit, the limits, and a bar of both.

use serde::Serialize;
use tumbler_core::hardware_test::{Measurement, Quantity, Verdict};

/// Cells of a bar where there is room for it.
pub const WIDTH: usize = 32;
/// Columns of what [`line`] says before the rest.
pub const BEFORE: usize = 31;

/// A measurement as people are shown it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Shown {
    /// What was measured.
    pub name: &'static str,
    /// The value with its unit.
    pub value: String,
    /// The limits, with where the marginal bands begin.
    pub limits: String,
    /// The range around the limits: `=` passes, `~` is marginal, `!` is out of limits, `#` is where the value lies.
    pub bar: String,
    /// The verdict.
    pub verdict: Verdict,
    /// What to do, unless it passes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub remedy: Option<&'static str>,
}

/// Measurements for people.
#[must_use]
pub fn shown(measurements: &[Measurement]) -> Vec<Shown> {
    let one = |m: &Measurement| Shown {
        name: m.quantity.name(),
        value: value(m.quantity, m.value),
        limits: limits(m),
        bar: bar(m, WIDTH),
        verdict: m.verdict,
        remedy: (m.verdict != Verdict::Pass).then(|| m.quantity.remedy()),
    };
    measurements.iter().map(one).collect()
}

/// A value with its unit, as people read it.
#[must_use]
pub fn value(quantity: Quantity, value: i64) -> String {
    let tenths = |of: i64, unit: &str| {
        let sign = if of < 0 { "-" } else { "" };
        format!("{sign}{}.{} {unit}", of.abs() / 10, of.abs() % 10)
    };
    match quantity.unit() {
        "us" => tenths(value / 100, "ms"),
        "millicelsius" => tenths(value / 100, "C"),
        "permille" => tenths(value, "%"),
        unit => format!("{value} {unit}"),
    }
}

/// The limits, with where the marginal bands begin.
#[must_use]
pub fn limits(m: &Measurement) -> String {
    let side = |sign: &str, fail: Option<i64>, marginal: Option<i64>| {
        let fail = fail.map(|at| format!("{sign} {}", value(m.quantity, at)))?;
        let marginal = marginal.map(|at| format!(" ({sign} {})", value(m.quantity, at)));
        Some(format!("{fail}{}", marginal.unwrap_or_default()))
    };
    let of = &m.limits;
    let low = side(">=", of.fail_below, of.marginal_below.filter(|at| Some(*at) != of.fail_below));
    let high = side("<=", of.fail_above, of.marginal_above.filter(|at| Some(*at) != of.fail_above));
    [low, high].into_iter().flatten().collect::<Vec<_>>().join(", ")
}

/// What was measured and its value in columns of their own, and the rest behind them: in 40 columns, a verdict.
#[must_use]
pub fn line(name: &str, value: &str, rest: &str) -> String {
    format!("{name:<19} {value:>10} {rest}")
}

/// The range around the limits in so many cells, two at least: `=` passes, `~` is marginal, `!` is out of limits, `#` is where
/// the value lies.
#[must_use]
pub fn bar(m: &Measurement, cells: usize) -> String {
    let last = i64::try_from(cells.max(2) - 1).unwrap_or(i64::MAX);
    let of = &m.limits;
    let top = of.fail_above.or(of.fail_below.map(|low| low * 2)).unwrap_or(m.value);
    let high = (top + top / 8).max(m.value).max(1);
    let low = m.value.min(0);
    let cell_of = |at: i64| (at - low) * last / (high - low).max(1);
    let at = cell_of(m.value);
    let cells = (0..=last).map(|cell| {
        if cell == at {
            return '#';
        }
        match of.judge(low + cell * (high - low) / last) {
            Verdict::Pass => '=',
            Verdict::Marginal => '~',
            Verdict::Fail => '!',
        }
    });
    cells.collect()
}

/// The verdict in words for a sentence.
#[must_use]
pub const fn judged(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Pass => "within its limits",
        Verdict::Marginal => "marginal",
        Verdict::Fail => "out of limits",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tumbler_core::settings::Parameters;

    #[test]
    fn a_bar_shows_where_the_value_lies_between_its_limits() {
        let p = Parameters::default();
        let healthy = Measurement::new(Quantity::PeriodMean, 600_000, &p);
        assert_eq!(limits(&healthy), ">= 300.0 ms (>= 450.0 ms), <= 1500.0 ms (<= 900.0 ms)");
        for cells in [WIDTH, 25, 12] {
            let bar = bar(&healthy, cells);
            assert_eq!((bar.chars().count(), bar.matches('#').count()), (cells, 1), "{bar}");
            assert!(bar.starts_with("!!") && bar.ends_with('!') && bar.contains('~') && bar.contains('='), "{bar}");
        }
        let slow = Measurement::new(Quantity::PeriodMean, 2_000_000, &p);
        assert!(bar(&slow, WIDTH).ends_with('#'), "{}", bar(&slow, WIDTH));
    }

    #[test]
    fn a_line_with_its_verdict_has_room_in_forty_columns() {
        for (name, value, verdict) in
            [("turnaround, longest", "-1500.0 ms", "marginal"), ("tumbles", "4 tumbles", "pass")]
        {
            let line = line(name, value, verdict);
            assert!(line.len() <= 39 && line.find(verdict) == Some(BEFORE), "{line}");
        }
    }

    #[test]
    fn values_have_their_units() {
        assert_eq!(value(Quantity::StartTime, 271_480), "271.4 ms");
        assert_eq!(value(Quantity::PeriodSpread, 42), "4.2 %");
        assert_eq!(value(Quantity::Tumbles, 4), "4 tumbles");
    }
}
