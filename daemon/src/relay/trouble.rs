//! What stands between the table and the broker, in words that say what to do.

use super::options::Settings;
use rumqttc::v5::mqttbytes::Error as PacketError;
use rumqttc::v5::mqttbytes::v5::{ConnectReturnCode, DisconnectReasonCode};
use rumqttc::v5::{ConnectionError, StateError};
use std::io::ErrorKind;
use tumbler_core::text::shown;
use tumbler_core::wall;

/// Why there is no connection.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Trouble {
    /// For people.
    pub what: String,
    /// Whether only a person can put it right: trying again soon is of no use.
    pub lasting: bool,
    /// Whether the words say what to do.
    pub advises: bool,
}

/// Another client has this table's id.
pub(super) fn same_id(settings: &Settings) -> Trouble {
    Trouble::lasting(format!(
        "another client of {} has the client id `{}` and takes the session over; give each a {} of its own",
        settings.broker(),
        settings.client_id,
        settings.names.client_id
    ))
}

/// Another client may have this table's id.
pub(super) fn most_likely_same_id(times: u32, settings: &Settings) -> Trouble {
    Trouble::lasting(format!(
        "{} took {times} connections in a row and hung up on each; most likely another client has the client id `{}`: \
         give every table a `mqtt.client_id` of its own; otherwise its log says why, such as a topic that this user may not publish on",
        settings.broker(),
        settings.client_id
    ))
}

/// The broker refused the connection. Its own words for it, and the server that it names, rumqttc drops.
fn refused(code: ConnectReturnCode, settings: &Settings) -> Trouble {
    use ConnectReturnCode as Code;
    let id = &settings.client_id;
    let (why, lasting) = match code {
        Code::ClientIdentifierNotValid | Code::BadClientId => {
            (format!("the client id `{id}`; set {} to what it takes", settings.names.client_id), true)
        }
        Code::Banned => (format!("this client as banned; who runs it can let `{id}` in again"), true),
        Code::UnsupportedProtocolVersion | Code::RefusedProtocolVersion => {
            ("MQTT 5; use a broker that speaks it".into(), true)
        }
        Code::BadAuthenticationMethod => ("to let clients in by name and password or by certificate".into(), true),
        Code::RetainNotSupported => ("retained messages; the relay needs them".into(), true),
        Code::QoSNotSupported => ("QoS 1; the relay needs it".into(), true),
        Code::TopicNameInvalid => ("the topic `status` of this table, on which it would tell of its end".into(), true),
        Code::ServerUnavailable | Code::ServiceUnavailable => ("connections for now".into(), false),
        Code::ServerBusy => ("connections while it is busy".into(), false),
        Code::QuotaExceeded => ("more connections than its quota has".into(), false),
        Code::ConnectionRateExceeded => ("so many connections in so short a time".into(), false),
        _ => ("the connection".into(), false),
    };
    let what = format!("{} refuses {why} ({code:?}); its log says more", settings.broker());
    Trouble { what, lasting, advises: true }
}

/// The broker takes connections and hangs up, since a moment in wall time.
pub(super) fn hung_up(times: u32, since: i64, settings: &Settings) -> Trouble {
    let broker = settings.broker();
    Trouble::passing(format!("{broker} hung up {times} times since {}; its log says why", wall::shown(since)))
}

/// What the broker's alert says of this client's certificate. With TLS 1.3 it comes after the handshake, in place of the first answer.
fn alert(error: &ConnectionError) -> Option<String> {
    // As rustls words it: rumqttc hides the error itself in several of its own.
    let text = error.to_string();
    let (_, alert) = text.split_once("received fatal alert: ")?;
    let of_certificate = ["Certificate", "UnknownCA", "AccessDenied", "DecryptError"];
    of_certificate.iter().any(|part| alert.contains(part)).then(|| alert.to_owned())
}

/// The broker answered CONNECT in a way that no broker of MQTT 5 does: with an alert of TLS, with the CONNACK of an older version, or
/// by hanging up. `expired`: what there is to say of this client's certificate, where it has expired.
fn unanswered(error: &ConnectionError, settings: &Settings, expired: Option<String>) -> Option<Trouble> {
    let (broker, alert, demanded) = (settings.broker(), alert(error), settings.names.certificate);
    let is_ended = is_hung_up(error)
        || matches!(error, ConnectionError::MqttState(StateError::Deserialization(PacketError::Io(_))));
    // An older CONNACK has no length of properties (MQTT 3.1.1, 3.2); where a broker has no word for it, it hangs up.
    let is_older = matches!(error, ConnectionError::MqttState(StateError::Deserialization(_)));
    let client = settings.tls.as_ref().map(|tls| &tls.client);
    let certificate = match client {
        Some(Some((certificate, _))) if alert.is_some() || is_ended => {
            let before = expired.map(|expired| format!("{expired}; ")).unwrap_or_default();
            let after = if alert.is_some() { "" } else { "; otherwise it may have only an older version of MQTT" };
            let alert = alert.map(|alert| format!(" (TLS alert {alert})")).unwrap_or_default();
            return Some(Trouble::lasting(format!(
                "{before}{broker} ended the connection before it answered{alert}; most likely it does not take this table's \
                 certificate: `mqtt.cert_file` ({}) must be valid and of an authority that the broker trusts{after}",
                certificate.display()
            )));
        }
        Some(None) if alert.is_some_and(|alert| alert.contains("CertificateRequired")) => {
            return Some(Trouble::lasting(format!("{broker} demands a certificate of its clients; {demanded}")));
        }
        Some(None) => format!("; or it demands a certificate of its clients: {demanded}"),
        Some(Some(_)) => String::new(),
        None => "; or its port is for TLS: take mqtts://".to_owned(),
    };
    (is_older || is_ended).then(|| {
        Trouble::lasting(format!(
            "{broker} took the connection and did not answer as MQTT 5; most likely it has only an older version of MQTT, as NATS and \
             RabbitMQ before 3.13 have: use a broker that speaks MQTT 5{certificate}"
        ))
    })
}

/// Whether the broker ended the connection without a word.
pub(super) fn is_hung_up(error: &ConnectionError) -> bool {
    match error {
        ConnectionError::MqttState(StateError::ConnectionAborted) => true,
        ConnectionError::Io(io)
        | ConnectionError::MqttState(StateError::Io(io) | StateError::Deserialization(PacketError::Io(io))) => {
            // With TLS an end without TLS's own good-bye is an error of its own.
            matches!(io.kind(), ErrorKind::ConnectionReset | ErrorKind::BrokenPipe | ErrorKind::UnexpectedEof)
        }
        _ => false,
    }
}

impl Trouble {
    /// Trouble that may be over the next time.
    #[must_use]
    pub fn passing(what: impl Into<String>) -> Self {
        Self { what: what.into(), lasting: false, advises: false }
    }
    /// Trouble that lasts until a person puts it right.
    #[must_use]
    pub fn lasting(what: impl Into<String>) -> Self {
        Self { what: what.into(), lasting: true, advises: true }
    }

    /// The same of a broker that named the server to take instead.
    pub(super) fn and_elsewhere(mut self, server: Option<&str>) -> Self {
        if let Some(server) = server {
            self.what += &format!("; it names another server, `{}`: set `mqtt.url` to that one", shown(server));
        }
        self
    }

    /// What rumqttc's error means that came before the broker had answered. `expired`: what there is to say of this client's certificate,
    /// where it has expired.
    #[must_use]
    pub fn before_answer(error: &ConnectionError, settings: &Settings, expired: Option<String>) -> Self {
        unanswered(error, settings, expired).unwrap_or_else(|| Self::of(error, settings))
    }

    /// What rumqttc's error means.
    #[must_use]
    pub fn of(error: &ConnectionError, settings: &Settings) -> Self {
        let broker = settings.broker();
        match error {
            ConnectionError::MqttState(StateError::ServerDisconnect {
                reason_code: DisconnectReasonCode::SessionTakenOver,
                ..
            }) => same_id(settings),
            ConnectionError::ConnectionRefused(
                code @ (ConnectReturnCode::BadUserNamePassword | ConnectReturnCode::NotAuthorized),
            ) => Self::lasting(format!(
                "{broker} refuses user name and password ({code:?}); check {}",
                settings.names.account
            )),
            ConnectionError::ConnectionRefused(
                code @ (ConnectReturnCode::UseAnotherServer | ConnectReturnCode::ServerMoved),
            ) => Self::lasting(format!(
                "{broker} sends its clients to another server ({code:?}); who runs it says which: set {} to that one",
                settings.names.url
            )),
            ConnectionError::ConnectionRefused(code) => refused(*code, settings),
            ConnectionError::MqttState(StateError::ServerDisconnect { reason_code, reason_string }) => {
                let more = reason_string.as_ref().map(|r| format!(" ({})", shown(r))).unwrap_or_default();
                Self::passing(format!("{broker} ended the connection: {reason_code:?}{more}"))
            }
            ConnectionError::Timeout(_) => Self::passing(format!("{broker} does not answer")),
            ConnectionError::MqttState(StateError::AwaitPingResp) => {
                Self::passing(format!("{broker} does not answer to pings"))
            }
            ConnectionError::MqttState(StateError::ConnectionAborted) => Self::passing(format!("{broker} hung up")),
            ConnectionError::Io(error) => Self::passing(format!("{broker}: {error}")),
            ConnectionError::Tls(error) => {
                let words = super::handshake::words(error, &settings.host, settings.names.authorities);
                Self { advises: true, ..Self::passing(format!("{broker}: TLS: {words}")) }
            }
            other => Self::passing(format!("{broker}: {other}")),
        }
    }
}
