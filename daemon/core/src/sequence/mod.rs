//! De-energise at once; make durable; then energise, light, publish and answer.
//!
//! What energises waits here for its record to be durable. When it is, the table looks at its guards a second time
//! before it acts: the dome may have opened while the disk wrote. So does the answer "done" to a person, which a restart
//! must not make untrue.

pub(crate) mod durable;

pub use durable::{Durable, Pending};

use crate::context::Context;
use crate::outbox::Outbox;
use crate::prelude::*;
use crate::record::{Event, Record};
use crate::refusal::Refusal;
use crate::timer::Timer;
use crate::units::{Dice, Millis, Mono, RoundId, Seq};
use crate::wire::console::{Answer, Who};
use serde::{Deserialize, Serialize};

/// What waits for a record to be durable.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Action {
    /// Start the motor for this round's spin.
    Spin(RoundId),
    /// Strike the bell for "No more bets".
    Bell(RoundId),
    /// Light the areas of this round's result.
    Light(RoundId, Dice),
    /// Show this round's amended result on the terminal.
    Show(RoundId, Dice),
}

/// The journal as the table sees it: what is recorded, what is on its way, what is durable, and what waits for that.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Sequence {
    last: Seq,
    sent: Seq,
    durable: Seq,
    waiting: Vec<Record>,
    urgent: bool,
    /// More of the same moment is about to be recorded.
    gathering: bool,
    held: Vec<(Seq, Action)>,
    /// Requests whose answer "done", with its words, waits for this record; `None`: for the last one of this step.
    done: Vec<(Option<Seq>, u64, String)>,
    /// The permission last told to the journal.
    permit: bool,
    /// The permission that the next commit is to tell.
    permit_due: Option<bool>,
    /// The record with which the permission in force was granted; durable before a game may start.
    granted: Option<Seq>,
    failed: bool,
    /// The relay's cursor.
    outbox: Outbox,
}

impl Sequence {
    /// Goes on after the journal's last record.
    #[must_use]
    pub fn new(last: Seq, relayed: Seq, permit: bool) -> Self {
        Self {
            last,
            sent: last,
            durable: last,
            waiting: Vec::new(),
            urgent: false,
            gathering: false,
            held: Vec::new(),
            done: Vec::new(),
            permit,
            permit_due: None,
            granted: permit.then_some(last),
            failed: false,
            outbox: Outbox::from(relayed),
        }
    }

    /// Appends a record; it may wait for company.
    pub fn record(
        &mut self,
        at: Mono,
        round: Option<RoundId>,
        clauses: Vec<String>,
        who: Option<Who>,
        event: Event,
    ) -> Pending {
        self.last = self.last.next();
        self.waiting.push(Record { seq: self.last, at, round, clauses, who, event });
        Pending::of(self.last)
    }

    /// What this step records is to be committed at once.
    pub const fn hurry(&mut self) {
        self.urgent = true;
    }

    /// What this step records is to be committed as soon as what belongs to it is recorded as well.
    pub const fn gather(&mut self) {
        self.gathering = true;
    }

    /// Holds an action until everything recorded so far is durable.
    pub fn hold(&mut self, action: Action) {
        self.hurry();
        self.held.push((self.last, action));
    }

    /// Answers a request with "done" once everything is durable that this step records: a test that is called off, say, is
    /// recorded only as the step ends.
    pub fn answer(&mut self, request: u64, done: String) {
        self.hurry();
        self.done.push((None, request, done));
    }

    /// Sends the answers that need wait no longer, at the end of a step. Where the journal cannot be written nothing is done
    /// for good, and the answer says so.
    pub fn send_answers(&mut self, ctx: &mut Context) {
        for (after, ..) in &mut self.done {
            after.get_or_insert(self.last);
        }
        while self.done.first().is_some_and(|(after, ..)| *after <= Some(self.durable) || self.failed) {
            let (after, request, done) = self.done.remove(0);
            let answer = if after <= Some(self.durable) {
                Answer::Done(done)
            } else {
                // Not what was done: nobody is told what is not on record.
                Answer::from(&Refusal::NotOnRecord)
            };
            ctx.reply(request, answer);
        }
    }

    /// Forgets held actions.
    pub fn drop_held(&mut self, which: impl Fn(&Action) -> bool) {
        self.held.retain(|(_, action)| !which(action));
    }

    /// Whether an action of this kind is held.
    #[must_use]
    pub fn is_held(&self, which: impl Fn(&Action) -> bool) -> bool {
        self.held.iter().any(|(_, action)| which(action))
    }

    /// Sets the permission to play that the journal is to keep from the next commit on.
    pub fn permit(&mut self, permit: bool) {
        if self.permit == permit && self.permit_due.is_none() {
            return;
        }
        self.permit_due = Some(permit);
        self.granted = permit.then_some(self.last);
        self.hurry();
    }

    /// Whether the permission to play is granted and durable.
    #[must_use]
    pub fn is_permitted(&self) -> bool {
        !self.failed && self.granted.is_some_and(|seq| seq <= self.durable)
    }

    /// Sends what is to be committed, if it is urgent or has waited long enough.
    pub fn flush(&mut self, lingered: bool, ctx: &mut Context) {
        if self.waiting.is_empty() {
            (self.urgent, self.gathering) = (false, false);
            return;
        }
        if !(self.urgent || lingered) {
            let p = ctx.p();
            let (timer, wait) = if self.gathering { (Timer::Gather, p.gather) } else { (Timer::Linger, p.linger) };
            if !ctx.is_set(timer) {
                ctx.after(timer, Millis(wait));
            }
            return;
        }
        ctx.clear(Timer::Linger);
        ctx.clear(Timer::Gather);
        (self.urgent, self.gathering) = (false, false);
        self.sent = self.last;
        let permit = self.permit_due.take();
        if let Some(permit) = permit {
            self.permit = permit;
        }
        ctx.commit(core::mem::take(&mut self.waiting), self.outbox.cursor(), permit);
    }

    /// Takes the journal's word that everything up to `seq` is durable.
    pub fn durable(&mut self, seq: Seq) {
        if seq <= self.sent && seq > self.durable {
            self.durable = seq;
        }
        if self.durable == self.sent {
            self.failed = false;
        }
    }

    /// Takes the broker's acknowledgement of every event up to `seq`.
    pub fn acknowledge(&mut self, seq: Seq) {
        self.outbox.acknowledge(seq, self.durable);
    }

    /// Takes the next held action whose record is durable.
    pub fn release(&mut self) -> Option<(Action, Durable)> {
        let (after, _) = self.held.first()?;
        let durable = self.prove(*after)?;
        Some((self.held.remove(0).1, durable))
    }

    /// Whether this record is durable, in a journal that can be written.
    ///
    /// ```compile_fail,E0308
    /// use tumbler_core::{sequence::Sequence, units::Seq};
    /// fn prove_anything(sequence: &Sequence) {
    ///     sequence.confirm(&Seq(0));
    /// }
    /// ```
    #[must_use]
    pub fn confirm(&self, record: &Pending) -> Option<Durable> {
        self.prove(record.record())
    }

    fn prove(&self, record: Seq) -> Option<Durable> {
        (record <= self.durable && !self.failed).then_some(Durable::of(record))
    }

    /// The journal cannot be written: nothing energises on records that are not durable.
    pub fn fail(&mut self) {
        self.failed = true;
        self.held.clear();
    }

    /// Whether the journal cannot be written.
    #[must_use]
    pub const fn has_failed(&self) -> bool {
        self.failed
    }

    /// The last record.
    #[must_use]
    pub const fn last(&self) -> Seq {
        self.last
    }

    /// The last durable record.
    #[must_use]
    pub const fn last_durable(&self) -> Seq {
        self.durable
    }

    /// Whether everything recorded is durable, so that the table may be shown as it is.
    #[must_use]
    pub fn is_durable(&self) -> bool {
        self.durable == self.last
    }
}
