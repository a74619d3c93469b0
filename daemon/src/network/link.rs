//! The network's side of the seam: the connection to the process that drives the table.

use super::lines::{self, Lines};
use super::messages::{Asked, BEAT, Disk, FORMAT, Hello, LONGEST_TOLD, PAGE, Page, RelayTold, TechnicianCommand, Told};
use crate::relay::Outbox;
use crate::run::trace::{Tap, Traces, tap};
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{SyncSender, sync_channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::net::UnixStream;
use tokio::net::unix::{OwnedReadHalf, OwnedWriteHalf};
use tokio::sync::{mpsc, oneshot, watch};
use tokio::time::interval;
use tumbler_core::effect::KeyTold;
use tumbler_core::snapshot::Snapshot;
use tumbler_core::units::Seq;
use tumbler_core::wire::ask::Relay;
use tumbler_core::wire::console::Answer;
use tumbler_core::wire::topics::EventMessage;
use tumbler_core::wire::wires::Wires;

/// Questions that wait to be asked.
const WAITING: usize = 16;
/// Key presses that wait for the relay; what finds no room is dropped, for it is news and no record.
const KEYS: usize = 16;
/// Longest wait for a page of records.
const PAGE_COMES: Duration = Duration::from_secs(20);
/// Why nothing is answered any more.
const GONE: &str = "the table's process is gone";

/// What the parts of the network's process are fed with.
#[derive(Debug)]
pub struct Feeds {
    /// Whose table it is, and where its relay left off.
    pub hello: Hello,
    /// The table as it is.
    pub snapshot: watch::Receiver<Arc<Snapshot>>,
    /// The journal's last durable record.
    pub durable: watch::Receiver<Seq>,
    /// Keys that may be told.
    pub keys: mpsc::Receiver<KeyTold>,
    /// What the control loop sees.
    pub traces: Traces,
    /// Every wire and every register, a moment ago.
    pub wires: watch::Receiver<Arc<Wires>>,
    /// The journal's disk.
    pub disk: watch::Receiver<Option<Disk>>,
    /// The journal's records, and the way for commands. Clones share the connection.
    pub table: Table,
    /// Becomes `true` when the table's process stops or is gone.
    pub stop: watch::Receiver<bool>,
}

/// What the other process is told.
#[derive(Debug)]
pub struct Reports {
    /// The last record that the broker acknowledged with all before it.
    pub acknowledged: watch::Receiver<Seq>,
    /// How the relay fares.
    pub relay: watch::Receiver<Option<Relay>>,
}

/// A connection, and what it feeds.
#[derive(Debug)]
pub struct Link {
    from: Lines<OwnedReadHalf>,
    to: OwnedWriteHalf,
    asked: mpsc::Receiver<Asked>,
    feeding: Feeding,
}

#[derive(Debug)]
struct Feeding {
    snapshot: watch::Sender<Arc<Snapshot>>,
    durable: watch::Sender<Seq>,
    keys: mpsc::Sender<KeyTold>,
    tap: Tap,
    wires: watch::Sender<Arc<Wires>>,
    disk: watch::Sender<Option<Disk>>,
    pending: Arc<Pending>,
    stop: watch::Sender<bool>,
}

/// What was asked and is not answered yet.
#[derive(Debug, Default)]
struct Pending {
    next: AtomicU64,
    asked: Mutex<Questions>,
}

#[derive(Debug, Default)]
struct Questions {
    /// Nobody will answer any more.
    is_over: bool,
    records: BTreeMap<u64, SyncSender<Result<Page, String>>>,
    commands: BTreeMap<u64, oneshot::Sender<Result<Answer, String>>>,
}

/// The journal's records, and the way for commands.
#[derive(Clone, Debug)]
pub struct Table {
    ask: mpsc::Sender<Asked>,
    pending: Arc<Pending>,
}

/// Calls the table's process, and waits for its first word.
///
/// # Errors
/// Why it does not answer, and what to do.
pub async fn open(socket: &Path) -> Result<(Link, Feeds), String> {
    let stream = UnixStream::connect(socket).await.map_err(|error| {
        format!(
            "{} does not answer: {error}; does tumblerd run, and is this account its network.user?",
            socket.display()
        )
    })?;
    let (from, to) = stream.into_split();
    let mut from = Lines::new(from, LONGEST_TOLD);
    let line = from.next().await.map_err(|error| format!("the table's process: {error}"))?;
    let hello = match serde_json::from_slice(&line) {
        Ok(Told::Hello(hello)) if hello.format == FORMAT => hello,
        Ok(Told::Refused(why)) => return Err(format!("the table's process refuses: {why}")),
        _ => return Err("the table's process is of another version; restart both".into()),
    };
    let (snapshot, shown) = watch::channel(Arc::new((*hello.snapshot).clone()));
    let (durable, durable_seen) = watch::channel(hello.durable);
    let (keys, keys_told) = mpsc::channel(KEYS);
    let (tap, traces) = tap();
    let (wires, wires_seen) = watch::channel(Arc::default());
    let (disk, disk_seen) = watch::channel(None);
    let (ask, asked) = mpsc::channel(WAITING);
    let (stop, stops) = watch::channel(false);
    let pending = Arc::new(Pending::default());
    let table = Table { ask, pending: Arc::clone(&pending) };
    let feeds = Feeds {
        hello,
        snapshot: shown,
        durable: durable_seen,
        keys: keys_told,
        traces,
        wires: wires_seen,
        disk: disk_seen,
        table,
        stop: stops,
    };
    let feeding = Feeding { snapshot, durable, keys, tap, wires, disk, pending, stop };
    Ok((Link { from, to, asked, feeding }, feeds))
}

impl Link {
    /// A way to stop what is fed.
    #[must_use]
    pub fn stop(&self) -> watch::Sender<bool> {
        self.feeding.stop.clone()
    }

    /// Feeds and reports until the other process hangs up; says why. Dropping it hangs up.
    pub async fn drive(self, mut reports: Reports) -> String {
        let Self { mut from, mut to, mut asked, feeding } = self;
        let why = tokio::select! {
            why = feeding.hear(&mut from) => why,
            why = say(&mut to, &mut asked, &mut reports) => why,
        };
        feeding.pending.end();
        feeding.stop.send_replace(true);
        why
    }
}

impl Feeding {
    async fn hear(&self, from: &mut Lines<OwnedReadHalf>) -> String {
        loop {
            let line = match from.next().await {
                Ok(line) => line,
                Err(error) => return error.to_string(),
            };
            let Ok(told) = serde_json::from_slice(&line) else { return "it said what is not understood".into() };
            match told {
                Told::Hello(_) => return "it said hello twice".into(),
                Told::Refused(why) => return why,
                Told::Snapshot(snapshot) => drop(self.snapshot.send_replace(Arc::new(*snapshot))),
                Told::Durable(seq) => drop(self.durable.send_replace(seq)),
                // Without a broker the queue is full and stays so.
                Told::Key(key) => drop(self.keys.try_send(key)),
                Told::Seen { seen, lost } => {
                    self.tap.missed(lost);
                    seen.into_iter().for_each(|seen| self.tap.tell(seen));
                }
                Told::Wires(wires) => drop(self.wires.send_replace(Arc::new(*wires))),
                Told::Alive { disk } => drop(self.disk.send_replace(disk)),
                Told::Records { id, page } => {
                    if let Some(sender) = self.pending.asked().records.remove(&id) {
                        // Who asked may have given up.
                        let _ = sender.try_send(page);
                    }
                }
                Told::Answer { id, answer } => {
                    if let Some(sender) = self.pending.asked().commands.remove(&id) {
                        let _ = sender.send(answer);
                    }
                }
                Told::Stop => drop(self.stop.send_replace(true)),
            }
        }
    }
}

/// Says what is asked and what there is to report.
async fn say(to: &mut OwnedWriteHalf, asked: &mut mpsc::Receiver<Asked>, reports: &mut Reports) -> String {
    let mut beat = interval(BEAT);
    let (mut no_relay, mut no_acknowledgements) = (false, false);
    loop {
        let said = tokio::select! {
            Some(asked) = asked.recv() => Some(asked),
            changed = reports.acknowledged.changed(), if !no_acknowledgements => {
                no_acknowledgements = changed.is_err();
                changed.ok().map(|()| Asked::Acknowledged(*reports.acknowledged.borrow_and_update()))
            }
            changed = reports.relay.changed(), if !no_relay => {
                no_relay = changed.is_err();
                reports.relay.borrow_and_update().as_ref().map(|relay| Asked::Relay(told(relay)))
            }
            _ = beat.tick() => Some(Asked::Alive),
        };
        let Some(said) = said else { continue };
        if let Err(error) = lines::write(to, &said).await {
            return error.to_string();
        }
    }
}

fn told(relay: &Relay) -> RelayTold {
    let Relay { connected, keys_dropped, trouble, refused, .. } = relay.clone();
    RelayTold { connected, keys_dropped, trouble, refused }
}

impl Pending {
    fn asked(&self) -> MutexGuard<'_, Questions> {
        self.asked.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Nobody will be answered any more: dropping the senders says so.
    fn end(&self) {
        *self.asked() = Questions { is_over: true, ..Questions::default() };
    }
}

impl Table {
    fn number(&self) -> u64 {
        self.pending.next.fetch_add(1, Ordering::Relaxed)
    }

    /// One page of records.
    fn page(&self, after: Seq, limit: usize) -> Result<Page, String> {
        let (sender, page) = sync_channel(1);
        let id = self.number();
        {
            let mut asked = self.pending.asked();
            if asked.is_over {
                return Err(GONE.into());
            }
            asked.records.insert(id, sender);
        }
        let limit = u32::try_from(limit).unwrap_or(u32::MAX);
        let asked = self.ask.blocking_send(Asked::Records { id, after, limit });
        let page =
            asked.map_err(|_| GONE.to_owned()).and_then(|()| page.recv_timeout(PAGE_COMES).map_err(|_| GONE.into()));
        self.pending.asked().records.remove(&id);
        page?
    }

    /// Gives the table a technician's command in the name of an account of the panel's; brings its answer.
    ///
    /// # Errors
    /// Why there is none.
    pub async fn give(&self, by: String, command: TechnicianCommand) -> Result<Answer, String> {
        let (sender, answer) = oneshot::channel();
        let id = self.number();
        {
            let mut asked = self.pending.asked();
            if asked.is_over {
                return Err(GONE.into());
            }
            asked.commands.insert(id, sender);
        }
        let _forget = Forget { table: self, id };
        self.ask.send(Asked::Command { id, by, command }).await.map_err(|_| GONE.to_owned())?;
        answer.await.unwrap_or_else(|_| Err(GONE.into()))
    }
}

/// Who hung up at the panel waits for no answer.
struct Forget<'a> {
    table: &'a Table,
    id: u64,
}

impl Drop for Forget<'_> {
    fn drop(&mut self) {
        self.table.pending.asked().commands.remove(&self.id);
    }
}

impl Outbox for Table {
    /// Page by page: one may hold fewer records than are wanted, because they are long.
    fn after(&mut self, seq: Seq, limit: usize) -> Result<Vec<EventMessage>, String> {
        let (mut after, mut found) = (seq, Vec::new());
        while found.len() < limit {
            let wanted = PAGE.min(limit - found.len());
            let Page { records, is_cut } = self.page(after, wanted)?;
            let Some(last) = records.last() else { break };
            if last.record.seq <= after {
                return Err("the table's process told records out of their order".into());
            }
            after = last.record.seq;
            let is_all = records.len() < wanted && !is_cut;
            found.extend(records);
            if is_all {
                break;
            }
        }
        Ok(found)
    }
}
