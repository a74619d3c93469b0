//! Peers that are no broker, or a bad one: the connection is lost, and nothing else.

use super::bench::{Bench, Journal, settings, timing};
use super::tap::packet;
use crate::broker::Broker;
use crate::wait::until;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinSet;
use tumbler_core::latch::Code;
use tumbler_core::record::Event;
use tumbler_core::units::Seq;
use tumblerd::relay::Timing;

/// MQTT 5 CONNACK, success, no properties.
const WELCOME: &[u8] = &[0x20, 3, 0, 0, 0];

/// A peer that serves one connection after the other so.
async fn listening<S: Future<Output = ()> + Send>(
    serve: impl Fn(TcpStream) -> S + Send + 'static,
) -> (u16, JoinSet<()>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    let mut tasks = JoinSet::new();
    tasks.spawn(async move {
        loop {
            let (stream, _) = listener.accept().await.unwrap();
            serve(stream).await;
        }
    });
    (port, tasks)
}

/// A peer that answers whatever comes first with these bytes and then waits.
async fn peer(answer: &'static [u8]) -> (u16, JoinSet<()>) {
    listening(move |mut stream| async move {
        let mut chunk = [0; 4096];
        let _ = stream.read(&mut chunk).await;
        let _ = stream.write_all(answer).await;
        while matches!(stream.read(&mut chunk).await, Ok(1..)) {}
    })
    .await
}

/// A broker that refuses the messages with `text` in them, so many times: acknowledges them with this reason code, or ends the
/// connection with it; without a word where it is 0. Where it gives up refusing, it takes no record in short form.
async fn refusing(text: &'static str, code: u8, hangs_up: bool, times: u32) -> (u16, JoinSet<()>) {
    let refusals = Arc::new(AtomicU32::new(0));
    let serve = move |mut stream: TcpStream, refusals: Arc<AtomicU32>| async move {
        let (mut pending, mut chunk) = (Vec::new(), [0; 4096]);
        'connection: while let Ok(count @ 1..) = stream.read(&mut chunk).await {
            pending.extend_from_slice(&chunk[..count]);
            while let Some(packet) = packet(&mut pending) {
                let has = |text: &str| packet.windows(text.len()).any(|part| part == text.as_bytes());
                let refused =
                    has(text) && refusals.fetch_add(1, Relaxed) < times || times != u32::MAX && has("\"short\":true");
                let header = 1 + packet[1..].iter().position(|b| b & 0x80 == 0).unwrap() + 1;
                let answer: Vec<u8> = match packet[0] >> 4 {
                    1 => WELCOME.to_vec(),
                    3 if packet[0] & 0b110 == 0b010 => {
                        let topic = usize::from(u16::from_be_bytes([packet[header], packet[header + 1]]));
                        let number = &packet[header + 2 + topic..][..2];
                        match (refused, hangs_up) {
                            (true, true) if code == 0 => vec![],
                            (true, true) => vec![0xe0, 2, code, 0],
                            (true, false) => vec![0x40, 4, number[0], number[1], code, 0],
                            (false, _) => vec![0x40, 2, number[0], number[1]],
                        }
                    }
                    12 => vec![0xd0, 0],
                    _ => vec![],
                };
                if stream.write_all(&answer).await.is_err() || refused && hangs_up {
                    break 'connection;
                }
            }
        }
    };
    listening(move |stream| serve(stream, Arc::clone(&refusals))).await
}

/// A record that is refused for itself is told in short form, and those after it are told. One that is refused for another reason stays
/// whole, however often: a passing refusal costs no contents.
#[tokio::test]
async fn a_record_that_is_refused_does_not_block_those_after_it_for_good() {
    for (code, hangs_up, times) in [
        (0x80, false, 4),
        (0x83, false, 4),
        (0x95, false, u32::MAX),
        (0x97, false, 4),
        (0x99, false, u32::MAX),
        (0x95, true, u32::MAX),
        (0x97, true, 4),
        (0x99, true, u32::MAX),
    ] {
        let (port, peer) = refusing("no good", code, hangs_up, times).await;
        let bench = Bench::start(settings(port));
        for what in ["good", "no good", "good"] {
            bench.event(Event::Noted { kind: None, what: what.into() });
        }
        bench.acknowledged(3).await;
        until("nothing is left of it", || bench.health().refused.is_empty()).await;
        drop(peer);
    }
}

/// Where it is refused in short form too, it waits, and so do those after it; what else there is to tell is told.
#[tokio::test]
async fn a_record_that_is_refused_in_every_form_holds_the_cursor() {
    let (port, _peer) = refusing("\"seq\":2,", 0x97, false, u32::MAX).await;
    let bench = Bench::start(settings(port));
    bench.record(3);
    let refused = || bench.health().refused;
    until("`event` is named", || refused() == ["taisai/pit/t1/event: a quota is exceeded (0x97)"]).await;
    let health = bench.health();
    assert!(health.connected && health.acknowledged.0 == 1, "{health:?}");
}

/// A broker that hangs up on a client for one topic does not keep it from the others; where it says nothing, as RabbitMQ does, no other
/// client is to blame.
#[tokio::test]
async fn a_topic_that_costs_the_connection_is_left_alone() {
    let wordless = "the broker hangs up on it without a word, as RabbitMQ does";
    // Once it has hung up on several messages, and twice on this one alone.
    for (code, times, said) in [(0x87, u32::MAX, "not authorised (0x87)"), (0, u32::MAX, wordless), (0, 3, wordless)] {
        let (port, _peer) = refusing("t1/lamps", code, true, times).await;
        let bench = Bench::start(settings(port));
        bench.record(100);
        bench.acknowledged(100).await;
        let refused = bench.health().refused;
        assert!(refused.len() == 1 && refused[0].starts_with(&format!("taisai/pit/t1/lamps: {said}")), "{refused:?}");
        let trouble = bench.health().trouble.unwrap_or_default();
        assert!(!trouble.contains("another client"), "{trouble}");
    }
}

/// Where it does so for one topic after the other, the pauses do not grow from each to the next: the others are told before it would have
/// been a day.
#[tokio::test]
async fn many_topics_that_cost_the_connection_keep_the_others_back_for_a_while_only() {
    let (port, _peer) = refusing("t1/fault/", 0, true, u32::MAX).await;
    let timing = Timing { longest: Duration::from_secs(86_400), ..timing() };
    let bench = Bench::start_with(settings(port), timing, Seq(0), Journal::default());
    bench.record(100);
    bench.acknowledged(100).await;
    let refused = bench.health().refused;
    assert_eq!(refused.len(), Code::ALL.len(), "{refused:?}");
}

/// A broker that restarts hangs up a few times: no other client is to blame, and no topic.
#[tokio::test]
async fn a_broker_that_restarts_is_told_as_one_that_hung_up() {
    for text in ["\"online\"", "\"seq\":2,"] {
        let (port, _peer) = refusing(text, 0, true, 3).await;
        let bench = Bench::start(settings(port));
        bench.record(3);
        let trouble = bench.troubled("hung up 3 times since").await;
        assert!(trouble.ends_with("its log says why"), "{trouble}");
        bench.acknowledged(3).await;
        assert_eq!(bench.health().refused, Vec::<String>::new());
    }
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

/// MQTT 3.1.1, 3.1.2.2: a server that does not do the version of CONNECT answers with CONNACK 0x01, or need not answer, and closes.
#[tokio::test]
async fn a_broker_without_mqtt_5_is_said_to_be_one() {
    for answer in [&[0x20, 2, 0, 1][..], &[]] {
        let (port, _peer) = listening(move |mut stream| async move {
            let _ = stream.read(&mut [0; 4096]).await;
            let _ = stream.write_all(answer).await;
        })
        .await;
        let bench = Bench::start(settings(port));
        bench.troubled("most likely it has only an older version of MQTT").await;
        bench.troubled("use a broker that speaks MQTT 5").await;
    }
}

/// DISCONNECT, session taken over, no properties but their length.
#[tokio::test]
async fn a_broker_that_says_that_the_session_was_taken_over() {
    survives(&[0x20, 3, 0, 0, 0, 0xe0, 2, 0x8e, 0], "takes the session over").await;
}

/// DISCONNECT, use another server, with a reason string and a server reference: both are shown, and nothing in them is unseen.
#[tokio::test]
async fn a_broker_that_names_another_server() {
    let answer = b"\x20\x03\0\0\0\xe0\x0d\x9c\x0b\x1f\0\x03g\x1bo\x1c\0\x02b2";
    survives(answer, "UseAnotherServer (g\u{fffd}o); it names another server, `b2`: set `mqtt.url` to that one").await;
}

/// CONNACK with a reason code of MQTT 5 (3.2.2.2), and what to do about it.
#[tokio::test]
async fn a_broker_that_refuses_the_connection_is_told_in_words() {
    let (port, _peer) = peer(&[0x20, 3, 0, 0x85, 0]).await;
    let trouble = Bench::start(settings(port)).troubled("refuses the client id `pit-t1`; set `mqtt.client_id`").await;
    assert!(trouble.ends_with("(ClientIdentifierNotValid); its log says more"), "{trouble}");
    survives(&[0x20, 3, 0, 0x88, 0], "refuses connections for now (ServerUnavailable)").await;
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

/// Answers to pings and acknowledges nothing: it is told, and left for another connection.
#[tokio::test]
async fn a_broker_that_acknowledges_nothing_is_given_up() {
    let (port, _peer) = listening(|mut stream| async move {
        let (mut pending, mut chunk) = (Vec::new(), [0; 4096]);
        while let Ok(count @ 1..) = stream.read(&mut chunk).await {
            pending.extend_from_slice(&chunk[..count]);
            while let Some(packet) = packet(&mut pending) {
                let answer = match packet[0] >> 4 {
                    1 => WELCOME,
                    12 => &[0xd0, 0],
                    _ => &[],
                };
                let _ = stream.write_all(answer).await;
            }
        }
    })
    .await;
    let bench = Bench::start(settings(port));
    bench.record(3);
    let trouble = bench.troubled("acknowledges no message").await;
    assert!(trouble.contains("answers to pings"), "{trouble}");
}
