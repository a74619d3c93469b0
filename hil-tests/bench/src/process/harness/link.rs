//! The way to the rig's end of the harness: `tumbler-hil wires`, here or on another machine, at a socket.
//!
//! JSON lines. The bench says first how the rig's pins are wired, then what the virtual wire says
//! (`daemon/docs/virtual-wire.md`); it is told in [`FromWires`].

use super::wiring::Wiring;
use crate::process::child::Child;
use crate::process::rig_fault::RigFault;
use serde::{Deserialize, Serialize};
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::process::Command;
use tumbler_core::line::{InLine, OutLine};

/// The command of the program that stands at the rig's pins.
pub const WIRES: &str = "wires";

/// What the rig's end tells.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum FromWires {
    /// The table drives an output.
    Edge {
        /// Which.
        line: OutLine,
        /// Active.
        active: bool,
        /// What the rig did to the table last, and how long before this edge, by the clock of the rig's machine.
        after: Option<Since>,
    },
    /// The contact of the dead-man relay.
    Relay {
        /// Closed.
        closed: bool,
        /// Since the last edge of the dead-man line, in nanoseconds.
        after_ns: Option<u64>,
    },
    /// The kernel of the rig's machine had no room for so many edges of a line: what was told is not all that was.
    Lost {
        /// How many.
        edges: u32,
    },
}

/// From an edge at the table's input to this one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Since {
    /// The input.
    pub line: InLine,
    /// It was driven active.
    pub active: bool,
    /// In nanoseconds: from before the rig drove it to the kernel's stamp of the edge.
    pub ns: u64,
}

/// The program at the rig's pins. It lets go of them when this is dropped.
#[derive(Debug)]
pub(in crate::process) struct Link {
    child: Child,
}

impl Link {
    /// Has the program speak over this stream.
    ///
    /// # Errors
    /// [`RigFault`] when it cannot be started.
    pub(in crate::process) fn over(stream: UnixStream, wiring: &Wiring, log: &Path) -> Result<Self, RigFault> {
        let mut command = match wiring.reach.split_first() {
            Some((program, arguments)) => {
                let mut command = Command::new(program);
                command.args(arguments);
                command
            }
            None => Command::new(std::env::current_exe().map_err(RigFault::system("find the rig's own program"))?),
        };
        command.arg(WIRES);
        let remedy = "reach in the bench's [wiring] is the command that is tumbler-hil on the rig's machine";
        Ok(Self { child: Child::spawn_speaking(command, stream, "the rig's wires", log, remedy)? })
    }

    /// That it ended, if it did.
    ///
    /// # Errors
    /// [`RigFault`] when it did, with how.
    pub(in crate::process) fn look(&mut self) -> Result<(), RigFault> {
        match self.child.ended()? {
            Some(status) => Err(RigFault::Other(format!("the program at the rig's pins ended with {status}"))),
            None => Ok(()),
        }
    }
}

/// The first line that the bench sends.
///
/// # Errors
/// [`RigFault`] where it does not become JSON.
pub(in crate::process) fn preface(wiring: &Wiring) -> Result<String, RigFault> {
    serde_json::to_string(wiring).map_err(|error| RigFault::Other(format!("the wiring: {error}")))
}
