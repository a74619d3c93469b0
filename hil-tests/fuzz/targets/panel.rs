//! What any program on the network sends to the panel. Every answer is HTTP.

#![no_main]

use libfuzzer_sys::fuzz_target;
use std::cell::RefCell;
use std::sync::{Arc, LazyLock};
use std::time::Duration;
use tempfile::TempDir;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::runtime::Runtime;
use tokio::sync::watch;
use tokio::time::timeout;
use tumbler_core::wire::console::Answer;
use tumbler_fuzz::{LAST, records, runtime, scratch, snapshot, write};
use tumblerd::history::records::Records;
use tumblerd::panel::{About, Feeds, Kept, Login, on};
use tumblerd::run::trace::tap;

static DIRECTORY: LazyLock<TempDir> = LazyLock::new(scratch);

thread_local! {
    static RUNTIME: RefCell<Runtime> = RefCell::new(runtime());
}

/// So long a client waits, of the clock that jumps: a stream of events never ends by itself.
const PATIENCE: Duration = Duration::from_secs(30);

async fn ask(said: &[u8]) {
    let directory = DIRECTORY.path();
    let accounts = directory.join("accounts");
    if !accounts.exists() {
        write(&accounts, b"");
    }
    let (_shown, shown) = watch::channel(Arc::new(snapshot()));
    let (_durable, durable) = watch::channel(LAST);
    let (stop, stops) = watch::channel(false);
    let (_tap, traces) = tap();
    let feeds = Feeds {
        about: About { site: "pit".into(), table: "t1".into(), build: "0.1.0".into(), backend: "virtual".into() },
        snapshot: shown,
        durable,
        relay: watch::channel(None).1,
        records: Records::new(Box::new(records())),
        traces,
        wires: watch::channel(Arc::default()).1,
        disk: watch::channel(None).1,
        login: Some(Login {
            accounts,
            kept: Kept { file: directory.join("logins"), boot: "b".into() },
            give: Arc::new(|_, _| Box::pin(async { Ok(Answer::refused("testing", "not now")) })),
        }),
        host: Some("panel.pit.example".into()),
        stop: stops,
    };
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port is free");
    let address = listener.local_addr().expect("it has an address");
    let serving = tokio::spawn(on(listener, feeds));
    let mut stream = TcpStream::connect(address).await.expect("the panel listens");
    // Nothing of this connection is left behind in the kernel.
    let _ = socket2::SockRef::from(&stream).set_linger(Some(Duration::ZERO));
    let mut all = Vec::new();
    let _ = stream.write_all(said).await;
    let _ = timeout(PATIENCE, async {
        while let Ok(1..) = stream.read_buf(&mut all).await {
            if all.len() > 1 << 20 {
                break;
            }
        }
    })
    .await;
    assert!(all.is_empty() || all.starts_with(b"HTTP/1."), "no HTTP: {}", String::from_utf8_lossy(&all));
    stop.send_replace(true);
    let _ = serving.await;
}

fuzz_target!(|bytes: &[u8]| {
    RUNTIME.with_borrow(|runtime| runtime.block_on(ask(bytes)));
});
