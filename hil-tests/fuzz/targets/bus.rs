//! What units on the field bus answer, byte by byte: framing, the check of every reply against what was asked, and what the table makes
//! of it, in several states of the table.

#![no_main]

#[path = "../../../daemon/core/tests/world/mod.rs"]
mod world;

use futures_util::FutureExt;
use libfuzzer_sys::arbitrary::{Result, Unstructured};
use libfuzzer_sys::fuzz_target;
use std::io;
use std::pin::Pin;
use std::sync::LazyLock;
use std::task::{Context, Poll};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tumbler_core::effect::{BusOp, BusRequest, Effect};
use tumbler_core::input::{BusFailure, BusReply, Input};
use tumbler_core::line::{InLine, OutLine};
use tumbler_core::table::Table;
use tumbler_core::units::{MilliCelsius, Mono};
use tumblerd::fieldbus::exchange;
use world::World;
use world::play::{opened, play_to_reveal, reveal};

/// Tables that hear the bus in different states.
static TABLES: LazyLock<Vec<(Table, Mono)>> = LazyLock::new(|| {
    let fresh = World::new(world::settings("sg-v6", "sg-v6-3"));
    let ready = opened("sg-v6", "sg-v6-3");
    let mut hidden = opened("nz-div9", "nz-div9-1");
    play_to_reveal(&mut hidden);
    let mut revealed = hidden.clone();
    reveal(&mut revealed);
    let mut settling = revealed.clone();
    settling.entry([1, 3, 6]);
    [fresh, ready, hidden, revealed, settling].into_iter().map(|world| (world.table, world.now)).collect()
});

/// The far end of the line: answers whatever it is asked with these bytes, and is silent afterwards.
#[derive(Debug)]
struct Answer(Vec<u8>);

impl AsyncRead for Answer {
    fn poll_read(mut self: Pin<&mut Self>, _: &mut Context<'_>, buffer: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        let count = self.0.len().min(buffer.remaining());
        if count == 0 {
            return Poll::Ready(Err(io::ErrorKind::TimedOut.into()));
        }
        buffer.put_slice(&self.0[..count]);
        self.0.drain(..count);
        Poll::Ready(Ok(()))
    }
}

impl AsyncWrite for Answer {
    fn poll_write(self: Pin<&mut Self>, _: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        Poll::Ready(Ok(bytes.len()))
    }
    fn poll_flush(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }
    fn poll_shutdown(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }
}

/// CRC-16 of Modbus, low byte first.
fn crc(bytes: &[u8]) -> [u8; 2] {
    let mut crc = 0xFFFF_u16;
    for byte in bytes {
        crc ^= u16::from(*byte);
        for _ in 0..8 {
            crc = if crc & 1 == 1 { (crc >> 1) ^ 0xA001 } else { crc >> 1 };
        }
    }
    crc.to_le_bytes()
}

fn bytes(u: &mut Unstructured<'_>, most: usize) -> Result<Vec<u8>> {
    let count = u.int_in_range(0..=most)?.min(u.len());
    Ok(u.bytes(count)?.to_vec())
}

/// What a unit answers: anything, a frame with a right checksum, or exactly what was asked for with any values.
fn answer(request: &BusRequest, u: &mut Unstructured<'_>) -> Result<Vec<u8>> {
    let function = match &request.op {
        BusOp::ReadDiscrete { .. } => 2,
        BusOp::ReadInput { .. } => 4,
        BusOp::WriteCoils { .. } => 15,
        BusOp::WriteHolding { .. } => 16,
    };
    let mut frame = vec![request.unit, function];
    match u.int_in_range(0..=7)? {
        0 => return bytes(u, 40),
        1 => frame.extend(bytes(u, 40)?),
        2 => frame = bytes(u, 40)?,
        3 => frame = vec![request.unit, function | 0x80, u.arbitrary()?],
        _ => match &request.op {
            BusOp::ReadInput { count, .. } => {
                frame.push((count * 2) as u8);
                // Small numbers first: most registers count, or say one of a few things.
                for _ in 0..*count {
                    let word = if u.ratio(3, 4)? { u16::from(u.arbitrary::<u8>()?) } else { u.arbitrary::<u16>()? };
                    frame.extend(word.to_be_bytes());
                }
            }
            BusOp::ReadDiscrete { count, .. } => {
                let many = usize::from(count.div_ceil(8));
                frame.push(many as u8);
                frame.extend((0..many).map(|_| u.arbitrary::<u8>()).collect::<Result<Vec<_>>>()?);
            }
            BusOp::WriteCoils { address, count, .. } => {
                frame.extend([address.to_be_bytes(), count.to_be_bytes()].concat());
            }
            BusOp::WriteHolding { address, values } => {
                frame.extend([address.to_be_bytes(), (values.len() as u16).to_be_bytes()].concat());
            }
        },
    }
    let sum = crc(&frame);
    frame.extend(sum);
    Ok(frame)
}

/// A reply carries exactly what was asked for.
fn check(request: &BusRequest, reply: &std::result::Result<BusReply, BusFailure>) {
    let Ok(reply) = reply else { return };
    let fits = match (&request.op, reply) {
        (BusOp::ReadInput { count, .. }, BusReply::Words(words)) => words.len() == usize::from(*count),
        (BusOp::ReadDiscrete { count, .. }, BusReply::Bits(bits)) => *count >= 64 || bits >> count == 0,
        (BusOp::WriteCoils { .. } | BusOp::WriteHolding { .. }, BusReply::Written) => true,
        _ => false,
    };
    assert!(fits, "{request:?} is answered {reply:?}");
}

fn play(u: &mut Unstructured<'_>) -> Result<()> {
    let (mut table, mut now) = TABLES[u.choose_index(TABLES.len())?].clone();
    let mut inbox = Vec::new();
    for turn in 0..60_u64 {
        // What a healthy table's other parts say now and then.
        if turn % 16 == 0 {
            inbox.push(Input::Temperature { reading: Some(MilliCelsius(30_000)) });
        }
        if u.ratio(1, 16)? {
            inbox.push(Input::Edge { line: *u.choose(&InLine::ALL)?, active: u.arbitrary()? });
        }
        inbox.push(Input::Tick);
        while let Some(input) = inbox.pop() {
            let mut effects = Vec::new();
            let kept = table.redact(input.clone());
            table.handle(now, now, &input, &mut effects);
            drop(kept);
            for effect in effects {
                match effect {
                    Effect::Bus(request) => {
                        let bytes = answer(&request, u)?;
                        let reply = exchange(Answer(bytes), &request).now_or_never();
                        let reply = reply.unwrap_or(Err(BusFailure::Timeout));
                        check(&request, &reply);
                        now = Mono(now.0 + 1_000_000);
                        inbox.insert(0, Input::Bus { id: request.id, reply });
                    }
                    Effect::Journal { records, .. } => {
                        inbox.extend(records.last().map(|last| Input::Durable { seq: last.seq }));
                    }
                    Effect::Set(told) if told.line() != OutLine::MotorAlive => {
                        inbox.push(Input::Readback { line: told.line(), active: told.is_active() });
                    }
                    _ => {}
                }
            }
        }
        now = table.next_deadline().map_or(Mono(now.0 + 20_000_000), |next| next.max(now));
        let _ = table.snapshot();
        if u.is_empty() {
            break;
        }
    }
    Ok(())
}

fuzz_target!(|bytes: &[u8]| {
    // Whatever is left to be done when the bytes are used up is left.
    let _ = play(&mut Unstructured::new(bytes));
});
