//! The control process's side of the seam: the socket on which the network's process calls.
//!
//! ```text
//!          a call of network.user             whatever goes wrong
//! down ─────────────────────────────> up ─────────────────────────> down: since when, and why
//! ```
//! One caller at a time, who is known by the kernel's word (`SO_PEERCRED`). What it asks is answered one thing at a time, so that what
//! it floods waits in its own socket; commands alone, which take as long as a test, run beside, a few at a time.

use super::account;
use super::allowance::Allowance;
use super::door::Door;
pub use super::door::IsCaller;
use super::lines::{self, Lines};
use super::messages::{
    Asked, BEAT, Disk, FORMAT, Hello, LONGEST_ASKED, PAGE, PAGE_BYTES, Page, RelayTold, TechnicianCommand, Told,
};
use crate::history::records::Records;
use crate::run::clock::wall;
use crate::run::stop::stopped;
use crate::run::trace::{Observation, Traces};
use crate::run::wires::Wiring;
use std::future::pending;
use std::path::{Path, PathBuf};
use std::pin::{Pin, pin};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio::net::unix::{OwnedReadHalf, OwnedWriteHalf};
use tokio::net::{UnixListener, UnixStream};
use tokio::sync::{mpsc, watch};
use tokio::task::{JoinSet, spawn_blocking};
use tokio::time::{Instant, sleep, sleep_until, timeout};
use tumbler_core::effect::KeyTold;
use tumbler_core::snapshot::Snapshot;
use tumbler_core::text;
use tumbler_core::units::Seq;
use tumbler_core::wire::ask::{Network, Relay};
use tumbler_core::wire::console::{Answer, Command, PANEL};
use tumbler_core::wire::topics::EventMessage;

/// Lines of the other side that are taken: so many at once, and then one in this time.
const LINES: (u32, Duration) = (256, Duration::from_millis(2));
/// Commands: so many at once, and then one in this time. What the table refuses is written on flash too.
const COMMANDS: (u32, Duration) = (10, Duration::from_millis(500));
/// Commands under way at a time: one test, its witness, and what the table refuses.
const UNDER_WAY: usize = 4;
/// Answers that wait to be taken. While they do, nothing more is heard.
const ANSWERS: usize = 8;
/// Calls that are served: so many at once, and then one in this time.
const SERVED: (u32, Duration) = (8, Duration::from_millis(200));
/// Of these so many are told in the log at once, and then one in this time: who hangs up again and again would else fill it.
const LOGGED: (u32, Duration) = (16, Duration::from_secs(60));
/// Longest time in which a caller takes why it is hung up on.
const LAST_WORD: Duration = Duration::from_millis(200);
/// Longest time in which what is left is told when the daemon stops.
const PARTING: Duration = Duration::from_millis(2300);
/// Most topics of which it is told that the broker refuses them: there are fewer.
const TOPICS: usize = 32;

/// Gives the table a technician's command in this name, and brings its answer, or why there is none.
pub type Give =
    Arc<dyn Fn(String, Command) -> Pin<Box<dyn Future<Output = Result<Answer, String>> + Send>> + Send + Sync>;

/// What the gate is fed with, and where it says how things fare.
pub struct Feeds {
    /// Version of the daemon, and the kernel's boot id.
    pub about: (String, String),
    /// Site, table and hardware backend.
    pub table: (String, String, String),
    /// The broker, where one is configured.
    pub broker: Option<String>,
    /// Who may call.
    pub is_caller: IsCaller,
    /// The table as it is.
    pub snapshot: watch::Receiver<Arc<Snapshot>>,
    /// The journal's last durable record.
    pub durable: watch::Receiver<Seq>,
    /// Keys that may be told.
    pub keys: mpsc::Receiver<KeyTold>,
    /// What the control loop sees, where somebody looks.
    pub traces: Option<Traces>,
    /// Every wire and every register, told as often as what the loop sees.
    pub wiring: Wiring,
    /// The journal.
    pub records: Records,
    /// The way to the table, where the configuration has accounts that may log in at the panel.
    pub give: Option<Give>,
    /// Starts at the cursor that the journal holds; is set to the last record that the broker acknowledged with all before it.
    pub acknowledged: watch::Sender<Seq>,
    /// How the relay fares; `None` where no broker is configured.
    pub relay: watch::Sender<Option<Relay>>,
    /// Whether the network's process is there.
    pub network: watch::Sender<Option<Network>>,
    /// Where the journal lies: its disk is looked at.
    pub state_dir: PathBuf,
    /// Set to `true` when the daemon stops.
    pub stop: watch::Receiver<bool>,
}

/// Serves the network's process until the daemon stops.
pub async fn run(listener: UnixListener, feeds: Feeds) {
    let Feeds {
        about: (build, boot),
        table: (site, table, backend),
        broker,
        is_caller,
        snapshot,
        durable,
        mut keys,
        mut traces,
        wiring,
        records,
        give,
        acknowledged,
        relay,
        network,
        state_dir,
        stop,
    } = feeds;
    let hello = Hello {
        format: FORMAT,
        build,
        boot,
        site,
        table,
        backend,
        relayed: Seq(0),
        durable: Seq(0),
        snapshot: Box::default(),
    };
    let often = Mutex::new(Allowance::new(COMMANDS.0, COMMANDS.1));
    let gate = Gate {
        hello,
        broker,
        snapshot,
        wiring,
        durable,
        records,
        give,
        often,
        acknowledged,
        relay,
        network,
        state_dir,
        stop,
    };
    let mut door = Door::new(listener, is_caller);
    let (mut served, mut logged) = (Allowance::new(SERVED.0, SERVED.1), Allowance::new(LOGGED.0, LOGGED.1));
    let (mut why, mut left_out) = ("it has not called yet".to_owned(), 0_u64);
    loop {
        let Some(stream) = gate.wait(&mut door, &why).await else { return };
        let is_logged = logged.take(Instant::now()).is_ok();
        if is_logged {
            tracing::info!(left_out, "the network's process has called");
            left_out = 0;
        }
        let session = pin!(gate.session(stream, &mut keys, &mut traces));
        why = door.closed_during(session).await;
        if *gate.stop.borrow() {
            return;
        }
        if is_logged {
            tracing::warn!("panel and relay are down: the network's process: {why}");
        } else {
            left_out += 1;
        }
        while let Err(wait) = served.take(Instant::now()) {
            sleep(wait).await;
        }
    }
}

/// What does not change from call to call.
struct Gate {
    /// All of it but what changes.
    hello: Hello,
    broker: Option<String>,
    snapshot: watch::Receiver<Arc<Snapshot>>,
    wiring: Wiring,
    durable: watch::Receiver<Seq>,
    records: Records,
    give: Option<Give>,
    /// How often a command may come, whoever calls for it: hanging up begins no new allowance.
    often: Mutex<Allowance>,
    acknowledged: watch::Sender<Seq>,
    relay: watch::Sender<Option<Relay>>,
    network: watch::Sender<Option<Network>>,
    state_dir: PathBuf,
    stop: watch::Receiver<bool>,
}

impl Gate {
    /// Waits for a call; `None` when the daemon stops. Says meanwhile that nobody is there, and how much waits.
    async fn wait(&self, door: &mut Door, why: &str) -> Option<UnixStream> {
        let mut durable = self.durable.clone();
        self.down(why);
        let mut is_gone = false;
        let mut call = pin!(door.call());
        loop {
            let what = format!("the network's process is down: {why}; see `systemctl status tumblerd-net`");
            self.tell_relay(RelayTold { trouble: Some(what), ..RelayTold::default() });
            tokio::select! {
                stream = &mut call => return Some(stream),
                () = stopped(self.stop.clone()) => return None,
                changed = durable.changed(), if !is_gone => is_gone = changed.is_err(),
            }
        }
    }

    /// It is not there, or not any more; `since` stays where it was not there before.
    fn down(&self, why: &str) {
        self.network.send_modify(|network| {
            let since = network.take().filter(|network| !network.up).map_or_else(wall, |network| network.since);
            *network = Some(Network { up: false, since, trouble: Some(why.to_owned()) });
        });
    }

    /// It is there: it said something that is understood.
    fn heard(&self) {
        if self.network.borrow().as_ref().is_some_and(|network| network.up) {
            return;
        }
        self.network.send_replace(Some(Network { up: true, since: wall(), trouble: None }));
        self.tell_relay(RelayTold { trouble: Some("not connected yet".into()), ..RelayTold::default() });
    }

    fn tell_relay(&self, told: RelayTold) {
        let Some(broker) = &self.broker else { return };
        let (acknowledged, waiting) = self.backlog();
        let RelayTold { connected, keys_dropped, trouble, refused } = told;
        self.relay.send_replace(Some(Relay {
            broker: broker.clone(),
            connected,
            acknowledged,
            waiting,
            keys_dropped,
            trouble: trouble.as_deref().map(plain),
            refused: refused.iter().take(TOPICS).map(|topic| plain(topic)).collect(),
        }));
    }

    /// Says what the broker has anew: how the relay fares may have been told before its acknowledgement.
    fn tell_backlog(&self) {
        let backlog = self.backlog();
        self.relay.send_if_modified(|relay| {
            let Some(relay) = relay else { return false };
            let is_news = (relay.acknowledged, relay.waiting) != backlog;
            (relay.acknowledged, relay.waiting) = backlog;
            is_news
        });
    }

    /// What the broker acknowledged, and how many records wait for it.
    fn backlog(&self) -> (Seq, u64) {
        let acknowledged = *self.acknowledged.borrow();
        (acknowledged, self.durable.borrow().0.saturating_sub(acknowledged.0))
    }

    /// Serves a caller; why it ended.
    async fn session(
        &self,
        stream: UnixStream,
        keys: &mut mpsc::Receiver<KeyTold>,
        traces: &mut Option<Traces>,
    ) -> String {
        self.down("it has called, and has not said anything yet");
        let (from, mut to) = stream.into_split();
        let (answers, waiting) = mpsc::channel(ANSWERS);
        let (seen, sights) = mpsc::channel(1);
        let why = tokio::select! {
            why = self.tell(&mut to, waiting, sights, keys) => why,
            why = self.hear(from, &answers) => why,
            () = self.look(traces, &seen) => String::new(),
            () = self.parted() => "the daemon stops".into(),
        };
        // As far as there is room for it at once: who is hung up on may not take it.
        let _ = timeout(LAST_WORD, lines::write(&mut to, &Told::Refused(why.clone()))).await;
        why
    }

    /// Hands on what the control loop sees, and what wires and bus did meanwhile.
    async fn look(&self, traces: &mut Option<Traces>, to: &mpsc::Sender<Told>) {
        let Some(traces) = traces else { return pending().await };
        let mut batch: Vec<Observation> = Vec::new();
        while traces.batch(&mut batch).await {
            let seen = Told::Seen { seen: std::mem::take(&mut batch), lost: traces.lost() };
            let snapshot = Arc::clone(&self.snapshot.borrow());
            let wires = Told::Wires(Box::new(self.wiring.shown(&snapshot)));
            if to.send(seen).await.is_err() || to.send(wires).await.is_err() {
                break;
            }
        }
        pending().await
    }

    /// The time after the daemon's stop in which what is left is told.
    async fn parted(&self) {
        stopped(self.stop.clone()).await;
        sleep(PARTING).await;
    }

    /// Tells what there is to tell.
    async fn tell(
        &self,
        to: &mut OwnedWriteHalf,
        mut answers: mpsc::Receiver<Told>,
        mut seen: mpsc::Receiver<Told>,
        keys: &mut mpsc::Receiver<KeyTold>,
    ) -> String {
        let (mut snapshot, mut durable) = (self.snapshot.clone(), self.durable.clone());
        let hello = Hello {
            relayed: *self.acknowledged.borrow(),
            durable: *durable.borrow_and_update(),
            snapshot: Box::new((**snapshot.borrow_and_update()).clone()),
            ..self.hello.clone()
        };
        let mut beat = tokio::time::interval(BEAT);
        // Keys from before the call are no news.
        while keys.try_recv().is_ok() {}
        // The control loop and the journal end before the daemon does; an end that was seen once would otherwise be seen for ever.
        let (mut is_table_gone, mut is_journal_gone, mut is_stopping) = (false, false, false);
        let mut told = Some(Told::Hello(hello));
        loop {
            if let Some(told) = told.take() {
                if let Err(error) = lines::write(to, &told).await {
                    return error.to_string();
                }
            }
            told = tokio::select! {
                Some(answer) = answers.recv() => Some(answer),
                changed = snapshot.changed(), if !is_table_gone => {
                    is_table_gone = changed.is_err();
                    changed.ok().map(|()| Told::Snapshot(Box::new((**snapshot.borrow_and_update()).clone())))
                }
                changed = durable.changed(), if !is_journal_gone => {
                    is_journal_gone = changed.is_err();
                    changed.ok().map(|()| Told::Durable(*durable.borrow_and_update()))
                }
                Some(key) = keys.recv() => Some(Told::Key(key)),
                Some(seen) = seen.recv() => Some(seen),
                () = stopped(self.stop.clone()), if !is_stopping => {
                    is_stopping = true;
                    Some(Told::Stop)
                }
                _ = beat.tick() => Some(Told::Alive { disk: self.disk().await }),
            };
        }
    }

    async fn disk(&self) -> Option<Disk> {
        let dir = self.state_dir.clone();
        spawn_blocking(move || room(&dir)).await.ok().flatten()
    }

    /// Hears what the other side asks and hands in, until it does wrong or is gone; says which.
    async fn hear(&self, from: OwnedReadHalf, answers: &mpsc::Sender<Told>) -> String {
        let mut lines = Lines::new(from, LONGEST_ASKED);
        let now = Instant::now();
        let mut heard = Heard {
            gate: self,
            answers,
            commands: JoinSet::new(),
            rested: now,
            // What was told as durable is.
            told: Seq(0),
        };
        let mut pace = Allowance::new(LINES.0, LINES.1);
        loop {
            let line = tokio::select! {
                line = lines.next() => line,
                Some(done) = heard.commands.join_next() => {
                    let Ok(answer) = done else { continue };
                    if answers.send(answer).await.is_err() {
                        return "it is gone".into();
                    }
                    continue;
                }
            };
            let line = match line {
                Ok(line) => line,
                Err(error) => return error.to_string(),
            };
            while let Err(wait) = pace.take(Instant::now()) {
                sleep(wait).await;
            }
            // What it said is not repeated: it may be long, or a password that somebody typed.
            let Ok(asked) = serde_json::from_slice(&line) else { return "it said what is not understood".into() };
            if let Err(why) = heard.take(asked).await {
                return why;
            }
        }
    }
}

/// One caller, as it is heard.
struct Heard<'a> {
    gate: &'a Gate,
    answers: &'a mpsc::Sender<Told>,
    commands: JoinSet<Told>,
    /// Not before this moment is the journal read again: whoever asks without an end keeps it busy for half of the time.
    rested: Instant,
    /// The last record that was told.
    told: Seq,
}

impl Heard<'_> {
    async fn take(&mut self, asked: Asked) -> Result<(), String> {
        self.gate.heard();
        match asked {
            Asked::Alive => Ok(()),
            Asked::Relay(told) => {
                self.gate.tell_relay(told);
                Ok(())
            }
            Asked::Acknowledged(seq) => self.acknowledged(seq),
            Asked::Records { id, after, limit } => {
                let page = self.records(after, limit).await;
                self.answer(Told::Records { id, page }).await
            }
            Asked::Command { id, by, command } => match self.command(id, by, command) {
                None => Ok(()),
                Some(why) => self.answer(Told::Answer { id, answer: Err(why) }).await,
            },
        }
    }

    async fn answer(&self, told: Told) -> Result<(), String> {
        self.answers.send(told).await.map_err(|_| "it is gone".into())
    }

    fn acknowledged(&self, seq: Seq) -> Result<(), String> {
        if self.gate.broker.is_none() {
            return Err("it acknowledged a record, and no broker is configured".into());
        }
        let durable = self.told.max(*self.gate.durable.borrow());
        if seq > durable {
            return Err(format!("it acknowledged record {}, and the last one is {}", seq.0, durable.0));
        }
        self.gate.acknowledged.send_if_modified(|acknowledged| {
            let is_news = seq > *acknowledged;
            *acknowledged = seq.max(*acknowledged);
            is_news
        });
        self.gate.tell_backlog();
        Ok(())
    }

    /// One page.
    async fn records(&mut self, after: Seq, limit: u32) -> Result<Page, String> {
        sleep_until(self.rested).await;
        let begun = Instant::now();
        let limit = PAGE.min(usize::try_from(limit).unwrap_or(PAGE));
        let page = self.gate.records.read(move |records| records.after(after, limit)).await.map(page);
        self.rested = Instant::now() + begun.elapsed();
        if let Some(last) = page.as_ref().ok().and_then(|page| page.records.last()) {
            self.told = self.told.max(last.record.seq);
        }
        page
    }

    /// Begins a command; or says why not.
    fn command(&mut self, id: u64, by: String, command: TechnicianCommand) -> Option<String> {
        let Some(give) = &self.gate.give else { return Some("no account may log in here".into()) };
        // No name that could be a person's of the house: an account's.
        if account::check(&by).is_err() {
            return Some("no account has such a name".into());
        }
        if self.commands.len() >= UNDER_WAY {
            return Some("too many commands are under way; wait for the test to end".into());
        }
        if self.gate.often.lock().unwrap_or_else(PoisonError::into_inner).take(Instant::now()).is_err() {
            return Some("too many commands come from the panel; try again in a moment".into());
        }
        // Whoever this is, it is somebody at the panel: the record says so, and a name of the console's cannot be had.
        let name = format!("{by}{PANEL}");
        let answer = give(name.clone(), command.under(name));
        self.commands.spawn(async move { Told::Answer { id, answer: answer.await } });
        None
    }
}

/// As many as fit on a page, and one at least.
fn page(records: Vec<EventMessage>) -> Page {
    let (mut bytes, all) = (0, records.len());
    let fits = |message: &EventMessage| {
        let is_room = bytes < PAGE_BYTES;
        // The record is told in its fields and as the text that the chain covers.
        bytes += 2 * message.body.len() + 1024;
        is_room
    };
    let records: Vec<EventMessage> = records.into_iter().take_while(fits).collect();
    let is_cut = records.len() < all;
    Page { records, is_cut }
}

fn room(dir: &Path) -> Option<Disk> {
    let disk = nix::sys::statvfs::statvfs(dir).ok()?;
    #[allow(clippy::useless_conversion, reason = "these are u32 on 32-bit machines")]
    let (size, all, free) =
        (u64::from(disk.fragment_size()), u64::from(disk.blocks()), u64::from(disk.blocks_available()));
    Some(Disk { bytes: all.saturating_mul(size), free: free.saturating_mul(size) })
}

/// A text of the other side as it may be shown to people.
fn plain(said: &str) -> String {
    text::shown(said).chars().take(text::LONGEST_REASON).collect()
}
