//! The connection to the rig's end of the harness: `tumbler-hil wires`, here or on another machine, over a socket.
//!
//! JSON lines. The bench first sends the wiring, then the messages of the virtual wire (`daemon/docs/virtual-wire.md`); the rig's end
//! answers with [`FromWires`].

use super::wiring::Wiring;
use crate::process::child::Child;
use crate::process::rig_fault::RigFault;
use serde::{Deserialize, Serialize};
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::process::Command;
use tumbler_core::line::{InLine, OutLine};

/// The subcommand that serves the rig's pins.
pub const WIRES: &str = "wires";

/// A message of the rig's end.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum FromWires {
    /// The table drives an output.
    Edge {
        /// Which.
        line: OutLine,
        /// Active.
        active: bool,
        /// The rig's last edge at a table input, and how long before this edge it was, by the clock of the rig's machine.
        after: Option<Since>,
    },
    /// The contact of the dead-man relay.
    Relay {
        /// Closed.
        closed: bool,
        /// Since the last edge of the dead-man line, in nanoseconds.
        after_ns: Option<u64>,
    },
    /// The kernel's buffer on the rig's machine overflowed, and edges were lost.
    Lost {
        /// How many.
        edges: u32,
    },
}

/// Time from an edge at a table input to an edge of an output.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Since {
    /// The input.
    pub line: InLine,
    /// It was driven active.
    pub active: bool,
    /// In nanoseconds, from just before the rig drove it to the kernel's timestamp of the output's edge.
    pub ns: u64,
}

/// The program at the rig's pins. It releases them when this is dropped.
#[derive(Debug)]
pub(in crate::process) struct Link {
    child: Child,
}

impl Link {
    /// Starts the program with this stream as its standard input and output.
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

    /// An error if the program has ended.
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
