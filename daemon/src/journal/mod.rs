//! The journal: what the table decided, on stable storage, and whether a game may start.
//!
//! # How to use it
//! ```text
//! Journal::commission(state_dir, run_dir, &identity, &boot)?          tumblerd --commission, once
//! Journal::take_over(from, state_dir, run_dir, &identity, &boot, &board)?  tumblerd take-over, instead of it
//! let (journal, found) = Journal::open(state_dir, run_dir, &identity, &boot)?;
//! let stream = journal.stream().to_owned();
//! let reader = journal.reader()?;                                      relay, console: one each
//! let (appender, writer) = journal.spawn(move |input| inputs.send(input))?;
//! Table::start(settings, Start { boot, build, config, journal: found }, now, &mut effects)
//! Effect::Journal { records, relayed, permit } => appender.append(Job { records, relayed, permit }) control thread, never waits
//! writer.stop()                                                        after the last append: flushes, closes
//! Journal::stand_by(error, state_dir, &identity)?                      after an error of open: blocks the table, touches nothing
//! verify(path), export(path, &mut out, range), verify_all(state_dir)   tumblerctl journal, background check
//! ```
//! The callback given to [`Journal::spawn`] is called on the writer's thread with
//! [`Input::Durable`](tumbler_core::input::Input::Durable) and
//! [`Input::JournalFailed`](tumbler_core::input::Input::JournalFailed); [`Appender::append`] hands the latter back itself
//! when the queue is full, and keeps the records all the same.
//!
//! # What lies where
//! In the state directory: `journal.sqlite` (and SQLite's `-wal` and `-shm`), the `slot`, and whatever was set aside as
//! damaged (`*.damaged-N`; never deleted). `taken-over` says that another board has the table now; `taking-over` is there while this
//! one takes it. In the run directory (tmpfs, gone at a reboot): `permit` and `head`.
//!
//! # Chain
//! `link = sha256(previous link || header || sha256(body))`. The header is text: `tumblerd record 2`, `seq`, `at`, `boot`, `wall`,
//! `wall_quality`, `round` (`-` for none) and `kind`, each ended by a line feed; the body is the record's JSON byte for byte. The
//! first record follows the genesis: `sha256("tumblerd journal\n" stream "\n" first "\n" after "\n")`, where `first` is the first
//! record's number and `after` the head in hexadecimal that the journal before it is known to have had (`-` for a table's first
//! journal). All of it is told to the broker with every record, so that anybody can compute the chain again.
//!
//! Rows of format 1 are those of tumblerd 0.1: `link = sha256(previous link || header || body)`, and their header is `seq`, `at`,
//! `wall`, `wall_quality`, `boot`, `round`, `relayed` and `kind`. They are never rewritten; the first row of format 2 follows the last
//! of them. The relay's cursor, `relayed`, lies beside a row of format 2 with a sum of its own, and is no part of the chain.
//!
//! # After damage
//! A journal that is damaged, missing, foreign or older than it was is set aside, and a new one begun under the same stream
//! id, with what could be kept as its first record (a keyframe). Its numbers go on after the last one that is known to have been given
//! out; where that is not known for certain, [`SKIPPED`] numbers are left out, so that no consumer mistakes a new record for an old one.

mod aside;
mod chain;
mod clock;
mod error;
mod heads;
mod inspect;
mod open;
mod places;
mod queue;
mod reader;
mod replacement;
mod rounds;
mod row;
mod run;
mod schema;
mod slot;
mod stage;
mod standby;
mod store;
mod takeover;
mod verify;
mod writer;

pub use clock::boot_id;
pub use error::JournalError;
pub use heads::{Compared, ToldHead, compare};
pub use standby::Standby;
pub use takeover::{TakenOver, board};
pub use verify::{backup, export, verify, verify_all};

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicU64;
use std::thread::JoinHandle;
use tumbler_core::record::Record;
use tumbler_core::units::Seq;
use tumbler_core::wire::chain::Chain;

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

impl Identity {
    /// Whether this is the same table. Its GPIO may be driven in another way, but real wires and virtual ones never mix.
    fn is_table_of(&self, other: &Self) -> bool {
        self.site == other.site && self.table == other.table && self.is_virtual() == other.is_virtual()
    }

    fn is_virtual(&self) -> bool {
        self.backend == "virtual"
    }
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
pub struct Journal {
    store: store::Store,
    slot: slot::SlotFile,
    run: run::RunDir,
    boot: String,
    durable: Arc<AtomicU64>,
    lock: places::Lock,
}

/// Hands jobs to the writer. Never waits.
#[derive(Clone, Debug)]
pub struct Appender {
    queue: Arc<queue::Queue>,
}

/// The writer's thread.
#[derive(Debug)]
pub struct Writer {
    queue: Arc<queue::Queue>,
    thread: JoinHandle<Result<(), JournalError>>,
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
    /// The record's link.
    pub hash: [u8; 32],
    /// Its place in the chain, with all that is needed to compute the link again.
    pub chain: Chain,
    /// The record's JSON, byte for byte.
    pub body: String,
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
    /// Maximum number, of the latest ones.
    pub limit: usize,
}

/// Reads the journal on a connection of its own. `Send`, so that a task can own it; calls read the disk.
#[derive(Debug)]
pub struct Reader {
    connection: rusqlite::Connection,
    path: PathBuf,
    meta: store::Meta,
    /// What the writer has made durable; `None` in another process, where everything that can be read is.
    durable: Option<Arc<AtomicU64>>,
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
    /// The link that its first record follows, in hexadecimal.
    pub genesis: String,
    /// How many records were looked at.
    pub records: u64,
    /// How many of them are of which format.
    pub formats: BTreeMap<u32, u64>,
    /// Number of the first record.
    pub first: u64,
    /// Number of the last record whose chain is whole.
    pub last: u64,
    /// Hash of that record, in hexadecimal.
    pub head: String,
    /// What is wrong, first things first.
    pub faults: Vec<Fault>,
    /// What is not wrong and has to be known.
    pub notes: Vec<String>,
    /// Damaged files set aside earlier.
    pub set_aside: Vec<String>,
}
