//! The pure bench's model of the journal: commits take time, and uncommitted records are lost with the daemon.

use serde_json::{Value, json};
use std::collections::VecDeque;
use tumbler_core::latch::{Code, Malfunction};
use tumbler_core::record::{Event, Record, Standing};
use tumbler_core::round::Interrupted;
use tumbler_core::settings::Settings;
use tumbler_core::table::Found;
use tumbler_core::units::{Mono, RoundId, Seq};
use tumbler_twin::MS;

#[derive(Clone)]
struct Job {
    records: Vec<Record>,
    relayed: Seq,
    permit: Option<bool>,
}

/// Time after which a failed commit is retried and the disk's free space checked, as in the daemon's writer.
const PULSE_NANOS: u64 = 1_000 * MS;

/// Result of [`Journal::poll`].
pub(super) enum CommitResult {
    /// Nothing was due.
    Nothing,
    /// These records are durable.
    Durable(Vec<Record>),
    /// The disk began to fail. Reported once.
    Failed(&'static str),
    /// The daemon dies here; these records became durable first.
    Dead(Vec<Record>),
}

/// At which commit from now on the daemon dies, and whether that commit still becomes durable.
#[derive(Clone, Copy)]
pub(super) struct KillAtCommit {
    pub(super) commits: u16,
    pub(super) durable: bool,
}

/// How much of a damaged journal can be salvaged.
#[derive(Clone, Copy)]
pub(super) enum Salvage {
    /// Everything: only what comes after it is damaged.
    All,
    /// The state at the daemon's last start.
    Earlier,
    /// Nothing.
    Nothing,
}

/// What the daemon's writer keeps of the rounds in the slot beside the journal.
#[derive(Clone, Copy, Default)]
struct Slot {
    ended: RoundId,
    began: RoundId,
    /// Whether the outcome of round `began` is established.
    established: bool,
}

impl Slot {
    fn take(&mut self, record: &Record) {
        let Some(round) = record.round else { return };
        match record.event {
            Event::RoundBegan { .. } => (self.began, self.established) = (round, false),
            Event::Established { .. } => self.established = true,
            Event::Settled { .. } | Event::Voided(_) => self.ended = round,
            _ => {}
        }
    }
}

/// Journal, slot and permit.
#[derive(Clone)]
pub(super) struct Journal {
    standing: Standing,
    slot: Slot,
    last: Seq,
    relayed: Seq,
    permit: Option<String>,
    /// Boot id of the last permit ever granted, for [`Journal::put_permit_back`].
    granted: Option<String>,
    waiting: VecDeque<Job>,
    committing: Option<(u64, Job)>,
    latency: u64,
    /// Why the disk fails, if it does.
    broken: Option<&'static str>,
    /// The failure was reported.
    failing: bool,
    /// When the writer checks the disk next.
    pulse: Option<u64>,
    pub(super) kill_at: Option<KillAtCommit>,
    /// What the next start finds, if the journal was damaged.
    damage: Option<Found>,
    /// The journal's state at the daemon's last start.
    earlier: Standing,
}

impl Journal {
    /// The journal of a newly commissioned table, with its first record.
    pub(super) fn commission(settings: &Settings, latency: u64) -> (Self, Record) {
        let record = Record::plain(
            Seq(1),
            Mono(0),
            None,
            Event::Commissioned {
                site: settings.site.clone(),
                table: settings.table.clone(),
                backend: settings.backend.clone(),
            },
        );
        let mut standing = Standing::default();
        standing.fold(&record);
        let journal = Self {
            standing,
            slot: Slot::default(),
            last: Seq(1),
            relayed: Seq(0),
            permit: None,
            granted: None,
            waiting: VecDeque::new(),
            committing: None,
            latency,
            broken: None,
            failing: false,
            pulse: None,
            kill_at: None,
            damage: None,
            earlier: Standing::default(),
        };
        (journal, record)
    }

    /// What a daemon that starts with this boot id finds.
    pub(super) fn found(&mut self, boot: &str) -> Found {
        self.earlier = self.standing.clone();
        self.damage.take().unwrap_or_else(|| Found::Good {
            standing: Box::new(self.standing.clone()),
            last: self.last,
            relayed: self.relayed,
            permit: self.permit.as_deref() == Some(boot),
        })
    }

    /// Damages the journal while the daemon is off: the next start finds a new one that holds what could be salvaged. Returns its
    /// first record.
    pub(super) fn damage(&mut self, at: u64, reason: &'static str, keeps: Salvage) -> Record {
        let mut kept = match keeps {
            Salvage::All => self.standing.clone(),
            Salvage::Earlier => self.earlier.clone(),
            Salvage::Nothing => Standing::default(),
        };
        // The slot is intact: it names the table, and how far the rounds had come.
        let (was, slot) = (&self.standing, self.slot);
        kept.site.clone_from(&was.site);
        kept.table.clone_from(&was.table);
        kept.backend.clone_from(&was.backend);
        kept.last_round = kept.last_round.max(slot.began);
        kept.round = kept.round.filter(|round| round.id > slot.ended);
        if slot.began > slot.ended {
            let mut round = kept.round.take().unwrap_or_else(|| Interrupted {
                id: slot.began,
                rules: kept.rules.clone(),
                layout: kept.layout.clone(),
                ..Interrupted::default()
            });
            round.established |= slot.established;
            kept.round = Some(round);
        }
        let mut first = kept.clone();
        first.open = false;
        first.latched.push(Malfunction { code: Code::Journal, cause: reason.into(), since: Mono(0), in_spin: false });
        self.last = self.last.next();
        let event = Event::Keyframe(Box::new(first));
        let record = Record::plain(self.last, Mono(at), None, event);
        self.standing.fold(&record);
        self.permit = None;
        self.damage = Some(Found::Bad {
            reason: reason.into(),
            standing: Box::new(kept),
            last: self.last,
            relayed: self.relayed,
        });
        record
    }

    /// Removes the permit.
    pub(super) fn lose_permit(&mut self) {
        self.permit = None;
    }

    /// Puts permit and slot back to when the table was open. `false`: it never was.
    pub(super) fn put_permit_back(&mut self) -> bool {
        self.permit.clone_from(&self.granted);
        self.granted.is_some()
    }

    /// Removes the slot: the daemon sets the journal aside and begins a new one with its state.
    pub(super) fn lose_slot(&mut self) {
        self.permit = None;
        self.damage = Some(Found::Bad {
            reason: "the slot is missing".into(),
            standing: Box::new(self.standing.clone()),
            last: self.last,
            relayed: self.relayed,
        });
    }

    pub(super) fn append(&mut self, now: u64, records: Vec<Record>, relayed: Seq, permit: Option<bool>) {
        self.waiting.push_back(Job { records, relayed, permit });
        self.take_up(now);
    }

    fn take_up(&mut self, now: u64) {
        if self.committing.is_some() {
            return;
        }
        // While the disk fails, every new job is another attempt.
        if let Some(job) = self.waiting.pop_front() {
            if job.permit == Some(false) {
                self.permit = None;
            }
            self.committing = Some((now + self.latency, job));
        }
    }

    /// When the commit in progress is done, or the writer checks the disk.
    pub(super) fn next(&self) -> Option<u64> {
        let due = self.committing.as_ref().map(|(due, _)| *due);
        [due, self.pulse].into_iter().flatten().min()
    }

    /// The relay's cursor as last committed.
    pub(super) const fn relayed(&self) -> Seq {
        self.relayed
    }

    /// Whether everything appended is durable.
    pub(super) fn idle(&self) -> bool {
        self.committing.is_none() && self.waiting.is_empty()
    }

    /// Lets the disk fail for this reason from now on, or work again.
    pub(super) fn set_broken(&mut self, now: u64, broken: Option<&'static str>) {
        self.broken = broken;
        self.pulse = broken.map(|_| now + PULSE_NANOS);
        if broken.is_none() {
            // The writer notices at its next check.
            self.pulse = Some(now + PULSE_NANOS);
        }
    }

    /// Does what is due.
    pub(super) fn poll(&mut self, now: u64, boot: &str) -> CommitResult {
        if self.pulse.take_if(|due| *due <= now).is_some() {
            if let Some(reason) = self.broken {
                self.pulse = Some(now + PULSE_NANOS);
                return self.fail(reason);
            }
            self.take_up(now);
        }
        let Some((_, job)) = self.committing.take_if(|(due, _)| *due <= now) else { return CommitResult::Nothing };
        if let Some(reason) = self.broken {
            self.waiting.push_front(job);
            return self.fail(reason);
        }
        let dies = self.kill_at.as_mut().is_some_and(|kill_at| {
            kill_at.commits -= 1;
            kill_at.commits == 0
        });
        if dies && self.kill_at.is_some_and(|kill_at| !kill_at.durable) {
            return CommitResult::Dead(Vec::new());
        }
        self.failing = false;
        for record in &job.records {
            self.standing.fold(record);
            self.slot.take(record);
            self.last = record.seq;
        }
        self.relayed = job.relayed;
        // `fail` has dropped the grants that waited: the table must ask again.
        if job.permit == Some(true) {
            self.permit = Some(boot.to_owned());
            self.granted.clone_from(&self.permit);
        }
        self.take_up(now);
        if dies { CommitResult::Dead(job.records) } else { CommitResult::Durable(job.records) }
    }

    /// Withdraws the permit and all pending grants: no game on records that may be lost.
    fn fail(&mut self, reason: &'static str) -> CommitResult {
        for job in &mut self.waiting {
            job.permit = job.permit.filter(|granted| !granted);
        }
        self.permit = None;
        if core::mem::replace(&mut self.failing, true) { CommitResult::Nothing } else { CommitResult::Failed(reason) }
    }

    /// Loses what is not committed, with the daemon or the supply.
    pub(super) fn lose(&mut self) {
        self.waiting.clear();
        self.committing = None;
        self.failing = false;
        self.kill_at = None;
    }

    /// Sets how long a commit takes, in nanoseconds.
    pub(super) const fn set_latency(&mut self, nanos: u64) {
        self.latency = nanos;
    }

    /// How long a commit takes, in nanoseconds.
    pub(super) const fn latency(&self) -> u64 {
        self.latency
    }

    /// Everything that a start with this boot id depends on, without sequence numbers and times.
    pub(super) fn start_state(&self, boot: &str) -> Value {
        let standing = &self.standing;
        json!({
            "open": standing.open,
            "latched": standing.latched.iter().map(|m| m.code.name()).collect::<Vec<_>>(),
            "waived": standing.waived.iter().map(|w| w.code.name()).collect::<Vec<_>>(),
            "round": standing.round.as_ref().map(|round| (round.established, round.result)),
            "boot": standing.boot == boot,
            "permit": self.permit.as_deref() == Some(boot),
        })
    }
}
