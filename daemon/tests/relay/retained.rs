//! What the broker keeps for who comes later.

use super::bench::{Bench, settings};
use super::tap::Tap;
use crate::broker::Broker;
use crate::subscriber::{Seen, Subscriber};
use crate::wait::until;
use rumqttc::v5::mqttbytes::QoS;
use tumbler_core::latch::{Code, Malfunction};
use tumbler_core::snapshot::Phase;
use tumbler_core::units::{Mono, Seq};
use tumbler_core::wire::topics::{LampsMessage, StateMessage, Status};

fn latched(code: Code) -> Malfunction {
    Malfunction { code, cause: "found so".into(), since: Mono(1), in_spin: false }
}

/// What a consumer that comes now is given.
async fn kept(port: u16) -> Vec<Seen> {
    let consumer = Subscriber::start(port).await;
    consumer.sees("taisai/pit/t1/status", |_| true).await;
    consumer.sees("taisai/pit/t1/state", |_| true).await;
    consumer.sees("taisai/pit/t1/lamps", |_| true).await;
    consumer.seen().into_iter().filter(|s| s.retained).collect()
}

fn status(payload: &str) -> String {
    serde_json::from_str::<Status>(payload).unwrap().status
}

/// Faults that an earlier daemon left at the broker are deleted, those that are latched are there.
#[tokio::test]
async fn every_connection_puts_right_what_the_broker_keeps() {
    let broker = Broker::start().await;
    let earlier = Subscriber::start(broker.port).await;
    for code in ["seal", "journal"] {
        let topic = format!("taisai/pit/t1/fault/{code}");
        let old = format!(r#"{{"v":1,"code":"{code}","cause":"old"}}"#);
        earlier.client.publish(&topic, QoS::AtLeastOnce, true, old).await.unwrap();
        earlier.sees(&topic, |payload| payload.contains("old")).await;
    }
    let bench = Bench::start(settings(broker.port));
    bench.change(|table| table.malfunctions = vec![latched(Code::Lamps), latched(Code::Journal)]);
    earlier.sees("taisai/pit/t1/fault/journal", |payload| payload.contains("found so")).await;
    earlier.sees("taisai/pit/t1/fault/seal", str::is_empty).await;
    earlier.sees("taisai/pit/t1/fault/lamps", |payload| payload.contains("found so")).await;
    // State is told last of all.
    earlier.sees("taisai/pit/t1/state", |payload| payload.contains("found so")).await;
    let mut topics: Vec<String> = kept(broker.port).await.into_iter().map(|s| s.topic).collect();
    topics.sort();
    let expected = ["fault/journal", "fault/lamps", "lamps", "state", "status"];
    assert_eq!(topics, expected.map(|t| format!("taisai/pit/t1/{t}")));
}

#[tokio::test]
async fn state_and_lamps_are_what_is() {
    let broker = Broker::start().await;
    let consumer = Subscriber::start(broker.port).await;
    let bench = Bench::start(settings(broker.port));
    for seq in 1..200 {
        bench.change(|table| {
            table.seq = Seq(seq);
            table.phase = Phase::Settling;
            table.lit = vec!["small".into()];
            table.sensed = vec!["small".into(), "big".into()];
        });
    }
    let state = |payload: &str| serde_json::from_str::<StateMessage>(payload).unwrap();
    consumer.sees("taisai/pit/t1/state", |payload| state(payload).snapshot.seq == Seq(199)).await;
    let told = state(&consumer.last("taisai/pit/t1/state").unwrap().payload);
    assert_eq!((told.boot.as_str(), told.snapshot.phase), ("boot-1", Phase::Settling));
    assert_eq!(told.snapshot, **bench.snapshot.borrow());
    let lamps: LampsMessage = serde_json::from_str(&consumer.last("taisai/pit/t1/lamps").unwrap().payload).unwrap();
    assert_eq!((lamps.commanded.len(), lamps.sensed.len(), lamps.verified), (1, 2, false));
    bench.change(|table| table.malfunctions = vec![latched(Code::Seal)]);
    consumer.sees("taisai/pit/t1/fault/seal", |payload| payload.contains("found so")).await;
    bench.change(|table| table.malfunctions.clear());
    consumer.sees("taisai/pit/t1/fault/seal", str::is_empty).await;
}

/// The broker publishes the will of a daemon that is gone without a good-bye.
#[tokio::test]
async fn a_daemon_that_is_killed_is_offline() {
    let broker = Broker::start().await;
    let consumer = Subscriber::start(broker.port).await;
    let bench = Bench::start(settings(broker.port));
    consumer.sees("taisai/pit/t1/status", |payload| status(payload) == "online").await;
    bench.task.abort();
    consumer.sees("taisai/pit/t1/status", |payload| status(payload) == "offline").await;
    let statuses = consumer.seen().iter().filter(|s| s.topic.ends_with("/status")).count();
    assert_eq!(statuses, 2);
}

/// A daemon that stops tells what is left, says that it is offline, and leaves no will to be published.
#[tokio::test]
async fn a_daemon_that_stops_says_good_bye() {
    let broker = Broker::start().await;
    let consumer = Subscriber::start(broker.port).await;
    let bench = Bench::start(settings(broker.port));
    bench.connected().await;
    bench.record(300);
    let acknowledged = bench.acknowledged.clone();
    bench.stop().await;
    assert_eq!(acknowledged.borrow().0, 300);
    until("all seen", || consumer.seqs().len() >= 300).await;
    consumer.sees("taisai/pit/t1/status", |payload| status(payload) == "offline").await;
    let statuses: Vec<String> =
        consumer.seen().iter().filter(|s| s.topic.ends_with("/status")).map(|s| status(&s.payload)).collect();
    assert_eq!(statuses, ["online", "offline"]);
}

/// A broker that lost everything is told everything again.
#[tokio::test]
async fn a_broker_that_forgot_is_told_again() {
    let mut broker = Broker::start().await;
    let tap = Tap::start(broker.port).await;
    let bench = Bench::start(settings(tap.port));
    bench.change(|table| table.malfunctions = vec![latched(Code::Dome)]);
    bench.record(1);
    bench.acknowledged(1).await;
    broker.kill();
    bench.troubled("127.0.0.1").await;
    broker.again().await;
    bench.record(1);
    bench.acknowledged(2).await;
    let consumer = Subscriber::start(broker.port).await;
    consumer.sees("taisai/pit/t1/fault/dome", |payload| payload.contains("found so")).await;
    consumer.sees("taisai/pit/t1/status", |payload| status(payload) == "online").await;
}
