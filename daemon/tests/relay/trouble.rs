//! Problems with the broker are reported by name, and the report ends when they are solved.

use super::bench::{Bench, settings};
use crate::broker::{Broker, free_port};
use crate::subscriber::Subscriber;
use crate::wait::until;
use rumqttc::v5::{AsyncClient, MqttOptions};
use std::fs::Permissions;
use std::os::unix::fs::PermissionsExt;
use std::process::Command;

#[tokio::test]
async fn a_wrong_password_is_named_and_a_right_one_needs_no_restart() {
    let dir = tempfile::tempdir().unwrap();
    let passwords = dir.path().join("passwd");
    let made = Command::new("mosquitto_passwd").args(["-b", "-c"]).arg(&passwords).args(["pit-t1", "right"]).output();
    assert!(made.unwrap().status.success());
    let more = format!("allow_anonymous false\npassword_file {}\n", passwords.display());
    let broker = Broker::start_with(free_port(), &more).await;
    let mut with = settings(broker.port);
    let file = dir.path().join("password");
    with.username = Some("pit-t1".into());
    with.password_file = Some(file.clone());
    let bench = Bench::start(with);
    bench.record(3);
    bench.troubled("password cannot be read").await;
    let write = |password: &str, mode: u32| {
        std::fs::write(&file, password).unwrap();
        std::fs::set_permissions(&file, Permissions::from_mode(mode)).unwrap();
    };
    write("right\n", 0o644);
    bench.troubled("only owner and group read it; chmod 0640").await;
    write("wrong\n", 0o640);
    bench.troubled("check `mqtt.username` and `mqtt.password_file`").await;
    write("right\n", 0o640);
    bench.acknowledged(3).await;
}

/// Two clients with one id push each other out for ever: that is what the log and `status` say.
#[tokio::test]
async fn a_client_id_that_another_has_is_named() {
    let broker = Broker::start().await;
    let bench = Bench::start(settings(broker.port));
    bench.connected().await;
    let (_client, mut events) = AsyncClient::new(MqttOptions::new("pit-t1", "127.0.0.1", broker.port), 8);
    let twin = tokio::spawn(async move {
        // As rumqttc does by itself: back at once, for ever.
        loop {
            let _ = events.poll().await;
        }
    });
    let trouble = bench.troubled("most likely another client").await;
    assert!(trouble.contains("`pit-t1`") && trouble.contains("`mqtt.client_id`"), "{trouble}");
    twin.abort();
    bench.record(1);
    bench.acknowledged(1).await;
}

/// A broker that takes smaller messages than the shortest form of a record: nothing is skipped, and what to do is said. What is
/// short enough is told.
#[tokio::test]
async fn a_message_that_is_too_large_is_named() {
    let broker = Broker::start_with(free_port(), "allow_anonymous true\nmax_packet_size 200\n").await;
    let consumer = Subscriber::start(broker.port).await;
    let bench = Bench::start(settings(broker.port));
    bench.record(1);
    let trouble = bench.troubled("at most").await;
    assert!(trouble.contains("raise the broker's limit"), "{trouble}");
    consumer.sees("taisai/pit/t1/status", |payload| payload.contains("online")).await;
    until("`state` is named", || bench.health().refused.iter().any(|r| r.starts_with("taisai/pit/t1/state: "))).await;
    assert_eq!(bench.acknowledged.borrow().0, 0);
    assert!(bench.health().connected);
}

/// An ACL of the broker, read again at SIGHUP.
struct Acl {
    dir: tempfile::TempDir,
}

impl Acl {
    fn new() -> Self {
        Self { dir: tempfile::tempdir().unwrap() }
    }

    /// What the table may publish; everybody may read all.
    fn allow(&self, topics: &[&str]) {
        let writes: String = topics.iter().map(|topic| format!("topic write taisai/pit/t1/{topic}\n")).collect();
        std::fs::write(self.dir.path().join("acl"), format!("topic read #\n{writes}")).unwrap();
    }

    fn configuration(&self) -> String {
        format!("allow_anonymous true\nacl_file {}\n", self.dir.path().join("acl").display())
    }
}

/// A topic that the table may not publish on is named; the others and the records go on, and it is told once it may be.
#[tokio::test]
async fn a_denied_topic_is_named_and_the_rest_goes_on() {
    let acl = Acl::new();
    acl.allow(&["event", "state", "status", "fault/+"]);
    let broker = Broker::start_with(free_port(), &acl.configuration()).await;
    let consumer = Subscriber::start(broker.port).await;
    let bench = Bench::start(settings(broker.port));
    bench.record(100);
    bench.acknowledged(100).await;
    until("all seen", || consumer.seqs().len() >= 100).await;
    let refused = || bench.health().refused;
    until("`lamps` is named", || refused() == ["taisai/pit/t1/lamps: not authorised (0x87)"]).await;
    bench.change(|table| table.tumbles.0 = 7);
    consumer.sees("taisai/pit/t1/state", |payload| payload.contains("\"tumbles\":7")).await;
    assert!(bench.health().connected, "{:?}", bench.health());

    acl.allow(&["#"]);
    broker.reload();
    consumer.sees("taisai/pit/t1/lamps", |payload| payload.contains("commanded")).await;
    until("nothing is refused", || refused().is_empty()).await;
}

/// Where `event` is denied, no record counts as told; what else there is to tell is told.
#[tokio::test]
async fn denied_records_wait_and_the_rest_goes_on() {
    let acl = Acl::new();
    acl.allow(&["state", "status", "lamps", "fault/+"]);
    let broker = Broker::start_with(free_port(), &acl.configuration()).await;
    let consumer = Subscriber::start(broker.port).await;
    let bench = Bench::start(settings(broker.port));
    bench.record(100);
    let refused = || bench.health().refused;
    until("`event` is named", || refused() == ["taisai/pit/t1/event: not authorised (0x87)"]).await;
    bench.change(|table| table.tumbles.0 = 7);
    consumer.sees("taisai/pit/t1/state", |payload| payload.contains("\"tumbles\":7")).await;
    bench.record(1);
    let health = bench.health();
    assert!(health.connected && health.acknowledged.0 == 0 && consumer.seqs().is_empty(), "{health:?}");

    acl.allow(&["#"]);
    broker.reload();
    bench.acknowledged(101).await;
    until("all seen", || consumer.seqs().len() >= 101).await;
    assert_eq!(consumer.seqs(), (1..=101).collect::<Vec<u64>>());
    until("nothing is refused", || refused().is_empty()).await;
}
