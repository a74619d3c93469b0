//! What the daemon's wires are: the virtual wire's socket, a chip that the kernel simulates, or the harness to a second machine.

use super::gpio_sim::{Chip, GpioSim};
use super::harness::chip_pair::Copper;
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

/// What the daemon's wires are.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Wires {
    /// The virtual wire's socket.
    #[default]
    Socket,
    /// A chip that the kernel simulates, with a bridge to the socket.
    Bridge,
    /// Such a chip with copper to another one, at which the program of the second Pi stands.
    Copper,
    /// A true chip's pins, with a harness to those of a second Pi.
    Harness(Arc<Wiring>),
}

impl Wires {
    /// The daemon's serial port.
    pub(super) fn bus(&self, dir: &WorkDir) -> PathBuf {
        self.ends().map_or_else(|| dir.bus(), |ends| ends.table.clone())
    }

    /// The rig's end of that line.
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
pub(super) enum Board {
    /// A simulated chip, bridged.
    Bridged(GpioSim),
    /// The harness to a second machine.
    Wired(Box<Harness>),
}

/// The harness to a second machine.
#[derive(Debug)]
pub(super) struct Harness {
    link: Link,
    /// Where no second machine is, but a second chip.
    copper: Option<Copper>,
}

impl Board {
    /// The pins of a table in this directory, where its wires have some. The socket is told who will connect to it.
    pub(super) fn build(wires: &Wires, dir: &WorkDir, socket: &mut WireSocket) -> Result<Option<Self>, RigFault> {
        let mut wired = |wiring: &Wiring, copper| {
            socket.expect(Peer::Wires(preface(wiring)?));
            let path = dir.wire();
            let stream = UnixStream::connect(&path).map_err(RigFault::file("connect to", &path))?;
            let link = Link::over(stream, wiring, &dir.log())?;
            Ok(Some(Self::Wired(Box::new(Harness { link, copper }))))
        };
        match wires {
            Wires::Socket => Ok(None),
            Wires::Bridge => Ok(Some(Self::Bridged(GpioSim::make(&dir.chip(), &dir.wire())?))),
            Wires::Copper => {
                let copper = Copper::lay(&dir.chip())?;
                let wiring = copper.wiring.clone();
                wired(&wiring, Some(copper))
            }
            Wires::Harness(wiring) => wired(wiring, None),
        }
    }

    /// The table's chip, where it is simulated.
    pub(super) const fn chip(&self) -> Option<&Chip> {
        match self {
            Self::Bridged(sim) => Some(sim.chip()),
            Self::Wired(harness) => match &harness.copper {
                Some(copper) => Some(&copper.table),
                None => None,
            },
        }
    }

    /// That it is there.
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
