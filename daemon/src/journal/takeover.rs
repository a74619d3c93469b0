//! Taking a table over from the state directory of another board, whose card or Raspberry Pi was replaced.
//!
//! ```text
//!  nothing here --copy, verify, note--> staged --mark: the other board starts no more--> marked --move--> taken over
//!                                         '--no room, no right, another's table: the stage goes--> nothing here
//! ```
//! All that may fail comes before the mark, and leaves the other board as it was. From the mark on the table is here: no daemon starts
//! on either board until it is moved in, which the same command finishes after a kill. The mark has a number that only the
//! stage knows, so that no other board, nor another card of the same image, finishes it or takes the table a second time.

use super::clock::monotonic;
use super::error::JournalError;
use super::inspect::{Marks, inspect};
use super::open::{meta_of, same_table};
use super::places::{Places, make};
use super::run::RunDir;
use super::slot::SlotFile;
use super::stage::{self, Stage};
use super::{Fault, Identity, Job, Journal, Report, verify};
use crate::file;
use crate::random;
use std::fmt;
use std::io::ErrorKind;
use std::path::Path;
use std::sync::mpsc::channel;
use tumbler_core::input::Input;
use tumbler_core::record::{Event, Record, Remark, Standing};
use tumbler_core::table::Found;
use tumbler_core::units::Mono;

/// Most bytes of a host's name.
const LONGEST: u64 = 256;
/// Where a card has the state directory.
const ON_A_CARD: &str = "var/lib/tumblerd";

/// This board, as people know it: by its host's name.
#[must_use]
pub fn board() -> String {
    let name = file::read_text(Path::new("/proc/sys/kernel/hostname"), LONGEST).unwrap_or_default();
    let name = name.trim();
    if name.is_empty() { "without a name".to_owned() } else { name.to_owned() }
}

/// A table that was taken over.
#[derive(Debug)]
pub struct TakenOver {
    /// Site and table.
    pub table: String,
    /// What the verification of its journal found, after the copy.
    pub report: Report,
    /// What the journal says of the table, as far as it can be read.
    pub standing: Standing,
    /// What lay there and was not copied, by name: links and what is no file.
    pub left: Vec<String>,
}

impl fmt::Display for TakenOver {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { table, report, standing, left } = self;
        writeln!(f, "taken over: table {table}, {} records, stream {}", report.records, report.stream)?;
        for fault in &report.faults {
            writeln!(f, "DAMAGED: {fault}; the daemon sets the journal aside at its start and blocks the table")?;
        }
        for latched in &standing.latched {
            writeln!(f, "latched, and stays so: {} ({})", latched.code.name(), latched.cause)?;
        }
        if let Some(round) = &standing.round {
            writeln!(f, "round {} was in progress: at the start it ends as any interrupted round does", round.id.0)?;
        }
        for name in left {
            writeln!(f, "left where it was: {name}, which is a link or no file")?;
        }
        write!(f, "start tumblerd and open the table: permission to play does not go from board to board")
    }
}

impl Journal {
    /// Takes over the table that lies in the state directory `from`: journal, slot, and whatever was set aside or recorded there.
    /// `from` is marked, so that its board does not start as the same table any more. `board` names this one to people. A damaged
    /// journal is taken as it is: the daemon sets it aside at its start and blocks the table.
    ///
    /// # Errors
    /// There is no table in `from`, or another one than configured; it was taken over already; a daemon runs on either of them; there
    /// is a table here; something cannot be read or written. Nothing was changed then, but where [`JournalError::TakingOver`] says so.
    pub fn take_over(
        from: &Path,
        state_dir: &Path,
        run_dir: &Path,
        id: &Identity,
        boot: &str,
        board: &str,
    ) -> Result<TakenOver, JournalError> {
        let (old, new) = (Places::new(from), Places::new(state_dir));
        if old.anything().is_none() {
            let on_card = Some(from.join(ON_A_CARD)).filter(|dir| dir.is_dir());
            return Err(JournalError::NoTable { dir: from.to_owned(), on_card });
        }
        apart(from, state_dir)?;
        let mark = old.mark_found()?;
        if let Some(mark) = mark.as_ref().filter(|mark| stage::number(&new.stage()).as_ref() != Some(&mark.number)) {
            return Err(JournalError::TakenOver { dir: from.to_owned(), by: mark.by.clone() });
        }
        if let Some(there) = new.anything_at_all() {
            return Err(JournalError::TableHere { there });
        }
        whose(&old, id)?;
        make(state_dir).map_err(JournalError::io("create the state directory", state_dir))?;
        new.may_be_written(run_dir)?;
        let _lock = new.lock()?;
        old.may_be_written(run_dir)?;
        let _of_old = old.lock().map_err(|error| match error {
            JournalError::Io { error, .. } if error.kind() == ErrorKind::ReadOnlyFilesystem => {
                JournalError::ReadOnly { dir: from.to_owned() }
            }
            other => other,
        })?;

        let number = mark.map_or_else(new_number, |mark| Ok(mark.number))?;
        let stage = Stage::begin(&new, &number)?;
        let staged = stage.fill(&old).and_then(|left| {
            let taken = look(stage.dir(), id, left)?;
            if taken.report.whole() {
                note(&stage, id, boot, board)?;
            }
            RunDir::new(run_dir, boot, "")?.revoke()?;
            old.mark_for(&number, board)?;
            Ok(taken)
        });
        match staged {
            Ok(taken) => stage.move_in(&new).map(|()| taken),
            // Marked before, or just now: only what was begun can be finished.
            Err(error) if old.mark_found()?.is_some() => {
                tracing::error!("{error}");
                Err(JournalError::TakingOver(state_dir.to_owned()))
            }
            Err(error) => {
                stage.give_up()?;
                Err(error)
            }
        }
    }
}

/// The number of a mark: 128 random bits.
fn new_number() -> Result<String, JournalError> {
    random::word().map_err(JournalError::io("read random numbers", Path::new("/dev/urandom")))
}

/// Neither directory may lie in the other one.
fn apart(from: &Path, state_dir: &Path) -> Result<(), JournalError> {
    let whole = |path: &Path| path.canonicalize().or_else(|_| std::path::absolute(path));
    let from_whole = whole(from).map_err(JournalError::io("find", from))?;
    let here = whole(state_dir).map_err(JournalError::io("find", state_dir))?;
    if from_whole.starts_with(&here) || here.starts_with(&from_whole) {
        return Err(JournalError::Within { from: from.to_owned(), state_dir: state_dir.to_owned() });
    }
    Ok(())
}

/// Refuses another table than the configured one. One of which nothing can be read is whoever's the person says it is.
fn whose(old: &Places, id: &Identity) -> Result<(), JournalError> {
    match SlotFile::read(&old.slot) {
        Ok(Some(slot)) => return same_table(&old.dir, &slot.identity(), id),
        Ok(None) | Err(JournalError::Damaged { .. }) => {}
        Err(error) => return Err(error),
    }
    let found = inspect(&old.journal, &Marks::default())?;
    meta_of(&found).map_or(Ok(()), |meta| same_table(&old.dir, &meta.identity, id))
}

/// What was copied into the stage.
fn look(stage: &Path, id: &Identity, left: Vec<String>) -> Result<TakenOver, JournalError> {
    let journal = Places::new(stage).journal;
    let report = match verify(stage) {
        // The daemon begins another one, and blocks the table, as it would have on the board before.
        Err(JournalError::Missing { .. }) => {
            let what = "the journal is missing".to_owned();
            Report { faults: vec![Fault { seq: None, what }], ..Report::default() }
        }
        found => found?,
    };
    let standing = inspect(&journal, &Marks::default())?.map_or_else(|wreck| wreck.standing, |tail| tail.standing);
    Ok(TakenOver { table: format!("{}/{}", id.site, id.table), report, standing, left })
}

/// The journal says itself that another board goes on with it.
fn note(stage: &Stage, id: &Identity, boot: &str, board: &str) -> Result<(), JournalError> {
    let (journal, found) = Journal::open(stage.dir(), &stage.run_dir(), id, boot)?;
    // One that is bad after all says so to the daemon.
    let Found::Good { last, relayed, .. } = found else { return Ok(()) };
    let event = Event::noted(Remark::BoardReplaced, format!("taken over by board {board}"));
    let record = Record::plain(last.next(), Mono(monotonic()), None, event);
    let (tell, told) = channel();
    let (appender, writer) = journal.spawn(move |input| {
        // Who asks reads all that was told once the writer has ended.
        let _read_to_the_end = tell.send(input);
    })?;
    let refused = appender.append(Job { records: vec![record], relayed, permit: None }).err();
    writer.stop()?;
    let failed = refused.into_iter().chain(told.try_iter()).find_map(|input| match input {
        Input::JournalFailed { reason } => Some(reason),
        _ => None,
    });
    let write = JournalError::io("write the record into the journal in", stage.dir());
    failed.map_or(Ok(()), |reason| Err(write(std::io::Error::other(reason))))
}
