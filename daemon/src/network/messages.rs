//! What crosses the seam, and how much of it. One JSON value a line, in both directions; nothing unknown is taken.

use crate::run::trace::Observation;
use serde::{Deserialize, Serialize};
use std::time::Duration;
use tumbler_core::effect::KeyTold;
use tumbler_core::hardware_test::HardwareTest;
use tumbler_core::snapshot::Snapshot;
use tumbler_core::units::Seq;
use tumbler_core::wire::ask::MAX_ANSWER;
use tumbler_core::wire::console::{Answer, Command, Witness};
use tumbler_core::wire::topics::EventMessage;
use tumbler_core::wire::wires::Wires;

/// Number of these messages' form: both processes must have the same.
pub const FORMAT: u32 = 1;
/// Longest line from the network's process, in bytes: names and what stands between table and broker are short.
pub const LONGEST_ASKED: usize = 16 * 1024;
/// Longest line to it, in bytes: a page of records, and one record more, however long it is.
pub const LONGEST_TOLD: usize = MAX_ANSWER + PAGE_BYTES;
/// Most records on a page.
pub const PAGE: usize = 256;
/// A page that has so many bytes takes no further record.
pub const PAGE_BYTES: usize = 256 * 1024;
/// Both sides say so often that they are there.
pub const BEAT: Duration = Duration::from_secs(2);
/// Longest time without a word from the other side: it hangs, or its machine does.
pub const SILENCE: Duration = Duration::from_secs(10);

/// What the control process tells first.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Hello {
    /// [`FORMAT`].
    pub format: u32,
    /// Version of the daemon.
    pub build: String,
    /// The kernel's boot id.
    pub boot: String,
    /// Site.
    pub site: String,
    /// Table.
    pub table: String,
    /// Hardware backend.
    pub backend: String,
    /// Last record that the broker acknowledged with all before it.
    pub relayed: Seq,
    /// Last durable record.
    pub durable: Seq,
    /// The table as it is.
    pub snapshot: Box<Snapshot>,
}

/// What the control process tells.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub enum Told {
    /// First of all.
    Hello(Hello),
    /// The table as it is now.
    Snapshot(Box<Snapshot>),
    /// Last durable record.
    Durable(Seq),
    /// A key, as far as it may be told.
    Key(KeyTold),
    /// What the control loop saw.
    Seen {
        /// In order.
        seen: Vec<Observation>,
        /// How many more were lost before them.
        lost: u64,
    },
    /// Every wire and every register as it is.
    Wires(Box<Wires>),
    /// It is there.
    Alive {
        /// The journal's disk, where it can be looked at.
        disk: Option<Disk>,
    },
    /// Records that were asked for; none where there are no more.
    Records {
        /// Number of the question.
        id: u64,
        /// They, or why they cannot be read.
        page: Result<Page, String>,
    },
    /// The table's answer to a command.
    Answer {
        /// Number of the command.
        id: u64,
        /// It, or why there is none.
        answer: Result<Answer, String>,
    },
    /// The daemon stops: what is left may be told, then the other side hangs up.
    Stop,
    /// Something was not in order, and the connection ends.
    Refused(String),
}

/// Records, oldest first.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Page {
    /// They.
    pub records: Vec<EventMessage>,
    /// Fewer than were asked for, because they are long.
    pub is_cut: bool,
}

/// Room on the journal's disk.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Disk {
    /// All of it, in bytes.
    pub bytes: u64,
    /// What may still be written, in bytes.
    pub free: u64,
}

/// What the network's process asks and hands in. There is nothing else that it could.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub enum Asked {
    /// It is there.
    Alive,
    /// Durable records.
    Records {
        /// Number of the question.
        id: u64,
        /// Only those after this one.
        after: Seq,
        /// How many at most; more than [`PAGE`] are never told at once.
        limit: u32,
    },
    /// A technician's command from the panel.
    Command {
        /// Number of the command.
        id: u64,
        /// The account that is logged in.
        by: String,
        /// The command.
        command: TechnicianCommand,
    },
    /// The broker has this record and all before it.
    Acknowledged(Seq),
    /// How the relay fares.
    Relay(RelayTold),
}

/// What somebody who is logged in at the panel may ask of the table: a technician's commands, none of a supervisor's.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub enum TechnicianCommand {
    /// Enter or leave maintenance.
    Maintenance {
        /// Enter (`true`) or leave.
        on: bool,
    },
    /// Run a hardware test.
    HardwareTest {
        /// Which.
        test: HardwareTest,
    },
    /// Say what only a person can see.
    Witness {
        /// What was looked at.
        item: Witness,
        /// Whether it was right.
        right: bool,
    },
}

impl TechnicianCommand {
    /// The console's command in this name.
    #[must_use]
    pub fn under(self, name: String) -> Command {
        match self {
            Self::Maintenance { on } => Command::Maintenance { on, name },
            Self::HardwareTest { test } => Command::HardwareTest { test, name },
            Self::Witness { item, right } => Command::Witness { item, right, name },
        }
    }
}

/// How the relay fares: what only it can know.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RelayTold {
    /// Whether the broker answers now.
    pub connected: bool,
    /// Key presses that were never told.
    pub keys_dropped: u64,
    /// What stood in the way last, and what to do.
    pub trouble: Option<String>,
    /// Topics that the broker refuses, each with the reason.
    pub refused: Vec<String>,
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Whatever the network's process says, it can be no supervisor's command.
    #[test]
    fn no_supervisors_command_has_a_form() {
        let taken = r#"{"command":{"id":1,"by":"jo","command":{"maintenance":{"on":true}}}}"#;
        assert!(serde_json::from_str::<Asked>(taken).is_ok());
        for line in [
            r#"{"command":{"id":1,"by":"jo","command":{"open":{"name":"Mei"}}}}"#,
            r#"{"command":{"id":1,"by":"jo","command":{"command":"open","with":{"name":"Mei"}}}}"#,
            r#"{"command":{"id":1,"by":"jo","command":{"maintenance":{"on":true,"name":"Mei"}}}}"#,
            r#"{"command":{"id":1,"by":"jo","supervisor":true,"command":{"maintenance":{"on":true}}}}"#,
            r#"{"console":{"request":1}}"#,
            r#"{"relay":{"connected":true,"keys_dropped":0,"trouble":null,"refused":[],"acknowledged":9}}"#,
        ] {
            assert!(serde_json::from_str::<Asked>(line).is_err(), "{line}");
        }
    }
}
