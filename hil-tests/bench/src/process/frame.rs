//! Modbus RTU frames on the units' side, by rmodbus: on purpose not the codec that the daemon uses.

use super::units::{Response, Units};
use rmodbus::consts::ModbusFunction;
use rmodbus::server::{ModbusFrame, Read, Write};
use rmodbus::{ErrorKind, ModbusProto, guess_request_frame_len};
use tumbler_core::effect::BusOp;
use tumbler_core::input::BusReply;
use tumbler_twin::Garble;

/// How the units' side handled a request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RequestOutcome {
    /// The unit answers with this frame, which the line may garble.
    Reply(Vec<u8>, Option<Garble>),
    /// No unit answers.
    Silence,
    /// The bytes are not a request: the checksum is wrong, or the frame is too short.
    Malformed,
}

/// Length of the request at the beginning of these bytes; `None` until enough of them have arrived.
#[must_use]
pub fn request_length(bytes: &[u8]) -> Option<usize> {
    match guess_request_frame_len(bytes, ModbusProto::Rtu) {
        Ok(length) => Some(usize::from(length)),
        // Longer than any frame: take all of it, and let the checksum fail.
        Err(ErrorKind::FrameBroken) => Some(bytes.len()),
        Err(_) => None,
    }
}

/// Hands a request to the unit that it addresses.
pub fn serve(request: &[u8], units: &mut dyn Units) -> RequestOutcome {
    let Some(&unit) = request.first() else { return RequestOutcome::Malformed };
    let mut reply: Vec<u8> = Vec::with_capacity(80);
    let mut frame = ModbusFrame::new(unit, request, ModbusProto::Rtu, &mut reply).with_broadcast_units(&[]);
    if frame.parse().is_err() {
        return RequestOutcome::Malformed;
    }
    if !frame.response_required {
        return RequestOutcome::Silence;
    }
    let mut garble = None;
    if frame.processing_required {
        let done = if frame.readonly { read(&mut frame, unit, units) } else { write(&mut frame, unit, units) };
        match done {
            UnitOutcome::Answered(with) => garble = with,
            UnitOutcome::Malformed => return RequestOutcome::Malformed,
            UnitOutcome::Silent => return RequestOutcome::Silence,
        }
    }
    if frame.finalize_response().is_err() { RequestOutcome::Malformed } else { RequestOutcome::Reply(reply, garble) }
}

/// The frame with another unit's address and a matching checksum.
#[must_use]
pub fn of_other_unit(mut reply: Vec<u8>) -> Vec<u8> {
    let body = reply.len().saturating_sub(2);
    if let Some(unit) = reply.first_mut() {
        *unit ^= 0x03;
    }
    reply.truncate(body);
    let crc = crc(&reply);
    reply.extend(crc.to_le_bytes());
    reply
}

/// The checksum of Modbus over Serial Line 1.02, 6.2.2.
#[must_use]
pub fn crc(bytes: &[u8]) -> u16 {
    bytes.iter().fold(0xFFFF, |crc, byte| {
        (0..8).fold(crc ^ u16::from(*byte), |crc, _| if crc & 1 == 1 { (crc >> 1) ^ 0xA001 } else { crc >> 1 })
    })
}

/// How the unit handled a request, before its answer is framed.
enum UnitOutcome {
    Answered(Option<Garble>),
    Malformed,
    Silent,
}

impl UnitOutcome {
    fn of(result: Result<(), ErrorKind>, garble: Option<Garble>) -> Self {
        if result.is_ok() { Self::Answered(garble) } else { Self::Malformed }
    }
}

type Frame<'a> = ModbusFrame<'a, Vec<u8>>;

fn read(frame: &mut Frame<'_>, unit: u8, units: &mut dyn Units) -> UnitOutcome {
    let (address, count) = (frame.reg, frame.count);
    let op = match frame.func {
        ModbusFunction::GetInputs => BusOp::ReadInput { address, count },
        ModbusFunction::GetDiscretes => BusOp::ReadDiscrete { address, count },
        // No unit on this bus has coils or holding registers that can be read.
        _ => return refuse(frame, ILLEGAL_FUNCTION),
    };
    let (reply, garble) = match units.transact(unit, &op) {
        Response::Reply(reply, garble) => (reply, garble),
        Response::Exception(code) => return refuse(frame, code),
        Response::Silence => return UnitOutcome::Silent,
    };
    let filled = match frame.get_external_read() {
        Ok(Read::Words(read)) => fill_words(read.buf, &reply),
        Ok(Read::Bits(read)) => fill_bits(read.buf, &reply),
        Err(error) => Err(error),
    };
    match filled {
        Ok(()) => UnitOutcome::of(frame.process_external_read(Ok(())), garble),
        Err(_) => UnitOutcome::Malformed,
    }
}

fn write(frame: &mut Frame<'_>, unit: u8, units: &mut dyn Units) -> UnitOutcome {
    let op = match frame.get_external_write() {
        Ok(Write::Words(write)) => BusOp::WriteHolding {
            address: write.address,
            values: write
                .data
                .chunks_exact(2)
                .map(|pair| pair.iter().fold(0_u16, |word, byte| (word << 8) | u16::from(*byte)))
                .collect(),
        },
        Ok(Write::Bits(write)) => {
            let bits = write.data.iter().take(8).rev().fold(0_u64, |bits, byte| (bits << 8) | u64::from(*byte));
            BusOp::WriteCoils { address: write.address, count: write.count, bits }
        }
        Err(_) => return UnitOutcome::Malformed,
    };
    match units.transact(unit, &op) {
        Response::Reply(_, garble) => UnitOutcome::of(frame.process_external_write(Ok(())), garble),
        Response::Exception(code) => {
            UnitOutcome::of(frame.process_external_write(Err(ErrorKind::from_modbus_error(code))), None)
        }
        Response::Silence => UnitOutcome::Silent,
    }
}

/// Modbus exception code 1.
const ILLEGAL_FUNCTION: u8 = 1;

/// Answers a read with an exception.
fn refuse(frame: &mut Frame<'_>, code: u8) -> UnitOutcome {
    UnitOutcome::of(frame.process_external_read(Err(ErrorKind::from_modbus_error(code))), None)
}

fn fill_words(space: &mut [u8], reply: &BusReply) -> Result<(), ErrorKind> {
    let BusReply::Words(words) = reply else { return Err(ErrorKind::SlaveDeviceFailure) };
    let bytes: Vec<u8> = words.iter().flat_map(|w| w.to_be_bytes()).collect();
    if bytes.len() != space.len() {
        return Err(ErrorKind::SlaveDeviceFailure);
    }
    space.copy_from_slice(&bytes);
    Ok(())
}

fn fill_bits(space: &mut [u8], reply: &BusReply) -> Result<(), ErrorKind> {
    let BusReply::Bits(bits) = reply else { return Err(ErrorKind::SlaveDeviceFailure) };
    for (place, byte) in space.iter_mut().zip(bits.to_le_bytes()) {
        *place = byte;
    }
    Ok(())
}
