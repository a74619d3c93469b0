//! Peers that are no broker, or a bad one: the connection is lost, and nothing else.

use crate::bench::{Bench, settings};
use crate::broker::Broker;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;
use tokio::task::JoinSet;

/// MQTT 5 CONNACK, success, no properties.
const WELCOME: &[u8] = &[0x20, 3, 0, 0, 0];

/// A peer that answers whatever comes first with these bytes and then waits.
async fn peer(answer: &'static [u8]) -> (u16, JoinSet<()>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    let mut tasks = JoinSet::new();
    tasks.spawn(async move {
        loop {
            let (mut stream, _) = listener.accept().await.unwrap();
            let mut chunk = [0; 4096];
            let _ = stream.read(&mut chunk).await;
            let _ = stream.write_all(answer).await;
            while matches!(stream.read(&mut chunk).await, Ok(1..)) {}
        }
    });
    (port, tasks)
}

/// Tries this peer, then a good broker: the relay must be alive, and no record lost.
async fn survives(answer: &'static [u8], said: &str) {
    let (port, mut peer) = peer(answer).await;
    let bench = Bench::start(settings(port));
    bench.record(50);
    bench.troubled(said).await;
    assert_eq!(bench.acknowledged.borrow().0, 0, "nothing counts as sent");
    // To its end: while its port is taken, the broker ends at once, and the old listener looks like that broker.
    peer.shutdown().await;
    let broker = Broker::start_with(port, "allow_anonymous true\n").await;
    bench.acknowledged(50).await;
    drop(broker);
}

#[tokio::test]
async fn a_peer_that_speaks_something_else() {
    survives(b"HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n", "127.0.0.1").await;
}

#[tokio::test]
async fn an_oversized_packet() {
    // PUBLISH with a remaining length of 2 MiB.
    survives(&[0x20, 3, 0, 0, 0, 0x30, 0x80, 0x80, 0x80, 0x01, 0, 0], "127.0.0.1").await;
}

/// The table subscribes to nothing: a message to it is a mistake or an attack.
#[tokio::test]
async fn a_message_that_nobody_asked_for() {
    survives(&[0x20, 3, 0, 0, 0, 0x30, 6, 0, 1, b'a', 0, b'h', b'i'], "asks for none").await;
}

#[tokio::test]
async fn acknowledgements_of_what_was_never_sent() {
    survives(&[0x20, 3, 0, 0, 0, 0x40, 2, 0, 31, 0x40, 2, 0xff, 0xff], "127.0.0.1").await;
}

/// DISCONNECT, session taken over, no properties but their length.
#[tokio::test]
async fn a_broker_that_says_that_the_session_was_taken_over() {
    survives(&[0x20, 3, 0, 0, 0, 0xe0, 2, 0x8e, 0], "takes the session over").await;
}

#[tokio::test]
async fn garbage_after_the_welcome() {
    survives(&[0x20, 3, 0, 0, 0, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff], "127.0.0.1").await;
}

#[tokio::test]
async fn a_welcome_that_takes_no_messages() {
    // CONNACK with receive maximum 0.
    survives(&[0x20, 6, 0, 0, 3, 0x21, 0, 0], "receive maximum 0").await;
}

#[tokio::test]
async fn a_peer_that_refuses_every_message() {
    // PUBACK of the first message: not authorised.
    survives(&[0x20, 3, 0, 0, 0, 0x40, 4, 0, 1, 0x87, 0], "127.0.0.1").await;
}

/// Welcomes and then says nothing: the watchdog ends it.
#[tokio::test]
async fn a_peer_that_falls_silent() {
    survives(WELCOME, "127.0.0.1").await;
}
