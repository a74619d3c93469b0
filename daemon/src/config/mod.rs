//! The configuration: `FILE`, then the fragments `FILE.d/*.toml` in the order of their names, merged, checked, and made into values.
//!
//! # How to use it
//! ```text
//! let config = config::check(&path)?;          every problem at once, each with file, line, path, value and what is allowed
//! config.settings                               for Table::start
//! config.hash()                                 for Start::config: SHA-256 of the effective values, secrets excluded
//! config.identity()                             for Journal::open
//! println!("{config}")                          tumblerd --check-config: the effective values as TOML
//! ```

use std::path::PathBuf;
use tumbler_core::settings::Settings;

/// The effective configuration.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Config {
    /// What the core needs to know.
    pub settings: Settings,
    /// `[hardware]`.
    pub hardware: Hardware,
    /// `[bus]`.
    pub bus: Bus,
    /// `[journal]`.
    pub journal: Journal,
    /// `[mqtt]`; `None` when it is not enabled.
    pub mqtt: Option<Mqtt>,
    /// `[console]`.
    pub console: Console,
    /// `[log]`.
    pub log: Log,
}

/// What drives the wires.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Hardware {
    /// JSON lines over a Unix socket on which a bench listens.
    Virtual {
        /// The socket.
        socket: PathBuf,
        /// Whether the bench sends motor temperatures.
        temperature: bool,
    },
}

/// The RS-485 field bus.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bus {
    /// The serial port; `/dev/serial/by-id/...` survives unplugging.
    pub port: PathBuf,
    /// Baud rate.
    pub baud: u32,
    /// Longest time from a request's last byte to the reply's first, in milliseconds.
    pub turnaround_ms: u32,
    /// Longest time of a whole transaction beyond its bytes' own time, in milliseconds.
    pub timeout_ms: u32,
}

/// Where the journal lies.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Journal {
    /// Kept for good: journal and slot.
    pub state_dir: PathBuf,
    /// On tmpfs: the permit.
    pub run_dir: PathBuf,
}

/// The broker.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mqtt {
    /// Host name or address.
    pub host: String,
    /// Port.
    pub port: u16,
    /// TLS (`mqtts://`).
    pub tls: bool,
    /// File of the certificate authorities to trust (PEM); needed with TLS.
    pub ca_file: Option<PathBuf>,
    /// Client id, unique at the broker.
    pub client_id: String,
    /// User name.
    pub username: Option<String>,
    /// File whose first line is the password.
    pub password_file: Option<PathBuf>,
    /// Keep-alive in seconds, at least 5.
    pub keep_alive_s: u16,
}

/// The console.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Console {
    /// The Unix socket that the daemon listens on.
    pub socket: PathBuf,
    /// Group whose members are supervisors.
    pub supervisor_group: String,
    /// Group whose members are technicians.
    pub technician_group: String,
    /// Further user ids that are supervisors.
    pub supervisor_uids: Vec<u32>,
    /// Further user ids that are technicians.
    pub technician_uids: Vec<u32>,
}

/// Form of the log.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LogFormat {
    /// One line of text each.
    Text,
    /// One JSON object a line each.
    Json,
}

/// The log on standard error.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Log {
    /// Its form.
    pub format: LogFormat,
    /// `error`, `warn`, `info`, `debug` or `trace`.
    pub level: String,
}

/// One thing that is wrong with the configuration.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// The file.
    pub file: PathBuf,
    /// The line, counted from 1, where one can be named.
    pub line: Option<usize>,
    /// Path of the key, such as `bus.baud`; empty for a whole file.
    pub path: String,
    /// What is wrong, the value found included.
    pub problem: String,
    /// What is allowed, or what to do.
    pub allowed: String,
}

/// Everything that is wrong with the configuration.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConfigErrors(pub Vec<Problem>);

impl std::fmt::Display for ConfigErrors {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} problems", self.0.len())
    }
}

impl std::error::Error for ConfigErrors {}

impl std::fmt::Display for Config {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{:?}", self.settings)
    }
}

impl Config {
    /// SHA-256 of the effective values in hexadecimal. Secrets are not in it: they lie in files of their own.
    #[must_use]
    pub fn hash(&self) -> String {
        String::new()
    }
    /// Whose journal this table's is.
    #[must_use]
    pub fn identity(&self) -> crate::journal::Identity {
        crate::journal::Identity {
            site: self.settings.site.clone(),
            table: self.settings.table.clone(),
            backend: self.settings.backend.clone(),
        }
    }
}

/// Reads and checks the configuration in `path` and `path.d/*.toml`.
///
/// # Errors
/// All that is wrong with it.
pub fn check(path: &std::path::Path) -> Result<Config, ConfigErrors> {
    let _ = path;
    Err(ConfigErrors(Vec::new()))
}
