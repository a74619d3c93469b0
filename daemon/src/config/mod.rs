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

mod circuit;
pub mod devices;
mod effective;
mod hazard;
mod keys;
mod pin;
pub mod policy;
mod problem;
mod speed;
mod tree;
mod wires;

pub use effective::broker_address;
pub use pin::{Bias, HEADER_CHIPS, Pin, Pins, Place};
pub use problem::{ConfigErrors, Problem, meant, nearest};
pub use speed::Speed;

use crate::hardware::thermometer;
use effective::Effective;
use sha2::{Digest, Sha256};
use std::collections::BTreeSet;
use std::fmt;
use std::path::{Path, PathBuf};
use tree::{Leaf, Tree};
use tumbler_core::settings::Settings;

/// The effective configuration.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Config {
    /// What the core needs to know.
    pub settings: Settings,
    /// `[hardware]`.
    pub hardware: Hardware,
    /// The motor's temperature sensor, where it is at an I2C bus.
    pub thermometer: Option<thermometer::Settings>,
    /// `[bus]`.
    pub bus: Bus,
    /// `[journal]`.
    pub journal: Journal,
    /// `[mqtt]`; `None` when it is not enabled.
    pub mqtt: Option<Mqtt>,
    /// `[console]`.
    pub console: Console,
    /// `[panel]`; `None` when it is not enabled.
    pub panel: Option<Panel>,
    /// `[network]`.
    pub network: Network,
    /// `[log]`.
    pub log: Log,
    /// All of it as in the files.
    effective: Effective,
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
    /// Lines of a GPIO chip, through the kernel's character device.
    Cdev {
        /// The chip's label, as `gpiodetect` shows it in brackets.
        chip: String,
        /// Where the lines are.
        pins: Box<Pins>,
    },
    /// A Raspberry Pi's own lines, its outputs through registers.
    Rppal {
        /// Where the lines are.
        pins: Box<Pins>,
        /// The motor's speed, where a PWM sets it.
        speed: Option<Speed>,
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
    /// File of the certificate authorities to trust (PEM); with TLS those that the system trusts, unless configured.
    pub ca_file: Option<PathBuf>,
    /// This client's certificate and key (PEM), where the broker asks for them.
    pub client: Option<(PathBuf, PathBuf)>,
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
    /// Group whose members are shift managers or above: they decide what Singapore's rules leave open (5.14).
    pub manager_group: String,
    /// Group whose members are technicians.
    pub technician_group: String,
    /// Further user ids that are supervisors.
    pub supervisor_uids: Vec<u32>,
    /// Further user ids that are shift managers or above.
    pub manager_uids: Vec<u32>,
    /// Further user ids that are technicians.
    pub technician_uids: Vec<u32>,
}

/// The panel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Panel {
    /// The address that it listens at.
    pub listen: std::net::SocketAddr,
    /// A name under which browsers may ask for it, besides addresses and this machine's own name.
    pub host: Option<String>,
    /// The technicians' accounts; without them nobody can log in.
    pub accounts_file: Option<PathBuf>,
}

/// The process that speaks to the network.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Network {
    /// The account under which it runs: a name, or a user id in digits.
    pub user: String,
    /// The Unix socket on which it calls the process that drives the table.
    pub socket: PathBuf,
    /// On tmpfs: which logins failed.
    pub run_dir: PathBuf,
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

impl fmt::Display for Config {
    /// The effective values as TOML.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = toml::to_string(&self.effective).map_err(|_| fmt::Error)?;
        f.write_str(text.trim_end())
    }
}

impl Config {
    /// SHA-256 of the effective values in hexadecimal: of their JSON with the keys in alphabetical order and no spaces.
    /// No secret is in it: secrets lie in files of their own.
    #[must_use]
    pub fn hash(&self) -> String {
        let canonical = serde_json::to_value(&self.effective).map(|value| value.to_string()).unwrap_or_default();
        hex::encode(Sha256::digest(canonical))
    }

    /// What is allowed and has to be known: roles that nobody was given by name, what root is given, and what does not last. On a
    /// bench only what is right on none.
    #[must_use]
    pub fn notes(&self) -> Vec<String> {
        let is_bench = matches!(self.hardware, Hardware::Virtual { .. });
        let mut notes = hazard::places(&self.journal, &self.network, &self.console.socket, is_bench);
        notes.extend(hazard::notes(&self.console, is_bench));
        notes.extend(hazard::outside(&self.network, self.panel.as_ref(), &self.bus.port, is_bench));
        notes
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
pub fn check(path: &Path) -> Result<Config, ConfigErrors> {
    let mut problems = Vec::new();
    let mut tree = Tree::new();
    for file in tree::files(path, &mut problems) {
        hazard::writable_by_others(&file, &mut problems);
        tree::read(&file, &mut tree, &mut problems);
    }
    // A file that cannot be read is no reason to list every key that may stand in it.
    if problems.iter().all(|problem| !problem.path.is_empty()) {
        missing(path, &tree, &mut problems);
    }
    if problems.is_empty() {
        match resolve(&tree) {
            Ok(config) => return Ok(config),
            Err(wrong) => {
                for (key, problem, allowed) in wrong {
                    problems.push(at(path, &tree, key, problem, allowed));
                }
            }
        }
    }
    Err(ConfigErrors(problems))
}

/// A problem of this key: where it was set, or else where it should have been.
fn at(path: &Path, tree: &Tree, key: String, problem: String, allowed: String) -> Problem {
    let (section, name) = key.split_once('.').unwrap_or((&key, ""));
    let leaf: Option<&Leaf> = tree.get(&(section.to_owned(), name.to_owned()));
    let file = leaf.map_or(path, |leaf| &leaf.file).to_owned();
    Problem { file, line: leaf.map(|leaf| leaf.line), path: key, problem, allowed }
}

fn missing(path: &Path, tree: &Tree, problems: &mut Vec<Problem>) {
    let required = keys::all().filter(|key| key.required);
    let missing = required.filter(|key| !tree.contains_key(&(key.section.to_owned(), key.name.to_owned())));
    // A key that is there under a misspelt name is reported once.
    let misspelt: BTreeSet<String> = problems
        .iter()
        .filter_map(|problem| problem.problem.split_once("did you mean `"))
        .filter_map(|(_, rest)| rest.split_once('`'))
        .map(|(name, _)| name.to_owned())
        .collect();
    for key in missing.filter(|key| !misspelt.contains(key.name)) {
        let name = format!("{}.{}", key.section, key.name);
        problems.push(at(path, tree, name, "the key is missing".into(), format!("allowed is {}", key.kind)));
    }
}

/// Makes values of a tree whose every key is known and in range.
fn resolve(tree: &Tree) -> Result<Config, Vec<(String, String, String)>> {
    let mut sections = toml::Table::new();
    for ((section, name), leaf) in tree {
        let section = sections.entry(section.clone()).or_insert_with(|| toml::Value::Table(toml::Table::new()));
        if let Some(section) = section.as_table_mut() {
            section.insert(name.clone(), leaf.value.clone());
        }
    }
    let effective: Effective = serde_path_to_error::deserialize(toml::Value::Table(sections)).map_err(|error| {
        // The table of keys lets nothing through that does not fit; should it all the same, the path is named.
        let path = error.path().to_string();
        vec![(path, error.into_inner().message().to_owned(), "see /etc/tumblerd/tumblerd.toml".to_owned())]
    })?;
    let settings = effective.settings();
    let mut wrong: Vec<(String, String, String)> = match settings.check() {
        Ok(_) => Vec::new(),
        Err(bad) => bad.into_iter().map(|bad| (bad.path, bad.problem, format!("allowed is {}", bad.allowed))).collect(),
    };
    match effective.resolve() {
        Ok(config) if wrong.is_empty() => Ok(config),
        Ok(_) => Err(wrong),
        Err(more) => {
            wrong.extend(more);
            Err(wrong)
        }
    }
}
