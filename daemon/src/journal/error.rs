//! Why a journal cannot be used, in words that say what to do.

use std::io;
use std::path::{Path, PathBuf};

/// Why a journal cannot be used at all. Damage is not among these: a damaged journal is set aside and the table blocked.
#[derive(Debug, thiserror::Error)]
pub enum JournalError {
    /// Nothing was ever set up here.
    #[error("{0} holds no journal: this table has not been commissioned; run `tumblerd --commission` once")]
    NotCommissioned(PathBuf),
    /// Something is here already.
    #[error("{0} is there already: a table is commissioned once; use an empty state directory for a new table")]
    Commissioned(PathBuf),
    /// The directory to take a table over from has none.
    #[error(
        "{dir} holds no table's journal, nothing was changed; {}", match on_card {
            Some(there) => format!("did you mean {}?", there.display()),
            None => "name the state directory of the other board: var/lib/tumblerd on its card, where that is mounted".into(),
        }
    )]
    NoTable {
        /// The directory.
        dir: PathBuf,
        /// Where in it one may be, if it is a whole card.
        on_card: Option<PathBuf>,
    },
    /// The directory to take a table over from cannot be marked.
    #[error(
        "{dir} is mounted read-only, nothing was changed: the other board is to be marked, so that the table is not on two; mount it to be \
         written, or, if it no longer can be, take a copy of the directory over and destroy that card"
    )]
    ReadOnly {
        /// The directory.
        dir: PathBuf,
    },
    /// A table is taken over by a board that has none.
    #[error(
        "{there} is there already, nothing was changed: a table is taken over by a board that has none. What lies there is \
         somebody's record: `tumblerctl journal verify` says whose; set it aside, and delete nothing"
    )]
    TableHere {
        /// What is there.
        there: PathBuf,
    },
    /// The table that was here is on another board now.
    #[error(
        "{dir}: this table was taken over by board {by}, and goes on there; a table is never on two boards. To bring it back, take it \
         over from that board with an empty state directory here"
    )]
    TakenOver {
        /// The state directory.
        dir: PathBuf,
        /// The other board.
        by: String,
    },
    /// Both directories are one, or one lies in the other.
    #[error(
        "{from} and {state_dir} lie in one another, nothing was changed: a table is taken over from another board's directory"
    )]
    Within {
        /// The directory to take a table over from.
        from: PathBuf,
        /// The state directory.
        state_dir: PathBuf,
    },
    /// A mark that names no board.
    #[error(
        "{path} should name the board that took this table over: {why}; nothing was changed; if no other board has the table, remove that file"
    )]
    NoMark {
        /// The mark.
        path: PathBuf,
        /// What is wrong with it.
        why: String,
    },
    /// A table was not taken over to the end.
    #[error(
        "{0}: a table is being taken over into it, and that has not ended; make room there if there is none, and the same \
         `tumblerd take-over DIRECTORY` again finishes it"
    )]
    TakingOver(PathBuf),
    /// A journal of real wires and virtual ones must never mix.
    #[error(
        "{dir} was commissioned on backend `{commissioned}` and is configured for `{configured}`: \
         real and virtual wires never share a journal; use another state directory, or set the backend back"
    )]
    OtherWires {
        /// The state directory.
        dir: PathBuf,
        /// Backend at commissioning.
        commissioned: String,
        /// Backend in the configuration.
        configured: String,
    },
    /// A state directory belongs to one table for ever.
    #[error(
        "{dir} was commissioned as table {commissioned} and is configured for {configured}: nothing was changed in it; set \
         `site` and `table` back, or give the other table a state directory of its own"
    )]
    OtherTable {
        /// The state directory.
        dir: PathBuf,
        /// Site and table at commissioning.
        commissioned: String,
        /// Site and table in the configuration.
        configured: String,
    },
    /// The journal's file is gone, and other files say that there was one.
    #[error(
        "{journal} is missing, and {there} says that this table was commissioned; put the file back if you moved it; \
         otherwise start tumblerd: it begins another journal, which goes on from what is known, and blocks the table"
    )]
    Missing {
        /// The journal's file.
        journal: PathBuf,
        /// What is there.
        there: PathBuf,
    },
    /// A directory of a user who could replace what lies in it.
    #[error(
        "{path} belongs to user {owner}, who can replace what lies in it, and tumblerd runs as user {user}; its mode is {mode:03o}; \
         nothing was changed there; run it as that user (`sudo -u`), or `sudo chown -R tumblerd: {path}` gives it to the daemon"
    )]
    OthersDirectory {
        /// The directory.
        path: PathBuf,
        /// User id of this process.
        user: u32,
        /// User id of the directory's owner.
        owner: u32,
        /// The directory's permissions.
        mode: u32,
    },
    /// A directory in which others could replace what lies there.
    #[error(
        "{path} has mode {mode:03o}: others than its owner may replace what lies in it; nothing was changed there; \
         `sudo chmod go-w {path}` takes that away"
    )]
    SharedDirectory {
        /// The directory.
        path: PathBuf,
        /// Its permissions.
        mode: u32,
    },
    /// A file or directory that this process may not read and write.
    #[error(
        "{path} may not be read and written by user {user}: it belongs to user {owner}, and its mode is {mode:03o}; nothing was \
         changed there; `sudo chown -R tumblerd: DIRECTORY && sudo chmod -R u+rwX DIRECTORY` gives it back to the daemon"
    )]
    NotOurs {
        /// The file.
        path: PathBuf,
        /// User id of this process.
        user: u32,
        /// User id of the file's owner.
        owner: u32,
        /// The file's permissions.
        mode: u32,
    },
    /// A file that was named as a journal and is something else.
    #[error(
        "{0} is no journal: no SQLite file begins like this; name a state directory, such as /var/lib/tumblerd, or the file \
         journal.sqlite in it or a copy of that. Was it one, it is lost: take another copy"
    )]
    NoJournal(PathBuf),
    /// A line of a file of heads that is none.
    #[error(
        "{}: line {line}: {why}; a file of heads has a message of `event` as the broker had it, or {{\"stream\":…,\"seq\":…,\"head\":…}}, in \
         each line: `tumblerctl journal verify --heads FILE --broker URL` writes one into a new FILE", file.display()
    )]
    NoHead {
        /// The file.
        file: PathBuf,
        /// The line, from 1.
        line: u64,
        /// Why.
        why: String,
    },
    /// Another process has it.
    #[error("{0} is in use by another tumblerd; stop that one first")]
    InUse(PathBuf),
    /// Written by a newer daemon.
    #[error("{file} has version {found}; this tumblerd knows versions up to {known}: install the newer tumblerd again")]
    Newer {
        /// The file.
        file: PathBuf,
        /// Its version.
        found: i64,
        /// The newest version known.
        known: i64,
    },
    /// The names do not fit the slot.
    #[error(
        "site and table have {0} bytes together; the slot beside the journal has room for {1}: choose shorter names"
    )]
    NamesTooLong(usize, usize),
    /// A file operation failed.
    #[error("{path}: cannot {what}: {error}")]
    Io {
        /// What was tried.
        what: &'static str,
        /// The file.
        path: PathBuf,
        /// Why not.
        error: io::Error,
    },
    /// The run directory is not there and cannot be made.
    #[error(
        "{dir}: cannot create the run directory: {error}; the service makes it at its start, and before that \
         `sudo systemd-tmpfiles --create tumblerd.conf` does"
    )]
    NoRunDir {
        /// The directory.
        dir: PathBuf,
        /// Why not.
        error: io::Error,
    },
    /// SQLite refused.
    #[error("{path}: {error}")]
    Sqlite {
        /// The journal's file.
        path: PathBuf,
        /// Why.
        error: rusqlite::Error,
    },
    /// The records do not follow one another.
    #[error("record {found} cannot follow record {last}")]
    Gap {
        /// The record to be appended.
        found: u64,
        /// The journal's last record.
        last: u64,
    },
    /// A record that is no JSON of this version.
    #[error("record {seq} cannot be read: {why}")]
    Unreadable {
        /// The record.
        seq: u64,
        /// Why.
        why: String,
    },
    /// Damage met while reading.
    #[error("{path}: {what}")]
    Damaged {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        what: String,
    },
}

impl JournalError {
    /// For `map_err` on file operations.
    pub(super) fn io(what: &'static str, path: &Path) -> impl FnOnce(io::Error) -> Self {
        move |error| Self::Io { what, path: path.to_owned(), error }
    }
    /// Whether it says nothing of what lies there: the disk, the system or another program stood in the way, and may not the next time.
    #[must_use]
    pub fn may_pass(&self) -> bool {
        match self {
            Self::Io { .. } => true,
            Self::Sqlite { error, .. } => is_unread(error),
            _ => false,
        }
    }
    /// Whether another program's lock stood in the way.
    #[must_use]
    pub(super) fn is_foreign_lock(&self) -> bool {
        let Self::Sqlite { error, .. } = self else { return false };
        matches!(
            error.sqlite_error_code(),
            Some(rusqlite::ErrorCode::DatabaseBusy | rusqlite::ErrorCode::DatabaseLocked)
        )
    }
    /// For `map_err` on SQLite's operations.
    pub(super) fn sqlite(path: &Path) -> impl FnOnce(rusqlite::Error) -> Self {
        move |error| Self::Sqlite { path: path.to_owned(), error }
    }
}

/// Whether SQLite could not read or write at all, so that nothing is known of the file: only what was read and found wrong is damaged.
pub(super) fn is_unread(error: &rusqlite::Error) -> bool {
    use rusqlite::ErrorCode as Code;
    matches!(
        error.sqlite_error_code(),
        Some(
            Code::SystemIoFailure
                | Code::CannotOpen
                | Code::OutOfMemory
                | Code::DatabaseBusy
                | Code::DatabaseLocked
                | Code::DiskFull
                | Code::ReadOnly
                | Code::PermissionDenied
                | Code::OperationInterrupted
                | Code::FileLockingProtocolFailed
        )
    )
}
