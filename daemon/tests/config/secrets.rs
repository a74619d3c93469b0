//! Passwords, certificates and keys of the configuration, which are refused where they are none, or no secret.

use super::{Files, WHOLE};
use crate::authority::{authority, openssl};
use std::fs::Permissions;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

/// Writes a file with this mode; gives its path.
fn secret(path: &Path, content: &[u8], mode: u32) -> String {
    std::fs::write(path, content).unwrap();
    std::fs::set_permissions(path, Permissions::from_mode(mode)).unwrap();
    path.display().to_string()
}

/// installing.md, Secrets. What is wrong with a client's certificate or its key is told at the key that names the file.
#[test]
fn a_client_certificate_or_key_that_cannot_be_used_is_refused() {
    let dir = tempfile::tempdir().unwrap();
    let ca = authority(dir.path());
    for command in [
        "pkey -in server.key -aes256 -passout pass:x -out locked.key",
        "rsa -in server.key -aes256 -passout pass:x -traditional -out old.key",
        "x509 -in server.crt -outform der -out server.der",
    ] {
        openssl(dir.path(), command);
    }
    let file = |name: &str| {
        let path = dir.path().join(name);
        std::fs::set_permissions(&path, Permissions::from_mode(0o600)).unwrap();
        path.display().to_string()
    };
    let broker = |certificate: &str, key: &str| {
        let files = format!("cert_file = \"{}\"\nkey_file = \"{}\"\n", file(certificate), file(key));
        let ca = ca.display();
        Files::new(&format!("{WHOLE}[mqtt]\nenabled = true\nurl = \"mqtts://x\"\nca_file = \"{ca}\"\n{files}"))
    };
    broker("server.crt", "server.key").config();
    for (certificate, key, at, what) in [
        ("server.der", "server.key", "15: mqtt.cert_file", "it is in DER"),
        ("server.key", "server.crt", "15: mqtt.cert_file", "the files of certificate and key may be swapped"),
        ("server.crt", "ca.crt", "16: mqtt.key_file", "the files of certificate and key may be swapped"),
        ("server.crt", "locked.key", "16: mqtt.key_file", "holds a key with a passphrase, which nobody types"),
        ("server.crt", "old.key", "16: mqtt.key_file", "holds a key with a passphrase, which nobody types"),
        ("server.crt", "ca.key", "16: mqtt.key_file", "is not that of the certificate in "),
    ] {
        let said = broker(certificate, key).errors();
        assert!(said.starts_with(&format!("t.toml:{at}: ")) && said.contains(what), "{certificate}, {key}: {said}");
    }
}

/// installing.md, Secrets.
#[test]
fn a_password_that_is_none_or_no_secret_is_refused() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("password");
    let broker = |file: &str| {
        let more =
            format!("enabled = true\nurl = \"mqtt://localhost\"\nusername = \"t1\"\npassword_file = \"{file}\"\n");
        Files::new(&format!("{WHOLE}[mqtt]\n{more}"))
    };
    for (content, mode, what) in [
        (b"".as_slice(), 0o600, "its first line is empty, too long, or has characters that are not seen"),
        (b"\nright\n", 0o600, "its first line is empty"),
        (b"a\0b\n", 0o600, "characters that are not seen"),
        (&[b'a'; 65_536], 0o600, "too long"),
        (&[0xff, 0xfe, 0x80], 0o600, "it is no text in UTF-8"),
        (
            b"right\n",
            0o644,
            "has mode 0644: only its owner may write it, and only owner and group read it; chmod 0640 ",
        ),
        (b"right\n", 0o660, "has mode 0660: "),
    ] {
        let said = broker(&secret(&path, content, mode)).errors();
        assert!(said.starts_with("t.toml:15: mqtt.password_file: ") && said.contains(what), "{said}");
        assert!(said.contains("the password is the first line of mqtt.password_file; "), "{said}");
    }
    std::fs::remove_file(&path).unwrap();
    for (file, what) in [(path.to_str().unwrap(), "No such file"), ("/dev/zero", "it is no regular file")] {
        let said = broker(file).errors();
        assert!(said.contains("mqtt.password_file: ") && said.contains(what), "{said}");
    }
    for mode in [0o600, 0o400, 0o640, 0o440] {
        broker(&secret(&path, b"right\r\nnote\n", mode)).config();
        std::fs::remove_file(&path).unwrap();
    }
    // The network's service's credential is there while that runs, and for nobody else.
    broker("/run/credentials/tumblerd-net.service/tumblerd.broker-password").config();
}

#[test]
fn a_password_in_clear_needs_consent() {
    let dir = tempfile::tempdir().unwrap();
    let password = secret(&dir.path().join("password"), b"right\n", 0o600);
    let broker = |url: &str, more: &str| {
        Files::new(&format!(
            "{WHOLE}[mqtt]\nenabled = true\nurl = \"{url}\"\nusername = \"t1\"\npassword_file = \"{password}\"\n{more}"
        ))
    };
    let said = broker("mqtt://10.0.0.5", "").errors();
    assert!(
        said.contains("mqtt.password_file: mqtt:// sends the password so that anybody on the network can read it"),
        "{said}"
    );
    assert!(said.contains("password_in_clear = true"), "{said}");
    broker("mqtt://10.0.0.5", "password_in_clear = true").config();
    for local in ["mqtt://127.0.0.1", "mqtt://localhost", "mqtt://[::1]"] {
        broker(local, "").config();
    }
}
