//! The bench's end of the virtual wire: JSON lines over a Unix stream socket on which the bench listens.

use super::harness::link::{FromWires, Since};
use super::rig_fault::{RigFault, shortened};
use nix::errno::Errno;
use serde::de::DeserializeOwned;
use std::collections::BTreeMap;
use std::io::{Read, Write};
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::{Path, PathBuf};
use tumbler_core::line::{InLine, OutLine};
use tumbler_core::units::{MilliCelsius, Mono};
use tumbler_core::wire::lines::{FromBench, Line, LineMessage, TemperatureMessage, ToBench};

/// What happened on the socket.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WireEvent {
    /// The daemon connected and expects all levels.
    Connected,
    /// The daemon drives an output.
    Driven(ToBench),
    /// The daemon's connection is gone.
    Disconnected,
    /// From the rig's pins: the table drove an output, with the time since the rig had driven an input.
    Reacted(ToBench, Since),
    /// From the rig's pins: the contact of the dead-man relay closed or opened, with the nanoseconds since the last edge of the
    /// dead-man line.
    Relay(bool, Option<u64>),
}

/// Who connects.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Peer {
    /// The daemon.
    #[default]
    Daemon,
    /// The program at the rig's pins. It gets this line first.
    Wires(String),
}

/// The socket, and the daemon's connection if there is one.
#[derive(Debug)]
pub struct WireSocket {
    /// None while the wires are gone.
    listener: Option<UnixListener>,
    path: PathBuf,
    daemon: Option<UnixStream>,
    received: Vec<u8>,
    unsent: Vec<u8>,
    driven: u64,
    numbers: BTreeMap<&'static str, u64>,
    peer: Peer,
}

impl WireSocket {
    /// Longest line that the daemon may send, in bytes.
    const LONGEST: usize = 4096;
    /// Most bytes that may wait for a daemon that does not read (it is stopped): some minutes of a spinning shaft.
    const UNSENT: usize = 4 << 20;

    /// Listens at `path`.
    ///
    /// # Errors
    /// [`RigFault`] when the socket cannot be made.
    pub fn listen(path: &Path) -> Result<Self, RigFault> {
        Ok(Self {
            listener: Some(listen(path)?),
            path: path.to_owned(),
            daemon: None,
            received: Vec::new(),
            unsent: Vec::new(),
            driven: 0,
            numbers: BTreeMap::new(),
            peer: Peer::Daemon,
        })
    }

    /// Says who will connect.
    pub fn expect_peer(&mut self, peer: Peer) {
        self.peer = peer;
    }

    /// Where the daemon connects.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }
    /// Whether a daemon is connected.
    #[must_use]
    pub fn connected(&self) -> bool {
        self.daemon.is_some()
    }
    /// How many output messages the daemon has sent on this connection. It begins by driving each of its three outputs.
    #[must_use]
    pub fn driven(&self) -> u64 {
        self.driven
    }
    /// The listening socket, and the daemon's connection with whether bytes wait to be written to it.
    #[must_use]
    pub fn fds(&self) -> (Option<BorrowedFd<'_>>, Option<(BorrowedFd<'_>, bool)>) {
        (self.listener.as_ref().map(AsFd::as_fd), self.daemon.as_ref().map(|d| (d.as_fd(), !self.unsent.is_empty())))
    }

    /// Closes the connection.
    pub fn hang_up(&mut self) {
        self.daemon = None;
        self.driven = 0;
        self.received.clear();
        self.unsent.clear();
    }

    /// Takes the wires away, like a chip that is unbound: nobody listens at the path any more.
    ///
    /// # Errors
    /// [`RigFault`] when the socket cannot be removed.
    pub fn unplug(&mut self) -> Result<(), RigFault> {
        self.hang_up();
        self.listener = None;
        std::fs::remove_file(&self.path).map_err(RigFault::file("remove", &self.path))
    }

    /// Listens at the same path again; the daemon has to reconnect.
    ///
    /// # Errors
    /// [`RigFault`] when the socket cannot be made.
    pub fn plug(&mut self) -> Result<(), RigFault> {
        self.listener = Some(listen(&self.path)?);
        Ok(())
    }

    /// Accepts, reads and writes what can be done without waiting.
    ///
    /// # Errors
    /// [`RigFault::Protocol`] when the daemon breaks the protocol: a finding, not a fault of the rig.
    pub fn poll(&mut self) -> Result<Vec<WireEvent>, RigFault> {
        let mut events = Vec::new();
        self.flush();
        self.read(&mut events)?;
        // A new connection replaces the old one: the daemon restarted before its old connection was seen to close.
        if let Some(Ok((stream, _))) = self.listener.as_ref().map(UnixListener::accept) {
            stream.set_nonblocking(true).map_err(RigFault::file("make non-blocking", &self.path))?;
            if self.daemon.is_some() {
                events.push(WireEvent::Disconnected);
            }
            self.hang_up();
            self.daemon = Some(stream);
            self.numbers.clear();
            if let Peer::Wires(preface) = &self.peer {
                self.unsent.extend_from_slice(preface.as_bytes());
                self.unsent.push(b'\n');
            }
            events.push(WireEvent::Connected);
            self.read(&mut events)?;
        }
        Ok(events)
    }

    fn read(&mut self, events: &mut Vec<WireEvent>) -> Result<(), RigFault> {
        let mut chunk = [0_u8; 4096];
        loop {
            let Some(daemon) = self.daemon.as_mut() else { return Ok(()) };
            match daemon.read(&mut chunk) {
                Ok(0) => {
                    self.disconnected(events);
                    return Ok(());
                }
                Ok(n) => {
                    self.received.extend_from_slice(chunk.get(..n).unwrap_or_default());
                    self.split(events)?;
                }
                Err(e) if e.raw_os_error() == Some(Errno::EAGAIN as i32) => return Ok(()),
                Err(e) if e.kind() == std::io::ErrorKind::Interrupted => {}
                // Connection reset: the daemon was killed.
                Err(_) => {
                    self.disconnected(events);
                    return Ok(());
                }
            }
        }
    }

    fn disconnected(&mut self, events: &mut Vec<WireEvent>) {
        self.hang_up();
        events.push(WireEvent::Disconnected);
    }

    fn split(&mut self, events: &mut Vec<WireEvent>) -> Result<(), RigFault> {
        while let Some(end) = self.received.iter().position(|b| *b == b'\n') {
            let line: Vec<u8> = self.received.drain(..=end).collect();
            let said = line.strip_suffix(b"\n").unwrap_or(&line);
            match self.peer {
                Peer::Daemon => {
                    self.driven += 1;
                    events.push(WireEvent::Driven(parsed("the daemon on the virtual wire", said)?));
                }
                Peer::Wires(_) => self.take_pin_message(parsed("the program at the rig's pins", said)?, events)?,
            }
        }
        if self.received.len() > Self::LONGEST {
            return Err(RigFault::Protocol {
                peer: "the daemon on the virtual wire",
                said: shortened(&self.received),
                why: format!("no end of line within {} bytes", Self::LONGEST),
            });
        }
        Ok(())
    }

    fn take_pin_message(&mut self, message: FromWires, events: &mut Vec<WireEvent>) -> Result<(), RigFault> {
        match message {
            FromWires::Edge { line, active, after } => {
                let driven = ToBench { line, active };
                self.driven += 1;
                events.push(WireEvent::Driven(driven));
                events.extend(after.map(|since| WireEvent::Reacted(driven, since)));
            }
            FromWires::Relay { closed, after_ns } => events.push(WireEvent::Relay(closed, after_ns)),
            FromWires::Lost { edges } => {
                return Err(RigFault::Other(format!("the kernel of the rig's machine lost {edges} edges of a line")));
            }
        }
        Ok(())
    }

    /// Sends an input line's level without an edge, after a connection.
    pub fn level(&mut self, at: Mono, line: InLine, active: bool) {
        self.send(&FromBench::Line(LineMessage { line: Line::In(line), active, at_ns: at.0, seq: 0 }));
    }
    /// Sends an edge of an input line.
    pub fn edge(&mut self, at: Mono, line: InLine, active: bool) {
        let seq = self.next_seq(line.name());
        self.send(&FromBench::Line(LineMessage { line: Line::In(line), active, at_ns: at.0, seq }));
    }
    /// Skips numbers of a line's edges, so that the daemon sees a gap: edges were lost.
    pub fn lose_edges(&mut self, line: InLine, count: u64) {
        let number = self.numbers.entry(line.name()).or_default();
        *number = number.saturating_add(count);
    }
    /// Sends what an output's pin reads, after a connection.
    pub fn output_level(&mut self, at: Mono, line: OutLine, active: bool) {
        self.send(&FromBench::Line(LineMessage { line: Line::Out(line), active, at_ns: at.0, seq: 0 }));
    }
    /// Sends what an output's pin reads, after a change.
    pub fn readback(&mut self, at: Mono, line: OutLine, active: bool) {
        let seq = self.next_seq(line.name());
        self.send(&FromBench::Line(LineMessage { line: Line::Out(line), active, at_ns: at.0, seq }));
    }
    /// Sends the motor's temperature.
    pub fn temperature(&mut self, at: Mono, reading: Option<MilliCelsius>) {
        self.send(&FromBench::Temperature(TemperatureMessage { motor_temperature_mc: reading, at_ns: at.0 }));
    }

    fn next_seq(&mut self, line: &'static str) -> u64 {
        let number = self.numbers.entry(line).or_default();
        *number = number.saturating_add(1);
        *number
    }

    fn send(&mut self, message: &FromBench) {
        if self.daemon.is_none() {
            return;
        }
        // These messages hold only numbers and names, so serialisation cannot fail.
        if serde_json::to_writer(&mut self.unsent, message).is_ok() {
            self.unsent.push(b'\n');
        }
        self.flush();
        if self.unsent.len() > Self::UNSENT {
            self.hang_up();
        }
    }

    fn flush(&mut self) {
        while !self.unsent.is_empty() {
            let Some(daemon) = self.daemon.as_mut() else { return };
            match daemon.write(&self.unsent) {
                Ok(n) => {
                    self.unsent.drain(..n);
                }
                Err(e) if e.raw_os_error() == Some(Errno::EAGAIN as i32) => return,
                Err(e) if e.kind() == std::io::ErrorKind::Interrupted => {}
                Err(_) => {
                    // The next read reports that the connection is closed.
                    self.unsent.clear();
                }
            }
        }
    }
}

/// A line that a peer said.
pub(super) fn parsed<T: DeserializeOwned>(peer: &'static str, said: &[u8]) -> Result<T, RigFault> {
    serde_json::from_slice(said).map_err(|e| RigFault::Protocol { peer, said: shortened(said), why: e.to_string() })
}

fn listen(path: &Path) -> Result<UnixListener, RigFault> {
    let listener = UnixListener::bind(path).map_err(RigFault::file("listen at", path))?;
    listener.set_nonblocking(true).map_err(RigFault::file("make non-blocking", path))?;
    Ok(listener)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::{BufRead, BufReader};

    fn pair() -> (tempfile::TempDir, WireSocket, UnixStream) {
        let dir = tempfile::tempdir().unwrap();
        let mut wire = WireSocket::listen(&dir.path().join("wire")).unwrap();
        let daemon = UnixStream::connect(wire.path()).unwrap();
        assert_eq!(wire.poll().unwrap(), [WireEvent::Connected]);
        (dir, wire, daemon)
    }

    #[test]
    fn edges_count_from_one_on_each_line_and_levels_carry_zero() {
        let (_dir, mut wire, daemon) = pair();
        wire.level(Mono(1), InLine::Seal, true);
        wire.edge(Mono(2), InLine::Tumble, true);
        wire.edge(Mono(3), InLine::Tumble, false);
        wire.edge(Mono(4), InLine::Seal, false);
        wire.lose_edges(InLine::Seal, 2);
        wire.edge(Mono(5), InLine::Seal, true);
        wire.temperature(Mono(6), None);
        let mut lines = BufReader::new(daemon).lines().map(Result::unwrap);
        let mut next = || lines.next().unwrap();
        assert_eq!(next(), r#"{"line":"seal","active":true,"at_ns":1,"seq":0}"#);
        assert_eq!(next(), r#"{"line":"tumble","active":true,"at_ns":2,"seq":1}"#);
        assert_eq!(next(), r#"{"line":"tumble","active":false,"at_ns":3,"seq":2}"#);
        assert_eq!(next(), r#"{"line":"seal","active":false,"at_ns":4,"seq":1}"#);
        assert_eq!(next(), r#"{"line":"seal","active":true,"at_ns":5,"seq":4}"#);
        assert_eq!(next(), r#"{"motor_temperature_mc":null,"at_ns":6}"#);
    }

    #[test]
    fn halves_of_lines_are_put_together_and_the_end_is_noticed() {
        let (_dir, mut wire, mut daemon) = pair();
        daemon.write_all(b"{\"line\":\"motor_enable\",\"act").unwrap();
        assert_eq!(wire.poll().unwrap(), []);
        daemon.write_all(b"ive\":true}\n{\"line\":\"bell\",\"active\":false}\n").unwrap();
        drop(daemon);
        let driven = |line, active| WireEvent::Driven(ToBench { line, active });
        let expected = [driven(OutLine::MotorEnable, true), driven(OutLine::Bell, false), WireEvent::Disconnected];
        assert_eq!(wire.poll().unwrap(), expected);
        assert!(!wire.connected());
    }

    #[test]
    fn what_is_not_in_the_protocol_is_quoted() {
        let (_dir, mut wire, mut daemon) = pair();
        daemon.write_all(b"{\"line\":\"motor_enabel\",\"active\":true}\n").unwrap();
        let fault = wire.poll().unwrap_err().to_string();
        assert!(fault.contains("motor_enabel"), "{fault}");
    }

    #[test]
    fn the_program_at_the_rigs_pins_is_told_its_wiring_first_and_tells_times() {
        let dir = tempfile::tempdir().unwrap();
        let mut wire = WireSocket::listen(&dir.path().join("wire")).unwrap();
        wire.expect_peer(Peer::Wires("{\"the\":\"wiring\"}".into()));
        let mut pins = UnixStream::connect(wire.path()).unwrap();
        assert_eq!(wire.poll().unwrap(), [WireEvent::Connected]);
        wire.level(Mono(1), InLine::Seal, true);
        let mut lines = BufReader::new(pins.try_clone().unwrap()).lines().map(Result::unwrap);
        assert_eq!(lines.next().unwrap(), r#"{"the":"wiring"}"#);
        assert!(lines.next().unwrap().starts_with(r#"{"line":"seal""#));
        let since = Since { line: InLine::Seal, active: false, ns: 87_000 };
        let driven = ToBench { line: OutLine::MotorEnable, active: false };
        for told in [
            FromWires::Edge { line: OutLine::Bell, active: true, after: None },
            FromWires::Edge { line: driven.line, active: false, after: Some(since) },
            FromWires::Relay { closed: false, after_ns: Some(100) },
        ] {
            let mut line = serde_json::to_vec(&told).unwrap();
            line.push(b'\n');
            pins.write_all(&line).unwrap();
        }
        let bell = WireEvent::Driven(ToBench { line: OutLine::Bell, active: true });
        let [cut, reacted] = [WireEvent::Driven(driven), WireEvent::Reacted(driven, since)];
        assert_eq!(wire.poll().unwrap(), [bell, cut, reacted, WireEvent::Relay(false, Some(100))]);
        pins.write_all(b"{\"lost\":{\"edges\":3}}\n").unwrap();
        assert!(wire.poll().unwrap_err().to_string().contains("lost 3 edges"), "what was told is not all that was");
    }
}
