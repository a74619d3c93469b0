//! A certificate authority of the test's own.

use std::path::{Path, PathBuf};
use std::process::Command;

pub(crate) fn openssl(dir: &Path, arguments: &str) {
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
