//! A measurement in characters: the value with its unit, the limits, and a bar of both.

use serde::Serialize;
use tumbler_core::hardware_test::{Measurement, Quantity, Verdict};

/// Cells of a bar.
const WIDTH: i64 = 32;

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
        bar: bar(m),
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

/// The range around the limits: `=` passes, `~` is marginal, `!` is out of limits, `#` is where the value lies.
#[must_use]
pub fn bar(m: &Measurement) -> String {
    let of = &m.limits;
    let top = of.fail_above.or(of.fail_below.map(|low| low * 2)).unwrap_or(m.value);
    let high = (top + top / 8).max(m.value).max(1);
    let low = m.value.min(0);
    let cell_of = |at: i64| (at - low) * (WIDTH - 1) / (high - low).max(1);
    let at = cell_of(m.value);
    let cells = (0..WIDTH).map(|cell| {
        if cell == at {
            return '#';
        }
        match of.judge(low + cell * (high - low) / (WIDTH - 1)) {
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
        assert_eq!(bar(&healthy).matches('#').count(), 1);
        assert!(bar(&healthy).starts_with("!!") && bar(&healthy).ends_with("!!"));
        let slow = Measurement::new(Quantity::PeriodMean, 2_000_000, &p);
        assert!(bar(&slow).ends_with('#'), "{}", bar(&slow));
        assert_eq!(bar(&slow).chars().count(), 32);
    }

    #[test]
    fn values_have_their_units() {
        assert_eq!(value(Quantity::StartTime, 271_480), "271.4 ms");
        assert_eq!(value(Quantity::PeriodSpread, 42), "4.2 %");
        assert_eq!(value(Quantity::Tumbles, 4), "4 tumbles");
    }
}
