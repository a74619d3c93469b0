//! What the broker refuses: in words, and whether that is one message or a whole topic.

use super::timing::Timing;
use crate::run::backoff::Backoff;
use rumqttc::v5::mqttbytes::Error as PacketError;
use rumqttc::v5::mqttbytes::v5::{DisconnectReasonCode, PubAck, PubAckReason};
use rumqttc::v5::{ConnectionError, StateError};
use std::time::Duration;
use tokio::time::Instant;
use tumbler_core::text::shown;
use tumbler_core::units::Seq;

/// A broker refused a message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Refused {
    /// The reason, for people.
    pub(super) why: String,
    /// Whether it would refuse every message on that topic; otherwise only this one.
    pub(super) topic: bool,
    /// Whether asking again is of no use.
    pub(super) for_good: bool,
}

impl Refused {
    /// What a reason code of MQTT 5 (2.4) says of a message.
    fn of(code: u8, said: Option<&str>) -> Self {
        let why = match code {
            0x80 => "without a reason",
            0x83 => "for a reason of its own",
            0x87 => "not authorised",
            0x90 => "the topic's name",
            0x95 => "too long",
            0x97 => "a quota is exceeded",
            0x99 => "the payload's format",
            _ => "for a reason that is none",
        };
        let topic = matches!(code, 0x87 | 0x90);
        // Too large, or not the format: it is the same message the next time.
        let said = said.map(|said| format!(": {}", shown(said))).unwrap_or_default();
        Self { why: format!("{why} ({code:#04x}){said}"), topic, for_good: matches!(code, 0x95 | 0x99) }
    }

    /// More than once the broker hung up while this message alone waited for its answer.
    pub(super) fn by_hanging_up() -> Self {
        let why = "the broker hangs up on it without a word, as RabbitMQ does where this user may not publish on the topic; its log says why";
        Self { why: why.into(), topic: true, for_good: false }
    }

    /// What an acknowledgement says; `None` where the broker took the message.
    ///
    /// # Errors
    /// The accounts of broker and relay differ: the connection is of no use any more.
    pub(super) fn by(ack: &PubAck) -> Result<Option<Self>, &'static str> {
        let said = ack.properties.as_ref().and_then(|properties| properties.reason_string.as_deref());
        Ok(Some(match ack.reason {
            PubAckReason::Success | PubAckReason::NoMatchingSubscribers => return Ok(None),
            PubAckReason::PacketIdentifierInUse => return Err("says that a message's number is in use"),
            PubAckReason::UnspecifiedError => Self::of(0x80, said),
            PubAckReason::ImplementationSpecificError => Self::of(0x83, said),
            PubAckReason::NotAuthorized => Self::of(0x87, said),
            PubAckReason::TopicNameInvalid => Self::of(0x90, said),
            PubAckReason::QuotaExceeded => Self::of(0x97, said),
            PubAckReason::PayloadFormatInvalid => Self::of(0x99, said),
        }))
    }

    /// The same of a broker that ended the connection over it, or gave a reason that rumqttc does not know: then nobody says which
    /// message it was. Mosquitto acknowledges what is over its `message_size_limit` with 0x95, which is none of PUBACK's reasons.
    pub(super) fn by_ending(error: &ConnectionError) -> Option<Self> {
        let ConnectionError::MqttState(error) = error else { return None };
        Some(match error {
            StateError::Deserialization(PacketError::InvalidConnectReturnCode(code @ 0x80..)) => Self::of(*code, None),
            StateError::ServerDisconnect { reason_code, reason_string } => {
                match (reason_code, reason_string.as_deref()) {
                    (DisconnectReasonCode::PacketTooLarge, said) => Self::of(0x95, said),
                    (DisconnectReasonCode::PayloadFormatInvalid, said) => Self::of(0x99, said),
                    (DisconnectReasonCode::QuotaExceeded, said) => Self::of(0x97, said),
                    (DisconnectReasonCode::NotAuthorized, said) => Self::of(0x87, said),
                    (DisconnectReasonCode::TopicNameInvalid, said) => Self::of(0x90, said),
                    _ => return None,
                }
            }
            _ => return None,
        })
    }
}

/// What the broker refused last, over all connections. A record is told in short form only where the refusal named the record itself:
/// whatever else is refused may be taken later, and its contents with it.
#[derive(Clone, Debug)]
pub(super) struct RefusedRecord {
    seq: Option<Seq>,
    form: Form,
    /// One for all records: a broker that refuses this one and then that one is asked no more often.
    backoff: Backoff,
    last: Option<Instant>,
}

/// In which form a record that the broker refused is told next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Form {
    Whole,
    Short,
    /// It refused the short form too.
    Hopeless,
}

impl RefusedRecord {
    /// Nothing was refused yet.
    pub(super) fn new(timing: Timing) -> Self {
        let backoff = Backoff::new(timing.first, timing.longest, timing.steady);
        Self { seq: None, form: Form::Whole, backoff, last: None }
    }

    /// The broker refused this record; gives how long it waits.
    pub(super) fn refused(&mut self, seq: Seq, for_good: bool) -> Duration {
        let form = if self.seq == Some(seq) { self.form } else { Form::Whole };
        self.seq = Some(seq);
        self.form = match form {
            Form::Whole if for_good => Form::Short,
            Form::Short | Form::Hopeless if for_good => Form::Hopeless,
            form => form,
        };
        if self.form == Form::Short && form == Form::Whole {
            // Another message than the one that was refused: nothing is to be waited for.
            return Duration::ZERO;
        }
        let quiet = self.last.map_or(Duration::ZERO, |last| last.elapsed());
        self.last = Some(Instant::now());
        if self.form == Form::Hopeless { self.backoff.longest() } else { self.backoff.pause(quiet) }
    }

    /// The broker took this record.
    pub(super) fn taken(&mut self, seq: Seq) {
        if self.seq.is_some_and(|refused| seq >= refused) {
            (self.seq, self.form) = (None, Form::Whole);
        }
    }

    /// Whether this record is told in short form.
    pub(super) fn is_short(&self, seq: Seq) -> bool {
        self.seq == Some(seq) && self.form != Form::Whole
    }
}
