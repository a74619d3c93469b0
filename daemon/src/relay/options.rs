//! Which broker, and rumqttc's options for one connection to it.

use super::expiry::{Certificates, Watching};
use super::ledger::WINDOW;
use anyhow::Context;

use rumqttc::v5::MqttOptions;
use rumqttc::v5::mqttbytes::QoS;
use rumqttc::v5::mqttbytes::v5::{ConnectProperties, LastWill};
use rumqttc::{TlsConfiguration, Transport};
use rustls::client::WebPkiServerVerifier;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::sign::CertifiedKey;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;
use tumbler_core::text::is_unseen;

/// Shortest keep-alive that rumqttc takes.
pub(super) const LEAST_KEEP_ALIVE: Duration = Duration::from_secs(5);
/// The authorities that a Debian system trusts, which `update-ca-certificates` keeps; where no others are configured.
pub const SYSTEM_AUTHORITIES: &str = "/etc/ssl/certs/ca-certificates.crt";
/// Most bytes of a password's file, or of one with certificates: all authorities that Debian trusts are 220 kB.
const LONGEST: u64 = 1024 * 1024;
/// Most bytes of a password: MQTT's binary data has no more (MQTT 5, 1.5.6).
const LONGEST_PASSWORD: usize = 65_535;
/// Largest packet that a broker may send, in bytes: acknowledgements are a few bytes, and only a wordy CONNACK has more.
const LARGEST_INCOMING: u32 = 4096;
/// Largest packet that a consumer takes, in bytes: the largest message, a keyframe, several times over.
const LARGEST_MESSAGE: u32 = 256 * 1024;

/// The broker and how to reach it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Settings {
    /// Host name or address.
    pub host: String,
    /// Port, usually 1883, or 8883 with TLS.
    pub port: u16,
    /// TLS, where the broker speaks it.
    pub tls: Option<Tls>,
    /// Client id; no two clients of a broker may have the same.
    pub client_id: String,
    /// User name, where the broker asks for one.
    pub username: Option<String>,
    /// File whose first line is the password. Read at every connect, so that a new password needs no restart.
    pub password_file: Option<PathBuf>,
    /// Longest silence before the connection is probed; at least 5 s. After two of them without a sign
    /// of the broker the connection is given up.
    pub keep_alive: Duration,
    /// What a person sets all this by.
    pub names: Names,
}

/// What a person sets to reach the broker, by the names that it has where they set it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Names {
    /// The broker's address.
    pub url: &'static str,
    /// The client's id.
    pub client_id: &'static str,
    /// User name and password.
    pub account: &'static str,
    /// The authorities to trust.
    pub authorities: &'static str,
    /// What to do where the broker demands a certificate of its clients.
    pub certificate: &'static str,
}

impl Names {
    /// In a table's configuration.
    pub const TABLE: Self = Self {
        url: "`mqtt.url`",
        client_id: "`mqtt.client_id`",
        account: "`mqtt.username` and `mqtt.password_file`",
        authorities: "`mqtt.ca_file`",
        certificate: "set `mqtt.cert_file` and `mqtt.key_file`",
    };
}

/// Files for TLS, all PEM. Read at every connect.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tls {
    /// Certificates of the authorities to trust.
    pub ca: PathBuf,
    /// Certificate and key of this client, where the broker asks for them.
    pub client: Option<(PathBuf, PathBuf)>,
}

impl Settings {
    /// The broker, for people.
    #[must_use]
    pub fn broker(&self) -> String {
        format!("{}:{}", self.host, self.port)
    }

    /// The host as rumqttc takes it: it sets host and port together with a colon, and hands the same host to TLS.
    fn address(&self) -> anyhow::Result<String> {
        if !self.host.contains(':') {
            return Ok(self.host.clone());
        }
        anyhow::ensure!(self.tls.is_none(), "{}: TLS needs the broker's name, not its IPv6 address", self.host);
        Ok(format!("[{}]", self.host))
    }

    /// rumqttc's options for a connection with this will. Reads files, and notes when their certificates expire, and later the broker's.
    ///
    /// # Errors
    /// A file that cannot be read or does not hold what it should.
    pub(super) fn options(
        &self,
        will_topic: &str,
        will: Vec<u8>,
        certificates: &Certificates,
    ) -> anyhow::Result<MqttOptions> {
        let mut options = self.connection(LARGEST_INCOMING, certificates)?;
        options.set_last_will(LastWill::new(will_topic, will, QoS::AtLeastOnce, true, None));
        options.set_outgoing_inflight_upper_limit(WINDOW);
        Ok(options)
    }

    /// rumqttc's options for a connection that tells nothing and reads what tables tell. Reads files.
    ///
    /// # Errors
    /// As for [`Settings::options`].
    pub fn consumer(&self) -> anyhow::Result<MqttOptions> {
        self.connection(LARGEST_MESSAGE, &Certificates::default())
    }

    fn connection(&self, largest_incoming: u32, certificates: &Certificates) -> anyhow::Result<MqttOptions> {
        let mut options = MqttOptions::new(self.client_id.clone(), self.address()?, self.port);
        // The journal is the outbox, so a session at the broker would only be a second and worse one.
        options.set_clean_start(true);
        options.set_keep_alive(self.keep_alive.max(LEAST_KEEP_ALIVE));
        options.set_connect_properties(ConnectProperties {
            max_packet_size: Some(largest_incoming),
            session_expiry_interval: Some(0),
            ..ConnectProperties::new()
        });
        if let Some(username) = &self.username {
            let password = self.password_file.as_deref().map(password).transpose()?;
            options.set_credentials(username.clone(), password.unwrap_or_default());
        }
        if let Some(tls) = &self.tls {
            options.set_transport(Transport::tls_with_config(TlsConfiguration::Rustls(Arc::new(client(
                tls,
                certificates,
            )?))));
        }
        Ok(options)
    }
}

/// Checks that a file holds a password for the broker.
///
/// # Errors
/// It cannot be read, is too open, or its first line is no password.
pub fn check_password(file: &Path) -> anyhow::Result<()> {
    password(file).map(|_| ())
}

fn password(file: &Path) -> anyhow::Result<String> {
    let wrong = || format!("the broker's password cannot be read from {}", file.display());
    let text = crate::file::read_secret(file, LONGEST).with_context(wrong)?;
    let line = text.lines().next().unwrap_or_default();
    let is_password = (1..=LONGEST_PASSWORD).contains(&line.len()) && !line.contains(is_unseen);
    anyhow::ensure!(is_password, "{}: its first line is empty, too long, or has characters that are not seen", wrong());
    Ok(line.to_owned())
}

fn client(tls: &Tls, seen: &Certificates) -> anyhow::Result<rustls::ClientConfig> {
    let roots = Arc::new(authorities(&tls.ca)?);
    // Named, because rustls has no provider of its own here and would end the process over it.
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let verifier = WebPkiServerVerifier::builder_with_provider(roots, Arc::clone(&provider)).build()?;
    if tls.ca != Path::new(SYSTEM_AUTHORITIES) {
        seen.note(tls.ca.display().to_string(), &certificates(&tls.ca)?, &verifier);
    }
    let watching = Watching { verifier: Arc::clone(&verifier), certificates: seen.clone() };
    let config = rustls::ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()?
        .dangerous()
        .with_custom_certificate_verifier(Arc::new(watching));
    let Some((certificate, key)) = &tls.client else { return Ok(config.with_no_client_auth()) };
    let (chain, secret) = pair(certificate, key)?;
    seen.note(certificate.display().to_string(), chain.get(..1).unwrap_or_default(), &verifier);
    config.with_client_auth_cert(chain, secret).with_context(|| no_pair(certificate, key))
}

fn no_pair(certificate: &Path, key: &Path) -> String {
    format!("the key in {} is not that of the certificate in {}", key.display(), certificate.display())
}

/// A client's certificate with those that vouch for it, and its key.
fn pair(certificate: &Path, key: &Path) -> anyhow::Result<(Vec<CertificateDer<'static>>, PrivateKeyDer<'static>)> {
    let (chain, secret) = (certificates(certificate)?, private_key(key)?);
    let provider = rustls::crypto::ring::default_provider();
    match CertifiedKey::from_der(chain.clone(), secret.clone_key(), &provider) {
        Err(rustls::Error::InconsistentKeys(_)) => anyhow::bail!(no_pair(certificate, key)),
        other => other.with_context(|| format!("{} or {} cannot be used", key.display(), certificate.display()))?,
    };
    Ok((chain, secret))
}

fn private_key(file: &Path) -> anyhow::Result<PrivateKeyDer<'static>> {
    let wrong = || format!("{} holds no private key in PEM that can be read", file.display());
    let text = crate::file::read_secret(file, LONGEST).with_context(wrong)?;
    // By its PEM label, or by the header of older files.
    if text.contains("ENCRYPTED") {
        let at = file.display();
        anyhow::bail!(
            "{at} holds a key with a passphrase, which nobody types; `openssl pkey -in {at}` writes it without one"
        );
    }
    PrivateKeyDer::from_pem_slice(text.as_bytes()).with_context(|| instead(wrong(), text.as_bytes()))
}

/// The same with what the file holds instead, where that can be told.
fn instead(wrong: String, bytes: &[u8]) -> String {
    let text = String::from_utf8_lossy(bytes);
    // In DER a certificate and a key are a sequence with a length of two bytes.
    let found = if bytes.starts_with(&[0x30, 0x82]) {
        "it is in DER; `openssl x509 -inform der` writes it in PEM"
    } else if text.contains("-BEGIN CERTIFICATE-") {
        "it holds a certificate: the files of certificate and key may be swapped"
    } else if text.contains("PRIVATE KEY-") {
        "it holds a private key: the files of certificate and key may be swapped"
    } else {
        return wrong;
    };
    format!("{wrong}: {found}")
}

/// Checks that a file holds a client's certificate.
///
/// # Errors
/// It cannot be read, or holds none.
pub fn check_certificate(file: &Path) -> anyhow::Result<()> {
    certificates(file).map(|_| ())
}

/// Checks that a file holds the private key of a client's certificate.
///
/// # Errors
/// A file cannot be read, is too open, or does not hold what it should, or the two do not go together.
pub fn check_key(certificate: &Path, key: &Path) -> anyhow::Result<()> {
    pair(certificate, key).map(|_| ())
}

/// Checks that a file holds certificates of authorities to trust.
///
/// # Errors
/// It cannot be read, or holds none, or one that cannot be.
pub fn check_authorities(file: &Path) -> anyhow::Result<()> {
    authorities(file).map(|_| ())
}

fn authorities(file: &Path) -> anyhow::Result<rustls::RootCertStore> {
    let mut roots = rustls::RootCertStore::empty();
    for certificate in certificates(file)? {
        roots.add(certificate).with_context(|| format!("{} holds a certificate that cannot be", file.display()))?;
    }
    Ok(roots)
}

fn certificates(file: &Path) -> anyhow::Result<Vec<CertificateDer<'static>>> {
    let wrong = || format!("{} holds no certificates in PEM that can be read", file.display());
    let text = crate::file::read(file, LONGEST).with_context(wrong)?;
    let found: Vec<CertificateDer<'static>> =
        CertificateDer::pem_slice_iter(&text).collect::<Result<_, _>>().with_context(wrong)?;
    anyhow::ensure!(!found.is_empty(), instead(wrong(), &text));
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_ipv6_address_is_put_in_brackets_and_cannot_have_tls() {
        let mut settings = Settings {
            host: "fd00::1".into(),
            port: 1883,
            tls: None,
            client_id: "t".into(),
            username: None,
            password_file: None,
            keep_alive: Duration::from_secs(1),
            names: Names::TABLE,
        };
        let options = settings.options("status", vec![], &Certificates::default()).unwrap();
        assert_eq!(options.broker_address(), ("[fd00::1]".into(), 1883));
        assert_eq!(options.keep_alive(), LEAST_KEEP_ALIVE, "rumqttc panics below it");
        settings.tls = Some(Tls { ca: "/nonexistent".into(), client: None });
        let error = settings.options("status", vec![], &Certificates::default()).err().unwrap().to_string();
        assert!(error.contains("IPv6"), "{error}");
    }
}
