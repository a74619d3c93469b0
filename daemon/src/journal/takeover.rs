//! Taking a table over from the state directory of another board, whose card or Raspberry Pi was replaced.
//!
//! ```text
//!  nothing here --copy--> staged --mark: the other board starts no more--> marked --move--> moved --note--> taken over
//! ```
//! A kill at any point loses nothing, and leaves no table on two boards. While the stage is there no daemon starts here, and
//! whoever asks again begins with a fresh copy. The mark names the board that took the table, so that it alone may finish.

use super::error::JournalError;
use super::inspect::{Marks, inspect};
use super::open::same_table;
use super::places::{Places, make};
use super::run::RunDir;
use super::slot::SlotFile;
use super::{Identity, Job, Journal, Report, verify};
use crate::file;
use sha2::{Digest, Sha256};
use std::fmt;
use std::fs::{self, File};
use std::io::{ErrorKind, Write};
use std::path::Path;
use tumbler_core::record::{Event, Record, Remark, Standing};
use tumbler_core::table::Found;
use tumbler_core::units::{Mono, Seq};

/// Most bytes of a file that names this machine.
const LONGEST: u64 = 4096;
/// Where a card has the state directory.
const ON_A_CARD: &str = "var/lib/tumblerd";

/// This board, as the mark and the journal name it: a hash of the machine's id, and the host's name for people. The machine's id itself
/// is not to be told (machine-id(5)).
///
/// # Errors
/// The machine has no id.
pub fn board() -> std::io::Result<String> {
    let id = file::read_text(Path::new("/etc/machine-id"), LONGEST)?;
    let hash = Sha256::new().chain_update("tumblerd board\n").chain_update(id.trim()).finalize();
    let host = file::read_text(Path::new("/proc/sys/kernel/hostname"), LONGEST).unwrap_or_default();
    let name = hash.get(..8).map(hex::encode).unwrap_or_default();
    Ok(format!("{name} {}", host.trim()).trim_end().to_owned())
}

/// Whether two names are of one board: its host may have got another name meanwhile.
fn is_same(board: &str, other: &str) -> bool {
    board.split(' ').next() == other.split(' ').next()
}

/// A table that was taken over.
#[derive(Debug)]
pub struct TakenOver {
    /// What the verification of its journal found, after the copy.
    pub report: Report,
    /// What the journal says of the table, as far as it can be read.
    pub standing: Standing,
}

impl fmt::Display for TakenOver {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { report, standing } = self;
        let (site, table) = (&standing.site, &standing.table);
        writeln!(f, "taken over: table {site}/{table}, {} records, stream {}", report.records, report.stream)?;
        for fault in &report.faults {
            writeln!(f, "DAMAGED: {fault}; the daemon sets the journal aside at its start and blocks the table")?;
        }
        for latched in &standing.latched {
            writeln!(f, "latched, and stays so: {} ({})", latched.code.name(), latched.cause)?;
        }
        if let Some(round) = &standing.round {
            writeln!(f, "round {} was in progress: at the start it ends as any interrupted round does", round.id.0)?;
        }
        write!(f, "start tumblerd and open the table: permission to play does not go from board to board")
    }
}

impl Journal {
    /// Takes over the table that lies in the state directory `from`: journal, slot, and whatever was set aside or recorded there.
    /// `from` is marked, so that its board does not start as the same table any more. `board` names this one, to people and to
    /// the mark. A damaged journal is taken as it is: the daemon sets it aside at its start and blocks the table.
    ///
    /// # Errors
    /// There is no table in `from`, or another one than configured; another board took it over; a daemon runs on either of them; there
    /// is a table here already; something cannot be read or written.
    pub fn take_over(
        from: &Path,
        state_dir: &Path,
        run_dir: &Path,
        id: &Identity,
        boot: &str,
        board: &str,
    ) -> Result<TakenOver, JournalError> {
        let old = Places::new(from);
        if old.anything().is_none() {
            let on_card = Some(from.join(ON_A_CARD)).filter(|dir| dir.is_dir());
            return Err(JournalError::NoTable { dir: from.to_owned(), on_card });
        }
        make(state_dir).map_err(JournalError::io("create the state directory", state_dir))?;
        let new = Places::new(state_dir);
        new.may_be_written(run_dir)?;
        let lock = new.lock()?;
        let stage = new.stage();
        if let Some(there) = new.anything().filter(|_| !stage.exists()) {
            return Err(JournalError::TableHere { there });
        }
        old.may_be_written(run_dir)?;
        let _of_old = old.lock().map_err(|error| match error {
            JournalError::Io { error, .. } if error.kind() == ErrorKind::ReadOnlyFilesystem => {
                JournalError::ReadOnly { dir: from.to_owned() }
            }
            other => other,
        })?;
        if let Some(other) = old.taken_by()?.filter(|other| !is_same(other, board)) {
            return Err(JournalError::TakenOver { dir: from.to_owned(), by: other });
        }
        whose(&old, id)?;

        if stage.exists() {
            fs::remove_dir_all(&stage).map_err(JournalError::io("remove", &stage))?;
        }
        copy(&old, from, &stage)?;
        new.sync()?;
        mark(&old, board)?;
        move_in(&stage, &new)?;

        let found = verify(state_dir);
        RunDir::new(run_dir, boot, "")?.revoke()?;
        drop(lock);
        let report = found?;
        let standing =
            inspect(&new.journal, &Marks::default())?.map_or_else(|wreck| wreck.standing, |tail| tail.standing);
        if report.whole() {
            note(state_dir, run_dir, id, boot, board)?;
        }
        Ok(TakenOver { report, standing })
    }
}

/// Refuses another table than the configured one. One of which nothing can be read is whoever's the person says it is.
fn whose(old: &Places, id: &Identity) -> Result<(), JournalError> {
    match SlotFile::read(&old.slot) {
        Ok(Some(slot)) => return same_table(&old.dir, &slot.identity(), id),
        Ok(None) | Err(JournalError::Damaged { .. }) => {}
        Err(error) => return Err(error),
    }
    let found = inspect(&old.journal, &Marks::default())?;
    let meta = found.map_or_else(|wreck| wreck.meta, |tail| Some(tail.meta));
    meta.map_or(Ok(()), |meta| same_table(&old.dir, &meta.identity, id))
}

/// Copies what is in the directory, durably, but for what belongs to that board alone.
fn copy(old: &Places, from: &Path, to: &Path) -> Result<(), JournalError> {
    make(to).map_err(JournalError::io("create", to))?;
    for entry in fs::read_dir(from).map_err(JournalError::io("list", from))? {
        let entry = entry.map_err(JournalError::io("list", from))?;
        let (path, target) = (entry.path(), to.join(entry.file_name()));
        let kind = entry.file_type().map_err(JournalError::io("look at", &path))?;
        if old.is_of_the_board(&path) {
            continue;
        } else if kind.is_dir() {
            copy(old, &path, &target)?;
        } else {
            let copied = file::open(&path).and_then(|mut source| {
                let mut target = File::create_new(&target)?;
                std::io::copy(&mut source, &mut target)?;
                target.sync_all()
            });
            copied.map_err(JournalError::io("copy", &path))?;
        }
    }
    sync(to)
}

fn sync(dir: &Path) -> Result<(), JournalError> {
    File::open(dir).and_then(|dir| dir.sync_all()).map_err(JournalError::io("write the directory", dir))
}

/// From here on the other board does not start any more.
fn mark(old: &Places, board: &str) -> Result<(), JournalError> {
    let path = old.mark();
    let written = File::create(&path).and_then(|mut mark| {
        writeln!(mark, "{board}")?;
        mark.sync_all()
    });
    written.map_err(JournalError::io("write", &path))?;
    old.sync()
}

/// Everything out of the stage, which goes last.
fn move_in(stage: &Path, new: &Places) -> Result<(), JournalError> {
    for entry in fs::read_dir(stage).map_err(JournalError::io("list", stage))? {
        let path = entry.map_err(JournalError::io("list", stage))?.path();
        let target = new.dir.join(path.file_name().unwrap_or_default());
        // Of an attempt that was cut short.
        if target.is_dir() {
            fs::remove_dir_all(&target).map_err(JournalError::io("remove", &target))?;
        }
        fs::rename(&path, &target).map_err(JournalError::io("rename", &path))?;
    }
    new.sync()?;
    fs::remove_dir(stage).map_err(JournalError::io("remove", stage))?;
    new.sync()
}

/// The journal says itself that another board goes on with it.
fn note(state_dir: &Path, run_dir: &Path, id: &Identity, boot: &str, board: &str) -> Result<(), JournalError> {
    let (journal, found) = Journal::open(state_dir, run_dir, id, boot)?;
    // One that is bad after all says so to the daemon.
    let Found::Good { last, relayed, .. } = found else { return Ok(()) };
    let event = Event::noted(Remark::BoardReplaced, format!("taken over by board {board}"));
    let at = Mono(super::clock::monotonic());
    let record = Record { seq: last.next(), at, round: None, clauses: Vec::new(), event };
    let (appender, writer) = journal.spawn(|_| {})?;
    let job = Job { records: vec![record], relayed: Seq(relayed.0), permit: None };
    // What is not taken is found missing by nobody: the journal is whole without it, and the writer says why at its stop.
    let _refused = appender.append(job);
    writer.stop()
}
