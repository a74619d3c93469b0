//! The field bus of the virtual bench: Modbus RTU units behind a pty, paced as a real line of 115,200 baud would be.
//!
//! A pty knows no baud rate: what one end writes, the other has at once. So the rig reckons when the last byte of a
//! request would have crossed the wire, lets the unit take its turnaround, and hands out the reply's bytes at the
//! moments at which a UART's receive FIFO would have had them. All these moments are absolute: being late with one
//! chunk does not shift the next.

use super::clock;
use super::fault::RigFault;
use super::frame::{self, Served};
use super::pty::Pty;
use std::collections::VecDeque;
use tumbler_core::effect::BusOp;
use tumbler_core::input::BusReply;
use tumbler_core::units::Mono;

/// The units on the line.
pub trait Units {
    /// The unit acts on a request whose frame ended, after its turnaround.
    fn transact(&mut self, unit: u8, op: &BusOp) -> Response;
}

/// What a unit does with a request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Response {
    /// It answers.
    Reply(BusReply),
    /// It answers with this Modbus exception code.
    Exception(u8),
    /// No such unit, or a mute one.
    Silence,
    /// Its answer is hit on the way.
    Corrupt,
}

/// How fast the line is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LineSpeed {
    /// Nanoseconds a byte.
    pub byte_ns: u64,
    /// Silence that ends a frame, in nanoseconds: 1.75 ms above 19,200 baud (Modbus over Serial Line 1.02, 2.5.1.1).
    pub silence_ns: u64,
    /// A unit's own time from the end of the silence to the reply's first byte, in nanoseconds.
    pub turnaround_ns: u64,
    /// Bytes after which a receiver's FIFO wakes its driver.
    pub fifo: usize,
}

impl Default for LineSpeed {
    /// 115,200 baud, 8 data bits, no parity, 1 stop bit: 10 bits a byte; FIFO trigger level 8 as in a 16550.
    fn default() -> Self {
        Self { byte_ns: 10 * 1_000_000_000 / 115_200, silence_ns: 1_750_000, turnaround_ns: 250_000, fifo: 8 }
    }
}

impl LineSpeed {
    /// Time that so many bytes take on the wire, in nanoseconds.
    #[must_use]
    pub fn bytes(&self, count: usize) -> u64 {
        self.byte_ns.saturating_mul(count as u64)
    }
    /// Time from the first byte of a request to the last of its reply, in nanoseconds.
    #[must_use]
    pub fn transaction(&self, request: usize, reply: usize) -> u64 {
        self.bytes(request + reply) + self.silence_ns + self.turnaround_ns
    }
}

/// What crossed the line, counted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LineCounts {
    /// Whole requests with a good checksum.
    pub requests: u64,
    /// Replies sent.
    pub replies: u64,
    /// Requests for which no unit answered.
    pub unanswered: u64,
    /// Bytes thrown away: bad checksum, or a frame that stayed incomplete.
    pub discarded: u64,
    /// Requests that came while a reply was still on the wire: on a real line both would be garbled.
    pub collisions: u64,
    /// Bytes in both directions.
    pub bytes: u64,
}

/// A frame whose last byte is still on its way to the unit.
#[derive(Debug)]
struct Arriving {
    due: Mono,
    frame: Vec<u8>,
}

/// The line and its units' side.
#[derive(Debug)]
pub struct Bus {
    speed: LineSpeed,
    received: Vec<u8>,
    last_byte: Mono,
    free: Mono,
    arriving: VecDeque<Arriving>,
    leaving: VecDeque<(Mono, Vec<u8>)>,
    counts: LineCounts,
}

impl Bus {
    /// How long an incomplete request may lie before it is taken for garbage, in nanoseconds of real time. The wire's
    /// own 1.75 ms would blame the daemon for a busy machine: its write may reach the pty in two pieces.
    const INCOMPLETE_NS: u64 = 20_000_000;

    /// A silent line.
    #[must_use]
    pub fn new(speed: LineSpeed) -> Self {
        Self {
            speed,
            received: Vec::new(),
            last_byte: Mono(0),
            free: Mono(0),
            arriving: VecDeque::new(),
            leaving: VecDeque::new(),
            counts: LineCounts::default(),
        }
    }

    /// What crossed the line so far.
    #[must_use]
    pub fn counts(&self) -> LineCounts {
        self.counts
    }
    /// The line's speed.
    #[must_use]
    pub fn speed(&self) -> LineSpeed {
        self.speed
    }

    /// When [`Bus::turn`] wants to be called next, if no byte comes before.
    #[must_use]
    pub fn next_deadline(&self) -> Option<Mono> {
        let act = self.arriving.front().map(|a| a.due);
        let send = self.leaving.front().map(|(due, _)| *due);
        let stale = (!self.received.is_empty()).then(|| Mono(self.last_byte.0.saturating_add(Self::INCOMPLETE_NS)));
        [act, send, stale].into_iter().flatten().min()
    }

    /// Reads what came, lets units act whose time has come, and sends the bytes that are due.
    ///
    /// # Errors
    /// [`RigFault`] when the pty fails.
    pub fn turn(&mut self, pty: &Pty, units: &mut dyn Units) -> Result<(), RigFault> {
        let now = clock::now();
        let count = pty.read(&mut self.received)?;
        if count > 0 {
            self.last_byte = now;
            self.counts.bytes += count as u64;
            self.assemble(now);
        } else if !self.received.is_empty() && now.nanos_since(self.last_byte) >= Self::INCOMPLETE_NS {
            self.discard();
        }
        while self.arriving.front().is_some_and(|a| a.due <= now) {
            if let Some(arriving) = self.arriving.pop_front() {
                self.act(&arriving, units);
            }
        }
        while self.leaving.front().is_some_and(|(due, _)| *due <= now) {
            if let Some((_, bytes)) = self.leaving.pop_front() {
                self.counts.bytes += bytes.len() as u64;
                pty.write(&bytes)?;
            }
        }
        Ok(())
    }

    fn discard(&mut self) {
        self.counts.discarded += self.received.len() as u64;
        self.received.clear();
    }

    fn assemble(&mut self, now: Mono) {
        while let Some(length) = frame::request_length(&self.received) {
            if self.received.len() < length {
                return;
            }
            let frame: Vec<u8> = self.received.drain(..length).collect();
            if !self.leaving.is_empty() || !self.arriving.is_empty() {
                self.counts.collisions += 1;
                continue;
            }
            let start = now.max(self.free);
            let end = start.0.saturating_add(self.speed.bytes(frame.len()));
            self.free = Mono(end);
            let due = Mono(end.saturating_add(self.speed.silence_ns + self.speed.turnaround_ns));
            self.arriving.push_back(Arriving { due, frame });
        }
    }

    fn act(&mut self, arriving: &Arriving, units: &mut dyn Units) {
        match frame::serve(&arriving.frame, units) {
            Served::Reply(reply) => {
                self.counts.requests += 1;
                self.counts.replies += 1;
                let mut crossed = 0_usize;
                for chunk in reply.chunks(self.speed.fifo.max(1)) {
                    crossed += chunk.len();
                    let due = Mono(arriving.due.0.saturating_add(self.speed.bytes(crossed)));
                    self.leaving.push_back((due, chunk.to_vec()));
                    self.free = due;
                }
            }
            Served::Silence => {
                self.counts.requests += 1;
                self.counts.unanswered += 1;
            }
            Served::Garbage => {
                self.counts.discarded += arriving.frame.len() as u64;
                self.discard();
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicBool, Ordering};
    use std::time::Duration;
    use tokio_modbus::client::rtu;
    use tokio_modbus::prelude::{ExceptionCode, Reader, Slave, SlaveContext, Writer};

    /// Unit 1 has input registers that count up, unit 2 has 64 lamps that sense what they are told, others are mute.
    #[derive(Default)]
    struct Board {
        coils: u64,
        holding: Vec<u16>,
        seen: Vec<(u8, BusOp)>,
    }

    impl Units for Board {
        fn transact(&mut self, unit: u8, op: &BusOp) -> Response {
            self.seen.push((unit, op.clone()));
            match (unit, op) {
                (1, BusOp::ReadInput { address, count }) if address + count <= 32 => {
                    Response::Reply(BusReply::Words((*address..address + count).collect()))
                }
                (1, BusOp::WriteHolding { values, .. }) => {
                    self.holding.clone_from(values);
                    Response::Reply(BusReply::Written)
                }
                (2, BusOp::WriteCoils { bits, .. }) => {
                    self.coils = *bits;
                    Response::Reply(BusReply::Written)
                }
                (2, BusOp::ReadDiscrete { .. }) => Response::Reply(BusReply::Bits(self.coils)),
                (1 | 2, _) => Response::Exception(2),
                (3, _) => Response::Corrupt,
                _ => Response::Silence,
            }
        }
    }

    struct Stop<'a>(&'a AtomicBool);

    impl Drop for Stop<'_> {
        fn drop(&mut self) {
            self.0.store(true, Ordering::SeqCst);
        }
    }

    /// Turns the line in a thread until told to stop, and hands the bus and the board back.
    fn with_line<T>(client: impl AsyncFnOnce(tokio_serial::SerialStream) -> T) -> (T, Bus, Board) {
        let dir = tempfile::tempdir().unwrap();
        let pty = Pty::open(&dir.path().join("bus")).unwrap();
        let link = pty.link().to_owned();
        let stop = AtomicBool::new(false);
        std::thread::scope(|scope| {
            let line = scope.spawn(|| {
                let (mut bus, mut board) = (Bus::new(LineSpeed::default()), Board::default());
                while !stop.load(Ordering::SeqCst) {
                    bus.turn(&pty, &mut board).unwrap();
                    let deadline = bus.next_deadline().unwrap_or(clock::now().after(tumbler_core::units::Millis(5)));
                    let mut fds = [nix::poll::PollFd::new(pty.fd(), nix::poll::PollFlags::POLLIN)];
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
            assert_eq!(
                bounded(master.read_input_registers(2, 12)).await.unwrap().unwrap(),
                (2..14).collect::<Vec<u16>>()
            );
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
            let crc = crc(&mute);
            mute.extend(crc.to_le_bytes());
            port.write_all(&mute).await.unwrap();
            let mut byte = [0];
            let silence = tokio::time::timeout(Duration::from_millis(100), port.read(&mut byte)).await;
            assert!(silence.is_err(), "{silence:?}");
        });
        assert_eq!((bus.counts().discarded, bus.counts().unanswered, bus.counts().replies), (8, 1, 0));
    }

    /// Modbus over Serial Line 1.02, 6.2.2.
    fn crc(bytes: &[u8]) -> u16 {
        bytes.iter().fold(0xFFFF, |crc, byte| {
            (0..8).fold(crc ^ u16::from(*byte), |crc, _| if crc & 1 == 1 { (crc >> 1) ^ 0xA001 } else { crc >> 1 })
        })
    }
}
