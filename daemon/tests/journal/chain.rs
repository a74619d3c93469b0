//! The chain as strangers reckon it from what the broker is told, and damage to any byte that it covers.

use super::common::{Table, noted};
use super::damage::{clone, tamper};
use crate::consumer::Consumer;
use crate::old;
use proptest::prelude::*;
use rusqlite::Connection;
use std::path::Path;
use tumbler_core::table::Found;
use tumbler_core::units::Seq;
use tumbler_core::wire::topics::EventMessage;
use tumblerd::history::events::Events;
use tumblerd::journal::{Identity, Journal, Reader, export, verify};
use tumblerd::relay::Outbox;

/// What the relay is given to tell.
fn told(state: &Path) -> Vec<EventMessage> {
    Events::new(Reader::open(state).unwrap(), "virtual").after(Seq(0), 10_000).unwrap()
}

/// Takes all messages as the broker gets them.
fn reckon(consumer: &mut Consumer, messages: &[EventMessage]) {
    for message in messages {
        consumer.take(&serde_json::to_string(message).unwrap()).unwrap();
    }
}

#[test]
fn the_chain_is_reckoned_from_messages_alone() {
    let table = Table::new();
    table.play(3);
    let messages = told(&table.state());
    let mut consumer = Consumer::default();
    reckon(&mut consumer, &messages);
    assert_eq!(consumer.proved, 31);
    // Read in pieces, as the relay does, the pieces join.
    let mut events = Events::new(Reader::open(&table.state()).unwrap(), "virtual");
    for after in 0..31 {
        assert_eq!(events.after(Seq(after), 2).unwrap()[0], messages[usize::try_from(after).unwrap()]);
    }
}

/// However many records are told without what they say, the chain is proved to its end.
#[test]
fn short_forms_prove_their_place() {
    let table = Table::new();
    table.play(1);
    let messages = told(&table.state());
    let mut consumer = Consumer::default();
    for message in &messages {
        let short = message.record.seq.0 % 3 != 0;
        let payload = if short { serde_json::to_string(&message.short()) } else { serde_json::to_string(message) };
        consumer.take(&payload.unwrap()).unwrap();
    }
    assert_eq!((consumer.proved, consumer.short.len()), (11, 8));
    // A record in short form whose place is another is found by itself; one that is left out, by the next.
    let mut moved = messages[4].short();
    moved.chain.previous.clone_from(&messages[4].chain.link);
    assert!(Consumer::default().take(&serde_json::to_string(&moved).unwrap()).is_err());
    let mut consumer = Consumer::default();
    reckon(&mut consumer, &messages[..3]);
    assert!(consumer.take(&serde_json::to_string(&messages[4]).unwrap()).is_err());
}

/// A journal begun again says which link of the one before it goes on after.
#[test]
fn a_journal_begun_anew_has_another_genesis_that_names_a_link_told_before() {
    let table = Table::new();
    table.play(2);
    let before = told(&table.state());
    tamper(&table.journal(), "UPDATE record SET body = replace(body, 'e', 'o') WHERE seq = 20");
    table.play(1);
    let after = told(&table.state());
    let mut consumer = Consumer::default();
    reckon(&mut consumer, &before);
    reckon(&mut consumer, &after);
    assert_eq!(consumer.proved, before.len() + after.len());
    let chain = &after[0].chain;
    assert_eq!((chain.first, &chain.previous), (after[0].record.seq, &chain.genesis));
    assert_ne!(chain.genesis, before[0].chain.genesis);
    let named = chain.after.as_ref().unwrap();
    assert!(before.iter().any(|message| message.chain.link == *named), "{named}");
}

/// The relay's cursor is the table's own affair: two tables that differ in nothing else have the same chain.
#[test]
fn the_relays_cursor_is_not_in_the_chain() {
    let table = Table::new();
    table.play(1);
    let heads = |table: &Table| told(&table.state()).into_iter().map(|message| message.head).collect::<Vec<_>>();
    let other = clone(&table);
    tamper(&other.journal(), "UPDATE record SET relayed = relayed + 1 WHERE seq = 5");
    assert_eq!(heads(&table), heads(&other));
    let report = verify(&other.state()).unwrap();
    assert_eq!(report.faults.len(), 1, "{report}");
    assert!(report.faults[0].what.contains("the relay's cursor beside it"), "{report}");
}

#[test]
fn a_journal_of_0_1_is_read_and_verified_as_it_lies() {
    let dir = tempfile::tempdir().unwrap();
    old::lay(dir.path());
    let bytes = std::fs::read(dir.path().join("journal.sqlite")).unwrap();
    let report = verify(dir.path()).unwrap();
    assert!(report.whole(), "{report}");
    assert_eq!((report.records, report.old(), report.head.as_str()), (old::LAST, old::LAST, old::HEAD));
    assert!(report.to_string().contains("format 1  54 records, as tumblerd 0.1 wrote them"), "{report}");

    let mut out = Vec::new();
    assert_eq!(export(dir.path(), &mut out, 1..=u64::MAX).unwrap(), old::LAST);
    let exported = String::from_utf8(out).unwrap().replace("{\"v\":1,\"format\":1,", "{\"v\":1,");
    assert_eq!(exported, std::fs::read_to_string(old::file("export.jsonl")).unwrap());

    let rounds = Reader::open(dir.path()).unwrap().rounds(10).unwrap();
    assert!(rounds.iter().any(|round| round.settled && round.round.0 == 1), "{rounds:?}");
    let mut consumer = Consumer::default();
    reckon(&mut consumer, &told(dir.path()));
    assert_eq!(consumer.proved, 54);
    assert_eq!(std::fs::read(dir.path().join("journal.sqlite")).unwrap(), bytes, "reading changes nothing");
}

#[test]
fn a_journal_of_0_1_is_continued() {
    let dir = tempfile::tempdir().unwrap();
    let id = Identity { site: "s".into(), table: "t".into(), backend: "virtual".into() };
    let table = Table { dir, id, boot: "22222222-2222-3333-4444-555555555555".into() };
    old::lay(&table.state());
    std::fs::create_dir_all(table.run()).unwrap();
    let before = told(&table.state());
    let (mut session, found) = table.open();
    assert!(matches!(&found, Found::Good { last: Seq(old::LAST), .. }), "{found:?}");
    session.append(noted("the first of format 2"), None);
    session.round();
    session.stop();

    let report = verify(&table.state()).unwrap();
    assert!(report.whole(), "{report}");
    assert_eq!(report.formats.into_iter().collect::<Vec<_>>(), [(1, 54), (2, 11)]);
    let messages = told(&table.state());
    assert_eq!(messages[..54], before, "what 0.1 wrote stays");
    let first = &messages[54].chain;
    assert_eq!((first.format, first.previous.as_str()), (2, old::HEAD));
    let mut consumer = Consumer::default();
    reckon(&mut consumer, &messages);
    assert_eq!(consumer.proved, 65);
    assert!(matches!(table.found(), Found::Good { .. }));
}

/// Rows of both formats, so that a change is looked for in both.
fn mixed() -> Table {
    let id = Identity { site: "s".into(), table: "t".into(), backend: "virtual".into() };
    let table = Table { dir: tempfile::tempdir().unwrap(), id, boot: super::common::BOOT.into() };
    old::lay(&table.state());
    std::fs::create_dir_all(table.run()).unwrap();
    let (mut session, _) = table.open();
    for _ in 0..5 {
        session.round();
    }
    session.stop();
    table
}

/// What lies in a column, with one byte of it changed; numbers as their bytes.
fn changed(journal: &Path, column: &str, seq: u64, at: usize, bit: u8) -> Option<String> {
    let connection = Connection::open(journal).unwrap();
    let (kind, mut bytes): (String, Option<Vec<u8>>) = connection
        .query_row(
            &format!("SELECT typeof({column}), CAST({column} AS BLOB) FROM record WHERE seq = {seq}"),
            [],
            |row| Ok((row.get(0)?, row.get(1)?)),
        )
        .unwrap();
    let bytes = bytes.as_mut()?;
    let at = at % bytes.len();
    // Digits stay digits, and text stays text.
    bytes[at] ^= if kind == "integer" { 1 } else { 1 << (bit % 7) };
    let literal = hex::encode(bytes);
    Some(match kind.as_str() {
        "integer" => format!("CAST(CAST(x'{literal}' AS TEXT) AS INTEGER)"),
        "text" => format!("CAST(x'{literal}' AS TEXT)"),
        _ => format!("x'{literal}'"),
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, ..ProptestConfig::default() })]

    /// Whichever byte of header, body, link or cursor is changed in whichever row: verifying names that row.
    #[test]
    fn any_changed_byte_is_found(
        column in prop::sample::select(vec![
            "at", "wall", "wall_quality", "boot", "round", "relayed", "kind", "body", "hash", "format", "cursor_sum",
        ]),
        seq in 1_u64..=104,
        at in 0_usize..4096,
        bit in 0_u8..7,
    ) {
        thread_local!(static MIXED: Table = mixed());
        let table = MIXED.with(clone);
        let Some(value) = changed(&table.journal(), column, seq, at, bit) else { return Ok(()) };
        tamper(&table.journal(), &format!("UPDATE record SET {column} = {value} WHERE seq = {seq}"));
        let report = verify(&table.state()).unwrap();
        prop_assert!(report.faults.first().is_some_and(|fault| fault.seq == Some(seq)), "{} in {}: {}", column, seq, report);
    }
}

/// A row may not say of itself that it is of a format that hides what it is.
#[test]
fn an_unknown_format_is_named() {
    let table = Table::new();
    table.play(1);
    tamper(&table.journal(), "UPDATE record SET format = 3 WHERE seq = 4");
    let report = verify(&table.state()).unwrap();
    assert_eq!(report.faults[0].what, "record 4 says that its format is 3, which never was", "{report}");
    assert!(matches!(table.found(), Found::Bad { .. }));
    assert!(Journal::open(&table.state(), &table.run(), &table.id, &table.boot).is_ok());
}
