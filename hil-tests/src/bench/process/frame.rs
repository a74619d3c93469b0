//! Modbus RTU frames on the units' side, by rmodbus: on purpose not the codec that the daemon uses.

use super::bus::Units;
use rmodbus::server::{ModbusFrame, Read, Write};
use rmodbus::{ErrorKind, ModbusProto, guess_request_frame_len};
use tumbler_core::effect::BusOp;
use tumbler_core::input::BusReply;
use tumbler_core::units::Mono;

/// What became of a request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Served {
    /// The unit answers with this frame.
    Reply(Vec<u8>),
    /// No unit answers.
    Silence,
    /// The bytes are no request: checksum, or a frame that is cut short.
    Garbage,
}

/// How long the request at the beginning of these bytes is, as soon as that shows.
#[must_use]
pub fn request_length(bytes: &[u8]) -> Option<usize> {
    match guess_request_frame_len(bytes, ModbusProto::Rtu) {
        Ok(length) => Some(usize::from(length)),
        // Too short to tell; or too long for any frame: then all of it is taken, and fails by its checksum.
        Err(ErrorKind::FrameBroken) => Some(bytes.len()),
        Err(_) => None,
    }
}

/// Lets the unit that a request is for act on it.
pub fn serve(request: &[u8], at: Mono, units: &mut dyn Units) -> Served {
    let Some(&unit) = request.first() else { return Served::Garbage };
    let mut reply: Vec<u8> = Vec::with_capacity(80);
    let mut frame = ModbusFrame::new(unit, request, ModbusProto::Rtu, &mut reply).with_broadcast_units(&[]);
    if frame.parse().is_err() {
        return Served::Garbage;
    }
    if !frame.response_required {
        return Served::Silence;
    }
    if frame.processing_required {
        let done = if frame.readonly { read(&mut frame, unit, at, units) } else { write(&mut frame, unit, at, units) };
        match done {
            Some(Ok(())) => {}
            Some(Err(_)) => return Served::Garbage,
            None => return Served::Silence,
        }
    }
    if frame.finalize_response().is_err() { Served::Garbage } else { Served::Reply(reply) }
}

type Frame<'a> = ModbusFrame<'a, Vec<u8>>;

fn read(frame: &mut Frame<'_>, unit: u8, at: Mono, units: &mut dyn Units) -> Option<Result<(), ErrorKind>> {
    let (address, count, func) = (frame.reg, frame.count, frame.func);
    use rmodbus::consts::ModbusFunction as F;
    let op = match func {
        F::GetInputs => BusOp::ReadInput { address, count },
        F::GetDiscretes => BusOp::ReadDiscrete { address, count },
        // No unit on this bus has coils or holding registers that can be read.
        _ => return Some(refuse(frame, ILLEGAL_FUNCTION)),
    };
    let words_or_bits = match units.transact(at, unit, &op)? {
        Ok(reply) => reply,
        Err(code) => return Some(refuse(frame, code)),
    };
    let filled = match frame.get_external_read() {
        Ok(Read::Words(read)) => fill_words(read.buf, &words_or_bits),
        Ok(Read::Bits(read)) => fill_bits(read.buf, &words_or_bits),
        Err(error) => Err(error),
    };
    Some(frame.process_external_read(filled))
}

fn write(frame: &mut Frame<'_>, unit: u8, at: Mono, units: &mut dyn Units) -> Option<Result<(), ErrorKind>> {
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
        Err(error) => return Some(Err(error)),
    };
    let result = match units.transact(at, unit, &op)? {
        Ok(_) => Ok(()),
        Err(code) => Err(ErrorKind::from_modbus_error(code)),
    };
    Some(frame.process_external_write(result))
}

/// Modbus exception code 1.
const ILLEGAL_FUNCTION: u8 = 1;

/// A read that is answered by an exception: rmodbus wants the space for the data taken first, and gives it back.
fn refuse(frame: &mut Frame<'_>, code: u8) -> Result<(), ErrorKind> {
    frame.process_external_read(Err(ErrorKind::from_modbus_error(code)))
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
