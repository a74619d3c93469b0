//! Modbus RTU frames on the units' side, by rmodbus: on purpose not the codec that the daemon uses.

use super::bus::{Response, Units};
use rmodbus::consts::ModbusFunction;
use rmodbus::server::{ModbusFrame, Read, Write};
use rmodbus::{ErrorKind, ModbusProto, guess_request_frame_len};
use tumbler_core::effect::BusOp;
use tumbler_core::input::BusReply;

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
pub fn serve(request: &[u8], units: &mut dyn Units) -> Served {
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
        let done = if frame.readonly { read(&mut frame, unit, units) } else { write(&mut frame, unit, units) };
        match done {
            Done::Answered => {}
            Done::Broken => return Served::Garbage,
            Done::Silent => return Served::Silence,
            Done::Corrupt => return Served::Reply(corrupt(unit, frame.responding_to_fn)),
        }
    }
    if frame.finalize_response().is_err() { Served::Garbage } else { Served::Reply(reply) }
}

enum Done {
    Answered,
    Broken,
    Silent,
    Corrupt,
}

impl From<Result<(), ErrorKind>> for Done {
    fn from(result: Result<(), ErrorKind>) -> Self {
        if result.is_ok() { Self::Answered } else { Self::Broken }
    }
}

/// A reply that was hit: unit and function are still right, the rest and the checksum are not.
fn corrupt(unit: u8, function: u8) -> Vec<u8> {
    vec![unit, function, 2, 0x5A, 0xA5, 0x00, 0x00]
}

type Frame<'a> = ModbusFrame<'a, Vec<u8>>;

fn read(frame: &mut Frame<'_>, unit: u8, units: &mut dyn Units) -> Done {
    let (address, count) = (frame.reg, frame.count);
    let op = match frame.func {
        ModbusFunction::GetInputs => BusOp::ReadInput { address, count },
        ModbusFunction::GetDiscretes => BusOp::ReadDiscrete { address, count },
        // No unit on this bus has coils or holding registers that can be read.
        _ => return refuse(frame, ILLEGAL_FUNCTION),
    };
    let reply = match units.transact(unit, &op) {
        Response::Reply(reply) => reply,
        Response::Exception(code) => return refuse(frame, code),
        Response::Silence => return Done::Silent,
        Response::Corrupt => return Done::Corrupt,
    };
    let filled = match frame.get_external_read() {
        Ok(Read::Words(read)) => fill_words(read.buf, &reply),
        Ok(Read::Bits(read)) => fill_bits(read.buf, &reply),
        Err(error) => Err(error),
    };
    match filled {
        Ok(()) => frame.process_external_read(Ok(())).into(),
        Err(_) => Done::Broken,
    }
}

fn write(frame: &mut Frame<'_>, unit: u8, units: &mut dyn Units) -> Done {
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
        Err(_) => return Done::Broken,
    };
    match units.transact(unit, &op) {
        Response::Reply(_) => frame.process_external_write(Ok(())).into(),
        Response::Exception(code) => frame.process_external_write(Err(ErrorKind::from_modbus_error(code))).into(),
        Response::Silence => Done::Silent,
        Response::Corrupt => Done::Corrupt,
    }
}

/// Modbus exception code 1.
const ILLEGAL_FUNCTION: u8 = 1;

/// A read that is answered by an exception.
fn refuse(frame: &mut Frame<'_>, code: u8) -> Done {
    frame.process_external_read(Err(ErrorKind::from_modbus_error(code))).into()
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
