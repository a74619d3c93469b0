//! A board is replaced: another one goes on with the table, its journal and its latches, or says why not.

use super::common::{BOOT, Session, Table, identity, noted};
use std::fs;
use std::path::{Path, PathBuf};
use tumbler_core::latch::Code;
use tumbler_core::record::Event;
use tumbler_core::table::Found;
use tumblerd::journal::{Identity, Journal, JournalError, TakenOver, verify};

const HERE: &str = "new";
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
    assert!(why.contains("taken over by board new"), "{why}");
    let commissioned = Journal::commission(&table.state(), &table.run(), &table.id, BOOT).unwrap_err().to_string();
    assert!(commissioned.contains("taken over"), "{commissioned}");
    // A card of the same image calls itself the same.
    let third = Board::new();
    let why = third.take(&table.state());
    assert!(matches!(why, Err(JournalError::TakenOver { .. })), "{why:?}");
    assert!(!third.state().exists());
    // Nor does it help to move away what was taken over, and to take it once more.
    fs::rename(board.state(), board.dir.path().join("moved")).unwrap();
    let why = board.take(&table.state());
    assert!(matches!(why, Err(JournalError::TakenOver { .. })), "{why:?}");
    fs::rename(board.dir.path().join("moved"), board.state()).unwrap();
    // It comes back by the same way, into a directory of its own.
    assert!(third.take(&board.state()).unwrap().report.whole() && third.open().is_ok() && board.open().is_err());
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
    assert!(matches!(itself, Err(JournalError::Within { .. })), "{itself:?}");
    let inside = Journal::take_over(&table.state(), &table.state().join("b"), &table.run(), &table.id, NEXT_BOOT, HERE);
    assert!(matches!(inside, Err(JournalError::Within { .. })), "{inside:?}");
    // Left by a table that was taken over from here, or by somebody.
    for name in ["taken-over", "incidents"] {
        let used = Board::new();
        fs::create_dir_all(used.state()).unwrap();
        fs::write(used.state().join(name), "0 somebody\n").unwrap();
        assert!(used.refused(&table.state()).contains(&format!("{name} is there already")));
    }
    // The mark cannot be written, as on a full card.
    fs::create_dir(table.state().join("taken-over.new")).unwrap();
    assert!(board.refused(&table.state()).contains("cannot write the mark of the other board"));
    fs::remove_dir(table.state().join("taken-over.new")).unwrap();
    assert!(!board.state().join("taking-over").exists(), "nothing was begun");
    // One that names nobody is no mark of ours.
    fs::write(table.state().join("taken-over"), "").unwrap();
    assert!(board.refused(&table.state()).contains("if no other board has the table, remove that file"));
    fs::remove_file(table.state().join("taken-over")).unwrap();

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
        fs::write(stage.join("number"), "17").unwrap();
        fs::write(stage.join("half"), "a copy that was cut short").unwrap();
        if marked {
            fs::write(table.state().join("taken-over"), "17 new\n").unwrap();
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
        let told = bodies(&board.state()).iter().filter(|body| body.contains("board-replaced")).count();
        assert_eq!(told, 1, "marked {marked}, moved {moved}");
    }
}

/// Links lead out of the directory, and a pipe has no end: they are no part of a table.
#[test]
fn links_and_what_is_no_file_stay_where_they_are_and_are_named() {
    let (table, board) = (blocked(), Board::new());
    nix::unistd::mkfifo(&table.state().join("incidents/pipe"), nix::sys::stat::Mode::S_IRWXU).unwrap();
    std::os::unix::fs::symlink("/etc/shadow", table.state().join("link")).unwrap();
    let said = board.take(&table.state()).unwrap().to_string();
    for name in ["incidents/pipe", "link"] {
        assert!(said.contains(&format!("left where it was: {name}, ")), "{said}");
        assert!(!board.state().join(name).exists());
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
    let said = taken.to_string();
    assert!(!taken.report.whole() && said.contains("DAMAGED: record") && said.contains("table s/t1"), "{said}");
    let (journal, found) = board.open().unwrap();
    assert!(matches!(&found, Found::Bad { reason, .. } if !reason.is_empty()), "{found:?}");
    let mut session = Session::start(journal, &found);
    session.append(noted("goes on"), None);
    session.stop();
}

/// So does one whose journal is gone.
#[test]
fn a_missing_journal_is_told_and_blocks_the_table() {
    let (table, board) = (blocked(), Board::new());
    fs::remove_file(table.journal()).unwrap();
    let said = board.take(&table.state()).unwrap().to_string();
    assert!(said.contains("DAMAGED: the journal is missing"), "{said}");
    assert!(matches!(board.open().unwrap().1, Found::Bad { .. }));
}
