//! TLS, with an authority of the test's own.

use crate::bench::{Bench, settings};
use crate::broker::{Broker, free_port};
use std::path::{Path, PathBuf};
use std::process::Command;
use tumblerd::relay::Tls;

fn openssl(dir: &Path, arguments: &str) {
    let output = Command::new("openssl").current_dir(dir).args(arguments.split_whitespace()).output();
    let output = output.expect("openssl cannot be started; install it: apt install openssl");
    assert!(output.status.success(), "openssl {arguments}: {}", String::from_utf8_lossy(&output.stderr));
}

/// An authority, and a broker's certificate from it for 127.0.0.1.
pub(crate) fn authority(dir: &Path) -> PathBuf {
    std::fs::write(dir.join("san"), "subjectAltName=IP:127.0.0.1\nbasicConstraints=CA:FALSE\n").unwrap();
    openssl(dir, "req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=authority -keyout ca.key -out ca.crt");
    openssl(dir, "req -newkey rsa:2048 -nodes -subj /CN=broker -keyout server.key -out server.csr");
    openssl(
        dir,
        "x509 -req -in server.csr -CA ca.crt -CAkey ca.key -CAcreateserial -days 2 -extfile san -out server.crt",
    );
    dir.join("ca.crt")
}

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
}
