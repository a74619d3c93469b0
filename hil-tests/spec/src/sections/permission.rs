//! Permission to play, as far as the table takes it away by itself.
//!
//! ```text
//!  open ──┬── another boot, another rule set or layout, a journal that cannot be trusted ──> `closed` at the start
//!         └── `closing` on record ── the round ends ──> `closed`, by whoever asked
//! ```

use crate::ledger::Ledger;
use crate::observation::{Observation, Seen};
use crate::record::{Fact, Record};
use crate::rule::Rule;
use crate::scene::Scene;
use crate::section::{Answer, Section, may, must};
use serde_json::Value;

const BOOT: Rule = Rule::new("permission.boot", "design.md, Start and restart: after a reboot the table is closed");
const RULES: Rule =
    Rule::new("permission.rules", "design.md, Start and restart: other rules or another layout close the table");
const JOURNAL: Rule =
    Rule::new("permission.journal", "table.md, What a restart carries on: a damaged journal closes the table");
const LATER: Rule =
    Rule::new("permission.later", "console.md: `close` in mid-round closes the table once the round has ended");

/// Follows the permission.
#[derive(Clone, Debug, Default)]
pub(super) struct Permission {
    open: bool,
    boot: Value,
    rules: (Value, Value),
    /// Who asked that the table closes after the round.
    closing: Option<Value>,
    /// The journal was damaged, and what it says about the permission does not count.
    distrusted: bool,
    started_ns: u64,
    /// The malfunction `journal` has to latch with what was decided then.
    latches_ns: Option<u64>,
    /// The table has to close: by which rule, by whom if a person asked, and when that was decided.
    due: Option<(Rule, Option<Value>, u64)>,
}

impl Section for Permission {
    fn rules(&self) -> Vec<Rule> {
        vec![BOOT, RULES, JOURNAL, LATER]
    }

    fn explain(&mut self, seen: &Observation, _: &Scene, _: &mut Ledger) -> Answer {
        let Seen::Record(record) = &seen.what else { return Answer::NotMine };
        if record.kind != "closed" {
            return Answer::NotMine;
        }
        let by = record.data.get("by").cloned().unwrap_or_default();
        match self.due.take() {
            Some((rule, who, at_ns)) if at_ns == record.at_ns && who.as_ref().is_none_or(|who| *who == by) => {
                must(rule)
            }
            // Whether the slot or the permit is there, no probe sees; `journal` latches with it.
            None if self.open && self.started_ns == record.at_ns => {
                self.latches_ns = Some(record.at_ns);
                may(JOURNAL)
            }
            due => Answer::Unexplained(LATER, format!("a command of that moment, or {due:?}")),
        }
    }

    fn notice(&mut self, seen: &Observation, _: &Scene, ledger: &mut Ledger) {
        let Seen::Record(record) = &seen.what else { return };
        // An older copy of the journal may have no permission.
        if let Some((rule, ..)) =
            self.due.take_if(|(_, _, at_ns)| *at_ns < record.at_ns).filter(|(rule, ..)| *rule != JOURNAL)
        {
            ledger.wrong(rule, "missing: the table does not close".into());
        }
        if self.latches_ns.take_if(|at_ns| *at_ns < record.at_ns).is_some() {
            ledger.wrong(JOURNAL, "missing: `journal` does not latch".into());
        }
        match &record.fact {
            Fact::Started { .. } => self.started(record),
            // Where nothing could be kept, no permission is on record either.
            Fact::Keyframe(keyframe) if record.fact.begins_new_journal() => {
                self.distrusted = self.open && !keyframe.boot.is_empty();
                self.open &= self.distrusted;
            }
            Fact::Latched { code } if code == "journal" => self.latches_ns = None,
            Fact::Opened { .. } => self.open = true,
            Fact::Closed => (self.open, self.closing, self.due) = (false, None, None),
            Fact::Settled { .. } | Fact::Voided { .. } => {
                if let Some(who) = self.closing.take().filter(|_| self.open) {
                    self.due = Some((LATER, Some(who), record.at_ns));
                }
            }
            Fact::Plain if record.kind == "closing" => self.closing = record.data.get("by").cloned(),
            _ => {}
        }
    }
}

impl Permission {
    fn started(&mut self, record: &Record) {
        let field = |name: &str| record.data.get(name).cloned().unwrap_or_default();
        let (boot, rules) = (field("boot"), (field("rules"), field("layout")));
        let other = if core::mem::take(&mut self.distrusted) {
            Some(JOURNAL)
        } else if !self.boot.is_null() && self.boot != boot {
            Some(BOOT)
        } else {
            Some(RULES).filter(|_| !self.boot.is_null() && self.rules != rules)
        };
        self.due = other.filter(|_| self.open).map(|rule| (rule, None, record.at_ns));
        (self.boot, self.rules, self.started_ns) = (boot, rules, record.at_ns);
    }
}
