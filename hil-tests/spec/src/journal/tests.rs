use super::*;
use crate::config::Rules;
use crate::script::{EVERY, Script, broken, call};
use serde_json::{Value, json};

fn judge() -> Box<dyn Judge> {
    Box::<Journal>::default()
}

#[test]
fn lawful_rounds_pass_under_every_rule_set() {
    for rules in EVERY {
        let mut script = Script::open(rules);
        for dice in [[1, 3, 6], [5, 5, 5], [3, 4, 3], [2, 5, 5]] {
            script.round(dice);
        }
        assert!(script.lawful(judge()).contains(&("results with total, call and areas", 4)));
    }
}

#[test]
fn nz_6_3_words_are_those_of_the_examples() {
    for dice in [[6, 1, 3], [5, 5, 5], [3, 4, 3], [5, 2, 5]] {
        assert_eq!(announcement::of(dice), Some(call(dice)));
    }
    assert_eq!(announcement::of([0, 1, 2]), None);
}

#[test]
fn a_gap_is_found_also_over_a_restart() {
    let mut script = Script::open("nz-div9");
    script.round([1, 3, 6]);
    script.seq += 1;
    script.start();
    broken(&script, judge(), SEQ);
}

/// A new journal after damage continues with numbers that the old one cannot have used. A plain keyframe does not skip numbers.
#[test]
fn only_a_journal_begun_anew_may_skip_numbers_and_never_backwards() {
    let with = |latched: Value, from: u64| {
        let mut script = Script::open("nz-div9");
        script.round([1, 3, 6]);
        script.seq = from.max(if from == 0 { script.seq + 1000 } else { 0 });
        let (rules, layout) = ("nz-div9", "nz-div9-2");
        let stands = json!({"boot": "b1", "rules": rules, "layout": layout, "open": true, "latched": latched});
        script.record_of(None, "keyframe", stands);
        script
    };
    with(json!([{"code": "journal"}]), 0).lawful(judge());
    broken(&with(json!([{"code": "seal"}]), 0), judge(), SEQ);
    broken(&with(json!([{"code": "journal"}]), 1), judge(), SEQ);
}

#[test]
fn time_that_runs_backwards_is_found() {
    let mut script = Script::open("nz-div9");
    script.begin();
    let record = json!({"seq": script.seq + 1, "at": script.now_ns - 500_000_000, "kind": "key-turned"});
    script.see(Seen::Record(Record::read(record).unwrap()));
    broken(&script, judge(), TIME);
}

#[test]
fn a_record_with_another_payload_is_found() {
    let mut script = Script::open("nz-div9");
    script.begin();
    script.record("spin-ended", json!({"tumbles": "four"}));
    broken(&script, judge(), SHAPE);
}

#[test]
fn a_record_of_another_round_is_found() {
    let mut script = Script::open("nz-div9");
    script.begin();
    script.record_of(Some(7), "spin-began", Value::Null);
    broken(&script, judge(), ROUND);
}

#[test]
fn wrong_total_call_or_areas_are_found() {
    let result = |total: u8, call: &str, drop: Option<&str>| {
        let mut script = Script::open("nz-div9");
        script.until_bets_closed([1, 3, 6]);
        script.reveal();
        script.establish([1, 3, 6]);
        let layout = crate::areas::Layout::named("nz-div9-2").unwrap();
        let areas: Vec<String> = layout.winning([1, 3, 6]).iter().map(|(area, _)| area.to_string()).collect();
        let areas: Vec<&String> = areas.iter().filter(|id| Some(id.as_str()) != drop).collect();
        script.record("result", json!({"dice": [1, 3, 6], "total": total, "call": call, "areas": areas}));
        script
    };
    let right = "1, 3, 6, total 10";
    result(10, right, None).lawful(judge());
    broken(&result(11, right, None), judge(), TOTAL);
    broken(&result(10, "1, 3 and 6, total 10", None), judge(), CALL);
    broken(&result(10, right, Some("combo-1-3-6")), judge(), AREAS);
}

#[test]
fn a_settlement_with_a_wrong_total_is_found() {
    let mut script = Script::open("nz-div9");
    script.until_settling([1, 3, 6]);
    script.record("settled", json!({"dice": [1, 3, 6], "total": 9}));
    broken(&script, judge(), TOTAL);
}

/// faults.md journal.rolled_back: a journal from before the round does not have its rules, and it ends by those that the journal has.
#[test]
fn a_round_whose_rules_were_lost_ends_by_those_of_the_journal() {
    let ended = |rules: &str| {
        let mut script = Script::open("sg-open-early");
        script.begin();
        let round = json!({"id": 1, "rules": rules, "layout": "sg-open-1", "result": null});
        let latched = json!([{"code": "journal"}]);
        let standing = json!({"boot": "b1", "open": false, "latched": latched, "last_round": 1, "round": round});
        script.record_of(None, "keyframe", standing);
        script.void("interruption", "SGOC 5.4.2");
        script
    };
    ended("sg-open").lawful(judge());
    broken(&ended("sg-open-early"), judge(), CLAUSE);
}

#[test]
fn clauses_are_those_of_the_rule_sets() {
    use Rules::{Nz1998, NzDiv9, SgOpen, SgOpenEarly, SgV6};
    let allowed = |rules, clauses: &[&str], silent| {
        let clauses: Vec<String> = clauses.iter().map(|clause| (*clause).to_owned()).collect();
        clauses::allowed(rules, &clauses, silent)
    };
    for (rules, cited) in [
        (NzDiv9, &["NZ9 7.1(a)"] as &[&str]),
        (Nz1998, &["NZ98 7.1(b)", "NZ98 6.1"]),
        (Nz1998, &["NZ98 7.1(d)"]),
        (SgV6, &["SGV6 5.5.1", "SGV6 5.4.2"]),
        (SgOpen, &["SGOC 5.14"]),
        (SgOpenEarly, &["SGOC-early 5.1.4"]),
    ] {
        assert_eq!(allowed(rules, cited, None), Ok(()));
        assert!(allowed(rules, cited, Some("the text is silent")).is_err());
    }
    assert_eq!(allowed(SgOpenEarly, &[], Some("the edition is silent")), Ok(()));
    assert!(allowed(SgOpenEarly, &[], None).is_err() && allowed(SgOpenEarly, &[], Some(" ")).is_err());
    for (rules, cited) in [
        (NzDiv9, &["NZ98 7.1(a)"] as &[&str]),
        (NzDiv9, &["NZ9 7.1"]),
        (NzDiv9, &[""]),
        (Nz1998, &["NZ98 6.1", "NZ98 7.1(b)"]),
        (SgOpen, &["SGOC-early 5.1.4"]),
        (SgV6, &["SGV6 5.4.2", "SGV6 5.5.1"]),
        (SgV6, &["SGV6 5.4.1"]),
        (SgOpenEarly, &["SGOC-early 5.4.2"]),
    ] {
        assert!(allowed(rules, cited, None).is_err(), "{cited:?}");
    }
}

#[test]
fn a_wrong_clause_is_found() {
    let mut script = Script::open("sg-v6");
    script.begin();
    let mut right = script.clone();
    right.void("interruption", "SGV6 5.4.2");
    assert!(right.lawful(judge()).contains(&("void endings with a clause to judge", 1)));
    script.void("interruption", "SGV6 5.4.1");
    broken(&script, judge(), CLAUSE);
}

#[test]
fn sgv6_5_6_only_ended_rounds_are_voided_afterwards() {
    let mut script = Script::open("sg-v6");
    script.round([1, 3, 6]);
    let data = |round: u64| json!({"round": round, "reason": "chipped", "clauses": ["SGV6 5.6"], "by": "Ana"});
    let mut right = script.clone();
    right.record_of(None, "voided-afterwards", data(1));
    right.lawful(judge());
    script.record_of(None, "voided-afterwards", data(2));
    broken(&script, judge(), AFTERWARDS);
}

#[test]
fn an_answer_before_its_record_is_durable_is_found() {
    let answered = |before: bool, other: bool| {
        let mut script = Script::open("nz-div9");
        let record = json!({"seq": script.seq + 1, "at": script.now_ns, "kind": "opened", "data": {"by": "Mei"}});
        let record = Seen::Record(Record::read(record).unwrap());
        // What the play asked for before has its answers.
        for _ in 0..script.trace.0.len() {
            script.refuse("before");
        }
        if other {
            script.ask("close", json!({}));
            script.ask("close", json!({}));
        }
        let done = Seen::Answer { request: 0, refused: None, text: String::new() };
        let seen = if before { [done, record] } else { [record, done] };
        seen.into_iter().for_each(|seen| script.see(seen));
        script
    };
    answered(false, false).lawful(judge());
    broken(&answered(true, false), judge(), DONE);
    // The record may be that of a command which waits for its own answer.
    answered(true, true).lawful(judge());
}

/// The swarm asked for the ring of inputs, which does not concern the journal, right after a command that a full disk delayed.
#[test]
fn whoever_was_told_that_the_journal_cannot_be_written_was_told_no_done() {
    let answered = |first: &str, done: bool| {
        let mut script = Script::open("nz-div9");
        let record = json!({"seq": script.seq + 1, "at": script.now_ns, "kind": "opened", "data": {"by": "Mei"}});
        for _ in 0..script.trace.0.len() {
            script.refuse("before");
        }
        script.ask("enrol-dice", json!({}));
        if done {
            script.say(first);
        } else {
            script.refuse(first);
        }
        script.ask("record", json!({}));
        script.say("written out");
        script.see(Seen::Record(Record::read(record).unwrap()));
        script
    };
    answered("the journal cannot be written: nothing of this is on record, and a restart would undo it", false)
        .lawful(judge());
    broken(&answered("enrolled", true), judge(), DONE);
    // A test that went against it is no "done", and its record is on its way when the file is written.
    answered("refused: unit 1 does not reply", false).lawful(judge());
}

/// console.md: a hardware test answers when it waits for a witness. What ends it, such as a lamp that fails, is recorded afterwards.
#[test]
fn a_test_that_waits_for_a_witness_may_end_while_that_is_said() {
    let answered = |text: &str| {
        let mut script = Script::open("nz-div9");
        let tested = json!({"test": "seal", "by": "Mei"});
        let record = json!({"seq": script.seq + 1, "at": script.now_ns, "kind": "hardware-tested", "data": tested});
        for _ in 0..script.trace.0.len() {
            script.refuse("before");
        }
        script.ask("hardware-test", json!({}));
        script.say(text);
        script.see(Seen::Record(Record::read(record).unwrap()));
        script
    };
    answered("seal waits for a witness: seal").lawful(judge());
    broken(&answered("seal: pass"), judge(), DONE);
}

#[test]
fn a_start_closes_the_table_for_its_true_reason_only() {
    let started = |boot: &str, layout: &str| {
        let mut script = Script::open("nz-div9");
        script.pass(1_000);
        let start = json!({"boot": boot, "build": "t", "config": "c", "backend": "virtual", "rules": "nz-div9", "layout": layout});
        script.record_of(None, "started", start);
        script
    };
    let closed = |mut script: Script, by: &str| {
        script.record_of(None, "closed", json!({"by": by}));
        script
    };
    let (machine, layout) = ("the machine was restarted", "rules or layout were changed");
    closed(started("b2", "nz-div9-2"), machine).lawful(judge());
    closed(started("b1", "nz-div9-1"), layout).lawful(judge());
    broken(&closed(started("b1", "nz-div9-2"), machine), judge(), CLOSES);
    broken(&closed(started("b1", "nz-div9-2"), layout), judge(), CLOSES);
    // A judge that starts after a boot has not seen the daemon's start before it.
    let mut later = Script::off("nz-div9");
    later.seq = 34;
    let start = json!({"boot": "b2", "build": "t", "config": "c", "backend": "virtual", "rules": "nz-div9", "layout": "nz-div9-2"});
    later.record_of(None, "started", start);
    closed(later, machine).lawful(judge());
    let mut open = started("b1", "nz-div9-1");
    open.began();
    broken(&open, judge(), CLOSES);
    let stands = |layout: &str| {
        let mut script = started("b1", "nz-div9-2");
        script.record_of(None, "keyframe", json!({"boot": "b1", "rules": "nz-div9", "layout": layout, "open": true}));
        script
    };
    stands("nz-div9-2").lawful(judge());
    broken(&stands("nz-div9-1"), judge(), STANDS);
}
