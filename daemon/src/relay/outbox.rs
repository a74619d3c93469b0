//! Where the relay reads what it has to tell.

use tumbler_core::units::Seq;
use tumbler_core::wire::topics::EventMessage;

/// The journal, as far as the relay and the console read it. Calls may read the disk, so they are made on a thread that
/// may wait.
pub trait Outbox: Send + 'static {
    /// The durable records after `seq`, oldest first, at most `limit`. Numbers may be missing where a journal was lost.
    ///
    /// # Errors
    /// What is wrong, for a person.
    fn after(&mut self, seq: Seq, limit: usize) -> Result<Vec<EventMessage>, String>;
}

impl<O: Outbox + ?Sized> Outbox for Box<O> {
    fn after(&mut self, seq: Seq, limit: usize) -> Result<Vec<EventMessage>, String> {
        (**self).after(seq, limit)
    }
}
