//! What the table owes, and what it may do: each expectation has its rule and its window, and explains one observation.
//!
//! ```text
//!  stimulus ──> expectation ──┬── seen in its window ───────────> explained, and used up
//!                             ├── window over, and it had to come ──> MISSING
//!                             └── the process is gone ──────────> nothing is owed any more
//! ```

use crate::observation::{BusKind, Line, Observation, Seen};
use crate::record::Record;
use crate::rule::{Coverage, Firmness, Rule};
use serde_json::Value;

/// What is expected.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum What {
    /// A record of this kind that has these values in its data. Its window is that of the decision, which it carries as its time.
    Record { kind: &'static str, data: Vec<(&'static str, Value)> },
    /// An edge of an output.
    Output { line: Line, active: bool },
    /// A lamp board is told this.
    Coils { unit: u8, bits: u64 },
    /// What only the section that expects it can recognise, by a record of which it says so with [`Ledger::meet`].
    Own(&'static str),
    /// The end of the process, which settles all.
    End,
}

impl What {
    /// A record of this kind, whatever it says.
    pub(crate) const fn record(kind: &'static str) -> Self {
        Self::Record { kind, data: Vec::new() }
    }

    fn is(&self, seen: &Seen) -> bool {
        match (self, seen) {
            (Self::Record { kind, data }, Seen::Record(record)) => record.kind == *kind && has(record, data),
            (Self::Output { line, active }, Seen::Wire { line: of, active: level, initial: false }) => {
                line == of && active == level
            }
            (Self::Coils { unit, bits }, Seen::Bus(bus)) => {
                bus.kind == BusKind::WriteCoils && bus.unit == *unit && bus.bits == *bits
            }
            _ => false,
        }
    }
}

fn has(record: &Record, data: &[(&'static str, Value)]) -> bool {
    data.iter().all(|(field, value)| record.data.get(field).unwrap_or(&Value::Null) == value)
}

/// An expectation.
#[derive(Clone, Debug)]
pub(crate) struct Expectation {
    pub(crate) rule: Rule,
    pub(crate) what: What,
    pub(crate) firmness: Firmness,
    pub(crate) from_ns: u64,
    pub(crate) by_ns: u64,
}

/// When something was decided: a record says so, anything else happens when it is seen.
pub(crate) fn decided_ns(seen: &Observation) -> u64 {
    match &seen.what {
        Seen::Record(record) => record.at_ns,
        _ => seen.at_ns,
    }
}

/// All that is owed or allowed.
#[derive(Clone, Debug, Default)]
pub(crate) struct Ledger {
    /// How late the bench may see what happens, in ns; each window is longer by that at both ends.
    late_ns: u64,
    open: Vec<Expectation>,
    wrong: Vec<(Rule, String)>,
    unlisted: Vec<String>,
    pub(crate) coverage: Coverage,
}

impl Expectation {
    /// Whether this moment is in its window, as exactly as the bench can tell.
    fn covers(&self, at_ns: u64, late_ns: u64) -> bool {
        self.from_ns <= at_ns.saturating_add(late_ns) && at_ns <= self.by_ns.saturating_add(late_ns)
    }
}

impl Ledger {
    /// For a bench that sees what happens so late, in ns.
    pub(crate) fn of(late_ns: u64) -> Self {
        Self { late_ns, ..Self::default() }
    }

    /// This has to come within the window.
    pub(crate) fn must(&mut self, rule: Rule, what: What, from_ns: u64, by_ns: u64) {
        self.open.push(Expectation { rule, what, firmness: Firmness::Must, from_ns, by_ns });
    }

    /// This may come within the window.
    pub(crate) fn may(&mut self, rule: Rule, what: What, from_ns: u64, by_ns: u64) {
        self.open.push(Expectation { rule, what, firmness: Firmness::May, from_ns, by_ns });
    }

    /// This is wrong, whatever it is explained by.
    pub(crate) fn wrong(&mut self, rule: Rule, text: String) {
        self.wrong.push((rule, text));
    }

    /// This rule had something to say something of, and found it right.
    pub(crate) fn held(&mut self, rule: Rule) {
        self.coverage.hold(rule);
    }

    /// This situation is not listed in the truth table, and nobody can say what is right.
    pub(crate) fn unlisted(&mut self, situation: String) {
        self.unlisted.push(situation);
    }

    /// Takes the situations that are not listed.
    pub(crate) fn take_unlisted(&mut self) -> Vec<String> {
        core::mem::take(&mut self.unlisted)
    }

    /// Takes what was found wrong.
    pub(crate) fn take_wrong(&mut self) -> Vec<(Rule, String)> {
        core::mem::take(&mut self.wrong)
    }

    /// Whether something of this rule is open.
    pub(crate) fn owes(&self, rule: Rule) -> bool {
        self.open.iter().any(|open| open.rule == rule)
    }

    /// What the section itself recognised has come, as it was decided at this moment: whether it was expected then.
    pub(crate) fn meet(&mut self, own: &'static str, at_ns: u64) -> bool {
        let fits = |open: &Expectation| open.what == What::Own(own) && open.covers(at_ns, self.late_ns);
        let place = self.open.iter().position(fits);
        place.map(|place| self.open.remove(place)).is_some()
    }

    /// What the section itself recognises will not come after this moment.
    pub(crate) fn unless(&mut self, own: &'static str, now_ns: u64) {
        self.open.retain(|open| open.what != What::Own(own) || open.from_ns <= now_ns);
    }

    /// Nothing of this rule is owed any more: what happened since has overtaken it.
    pub(crate) fn drop_of(&mut self, rule: Rule) {
        self.open.retain(|open| open.rule != rule);
    }

    /// Whether just this is expected.
    pub(crate) fn expects(&self, what: &What) -> bool {
        self.open.iter().any(|open| open.what == *what)
    }

    /// It has come, for whatever reason.
    pub(crate) fn forget(&mut self, what: &What) {
        self.open.retain(|open| open.what != *what);
    }

    /// The process is gone: it owes nothing.
    pub(crate) fn clear(&mut self) {
        self.open.clear();
    }

    /// Takes the expectation that explains this observation, one that had to come before one that was allowed.
    pub(crate) fn take(&mut self, seen: &Observation) -> Option<Expectation> {
        let at_ns = decided_ns(seen);
        let fits = |open: &Expectation| open.covers(at_ns, self.late_ns) && open.what.is(&seen.what);
        let must = |open: &Expectation| open.firmness == Firmness::Must && fits(open);
        let place = self.open.iter().position(must).or_else(|| self.open.iter().position(fits))?;
        Some(self.open.remove(place))
    }

    /// Takes what had to come and has not: a record once a later one is durable or so long has passed that any would be; anything
    /// else once its window is over. While the disk lags records still come.
    pub(crate) fn overdue(&mut self, seen: &Observation, commit_ns: Option<u64>) -> Vec<Expectation> {
        let now_ns = seen.at_ns;
        let later = match &seen.what {
            Seen::Record(record) => record.at_ns,
            _ => 0,
        };
        let over = |open: &Expectation| match open.what {
            What::Record { .. } | What::Own(_) => {
                later > open.by_ns.saturating_add(self.late_ns)
                    || commit_ns.is_some_and(|commit| now_ns > open.by_ns.saturating_add(commit))
            }
            _ => now_ns > open.by_ns.saturating_add(self.late_ns),
        };
        if !self.open.iter().any(over) {
            return Vec::new();
        }
        let (over, open): (Vec<_>, Vec<_>) = core::mem::take(&mut self.open).into_iter().partition(over);
        self.open = open;
        over.into_iter().filter(|over| over.firmness == Firmness::Must).collect()
    }
}
