//! A board is replaced: another one goes on with the table, its journal and its latches, or says why not.

use crate::common::{BOOT, Session, Table, identity, noted};
use std::fs;
use std::path::{Path, PathBuf};
use tumbler_core::latch::Code;
use tumbler_core::record::Event;
use tumbler_core::table::Found;
use tumblerd::journal::{Identity, Journal, JournalError, TakenOver, verify};

const HERE: &str = "00000000000000ab new";
const OTHER: &str = "00000000000000cd other";
const NEXT_BOOT: &str = "99999999-2222-3333-4444-555555555555";

/// The directories of the new board.
struct Board {
    dir: tempfile::TempDir,
    id: Identity,
}

impl Board {
    fn new() -> Self {
        Self { dir: tempfile::tempdir().unwrap(), id: identity("t1") }
    }
    fn state(&self) -> PathBuf {
        self.dir.path().join("state")
    }
    fn run(&self) -> PathBuf {
        self.dir.path().join("run")
    }
    fn take(&self, from: &Path) -> Result<TakenOver, JournalError> {
        Journal::take_over(from, &self.state(), &self.run(), &self.id, NEXT_BOOT, HERE)
    }
    fn refused(&self, from: &Path) -> String {
        self.take(from).unwrap_err().to_string()
    }
    fn open(&self) -> Result<(Journal, Found), JournalError> {
        Journal::open(&self.state(), &self.run(), &self.id, NEXT_BOOT)
    }
}

/// A table that has played, is blocked, holds permission to play, and stopped in the middle of a round.
fn blocked() -> Table {
    let table = Table::new();
    let (mut session, _) = table.open();
    session.round();
    session.append(vec![Event::Opened { by: "A".into() }], Some(true));
    let latched = Event::Latched { code: Code::Terminal, cause: "no answer".into(), in_spin: false };
    session.append(vec![latched], None);
    session.round += 1;
    session.append(vec![Event::RoundBegan { rules: "nz-div9".into(), layout: "nz-div9-1".into() }], None);
    session.stop();
    fs::create_dir(table.state().join("incidents")).unwrap();
    fs::write(table.state().join("incidents/000001-terminal.jsonl.zst"), "recorded").unwrap();
    table
}

fn bodies(state: &Path) -> Vec<String> {
    let reader = tumblerd::journal::Reader::open(state).unwrap();
    let all = reader.after(tumbler_core::units::Seq(0), usize::MAX).unwrap();
    all.into_iter().map(|stored| stored.body).collect()
}

#[test]
fn another_board_goes_on_with_journal_latch_and_round_and_without_permission() {
    let (table, board) = (blocked(), Board::new());
    let before = table.bodies();
    let taken = board.take(&table.state()).unwrap();
    let said = taken.to_string();
    for part in ["table s/t1", "terminal (no answer)", "round 3 was in progress", "does not go from board to board"] {
        assert!(said.contains(part), "{part}: {said}");
    }
    let report = verify(&board.state()).unwrap();
    assert!(report.whole(), "{report}");
    let after = bodies(&board.state());
    assert_eq!(after[..before.len()], before[..]);
    let last = after.last().unwrap();
    assert!(after.len() == before.len() + 1 && last.contains("board-replaced") && last.contains(HERE), "{last}");
    let incident = fs::read_to_string(board.state().join("incidents/000001-terminal.jsonl.zst")).unwrap();
    assert_eq!(incident, "recorded");
    let Found::Good { standing, permit, .. } = board.open().unwrap().1 else { panic!("a whole journal is good") };
    assert!(!permit);
    assert_eq!(standing.latched.iter().map(|m| m.code).collect::<Vec<_>>(), [Code::Terminal]);
    assert_eq!(standing.round.map(|round| round.id.0), Some(3));
}

/// Two boards with one table would tell two stories of it.
#[test]
fn the_board_before_starts_no_more_and_nobody_else_takes_its_table() {
    let (table, board) = (blocked(), Board::new());
    board.take(&table.state()).unwrap();
    let why = table.try_open().unwrap_err().to_string();
    assert!(why.contains("taken over by board 00000000000000ab new"), "{why}");
    let commissioned = Journal::commission(&table.state(), &table.run(), &table.id, BOOT).unwrap_err().to_string();
    assert!(commissioned.contains("taken over"), "{commissioned}");
    let third = Board::new();
    let why = Journal::take_over(&table.state(), &third.state(), &third.run(), &third.id, NEXT_BOOT, OTHER);
    assert!(matches!(why, Err(JournalError::TakenOver { .. })), "{why:?}");
    assert!(!third.state().join("journal.sqlite").exists());
    // It comes back by the same way, into a directory of its own.
    let back = Board::new();
    let again = Journal::take_over(&board.state(), &back.state(), &back.run(), &back.id, NEXT_BOOT, OTHER).unwrap();
    assert!(again.report.whole() && back.open().is_ok() && board.open().is_err());
}

#[test]
fn what_may_not_be_taken_over_is_refused_and_left_as_it_is() {
    let (table, board) = (blocked(), Board::new());
    let before = table.bodies();

    let empty = tempfile::tempdir().unwrap();
    assert!(board.refused(empty.path()).contains("name the state directory of the other board"));
    fs::create_dir_all(empty.path().join("var/lib/tumblerd")).unwrap();
    let why = board.refused(empty.path());
    assert!(why.contains(&format!("did you mean {}/var/lib/tumblerd?", empty.path().display())), "{why}");

    let other = Board { id: identity("t2"), ..Board::new() };
    let why = other.refused(&table.state());
    assert!(why.contains("s/t1") && why.contains("s/t2"), "{why}");
    let real = Identity { backend: "cdev".into(), ..identity("t1") };
    assert!(Board { id: real, ..Board::new() }.refused(&table.state()).contains("virtual"));

    let (session, _) = table.open();
    assert!(board.refused(&table.state()).contains("in use by another tumblerd"));
    session.stop();

    let full = Table::new();
    let why = Journal::take_over(&table.state(), &full.state(), &full.run(), &full.id, NEXT_BOOT, HERE).unwrap_err();
    assert!(why.to_string().contains("is there already"), "{why}");
    assert_eq!(full.bodies().len(), 1);
    let itself = Journal::take_over(&table.state(), &table.state(), &table.run(), &table.id, NEXT_BOOT, HERE);
    assert!(matches!(itself, Err(JournalError::TableHere { .. })), "{itself:?}");

    assert_eq!(table.bodies(), before);
    assert!(table.try_open().is_ok(), "nobody took it");
}

/// A kill between any two steps: no daemon starts on what is half there, and the same command again finishes it.
#[test]
fn what_was_cut_short_starts_nowhere_and_is_finished_by_asking_again() {
    for (marked, moved) in [(false, false), (true, false), (true, true)] {
        let (table, board) = (blocked(), Board::new());
        let stage = board.state().join("taking-over");
        fs::create_dir_all(&stage).unwrap();
        fs::write(stage.join("half"), "a copy that was cut short").unwrap();
        if marked {
            fs::write(table.state().join("taken-over"), format!("{HERE}\n")).unwrap();
        }
        if moved {
            fs::copy(table.journal(), board.state().join("journal.sqlite")).unwrap();
            fs::create_dir(board.state().join("incidents")).unwrap();
        }
        let why = board.open().unwrap_err();
        assert!(matches!(why, JournalError::TakingOver(_)), "{why}");
        assert_eq!(table.try_open().is_err(), marked);
        assert!(board.take(&table.state()).unwrap().report.whole());
        assert!(board.open().is_ok() && !stage.exists() && !board.state().join("half").exists());
    }
}

/// A damaged journal goes along as the evidence it is, and blocks the table as it would have on the board before.
#[test]
fn a_damaged_journal_is_taken_over_and_blocks_the_table() {
    let (table, board) = (blocked(), Board::new());
    let mut bytes = fs::read(table.journal()).unwrap();
    let at = bytes.windows(9).position(|part| part == b"no answer").unwrap();
    bytes[at] = b'N';
    fs::write(table.journal(), bytes).unwrap();
    let taken = board.take(&table.state()).unwrap();
    assert!(!taken.report.whole() && taken.to_string().contains("DAMAGED: record"), "{taken}");
    let (journal, found) = board.open().unwrap();
    assert!(matches!(&found, Found::Bad { reason, .. } if !reason.is_empty()), "{found:?}");
    let mut session = Session::start(journal, &found);
    session.append(noted("goes on"), None);
    session.stop();
}
