//! Signatures.
use std::io::Write;
use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};
use tumbler_core::input::Input;
use tumbler_core::record::Record;
use tumbler_core::table::Found;
use tumbler_core::units::Seq;

/// How many numbers are left out after damage where the last number given out is not known for certain.
pub const SKIPPED: u64 = 1024;

/// Whose journal it is: what the table was commissioned as.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Identity {
    /// Site.
    pub site: String,
    /// Table.
    pub table: String,
    /// Hardware backend: `virtual`, `cdev` or `rppal`.
    pub backend: String,
}

/// Why the journal cannot be used at all.
#[derive(Debug, thiserror::Error)]
pub enum JournalError {
    /// Nothing was ever set up here.
    #[error("{0} holds no journal: this table has not been commissioned; run `tumblerd --commission` once")]
    NotCommissioned(PathBuf),
}

/// One append: the fields of [`tumbler_core::effect::Effect::Journal`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Job {
    /// The records, consecutive in `seq`.
    pub records: Vec<Record>,
    /// The relay's cursor.
    pub relayed: Seq,
    /// Whether permission changes with it.
    pub permit: Option<bool>,
}

/// An open journal that nothing is being appended to yet.
#[derive(Debug)]
pub struct Journal {}

impl Journal {
    /// Sets up slot and journal of a new table, with its `Commissioned` record.
    ///
    /// # Errors
    /// Anything there already, or that cannot be written.
    pub fn commission(state_dir: &Path, _run_dir: &Path, _id: &Identity, _boot: &str) -> Result<String, JournalError> {
        Err(JournalError::NotCommissioned(state_dir.into()))
    }
    /// Opens the journal of a commissioned table and says what it holds.
    ///
    /// # Errors
    /// Not commissioned, commissioned on other wires, in use, of a newer version, or not to be read or written at all.
    pub fn open(
        state_dir: &Path,
        _run_dir: &Path,
        _identity: &Identity,
        _boot: &str,
    ) -> Result<(Self, Found), JournalError> {
        Err(JournalError::NotCommissioned(state_dir.into()))
    }
    /// The stream id: 32 hexadecimal digits, made at commissioning.
    #[must_use]
    pub fn stream(&self) -> &str {
        ""
    }
    /// A connection of one's own to read with; for use within the daemon (never ahead of what is durable).
    ///
    /// # Errors
    /// The journal cannot be opened for reading.
    pub fn reader(&self) -> Result<Reader, JournalError> {
        Ok(Reader {})
    }
    /// Starts the writer's thread (`journal`). `answer` is called on it.
    ///
    /// # Errors
    /// The thread cannot be started.
    pub fn spawn(self, _answer: impl Fn(Input) + Send + 'static) -> Result<(Appender, Writer), JournalError> {
        Ok((Appender {}, Writer {}))
    }
}

/// Hands jobs to the writer. Never waits.
#[derive(Clone, Debug)]
pub struct Appender {}

impl Appender {
    /// Queues an append.
    ///
    /// # Errors
    /// The [`Input::JournalFailed`] to be handed to the table: the queue is full. The records are kept all the same.
    pub fn append(&self, _job: Job) -> Result<(), Input> {
        Ok(())
    }
}

/// The writer's thread.
#[derive(Debug)]
pub struct Writer {}

impl Writer {
    /// Whether the thread has ended, which it does by itself only by a defect.
    #[must_use]
    pub fn ended(&self) -> bool {
        false
    }
    /// Commits what waits, notes a clean stop in the slot, and closes the journal.
    ///
    /// # Errors
    /// What could not be written.
    pub fn stop(self) -> Result<(), JournalError> {
        Ok(())
    }
}

/// A record as it lies in the journal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredRecord {
    /// The record.
    pub record: Record,
    /// Wall time in milliseconds since 1970.
    pub wall: i64,
    /// Quality of the wall time: `synchronised` or `unsynchronised`.
    pub wall_quality: String,
    /// Boot id under which it was made.
    pub boot: String,
    /// The relay's cursor when it was written.
    pub relayed: Seq,
    /// The chain's hash at this record.
    pub hash: [u8; 32],
    /// The record's JSON, byte for byte.
    pub body: String,
}

impl StoredRecord {
    /// The hash in hexadecimal.
    #[must_use]
    pub fn hash_hex(&self) -> String {
        String::new()
    }
}

/// Which records to list.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Filter {
    /// Only of this kind, as in the record's `kind`.
    pub kind: Option<String>,
    /// Only of this round.
    pub round: Option<u64>,
    /// Only after this number.
    pub after: u64,
    /// At most so many: the latest ones.
    pub limit: usize,
}

/// Reads the journal on a connection of its own. `Send`, so that a task can own it; calls read the disk.
#[derive(Debug)]
pub struct Reader {}

impl Reader {
    /// Opens the journal in this state directory read-only, from another process too.
    ///
    /// # Errors
    /// The journal cannot be opened for reading.
    pub fn open(_state_dir: &Path) -> Result<Self, JournalError> {
        Ok(Self {})
    }
    /// The stream id.
    #[must_use]
    pub fn stream(&self) -> &str {
        ""
    }
    /// The number of the last durable record; 0 before the first.
    #[must_use]
    pub fn durable(&self) -> Seq {
        Seq(0)
    }
    /// Records after `after`, oldest first, at most `limit`, none that is not durable yet.
    ///
    /// # Errors
    /// The journal cannot be read.
    pub fn after(&self, _after: Seq, _limit: usize) -> Result<Vec<StoredRecord>, JournalError> {
        Ok(Vec::new())
    }
    /// The records with which the latest rounds ended (`settled` and `voided`), newest first, at most `limit`.
    ///
    /// # Errors
    /// The journal cannot be read.
    pub fn rounds(&self, _limit: usize) -> Result<Vec<StoredRecord>, JournalError> {
        Ok(Vec::new())
    }
    /// The latest records that the filter lets through, oldest first.
    ///
    /// # Errors
    /// The journal cannot be read.
    pub fn events(&self, _filter: &Filter) -> Result<Vec<StoredRecord>, JournalError> {
        Ok(Vec::new())
    }
}

/// Something wrong in a journal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// The record at which it shows, where it shows at one.
    pub seq: Option<u64>,
    /// What is wrong.
    pub what: String,
}

/// What a verification found. `Display` says it to a person.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Report {
    /// The journal's file.
    pub journal: PathBuf,
    /// The stream id.
    pub stream: String,
    /// How many records were looked at.
    pub records: u64,
    /// Number of the first record.
    pub first: u64,
    /// Number of the last record whose chain is whole.
    pub last: u64,
    /// Hash of that record, in hexadecimal.
    pub head: String,
    /// What is wrong, first things first.
    pub faults: Vec<Fault>,
    /// Damaged files set aside earlier.
    pub set_aside: Vec<String>,
}

impl Report {
    /// Whether nothing is wrong.
    #[must_use]
    pub fn whole(&self) -> bool {
        self.faults.is_empty()
    }
}

/// Verifies a journal from its first record to its last, and against its slot. `path` is a state directory or a journal file.
///
/// # Errors
/// There is nothing to be read at that path.
pub fn verify(_path: &Path) -> Result<Report, JournalError> {
    Ok(Report::default())
}

/// Writes the records of this range as JSON lines, and says how many. `path` is a state directory or a journal file.
///
/// # Errors
/// The journal cannot be read, or `out` not be written.
pub fn export(_path: &Path, _out: &mut dyn Write, _range: RangeInclusive<u64>) -> Result<u64, JournalError> {
    Ok(0)
}

/// The kernel's boot id.
///
/// # Errors
/// `/proc` cannot be read.
pub fn boot_id() -> std::io::Result<String> {
    Ok(std::fs::read_to_string("/proc/sys/kernel/random/boot_id")?.trim().to_owned())
}
