//! One transaction in the terms of tokio-modbus, and the check of its reply.

use std::borrow::Cow;
use std::fmt::Debug;
use std::io;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio_modbus::client::{Client as _, rtu};
use tokio_modbus::{Error, ProtocolError, Request, Response, Slave};
use tumbler_core::effect::{BusOp, BusRequest};
use tumbler_core::input::{BusFailure, BusReply};

/// Most registers that one transaction reads or writes.
const WORDS: usize = 32;
/// Most bits that one transaction reads or writes.
const BITS: u16 = 64;

/// Asks a unit over this port and checks what it answers. The caller bounds the time.
///
/// Every transaction has a context of its own, so that no byte of an earlier one is left over in it.
///
/// # Errors
/// How the transaction failed.
pub async fn exchange<P>(port: P, request: &BusRequest) -> Result<BusReply, BusFailure>
where
    P: AsyncRead + AsyncWrite + Debug + Unpin + Send + 'static,
{
    let asked = asked(&request.op).ok_or(BusFailure::WrongShape)?;
    let mut context = rtu::attach_slave(port, Slave(request.unit));
    match context.call(asked).await {
        Ok(Ok(response)) => checked(&request.op, response).ok_or(BusFailure::WrongShape),
        Ok(Err(exception)) => Err(BusFailure::Exception(exception.into())),
        Err(Error::Protocol(ProtocolError::HeaderMismatch { .. } | ProtocolError::FunctionCodeMismatch { .. })) => {
            Err(BusFailure::Corrupt)
        }
        Err(Error::Transport(error)) => Err(failure(&error)),
    }
}

/// What a failure of the transport means.
pub(super) fn failure(error: &io::Error) -> BusFailure {
    match error.kind() {
        io::ErrorKind::InvalidData | io::ErrorKind::UnexpectedEof | io::ErrorKind::InvalidInput => BusFailure::Corrupt,
        io::ErrorKind::TimedOut => BusFailure::Timeout,
        _ => BusFailure::PortGone,
    }
}

fn asked(op: &BusOp) -> Option<Request<'_>> {
    match op {
        BusOp::ReadInput { address, count } => {
            (usize::from(*count) <= WORDS && *count > 0).then_some(Request::ReadInputRegisters(*address, *count))
        }
        BusOp::ReadDiscrete { address, count } => {
            (*count <= BITS && *count > 0).then_some(Request::ReadDiscreteInputs(*address, *count))
        }
        BusOp::WriteCoils { address, count, bits } => (*count <= BITS && *count > 0).then(|| {
            let coils: Vec<bool> = (0..*count).map(|i| (bits >> i) & 1 == 1).collect();
            Request::WriteMultipleCoils(*address, Cow::Owned(coils))
        }),
        BusOp::WriteHolding { address, values } => (values.len() <= WORDS && !values.is_empty())
            .then(|| Request::WriteMultipleRegisters(*address, Cow::Borrowed(values))),
    }
}

/// The reply, if it carries exactly what was asked for.
fn checked(op: &BusOp, response: Response) -> Option<BusReply> {
    match (op, response) {
        (BusOp::ReadInput { count, .. }, Response::ReadInputRegisters(words)) => {
            (words.len() == usize::from(*count)).then_some(BusReply::Words(words))
        }
        (BusOp::ReadDiscrete { count, .. }, Response::ReadDiscreteInputs(bits)) => {
            // The protocol fills the last byte up with zeros.
            let (wanted, filled) = (usize::from(*count), usize::from(count.div_ceil(8)) * 8);
            let whole = bits.len() == filled && bits.iter().skip(wanted).all(|bit| !bit);
            let packed = || bits.iter().take(wanted).enumerate().fold(0, |all, (i, bit)| all | (u64::from(*bit) << i));
            whole.then(|| BusReply::Bits(packed()))
        }
        (BusOp::WriteCoils { address, count, .. }, Response::WriteMultipleCoils(at, written)) => {
            (at == *address && written == *count).then_some(BusReply::Written)
        }
        (BusOp::WriteHolding { address, values }, Response::WriteMultipleRegisters(at, written)) => {
            (at == *address && usize::from(written) == values.len()).then_some(BusReply::Written)
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bits_are_packed_with_the_lowest_address_first_and_must_be_as_many_as_asked() {
        let op = BusOp::ReadDiscrete { address: 0, count: 10 };
        let mut bits = vec![false; 16];
        bits[0] = true;
        bits[9] = true;
        assert_eq!(checked(&op, Response::ReadDiscreteInputs(bits.clone())), Some(BusReply::Bits(0b10_0000_0001)));
        assert_eq!(checked(&op, Response::ReadDiscreteInputs(bits[..8].to_vec())), None);
        bits[15] = true;
        assert_eq!(checked(&op, Response::ReadDiscreteInputs(bits)), None, "a bit beyond the ones asked for");
    }

    #[test]
    fn an_acknowledgement_must_name_what_was_written() {
        let op = BusOp::WriteHolding { address: 1, values: vec![7, 8] };
        assert_eq!(checked(&op, Response::WriteMultipleRegisters(1, 2)), Some(BusReply::Written));
        assert_eq!(checked(&op, Response::WriteMultipleRegisters(2, 2)), None);
        assert_eq!(checked(&op, Response::WriteMultipleRegisters(1, 1)), None);
        let op = BusOp::WriteCoils { address: 0, count: 64, bits: u64::MAX };
        assert_eq!(checked(&op, Response::WriteMultipleCoils(0, 64)), Some(BusReply::Written));
        assert_eq!(checked(&op, Response::WriteMultipleRegisters(0, 64)), None);
    }

    #[test]
    fn what_the_protocol_cannot_carry_is_not_asked() {
        for op in [
            BusOp::ReadInput { address: 0, count: 0 },
            BusOp::ReadInput { address: 0, count: 33 },
            BusOp::ReadDiscrete { address: 0, count: 65 },
            BusOp::WriteHolding { address: 0, values: Vec::new() },
            BusOp::WriteCoils { address: 0, count: 0, bits: 0 },
        ] {
            assert!(asked(&op).is_none(), "{op:?}");
        }
    }
}
