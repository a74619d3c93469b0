//! `tumbler-hil wires`: drives the rig's pins as the bench commands, and reports their edges. It knows nothing about the table.

use super::end::{Edge, End, Read as At, Side};
use super::link::{FromWires, Since};
use super::wiring::Wiring;
use crate::process::{clock, machine};
use anyhow::{Context, bail};
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use std::io::{Read, Write};
use std::os::fd::AsFd;
use tumbler_core::line::OutLine;
use tumbler_core::units::Mono;
use tumbler_core::wire::lines::{FromBench, Line};

/// The longest line that the bench may send, in bytes: the wiring.
const LONGEST: usize = 64 * 1024;

/// Serves the bench at these ends until it hangs up.
///
/// # Errors
/// The wiring cannot be read, the pins are not available, or the kernel refuses something.
pub fn serve(mut from: impl Read + AsFd, mut to: impl Write) -> anyhow::Result<()> {
    machine::enter()?;
    let mut lines = Lines::default();
    let first = loop {
        match lines.next()? {
            Some(line) => break line,
            None if lines.read(&mut from)? == 0 => return Ok(()),
            None => {}
        }
    };
    let wiring: Wiring = serde_json::from_slice(&first).context("the first line is to be the wiring")?;
    let mut wires = Wires { end: End::take(&wiring, Side::Rig)?, last_input: None, alive: None };
    wires.send_levels(&mut to)?;
    loop {
        while let Some(line) = lines.next()? {
            wires.obey(&line)?;
        }
        let mut fds = [PollFd::new(from.as_fd(), PollFlags::POLLIN), PollFd::new(wires.end.fd(), PollFlags::POLLIN)];
        poll(&mut fds, PollTimeout::NONE)
            .or_else(|error| if error == nix::errno::Errno::EINTR { Ok(0) } else { Err(error) })?;
        let ready = |fd: &PollFd<'_>| fd.any().unwrap_or(true);
        let (commands, edges) = (ready(&fds[0]), ready(&fds[1]));
        // Edges that are waiting came before the bench's next command.
        if edges {
            while let Some(edge) = wires.end.edge()? {
                wires.send_edge(edge, &mut to)?;
            }
        }
        if commands && lines.read(&mut from)? == 0 {
            return wires.release();
        }
    }
}

/// The pins, and what the times of edges are measured from.
struct Wires {
    end: End,
    /// The table's input that was driven last, its level, and when.
    last_input: Option<(tumbler_core::line::InLine, bool, Mono)>,
    /// The last edge of the dead-man line.
    alive: Option<u64>,
}

impl Wires {
    /// Sends every level except that of the dead-man line, which counts only from its first edge on.
    fn send_levels(&mut self, to: &mut impl Write) -> anyhow::Result<()> {
        for (at, active) in self.end.levels()? {
            match at {
                At::Line(Line::Out(line)) if line != OutLine::MotorAlive => {
                    send(to, FromWires::Edge { line, active, after: None })?;
                }
                At::Relay => send(to, FromWires::Relay { closed: active, after_ns: None })?,
                At::Line(_) => {}
            }
        }
        Ok(())
    }

    fn obey(&mut self, line: &[u8]) -> anyhow::Result<()> {
        let message = serde_json::from_slice(line).context("what the bench says is no message of the virtual wire")?;
        if let FromBench::Line(message) = message {
            if let Line::In(input) = message.line {
                // The levels at the beginning are not edges.
                self.last_input = (message.seq > 0).then(|| (input, message.active, clock::now()));
                self.end.drive(message.line, message.active)?;
            }
        }
        Ok(())
    }

    fn send_edge(&mut self, edge: Edge, to: &mut impl Write) -> anyhow::Result<()> {
        if edge.lost > 0 {
            send(to, FromWires::Lost { edges: edge.lost })?;
        }
        match edge.read {
            At::Line(Line::Out(line)) => {
                if line == OutLine::MotorAlive {
                    self.alive = Some(edge.at_ns);
                }
                let since = |(input, active, at): (_, _, Mono)| {
                    edge.at_ns.checked_sub(at.0).map(|ns| Since { line: input, active, ns })
                };
                send(to, FromWires::Edge { line, active: edge.active, after: self.last_input.and_then(since) })
            }
            At::Relay => {
                let after_ns = self.alive.and_then(|alive| edge.at_ns.checked_sub(alive));
                send(to, FromWires::Relay { closed: edge.active, after_ns })
            }
            At::Line(Line::In(_)) => Ok(()),
        }
    }

    /// Drives every line inactive: the kernel may keep the levels of lines that are released.
    fn release(&self) -> anyhow::Result<()> {
        for line in self.end.drives() {
            self.end.drive(line, false)?;
        }
        Ok(())
    }
}

fn send(to: &mut impl Write, message: FromWires) -> anyhow::Result<()> {
    let mut line = serde_json::to_vec(&message)?;
    line.push(b'\n');
    to.write_all(&line)?;
    Ok(to.flush()?)
}

/// The bench's commands, split into lines.
#[derive(Default)]
struct Lines {
    received: Vec<u8>,
}

impl Lines {
    /// Reads once. Returns the number of bytes; 0 at the end.
    fn read(&mut self, from: &mut impl Read) -> anyhow::Result<usize> {
        let mut chunk = [0; 4096];
        loop {
            match from.read(&mut chunk) {
                Ok(n) => {
                    self.received.extend_from_slice(chunk.get(..n).unwrap_or_default());
                    return Ok(n);
                }
                Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
                // The bench is gone.
                Err(error) if error.kind() == std::io::ErrorKind::ConnectionReset => return Ok(0),
                Err(error) => return Err(error.into()),
            }
        }
    }

    /// The next whole line.
    fn next(&mut self) -> anyhow::Result<Option<Vec<u8>>> {
        let Some(end) = self.received.iter().position(|byte| *byte == b'\n') else {
            if self.received.len() > LONGEST {
                bail!("no end of line within {LONGEST} bytes");
            }
            return Ok(None);
        };
        let mut line: Vec<u8> = self.received.drain(..=end).collect();
        line.pop();
        Ok(Some(line))
    }
}
