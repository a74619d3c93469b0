//! What went wrong in the TLS handshake with the broker, in words that say what to do.

use rumqttc::TlsError;
use rustls::{CertificateError, Error};
use std::io;

/// What this error means at a broker that is called by the name `host`; the authorities to trust are set by `authorities`.
pub(super) fn words(error: &TlsError, host: &str, authorities: &str) -> String {
    let io = match error {
        TlsError::Io(io) => io,
        other => return other.to_string(),
    };
    match io.get_ref().and_then(|inner| inner.downcast_ref::<Error>()) {
        Some(Error::InvalidCertificate(why)) => certificate(why, host, authorities),
        Some(Error::InvalidMessage(_)) => not_for_tls("answers otherwise"),
        None if matches!(io.kind(), io::ErrorKind::ConnectionReset | io::ErrorKind::UnexpectedEof) => {
            not_for_tls("hung up")
        }
        _ => io.to_string(),
    }
}

fn not_for_tls(how: &str) -> String {
    format!("it {how} where TLS begins; most likely its port is not for TLS: take the port that is, or mqtt://")
}

fn certificate(why: &CertificateError, host: &str, authorities: &str) -> String {
    match why {
        CertificateError::UnknownIssuer => format!(
            "its certificate comes from no authority that is trusted here: name that authority's certificate, or a self-signed one itself, in {authorities}"
        ),
        CertificateError::Expired | CertificateError::ExpiredContext { .. } => {
            "its certificate has expired, or this machine's clock is wrong: renew it, or set the clock".to_owned()
        }
        CertificateError::NotValidYet | CertificateError::NotValidYetContext { .. } => {
            "its certificate is not valid yet, or this machine's clock is wrong: set the clock".to_owned()
        }
        CertificateError::NotValidForName | CertificateError::NotValidForNameContext { .. } => {
            format!("its certificate is not for the name `{host}`: take a name that it is for ({why})")
        }
        // rustls has no word of its own for it.
        CertificateError::Other(_) if format!("{why:?}").contains("CaUsedAsEndEntity") => format!(
            "its certificate is an authority's own, as `openssl req -x509` makes one, and may not be a broker's: give the broker one that is no \
             authority's (basicConstraints CA:FALSE), and name who signed it in {authorities}"
        ),
        other => format!("its certificate is not accepted: {other}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;

    #[test]
    fn what_is_wrong_with_a_handshake_is_said_in_words() {
        let other = rustls::OtherError(Arc::new(io::Error::other("CaUsedAsEndEntity")));
        let certificate = |why| io::Error::new(io::ErrorKind::InvalidData, Error::InvalidCertificate(why));
        for (error, said) in [
            (certificate(CertificateError::UnknownIssuer), "or a self-signed one itself, in `--ca-file`"),
            (certificate(CertificateError::Expired), "has expired, or this machine's clock is wrong"),
            (certificate(CertificateError::NotValidForName), "is not for the name `pit.example`"),
            (certificate(CertificateError::Other(other)), "is an authority's own"),
            (io::ErrorKind::ConnectionReset.into(), "it hung up where TLS begins; most likely its port is not for TLS"),
            (io::ErrorKind::UnexpectedEof.into(), "its port is not for TLS"),
            (io::Error::other("else"), "else"),
        ] {
            let words = words(&TlsError::Io(error), "pit.example", "`--ca-file`");
            assert!(words.contains(said), "{said}: {words}");
        }
    }
}
