//! How the daemon's pins are connected: virtual wire, a simulated GPIO chip, or a harness to a second machine.

use super::gpio_sim::{Chip, GpioSim};
use super::harness::chip_pair::ChipPair;
use super::harness::link::{Link, preface};
use super::harness::wiring::{BusEnds, Wiring};
use super::port::{Port, Serial};
use super::pty::Pty;
use super::rig_fault::RigFault;
use super::wire::{Peer, WireSocket};
use super::workdir::WorkDir;
use std::os::unix::net::UnixStream;
use std::path::PathBuf;
use std::sync::Arc;

/// How the daemon's pins are connected.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Wires {
    /// No pins: the virtual wire's socket.
    #[default]
    Socket,
    /// A chip that the kernel simulates, with a bridge to the socket.
    Bridge,
    /// Two simulated chips wired to each other; the second Pi's program runs at the other one.
    ChipPair,
    /// Real pins, wired to those of a second Pi.
    Harness(Arc<Wiring>),
}

impl Wires {
    /// The daemon's serial port.
    pub(super) fn bus(&self, dir: &WorkDir) -> PathBuf {
        self.ends().map_or_else(|| dir.bus(), |ends| ends.table.clone())
    }

    /// The rig's end of the serial line.
    pub(super) fn port(&self, dir: &WorkDir) -> Result<Port, RigFault> {
        Ok(match self.ends() {
            Some(ends) => Port::Serial(Serial::open(&ends.rig)?),
            None => Port::Pty(Pty::open(&dir.bus())?),
        })
    }

    fn ends(&self) -> Option<&BusEnds> {
        match self {
            Self::Harness(wiring) => wiring.bus.as_ref(),
            _ => None,
        }
    }
}

/// The daemon's pins.
#[derive(Debug)]
pub(super) enum Pins {
    /// A simulated chip with a bridge to the virtual wire.
    Bridged(GpioSim),
    /// Pins wired to other pins.
    Wired(Box<Harness>),
}

/// The connection to the program at the other pins.
#[derive(Debug)]
pub(super) struct Harness {
    link: Link,
    /// The simulated chips, where there is no second machine.
    pair: Option<ChipPair>,
}

impl Pins {
    /// Sets up the pins of the table in this directory; `None` on the virtual wire. Tells the socket which peer to expect.
    pub(super) fn build(wires: &Wires, dir: &WorkDir, socket: &mut WireSocket) -> Result<Option<Self>, RigFault> {
        let mut wired = |wiring: &Wiring, pair| {
            socket.expect_peer(Peer::Wires(preface(wiring)?));
            let path = dir.wire();
            let stream = UnixStream::connect(&path).map_err(RigFault::file("connect to", &path))?;
            let link = Link::over(stream, wiring, &dir.log())?;
            Ok(Some(Self::Wired(Box::new(Harness { link, pair }))))
        };
        match wires {
            Wires::Socket => Ok(None),
            Wires::Bridge => Ok(Some(Self::Bridged(GpioSim::make(&dir.chip(), &dir.wire())?))),
            Wires::ChipPair => {
                let pair = ChipPair::connect(&dir.chip())?;
                let wiring = pair.wiring.clone();
                wired(&wiring, Some(pair))
            }
            Wires::Harness(wiring) => wired(wiring, None),
        }
    }

    /// The table's chip, if it is simulated.
    pub(super) const fn chip(&self) -> Option<&Chip> {
        match self {
            Self::Bridged(sim) => Some(sim.chip()),
            Self::Wired(harness) => match &harness.pair {
                Some(pair) => Some(&pair.table),
                None => None,
            },
        }
    }

    /// Checks that the program at the other pins still runs.
    ///
    /// # Errors
    /// [`RigFault`] where its program has ended.
    pub(super) fn look(&mut self) -> Result<(), RigFault> {
        match self {
            Self::Bridged(_) => Ok(()),
            Self::Wired(harness) => harness.link.look(),
        }
    }
}
