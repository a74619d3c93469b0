//! The one inbox of the control loop, for everything that does not come from the lines.

use crate::run::clock;
use tokio::sync::mpsc::{self, error::TrySendError};
use tumbler_core::input::Input;
use tumbler_core::units::Mono;

/// How many inputs wait at most. The bus has one transaction outstanding, the journal answers once a commit, the
/// relay once an acknowledgement, and the console's connections are bounded: a few dozen at the worst moment. A
/// sender that finds it full waits; the control loop empties it in every turn.
pub const BOUND: usize = 256;

/// An input with the moment at which it happened.
#[derive(Clone, Debug, PartialEq)]
pub struct Arrival {
    /// When it happened.
    pub at: Mono,
    /// What happened.
    pub input: Input,
}

/// The sending side. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Inbox {
    sender: mpsc::Sender<Arrival>,
}

/// The control loop has ended, and nothing can be handed in any more.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the control loop has ended")]
pub struct Ended;

/// An inbox and the side that the control loop reads.
#[must_use]
pub fn inbox() -> (Inbox, mpsc::Receiver<Arrival>) {
    let (sender, receiver) = mpsc::channel(BOUND);
    (Inbox { sender }, receiver)
}

impl Inbox {
    /// Hands in an input that has just happened; waits while the inbox is full.
    ///
    /// # Errors
    /// [`Ended`].
    pub async fn send(&self, input: Input) -> Result<(), Ended> {
        self.sender.send(Arrival { at: clock::now(), input }).await.map_err(|_| Ended)
    }

    /// The same from a thread that belongs to no runtime.
    ///
    /// # Errors
    /// [`Ended`].
    pub fn blocking_send(&self, input: Input) -> Result<(), Ended> {
        let arrival = Arrival { at: clock::now(), input };
        // `blocking_send` panics inside a runtime, so the ready case does without it.
        match self.sender.try_send(arrival) {
            Ok(()) => Ok(()),
            Err(TrySendError::Closed(_)) => Err(Ended),
            Err(TrySendError::Full(arrival)) => self.sender.blocking_send(arrival).map_err(|_| Ended),
        }
    }
}
