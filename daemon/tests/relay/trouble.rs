//! What stands in the way is named, and goes away when it is put right.

use crate::bench::{Bench, settings};
use crate::broker::{Broker, free_port};
use rumqttc::v5::{AsyncClient, MqttOptions};
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
    std::fs::write(&file, "wrong\n").unwrap();
    bench.troubled("refuses user name and password").await;
    std::fs::write(&file, "right\n").unwrap();
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
    assert!(trouble.contains("`pit-t1`") && trouble.contains("client_id"), "{trouble}");
    twin.abort();
    bench.record(1);
    bench.acknowledged(1).await;
}

/// A broker that takes smaller messages than a record is: nothing is skipped, and what to do is said.
#[tokio::test]
async fn a_message_that_is_too_large_is_named() {
    let broker = Broker::start_with(free_port(), "allow_anonymous true\nmax_packet_size 200\n").await;
    let bench = Bench::start(settings(broker.port));
    bench.record(1);
    let trouble = bench.troubled("at most").await;
    assert!(trouble.contains("raise the broker's limit"), "{trouble}");
    assert_eq!(bench.acknowledged.borrow().0, 0);
}
