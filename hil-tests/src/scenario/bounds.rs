//! Numbers of a step, each within a range in which nothing overflows and the step does something.

use core::fmt::Display;
use core::ops::RangeInclusive;
use core::str::FromStr;
use tumbler_bench::Wrong;
use tumbler_core::settings::Parameter;

/// Longest time that a step may take or allow, in milliseconds: a day.
const DAY_MILLIS: u64 = 86_400_000;
/// Most quarters by which a hand turns the shaft, either way.
const MOST_QUARTERS: i32 = 10_000;

/// A whole number in this range; `of` says of what.
///
/// # Errors
/// The word, and the range.
pub(super) fn within<T: FromStr + PartialOrd + Display>(
    of: &str,
    word: &str,
    range: RangeInclusive<T>,
) -> Result<T, Wrong> {
    let allowed = || format!("a whole number from {} to {}", range.start(), range.end());
    let number = word.parse().ok().filter(|number| range.contains(number));
    number.ok_or_else(|| Wrong::new(word, format!("`{word}` is no {of}"), allowed()))
}

/// A time in milliseconds, from 1 to a day.
pub(super) fn millis<T: FromStr + PartialOrd + Display + TryFrom<u64> + From<u8>>(word: &str) -> Result<T, Wrong> {
    let Ok(day) = T::try_from(DAY_MILLIS) else { return Err(Wrong::new(word, "no time fits here", "")) };
    within("time in milliseconds", word, T::from(1)..=day)
}

/// A time in seconds, from 1 to a day; returned in milliseconds.
pub(super) fn seconds(word: &str) -> Result<u64, Wrong> {
    within("time in seconds", word, 1..=DAY_MILLIS / 1000).map(|seconds| seconds * 1000)
}

/// Quarters by which a hand turns the shaft, negative for backwards.
pub(super) fn quarters(word: &str) -> Result<i32, Wrong> {
    let least = -MOST_QUARTERS;
    match within("number of quarters", word, least..=MOST_QUARTERS)? {
        0 => Err(Wrong::new(word, "a turn by `0` quarters does nothing", format!("{least} to {MOST_QUARTERS}, not 0"))),
        quarters => Ok(quarters),
    }
}

/// A value of a parameter.
pub(super) fn parameter(of: &Parameter, word: &str) -> Result<u32, Wrong> {
    within(&format!("value of `{}`", of.name), word, of.min..=of.max)
}

/// A range of tumbles, in thousandths. Without an end it has none.
pub(super) fn tumbles(word: &str) -> Result<(i64, i64), Wrong> {
    let wrong = |what: &str| Wrong::new(word, format!("`{word}` is {what}"), "FROM..TO, such as 2.8..3.0 or 3..");
    let (from, to) = word.split_once("..").ok_or_else(|| wrong("no range"))?;
    let thousandths = |text: &str| {
        let value = text.parse::<f64>().ok().filter(|value| value.is_finite() && *value >= 0.0);
        value.map(|value| (value * 1000.0).round() as i64).ok_or_else(|| wrong("no range of numbers from 0"))
    };
    let (from, to) = (thousandths(from)?, if to.is_empty() { i64::MAX } else { thousandths(to)? });
    if from <= to { Ok((from, to)) } else { Err(wrong("no range, because it ends before it begins")) }
}

#[cfg(test)]
mod tests {
    use super::super::parse::step;

    /// scenarios.md, Steps: the ranges there. A number outside must not reach the arithmetic of a bench.
    #[test]
    fn a_number_out_of_its_range_is_refused_with_the_range() {
        let (millis, seconds) = ("a whole number from 1 to 86400000", "a whole number from 1 to 86400");
        for (text, range) in [
            ("pass 18446744073709551615 ms", millis),
            ("pass 18446744073709551615 s", seconds),
            ("pass 86401 s", seconds),
            ("pass 0 ms", millis),
            ("try pass 86400001 ms", millis),
            ("wait dark within 18446744073709551615 ms", millis),
            ("wait motor off at most 18446744073709551615 ms after fault", millis),
            ("press tumble for 0 ms", millis),
            ("press tumble for 4294967295 ms", millis),
            ("settings parameter stall 100", "a whole number from 200 to 2000"),
            ("settings parameter stall 2001", "a whole number from 200 to 2000"),
            ("lay die 0 face 1 flat", "a whole number from 1 to 3"),
            ("lay die 4 face 1 flat", "a whole number from 1 to 3"),
            ("lay die 1 face 0 flat", "a whole number from 1 to 6"),
            ("lay die 1 face 7 cocked", "a whole number from 1 to 6"),
            ("turn shaft 0 quarters", "-10000 to 10000, not 0"),
            ("turn shaft -2147483648 quarters", "a whole number from -10000 to 10000"),
            ("wait tumbles -1..2", "FROM..TO"),
            ("wait tumbles 3..2", "FROM..TO"),
            ("wait tumbles nan..2", "FROM..TO"),
            ("wait tumbles 1..inf", "FROM..TO"),
            ("do correct 0", "a whole number from 1 to"),
            ("do void-afterwards 0", "a whole number from 1 to"),
        ] {
            let told = step(text, "nz-div9-1").map_err(|wrong| wrong.to_string());
            assert!(told.as_ref().is_err_and(|told| told.contains(range)), "{text}: {told:?}");
        }
        for text in [
            "pass 86400 s",
            "pass 1 ms",
            "press tumble for 86400000 ms",
            "settings parameter stall 200",
            "lay die 3 face 6 flat",
            "turn shaft -10000 quarters",
            "wait tumbles 2..2",
            "do correct 1",
        ] {
            assert!(step(text, "nz-div9-1").is_ok(), "{text}");
        }
    }
}
