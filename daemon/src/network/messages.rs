//! What crosses the seam.

use serde::{Deserialize, Serialize};
use tumbler_core::hardware_test::HardwareTest;
use tumbler_core::wire::console::{Command, Witness};

/// Room on the journal's disk.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Disk {
    /// All of it, in bytes.
    pub bytes: u64,
    /// What may still be written, in bytes.
    pub free: u64,
}

/// What somebody who is logged in at the panel may ask of the table: a technician's commands. A supervisor's have no form here.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_supervisors_command_has_a_form() {
        assert!(serde_json::from_str::<TechnicianCommand>(r#"{"maintenance":{"on":true}}"#).is_ok());
        for command in [
            r#"{"open":{"name":"Mei"}}"#,
            r#"{"command":"open","with":{"name":"Mei"}}"#,
            r#"{"maintenance":{"on":true,"name":"Mei"}}"#,
        ] {
            assert!(serde_json::from_str::<TechnicianCommand>(command).is_err(), "{command}");
        }
    }
}
