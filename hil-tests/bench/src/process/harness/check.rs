//! Self-test of the harness: checks every wire from end to end, while no daemon holds the table's pins.

use super::chip_pair::{ChipPair, Flaw};
use super::end::{End, Read as At, Side};
use super::link::{FromWires, Link, preface};
use super::wiring::{Place, Wire, Wiring};
use crate::process::clock;
use crate::process::rig_fault::RigFault;
use crate::process::workdir::WorkDir;
use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, ErrorKind, Write};
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::time::Duration;
use tumbler_core::line::OutLine;
use tumbler_core::units::Mono;
use tumbler_core::wire::lines::{FromBench, Line, LineMessage};

/// How long one end may take to see a change at the other: a network and an emulated machine may lie between.
const ANSWER: Duration = Duration::from_millis(1_000);
/// How long all other lines are watched after that for changes that should not happen.
const SETTLED: Duration = Duration::from_millis(25);
/// Between two edges of the dead-man line, as the daemon has it (`dead_man_period`).
const BEAT: Duration = Duration::from_millis(5);
/// Number of edges with which the check closes the relay.
const BEATS: u32 = 60;
/// When the relay opens after the last edge, in nanoseconds: the monostable holds for 100 ms (`daemon/docs/wiring.md`), and this range
/// allows for its parts' tolerances and the relay's own time.
pub const OPENS_NS: std::ops::RangeInclusive<u64> = 50_000_000..=150_000_000;

/// A wire's name, and the result of its check in words.
pub type WireCheck = (String, Result<String, String>);

/// Checks every wire of this harness; without one, of two simulated chips with this flaw.
///
/// # Errors
/// [`RigFault`] where an end is not available. A defect of a wire is a result, not an error.
pub fn check(wiring: Option<&Wiring>, flaw: Option<Flaw>) -> Result<Vec<WireCheck>, RigFault> {
    let dir = WorkDir::new()?;
    match wiring {
        Some(wiring) => wires(wiring, &dir.log()),
        None => wires(&ChipPair::with(&dir.chip(), flaw)?.wiring, &dir.log()),
    }
}

fn wires(wiring: &Wiring, log: &Path) -> Result<Vec<WireCheck>, RigFault> {
    let mut harness = Harness::take(wiring, log)?;
    let mut found = vec![("at rest".to_owned(), harness.rests()?)];
    for wire in &wiring.lines {
        let words = format!("{}: the table's {} and the rig's {}", wire.name(), wire.table, wire.rig);
        found.push((words, harness.follows(wire)?));
    }
    found.push(match &wiring.relay {
        Some(relay) => (format!("dead-man relay: the rig's {}", relay.rig), harness.relay()?),
        None => ("dead-man relay".to_owned(), Ok("no module is fitted, and none was tried".to_owned())),
    });
    Ok(found)
}

/// Both ends.
struct Harness<'w> {
    wiring: &'w Wiring,
    table: End,
    link: Link,
    to: UnixStream,
    from: BufReader<UnixStream>,
    line: Vec<u8>,
    /// Levels of the table's outputs as the rig reads them; the dead-man line has one only from its first edge on.
    outputs: BTreeMap<OutLine, bool>,
    /// The relay's contact, and the time from the last edge of the dead-man line to its change.
    relay: Option<(bool, Option<u64>)>,
    /// Lines that read active while nothing is driven: none if the harness is right.
    rest: Vec<Line>,
    log: &'w Path,
}

impl<'w> Harness<'w> {
    fn take(wiring: &'w Wiring, log: &'w Path) -> Result<Self, RigFault> {
        let table = End::take(wiring, Side::Table)?;
        let (ours, theirs) = UnixStream::pair().map_err(RigFault::system("make a pair of sockets"))?;
        ours.set_read_timeout(Some(Duration::from_millis(2))).map_err(RigFault::system("set a socket's timeout"))?;
        let link = Link::over(theirs, wiring, log)?;
        let from = BufReader::new(ours.try_clone().map_err(RigFault::system("copy a socket"))?);
        let mut harness = Self {
            wiring,
            table,
            link,
            to: ours,
            from,
            line: Vec::new(),
            outputs: BTreeMap::new(),
            relay: None,
            rest: Vec::new(),
            log,
        };
        harness.say(&preface(wiring)?)?;
        let known = OutLine::ALL.len() - 1;
        let limit = Duration::from_secs(20);
        if !harness.until(limit, |harness| Ok(harness.outputs.len() >= known))? {
            let log = std::fs::read_to_string(log).unwrap_or_default();
            let hint = format!("it said: {}", log.trim_end());
            return Err(RigFault::Late { what: "the program at the rig's pins".into(), after: limit, hint });
        }
        Ok(harness)
    }

    fn say(&mut self, line: &str) -> Result<(), RigFault> {
        self.to.write_all(format!("{line}\n").as_bytes()).map_err(RigFault::system("write to the rig's pins"))
    }

    /// Processes messages of the rig's end until `done` returns true, at most for `limit`. Returns whether it did.
    fn until(&mut self, limit: Duration, done: impl Fn(&Self) -> Result<bool, RigFault>) -> Result<bool, RigFault> {
        let end = Mono(clock::now().0.saturating_add(u64::try_from(limit.as_nanos()).unwrap_or(u64::MAX)));
        loop {
            if done(self)? {
                return Ok(true);
            }
            clock::check_interrupt()?;
            if clock::now() >= end {
                return Ok(false);
            }
            self.listen()?;
        }
    }

    fn listen(&mut self) -> Result<(), RigFault> {
        match self.from.read_until(b'\n', &mut self.line) {
            Ok(0) => {
                self.link.look()?;
                let log = std::fs::read_to_string(self.log).unwrap_or_default();
                return Err(RigFault::Other(format!("the program at the rig's pins hung up: {}", log.trim_end())));
            }
            Ok(_) => {}
            // An incomplete line stays in the buffer.
            Err(e) if matches!(e.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut | ErrorKind::Interrupted) => {
                return Ok(());
            }
            Err(error) => return Err(RigFault::system("read from the rig's pins")(error)),
        }
        let line = std::mem::take(&mut self.line);
        match crate::process::wire::parsed("the program at the rig's pins", &line)? {
            FromWires::Edge { line, active, .. } => {
                self.outputs.insert(line, active);
            }
            FromWires::Relay { closed, after_ns } => self.relay = Some((closed, after_ns)),
            FromWires::Lost { edges } => return Err(RigFault::Other(format!("{edges} edges were lost"))),
        }
        Ok(())
    }

    /// Drives a line from the end that drives it.
    fn drive(&mut self, line: Line, active: bool) -> Result<(), RigFault> {
        if matches!(line, Line::Out(_)) {
            return self.table.drive(line, active);
        }
        let message = FromBench::Line(LineMessage { line, active, at_ns: clock::now().0, seq: 1 });
        let text =
            serde_json::to_string(&message).map_err(|e| RigFault::Other(format!("a message of the rig's: {e}")))?;
        self.say(&text)
    }

    /// Lines that read active.
    fn active(&self) -> Result<Vec<Line>, RigFault> {
        let inputs = self.table.levels()?.into_iter().filter_map(|(at, active)| match at {
            At::Line(line) if active => Some(line),
            _ => None,
        });
        let outputs = self.outputs.iter().filter(|(_, active)| **active).map(|(line, _)| Line::Out(*line));
        Ok(inputs.chain(outputs).collect())
    }

    /// Checks that nothing reads active while nothing is driven.
    fn rests(&mut self) -> Result<Result<String, String>, RigFault> {
        if self.until(ANSWER, |harness| Ok(harness.active()?.is_empty()))? {
            return Ok(Ok("every line is inactive while neither end drives one".into()));
        }
        self.rest = self.active()?;
        Ok(Err(format!(
            "{} read active, though neither end drives them: another polarity, a missing resistor, or another wire than theirs",
            self.named(&self.rest)
        )))
    }

    /// Lines that read differently from their level at rest.
    fn moved(&self) -> Result<Vec<Line>, RigFault> {
        let (active, rest) = (self.active()?, &self.rest);
        let fell = rest.iter().filter(|line| !active.contains(line)).copied();
        Ok(active.iter().filter(|line| !rest.contains(line)).copied().chain(fell).collect())
    }

    /// Drives one line, and checks that this line and no other follows.
    fn follows(&mut self, wire: &Wire) -> Result<Result<String, String>, RigFault> {
        let line = wire.line;
        self.drive(line, true)?;
        self.until(ANSWER, |harness| Ok(harness.moved()?.contains(&line)))?;
        self.until(SETTLED, |_| Ok(false))?;
        let moved = self.moved()?;
        self.drive(line, false)?;
        let fell = self.until(ANSWER, |harness| Ok(harness.moved()?.is_empty()))?;
        let others: Vec<Line> = moved.iter().copied().filter(|other| *other != line).collect();
        Ok(match (moved.contains(&line), others.is_empty()) {
            (true, true) if fell => Ok("follows, and nothing else does".into()),
            (true, true) => Err("follows to its active level, and not back: another program drives it".into()),
            (false, true) => Err(format!(
                "open: it does not follow. Look at the wire between {} of the table and {} of the rig, and for one that holds it",
                wire.table, wire.rig
            )),
            (false, false) => Err(format!("crossed: {} followed instead", self.named(&others))),
            (true, false) => Err(format!("shorted: {} followed too", self.named(&others))),
        })
    }

    /// Checks that the dead-man relay closes with the edges, and opens soon after the last one, at either level.
    fn relay(&mut self) -> Result<Result<String, String>, RigFault> {
        let alive = Line::Out(OutLine::MotorAlive);
        let closed = |harness: &Self| Ok(harness.relay.is_some_and(|(closed, _)| closed));
        let open = |harness: &Self| Ok(harness.relay.is_some_and(|(closed, _)| !closed));
        if !self.until(ANSWER, open)? {
            return Ok(Err("closed without edges: a welded contact, or another polarity".into()));
        }
        for beat in 0..BEATS {
            self.table.drive(alive, beat % 2 == 0)?;
            self.until(BEAT, |_| Ok(false))?;
        }
        if !self.until(ANSWER, closed)? {
            return Ok(Err("does not close with the edges of motor_alive".into()));
        }
        // One edge more, then the line keeps its level: a relay that is held by the level would never open.
        self.table.drive(alive, true)?;
        if !self.until(ANSWER, open)? {
            return Ok(Err(
                "stays closed while motor_alive stands still: the motor would run on after its daemon".into()
            ));
        }
        let after = self.relay.and_then(|(_, after)| after);
        self.table.drive(alive, false)?;
        self.until(ANSWER, closed)?;
        self.until(ANSWER, open)?;
        Ok(match after {
            Some(after) if OPENS_NS.contains(&after) => {
                Ok(format!("closes with the edges, opens {} ms after the last", after / 1_000_000))
            }
            Some(after) => Err(format!(
                "opens {} ms after the last edge; {} to {} ms is allowed",
                after / 1_000_000,
                OPENS_NS.start() / 1_000_000,
                OPENS_NS.end() / 1_000_000
            )),
            None => Err("opens, and motor_alive had no edge at the rig".into()),
        })
    }

    /// Names of lines, with their places at both ends.
    fn named(&self, lines: &[Line]) -> String {
        let name = |line: &Line| {
            self.wiring.wire(*line).map(|wire| {
                let [table, rig]: [&Place; 2] = [&wire.table, &wire.rig];
                format!("{} ({table} of the table, {rig} of the rig)", wire.name())
            })
        };
        lines.iter().filter_map(name).collect::<Vec<_>>().join(", ")
    }
}
