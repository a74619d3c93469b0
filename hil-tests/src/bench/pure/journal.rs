//! The journal as the pure bench models it: commits take time, and what is not committed is lost.

use std::collections::VecDeque;
use tumbler_core::record::{Event, Record, Standing};
use tumbler_core::settings::Settings;
use tumbler_core::table::Found;
use tumbler_core::units::{Mono, Seq};

struct Job {
    records: Vec<Record>,
    relayed: Seq,
    permit: Option<bool>,
}

/// Journal, slot and permit.
pub(super) struct Journal {
    standing: Standing,
    last: Seq,
    relayed: Seq,
    permit: Option<String>,
    /// The boot under which the table was last permitted to play: what an older copy of permit and slot says.
    granted: Option<String>,
    /// What is wrong with the slot; the next start finds it, and makes another.
    damage: Option<&'static str>,
    waiting: VecDeque<Job>,
    committing: Option<(u64, Job)>,
    latency: u64,
}

impl Journal {
    /// The journal of a table that was just put together.
    pub(super) fn commission(settings: &Settings, latency: u64) -> (Self, Record) {
        let record = Record {
            seq: Seq(1),
            at: Mono(0),
            round: None,
            event: Event::Commissioned {
                site: settings.site.clone(),
                table: settings.table.clone(),
                backend: settings.backend.clone(),
            },
        };
        let mut standing = Standing::default();
        standing.fold(&record);
        let journal = Self {
            standing,
            last: Seq(1),
            relayed: Seq(0),
            permit: None,
            granted: None,
            damage: None,
            waiting: VecDeque::new(),
            committing: None,
            latency,
        };
        (journal, record)
    }

    /// What a starting daemon finds under this boot id.
    pub(super) fn found(&mut self, boot: &str) -> Found {
        let (standing, last, relayed) = (Box::new(self.standing.clone()), self.last, self.relayed);
        match self.damage.take() {
            Some(reason) => Found::Bad { reason: reason.into(), standing, last, relayed },
            None => Found::Good { standing, last, relayed, permit: self.permit.as_deref() == Some(boot) },
        }
    }

    /// The permit is gone.
    pub(super) fn lose_permit(&mut self) {
        self.permit = None;
    }

    /// The permit and the slot of when the table was open are put back. `false`: it was never open.
    pub(super) fn put_permit_back(&mut self) -> bool {
        self.permit.clone_from(&self.granted);
        self.granted.is_some()
    }

    /// The slot is gone: the journal is set aside, and what it held is kept.
    pub(super) fn lose_slot(&mut self) {
        self.permit = None;
        self.damage = Some("the slot is missing");
    }

    pub(super) fn append(&mut self, now: u64, records: Vec<Record>, relayed: Seq, permit: Option<bool>) {
        self.waiting.push_back(Job { records, relayed, permit });
        self.take_up(now);
    }

    fn take_up(&mut self, now: u64) {
        if self.committing.is_some() {
            return;
        }
        if let Some(job) = self.waiting.pop_front() {
            if job.permit == Some(false) {
                self.permit = None;
            }
            self.committing = Some((now + self.latency, job));
        }
    }

    /// When the commit in progress is done.
    pub(super) fn next(&self) -> Option<u64> {
        self.committing.as_ref().map(|(due, _)| *due)
    }

    /// Whether everything that was handed in is durable.
    pub(super) fn idle(&self) -> bool {
        self.committing.is_none()
    }

    /// A commit that is due is done: its records.
    pub(super) fn commit(&mut self, now: u64, boot: &str) -> Option<Vec<Record>> {
        let (_, job) = self.committing.take_if(|(due, _)| *due <= now)?;
        for record in &job.records {
            self.standing.fold(record);
            self.last = record.seq;
        }
        self.relayed = job.relayed;
        if job.permit == Some(true) {
            self.permit = Some(boot.to_owned());
            self.granted.clone_from(&self.permit);
        }
        self.take_up(now);
        Some(job.records)
    }

    /// The daemon or the supply is gone: what was not committed is lost.
    pub(super) fn lose(&mut self) {
        self.waiting.clear();
        self.committing = None;
    }

    /// From now on a commit takes this long.
    pub(super) const fn set_latency(&mut self, nanos: u64) {
        self.latency = nanos;
    }
}
