//! What a value may be, and how it comes out against that.

use serde::{Deserialize, Serialize};
use strum::IntoStaticStr;

/// How a measurement or a test came out, from best to worst.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, IntoStaticStr)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
#[strum(serialize_all = "kebab-case")]
pub enum Verdict {
    /// Within the limits.
    #[default]
    Pass,
    /// Within the limits, and near one: wear that is to be looked after before it fails.
    Marginal,
    /// Out of the limits.
    Fail,
}

impl Verdict {
    /// The verdict in a word.
    #[must_use]
    pub fn name(self) -> &'static str {
        self.into()
    }
}

/// What a value may be: it fails beyond the outer numbers and is marginal between them and the inner ones.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default)]
pub struct Limits {
    /// Out of limits below this.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fail_below: Option<i64>,
    /// Marginal below this.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub marginal_below: Option<i64>,
    /// Marginal above this.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub marginal_above: Option<i64>,
    /// Out of limits above this.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fail_above: Option<i64>,
}

impl Limits {
    /// At most `fail_above`; marginal above `marginal_above`.
    #[must_use]
    pub const fn at_most(fail_above: i64, marginal_above: i64) -> Self {
        Self {
            fail_below: None,
            marginal_below: None,
            marginal_above: Some(marginal_above),
            fail_above: Some(fail_above),
        }
    }

    /// At least `fail_below`; marginal below `marginal_below`.
    #[must_use]
    pub const fn at_least(fail_below: i64, marginal_below: i64) -> Self {
        Self {
            fail_below: Some(fail_below),
            marginal_below: Some(marginal_below),
            marginal_above: None,
            fail_above: None,
        }
    }

    /// Both.
    #[must_use]
    pub const fn and(self, other: Self) -> Self {
        Self { fail_below: other.fail_below, marginal_below: other.marginal_below, ..self }
    }

    /// What a value is by these limits.
    #[must_use]
    pub fn judge(self, value: i64) -> Verdict {
        let beyond = |low: Option<i64>, high: Option<i64>| {
            low.is_some_and(|low| value < low) || high.is_some_and(|high| value > high)
        };
        if beyond(self.fail_below, self.fail_above) {
            Verdict::Fail
        } else if beyond(self.marginal_below, self.marginal_above) {
            Verdict::Marginal
        } else {
            Verdict::Pass
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_near_a_limit_is_marginal_and_one_beyond_it_fails() {
        let limits = Limits::at_most(200, 180).and(Limits::at_least(100, 120));
        for (value, verdict) in [
            (99, Verdict::Fail),
            (100, Verdict::Marginal),
            (119, Verdict::Marginal),
            (120, Verdict::Pass),
            (180, Verdict::Pass),
            (181, Verdict::Marginal),
            (200, Verdict::Marginal),
            (201, Verdict::Fail),
        ] {
            assert_eq!(limits.judge(value), verdict, "{value}");
        }
        assert_eq!(Limits::at_least(4, 4).judge(4), Verdict::Pass);
        assert_eq!(Limits::at_least(4, 4).judge(3), Verdict::Fail);
        assert_eq!(Limits::at_most(0, 0).judge(0), Verdict::Pass);
        assert_eq!(Limits::at_most(0, 0).judge(1), Verdict::Fail);
    }
}
