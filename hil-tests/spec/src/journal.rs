//! The journal (design.md, Journal and rule 2; NZ 1.0, 6.3, SGV6 1.8 and 5.6; the pay tables): numbered without gaps over all
//! restarts, each record consistent in itself, each clause one of its rule set, and each record durable before a person is told of
//! it.

pub(crate) mod announcement;
mod clauses;

use crate::areas::{Area, faces, sorted, total};
use crate::judge::{Exercised, Findings, Judge};
use crate::observation::{Observation, Seen, Truth};
use crate::record::{Fact, Record};
use crate::scene::Scene;
use std::collections::BTreeSet;

const NAME: &str = "journal";
pub(crate) const SEQ: &str = "journal: numbered without gaps";
pub(crate) const TIME: &str = "journal: time does not run backwards within a boot";
pub(crate) const DONE: &str = "design.md rule 2: make durable, then answer";
pub(crate) const SHAPE: &str = "journal: a record has the payload of its kind";
pub(crate) const ROUND: &str = "journal: a round's records name it";
pub(crate) const TOTAL: &str = "NZ 1.0, SGV6 1.8: the total is that of the uppermost faces";
pub(crate) const CALL: &str = "NZ 6.3: how a result is called";
pub(crate) const AREAS: &str = "pay tables: the areas of a result";
pub(crate) const CLAUSE: &str = "rules: the clause that voids a round";
pub(crate) const CLOSES: &str =
    "table.md: a restart closes a table whose machine, rules or layout are others, and no other table";
pub(crate) const STANDS: &str = "journal: a keyframe says where the table stands by the records before it";
pub(crate) const AFTERWARDS: &str = "SGV6 5.6: only rounds that have ended are voided afterwards";

/// Watches the journal.
#[derive(Clone, Debug, Default)]
pub(crate) struct Journal {
    last_seq: Option<u64>,
    last_at_ns: u64,
    ended: u64,
    /// Boot, rule set and layout of the last start.
    started: Option<[String; 3]>,
    /// What the starts since the last opening or closing found changed: the boot, and rules or layout.
    changed: [bool; 2],
    /// The table is open and its rules or layout were changed: it has to be closed.
    to_close: bool,
    /// How many commands have no answer yet.
    unanswered: u64,
    /// No record need be durable for the answer to the latest command: it was for the ring of raw inputs, or a test waits for a witness,
    /// and may end at any time.
    of_no_record: bool,
    /// When a person was told "done", if no command was unanswered then and none was given since.
    done_ns: Option<u64>,
    /// When a person was last told that the journal cannot be written: records of the time before may come later.
    unwritten_ns: Option<u64>,
    answers: u64,
    records: u64,
    unknown: u64,
    starts: u64,
    results: u64,
    clauses: u64,
}

impl Judge for Journal {
    fn name(&self) -> &'static str {
        NAME
    }

    fn observe(&mut self, seen: &Observation, scene: &Scene, findings: &mut Findings) {
        let Seen::Record(record) = &seen.what else {
            self.answer(seen);
            return;
        };
        self.records += 1;
        let mut note = |clause, what: String| {
            findings.note(NAME, seen.at_ns, clause, format!("record {} `{}`: {what}", record.seq, record.kind));
        };
        let skips = |last: &u64| record.seq != last + 1 && !(record.seq > *last && record.fact.begins_new_journal());
        if let Some(last) = self.last_seq.filter(skips) {
            note(SEQ, format!("follows record {last}"));
        }
        self.last_seq = Some(record.seq);
        if record.fact.begins_new_journal() {
            // The table has lost what the old journal knew about boot, rules and layout.
            (self.changed, self.to_close) = ([true; 2], false);
        }
        if let Fact::Started { boot, rules, layout } = &record.fact {
            self.starts += 1;
            let now = [boot.clone(), rules.clone(), layout.clone()];
            if let Some(before) = &self.started {
                // A start that is cut short closes nothing. The next one does.
                let [boot, rules] = self.changed;
                self.changed = [boot || before.first() != now.first(), rules || before.get(1..) != now.get(1..)];
                self.to_close = self.changed == [false, true] && scene.open == Some(true);
            } else {
                // The start before this one, if there was one, was not seen. Everything may have changed.
                self.changed = [true; 2];
            }
            self.started = Some(now);
            // Another boot has another clock.
            (self.done_ns, self.unwritten_ns) = (None, None);
        } else if record.at_ns < self.last_at_ns {
            note(TIME, format!("at {} ns, after one at {} ns", record.at_ns, self.last_at_ns));
        }
        self.last_at_ns = record.at_ns;
        // What the table did by itself while the disk was writing may come later, such as closing at the end of a round.
        let asked_for = record.data.get("by").is_some() && !matches!(record.fact, Fact::Closed);
        let warned = self.unwritten_ns.is_some_and(|warned| record.at_ns <= warned);
        if let Some(done) = self.done_ns.filter(|done| asked_for && !warned && record.at_ns <= *done) {
            note(DONE, format!("of {} ns, was not durable when a person was told \"done\" at {done} ns", record.at_ns));
        }
        self.contents(record, scene, &mut note);
        if scene.ended {
            self.ended = self.ended.max(record.round.unwrap_or(0));
        }
    }

    fn exercised(&self) -> Vec<Exercised> {
        vec![
            ("records", self.records),
            ("records of a kind unknown to judges", self.unknown),
            ("starts", self.starts),
            ("answers \"done\" with everything durable", self.answers),
            ("results with total, call and areas", self.results),
            ("void endings with a clause to judge", self.clauses),
        ]
    }
}

impl Journal {
    /// Takes commands and their answers.
    fn answer(&mut self, seen: &Observation) {
        match &seen.what {
            Seen::ConsoleCommand { command, .. } => {
                self.unanswered += 1;
                // console.md: the ring of raw inputs is a file of its own, and nothing of it is in the journal.
                self.of_no_record = command == "record";
                if !self.of_no_record {
                    self.done_ns = None;
                }
            }
            Seen::Answer { refused, text, .. } => {
                self.unanswered = self.unanswered.saturating_sub(1);
                if text.contains("the journal cannot be written") {
                    self.unwritten_ns = Some(seen.at_ns);
                }
                self.of_no_record |= text.contains(" waits for a witness: ") && !text.starts_with("no test");
                // With another command unanswered, its records may still be on their way to the disk.
                if refused.is_none() && self.unanswered == 0 && !self.of_no_record {
                    self.answers += 1;
                    self.done_ns = Some(seen.at_ns);
                }
            }
            // A process that is gone answers nobody.
            Seen::Truth(Truth::Process { alive: false }) => self.unanswered = 0,
            _ => {}
        }
    }

    fn contents(&mut self, record: &Record, scene: &Scene, note: &mut impl FnMut(&'static str, String)) {
        match &record.fact {
            Fact::Malformed(why) => note(SHAPE, why.clone()),
            Fact::Unknown => self.unknown += 1,
            Fact::Result { dice, total: stated, call, areas } => {
                self.results += 1;
                check_total(*dice, *stated, note);
                if let Some(right) = announcement::of(*dice).filter(|right| right != call) {
                    note(CALL, format!("called \"{call}\", the rules have \"{right}\""));
                }
                check_areas(*dice, areas, scene, note);
            }
            Fact::Settled { dice, total: stated, .. } => check_total(*dice, *stated, note),
            Fact::Voided { clauses, silent, .. } => {
                let rules = scene.last.as_ref().filter(|_| scene.ended).and_then(|round| round.rules);
                if let Some(rules) = rules {
                    self.clauses += 1;
                    if let Err(why) = clauses::allowed(rules, clauses, silent.as_deref()) {
                        note(CLAUSE, why);
                    }
                }
            }
            Fact::Keyframe(keyframe) => {
                let stated = [&keyframe.boot, &keyframe.rules, &keyframe.layout];
                let known = self.started.as_ref().filter(|_| !record.fact.begins_new_journal());
                if let Some(started) = known.filter(|started| started.each_ref() != stated) {
                    note(STANDS, format!("{stated:?}, and started as {started:?}"));
                }
            }
            Fact::Closed => {
                self.to_close = false;
                let [boot, rules] = core::mem::take(&mut self.changed);
                let by = record.data.get("by").and_then(|by| by.as_str());
                if by == Some("the machine was restarted") && !boot
                    || by == Some("rules or layout were changed") && !rules
                {
                    note(CLOSES, format!("closed by {by:?}, and they are as they were"));
                }
            }
            Fact::Opened { .. } => self.changed = [false; 2],
            Fact::RoundBegan { .. } if self.to_close => {
                note(CLOSES, "a round begins, and the table was opened under other rules or another layout".into());
            }
            Fact::VoidedAfterwards { round, .. } if *round > self.ended => {
                note(AFTERWARDS, format!("round {round} has not ended"));
            }
            _ => {}
        }
        let of_round = matches!(
            record.fact,
            Fact::SpinBegan
                | Fact::SpinMade
                | Fact::SpinEnded { .. }
                | Fact::Revealed { .. }
                | Fact::Established { .. }
                | Fact::Result { .. }
                | Fact::Amended { .. }
                | Fact::LampsVerified
                | Fact::Settled { .. }
                | Fact::Voided { .. }
        );
        let current = if scene.ended { &scene.last } else { &scene.round };
        if let (true, Some(round)) = (of_round, current) {
            if record.round.is_none() || record.round != round.id {
                note(ROUND, format!("names {:?}, in progress is {:?}", record.round, round.id));
            }
        }
    }
}

fn check_total(dice: [u8; 3], stated: u64, note: &mut impl FnMut(&'static str, String)) {
    if !faces(dice) || stated != u64::from(total(dice)) {
        note(TOTAL, format!("{dice:?} with total {stated}"));
    }
}

fn check_areas(dice: [u8; 3], stated: &[String], scene: &Scene, note: &mut impl FnMut(&'static str, String)) {
    let Some(layout) = scene.round.as_ref().and_then(|round| crate::areas::Layout::named(&round.layout)) else {
        return;
    };
    let right: BTreeSet<Area> = layout.winning(sorted(dice)).into_iter().map(|(area, _)| area).collect();
    let said: Result<BTreeSet<Area>, _> = stated.iter().map(|id| id.parse()).collect();
    match said {
        Err(why) => note(AREAS, format!("{why}")),
        Ok(said) if said != right || stated.len() != right.len() => {
            let differing: Vec<String> = said.symmetric_difference(&right).map(Area::to_string).collect();
            note(AREAS, format!("{} areas for {dice:?}; differing: {}", stated.len(), differing.join(", ")));
        }
        Ok(_) => {}
    }
}

#[cfg(test)]
mod tests;
