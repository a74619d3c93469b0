//! The writer's thread: commits what waits, together; says what is durable and what failed; keeps slot and permit.

use super::chain::{Head, Row};
use super::clock::WallClock;
use super::error::JournalError;
use super::places::{Lock, holders};
use super::queue::{Next, Queue};
use super::row::row;
use super::run::RunDir;
use super::slot::SlotFile;
use super::store::Store;
use super::{Appender, Job, Journal, Writer};
use nix::sys::statvfs::statvfs;
use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};
use tumbler_core::input::Input;
use tumbler_core::record::Event;
use tumbler_core::units::Seq;

/// A failed commit is tried again this often, and the disk's room is looked at this often, when nothing else happens.
const PULSE: Duration = Duration::from_secs(1);
/// Another program's lock is borne for so long. Until then what needs a commit waits; nothing has failed.
const FOREIGN: Duration = Duration::from_secs(10);
/// Less room than this on the journal's disk is a failure, before the first commit fails: some 500 rounds.
const ROOM: u64 = 1024 * 1024;
/// The slot is rewritten at the latest after this many records, so that its head is never further back.
const SLOT_BEHIND: u64 = 256;
/// Commits between two checkpoints: their frames fit into the preallocated log.
const CHECKPOINT: u32 = 100;

impl Journal {
    /// Starts the writer's thread (`journal`). `answer` is called on it, for every commit and for the first of a row of failures, and before
    /// it where the disk has no room.
    ///
    /// # Errors
    /// The thread cannot be started.
    pub fn spawn(self, answer: impl Fn(Input) + Send + 'static) -> Result<(Appender, Writer), JournalError> {
        let queue = Arc::new(Queue::default());
        let path = self.store.path().to_owned();
        let mut work = Work {
            store: self.store,
            slot: self.slot,
            run: self.run,
            boot: self.boot,
            durable: self.durable,
            _lock: self.lock,
            answer: Box::new(answer),
            pending: VecDeque::new(),
            relayed: 0,
            grant: false,
            failing: false,
            locked: None,
            low: false,
            tested: false,
            commits: 0,
        };
        // Before the table starts, so that it is never told to be up on a disk without room.
        work.look_at_the_room();
        let jobs = Arc::clone(&queue);
        let thread = std::thread::Builder::new()
            .name("journal".to_owned())
            .spawn(move || work.run(&jobs))
            .map_err(JournalError::io("start the journal's thread for", &path))?;
        Ok((Appender { queue: Arc::clone(&queue) }, Writer { queue, thread }))
    }
}

impl Appender {
    /// Queues an append. Takes microseconds whatever the disk does.
    ///
    /// # Errors
    /// The [`Input::JournalFailed`] to be handed to the table: too many appends wait. The records are kept all the same.
    pub fn append(&self, job: Job) -> Result<(), Input> {
        self.queue.push(job).map_err(|waiting| Input::JournalFailed {
            reason: format!("{waiting} appends wait for the journal's disk: it is too slow, or the journal was closed"),
        })
    }
}

impl Writer {
    /// Whether the thread has ended, which it does by itself only by a defect.
    #[must_use]
    pub fn ended(&self) -> bool {
        self.thread.is_finished()
    }

    /// Commits what waits, notes a clean stop in the slot, and closes the journal.
    ///
    /// # Errors
    /// What could not be written.
    pub fn stop(self) -> Result<(), JournalError> {
        self.queue.close();
        self.thread.join().unwrap_or_else(|_| {
            Err(JournalError::Damaged { path: "journal".into(), what: "the journal's thread ended by a defect".into() })
        })
    }
}

struct Work {
    store: Store,
    slot: SlotFile,
    run: RunDir,
    boot: String,
    durable: Arc<AtomicU64>,
    _lock: Lock,
    answer: Box<dyn Fn(Input) + Send>,
    /// Rows that are not durable yet, oldest first.
    pending: VecDeque<Row>,
    relayed: u64,
    /// Whether a grant is to follow the commit of what is pending.
    grant: bool,
    /// The last commit failed and was reported.
    failing: bool,
    /// Since when another program's lock keeps commits away.
    locked: Option<Instant>,
    /// The disk is almost full and that was reported.
    low: bool,
    /// A test began since the last commit: whatever is wrong with the disk is told again, though it was told before.
    tested: bool,
    commits: u32,
}

impl Work {
    fn run(mut self, queue: &Queue) -> Result<(), JournalError> {
        loop {
            match queue.next(PULSE) {
                Next::Jobs(jobs) => {
                    self.take(jobs);
                    self.commit();
                }
                Next::Nothing => {
                    self.look_at_the_room();
                    if self.failing || self.locked.is_some() {
                        self.commit();
                    }
                }
                Next::Closed => return self.close(),
            }
        }
    }

    /// Takes jobs in. What they revoke is revoked before anything is committed.
    fn take(&mut self, jobs: Vec<Job>) {
        let clock = WallClock::read();
        for job in jobs {
            self.relayed = self.relayed.max(job.relayed.0);
            match job.permit {
                Some(false) => {
                    self.grant = false;
                    self.revoke();
                }
                Some(true) => self.grant = true,
                None => {}
            }
            for record in &job.records {
                self.tested |= matches!(record.event, Event::TestBegan { .. });
                match row(record, self.relayed, &self.boot, &clock) {
                    Ok(row) => self.pending.push_back(row),
                    Err(why) => self.report(&format!("record {} cannot be written as JSON: {why}", record.seq.0)),
                }
            }
        }
    }

    fn commit(&mut self) {
        if std::mem::take(&mut self.tested) {
            (self.failing, self.low) = (false, false);
            self.look_at_the_room();
        }
        let before = self.store.head();
        let committed = if self.pending.is_empty() { Ok(before) } else { self.store.append(&self.pending) };
        match committed {
            Ok(head) => self.committed(head),
            Err(error) if error.is_foreign_lock() && self.bears() => {}
            Err(error) => {
                // No game on what may not have been kept: the table will say the same as soon as it hears of it.
                self.grant = false;
                if !self.failing {
                    self.failing = true;
                    let by = if error.is_foreign_lock() { holders(self.store.path()) } else { String::new() };
                    self.report(&format!("{error}{by}"));
                    self.revoke();
                }
            }
        }
    }

    /// Whether the lock of another program is borne a little longer.
    fn bears(&mut self) -> bool {
        let since = *self.locked.get_or_insert_with(|| {
            tracing::warn!("the journal waits for another program's lock{}", holders(self.store.path()));
            Instant::now()
        });
        !self.failing && since.elapsed() < FOREIGN
    }

    fn committed(&mut self, head: Head) {
        if self.locked.take().is_some() {
            tracing::info!("the other program's lock on the journal is gone");
        }
        self.failing = false;
        self.durable.store(head.seq, Ordering::Release);
        self.run.note(head);
        let mut kept = self.slot.get().clone();
        let mut rounds = false;
        for row in &self.pending {
            rounds |= kept.take(&row.kind, row.round);
        }
        self.pending.clear();
        if std::mem::take(&mut self.grant) {
            self.permit(head);
        }
        (self.answer)(Input::Durable { seq: Seq(head.seq) });
        if rounds || head.seq.saturating_sub(self.slot.get().seq) >= SLOT_BEHIND {
            let written = self.slot.write(|slot| {
                slot.take_rounds(&kept);
                slot.set_head(head);
            });
            self.report_error(written);
        }
        self.commits += 1;
        if self.commits >= CHECKPOINT {
            self.commits = 0;
            let done = self.store.checkpoint();
            self.report_error(done);
            self.look_at_the_room();
        }
    }

    /// Permits games: writes the slot first, so that there is never a permit without its slot.
    fn permit(&mut self, head: Head) {
        let boot = self.boot.clone();
        let granted = self.slot.write(|slot| {
            slot.set_head(head);
            slot.grant = slot.grant.saturating_add(1);
            slot.granted = Some(boot);
        });
        let granted = granted.and_then(|()| self.run.grant(self.slot.get().grant));
        self.report_error(granted);
    }

    /// Lets no game start: the permit first, for that needs no disk. The slot is tried whatever becomes of the permit.
    fn revoke(&mut self) {
        let permit = self.run.revoke();
        let head = self.store.head();
        let slot = self.slot.write(|slot| {
            slot.set_head(head);
            slot.grant = slot.grant.saturating_add(1);
            slot.granted = None;
        });
        self.report_error(permit);
        self.report_error(slot);
    }

    fn look_at_the_room(&mut self) {
        let Ok(room) = statvfs(self.store.path()) else { return };
        #[allow(clippy::useless_conversion, reason = "these are u32 on 32-bit machines")]
        let free = u64::from(room.blocks_available()).saturating_mul(u64::from(room.fragment_size()));
        if free < ROOM && !self.low {
            self.low = true;
            self.report(&format!(
                "the journal's disk is almost full: {} KiB left, {} KiB needed; make room",
                free / 1024,
                ROOM / 1024
            ));
        } else if free >= 2 * ROOM {
            self.low = false;
        }
    }

    fn report_error(&self, result: Result<(), JournalError>) {
        if let Err(error) = result {
            self.report(&error.to_string());
        }
    }

    fn report(&self, reason: &str) {
        tracing::error!(reason, "journal failed");
        (self.answer)(Input::JournalFailed { reason: reason.to_owned() });
    }

    /// A clean stop: the slot's head is exact.
    fn close(mut self) -> Result<(), JournalError> {
        let mut kept = self.slot.get().clone();
        for row in &self.pending {
            kept.take(&row.kind, row.round);
        }
        if !self.pending.is_empty() {
            let head = self.store.append(&self.pending)?;
            self.run.note(head);
            (self.answer)(Input::Durable { seq: Seq(head.seq) });
        }
        let head = self.store.head();
        let path = self.store.path().to_owned();
        // Before the log goes: a slot that says otherwise beside no log is that of a copy that lacks it.
        self.slot.write(|slot| {
            slot.take_rounds(&kept);
            slot.set_head(head);
            slot.closed = true;
        })?;
        self.store.close()?;
        tracing::debug!(journal = %path.display(), last = head.seq, "journal closed");
        Ok(())
    }
}
