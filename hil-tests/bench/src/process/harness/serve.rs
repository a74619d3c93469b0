//! `tumbler-hil wires`: stands at the rig's pins, and does and tells what passes there. It knows nothing of the table.

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
/// The wiring is none, the pins cannot be had, or the kernel refuses something.
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
    let mut wires = Wires { end: End::take(&wiring, Side::Rig)?, told: None, alive: None };
    wires.send_levels(&mut to)?;
    loop {
        while let Some(line) = lines.next()? {
            wires.act(&line)?;
        }
        let mut fds = [PollFd::new(from.as_fd(), PollFlags::POLLIN), PollFd::new(wires.end.fd(), PollFlags::POLLIN)];
        poll(&mut fds, PollTimeout::NONE)
            .or_else(|error| if error == nix::errno::Errno::EINTR { Ok(0) } else { Err(error) })?;
        let ready = |fd: &PollFd<'_>| fd.any().unwrap_or(true);
        let (said, edges) = (ready(&fds[0]), ready(&fds[1]));
        // An edge that is there was before what the bench says now.
        if edges {
            while let Some(edge) = wires.end.edge()? {
                wires.tell(edge, &mut to)?;
            }
        }
        if said && lines.read(&mut from)? == 0 {
            return wires.let_go();
        }
    }
}

/// The pins, and what the times of edges are told from.
struct Wires {
    end: End,
    /// What was done to the table last, and when.
    told: Option<(tumbler_core::line::InLine, bool, Mono)>,
    /// The last edge of the dead-man line.
    alive: Option<u64>,
}

impl Wires {
    /// Tells every level, but for the dead-man line: that has no level before its first edge.
    fn send_levels(&mut self, to: &mut impl Write) -> anyhow::Result<()> {
        for (at, active) in self.end.levels()? {
            match at {
                At::Line(Line::Out(line)) if line != OutLine::MotorAlive => {
                    say(to, FromWires::Edge { line, active, after: None })?;
                }
                At::Relay => say(to, FromWires::Relay { closed: active, after_ns: None })?,
                At::Line(_) => {}
            }
        }
        Ok(())
    }

    fn act(&mut self, line: &[u8]) -> anyhow::Result<()> {
        let said = serde_json::from_slice(line).context("what the bench says is no message of the virtual wire")?;
        if let FromBench::Line(message) = said {
            if let Line::In(input) = message.line {
                // A level at the beginning is no edge.
                self.told = (message.seq > 0).then(|| (input, message.active, clock::now()));
                self.end.drive(message.line, message.active)?;
            }
        }
        Ok(())
    }

    fn tell(&mut self, edge: Edge, to: &mut impl Write) -> anyhow::Result<()> {
        if edge.lost > 0 {
            say(to, FromWires::Lost { edges: edge.lost })?;
        }
        match edge.read {
            At::Line(Line::Out(line)) => {
                if line == OutLine::MotorAlive {
                    self.alive = Some(edge.at_ns);
                }
                let since = |(input, active, at): (_, _, Mono)| {
                    edge.at_ns.checked_sub(at.0).map(|ns| Since { line: input, active, ns })
                };
                say(to, FromWires::Edge { line, active: edge.active, after: self.told.and_then(since) })
            }
            At::Relay => {
                let after_ns = self.alive.and_then(|alive| edge.at_ns.checked_sub(alive));
                say(to, FromWires::Relay { closed: edge.active, after_ns })
            }
            At::Line(Line::In(_)) => Ok(()),
        }
    }

    /// Lets go of all that it drives: a kernel may keep the levels of lines that nobody holds.
    fn let_go(&self) -> anyhow::Result<()> {
        for line in self.end.drives() {
            self.end.drive(line, false)?;
        }
        Ok(())
    }
}

fn say(to: &mut impl Write, told: FromWires) -> anyhow::Result<()> {
    let mut line = serde_json::to_vec(&told)?;
    line.push(b'\n');
    to.write_all(&line)?;
    Ok(to.flush()?)
}

/// What came, in lines.
#[derive(Default)]
struct Lines {
    received: Vec<u8>,
}

impl Lines {
    /// Reads once; how many bytes came, 0 at the end.
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
