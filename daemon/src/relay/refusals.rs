//! What the broker refuses: in words, and whether that is one message or a whole topic.

use rumqttc::v5::mqttbytes::Error as PacketError;
use rumqttc::v5::mqttbytes::v5::{DisconnectReasonCode, PubAckReason};
use rumqttc::v5::{ConnectionError, StateError};
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
    fn of(code: u8) -> Self {
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
        Self { why: format!("{why} ({code:#04x})"), topic, for_good: matches!(code, 0x95 | 0x99) }
    }

    /// What an acknowledgement says; `None` where the broker took the message.
    ///
    /// # Errors
    /// The accounts of broker and relay differ: the connection is of no use any more.
    pub(super) fn by(reason: PubAckReason) -> Result<Option<Self>, &'static str> {
        Ok(Some(match reason {
            PubAckReason::Success | PubAckReason::NoMatchingSubscribers => return Ok(None),
            PubAckReason::PacketIdentifierInUse => return Err("says that a message's number is in use"),
            PubAckReason::UnspecifiedError => Self::of(0x80),
            PubAckReason::ImplementationSpecificError => Self::of(0x83),
            PubAckReason::NotAuthorized => Self::of(0x87),
            PubAckReason::TopicNameInvalid => Self::of(0x90),
            PubAckReason::QuotaExceeded => Self::of(0x97),
            PubAckReason::PayloadFormatInvalid => Self::of(0x99),
        }))
    }

    /// The same of a broker that ended the connection over it, or gave a reason that rumqttc does not know: then nobody says which
    /// message it was. Mosquitto acknowledges what is over its `message_size_limit` with 0x95, which is none of PUBACK's reasons.
    pub(super) fn by_ending(error: &ConnectionError) -> Option<Self> {
        let ConnectionError::MqttState(error) = error else { return None };
        Some(match error {
            StateError::Deserialization(PacketError::InvalidConnectReturnCode(code @ 0x80..)) => Self::of(*code),
            StateError::ServerDisconnect { reason_code, .. } => match reason_code {
                DisconnectReasonCode::PacketTooLarge => Self::of(0x95),
                DisconnectReasonCode::PayloadFormatInvalid => Self::of(0x99),
                DisconnectReasonCode::QuotaExceeded => Self::of(0x97),
                DisconnectReasonCode::NotAuthorized => Self::of(0x87),
                DisconnectReasonCode::TopicNameInvalid => Self::of(0x90),
                _ => return None,
            },
            _ => return None,
        })
    }
}

/// The record that the broker refused last, over all connections: whole at first, and in short form once it is refused for good.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct RefusedRecord {
    seq: Option<Seq>,
    times: u32,
}

/// So many refusals of one record are no passing trouble.
const FOR_GOOD: u32 = 2;

impl RefusedRecord {
    /// The broker refused this record.
    pub(super) fn refused(&mut self, seq: Seq, for_good: bool) {
        if self.seq != Some(seq) {
            *self = Self { seq: Some(seq), times: 0 };
        }
        self.times = if for_good { self.times.max(FOR_GOOD - 1) } else { self.times }.saturating_add(1);
    }

    /// The broker took this record.
    pub(super) fn taken(&mut self, seq: Seq) {
        if self.seq.is_some_and(|refused| seq >= refused) {
            *self = Self::default();
        }
    }

    /// Whether this record is told in short form.
    pub(super) fn is_short(&self, seq: Seq) -> bool {
        self.seq == Some(seq) && self.times >= FOR_GOOD
    }

    /// Whether the broker refused it in short form too.
    pub(super) const fn is_hopeless(&self) -> bool {
        self.times > FOR_GOOD
    }
}
