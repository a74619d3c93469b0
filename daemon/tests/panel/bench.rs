//! A panel on a free port, fed by the test, and a client that speaks just enough HTTP.

use crate::in_memory::InMemory;
use crate::table::table;
use std::net::Ipv4Addr;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::{TcpListener, TcpSocket, TcpStream};
use tokio::sync::watch;
use tokio::task::JoinHandle;
use tokio::time::timeout;
use tumbler_core::record::Event;
use tumbler_core::snapshot::Snapshot;
use tumbler_core::units::{Mono, Seq};
use tumbler_core::wire::wires::Wires;
use tumblerd::history::records::Records;
use tumblerd::network::messages::Disk;
use tumblerd::panel::{About, Feeds, Login, on};
use tumblerd::run::trace::{Tap, tap};

/// Longest time that anything here may take; only a failure takes it.
pub(crate) const LONG: Duration = Duration::from_secs(20);

pub(crate) struct Bench {
    pub(crate) address: std::net::SocketAddr,
    pub(crate) tap: Tap,
    pub(crate) wires: watch::Sender<Arc<Wires>>,
    snapshot: watch::Sender<Arc<Snapshot>>,
    durable: watch::Sender<Seq>,
    kept: InMemory,
    stop: watch::Sender<bool>,
    done: JoinHandle<()>,
    _dir: tempfile::TempDir,
}

impl Bench {
    /// A panel that only looks.
    pub(crate) async fn start() -> Self {
        Self::start_with(|_| None).await
    }

    /// A panel with the login that `login` makes, in a directory of its own.
    pub(crate) async fn start_with(login: impl FnOnce(&Path) -> Option<Login>) -> Self {
        let dir = tempfile::tempdir().unwrap();
        let (snapshot, shown) = watch::channel(Arc::new(table()));
        let (durable, kept_up_to) = watch::channel(Seq(0));
        let (stop, stops) = watch::channel(false);
        let (tap, traces) = tap();
        let (wires, wires_told) = watch::channel(Arc::default());
        let kept = InMemory::default();
        let feeds = Feeds {
            about: About { site: "pit".into(), table: "t1".into(), build: "0.1.0".into(), backend: "virtual".into() },
            snapshot: shown,
            durable: kept_up_to,
            relay: watch::channel(None).1,
            records: Records::new(Box::new(kept.clone())),
            traces,
            wires: wires_told,
            disk: watch::channel(Some(Disk { bytes: 1 << 30, free: 1 << 29 })).1,
            login: login(dir.path()),
            host: Some("panel.pit.example".into()),
            stop: stops,
        };
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        Self { address, tap, wires, snapshot, durable, kept, stop, done: tokio::spawn(on(listener, feeds)), _dir: dir }
    }

    pub(crate) fn change(&self, change: impl FnOnce(&mut Snapshot)) {
        let mut table = (**self.snapshot.borrow()).clone();
        change(&mut table);
        self.snapshot.send_replace(Arc::new(table));
    }

    pub(crate) fn record(&self, at: u64, round: Option<u64>, event: Event) {
        let seq = self.kept.add(Mono(at), round, event);
        self.durable.send_replace(seq);
    }

    /// One request on a connection of its own.
    pub(crate) async fn ask(&self, method: &str, path: &str) -> Answer {
        self.send(&format!("{method} {path} HTTP/1.1\r\nHost: localhost\r\nContent-Length: 0\r\n"), "").await
    }

    /// A connection from 127.0.0.`host`.
    pub(crate) async fn connect(&self, host: u8) -> TcpStream {
        let socket = TcpSocket::new_v4().unwrap();
        socket.bind((Ipv4Addr::new(127, 0, 0, host), 0).into()).unwrap();
        socket.connect(self.address).await.unwrap()
    }

    /// One request with this head, up to its last line, and this body, on a connection of its own.
    pub(crate) async fn send(&self, head: &str, body: &str) -> Answer {
        self.send_from(1, head, body).await
    }

    /// The same from 127.0.0.`host`.
    async fn send_from(&self, host: u8, head: &str, body: &str) -> Answer {
        let mut stream = self.connect(host).await;
        stream.write_all(format!("{head}Connection: close\r\n\r\n{body}").as_bytes()).await.unwrap();
        let mut all = Vec::new();
        timeout(LONG, stream.read_to_end(&mut all)).await.unwrap().unwrap();
        Answer::read(&String::from_utf8(all).unwrap())
    }

    pub(crate) async fn get(&self, path: &str) -> Answer {
        self.ask("GET", path).await
    }

    /// The same from 127.0.0.`host`.
    pub(crate) async fn get_from(&self, host: u8, path: &str) -> Answer {
        self.send_from(host, &format!("GET {path} HTTP/1.1\r\nHost: localhost\r\n"), "").await
    }

    /// Follows the table.
    pub(crate) async fn follow(&self) -> Follower {
        self.follow_from(1).await
    }

    /// The same from 127.0.0.`host`.
    pub(crate) async fn follow_from(&self, host: u8) -> Follower {
        let mut stream = self.connect(host).await;
        stream.write_all(b"GET /events HTTP/1.1\r\nHost: localhost\r\n\r\n").await.unwrap();
        Follower(BufReader::new(stream))
    }

    /// The panel ends when the daemon does, whoever still follows.
    pub(crate) async fn stop(self) {
        self.stop.send_replace(true);
        timeout(LONG, self.done).await.unwrap().unwrap();
    }
}

#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) code: u16,
    pub(crate) head: String,
    pub(crate) body: String,
}

impl Answer {
    fn read(all: &str) -> Self {
        let (head, body) = all.split_once("\r\n\r\n").unwrap_or_else(|| panic!("no HTTP: {all}"));
        let code = head.split(' ').nth(1).unwrap().parse().unwrap();
        Self { code, head: head.to_lowercase(), body: body.to_owned() }
    }
    pub(crate) fn json(&self) -> serde_json::Value {
        serde_json::from_str(&self.body).unwrap_or_else(|e| panic!("{e}: {self:?}"))
    }
}

/// A client that follows the table.
pub(crate) struct Follower(BufReader<TcpStream>);

impl Follower {
    /// All that the panel still says until it hangs up.
    pub(crate) async fn rest(mut self) -> Vec<u8> {
        let mut all = Vec::new();
        // The panel may have hung up with something unsaid, which the kernel tells by a reset.
        let _ = timeout(LONG, self.0.read_to_end(&mut all)).await.expect("the panel does not hang up");
        all
    }

    /// The next event of this name, and its data.
    pub(crate) async fn next(&mut self, wanted: &str) -> serde_json::Value {
        let reading = async {
            let mut named = false;
            loop {
                let mut line = String::new();
                assert_ne!(self.0.read_line(&mut line).await.unwrap(), 0, "the panel hung up");
                let line = line.trim_end();
                if let Some(name) = line.strip_prefix("event: ") {
                    named = name == wanted;
                } else if let Some(data) = line.strip_prefix("data: ").filter(|_| named) {
                    return serde_json::from_str(data).unwrap();
                }
            }
        };
        timeout(LONG, reading).await.unwrap_or_else(|_| panic!("no event `{wanted}`"))
    }
}
