//! The bus master against a line on a real pty, whose other end the test plays byte by byte.

use super::*;
use std::path::Path;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio_serial::{SerialPort as _, SerialStream};
use tumbler_core::effect::BusOp;

/// The far end of a serial line, plugged in under a name that stays.
struct Line {
    far: SerialStream,
    /// Keeps the terminal alive while the master has it closed.
    _near: SerialStream,
}

impl Line {
    fn plug_in(link: &Path) -> Self {
        let (far, near) = SerialStream::pair().unwrap();
        let _ = std::fs::remove_file(link);
        std::os::unix::fs::symlink(near.name().unwrap(), link).unwrap();
        Self { far, _near: near }
    }

    /// The next request, whole: what comes until its checksum is right.
    async fn request(&mut self) -> Vec<u8> {
        let mut frame = Vec::new();
        loop {
            frame.push(self.far.read_u8().await.unwrap());
            if frame.len() >= 8 && crc(&frame) == [0, 0] {
                return frame;
            }
        }
    }

    async fn say(&mut self, bytes: &[u8]) {
        self.far.write_all(bytes).await.unwrap();
    }
}

/// CRC-16 of Modbus, low byte first; zero over a frame with its checksum.
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

fn frame(bytes: &[u8]) -> Vec<u8> {
    [bytes, &crc(bytes)].concat()
}

/// The reply of `unit` to a read of input registers.
fn words(unit: u8, words: &[u16]) -> Vec<u8> {
    let mut bytes = vec![unit, 4, u8::try_from(words.len() * 2).unwrap()];
    bytes.extend(words.iter().flat_map(|w| w.to_be_bytes()));
    frame(&bytes)
}

fn read(count: u16) -> BusRequest {
    BusRequest { id: 1, unit: 1, op: BusOp::ReadInput { address: 2, count } }
}

/// Runs a test with a bus master and a line on which nothing has been said.
fn on_line(test: impl AsyncFnOnce(Bus, Line, &Path)) {
    let dir = tempfile::tempdir().unwrap();
    let link = dir.path().join("bus");
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        // Far more than a busy machine needs to pass an answer on.
        let timing = Timing { baud: 115_200, turnaround: Duration::from_millis(20), slack: Duration::from_secs(2) };
        let line = Line::plug_in(&link);
        let bus = Bus::new(Settings { path: link.clone(), timing }).unwrap();
        tokio::time::timeout(Duration::from_secs(30), test(bus, line, &link)).await.expect("hangs");
    });
}

/// One transaction that is answered with these bytes.
async fn answered(bus: &mut Bus, line: &mut Line, request: &BusRequest, bytes: &[u8]) -> Result<BusReply, BusFailure> {
    let (reply, ()) = tokio::join!(bus.transact(request), async {
        line.request().await;
        line.say(bytes).await;
    });
    reply
}

fn good(value: &[u16]) -> Result<BusReply, BusFailure> {
    Ok(BusReply::Words(value.to_vec()))
}

#[test]
fn reads_and_writes_are_frames_of_the_protocol() {
    on_line(async |mut bus, mut line, _| {
        let cases = [
            (
                BusOp::ReadInput { address: 2, count: 1 },
                vec![1, 4, 0, 2, 0, 1],
                vec![1, 4, 2, 0, 9],
                Ok(BusReply::Words(vec![9])),
            ),
            (
                BusOp::ReadDiscrete { address: 0, count: 9 },
                vec![1, 2, 0, 0, 0, 9],
                vec![1, 2, 2, 5, 1],
                Ok(BusReply::Bits(0x105)),
            ),
            (
                BusOp::WriteCoils { address: 0, count: 9, bits: 0x105 },
                vec![1, 15, 0, 0, 0, 9, 2, 5, 1],
                vec![1, 15, 0, 0, 0, 9],
                Ok(BusReply::Written),
            ),
            (
                BusOp::WriteHolding { address: 1, values: vec![0x0FFF] },
                vec![1, 16, 0, 1, 0, 1, 2, 15, 255],
                vec![1, 16, 0, 1, 0, 1],
                Ok(BusReply::Written),
            ),
        ];
        for (op, asked, said, expected) in cases {
            let request = BusRequest { id: 1, unit: 1, op };
            let (reply, heard) = tokio::join!(bus.transact(&request), async {
                let heard = line.request().await;
                line.say(&frame(&said)).await;
                heard
            });
            assert_eq!((heard, reply), (frame(&asked), expected));
        }
    });
}

#[test]
fn a_late_reply_is_not_taken_for_the_next_ones() {
    on_line(async |mut bus, mut line, _| {
        let request = read(1);
        let (reply, _) = tokio::join!(bus.transact(&request), line.request());
        assert_eq!(reply, Err(BusFailure::Timeout));
        line.say(&words(1, &[1111])).await;
        assert_eq!(answered(&mut bus, &mut line, &read(1), &words(1, &[2222])).await, good(&[2222]));
    });
}

#[test]
fn a_duplicate_reply_is_not_taken_for_the_next_ones() {
    on_line(async |mut bus, mut line, _| {
        let twice = [words(1, &[1111]), words(1, &[1111])].concat();
        assert_eq!(answered(&mut bus, &mut line, &read(1), &twice).await, good(&[1111]));
        assert_eq!(answered(&mut bus, &mut line, &read(1), &words(1, &[2222])).await, good(&[2222]));
    });
}

#[test]
fn nothing_is_decided_on_a_bad_frame_and_the_next_good_one_counts() {
    let mut bad_sum = words(1, &[7]);
    *bad_sum.last_mut().unwrap() ^= 1;
    let cut = &words(1, &[7])[..4];
    let cases: [(&str, Vec<u8>, BusFailure); 7] = [
        ("another unit", words(2, &[7]), BusFailure::Corrupt),
        ("another function", frame(&[1, 3, 2, 0, 7]), BusFailure::Corrupt),
        ("too few registers", words(1, &[]), BusFailure::WrongShape),
        ("too many registers", words(1, &[7, 8]), BusFailure::WrongShape),
        ("cut short", cut.to_vec(), BusFailure::Timeout),
        ("nothing", Vec::new(), BusFailure::Timeout),
        ("an exception", frame(&[1, 0x84, 2]), BusFailure::Exception(2)),
    ];
    on_line(async |mut bus, mut line, _| {
        for (what, bytes, expected) in cases {
            assert_eq!(answered(&mut bus, &mut line, &read(1), &bytes).await, Err(expected), "{what}");
            assert_eq!(answered(&mut bus, &mut line, &read(1), &words(1, &[5])).await, good(&[5]), "after {what}");
        }
        let reply = answered(&mut bus, &mut line, &read(1), &bad_sum).await;
        assert_eq!(reply, Err(BusFailure::Corrupt), "a wrong checksum");
        assert_eq!(answered(&mut bus, &mut line, &read(1), &words(1, &[5])).await, good(&[5]));
    });
}

#[test]
fn garbage_between_transactions_is_thrown_away() {
    on_line(async |mut bus, mut line, _| {
        assert_eq!(answered(&mut bus, &mut line, &read(1), &words(1, &[1])).await, good(&[1]));
        line.say(&[0x55; 300]).await;
        assert_eq!(answered(&mut bus, &mut line, &read(1), &words(1, &[2])).await, good(&[2]));
    });
}

/// faults.md bus.duplicate_reply: once replies were seen that do not belong, nothing is asked until a second one is over.
#[test]
fn the_line_is_left_alone_for_replies_that_come_twice() {
    on_line(async |mut bus, mut line, _| {
        let request = read(1);
        for doubtful in [true, false] {
            if doubtful {
                let other = answered(&mut bus, &mut line, &request, &words(2, &[1])).await;
                assert_eq!(other, Err(BusFailure::Corrupt));
            } else {
                bus.wary_until = Mono(0);
                line.say(&words(1, &[1])).await;
            }
            let (reply, said) = tokio::join!(bus.transact(&request), async {
                line.request().await;
                let said = clock::now();
                line.say(&words(1, &[2])).await;
                said
            });
            assert_eq!(reply, good(&[2]));
            let doubled = bus.settings.timing.doubled(&request.op);
            assert!(bus.quiet_until >= later(said, doubled), "after a bad reply: {doubtful}");
        }
    });
}

#[test]
fn garbage_before_a_reply_never_makes_a_wrong_one() {
    on_line(async |mut bus, mut line, _| {
        for garbage in [&[0_u8; 3][..], &[0xFF; 40], &[1, 4, 2], &[1, 4, 200]] {
            let bytes = [garbage, &words(1, &[3])].concat();
            let reply = answered(&mut bus, &mut line, &read(1), &bytes).await;
            assert!(reply.is_err() || reply == good(&[3]), "{garbage:?}: {reply:?}");
            assert_eq!(answered(&mut bus, &mut line, &read(1), &words(1, &[4])).await, good(&[4]), "after {garbage:?}");
        }
    });
}

/// On a line with two wires an adapter may hear what it sends; a transceiver that turns round adds a byte before the reply.
#[test]
fn an_echo_and_stray_bytes_before_a_reply_are_passed_over() {
    let written = |unit, head: &[u8]| (frame(&[&[unit], head].concat()), Ok(BusReply::Written));
    let cases = [
        (BusOp::ReadInput { address: 2, count: 12 }, 1, (words(1, &[0; 12]), good(&[0; 12]))),
        (BusOp::ReadInput { address: 256, count: 4 }, 10, (words(10, &[1, 4, 0, 2]), good(&[1, 4, 0, 2]))),
        (BusOp::ReadDiscrete { address: 0, count: 9 }, 2, (frame(&[2, 2, 2, 5, 1]), Ok(BusReply::Bits(0x105)))),
        (BusOp::WriteCoils { address: 0, count: 50, bits: 3 }, 2, written(2, &[15, 0, 0, 0, 50])),
        (BusOp::WriteHolding { address: 1, values: vec![0x0FFF] }, 1, written(1, &[16, 0, 1, 0, 1])),
        (BusOp::WriteCoils { address: 0, count: 1, bits: 1 }, 2, (frame(&[2, 0x8F, 2]), Err(BusFailure::Exception(2)))),
    ];
    on_line(async |mut bus, mut line, _| {
        // What is not passed over costs the whole time of a transaction.
        bus.settings.timing.slack = Duration::from_millis(200);
        for (op, unit, (said, expected)) in cases {
            let request = BusRequest { id: 1, unit, op };
            for (echoes, before) in
                [(true, &[][..]), (false, &[0]), (false, &[0xFF, 0]), (false, &[unit]), (true, &[0])]
            {
                let (reply, ()) = tokio::join!(bus.transact(&request), async {
                    let asked = line.request().await;
                    if echoes {
                        line.say(&asked).await;
                    }
                    line.say(before).await;
                    // In two parts, as a serial port hands it over.
                    tokio::task::yield_now().await;
                    line.say(&said).await;
                });
                assert_eq!(reply, expected, "{request:?}, echo {echoes}, {before:?}");
            }
        }
        assert_eq!(bus.told_beside, (true, true));
        // The echo alone is no answer, and a frame with a wrong checksum is none either.
        let request = read(1);
        let (reply, ()) = tokio::join!(bus.transact(&request), async {
            let asked = line.request().await;
            line.say(&asked).await;
        });
        assert_eq!(reply, Err(BusFailure::Timeout));
    });
}

#[test]
fn a_line_that_babbles_is_given_up_in_bounded_time() {
    on_line(async |mut bus, mut line, _| {
        assert_eq!(answered(&mut bus, &mut line, &read(1), &words(1, &[1])).await, good(&[1]));
        let request = read(1);
        let reply = tokio::select! {
            reply = bus.transact(&request) => reply,
            () = async { loop { line.say(&[0xAA; 64]).await } } => unreachable!("babbles for ever"),
        };
        assert_eq!(reply, Err(BusFailure::Timeout));
    });
}

#[test]
fn an_unplugged_port_is_gone_and_is_found_again_under_the_same_name() {
    on_line(async |mut bus, mut line, link| {
        assert_eq!(answered(&mut bus, &mut line, &read(1), &words(1, &[1])).await, good(&[1]));
        drop(line);
        assert_eq!(bus.transact(&read(1)).await, Err(BusFailure::PortGone));
        std::fs::remove_file(link).unwrap();
        assert_eq!(bus.transact(&read(1)).await, Err(BusFailure::PortGone));
        let mut line = Line::plug_in(link);
        // It is opened again after a pause; until then every answer is the same.
        let serve = async {
            loop {
                line.request().await;
                line.say(&words(1, &[2])).await;
            }
        };
        tokio::pin!(serve);
        let request = read(1);
        let back = loop {
            tokio::select! {
                () = &mut serve => unreachable!("serves for ever"),
                reply = bus.transact(&request) => match reply {
                    Err(BusFailure::PortGone) => tokio::task::yield_now().await,
                    reply => break reply,
                }
            }
        };
        assert_eq!(back, good(&[2]));
    });
}

#[test]
fn a_port_unplugged_while_it_waits_for_a_reply_is_gone() {
    on_line(async |mut bus, mut line, _| {
        let request = read(1);
        let (reply, ()) = tokio::join!(bus.transact(&request), async {
            line.request().await;
            drop(line);
        });
        assert_eq!(reply, Err(BusFailure::PortGone));
    });
}

#[test]
fn a_port_is_opened_for_one_master_alone() {
    on_line(async |mut bus, mut line, link| {
        assert_eq!(answered(&mut bus, &mut line, &read(1), &words(1, &[1])).await, good(&[1]));
        let mut second = Bus::new(Settings { path: link.into(), ..bus.settings.clone() }).unwrap();
        assert_eq!(second.transact(&read(1)).await, Err(BusFailure::PortGone));
        assert_eq!(answered(&mut bus, &mut line, &read(1), &words(1, &[2])).await, good(&[2]));
    });
}
