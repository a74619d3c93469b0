use super::*;
use serde_json::{Value, json};

/// The examples of the page about topics, which are messages byte for byte.
const PAGE: &str = include_str!("../../../../docs/mqtt.md");

fn example(topic: &str) -> Value {
    let block = PAGE.split("```json ").find_map(|block| block.strip_prefix(topic)?.strip_prefix('\n')).unwrap();
    serde_json::from_str(block.split("\n```").next().unwrap()).unwrap()
}

/// A floor with the broker there since time 0.
fn floor() -> Floor {
    let mut floor = Floor::new(Duration::from_secs(300));
    floor.connected(0);
    floor
}

impl Floor {
    fn keep(&mut self, topic: &str, payload: &Value) {
        self.take(&format!("taisai/{topic}"), payload.to_string().as_bytes(), true, 0);
    }
    fn tell(&mut self, topic: &str, payload: &Value, now_ms: u64) {
        self.take(&format!("taisai/{topic}"), payload.to_string().as_bytes(), false, now_ms);
    }
    /// A table that is online, in state `settling`.
    fn table(&mut self, place: &str) {
        self.keep(&format!("{place}/status"), &example("status"));
        self.keep(&format!("{place}/state"), &latched(1207, &[]));
    }
    /// The table tells, live, that this is latched.
    fn latch(&mut self, place: &str, seq: u64, code: &str) {
        self.tell(&format!("{place}/state"), &latched(seq, &[code]), 0);
    }
    fn event(&mut self, place: &str, stream: &str, seq: u64, kind: &str) {
        let mut event = example("event");
        event["stream"] = stream.into();
        event["seq"] = seq.into();
        event["kind"] = kind.into();
        event["head"] = head(seq).into();
        event["chain"]["previous"] = head(seq - 1).into();
        self.tell(&format!("{place}/event"), &event, 1_000);
    }
    fn row_of(&self, place: &str, now_ms: u64) -> Row {
        let rows = self.picture(now_ms).tables;
        rows.into_iter().find(|row| format!("{}/{}", row.site, row.table) == place).unwrap()
    }
    fn missed(&self, place: &str) -> (u64, u64) {
        let row = self.row_of(place, 2_000);
        (row.gaps, row.missed)
    }
}

/// A state as of this record, in which these are latched.
fn latched(seq: u64, codes: &[&str]) -> Value {
    let mut state = example("state");
    state["seq"] = seq.into();
    state["malfunctions"] = codes.iter().map(|code| json!({"code": code, "cause": "91 C", "since": 1})).collect();
    state
}

/// The head of a record of a journal that nobody touched.
fn head(seq: u64) -> String {
    format!("{seq:064x}").chars().rev().collect()
}

fn offline() -> Value {
    let mut status = example("status");
    status["status"] = "offline".into();
    status
}

fn order(picture: &Picture) -> Vec<String> {
    picture.tables.iter().map(|row| row.table.clone()).collect()
}

#[test]
fn faults_come_first_then_silence_then_gaps_then_names() {
    let mut floor = floor();
    for table in ["t10", "t2", "t1", "t9", "t7", "t8"] {
        floor.table(&format!("pit/{table}"));
    }
    floor.latch("pit/t9", 1207, "temperature");
    floor.keep("pit/t8/status", &offline());
    floor.event("pit/t7", "a", 1, "settled");
    floor.event("pit/t7", "a", 5, "settled");
    let picture = floor.picture(2_000);
    assert_eq!(order(&picture), ["t9", "t8", "t7", "t1", "t2", "t10"]);
    assert_eq!(picture.counts, Counts { rewritten: 0, fault: 1, silent: 1, gap: 1, fine: 3 });
    let row = floor.row_of("pit/t9", 2_000);
    assert_eq!(row.faults, [Fault { code: "temperature".into(), cause: "91 C".into() }]);
    assert_eq!((row.phase.as_deref(), row.round, row.open), (Some("settling"), Some(RoundId(88)), true));
    assert_eq!(row.result.map(Dice::pips), Some([1, 1, 3]));
}

/// What is latched is in `state`, of which the newest of a boot counts, however late an older one comes.
#[test]
fn the_newest_state_of_a_boot_counts() {
    let of = |boot: &str, seq: u64, codes: &[&str]| {
        let mut state = latched(seq, codes);
        state["boot"] = boot.into();
        state
    };
    let (sound, blocked): (&[&str], &[&str]) = (&[], &["temperature"]);
    for (told, condition) in [
        // Each: whether the broker had kept it, of which boot, as of which record, what is latched.
        (vec![(true, "a", 7, blocked)], Condition::Fault),
        (vec![(false, "a", 9, blocked), (true, "a", 8, sound)], Condition::Fault),
        (vec![(false, "a", 9, blocked), (false, "a", 8, sound)], Condition::Fault),
        (vec![(true, "a", 8, blocked), (false, "a", 9, sound)], Condition::Fine),
        (vec![(false, "a", 9, blocked), (false, "a", 9, sound)], Condition::Fine),
        (vec![(false, "b", 3, blocked), (true, "a", 900, sound)], Condition::Fault),
        (vec![(true, "a", 900, blocked), (false, "b", 3, sound)], Condition::Fine),
        (vec![(true, "a", 900, blocked), (true, "b", 3, sound)], Condition::Fine),
        (vec![], Condition::Gap),
    ] {
        let mut floor = floor();
        let mut status = example("status");
        let is_reborn = told.iter().any(|(_, boot, ..)| *boot == "b");
        status["boot"] = if is_reborn { "b" } else { "a" }.into();
        floor.keep("pit/t1/status", &status);
        for (kept, boot, seq, codes) in &told {
            let state = of(boot, *seq, codes).to_string();
            floor.take("taisai/pit/t1/state", state.as_bytes(), *kept, 10);
        }
        assert_eq!(floor.row_of("pit/t1", 20).condition, condition, "{told:?}");
        floor.take("taisai/pit/t1/state", b"", false, 30);
        floor.take("taisai/pit/t1/status", b"", false, 30);
        assert!(floor.picture(40).tables.is_empty(), "a table goes when all of it is deleted");
    }
}

/// A `fault/CODE` may stay behind, and so may a `state` that the broker takes no more: where they tell each otherwise neither is believed.
#[test]
fn what_is_told_each_otherwise_is_a_gap_and_never_fine() {
    let other = ("`state` is of another boot than `status`: how the table is since it started was not told", "reborn");
    let doubt = "`fault/seal` is told and `state` does not have it: one of them is old";
    let status = example("status");
    let boot = status["boot"].as_str().unwrap();
    for (state, fault, boot, doubts, condition) in [
        (Some(&[][..]), false, boot, vec![], Condition::Fine),
        (Some(&[]), true, boot, vec![doubt], Condition::Gap),
        (Some(&["seal"]), true, boot, vec![], Condition::Fault),
        (Some(&["seal"]), false, boot, vec![], Condition::Fault),
        (Some(&["lamps"]), true, boot, vec![doubt], Condition::Fault),
        (Some(&[]), false, other.1, vec![other.0], Condition::Gap),
        (Some(&[]), true, other.1, vec![doubt, other.0], Condition::Gap),
        (None, false, boot, vec!["the broker keeps no state of it"], Condition::Gap),
        (None, true, boot, vec!["the broker keeps no state of it", "`fault/seal` is told"], Condition::Gap),
    ] {
        let mut floor = floor();
        let mut status = status.clone();
        status["boot"] = boot.into();
        floor.keep("pit/t1/status", &status);
        if let Some(codes) = state {
            floor.keep("pit/t1/state", &latched(1207, codes));
        }
        if fault {
            floor.keep("pit/t1/fault/seal", &example("fault"));
        }
        let row = floor.row_of("pit/t1", 20);
        assert_eq!(
            (row.doubts, row.condition),
            (doubts.into_iter().map(str::to_owned).collect(), condition),
            "{state:?}"
        );
        floor.take("taisai/pit/t1/fault/seal", b"", false, 30);
        assert!(floor.row_of("pit/t1", 40).doubts.iter().all(|doubt| !doubt.contains("fault/seal")));
    }
}

#[test]
fn the_will_makes_a_table_silent_from_that_moment() {
    let mut floor = floor();
    floor.table("pit/t1");
    floor.tell("pit/t1/status", &offline(), 60_000);
    let row = floor.row_of("pit/t1", 72_000);
    assert_eq!((row.condition, row.silent_s), (Condition::Silent, Some(12)));
    // One that went before anybody watched: since when is not known.
    floor.keep("pit/t2/status", &offline());
    assert_eq!(floor.row_of("pit/t2", 72_000).silent_s, None);
    floor.tell("pit/t1/status", &example("status"), 80_000);
    assert_eq!(floor.row_of("pit/t1", 80_000).condition, Condition::Fine);
}

#[test]
fn an_open_table_that_tells_nothing_is_silent_and_a_closed_one_is_not() {
    let mut floor = floor();
    floor.table("pit/open");
    let mut closed = example("state");
    closed["malfunctions"] = json!([]);
    closed["open"] = false.into();
    closed["phase"] = "closed".into();
    floor.table("pit/closed");
    floor.keep("pit/closed/state", &closed);
    assert_eq!(floor.row_of("pit/open", 299_999).condition, Condition::Fine);
    assert_eq!(floor.row_of("pit/open", 300_000).silent_s, Some(300));
    assert_eq!(floor.row_of("pit/closed", 1_000_000).condition, Condition::Fine);
    floor.tell("pit/open/keypad", &json!({"v": 1, "key": "some-key"}), 300_000);
    assert_eq!(floor.row_of("pit/open", 301_000).condition, Condition::Fine);
    assert_eq!(floor.row_of("pit/open", 301_000).heard_s, Some(1));
}

#[test]
fn records_are_counted_by_stream() {
    let mut floor = floor();
    floor.table("pit/t1");
    for (stream, seq, kind) in [
        ("a", 7, "opened"), // the first one seen
        ("a", 8, "round-began"),
        ("a", 7, "opened"), // again, after a reconnect of the table
        ("a", 8, "round-began"),
        ("a", 9, "settled"),
        ("b", 1, "commissioned"), // another journal
        ("a", 10, "closed"),
        ("a", 40, "keyframe"), // numbers that the table left out
        ("a", 41, "started"),
    ] {
        floor.event("pit/t1", stream, seq, kind);
        assert_eq!(floor.missed("pit/t1"), (0, 0), "{stream} {seq}");
    }
    floor.event("pit/t1", "a", 45, "settled");
    assert_eq!(floor.missed("pit/t1"), (1, 3));
    floor.event("pit/t1", "b", 3, "settled");
    assert_eq!(floor.missed("pit/t1"), (2, 4));
    assert_eq!(floor.row_of("pit/t1", 2_000).condition, Condition::Gap);
}

/// Nobody drops what shows that a journal was rolled back or written again: it comes first, and stays.
#[test]
fn a_journal_that_is_not_what_it_was_comes_first_and_stays() {
    let told = |change: &dyn Fn(&mut Floor, &mut Value)| {
        let mut floor = floor();
        for table in ["pit/t1", "pit/t2"] {
            floor.table(table);
        }
        floor.latch("pit/t2", 1207, "seal");
        for seq in 7..=20 {
            floor.event("pit/t1", "a", seq, "noted");
        }
        // The floor itself may lose the broker meanwhile.
        floor.lost("gone".into(), 1_000);
        floor.connected(2_000);
        let mut event = example("event");
        event["stream"] = "a".into();
        change(&mut floor, &mut event);
        floor.tell("pit/t1/event", &event, 3_000);
        floor.event("pit/t1", "a", 30, "noted");
        let row = floor.row_of("pit/t1", 4_000);
        (row.condition, row.rewritten, order(&floor.picture(4_000)))
    };
    let alarm = |how: &str| (Condition::Rewritten, Some(how.to_owned()), vec!["t1".to_owned(), "t2".to_owned()]);
    let event = |event: &mut Value, seq: u64, own: &str, previous: &str| {
        event["seq"] = seq.into();
        event["head"] = own.into();
        event["chain"]["previous"] = previous.into();
    };
    let other = "e".repeat(64);
    let again = told(&|_, e| event(e, 15, &head(15), &head(14)));
    assert_eq!((again.0, again.1), (Condition::Silent, None), "told again after a reconnect");
    assert_eq!(told(&|_, e| event(e, 15, &other, &head(14))), alarm("record 15 came again and is another"));
    assert_eq!(
        told(&|_, e| event(e, 21, &other, &other)),
        alarm("record 21 does not follow the record 20 that it told")
    );
    // A journal that was lost is begun anew: its first record follows a head that was told, the last one or one before it.
    let begins = |e: &mut Value, seq: u64, after: Option<&str>| {
        event(e, seq, &other, &"9".repeat(64));
        e["chain"]["genesis"] = "9".repeat(64).into();
        e["chain"]["after"] = after.into();
    };
    for after in [20, 18] {
        let begun = told(&|_, e| begins(e, 21, Some(&head(after))));
        assert_eq!((begun.0, begun.1), (Condition::Silent, None), "after {after}");
    }
    let strange = "8".repeat(64);
    for (seq, after) in [(21, Some(strange.as_str())), (21, None), (1045, None)] {
        let how = format!("record {seq} does not follow the record 20 that it told");
        assert_eq!(told(&|_, e| begins(e, seq, after)), alarm(&how), "after {after:?}");
    }
    let jumped = told(&|_, e| begins(e, 1045, Some(&strange)));
    assert_eq!(jumped.1, None, "the table may not have told all when it lost its journal");
    assert_eq!(told(&|_, e| event(e, 3, &head(3), &head(2))), alarm("it went back from record 20 to record 3"));
    let (condition, rewritten, _) = told(&|floor, e| {
        for seq in 21..=2000 {
            floor.event("pit/t1", "a", seq, "noted");
        }
        event(e, 1500, &head(1500), &head(1499));
    });
    assert_eq!(
        (condition, rewritten.as_deref()),
        (Condition::Rewritten, Some("it went back from record 2000 to record 1500"))
    );
}

#[test]
fn a_broker_that_comes_back_says_what_is_and_its_absence_is_no_gap() {
    let mut floor = floor();
    for table in ["pit/t1", "pit/t2"] {
        floor.table(table);
    }
    floor.latch("pit/t1", 1207, "temperature");
    floor.event("pit/t1", "a", 1, "settled");
    floor.lost("hung up\u{1b}[2J".into(), 10_000);
    let picture = floor.picture(900_000);
    assert!(!picture.connected);
    assert_eq!(picture.trouble.as_deref(), Some("hung up\u{fffd}[2J"));
    // Nobody is silent while nobody can be heard.
    assert_eq!(picture.counts, Counts { rewritten: 0, fault: 1, silent: 0, gap: 0, fine: 1 });
    floor.connected(1_000_000);
    floor.table("pit/t1");
    floor.event("pit/t1", "a", 9, "settled");
    let picture = floor.picture(1_000_000);
    assert!(picture.connected);
    // The fault was cleared meanwhile; the other table has not come back to a broker that forgot it.
    assert_eq!(picture.counts, Counts { rewritten: 0, fault: 0, silent: 1, gap: 0, fine: 1 });
    assert_eq!(floor.row_of("pit/t2", 1_000_000).online, None);
}

#[test]
fn what_cannot_be_understood_is_said_and_harms_no_other_table() {
    let mut floor = floor();
    floor.table("pit/t1");
    floor.tell("pit/t1/state", &json!({"v": 2, "phase": "dancing"}), 5);
    let row = floor.row_of("pit/t1", 10);
    assert_eq!(row.condition, Condition::Gap);
    assert!(row.strange.unwrap().contains("version 2"), "the last state that was understood stays");
    assert_eq!(row.phase.as_deref(), Some("settling"));
    for (topic, payload) in [
        ("news", "x"),
        ("taisai/pit", "x"),
        ("taisai/pit/t1", "x"),
        ("taisai/pit/t1/news", "x"),
        ("taisai/pit/t9/news", "x"),
    ] {
        floor.take(topic, payload.as_bytes(), false, 5);
    }
    let strange = latched(1, &["seal"]).to_string().replace("91 C", "a\\u001b[2J");
    floor.take("taisai/pit/\u{1b}[2J/state", strange.as_bytes(), true, 5);
    let picture = floor.picture(10);
    assert_eq!(order(&picture), ["\u{fffd}[2J", "t1"]);
    assert_eq!(picture.tables[0].faults[0].cause, "a\u{fffd}[2J");
}

/// A table whose daemon is newer is never said to tell nothing: its latches count, also those that this version does not know.
#[test]
fn words_of_a_newer_version_hide_no_malfunction() {
    let phase = "its phase `exploding` is none that this version of tumblerctl knows";
    type Change = fn(&mut Value);
    let unnamed = "it is blocked, and names no malfunction";
    let cases: [(Change, Condition, &[&str], &[&str]); 5] = [
        (|state| state["phase"] = "blocked".into(), Condition::Fault, &[], &[unnamed]),
        (|state| state["phase"] = "exploding".into(), Condition::Gap, &[], &[phase]),
        (
            |state| state["malfunctions"] = json!([{"code": "flux", "cause": "x", "new": 1}]),
            Condition::Fault,
            &["flux"],
            &[],
        ),
        (|state| state["prompt"] = json!({"id": "new", "of": [], "text": "x"}), Condition::Fine, &[], &[]),
        (|state| (state["recent"][0]["void"], state["test"]) = ("new".into(), json!(7)), Condition::Fine, &[], &[]),
    ];
    for (change, condition, codes, doubts) in cases {
        let mut floor = floor();
        floor.table("pit/t1");
        let mut state = latched(1208, &[]);
        change(&mut state);
        floor.tell("pit/t1/state", &state, 5);
        let row = floor.row_of("pit/t1", 10);
        let told: Vec<&str> = row.faults.iter().map(|fault| fault.code.as_str()).collect();
        assert_eq!((row.condition, told.as_slice(), row.strange), (condition, codes, None), "{state}");
        assert_eq!(row.doubts, doubts);
    }
}

#[test]
fn a_flood_of_tables_is_counted_and_not_kept() {
    let mut floor = floor();
    for n in 0..MOST + 7 {
        floor.keep(&format!("pit/{n}/status"), &example("status"));
    }
    let picture = floor.picture(0);
    assert_eq!((picture.tables.len(), picture.beyond), (MOST, 7));
    assert!(picture.left_out.unwrap().contains("more than 2000 tables"));
    // A broker that queues a thousand messages for a subscriber drops the rest.
    for (kept, is_left_out) in [(999, false), (1020, true)] {
        let mut floor = self::floor();
        floor.told(kept);
        assert_eq!(floor.picture(0).left_out.is_some(), is_left_out, "{kept}");
    }
}
