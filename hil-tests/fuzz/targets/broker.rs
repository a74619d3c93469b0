//! What a broker, or something in its place, says to the relay. No record that the table has not written is acknowledged, and the relay
//! outlives it all.

#![no_main]

use libfuzzer_sys::fuzz_target;
use std::cell::RefCell;
use std::sync::Arc;
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;
use tokio::runtime::Runtime;
use tokio::sync::{mpsc, watch};
use tokio::time::timeout;
use tumbler_core::effect::KeyTold;
use tumbler_core::units::Seq;
use tumbler_fuzz::{LAST, forgive_rumqttc, records, runtime, snapshot};
use tumblerd::relay::{Feeds, Identity, Settings, Timing, run};

thread_local! {
    static RUNTIME: RefCell<Runtime> = RefCell::new(runtime());
}

/// Connections that are served before the daemon stops.
const CONNECTIONS: usize = 3;

/// The packets of a conversation, each behind its length.
fn packets(bytes: &[u8]) -> Vec<&[u8]> {
    let (mut left, mut packets) = (bytes, Vec::new());
    while let Some((length, rest)) = left.split_first() {
        let (packet, behind) = rest.split_at(usize::from(*length).min(rest.len()));
        packets.push(packet);
        left = behind;
    }
    packets
}

async fn converse(bytes: &[u8]) {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port is free");
    let port = listener.local_addr().expect("it has an address").port();
    let settings = Settings {
        host: "127.0.0.1".into(),
        port,
        tls: None,
        client_id: "pit-t1".into(),
        username: None,
        password_file: None,
        keep_alive: Duration::from_secs(5),
    };
    let identity = Identity {
        site: "pit".into(),
        table: "t1".into(),
        boot: "b".into(),
        build: "0.1.0".into(),
        backend: "virtual".into(),
    };
    let (_shown, shown) = watch::channel(Arc::new(snapshot()));
    let (_durable, durable) = watch::channel(LAST);
    let (keys, told) = mpsc::channel(4);
    let _ = keys.try_send(KeyTold::Entry);
    let (acknowledge, acknowledged) = watch::channel(Seq(0));
    let (health, _fares) = watch::channel(None);
    let (stop, stops) = watch::channel(false);
    let feeds = Feeds { snapshot: shown, durable, keys: told, acknowledged: acknowledge, health, stop: stops };
    let relay = tokio::spawn(run(settings, identity, Timing::default(), records(), feeds));
    let mut packets = packets(bytes).into_iter();
    for _ in 0..CONNECTIONS {
        let Ok(Ok((mut stream, _))) = timeout(Duration::from_secs(90), listener.accept()).await else { break };
        let _ = socket2::SockRef::from(&stream).set_linger(Some(Duration::ZERO));
        let mut heard = [0; 8192];
        while let Ok(Ok(1..)) = timeout(Duration::from_secs(1), stream.read(&mut heard)).await {
            let Some(packet) = packets.next() else { break };
            // A packet of no bytes ends the connection.
            if packet.is_empty() || stream.write_all(packet).await.is_err() {
                break;
            }
        }
    }
    drop(listener);
    stop.send_replace(true);
    relay.await.expect("the relay outlives it").expect("the journal can be read");
    assert!(*acknowledged.borrow() <= LAST, "acknowledged is what was never written");
}

fuzz_target!(init: forgive_rumqttc(), |bytes: &[u8]| {
    RUNTIME.with_borrow(|runtime| runtime.block_on(converse(bytes)));
});
