//! The line and its units' side, tested with an independent Modbus master and by the raw bytes on the wire.

use super::*;
use crate::process::pty::Pty;
use crate::process::units::Response;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use tokio_modbus::client::rtu;
use tokio_modbus::prelude::{ExceptionCode, Reader, Slave, SlaveContext, Writer};
use tumbler_core::effect::BusOp;
use tumbler_core::input::BusReply;

/// Unit 1 has input registers that count up, unit 2 has 64 lamps that sense what they are told, others are mute.
#[derive(Default)]
struct Board {
    coils: u64,
    holding: Vec<u16>,
    seen: Vec<(u8, BusOp)>,
    garble: Option<Garble>,
    babbles: bool,
}

impl Units for Board {
    fn transact(&mut self, unit: u8, op: &BusOp) -> Response {
        self.seen.push((unit, op.clone()));
        match (unit, op) {
            (1, BusOp::ReadInput { address, count }) if address + count <= 32 => {
                Response::Reply(BusReply::Words((*address..address + count).collect()), self.garble)
            }
            (1, BusOp::WriteHolding { values, .. }) => {
                self.holding.clone_from(values);
                Response::Reply(BusReply::Written, None)
            }
            (2, BusOp::WriteCoils { bits, .. }) => {
                self.coils = *bits;
                Response::Reply(BusReply::Written, None)
            }
            (2, BusOp::ReadDiscrete { .. }) => Response::Reply(BusReply::Bits(self.coils), None),
            (1 | 2, _) => Response::Exception(2),
            _ => Response::Silence,
        }
    }

    fn babble(&mut self) -> Option<[u8; 8]> {
        self.babbles.then_some(*b"babbling")
    }
}

struct Stop<'a>(&'a AtomicBool);

impl Drop for Stop<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::SeqCst);
    }
}

fn with_line<T>(client: impl AsyncFnOnce(tokio_serial::SerialStream) -> T) -> (T, Bus, Board) {
    with_board(Board::default(), client)
}

/// Turns the line in a thread until told to stop, and hands the bus and the board back.
fn with_board<T>(mut board: Board, client: impl AsyncFnOnce(tokio_serial::SerialStream) -> T) -> (T, Bus, Board) {
    let dir = tempfile::tempdir().unwrap();
    let pty = Pty::open(&dir.path().join("bus")).unwrap();
    let (link, port) = (pty.link().to_owned(), Port::Pty(pty));
    let stop = AtomicBool::new(false);
    std::thread::scope(|scope| {
        let line = scope.spawn(|| {
            let mut bus = Bus::new(LineSpeed::default());
            while !stop.load(Ordering::SeqCst) {
                bus.advance(&port, &mut board).unwrap();
                let deadline = bus.next_deadline().unwrap_or(clock::now().after(tumbler_core::units::Millis(5)));
                let mut fds = [nix::poll::PollFd::new(port.fd(), nix::poll::PollFlags::POLLIN)];
                nix::poll::ppoll(&mut fds, Some(clock::until(deadline)), None).unwrap();
            }
            (bus, board)
        });
        // Stops the line also when an assertion of the client fails.
        let _stop = Stop(&stop);
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        let result = runtime.block_on(async {
            let builder = tokio_serial::new(link.to_string_lossy(), 115_200).timeout(Duration::from_secs(1));
            client(tokio_serial::SerialStream::open(&builder).unwrap()).await
        });
        stop.store(true, Ordering::SeqCst);
        let (bus, board) = line.join().unwrap();
        (result, bus, board)
    })
}

async fn bounded<T>(future: impl Future<Output = T>) -> T {
    tokio::time::timeout(Duration::from_secs(10), future).await.unwrap()
}

#[test]
fn a_strangers_master_reads_and_writes_all_that_the_table_uses() {
    let ((), bus, board) = with_line(async |port| {
        let mut master = rtu::attach_slave(port, Slave(1));
        assert_eq!(bounded(master.read_input_registers(2, 12)).await.unwrap().unwrap(), (2..14).collect::<Vec<u16>>());
        bounded(master.write_multiple_registers(0, &[0x0102, 0x0FFF])).await.unwrap().unwrap();
        let refused = bounded(master.read_input_registers(30, 12)).await.unwrap();
        assert_eq!(refused, Err(ExceptionCode::IllegalDataAddress));
        let refused = bounded(master.read_holding_registers(0, 1)).await.unwrap();
        assert_eq!(refused, Err(ExceptionCode::IllegalFunction));
        master.set_slave(Slave(2));
        let lamps: Vec<bool> = (0..64).map(|n| n % 3 == 0).collect();
        bounded(master.write_multiple_coils(0, &lamps)).await.unwrap().unwrap();
        assert_eq!(bounded(master.read_discrete_inputs(0, 64)).await.unwrap().unwrap(), lamps);
    });
    assert_eq!(board.holding, [0x0102, 0x0FFF]);
    let counts = bus.counts();
    assert_eq!((counts.requests, counts.replies, counts.discarded, counts.collisions), (6, 6, 0, 0));
    assert!(board.seen.contains(&(1, BusOp::ReadInput { address: 2, count: 12 })));
}

#[test]
fn a_reply_takes_at_least_the_time_of_its_bytes_on_the_wire() {
    const TIMES: u64 = 20;
    let (took, _, _) = with_line(async |port| {
        let mut master = rtu::attach_slave(port, Slave(1));
        let start = clock::now();
        for _ in 0..TIMES {
            bounded(master.read_input_registers(2, 12)).await.unwrap().unwrap();
        }
        clock::now().nanos_since(start)
    });
    // Request 8 bytes, reply 5 + 24.
    let wire = LineSpeed::default().transaction(8, 29);
    assert!(took >= TIMES * wire, "{took} ns for {TIMES} transactions of {wire} ns");
}

#[test]
fn garbage_is_thrown_away_and_a_mute_unit_says_nothing() {
    let ((), bus, _) = with_line(async |mut port| {
        use tokio::io::{AsyncReadExt, AsyncWriteExt};
        // A whole request to unit 1 with a wrong checksum, then one to unit 9 that is good.
        port.write_all(&[1, 4, 0, 0, 0, 1, 0xDE, 0xAD]).await.unwrap();
        tokio::time::sleep(Duration::from_millis(60)).await;
        let mut mute = vec![9, 4, 0, 0, 0, 1];
        let crc = frame::crc(&mute);
        mute.extend(crc.to_le_bytes());
        port.write_all(&mute).await.unwrap();
        let mut byte = [0];
        let silence = tokio::time::timeout(Duration::from_millis(100), port.read(&mut byte)).await;
        assert!(silence.is_err(), "{silence:?}");
    });
    assert_eq!((bus.counts().discarded, bus.counts().unanswered, bus.counts().replies), (8, 1, 0));
}

/// What is heard on the wire after a good request to unit 1 for one register, until the line is silent for this long.
async fn heard(port: &mut tokio_serial::SerialStream, silence: Duration) -> Vec<u8> {
    use tokio::io::{AsyncReadExt, AsyncWriteExt};
    let mut request = vec![1, 4, 0, 7, 0, 1];
    let crc = frame::crc(&request);
    request.extend(crc.to_le_bytes());
    port.write_all(&request).await.unwrap();
    let (mut all, mut bytes) = (Vec::new(), [0; 64]);
    let mut patience = Duration::from_secs(10);
    while let Ok(count) = tokio::time::timeout(patience, port.read(&mut bytes)).await {
        all.extend_from_slice(&bytes[..count.unwrap()]);
        patience = silence;
    }
    all
}

/// faults.md bus.*: the rig breaks replies in real bytes.
#[test]
fn replies_are_hit_doubled_late_or_of_another_unit_on_the_bare_wire() {
    let mut plain = vec![1, 4, 2, 0, 7];
    plain.extend(frame::crc(&plain).to_le_bytes());
    let hear = |garble| {
        let board = Board { garble, ..Board::default() };
        let ((bytes, took), _, _) = with_board(board, async |mut port| {
            let begun = clock::now();
            let bytes = heard(&mut port, Duration::from_millis(200)).await;
            (bytes, clock::now().nanos_since(begun))
        });
        (bytes, took)
    };
    assert_eq!(hear(None).0, plain);
    assert_eq!(hear(Some(Garble::Twice)).0, [plain.clone(), plain.clone()].concat());
    let (late, took) = hear(Some(Garble::Late));
    assert_eq!(late, plain);
    assert!(took >= Bus::LATE_NS, "{took} ns");
    let other = hear(Some(Garble::OtherUnit)).0;
    assert_eq!((other[0], &other[1..5]), (2, &plain[1..5]));
    assert_eq!(frame::crc(&other[..5]).to_le_bytes(), other[5..], "its checksum is good");
    let hit = hear(Some(Garble::Hit)).0;
    assert!(hit.len() == plain.len() && frame::crc(&hit[..5]).to_le_bytes() != hit[5..], "{hit:?}");
}

#[test]
fn a_transmitter_that_is_stuck_on_fills_the_line_unasked() {
    use tokio::io::AsyncReadExt;
    let board = Board { babbles: true, ..Board::default() };
    let ((), bus, _) = with_board(board, async |mut port| {
        let mut bytes = [0; 200];
        bounded(port.read_exact(&mut bytes)).await.unwrap();
    });
    assert_eq!(bus.counts().requests, 0);
}
