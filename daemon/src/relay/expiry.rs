//! When the certificates expire on which the way to the broker relies: said thirty days before, for afterwards nothing goes through.

use rustls::client::WebPkiServerVerifier;
use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::pki_types::{CertificateDer, ServerName, UnixTime};
use rustls::{CertificateError, DigitallySignedStruct, Error, SignatureScheme};
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tumbler_core::wall;

/// So long before its end a certificate is told of.
const BEFORE: i64 = 30 * 86_400_000;
/// Seconds from 1970 to the end of the year 9999, in which every certificate has expired (RFC 5280, 4.1.2.5).
const FAR: u64 = 253_402_300_799;

/// The certificates that were seen: which, and when each expires, in milliseconds since 1970.
#[derive(Clone, Debug, Default)]
pub(super) struct Certificates(Arc<Mutex<BTreeMap<String, i64>>>);

impl Certificates {
    /// Of these certificates, one of which will do, the last one that expires.
    pub(super) fn note(&self, what: String, any_of: &[CertificateDer<'_>], verifier: &WebPkiServerVerifier) {
        let last = any_of.iter().map(|certificate| expires(certificate, verifier)).max().flatten();
        let mut seen = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        match last {
            Some(last) => drop(seen.insert(what, last)),
            None => drop(seen.remove(&what)),
        }
    }

    /// What there is to say of this certificate, where it has expired.
    pub(super) fn expired(&self, what: &str, now: i64) -> Option<String> {
        let seen = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        seen.get(what).filter(|end| **end < now).map(|end| told(what, *end, now))
    }

    /// Which are about to expire, or have, for people.
    pub(super) fn trouble(&self, now: i64) -> Option<String> {
        let seen = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let soon = seen.iter().filter(|(_, end)| end.saturating_sub(now) < BEFORE);
        let told: Vec<String> = soon.map(|(what, end)| told(what, *end, now)).collect();
        (!told.is_empty()).then(|| told.join("; "))
    }
}

fn told(what: &str, end: i64, now: i64) -> String {
    let expires = if end < now { "expired" } else { "expires" };
    format!("{what} {expires} at {}: renew it", wall::shown(end))
}

/// When a certificate expires: whoever verifies it for a day on which it surely has says since when.
fn expires(certificate: &CertificateDer<'_>, verifier: &WebPkiServerVerifier) -> Option<i64> {
    let far = UnixTime::since_unix_epoch(Duration::from_secs(FAR));
    let name = ServerName::try_from("0.0.0.0").ok()?;
    match verifier.verify_server_cert(certificate, &[], &name, &[], far) {
        Err(Error::InvalidCertificate(CertificateError::ExpiredContext { not_after, .. })) => {
            i64::try_from(not_after.as_secs()).ok()?.checked_mul(1000)
        }
        _ => None,
    }
}

/// Verifies a broker as rustls does, and notes when its certificate expires.
#[derive(Debug)]
pub(super) struct Watching {
    pub(super) verifier: Arc<WebPkiServerVerifier>,
    pub(super) certificates: Certificates,
}

impl ServerCertVerifier for Watching {
    fn verify_server_cert(
        &self,
        end_entity: &CertificateDer<'_>,
        intermediates: &[CertificateDer<'_>],
        server_name: &ServerName<'_>,
        ocsp_response: &[u8],
        now: UnixTime,
    ) -> Result<ServerCertVerified, Error> {
        let verified = self.verifier.verify_server_cert(end_entity, intermediates, server_name, ocsp_response, now)?;
        self.certificates.note("the broker's certificate".into(), std::slice::from_ref(end_entity), &self.verifier);
        Ok(verified)
    }
    fn verify_tls12_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        self.verifier.verify_tls12_signature(message, certificate, signature)
    }
    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        self.verifier.verify_tls13_signature(message, certificate, signature)
    }
    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.verifier.supported_verify_schemes()
    }
}
