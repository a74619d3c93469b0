//! Coverage of a campaign: one that passes because nothing happened proves nothing. A swarm of some length must reach every phase,
//! void reason, latch, exit and refusal; a long one must also reach every row of the rule texts' truth table under every rule set.

use std::collections::{BTreeMap, BTreeSet};
use tumbler_bench::log::Log;
use tumbler_core::latch::Code;
use tumbler_core::record::Event;
use tumbler_core::round::ending::VoidReason;
use tumbler_core::snapshot::Phase;
use tumbler_spec::{RowUse, UNREACHABLE_ROWS, truth_table_rows};

/// Rounds from which on a swarm must reach everything but truth table rows. It is random, so a shorter one may miss some.
pub const LEAST_ROUNDS: u64 = 5_000;

/// Rounds from which on a swarm must reach every row of the truth table, except [`SELDOM`].
pub const LEAST_ROUNDS_TEXTS: u64 = 20_000;

/// Rounds from which on a swarm must reach those too.
pub const LEAST_ROUNDS_SELDOM: u64 = 1_000_000;

/// Rows that are seldom reached. Under Open Cover a reader establishes the outcome as soon as it has read the dice at rest. A person is
/// asked about a hand among the dice only if it comes in the few milliseconds before, and each answer is a row of its own.
const SELDOM: &[&str] = &[
    "open-cover-knocked-not-flat-answered",
    "open-cover-knocked-not-flat-undisturbed",
    "open-cover-knocked-unseen-flat-but-had-not-been",
    "open-cover-knocked-unseen-flat-cannot-tell",
];

/// Most missing rows that are listed by name.
const MOST_NAMED: usize = 100;

/// What is counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Group {
    /// Days on which the table was in this phase.
    Phase,
    /// Rounds void for this reason.
    Void,
    /// Malfunctions latched.
    Latch,
    /// Latches opened because the malfunction was rectified.
    Rectified,
    /// Latches opened by a procedure that replaces the check.
    Procedure,
    /// Requests and entries refused.
    Refusal,
    /// Rows of the truth table that decided an ending or a question, for each rule set.
    Text,
}

impl Group {
    const ALL: [Self; 7] =
        [Self::Phase, Self::Void, Self::Latch, Self::Rectified, Self::Procedure, Self::Refusal, Self::Text];

    const fn name(self) -> &'static str {
        match self {
            Self::Phase => "phases",
            Self::Void => "void",
            Self::Latch => "latched",
            Self::Rectified => "rectified",
            Self::Procedure => "procedure",
            Self::Refusal => "refused",
            Self::Text => "texts",
        }
    }

    fn items(self) -> Vec<String> {
        match self {
            Self::Phase => Phase::ALL.iter().map(|phase| phase.name().to_owned()).collect(),
            Self::Void => VoidReason::ALL.iter().map(|reason| reason.name().to_owned()).collect(),
            Self::Latch | Self::Rectified => Code::ALL.iter().map(|code| code.name().to_owned()).collect(),
            Self::Procedure => {
                Code::ALL.iter().filter(|code| code.allows_procedure()).map(|code| code.name().to_owned()).collect()
            }
            Self::Refusal => REFUSALS.iter().map(shown).collect(),
            Self::Text => truth_table_rows().into_iter().filter(is_reachable).map(row).collect(),
        }
    }
}

/// A refusal: the request (empty: any), and its code, or the codes that count as one.
type Refusal = (&'static str, &'static [&'static str]);

/// Everything that the core refuses. An unlisted refusal fails the campaign, so that the list stays complete.
const REFUSALS: &[Refusal] = &[
    ("tumble", &["runs-already"]),
    ("tumble", &["has-had-its-spin"]),
    ("tumble", &["bets-closed"]),
    ("tumble", &["bets-open"]),
    ("tumble", &["in-maintenance"]),
    ("tumble", &["malfunction"]),
    ("tumble", &["closed"]),
    ("tumble", &["permission-not-durable"]),
    ("tumble", &["place-bets-first"]),
    ("tumble", &["dome-not-down"]),
    ("tumble", &["guard-away"]),
    ("tumble", &["shaft-moves"]),
    ("tumble", &["too-hot"]),
    ("no-spin", &["outcome-stands"]),
    ("", &["not-in-group"]),
    ("", &["no-key"]),
    // A round whose spin is still to come keeps a rebooted table closed until its bets are.
    ("open", &["round-in-progress", "testing", "bets-open"]),
    ("open", &["open-already"]),
    ("open", &["reset-first"]),
    ("open", &["in-maintenance"]),
    ("witness", &["no-witness-wanted"]),
    ("witness", &["witnessed-already"]),
    ("maintenance", &["round-in-progress", "testing"]),
    ("maintenance", &["in-maintenance-already"]),
    ("maintenance", &["not-in-maintenance"]),
    ("hardware-test", &["round-in-progress", "testing"]),
    ("hardware-test", &["tested-only-in-maintenance"]),
    ("hardware-test", &["not-fitted"]),
    ("reset", &["round-in-progress", "testing"]),
    ("reset", &["not-latched"]),
    ("reset", &["key-older-than-latch"]),
    ("reset", &["no-procedure-replaces"]),
    ("reset", &["procedure-while-closed"]),
    ("void", &["nothing-to-void"]),
    ("void", &["outcome-stands"]),
    ("void", &["not-revealed-to-judge"]),
    ("void", &["no-ground"]),
    ("void-afterwards", &["void-is-for-it"]),
    ("void-afterwards", &["no-such-round"]),
    ("void-afterwards", &["void-already"]),
    ("confirm-dome", &["no-dome-to-confirm"]),
    ("confirm-dome", &["not-to-be-seen-yet"]),
    ("confirm-dome", &["contacts-say-so"]),
    ("void", &["left-to-manager"]),
    ("void", &["answer-instead"]),
    ("void", &["dice-lie-open"]),
    ("interrupted", &["no-round-to-ask"]),
    ("interrupted", &["nobody-asked", "dealer-keys"]),
    ("interrupted", &["dice-not-enrolled"]),
    ("interrupted", &["moved-unseen", "covered-while-betting", "dome-on"]),
    ("interrupted", &["nobody-counted"]),
    ("interrupted", &["left-to-manager"]),
    ("supervise", &["nothing-to-supervise"]),
    ("correct", &["no-such-round"]),
    ("correct", &["void-is-for-it"]),
    ("tumble", &["asked-before-motion"]),
    ("tumble", &["no-spin-pressed"]),
    ("settle", &["answer-first"]),
    ("amend", &["answer-first"]),
    ("settle", &["paid-too-early"]),
    ("settle", &["areas-not-lit"]),
    ("settle", &["nothing-to-settle"]),
    ("settle", &["another-result"]),
    ("settle", &["say-the-dice"]),
    ("settle", &["entered-on-terminal"]),
    ("settle", &["not-revealed"]),
    ("settle", &["not-found-flat"]),
    ("settle", &["faces-not-read"]),
    ("settle", &["uphold-first"]),
    ("amend", &["entered-on-terminal"]),
    ("amend", &["result-stands"]),
    ("amend", &["not-revealed"]),
    ("amend", &["reader-differs"]),
    ("amend", &["nothing-entered"]),
    ("amend", &["not-found-flat"]),
    ("amend", &["faces-not-read"]),
    ("amend", &["same-result"]),
    ("dice enrol", &["round-in-progress", "testing"]),
    ("dice enrol", &["no-dice-seen"]),
    (ENTRY, &["not-three-numbers"]),
    (ENTRY, &["entered-already"]),
    (ENTRY, &["areas-not-lit"]),
    (ENTRY, &["asked-before-entry"]),
    (ENTRY, &["amended-under-supervisor"]),
    (ENTRY, &["paid-too-early"]),
    (ENTRY, &[DIFFERS]),
];

/// What the table refuses on its terminal.
const ENTRY: &str = "entry";
const DIFFERS: &str = "differs";

/// Refusals that no swarm can reach, and why.
const RARE: &[Refusal] = &[
    // Another refusal always comes first; the core keeps these as a second safeguard.
    ("tumble", &["stopping"]),
    ("tumble", &["closes-after-round"]),
    ("tumble", &["testing"]),
    ("tumble", &["unwatched"]),
    // A pin that stays high latches `gpio`, whose refusal comes first.
    ("tumble", &["motor-reads-on"]),
    // Scenario steps always name a person, a reason and a procedure; the core's own tests omit them.
    ("", &["no-name"]),
    ("", &["no-reason"]),
    ("", &["no-procedure"]),
    // Nobody asks for so many within some minutes; covered by the core's own tests.
    ("record", &["too-many-recordings"]),
    // A rule set of another version; covered by the core's own tests.
    ("void-afterwards", &["rules-forgotten"]),
];

/// A row of the truth table under a rule set.
fn row((row, rules): (&str, &str)) -> String {
    format!("{row} under {rules}")
}

/// Whether the rig can reach this row.
fn is_reachable((row, rules): &(&str, &str)) -> bool {
    !UNREACHABLE_ROWS.iter().any(|(of, under, _)| of == row && (*under == "*" || under == rules))
}

fn shown((what, codes): &Refusal) -> String {
    format!("{}: {}", if what.is_empty() { "whatever" } else { what }, codes.join(" or "))
}

/// How often each item was reached.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Coverage {
    counts: BTreeMap<(Group, String), u64>,
    /// Refusals that are not listed.
    strange: BTreeSet<String>,
}

impl Coverage {
    /// The coverage of a day.
    #[must_use]
    pub fn of(log: &Log, used: &[RowUse]) -> Self {
        let mut reached = Self::default();
        for row_use in used {
            *reached.counts.entry((Group::Text, row((row_use.row, row_use.rules)))).or_default() += row_use.times;
        }
        for phase in &log.phases {
            reached.count(Group::Phase, phase.name());
        }
        for durable in &log.records {
            match &durable.record.event {
                Event::Voided(void) => reached.count(Group::Void, void.reason.name()),
                Event::Latched { code, .. } => reached.count(Group::Latch, code.name()),
                Event::Unlatched { code, procedure, .. } => {
                    let procedure = procedure.is_some();
                    reached.count(if procedure { Group::Procedure } else { Group::Rectified }, code.name());
                }
                Event::Refused { what, code, .. } => reached.refused(what, code),
                Event::EntryError { code, .. } => reached.refused(ENTRY, code),
                Event::EntryDiffers { .. } => reached.refused(ENTRY, DIFFERS),
                // Malfunctions found at the start are latched in the journal's first keyframe.
                Event::Keyframe(standing) => {
                    for latched in standing.latched.iter().filter(|latched| latched.code == Code::Journal) {
                        reached.count(Group::Latch, latched.code.name());
                    }
                }
                _ => {}
            }
        }
        reached
    }

    fn count(&mut self, group: Group, name: &str) {
        *self.counts.entry((group, name.to_owned())).or_default() += 1;
    }

    fn refused(&mut self, what: &str, code: &str) {
        let is = |(of, codes): &&Refusal| (of.is_empty() || *of == what) && codes.contains(&code);
        match REFUSALS.iter().find(is) {
            Some(refusal) => self.count(Group::Refusal, &shown(refusal)),
            None if RARE.iter().any(|refusal| is(&refusal)) => {}
            None => drop(self.strange.insert(format!("{what}: {code}"))),
        }
    }

    /// Adds another day's coverage.
    pub fn add(&mut self, other: Self) {
        for (item, times) in other.counts {
            *self.counts.entry(item).or_default() += times;
        }
        self.strange.extend(other.strange);
    }

    fn times(&self, group: Group, name: &str) -> u64 {
        self.counts.get(&(group, name.to_owned())).copied().unwrap_or(0)
    }

    /// One line for each group, with the counts of the items that were reached.
    #[must_use]
    pub fn table(&self) -> Vec<String> {
        let line = |group: Group| {
            let items: Vec<String> = group
                .items()
                .into_iter()
                .filter_map(|name| match self.times(group, &name) {
                    0 => None,
                    times => Some(format!("{name} {times}")),
                })
                .collect();
            // There are hundreds of rows: print how many, and name the missing ones only when few are left.
            if group == Group::Text {
                let left: Vec<String> = group.items().into_iter().filter(|name| self.times(group, name) == 0).collect();
                let rare = group.items().into_iter().filter(|name| self.times(group, name) == 1);
                let rare: Vec<String> = rare.collect();
                let which = if left.is_empty() || left.len() > MOST_NAMED {
                    String::new()
                } else {
                    format!("; not {}", left.join(", "))
                };
                let once = if left.is_empty() { format!("; once {}", rare.join(", ")) } else { String::new() };
                return format!("  {:<9}  {} of {} rows{which}{once}", group.name(), items.len(), group.items().len());
            }
            let parted = if group == Group::Refusal { "; " } else { ", " };
            format!("  {:<9}  {}", group.name(), if items.is_empty() { "none".to_owned() } else { items.join(parted) })
        };
        Group::ALL.into_iter().map(line).collect()
    }

    /// What a swarm of this many rounds should have reached and did not, and unlisted refusals.
    #[must_use]
    pub fn missing(&self, rounds: u64) -> Vec<String> {
        let mut missing: Vec<String> =
            self.strange.iter().map(|refusal| format!("a refusal on no list: {refusal}")).collect();
        for group in Group::ALL {
            if group == Group::Text && rounds < LEAST_ROUNDS_TEXTS {
                continue;
            }
            let seldom = |name: &String| group == Group::Text && SELDOM.iter().any(|row| name.starts_with(row));
            let due = |name: &String| rounds >= LEAST_ROUNDS_SELDOM || !seldom(name);
            let idle = group.items().into_iter().filter(|name| self.times(group, name) == 0 && due(name));
            missing.extend(idle.map(|name| format!("{}: {name}", group.name())));
        }
        missing
    }

    /// Voids and latches: there are none on a healthy table.
    #[must_use]
    pub fn alarms(&self) -> Vec<String> {
        let alarms = self.counts.iter().filter(|((group, _), _)| matches!(group, Group::Void | Group::Latch));
        alarms.map(|((group, name), times)| format!("{}: {name} {times}", group.name())).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_refusal_is_counted_once_and_an_unknown_one_is_told() {
        let mut reached = Coverage::default();
        for (refusal, code) in REFUSALS.iter().flat_map(|refusal| refusal.1.iter().map(move |code| (refusal, code))) {
            let before = reached.times(Group::Refusal, &shown(refusal));
            reached.refused(refusal.0, code);
            assert_eq!(reached.times(Group::Refusal, &shown(refusal)), before + 1, "one before it hides {refusal:?}");
        }
        assert!(reached.missing(LEAST_ROUNDS).iter().all(|missing| !missing.starts_with("refused")));
        reached.refused("tumble", "unwatched");
        assert!(reached.strange.is_empty());
        reached.refused("tumble", "full-moon");
        assert!(reached.missing(LEAST_ROUNDS).contains(&"a refusal on no list: tumble: full-moon".to_owned()));
    }

    #[test]
    fn what_was_not_reached_is_named_and_days_add_up() {
        let mut reached = Coverage::default();
        reached.count(Group::Void, "exposed");
        let mut both = reached.clone();
        both.add(reached);
        assert_eq!(both.times(Group::Void, "exposed"), 2);
        let missing = both.missing(LEAST_ROUNDS_TEXTS);
        let texts = |missing: &[String]| missing.iter().any(|item| item == "texts: keyed-stands under nz-div9");
        assert!(texts(&missing) && !texts(&both.missing(LEAST_ROUNDS)));
        for row in SELDOM {
            assert!(truth_table_rows().iter().any(|(of, _)| of == row), "{row} is no row");
            let named = |missing: &[String]| missing.iter().any(|item| item.contains(row));
            assert!(!named(&missing) && named(&both.missing(LEAST_ROUNDS_SELDOM)));
        }
        assert!(!missing.contains(&"void: exposed".to_owned()) && missing.contains(&"void: not-flat".to_owned()));
        assert_eq!(both.alarms(), ["void: exposed 2"]);
        assert!(both.table().iter().any(|line| line.contains("exposed 2")));
    }
}
