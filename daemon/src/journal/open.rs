//! Commissioning a journal, and opening it: which of all the things that can be wrong with it is.

use super::chain::Head;
use super::clock::{WallClock, monotonic};
use super::error::JournalError;
use super::inspect::{Marks, Tail, Wreck, inspect};
use super::places::{Places, make};
use super::replacement::{Predecessor, replace};
use super::row::row;
use super::run::RunDir;
use super::slot::{NAMES, Slot, SlotFile};
use super::store::{Meta, Store};
use super::{Identity, Journal};
use crate::random;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicU64;
use tumbler_core::latch::Code;
use tumbler_core::record::{Event, Record};
use tumbler_core::table::Found;
use tumbler_core::units::{Mono, Seq};

impl Journal {
    /// Sets up slot and journal of a new table, with its `Commissioned` record, and gives the new stream id.
    ///
    /// # Errors
    /// Anything is there already, something cannot be written, or others may write a directory of the table's.
    pub fn commission(state_dir: &Path, run_dir: &Path, id: &Identity, boot: &str) -> Result<String, JournalError> {
        let names = id.site.len() + id.table.len();
        if names > NAMES {
            return Err(JournalError::NamesTooLong(names, NAMES));
        }
        make(state_dir).map_err(JournalError::io("create the state directory", state_dir))?;
        let places = Places::new(state_dir);
        places.may_be_written(run_dir)?;
        may_start(&places)?;
        let _lock = places.lock()?;
        if let Some(there) = places.anything() {
            return Err(JournalError::Commissioned(there));
        }
        let stream = random::word().map_err(JournalError::io("read random numbers", Path::new("/dev/urandom")))?;
        // Before anything lies in the state directory: what stops half way could not be begun again.
        let mut run = RunDir::new(run_dir, boot, &stream)?;
        let meta = Meta {
            stream: stream.clone(),
            identity: id.clone(),
            first: 1,
            after: None,
            begun: "commissioned".to_owned(),
        };
        let Identity { site, table, backend } = id.clone();
        let event = Event::Commissioned { site, table, backend };
        let record = Record::plain(Seq(1), Mono(monotonic()), None, event);
        let first =
            row(&record, 0, boot, &WallClock::read()).map_err(|why| JournalError::Unreadable { seq: 1, why })?;
        let head = Store::create(&places.new_journal, &meta, &[first])?;
        places.rename(&places.new_journal, &places.journal)?;
        run.revoke()?;
        SlotFile::create(&places.slot, Slot::fresh(&stream, id, head))?;
        places.sync()?;
        run.note(head);
        Ok(stream)
    }

    /// Opens the journal of a commissioned table and says what it holds.
    ///
    /// # Errors
    /// Not commissioned, commissioned on other wires, in use, of a newer version, or not to be read or written at all.
    pub fn open(
        state_dir: &Path,
        run_dir: &Path,
        identity: &Identity,
        boot: &str,
    ) -> Result<(Self, Found), JournalError> {
        let places = Places::new(state_dir);
        places.may_be_written(run_dir)?;
        may_start(&places)?;
        if places.anything().is_none() {
            return Err(JournalError::NotCommissioned(state_dir.to_owned()));
        }
        let lock = places.lock()?;
        let slot = match SlotFile::read(&places.slot) {
            Ok(Some(slot)) => Ok(slot),
            Ok(None) => Err(format!("the slot {} is missing", places.slot.display())),
            Err(damaged @ JournalError::Damaged { .. }) => Err(damaged.to_string()),
            Err(error) => return Err(error),
        };
        if let Ok(slot) = &slot {
            same_table(state_dir, &slot.identity(), identity)?;
        }
        let stream = slot.as_ref().map_or("", |slot| slot.stream.as_str());
        let run = RunDir::new(run_dir, boot, stream)?;
        let run_head = run.head();
        let mut marks = Marks { stream: stream.to_owned(), heads: Vec::new() };
        marks.heads.extend(run_head.map(|head| ("the run directory", head)));
        marks.heads.extend(slot.as_ref().ok().map(|slot| ("the slot", slot.head())));
        let mut found = inspect(&places.journal, &marks)?;
        if !places.journal.exists() && places.new_journal.exists() {
            // Killed while a damaged journal was being set aside: the next one holds what could be kept.
            let kept = inspect(&places.new_journal, &Marks::default())?;
            found = Err(kept.map_or_else(|wreck| wreck, |tail| given_up(tail, "the journal is missing".into())));
        }
        if let (Err(_), Some(meta)) = (&slot, meta_of(&found)) {
            same_table(state_dir, &meta.identity, identity)?;
        }
        let begun = judge(&slot, found, identity);
        let (tail, slot, run, found) = match begun {
            Begun::Whole(tail, slot) => {
                let slot = SlotFile::open(&places.slot, slot)?;
                let found = Found::Good {
                    standing: Box::new(tail.standing),
                    last: Seq(tail.head.seq),
                    relayed: Seq(tail.relayed),
                    permit: run.permitted(slot.get())?,
                };
                (tail.head, slot, run, found)
            }
            Begun::Unreported(mut tail, slot) => {
                let slot = SlotFile::open(&places.slot, slot)?;
                tail.standing.latched.retain(|latched| latched.code != Code::Journal);
                let found = Found::Bad {
                    reason: tail.meta.begun,
                    standing: Box::new(tail.standing),
                    last: Seq(tail.head.seq),
                    relayed: Seq(tail.relayed),
                };
                (tail.head, slot, run, found)
            }
            Begun::Bad(wreck) => {
                let before = Predecessor { slot: slot.ok(), run: run_head, wreck };
                replace(&places, run_dir, identity, boot, before)?
            }
        };
        Self::ready(&places, lock, tail, slot, run, boot).map(|journal| (journal, found))
    }

    fn ready(
        places: &Places,
        lock: super::places::Lock,
        head: Head,
        mut slot: SlotFile,
        mut run: RunDir,
        boot: &str,
    ) -> Result<Self, JournalError> {
        // Its log is there before the slot says that the journal is in use.
        let store = Store::open(&places.journal, head)?;
        // From here on the head moves on without the slot.
        slot.write(|slot| {
            slot.closed = false;
            slot.set_head(head);
        })?;
        run.note(head);
        Ok(Self { store, slot, run, boot: boot.to_owned(), durable: Arc::new(AtomicU64::new(head.seq)), lock })
    }
}

/// What has been found.
enum Begun {
    /// All is well.
    Whole(Tail, Slot),
    /// Begun after damage, but the daemon ended before it could say so.
    Unreported(Tail, Slot),
    /// To be set aside.
    Bad(Wreck),
}

fn judge(slot: &Result<Slot, String>, found: Result<Tail, Wreck>, identity: &Identity) -> Begun {
    let slot = match slot {
        Ok(slot) => slot,
        Err(why) => {
            let mut wreck = found.map_or_else(|wreck| wreck, |tail| given_up(tail, String::new()));
            let and = if wreck.reason.is_empty() { "" } else { ", and " };
            wreck.reason = format!("{why}{and}{}", wreck.reason);
            return Begun::Bad(wreck);
        }
    };
    let tail = match found {
        Ok(tail) => tail,
        Err(wreck) => return Begun::Bad(wreck),
    };
    let of = &tail.meta.identity;
    if tail.meta.stream != slot.stream || !of.is_table_of(identity) {
        let reason = format!(
            "the journal is a foreign one: of table {}/{} on backend {}, stream {}; the slot's stream is {}",
            of.site, of.table, of.backend, tail.meta.stream, slot.stream
        );
        return Begun::Bad(given_up(tail, reason));
    }
    if slot.seq >= tail.meta.first {
        return Begun::Whole(tail, slot.clone());
    }
    if tail.meta.after == Some(slot.head().hash) {
        return Begun::Unreported(tail, slot.clone());
    }
    let reason = format!("the journal begins with record {}, after the slot's {}", tail.meta.first, slot.seq);
    Begun::Bad(given_up(tail, reason))
}

/// A journal that is whole in itself and cannot be gone on with.
fn given_up(tail: Tail, reason: String) -> Wreck {
    let Tail { meta, head, relayed, standing } = tail;
    Wreck { reason, meta: Some(meta), head: Some(head), relayed, standing, highest: head.seq }
}

pub(super) fn meta_of(found: &Result<Tail, Wreck>) -> Option<&Meta> {
    match found {
        Ok(tail) => Some(&tail.meta),
        Err(wreck) => wreck.meta.as_ref(),
    }
}

/// A table is on one board: not on one from which it was taken over, nor yet on one that is still taking it over.
fn may_start(places: &Places) -> Result<(), JournalError> {
    if let Some(mark) = places.mark_found()? {
        return Err(JournalError::TakenOver { dir: places.dir.clone(), by: mark.by });
    }
    if places.stage().exists() {
        return Err(JournalError::TakingOver(places.dir.clone()));
    }
    Ok(())
}

/// Two tables never share a state directory, nor do real wires and virtual ones.
pub(super) fn same_table(state_dir: &Path, commissioned: &Identity, configured: &Identity) -> Result<(), JournalError> {
    if commissioned.is_table_of(configured) {
        return Ok(());
    }
    let dir = state_dir.to_owned();
    if commissioned.is_virtual() != configured.is_virtual() {
        let (commissioned, configured) = (commissioned.backend.clone(), configured.backend.clone());
        return Err(JournalError::OtherWires { dir, commissioned, configured });
    }
    let name = |of: &Identity| format!("{}/{}", of.site, of.table);
    Err(JournalError::OtherTable { dir, commissioned: name(commissioned), configured: name(configured) })
}
