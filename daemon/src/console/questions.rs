//! What the daemon can tell without asking the table.

use super::shared::Shared;
use crate::history::rounds;
use std::sync::Arc;
use tumbler_core::units::{RoundId, Seq};
use tumbler_core::wire::ask::{MAX_EVENTS, MAX_ROUNDS, RoundSummary, Status, Told};
use tumbler_core::wire::topics::EventMessage;

/// Records in one read: bounds the memory that a question takes.
const PAGE: usize = 64;

impl Shared {
    /// The table as it is.
    pub(super) fn status(&self) -> Told {
        let snapshot = (**self.snapshot.borrow()).clone();
        Told::Status(Box::new(Status {
            snapshot,
            relay: self.relay.borrow().clone(),
            network: self.network.borrow().clone(),
            about: self.about.clone(),
        }))
    }

    /// Every wire and every register.
    pub(super) fn wires(&self) -> Told {
        let snapshot = Arc::clone(&self.snapshot.borrow());
        Told::Wires(Box::new(self.wiring.shown(&snapshot)))
    }

    /// What is latched and what is waived.
    pub(super) fn faults(&self) -> Told {
        let snapshot = self.snapshot.borrow();
        Told::Faults { latched: snapshot.malfunctions.clone(), waived: snapshot.waived.clone() }
    }

    /// The journal's last durable record.
    pub(super) fn tip(&self) -> Seq {
        *self.durable.borrow()
    }

    /// The latest rounds, oldest first.
    ///
    /// # Errors
    /// The journal cannot be read, or more is asked for than is told at once.
    pub(super) async fn rounds(&self, last: u32) -> Result<Vec<RoundSummary>, String> {
        if last > MAX_ROUNDS {
            return Err(format!("{last} rounds are too many; at most {MAX_ROUNDS} are told at once"));
        }
        let tip = self.tip();
        self.records.read(move |records| rounds::latest(records, tip, last)).await
    }

    /// A round's records, and those about it.
    ///
    /// # Errors
    /// The journal cannot be read, or has no such round within reach.
    pub(super) async fn round(&self, id: RoundId) -> Result<Vec<EventMessage>, String> {
        let tip = self.tip();
        self.records.read(move |records| rounds::whole(records, tip, id)).await
    }

    /// One page of records after `after`, at most `limit`, oldest first; empty when there are no more.
    ///
    /// # Errors
    /// The journal cannot be read.
    pub(super) async fn page(&self, after: Seq, limit: u32) -> Result<Vec<EventMessage>, String> {
        let limit = PAGE.min(usize::try_from(limit).unwrap_or(PAGE));
        self.records.read(move |records| records.after(after, limit)).await
    }

    /// Whether so many records may be asked for.
    ///
    /// # Errors
    /// What is allowed.
    pub(super) fn may_ask(limit: u32) -> Result<(), String> {
        if limit > MAX_EVENTS {
            return Err(format!("{limit} records are too many; at most {MAX_EVENTS} are told at once"));
        }
        Ok(())
    }
}
