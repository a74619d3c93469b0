//! The tables of `daemon/docs/hardware-tests.md`: what each test measures, and the limits of each value.

use super::lamps::TIME;
use serde_json::Value;

/// The verdict on a value, from best to worst.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Verdict {
    Pass,
    Marginal,
    Fail,
}

impl Verdict {
    pub(super) fn named(name: &str) -> Option<Self> {
        Some(match name {
            "pass" => Self::Pass,
            "marginal" => Self::Marginal,
            "fail" => Self::Fail,
            _ => return None,
        })
    }
}

/// A row of the page. The limits are in the order of [`NAMES`].
#[derive(Clone, Copy, Debug)]
pub(super) struct Row {
    pub(super) test: &'static str,
    pub(super) quantity: &'static str,
    limits: [Option<i64>; 4],
}

/// The names of the limits in a report.
pub(super) const NAMES: [&str; 4] = ["fail_below", "marginal_below", "marginal_above", "fail_above"];

const fn most(test: &'static str, quantity: &'static str, fail: i64, marginal: i64) -> Row {
    Row { test, quantity, limits: [None, None, Some(marginal), Some(fail)] }
}

const fn least(test: &'static str, quantity: &'static str, fail: i64) -> Row {
    Row { test, quantity, limits: [Some(fail), Some(fail), None, None] }
}

const fn between(test: &'static str, quantity: &'static str, limits: [i64; 4]) -> Row {
    let [a, b, c, d] = limits;
    Row { test, quantity, limits: [Some(a), Some(b), Some(c), Some(d)] }
}

/// Microseconds in a millisecond: reports have times in microseconds.
const MS: i64 = 1_000;
/// Reports have temperatures in thousandths of a degree Celsius.
const CELSIUS: i64 = 1_000;
const PERIOD: [i64; 4] = [300 * MS, 450 * MS, 900 * MS, 1_500 * MS];

/// The rows, in the order of the page. Percentages are in thousandths.
pub(super) const ROWS: [Row; 37] = [
    most("motor", "start-time", 700 * MS, 450 * MS),
    least("motor", "tumbles", 4),
    between("motor", "period-mean", PERIOD),
    between("motor", "period-least", PERIOD),
    between("motor", "period-greatest", PERIOD),
    most("motor", "period-spread", 80, 40),
    most("motor", COAST, 2_100 * MS, 600 * MS),
    most("cam", "cam-bounce", 3 * MS, MS),
    most("cam", "cam-bounces", 8, 2),
    most("cam", "cam-repeats", 0, 0),
    between("cam", "cam-angle", [45, 65, 115, 135]),
    most("cam", "cam-jitter", 80, 40),
    most("dome", "dome-travel", 300 * MS, 250 * MS),
    most("dome", "dome-overlap", 50 * MS, 25 * MS),
    most("dome", "dome-bounce", 50 * MS, 30 * MS),
    least("buttons", "buttons-pressed", 5),
    most("buttons", "buttons-wrong", 2, 0),
    most("buttons", "buttons-together", 0, 0),
    most("buttons", "button-hold", 5_000 * MS, 2_000 * MS),
    most("buttons", "button-bounce", 20 * MS, 10 * MS),
    most("buttons", "button-bounces", 8, 4),
    most("buttons", "button-flickers", 2, 0),
    most("bus", "bus-errors", 10, 1),
    most("bus", "bus-turnaround", 25 * MS, 10 * MS),
    most("bus", "bus-turnaround-greatest", 50 * MS, 25 * MS),
    least("terminal", "keys-pressed", 7),
    most("terminal", "keys-wrong", 2, 0),
    most("terminal", "key-bounces", 4, 1),
    most("terminal", "key-hold", 5_000 * MS, 2_000 * MS),
    most("lamps", "lamps-dark", 0, 0),
    most("lamps", "lamps-untold", 0, 0),
    most("lamps", TIME, 500 * MS, 250 * MS),
    most("reader", "settle-time", 5_000 * MS, 2_000 * MS),
    most("seal", "seal-breaks", 2, 0),
    most("temperature", "temperature", 80 * CELSIUS, 60 * CELSIUS),
    most("temperature", "temperature-spread", 10 * CELSIUS, 2 * CELSIUS),
    most("temperature", "temperature-interval", 2_000 * MS, 1_000 * MS),
];

/// The quantity whose limits follow from a parameter that campaigns change, `coast_limit`.
pub(super) const COAST: &str = "coast-time";
/// The relay drops this long after the last dead-man edge, in microseconds. The limits of the coast time include it.
const DROP: i64 = 100 * MS;

/// What a person has to witness in a test, as items of `witness`.
pub(super) fn seen(test: &str) -> &'static [&'static str] {
    match test {
        "bell" => &["bell"],
        "lamps" => &["areas"],
        "seal" => &["seal"],
        _ => &[],
    }
}

/// The hardware test that a reset of this malfunction runs (table.md, Malfunctions).
pub(super) fn of_reset(code: &str) -> Option<&'static str> {
    Some(match code {
        "tumbler" | "deadman" => "motor",
        "temperature" => "temperature",
        "dome" => "dome",
        "reader" => "reader",
        "terminal" => "terminal",
        "lamps" => "lamps",
        "seal" => "seal",
        _ => return None,
    })
}

/// The rows of this test.
pub(super) fn of(test: &str) -> impl Iterator<Item = Row> {
    ROWS.into_iter().filter(move |row| row.test == test)
}

/// What is not as the page has it in these measurements of a test, as a report writes them; one that reached its end has all that it
/// measures, but for a time that need not be there.
pub(crate) fn unlike(test: &str, measured: &[Value], ended: bool) -> Option<&'static str> {
    let quantity = |one: &Value, row: &Row| one.get("quantity").is_some_and(|name| name == row.quantity);
    for one in measured {
        let limits = one.get("limits").and_then(Value::as_object);
        let Some(row) = of(test).find(|row| quantity(one, row)) else { return Some("a quantity of this test") };
        let reported = NAMES.map(|name| limits?.get(name)?.as_i64());
        if !row.allows(reported) || limits.is_none_or(|all| all.len() > reported.iter().flatten().count()) {
            return Some("the limits of the page");
        }
        let value = one.get("value").and_then(Value::as_i64);
        let least = if row.takes_time() { 1 } else { 0 };
        if row.quantity != "temperature" && value.is_some_and(|value| value < least) {
            return Some("a value that can be");
        }
        let verdict = one.get("verdict").and_then(Value::as_str).and_then(Verdict::named);
        if value.map(|value| row.verdict(value, reported)) != verdict {
            return Some("the verdict by these limits");
        }
    }
    let lacks = |row: Row| ![COAST, TIME].contains(&row.quantity) && !measured.iter().any(|one| quantity(one, &row));
    (ended && of(test).any(lacks)).then_some("every quantity of this test")
}

impl Row {
    /// Whether it is a time that nothing can take none of: a shaft has to turn for it, or a unit to answer.
    fn takes_time(self) -> bool {
        self.quantity == "start-time"
            || self.quantity == COAST
            || ["period-", "bus-t"].iter().any(|of| self.quantity.starts_with(of)) && self.quantity != "period-spread"
    }

    /// Whether these are the limits of the page. Those of the coast time follow from `coast_limit`, a quarter of which begins the
    /// margin.
    pub(super) fn allows(self, reported: [Option<i64>; 4]) -> bool {
        if self.quantity == COAST {
            return match reported {
                [None, None, Some(marginal), Some(fail)] => fail > DROP && marginal == DROP + (fail - DROP) / 4,
                _ => false,
            };
        }
        reported == self.limits
    }

    /// The verdict on a value by these limits.
    pub(super) fn verdict(self, value: i64, reported: [Option<i64>; 4]) -> Verdict {
        let [fail_below, marginal_below, marginal_above, fail_above] =
            if self.quantity == COAST { reported } else { self.limits };
        let beyond = |below: Option<i64>, above: Option<i64>| {
            below.is_some_and(|least| value < least) || above.is_some_and(|most| value > most)
        };
        if beyond(fail_below, fail_above) {
            Verdict::Fail
        } else if beyond(marginal_below, marginal_above) {
            Verdict::Marginal
        } else {
            Verdict::Pass
        }
    }
}
