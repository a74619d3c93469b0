//! A relay with a journal in memory, and conditions to wait for.

use crate::chained::chained;
use crate::table::table;
use crate::wait::{PATIENCE, until};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tokio::sync::{mpsc, watch};
use tokio::task::JoinHandle;
use tokio::time::{Instant, sleep};
use tumbler_core::effect::KeyTold;
use tumbler_core::record::{Event, Record};
use tumbler_core::snapshot::Snapshot;
use tumbler_core::units::{Mono, Seq};
use tumbler_core::wire::ask::Relay as Health;
use tumbler_core::wire::chain::Chain;
use tumbler_core::wire::topics::{EventMessage, VERSION};
use tumblerd::relay::{self, Feeds, Identity, Names, Outbox, Settings, Timing};

/// Records in memory, and how often they were read.
#[derive(Clone, Default)]
pub(crate) struct Journal {
    records: Arc<Mutex<Vec<EventMessage>>>,
    pub(crate) reads: Arc<AtomicUsize>,
    pub(crate) is_broken: Arc<Mutex<bool>>,
}

impl Outbox for Journal {
    fn after(&mut self, seq: Seq, limit: usize) -> Result<Vec<EventMessage>, String> {
        self.reads.fetch_add(1, Ordering::SeqCst);
        if *self.is_broken.lock().unwrap() {
            return Err("disk on fire".into());
        }
        assert!(limit <= 64, "bounded reads");
        Ok(self.records.lock().unwrap().iter().filter(|m| m.record.seq > seq).take(limit).cloned().collect())
    }
}

/// A relay under test.
pub(crate) struct Bench {
    pub(crate) journal: Journal,
    pub(crate) snapshot: watch::Sender<Arc<Snapshot>>,
    pub(crate) keys: mpsc::Sender<KeyTold>,
    pub(crate) acknowledged: watch::Receiver<Seq>,
    pub(crate) health: watch::Receiver<Option<Health>>,
    pub(crate) stop: watch::Sender<bool>,
    pub(crate) task: JoinHandle<()>,
    durable: watch::Sender<Seq>,
}

pub(crate) fn settings(port: u16) -> Settings {
    Settings {
        host: "127.0.0.1".into(),
        port,
        tls: None,
        client_id: "pit-t1".into(),
        username: None,
        password_file: None,
        keep_alive: Duration::from_secs(5),
        names: Names::TABLE,
    }
}

/// Short pauses: what is tested is that there are any, elsewhere.
pub(crate) fn timing() -> Timing {
    Timing {
        first: Duration::from_millis(50),
        longest: Duration::from_millis(200),
        steady: Duration::from_secs(1),
        parting: Duration::from_secs(5),
    }
}

impl Bench {
    pub(crate) fn start(settings: Settings) -> Self {
        Self::start_after(settings, Seq(0), Journal::default())
    }

    /// A relay that goes on after this record, as after a restart of the daemon.
    pub(crate) fn start_after(settings: Settings, after: Seq, journal: Journal) -> Self {
        Self::start_with(settings, timing(), after, journal)
    }

    /// The same with these pauses.
    pub(crate) fn start_with(settings: Settings, timing: Timing, after: Seq, journal: Journal) -> Self {
        let last = Seq(journal.records.lock().unwrap().len() as u64);
        let (snapshot, snapshots) = watch::channel(Arc::new(table()));
        let (durable, durables) = watch::channel(last);
        let (keys, keys_told) = mpsc::channel(16);
        let (acknowledge, acknowledged) = watch::channel(after);
        let (tell_health, health) = watch::channel(None);
        let (stop, stops) = watch::channel(false);
        let feeds = Feeds {
            snapshot: snapshots,
            durable: durables,
            keys: keys_told,
            acknowledged: acknowledge,
            health: tell_health,
            stop: stops,
        };
        let identity = Identity {
            site: "pit".into(),
            table: "t1".into(),
            boot: "boot-1".into(),
            build: "0.1.0".into(),
            backend: "virtual".into(),
        };
        let outbox = journal.clone();
        let task = tokio::spawn(async move { relay::run(settings, identity, timing, outbox, feeds).await.unwrap() });
        Self { journal, snapshot, keys, acknowledged, health, stop, task, durable }
    }

    /// Appends a number of records and makes them durable.
    pub(crate) fn record(&self, count: u64) {
        let last = {
            let mut records = self.journal.records.lock().unwrap();
            for _ in 0..count {
                push(&mut records, Event::KeyTurned);
            }
            Seq(records.len() as u64)
        };
        self.durable.send_replace(last);
    }

    /// Appends this record and makes it durable.
    pub(crate) fn event(&self, event: Event) {
        let last = push(&mut self.journal.records.lock().unwrap(), event);
        self.durable.send_replace(last);
    }

    pub(crate) fn change(&self, change: impl FnOnce(&mut Snapshot)) {
        let mut table = (**self.snapshot.borrow()).clone();
        change(&mut table);
        self.snapshot.send_replace(Arc::new(table));
    }

    pub(crate) async fn acknowledged(&self, seq: u64) {
        until(&format!("record {seq} acknowledged; {:?}", self.health()), || self.acknowledged.borrow().0 >= seq).await;
    }

    pub(crate) fn health(&self) -> Health {
        self.health.borrow().clone().unwrap_or_default()
    }

    pub(crate) async fn connected(&self) {
        until("connected", || self.health().connected).await;
    }

    /// Waits until the relay says this of its trouble.
    pub(crate) async fn troubled(&self, part: &str) -> String {
        let begun = Instant::now();
        while !self.health().trouble.is_some_and(|t| t.contains(part)) {
            assert!(begun.elapsed() < PATIENCE, "still waiting for trouble `{part}`: {:?}", self.health());
            sleep(Duration::from_millis(5)).await;
        }
        self.health().trouble.unwrap_or_default()
    }

    /// Stops it as the daemon does.
    pub(crate) async fn stop(self) -> Journal {
        self.stop.send_replace(true);
        self.task.await.unwrap();
        self.journal
    }
}

fn push(records: &mut Vec<EventMessage>, event: Event) -> Seq {
    let seq = Seq(records.len() as u64 + 1);
    let message = EventMessage {
        v: VERSION,
        stream: "stream-1".into(),
        head: String::new(),
        wall: 1,
        wall_quality: "synchronised".into(),
        boot: "boot-1".into(),
        backend: "virtual".into(),
        record: Record::plain(seq, Mono(seq.0), None, event),
        chain: Chain::default(),
        body: String::new(),
    };
    let previous = records.last().map(|last| last.head.clone());
    records.push(chained(message, previous.as_deref()));
    seq
}
