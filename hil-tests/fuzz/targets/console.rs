//! What anybody who may open the console's socket writes into it. Every line that comes back is a reply.

#![no_main]

#[path = "../../../daemon/core/tests/world/mod.rs"]
mod world;

use libfuzzer_sys::fuzz_target;
use std::cell::RefCell;
use std::sync::{Arc, LazyLock, Mutex, PoisonError};
use std::time::Duration;
use tempfile::TempDir;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::UnixStream;
use tokio::runtime::Runtime;
use tokio::sync::{mpsc, watch};
use tokio::time::timeout;
use tumbler_core::input::Input;
use tumbler_core::units::Mono;
use tumbler_core::wire::ask::{About, Reply};
use tumbler_fuzz::{LAST, records, runtime, scratch, snapshot};
use tumblerd::config::Console;
use tumblerd::console::{ANSWERS, Commands, Feeds, HandIn, bind, run};
use tumblerd::run::meters::Meters;
use tumblerd::run::wires::Wiring;
use world::World;
use world::play::{maintained, opened};

static TABLES: LazyLock<[World; 2]> = LazyLock::new(|| {
    [opened("sg-v6", "sg-v6-3"), maintained("nz-div9", "nz-div9-1")].map(|mut world| {
        // What led here is the same every time, and is copied for each input.
        world.history.clear();
        world
    })
});
static DIRECTORY: LazyLock<TempDir> = LazyLock::new(scratch);

thread_local! {
    static RUNTIME: RefCell<Runtime> = RefCell::new(runtime());
}

/// So long a client waits for an answer at most, of the clock that jumps: longer than the daemon itself.
const PATIENCE: Duration = Duration::from_secs(20 * 60);

async fn talk(role: u8, said: &[u8]) {
    let uid = nix_uid();
    let has = |bit: u8| if role & bit == 0 { Vec::new() } else { vec![uid] };
    let console = Console {
        socket: DIRECTORY.path().join("console.sock"),
        supervisor_group: "no-such-group".into(),
        manager_group: "no-such-group".into(),
        technician_group: "no-such-group".into(),
        supervisor_uids: has(1),
        manager_uids: has(2),
        technician_uids: has(4),
    };
    let listener = bind(&console.socket, "no-such-group").expect("the socket is free");
    let (send, answers) = mpsc::channel(ANSWERS);
    let table = Arc::new(Mutex::new(TABLES[usize::from(role & 8 != 0)].clone()));
    let hand_in: HandIn = Arc::new(move |input| {
        let (table, send) = (Arc::clone(&table), send.clone());
        Box::pin(async move {
            let replies = {
                let mut world = table.lock().unwrap_or_else(PoisonError::into_inner);
                if let Input::Console { caller, command, request } = input {
                    world.input(Input::Console { caller, command, request });
                    world.pass(100);
                }
                std::mem::take(&mut world.replies)
            };
            for reply in replies {
                if send.try_send(reply).is_err() {
                    return false;
                }
            }
            true
        })
    });
    let (_keep, shown) = watch::channel(Arc::new(snapshot()));
    let (_durable, durable) = watch::channel(LAST);
    let (stop, stops) = watch::channel(false);
    let feeds = Feeds {
        about: About { site: "pit".into(), table: "t1".into(), build: "0.1.0".into(), backend: "virtual".into() },
        snapshot: shown,
        wiring: Wiring { plan: Arc::default(), meters: watch::channel(Arc::new(Meters::new(Mono(0)))).1 },
        durable,
        relay: watch::channel(None).1,
        network: watch::channel(None).1,
        records: Box::new(records()),
        commands: Arc::new(Commands::new(hand_in)),
        answers,
        stop: stops,
    };
    let path = console.socket.clone();
    let serving = tokio::spawn(run(listener, console, feeds));
    let mut stream = UnixStream::connect(path).await.expect("the console listens");
    let mut all = Vec::new();
    // The socket's buffer takes all of it.
    let _ = stream.write_all(said).await;
    let _ = stream.shutdown().await;
    let _ = timeout(PATIENCE, stream.read_to_end(&mut all)).await;
    for line in all.split(|byte| *byte == b'\n').filter(|line| !line.is_empty()) {
        assert!(serde_json::from_slice::<Reply>(line).is_ok(), "no reply: {}", String::from_utf8_lossy(line));
    }
    stop.send_replace(true);
    let _ = serving.await;
}

fn nix_uid() -> u32 {
    use std::os::unix::fs::MetadataExt;
    std::fs::metadata("/proc/self").map_or(0, |about| about.uid())
}

fuzz_target!(|bytes: &[u8]| {
    let Some((role, said)) = bytes.split_first() else { return };
    RUNTIME.with_borrow(|runtime| runtime.block_on(talk(*role, said)));
});
