//! The journal as the pure bench models it: commits take time, and what is not committed is lost.

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

/// A failed commit is tried again after so long, and the disk's room looked at, as the daemon's writer does.
const PULSE_NANOS: u64 = 1_000 * MS;

/// What came of looking after the journal.
pub(super) enum Came {
    /// Nothing was due.
    Nothing,
    /// These records are durable.
    Durable(Vec<Record>),
    /// The disk fails; told once.
    Failed(&'static str),
    /// The daemon dies here; these records are durable all the same.
    Dead(Vec<Record>),
}

/// Where the daemon dies: at which commit from now on, and whether that one is still made durable.
#[derive(Clone, Copy)]
pub(super) struct Deadly {
    pub(super) commits: u16,
    pub(super) durable: bool,
}

/// How much of a damaged journal can be kept.
#[derive(Clone, Copy)]
pub(super) enum Keeps {
    /// Everything: the damage lies behind it.
    All,
    /// What there was at the daemon's last start.
    Earlier,
    /// Nothing.
    Nothing,
}

/// What the slot beside the journal keeps of the rounds, as the daemon's writer does.
#[derive(Clone, Copy, Default)]
struct Slot {
    ended: RoundId,
    began: RoundId,
    /// Whether the outcome of the round that began last was established.
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
    /// The boot under which the table was last permitted to play: what an older copy of permit and slot says.
    granted: Option<String>,
    waiting: VecDeque<Job>,
    committing: Option<(u64, Job)>,
    latency: u64,
    /// Why the disk fails, if it does.
    broken: Option<&'static str>,
    /// The failure was told.
    failing: bool,
    /// When the writer looks again.
    pulse: Option<u64>,
    pub(super) deadly: Option<Deadly>,
    /// What the daemon finds instead of the journal as it was left.
    damage: Option<Found>,
    /// The journal as it was at the daemon's last start.
    earlier: Standing,
}

impl Journal {
    /// The journal of a table that was just put together.
    pub(super) fn commission(settings: &Settings, latency: u64) -> (Self, Record) {
        let record = Record {
            seq: Seq(1),
            at: Mono(0),
            round: None,
            clauses: Vec::new(),
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
            deadly: None,
            damage: None,
            earlier: Standing::default(),
        };
        (journal, record)
    }

    /// What a starting daemon finds under this boot id.
    pub(super) fn found(&mut self, boot: &str) -> Found {
        self.earlier = self.standing.clone();
        self.damage.take().unwrap_or_else(|| Found::Good {
            standing: Box::new(self.standing.clone()),
            last: self.last,
            relayed: self.relayed,
            permit: self.permit.as_deref() == Some(boot),
        })
    }

    /// The journal was damaged while the daemon was off: the next start finds one that was begun again after it, with what
    /// could be kept. Gives its first record.
    pub(super) fn damage(&mut self, at: u64, reason: &'static str, keeps: Keeps) -> Record {
        let mut kept = match keeps {
            Keeps::All => self.standing.clone(),
            Keeps::Earlier => self.earlier.clone(),
            Keeps::Nothing => Standing::default(),
        };
        // The slot beside the journal knows whose it is, and how far the rounds had come.
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
        first.latched.push(Malfunction { code: Code::Journal, cause: reason.into(), since: Mono(0) });
        self.last = self.last.next();
        let event = Event::Keyframe(Box::new(first));
        let record = Record { seq: self.last, at: Mono(at), round: None, clauses: Vec::new(), event };
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
        // While the disk fails, every new job is a new try.
        if let Some(job) = self.waiting.pop_front() {
            if job.permit == Some(false) {
                self.permit = None;
            }
            self.committing = Some((now + self.latency, job));
        }
    }

    /// When the commit in progress is done, or the writer looks again.
    pub(super) fn next(&self) -> Option<u64> {
        let due = self.committing.as_ref().map(|(due, _)| *due);
        [due, self.pulse].into_iter().flatten().min()
    }

    /// The relay's cursor, as it was committed last.
    pub(super) const fn relayed(&self) -> Seq {
        self.relayed
    }

    /// Whether everything that was handed in is durable.
    pub(super) fn idle(&self) -> bool {
        self.committing.is_none() && self.waiting.is_empty()
    }

    /// The disk fails for this reason from now on, or works again.
    pub(super) fn set_broken(&mut self, now: u64, broken: Option<&'static str>) {
        self.broken = broken;
        self.pulse = broken.map(|_| now + PULSE_NANOS);
        if broken.is_none() {
            // Found out at the writer's next look.
            self.pulse = Some(now + PULSE_NANOS);
        }
    }

    /// Does what is due.
    pub(super) fn look(&mut self, now: u64, boot: &str) -> Came {
        if self.pulse.take_if(|due| *due <= now).is_some() {
            if let Some(reason) = self.broken {
                self.pulse = Some(now + PULSE_NANOS);
                return self.fail(reason);
            }
            self.take_up(now);
        }
        let Some((_, job)) = self.committing.take_if(|(due, _)| *due <= now) else { return Came::Nothing };
        if let Some(reason) = self.broken {
            self.waiting.push_front(job);
            return self.fail(reason);
        }
        let dies = self.deadly.as_mut().is_some_and(|deadly| {
            deadly.commits -= 1;
            deadly.commits == 0
        });
        if dies && self.deadly.is_some_and(|deadly| !deadly.durable) {
            return Came::Dead(Vec::new());
        }
        self.failing = false;
        for record in &job.records {
            self.standing.fold(record);
            self.slot.take(record);
            self.last = record.seq;
        }
        self.relayed = job.relayed;
        // After a failure a grant is for the table to ask again.
        if job.permit == Some(true) {
            self.permit = Some(boot.to_owned());
            self.granted.clone_from(&self.permit);
        }
        self.take_up(now);
        if dies { Came::Dead(job.records) } else { Came::Durable(job.records) }
    }

    /// No game on what may not have been kept.
    fn fail(&mut self, reason: &'static str) -> Came {
        for job in &mut self.waiting {
            job.permit = job.permit.filter(|granted| !granted);
        }
        self.permit = None;
        if core::mem::replace(&mut self.failing, true) { Came::Nothing } else { Came::Failed(reason) }
    }

    /// The daemon or the supply is gone: what was not committed is lost.
    pub(super) fn lose(&mut self) {
        self.waiting.clear();
        self.committing = None;
        self.failing = false;
        self.deadly = None;
    }

    /// From now on a commit takes this long.
    pub(super) const fn set_latency(&mut self, nanos: u64) {
        self.latency = nanos;
    }

    /// How long a commit takes, in nanoseconds.
    pub(super) const fn latency(&self) -> u64 {
        self.latency
    }

    /// What decides a start under this boot id, without numbers and times.
    pub(super) fn told(&self, boot: &str) -> Value {
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
