//! A journal compared with the heads that were told, where it is not a table's first one.

use super::common::{Session, Table, noted};
use super::damage::{clone, tamper};
use sha2::{Digest, Sha256};
use std::path::{Path, PathBuf};
use tumbler_core::table::Found;
use tumbler_core::units::Seq;
use tumblerd::history::events::Events;
use tumblerd::journal::{Compared, Reader, Report, compare, verify};
use tumblerd::relay::Outbox;

/// Appends what the table tells of its records in this range to the file that a consumer keeps.
fn tell(table: &Table, range: std::ops::RangeInclusive<u64>) -> PathBuf {
    let file = table.dir.path().join("heads.jsonl");
    let mut lines = std::fs::read_to_string(&file).unwrap_or_default();
    for message in Events::new(Reader::open(&table.state()).unwrap(), "virtual").after(Seq(0), 10_000).unwrap() {
        if range.contains(&message.record.seq.0) {
            lines += &(serde_json::to_string(&message).unwrap() + "\n");
        }
    }
    std::fs::write(&file, lines).unwrap();
    file
}

fn compared(path: &Path, heads: &Path) -> (Compared, Report) {
    let mut report = verify(path).unwrap();
    let compared = compare(path, heads, &mut report).unwrap();
    (compared, report)
}

fn sha(parts: &[&[u8]]) -> Vec<u8> {
    Sha256::digest(parts.concat()).to_vec()
}

/// Writes the whole journal again as `docs/mqtt.md` says: with other numbers, after a journal of which it says what it likes.
fn renumber(journal: &Path, by: u64, after: &str) {
    let connection = rusqlite::Connection::open(journal).unwrap();
    let stream: String =
        connection.query_row("SELECT value FROM meta WHERE key = 'stream'", [], |row| row.get(0)).unwrap();
    drop(connection);
    let first = by + 1;
    tamper(
        journal,
        &format!(
            "UPDATE meta SET value = '{first}' WHERE key = 'first'; UPDATE meta SET value = '{after}' WHERE key = 'after';
             UPDATE record SET body = replace(body, '\"seq\":' || seq || ',', '\"seq\":' || (seq + {by}) || ',');
             UPDATE record SET seq = -seq; UPDATE record SET seq = {by} - seq;"
        ),
    );
    let mut link = sha(&[format!("tumblerd journal\n{stream}\n{first}\n{after}\n").as_bytes()]);
    let connection = rusqlite::Connection::open(journal).unwrap();
    let mut rows = connection
        .prepare(
            "SELECT seq, 'tumblerd record 2' || char(10) || seq || char(10) || at || char(10) || boot || char(10) || wall || char(10)
             || wall_quality || char(10) || coalesce(round, '-') || char(10) || kind || char(10), body, relayed FROM record ORDER BY seq",
        )
        .unwrap();
    let rows = rows
        .query_map([], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?)))
        .unwrap()
        .collect::<Result<Vec<(i64, String, String, i64)>, _>>()
        .unwrap();
    let mut change = String::new();
    for (seq, header, body, relayed) in rows {
        link = sha(&[&link, header.as_bytes(), &sha(&[body.as_bytes()])]);
        let sum = sha(&[&link, format!("tumblerd relayed\n{relayed}\n").as_bytes()]);
        let (hash, sum) = (hex::encode(&link), hex::encode(&sum[..8]));
        change += &format!("UPDATE record SET hash = x'{hash}', cursor_sum = x'{sum}' WHERE seq = {seq};");
    }
    tamper(journal, &change);
}

/// Who can write the disk writes all of it again, numbered so that what was told lies before it, and plays on.
#[test]
fn a_journal_written_again_under_later_numbers_is_not_the_one_that_was_told() {
    let table = Table::new();
    let last = table.play(3).0;
    let heads = tell(&table, 1..=last);
    for after in [None, Some("ab".repeat(32)), Some(head_of(&heads, last)), Some(head_of(&heads, 12))] {
        let forged = clone(&table);
        std::fs::copy(&heads, forged.dir.path().join("heads.jsonl")).unwrap();
        renumber(&forged.journal(), 1000, after.as_deref().unwrap_or("-"));
        // The slot says what the forger wants it to, and with the journal alone nothing is said of it.
        for path in [forged.state(), forged.journal()] {
            let heads = tell(&forged, 1000 + last - 4..=1000 + last);
            let (compared, report) = compared(&path, &heads);
            assert_eq!((compared.found % 5, compared.missing, compared.before), (0, 0, last), "{report}");
            let names_last = after == Some(head_of(&heads, last));
            assert_eq!(compared.follows, after.as_ref().is_some_and(|after| *after != "ab".repeat(32)), "{report}");
            if path == forged.journal() && names_last {
                assert!(report.whole() && compared.unseen == last, "{report}");
                assert!(report.notes.iter().any(|note| note.contains("are not verified")), "{report}");
            } else {
                let lost = report.faults.iter().find(|fault| fault.what.starts_with("not in it: ")).unwrap();
                let from = if path == forged.journal() && compared.unseen > 0 { 13 } else { 1 };
                let what = format!("not in it: {} of the records {from} to {last}, which were told; ", last + 1 - from);
                assert!(lost.what.starts_with(&what), "{report}");
            }
        }
    }
}

fn head_of(heads: &Path, seq: u64) -> String {
    let lines = std::fs::read_to_string(heads).unwrap();
    let mut told = lines.lines().map(|line| serde_json::from_str::<serde_json::Value>(line).unwrap());
    told.find(|told| told["seq"] == seq).unwrap()["head"].as_str().unwrap().to_owned()
}

/// Ends without order, as a power cut does, in the middle of a round: the slot knows an older head than the last one.
fn cut(table: &Table, told: u64) -> (Table, u64) {
    let (mut session, _) = table.open();
    session.round();
    for n in 0..5 {
        session.append(noted(&format!("{n}")), None);
    }
    let last = session.last.0;
    let mut cut = clone(table);
    session.stop();
    tell(&cut, 1..=last - told);
    cut.reboot();
    (cut, last)
}

fn go_on(table: &Table) -> Session {
    let (mut session, found) = table.open();
    assert!(matches!(found, Found::Bad { .. }), "{found:?}");
    session.round();
    session
}

/// Records that were told and records that the broker had yet to be told: where the journal that was set aside has them all, the next
/// one raises no alarm.
#[test]
fn a_journal_after_an_honest_loss_is_compared_with_the_one_that_was_set_aside() {
    for untold in [0, 3, 7] {
        let (table, last) = cut(&Table::new(), untold);
        std::fs::remove_file(table.state().join("slot")).unwrap();
        go_on(&table).stop();
        let heads = tell(&table, last + 1..=u64::MAX);
        let (compared, report) = compared(&table.state(), &heads);
        assert!(report.whole() && compared.follows, "{untold}: {report}");
        assert_eq!((compared.before, compared.aside, compared.lost()), (last - untold, last - untold, 0), "{report}");
        assert!(compared.found > 0 && compared.missing == 0, "{report}");
        // And with a second loss after it: what was told of both lies in two files.
        std::fs::remove_file(table.state().join("slot")).unwrap();
        let so_far = std::fs::read_to_string(&heads).unwrap().lines().count() as u64;
        go_on(&table).stop();
        let heads = tell(&table, 2000..=u64::MAX);
        let (compared, report) = self::compared(&table.state(), &heads);
        assert!(report.whole() && compared.follows && compared.aside == so_far, "{report}");
    }
}

/// What the damage took is said to be lost, and not that the journal is another.
#[test]
fn what_was_told_and_lost_with_damage_is_named() {
    let (table, last) = cut(&Table::new(), 0);
    tamper(&table.journal(), &format!("UPDATE record SET body = body || ' ' WHERE seq = {}", last - 1));
    go_on(&table).stop();
    let heads = tell(&table, last + 1..=u64::MAX);
    let (compared, report) = compared(&table.state(), &heads);
    assert!(compared.follows && compared.lost() == 1, "{report}");
    let what = format!(
        "not in it: 1 of the records {0} to {0}, which were told; nor whole in the one that was set aside: look into journal.sqlite.damaged-1",
        last - 1
    );
    assert_eq!(report.faults.iter().map(|fault| fault.what.clone()).collect::<Vec<_>>(), [what], "{report}");

    // The file that was set aside is gone as well: nothing shows any longer what was told.
    for beside in std::fs::read_dir(table.state()).unwrap().map(|entry| entry.unwrap().path()) {
        if beside.to_string_lossy().contains(".damaged-") {
            std::fs::remove_file(beside).unwrap();
        }
    }
    let (compared, report) = self::compared(&table.state(), &heads);
    assert_eq!(compared.lost(), last, "{report}");
    assert!(report.to_string().contains("they are lost with the one before"), "{report}");
    assert!(report.notes[0].contains("no journal that was set aside lies beside it"), "{report}");
}

/// An audit that began after the loss knows nothing of what was before, and claims nothing.
#[test]
fn heads_of_the_new_journal_alone_prove_it() {
    let (table, last) = cut(&Table::new(), 0);
    std::fs::remove_file(table.journal()).unwrap();
    std::fs::remove_file(table.dir.path().join("heads.jsonl")).unwrap();
    go_on(&table).stop();
    let heads = tell(&table, last + 1..=u64::MAX);
    let (compared, report) = compared(&table.state(), &heads);
    assert!(report.whole() && compared.follows && compared.before == 0 && compared.found > 0, "{report}");
    assert!(report.notes[0].contains("journal.sqlite is missing"), "{report}");
}
