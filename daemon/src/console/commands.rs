//! Commands on their way to the table, and its answers on their way back.

use std::collections::BTreeMap;
use std::fmt;
use std::pin::Pin;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio::sync::{mpsc, oneshot};
use tokio::time::{Instant, sleep_until, timeout};
use tumbler_core::input::Input;
use tumbler_core::wire::console::{Answer, Caller, Command};

/// Most clients at a time: a watcher, and a few people with several windows each.
pub const CONNECTIONS: usize = 32;
/// Room for answers on their way from the control loop. Every connection waits for one at most, and the panel for a few, so
/// with twice as many places as connections the control loop never finds it full.
pub const ANSWERS: usize = 2 * CONNECTIONS;

/// Hands an input to the control loop; says whether it is still there. May wait for room.
pub type HandIn = Arc<dyn Fn(Input) -> Pin<Box<dyn Future<Output = bool> + Send>> + Send + Sync>;

/// Shortest time between two commands, of all people together: refusals are recorded on flash too, and nobody types faster.
const PACE: Duration = Duration::from_millis(50);
/// Longest time until the control loop has room for a command.
const ROOM: Duration = Duration::from_secs(5);
/// Longest time until the table answers: the longest device's test waits ten minutes for a person.
const ANSWER: Duration = Duration::from_secs(15 * 60);

/// The commands under way: the one way on which people's commands reach the table, from the console and from the panel.
pub struct Commands {
    hand_in: HandIn,
    next: AtomicU64,
    waiting: Mutex<BTreeMap<u64, oneshot::Sender<Answer>>>,
    pace: tokio::sync::Mutex<Instant>,
}

/// A command got no answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Unanswered {
    /// The control loop has no room.
    #[error("the table is too busy for commands; try again")]
    Busy,
    /// The control loop is gone.
    #[error("the daemon is stopping")]
    Stopping,
    /// No answer came.
    #[error("the table did not answer within {ANSWER:?}; see `tumblerctl status`")]
    Silent,
}

impl fmt::Debug for Commands {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Commands")
    }
}

impl Commands {
    /// Commands that are handed in this way.
    #[must_use]
    pub fn new(hand_in: HandIn) -> Self {
        Self {
            hand_in,
            next: AtomicU64::new(1),
            waiting: Mutex::default(),
            pace: tokio::sync::Mutex::new(Instant::now()),
        }
    }

    fn waiting(&self) -> std::sync::MutexGuard<'_, BTreeMap<u64, oneshot::Sender<Answer>>> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes the table's answers to whom they belong, until the control loop is gone.
    pub(super) async fn deliver(&self, mut answers: mpsc::Receiver<(u64, Answer)>) {
        while let Some((request, answer)) = answers.recv().await {
            if let Some(sender) = self.waiting().remove(&request) {
                // Who hung up meanwhile needs no answer; the journal has it.
                let _ = sender.send(answer);
            }
        }
        // Nobody will be answered any more: dropping the senders says so.
        self.waiting().clear();
    }

    /// Hands a command in and waits for its answer.
    ///
    /// # Errors
    /// [`Unanswered`].
    pub async fn command(&self, caller: Caller, command: Command) -> Result<Answer, Unanswered> {
        {
            let mut free = self.pace.lock().await;
            sleep_until(*free).await;
            *free = Instant::now() + PACE;
        }
        let request = self.next.fetch_add(1, Ordering::Relaxed);
        let (sender, answer) = oneshot::channel();
        self.waiting().insert(request, sender);
        // Also when the client hangs up and this future is dropped.
        let _forget = Forget { commands: self, request };
        let input = Input::Console { request, caller, command };
        match timeout(ROOM, (self.hand_in)(input)).await {
            Err(_) => return Err(Unanswered::Busy),
            Ok(false) => return Err(Unanswered::Stopping),
            Ok(true) => {}
        }
        match timeout(ANSWER, answer).await {
            Err(_) => Err(Unanswered::Silent),
            Ok(Err(_)) => Err(Unanswered::Stopping),
            Ok(Ok(answer)) => Ok(answer),
        }
    }
}

struct Forget<'a> {
    commands: &'a Commands,
    request: u64,
}

impl Drop for Forget<'_> {
    fn drop(&mut self) {
        self.commands.waiting().remove(&self.request);
    }
}
