//! The journal: what the table decided, on stable storage, and whether a game may start.
//!
//! # How to use it
//! ```text
//! Journal::commission(state_dir, run_dir, &identity, &boot)?          tumblerd --commission, once
//! let (journal, found) = Journal::open(state_dir, run_dir, &identity, &boot)?;
//! let stream = journal.stream().to_owned();
//! let reader = journal.reader()?;                                      relay, console: one each
//! let (appender, writer) = journal.spawn(move |input| inputs.send(input))?;
//! Table::start(settings, Start { boot, build, config, journal: found }, now, &mut effects)
//! Effect::Journal { records, relayed, permit } => appender.append(Job { records, relayed, permit }) control thread, never waits
//! writer.stop()                                                        after the last append: flushes, closes
//! verify(path), export(path, &mut out, range), verify_all(state_dir)   tumblerctl journal, background check
//! ```
//! The callback given to [`Journal::spawn`] is called on the writer's thread with
//! [`Input::Durable`](tumbler_core::input::Input::Durable) and
//! [`Input::JournalFailed`](tumbler_core::input::Input::JournalFailed); [`Appender::append`] hands the latter back itself
//! when the queue is full, and keeps the records all the same.
//!
//! # What lies where
//! In the state directory: `journal.sqlite` (and SQLite's `-wal` and `-shm`), the `slot`, and whatever was set aside as
//! damaged (`*.damaged-N`; never deleted). In the run directory (tmpfs, gone at a reboot): `permit` and `head`.
//!
//! # Chain
//! `hash = sha256(previous hash || text)`, where the text is `seq`, `at`, `wall`, `wall_quality`, `boot`, `round` (`-` for
//! none), `relayed` and `kind`, each ended by a line feed, then the body's bytes. The first record follows the genesis:
//! `sha256("tumblerd journal\n" stream "\n" first "\n" after "\n")`, where `first` is the first record's number and `after` the
//! head in hexadecimal that the journal before it is known to have had (`-` for a table's first journal).
//!
//! # After damage
//! A journal that is damaged, missing, foreign or older than it was is set aside, and a new one begun under the same stream
//! id, with what could be kept as its first record (a keyframe). Its numbers go on after the last one that is known to have been given
//! out; where that is not known for certain, [`SKIPPED`] numbers are left out, so that no consumer mistakes a new record for an old one.

mod api;

pub use api::*;
