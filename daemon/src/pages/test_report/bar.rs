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
    /// The limits in words.
    pub limits: String,
    /// The range around the limits: `=` passes, `~` is marginal, `!` is out of limits, `#` is where the value lies.
    pub bar: String,
    /// The same to be drawn.
    pub scale: Scale,
    /// The verdict.
    pub verdict: Verdict,
    /// What to do, unless it passes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub remedy: Option<&'static str>,
}

/// The range around the limits, in thousandths of what is shown.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Scale {
    /// Where the value lies.
    pub value: i64,
    /// Bands of one verdict each, from left to right: where they end.
    pub bands: Vec<(Verdict, i64)>,
    /// The limits: where, and with their unit.
    pub marks: Vec<(i64, String)>,
}

/// Measurements for people.
#[must_use]
pub fn shown(measurements: &[Measurement]) -> Vec<Shown> {
    let one = |m: &Measurement| Shown {
        name: m.quantity.name(),
        value: value(m.quantity, m.value),
        limits: limits(m),
        bar: bar(m, WIDTH),
        scale: scale(m),
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

/// The limits in words, with what lies between marginal: `pass up to 450 ms, fail above 700 ms`.
#[must_use]
pub fn limits(m: &Measurement) -> String {
    let of = &m.limits;
    let text = |at: i64| limit(m.quantity, at);
    let pass = match (of.marginal_below.or(of.fail_below), of.marginal_above.or(of.fail_above)) {
        (Some(low), Some(high)) => format!("pass from {} to {}", text(low), text(high)),
        (Some(low), None) => format!("pass from {}", text(low)),
        (None, Some(high)) => format!("pass up to {}", text(high)),
        (None, None) => return String::new(),
    };
    match (of.fail_below, of.fail_above) {
        (Some(low), Some(high)) => format!("{pass}, fail below {} or above {}", text(low), text(high)),
        (Some(low), None) => format!("{pass}, fail below {}", text(low)),
        (None, Some(high)) => format!("{pass}, fail above {}", text(high)),
        (None, None) => pass,
    }
}

/// A limit with its unit: a round one without its tenths.
fn limit(quantity: Quantity, at: i64) -> String {
    value(quantity, at).replace(".0 ", " ")
}

/// The range in which the limits and the value lie.
fn range(m: &Measurement) -> (i64, i64) {
    let of = &m.limits;
    let top = of.fail_above.or(of.fail_below.map(|low| low * 2)).unwrap_or(m.value);
    (m.value.min(0), (top + top / 8).max(m.value).max(1))
}

/// The measurement as it is drawn.
#[must_use]
pub fn scale(m: &Measurement) -> Scale {
    let (low, high) = range(m);
    let of = &m.limits;
    let place = |at: i64| (at - low) * 1000 / (high - low).max(1);
    let mut ends: Vec<i64> =
        [of.fail_below, of.marginal_below, of.marginal_above, of.fail_above].into_iter().flatten().collect();
    ends.dedup();
    let marks = ends.iter().map(|at| (place(*at), limit(m.quantity, *at))).collect();
    ends.push(high);
    let mut from = low;
    let mut bands = Vec::new();
    for end in ends {
        // A limit itself is within the better band; just above the lower end of a band nothing is ambiguous.
        if end > from {
            bands.push((of.judge((from + 1).min(end)), place(end)));
        }
        from = from.max(end);
    }
    Scale { value: place(m.value), bands, marks }
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
    let (low, high) = range(m);
    let cell_of = |at: i64| (at - low) * last / (high - low).max(1);
    let at = cell_of(m.value);
    let cells = (0..=last).map(|cell| {
        if cell == at {
            return '#';
        }
        match m.limits.judge(low + cell * (high - low) / last) {
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
        assert_eq!(limits(&healthy), "pass from 450 ms to 900 ms, fail below 300 ms or above 1500 ms");
        assert_eq!(
            limits(&Measurement::new(Quantity::StartTime, 1, &p)),
            "pass up to 450 ms, fail above 700 ms",
            "hardware-tests.md: at most 700 ms, marginal above 450"
        );
        for cells in [WIDTH, 25, 12] {
            let bar = bar(&healthy, cells);
            assert_eq!((bar.chars().count(), bar.matches('#').count()), (cells, 1), "{bar}");
            assert!(bar.starts_with("!!") && bar.ends_with('!') && bar.contains('~') && bar.contains('='), "{bar}");
        }
        let slow = Measurement::new(Quantity::PeriodMean, 2_000_000, &p);
        assert!(bar(&slow, WIDTH).ends_with('#'), "{}", bar(&slow, WIDTH));
    }

    /// hardware-tests.md, period: out of limits below 300 and above 1500 ms, marginal below 450 and above 900 ms.
    #[test]
    fn a_scale_has_its_bands_where_the_limits_are() {
        use Verdict::{Fail, Marginal, Pass};
        let p = Parameters::default();
        let of = |value| scale(&Measurement::new(Quantity::PeriodMean, value, &p));
        // Shown up to an eighth above the last limit: 1687.5 ms.
        let bands = vec![(Fail, 177), (Marginal, 266), (Pass, 533), (Marginal, 888), (Fail, 1000)];
        assert_eq!((of(600_000).value, of(600_000).bands), (355, bands));
        assert_eq!(
            of(1).marks.iter().map(|(at, text)| (*at, text.as_str())).collect::<Vec<_>>(),
            [(177, "300 ms"), (266, "450 ms"), (533, "900 ms"), (888, "1500 ms")]
        );
        assert_eq!(of(3_000_000).value, 1000, "what is far beyond is at the end");
        let none = scale(&Measurement::new(Quantity::CamRepeats, 0, &p));
        assert_eq!((none.value, none.bands), (0, vec![(Fail, 1000)]), "not one edge may be lost");
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
