//! Reading beside the writer, verifying and writing out.

use super::common::{Table, noted};
use tumbler_core::record::Event;
use tumbler_core::round::ending::{Void, VoidReason};
use tumbler_core::units::{Dice, RoundId, Seq, Tumbles};
use tumblerd::journal::{Filter, Reader, backup, export, verify, verify_all};

#[test]
fn a_reader_sees_what_is_durable_in_order() {
    let table = Table::new();
    let (journal, found) = table.try_open().unwrap();
    let reader = journal.reader().unwrap();
    let mut session = super::common::Session::start(journal, &found);
    assert_eq!(reader.durable(), Seq(1));
    for _ in 0..3 {
        session.round();
    }
    let all = reader.after(Seq(0), usize::MAX).unwrap();
    let numbers: Vec<u64> = all.iter().map(|stored| stored.record.seq.0).collect();
    assert_eq!(numbers, (1..=session.last.0).collect::<Vec<_>>());
    assert_eq!(reader.durable(), session.last);
    assert_eq!(reader.after(Seq(5), 2).unwrap(), all[5..7]);
    assert_eq!(reader.after(session.last, 10).unwrap(), []);
    for stored in &all {
        assert_eq!(stored.boot, table.boot);
        assert!(["synchronised", "unsynchronised"].contains(&stored.wall_quality.as_str()));
        assert_eq!(serde_json::to_string(&stored.record).unwrap(), stored.body);
        assert!(stored.wall > 1_600_000_000_000, "{}", stored.wall);
    }
    session.stop();
}

#[test]
fn events_are_the_latest_that_the_filter_lets_through() {
    let table = Table::new();
    table.play(60);
    let reader = Reader::open(&table.state()).unwrap();
    let all = reader.after(Seq(0), usize::MAX).unwrap();
    let kind = Filter { kind: Some("settled".into()), limit: 2, ..Filter::default() };
    let settled: Vec<_> = all.iter().filter(|s| matches!(s.record.event, Event::Settled { .. })).cloned().collect();
    assert_eq!(reader.events(&kind).unwrap(), settled[58..]);
    let round = settled[3].record.round.unwrap();
    let filter = Filter { round: Some(round.0), limit: 100, ..Filter::default() };
    let expected: Vec<_> = all.iter().filter(|s| s.record.round == Some(round)).cloned().collect();
    assert_eq!(expected.len(), 10);
    assert_eq!(reader.events(&filter).unwrap(), expected);
    let after = Filter { after: all[all.len() - 4].record.seq.0, limit: 100, ..Filter::default() };
    assert_eq!(reader.events(&after).unwrap(), all[all.len() - 3..]);
    assert_eq!(reader.events(&Filter::default()).unwrap(), []);
}

#[test]
fn rounds_are_added_up_oldest_first() {
    let table = Table::new();
    let (mut session, _) = table.open();
    session.round();
    let first = session.round;
    session.round += 1;
    let began = Event::RoundBegan { rules: "nz-div9".into(), layout: "nz-div9-1".into() };
    let void =
        Void { reason: VoidReason::NotFlat, clauses: vec!["NZ9 7.1(a)".into()], silent: None, detail: "die 2".into() };
    session.append(vec![began.clone(), Event::Voided(void.clone())], None);
    session.round += 1;
    session.append(vec![began], None);
    let (reason, clauses, by) = ("chipped".to_owned(), vec!["SGV6 5.6".to_owned()], "Mei".to_owned());
    session.append(vec![Event::VoidedAfterwards { round: RoundId(first), reason, clauses, by }], None);
    session.stop();

    let reader = Reader::open(&table.state()).unwrap();
    let rounds = reader.rounds(10).unwrap();
    assert_eq!(rounds.iter().map(|r| r.round.0).collect::<Vec<_>>(), [first, first + 1, first + 2]);
    assert_eq!(rounds[0].dice, Some(Dice::from_pips([1, 2, 4]).unwrap()));
    assert_eq!(rounds[0].tumbles, Some(Tumbles(4)));
    assert!(rounds[0].settled && rounds[0].rules == "nz-div9" && rounds[0].wall > 0);
    assert_eq!(rounds[0].voided_afterwards.as_deref(), Some("chipped"));
    assert_eq!(rounds[1].void, Some(void));
    assert!(!rounds[2].settled && rounds[2].void.is_none());
    assert_eq!(reader.rounds(2).unwrap(), rounds[1..]);
    assert_eq!(reader.rounds(0).unwrap(), []);
}

#[test]
fn an_export_holds_the_bytes_that_the_chain_covers() {
    let table = Table::new();
    let (mut session, _) = table.open();
    session.append(noted("\"quoted\" \u{1F3B2}"), None);
    session.stop();
    let mut out = Vec::new();
    assert_eq!(export(&table.state(), &mut out, 1..=u64::MAX).unwrap(), 2);
    let text = String::from_utf8(out).unwrap();
    let reader = Reader::open(&table.state()).unwrap();
    for (line, stored) in text.lines().zip(reader.after(Seq(0), 10).unwrap()) {
        assert!(line.ends_with(&format!(",\"hash\":\"{}\",\"record\":{}}}", stored.hash_hex(), stored.body)), "{line}");
        let value: serde_json::Value = serde_json::from_str(line).unwrap();
        assert_eq!(value["stream"], reader.stream());
        assert_eq!(value["wall"], stored.wall);
    }
    let mut out = Vec::new();
    assert_eq!(export(&table.journal(), &mut out, 2..=2).unwrap(), 1);
    assert_eq!(String::from_utf8(out).unwrap().lines().next(), text.lines().nth(1));
}

#[test]
fn a_verification_may_run_beside_the_writer() {
    let table = Table::new();
    let (mut session, _) = table.open();
    for _ in 0..20 {
        session.round();
        let report = verify(&table.state()).unwrap();
        assert!(report.whole(), "{report}");
    }
    let report = verify_all(&table.state()).unwrap();
    assert!(report.whole(), "{report}");
    assert_eq!((report.first, report.last, report.records), (1, session.last.0, session.last.0));
    session.stop();
    let said = verify(&table.state()).unwrap().to_string();
    assert!(said.contains("records   201 (1 to 201)") && said.ends_with("\nwhole"), "{said}");
}

#[test]
fn what_is_no_journal_is_said_to_be_none() {
    let table = Table::new();
    let file = table.dir.path().join("text");
    assert!(verify(&file).unwrap_err().to_string().contains("cannot open the journal"));
    std::fs::write(&file, "no database at all, but long enough to be taken for one by somebody who does not look")
        .unwrap();
    let error = verify(&file).unwrap_err().to_string();
    assert!(error.contains("text is no journal") && error.contains("name a state directory"), "{error}");
    // Where the daemon has its journal, the same is a journal that is damaged.
    std::fs::create_dir_all(table.state()).unwrap();
    std::fs::copy(&file, table.journal()).unwrap();
    let report = verify(&table.state()).unwrap();
    assert!(report.to_string().ends_with("NOT WHOLE"), "{report}");
}

/// A copy of the file alone lacks what lies in its log, which is noticed although each of its records is right: a backup has all of it, made while the table plays.
#[test]
fn a_backup_has_what_still_lies_in_the_log() {
    let table = Table::new();
    let (mut session, _) = table.open();
    session.round();
    session.round();
    let copy = table.dir.path().join("copy.sqlite");
    std::fs::copy(table.journal(), &copy).unwrap();
    let report = verify(&copy).unwrap();
    assert!(report.records < session.last.0, "the log is to hold some of it");
    assert!(report.to_string().contains("there is no ") && !report.whole(), "{report}");
    // The same of a directory, whose slot may know of none of them.
    let other = table.dir.path().join("other");
    std::fs::create_dir(&other).unwrap();
    for name in ["journal.sqlite", "slot"] {
        std::fs::copy(table.state().join(name), other.join(name)).unwrap();
    }
    let report = verify(&other).unwrap();
    assert!(report.to_string().contains("`tumblerctl journal backup`") && !report.whole(), "{report}");
    std::fs::copy(table.state().join("journal.sqlite-wal"), table.dir.path().join("copy.sqlite-wal")).unwrap();
    let report = verify(&copy).unwrap();
    assert_eq!((report.records, report.whole()), (session.last.0, true), "{report}");
    let backed_up = table.dir.path().join("backup.sqlite");
    let report = backup(&table.state(), &backed_up).unwrap();
    assert!(report.whole(), "{report}");
    assert_eq!((report.records, report.head), (session.last.0, verify(&table.state()).unwrap().head));
    let error = backup(&table.state(), &backed_up).unwrap_err().to_string();
    assert!(error.contains("exists"), "{error}");
    // Closed in order, by its slot; and by its last record, wherever the file is.
    session.append(vec![Event::Stopped], None);
    session.stop();
    table.assert_whole();
    let alone = table.dir.path().join("alone.sqlite");
    std::fs::copy(table.journal(), &alone).unwrap();
    assert!(verify(&alone).unwrap().whole());
}
