//! What the network's process, taken over by somebody, says to the one that drives the table. Only technicians' commands come through, in
//! the panel's name; nothing is acknowledged that was never written; every line that comes back is of the seam.

#![no_main]

use libfuzzer_sys::fuzz_target;
use std::cell::RefCell;
use std::fs;
use std::sync::{Arc, LazyLock};
use std::time::Duration;
use tempfile::TempDir;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{UnixListener, UnixStream};
use tokio::runtime::Runtime;
use tokio::sync::{mpsc, watch};
use tokio::time::timeout;
use tumbler_core::effect::KeyTold;
use tumbler_core::units::{Mono, Seq};
use tumbler_core::wire::console::{Answer, Command};
use tumbler_fuzz::{LAST, records, runtime, scratch, snapshot};
use tumblerd::history::records::Records;
use tumblerd::network::gate::{Feeds, Give, run};
use tumblerd::network::messages::Told;
use tumblerd::run::meters::Meters;
use tumblerd::run::wires::Wiring;

static DIRECTORY: LazyLock<TempDir> = LazyLock::new(scratch);

thread_local! {
    static RUNTIME: RefCell<Runtime> = RefCell::new(runtime());
}

/// So long the caller listens, of the clock that jumps: longer than the gate bears one that is silent.
const PATIENCE: Duration = Duration::from_secs(60);

async fn call(kind: u8, said: &[u8]) {
    let socket = DIRECTORY.path().join("net.sock");
    let _ = fs::remove_file(&socket);
    let listener = UnixListener::bind(&socket).expect("the socket is free");
    let give: Give = Arc::new(|name, command| {
        assert!(name.ends_with(" (panel)"), "a command in the name of {name}");
        let is_technicians =
            matches!(command, Command::Maintenance { .. } | Command::HardwareTest { .. } | Command::Witness { .. });
        assert!(is_technicians, "{command:?} is no technician's");
        Box::pin(async { Ok(Answer::refused("testing", "not now")) })
    });
    let (_shown, snapshot) = watch::channel(Arc::new(snapshot()));
    let (_durable, durable) = watch::channel(LAST);
    let (key, keys) = mpsc::channel(4);
    let (acknowledged, has) = watch::channel(Seq(0));
    let (stop, stops) = watch::channel(false);
    let feeds = Feeds {
        about: ("0.1.0".into(), "b".into()),
        table: ("pit".into(), "t1".into(), "virtual".into()),
        broker: (kind & 1 != 0).then(|| "mqtt.pit.example:8883".into()),
        is_caller: Arc::new(|_| true),
        snapshot,
        durable,
        keys,
        traces: None,
        wiring: Wiring { plan: Arc::default(), meters: watch::channel(Arc::new(Meters::new(Mono(0)))).1 },
        records: Records::new(Box::new(records())),
        give: (kind & 2 != 0).then_some(give),
        acknowledged,
        relay: watch::channel(None).0,
        network: watch::channel(None).0,
        state_dir: DIRECTORY.path().to_owned(),
        stop: stops,
    };
    let serving = tokio::spawn(run(listener, feeds));
    let mut stream = UnixStream::connect(&socket).await.expect("the gate listens");
    let _ = key.try_send(KeyTold::Entry);
    let mut all = Vec::new();
    // The socket's buffer takes all of it.
    let _ = stream.write_all(said).await;
    let _ = timeout(PATIENCE, stream.read_to_end(&mut all)).await;
    for line in all.split(|byte| *byte == b'\n').filter(|line| !line.is_empty()) {
        assert!(serde_json::from_slice::<Told>(line).is_ok(), "no word: {}", String::from_utf8_lossy(line));
    }
    assert!(*has.borrow() <= LAST, "acknowledged is what was never written");
    stop.send_replace(true);
    serving.await.expect("the gate outlives it");
}

fuzz_target!(|bytes: &[u8]| {
    let Some((kind, said)) = bytes.split_first() else { return };
    RUNTIME.with_borrow(|runtime| runtime.block_on(call(*kind, said)));
});
