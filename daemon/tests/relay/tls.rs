//! TLS: which certificates are trusted.

use super::bench::{Bench, settings};
use crate::authority::{authority, openssl};
use crate::broker::{Broker, free_port};
use std::os::unix::fs::PermissionsExt;
use std::process::Command;
use tumblerd::relay::Tls;

#[tokio::test]
async fn tls_trusts_the_configured_authority_and_no_other() {
    let (dir, other) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let ca = authority(dir.path());
    let stranger = authority(other.path());
    let at = dir.path().display();
    let more = format!("allow_anonymous true\ncafile {at}/ca.crt\ncertfile {at}/server.crt\nkeyfile {at}/server.key\n");
    let broker = Broker::start_with(free_port(), &more).await;

    let mut with = settings(broker.port);
    with.tls = Some(Tls { ca: stranger, client: None });
    let bench = Bench::start(with.clone());
    bench.record(1);
    bench.troubled("TLS").await;
    let journal = bench.stop().await;

    with.tls = Some(Tls { ca: "/nonexistent/ca.crt".into(), client: None });
    let bench = Bench::start_after(with.clone(), tumbler_core::units::Seq(0), journal);
    bench.troubled("holds no certificates").await;
    let journal = bench.stop().await;

    with.tls = Some(Tls { ca, client: None });
    let bench = Bench::start_after(with, tumbler_core::units::Seq(0), journal);
    bench.acknowledged(1).await;
    // The authority's certificate and the broker's are for two days; thirty days before, it is time to renew them.
    let trouble = bench.troubled("the broker's certificate expires at ").await;
    assert!(trouble.contains(&format!("{at}/ca.crt expires at ")), "{trouble}");
    assert!(bench.health().connected);
}

/// A broker that wants a certificate of its clients says so only by hanging up, and one that wants TLS says nothing at all.
#[tokio::test]
async fn what_the_broker_wants_of_tls_is_named() {
    let dir = tempfile::tempdir().unwrap();
    let ca = authority(dir.path());
    let at = dir.path().display();
    let more = format!(
        "allow_anonymous true\ncafile {at}/ca.crt\ncertfile {at}/server.crt\nkeyfile {at}/server.key\nrequire_certificate true\n"
    );
    let broker = Broker::start_with(free_port(), &more).await;
    let mut with = settings(broker.port);
    let bench = Bench::start(with.clone());
    bench.record(1);
    bench.troubled("take mqtts://").await;
    let journal = bench.stop().await;

    with.tls = Some(Tls { ca: ca.clone(), client: None });
    let bench = Bench::start_after(with.clone(), tumbler_core::units::Seq(0), journal);
    bench.troubled("mqtt.cert_file").await;
    let journal = bench.stop().await;

    let key = dir.path().join("server.key");
    std::fs::set_permissions(&key, std::fs::Permissions::from_mode(0o640)).unwrap();
    with.tls = Some(Tls { ca, client: Some((dir.path().join("server.crt"), key)) });
    let bench = Bench::start_after(with, tumbler_core::units::Seq(0), journal);
    bench.acknowledged(1).await;
    bench.troubled(&format!("{at}/server.crt expires at ")).await;
}

/// With TLS 1.3 a broker that does not take the client's certificate says so after the handshake, where its first answer would be.
#[tokio::test]
async fn a_client_certificate_that_the_broker_does_not_take_is_named() {
    let (dir, other) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let ca = authority(dir.path());
    authority(other.path());
    openssl(dir.path(), "req -newkey rsa:2048 -nodes -subj /CN=expired -keyout expired.key -out expired.csr");
    let signed = "x509 -req -in expired.csr -CA ca.crt -CAkey ca.key -CAcreateserial -extfile san -out expired.crt";
    openssl(dir.path(), &format!("{signed} -days 0"));
    // Certificates count in whole seconds: it lasts one at most.
    let mut is_valid = Command::new("openssl");
    is_valid.current_dir(dir.path()).args(["x509", "-checkend", "0", "-noout", "-in", "expired.crt"]);
    while is_valid.output().unwrap().status.success() {}
    let at = dir.path().display();
    let more = format!(
        "allow_anonymous true\ncafile {at}/ca.crt\ncertfile {at}/server.crt\nkeyfile {at}/server.key\nrequire_certificate true\n"
    );
    let broker = Broker::start_with(free_port(), &more).await;
    for (certificate, said) in [
        (other.path().join("server.crt"), format!("127.0.0.1:{} ended the connection before it answered", broker.port)),
        (dir.path().join("expired.crt"), format!("{at}/expired.crt expired at ")),
    ] {
        let key = certificate.with_extension("key");
        std::fs::set_permissions(&key, std::fs::Permissions::from_mode(0o640)).unwrap();
        let mut with = settings(broker.port);
        with.tls = Some(Tls { ca: ca.clone(), client: Some((certificate, key)) });
        let bench = Bench::start(with);
        let trouble = bench.troubled("most likely it does not take this table's certificate: `mqtt.cert_file`").await;
        assert!(trouble.starts_with(&said), "{trouble}");
        assert!(!trouble.contains("MQTT 5"), "{trouble}");
    }
}
