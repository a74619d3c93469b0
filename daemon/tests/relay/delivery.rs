//! `event`: in order, without a gap, whatever happens to the broker and the line.

use super::bench::{Bench, settings};
use super::tap::Tap;
use crate::broker::{Broker, free_port};
use crate::consumer::Consumer;
use crate::subscriber::Subscriber;
use crate::wait::until;
use std::sync::atomic::Ordering;
use tumbler_core::effect::KeyTold;
use tumbler_core::record::Event;
use tumbler_core::units::Seq;

fn numbers(from: u64, to: u64) -> Vec<u64> {
    (from..=to).collect()
}

/// A record that the broker would refuse does not stand in the way of those after it, and still proves its place.
#[tokio::test]
async fn a_record_that_is_too_long_is_told_in_short_form() {
    let long = |what: &str, length: usize| Event::Noted { kind: None, what: what.repeat(length) };
    let broker = Broker::start_with(free_port(), "allow_anonymous true\nmax_packet_size 2000\n").await;
    let unbounded = Broker::start().await;
    for (port, length) in [(broker.port, 1_000), (unbounded.port, 70_000)] {
        let consumer = Subscriber::start(port).await;
        let bench = Bench::start(settings(port));
        bench.event(long("a", 10));
        bench.event(long("b", length));
        bench.event(long("c", 10));
        bench.acknowledged(3).await;
        until("all three are seen", || consumer.events().len() == 3).await;
        let mut stranger = Consumer::default();
        for payload in consumer.events() {
            stranger.take(&payload).unwrap();
        }
        assert_eq!((stranger.proved, stranger.short.as_slice()), (3, [2].as_slice()));
    }
}

/// The same of a broker that does not say what it takes, and refuses what is longer: with a reason code that MQTT does not know, so
/// that the connection is lost with it.
#[tokio::test]
async fn a_record_that_the_broker_refuses_for_its_length_is_told_in_short_form() {
    let broker = Broker::start_with(free_port(), "allow_anonymous true\nmessage_size_limit 2000\n").await;
    let consumer = Subscriber::start(broker.port).await;
    let bench = Bench::start(settings(broker.port));
    for (what, length) in [("a", 10), ("b", 3_000), ("c", 10), ("d", 5_000), ("e", 10)] {
        bench.event(Event::Noted { kind: None, what: what.repeat(length) });
    }
    bench.acknowledged(5).await;
    until("all are seen", || consumer.events().iter().any(|event| event.contains("\"seq\":5"))).await;
    let mut stranger = Consumer::default();
    for payload in consumer.events() {
        stranger.take(&payload).unwrap();
    }
    assert_eq!((stranger.proved, stranger.short.as_slice()), (5, [2, 4].as_slice()));
    until("nothing is left of it", || bench.health().connected && bench.health().refused.is_empty()).await;
}

#[tokio::test]
async fn records_come_once_and_in_order_while_the_line_holds() {
    let broker = Broker::start().await;
    let consumer = Subscriber::start(broker.port).await;
    let bench = Bench::start(settings(broker.port));
    bench.record(1);
    bench.acknowledged(1).await;
    bench.record(499);
    bench.acknowledged(500).await;
    until("all seen", || consumer.seqs().len() >= 500).await;
    assert_eq!(consumer.seqs(), numbers(1, 500));
    let health = bench.health();
    assert_eq!((health.waiting, health.trouble), (0, None));
}

/// Nothing is read ahead while there is no broker, so an absent one costs no memory however long it is away.
#[tokio::test]
async fn a_broker_that_comes_late_gets_everything() {
    let port = free_port();
    let bench = Bench::start(settings(port));
    bench.record(500);
    bench.troubled("127.0.0.1").await;
    until("it waits", || bench.health().waiting == 500).await;
    assert_eq!(bench.journal.reads.load(Ordering::SeqCst), 0);
    // The consumer is there before the relay is back, so what it sees is all that was sent.
    let broker = Broker::start().await;
    let consumer = Subscriber::start(broker.port).await;
    let journal = bench.stop().await;
    let bench = Bench::start_after(settings(broker.port), Seq(0), journal);
    bench.acknowledged(500).await;
    until("all seen", || consumer.seqs().len() >= 500).await;
    assert_eq!(consumer.seqs(), numbers(1, 500));
}

/// The same relay, not a new one, finds a broker that appears.
#[tokio::test]
async fn a_relay_that_started_without_a_broker_finds_it() {
    let port = free_port();
    let bench = Bench::start(settings(port));
    bench.record(100);
    bench.troubled("127.0.0.1").await;
    let _broker = Broker::start_with(port, "allow_anonymous true\n").await;
    bench.acknowledged(100).await;
    assert_eq!(bench.health().trouble, None);
}

/// SIGKILL in mid-stream: the broker forgets everything, sessions included. Judged at the wire: every connection begins
/// after the last record that was acknowledged, and goes on without a gap.
#[tokio::test]
async fn a_broker_killed_in_mid_stream_loses_nothing() {
    let mut broker = Broker::start().await;
    let tap = Tap::start(broker.port).await;
    let bench = Bench::start(settings(tap.port));
    for kill_at in [60, 180, 330] {
        bench.record(150);
        bench.acknowledged(kill_at).await;
        broker.kill();
        bench.record(10);
        broker.again().await;
    }
    bench.record(500 - 480);
    bench.acknowledged(500).await;

    let connections: Vec<_> = tap.connections().into_iter().filter(|c| !c.sent.is_empty()).collect();
    assert!(connections.len() >= 4, "{} connections", connections.len());
    let mut acknowledged = 0;
    for connection in &connections {
        let first = connection.sent[0];
        assert!(first <= acknowledged + 1, "a gap: {first} after {acknowledged}");
        assert_eq!(connection.sent, numbers(first, first + connection.sent.len() as u64 - 1));
        assert_eq!(connection.acknowledged, numbers(first, first + connection.acknowledged.len() as u64 - 1));
        acknowledged = acknowledged.max(connection.acknowledged.last().copied().unwrap_or(0));
        // No more than one window beyond what is acknowledged is ever in flight.
        assert!(connection.sent.len() - connection.acknowledged.len() <= 32);
    }
    assert_eq!(acknowledged, 500);
}

/// A line that swallows everything and closes nothing: given up after two keep-alives, and nothing is lost.
#[tokio::test]
async fn a_half_open_line_is_given_up() {
    let broker = Broker::start().await;
    let consumer = Subscriber::start(broker.port).await;
    let tap = Tap::start(broker.port).await;
    let bench = Bench::start(settings(tap.port));
    bench.record(20);
    bench.acknowledged(20).await;
    tap.cut(true);
    bench.record(200);
    let trouble = bench.troubled("127.0.0.1").await;
    assert!(trouble.contains("gave no sign") || trouble.contains("does not answer"), "{trouble}");
    tap.cut(false);
    bench.acknowledged(220).await;
    until("all seen", || consumer.seqs().contains(&220)).await;
    let mut seen = consumer.seqs();
    seen.dedup();
    assert_eq!(seen, numbers(1, 220));
}

/// After a restart of the daemon the relay goes on where the journal says.
#[tokio::test]
async fn a_new_relay_goes_on_after_the_cursor() {
    let broker = Broker::start().await;
    let bench = Bench::start(settings(broker.port));
    bench.record(40);
    bench.acknowledged(40).await;
    let journal = bench.stop().await;
    let consumer = Subscriber::start(broker.port).await;
    let bench = Bench::start_after(settings(broker.port), Seq(30), journal);
    bench.record(1);
    bench.acknowledged(41).await;
    until("all seen", || consumer.seqs().contains(&41)).await;
    assert_eq!(consumer.seqs(), numbers(31, 41));
}

/// A broker that takes one message at a time gets one at a time, state and faults included.
#[tokio::test]
async fn a_broker_that_takes_one_message_at_a_time_gets_them_so() {
    let broker = Broker::start_with(free_port(), "allow_anonymous true\nmax_inflight_messages 1\n").await;
    let bench = Bench::start(settings(broker.port));
    bench.record(100);
    bench.acknowledged(100).await;
}

#[tokio::test]
async fn a_journal_that_cannot_be_read_is_named_and_read_again() {
    let broker = Broker::start().await;
    let bench = Bench::start(settings(broker.port));
    bench.connected().await;
    *bench.journal.is_broken.lock().unwrap() = true;
    bench.record(10);
    bench.troubled("disk on fire").await;
    *bench.journal.is_broken.lock().unwrap() = false;
    bench.acknowledged(10).await;
    assert_eq!(bench.health().trouble, None);
}

/// Keys are told as they are pressed, in order, and to no one afterwards.
#[tokio::test]
async fn keys_are_told_live_or_dropped_and_counted() {
    let port = free_port();
    let bench = Bench::start(settings(port));
    bench.troubled("127.0.0.1").await;
    bench.keys.send(KeyTold::Digit(6)).await.unwrap();
    until("dropped", || bench.health().keys_dropped == 1).await;
    let broker = Broker::start_with(port, "allow_anonymous true\n").await;
    let consumer = Subscriber::start(broker.port).await;
    bench.connected().await;
    for key in [KeyTold::SomeKey, KeyTold::Digit(3), KeyTold::Entry] {
        bench.keys.send(key).await.unwrap();
    }
    consumer.sees("taisai/pit/t1/keypad", |payload| payload == r#"{"v":1,"key":"entry"}"#).await;
    let seen = consumer.seen();
    let told: Vec<&str> = seen.iter().filter(|s| s.topic.ends_with("/keypad")).map(|s| s.payload.as_str()).collect();
    assert_eq!(told, [r#"{"v":1,"key":"some-key"}"#, r#"{"v":1,"key":{"digit":3}}"#, r#"{"v":1,"key":"entry"}"#]);
}
