//! The effective values: what the files say, and the defaults where they say nothing.

use super::circuit;
use super::hazard;
use super::pin::Pin;
use super::problem::Wrong;
use super::wires::Wires;
use super::{Bus, Config, Console, Hardware, Journal, Log, LogFormat, Mqtt, Network, Panel};
use crate::relay::SYSTEM_AUTHORITIES;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::path::PathBuf;
use tumbler_core::settings::{House, Parameters, Settings};

/// All sections as in the files. What it serialises to is printed by `--check-config` and hashed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Effective {
    table: Table,
    hardware: Wires,
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    lines: BTreeMap<String, Pin>,
    bus: BusSection,
    #[serde(default)]
    journal: Dirs,
    #[serde(default)]
    mqtt: Broker,
    #[serde(default)]
    console: People,
    #[serde(default)]
    panel: PanelSection,
    #[serde(default)]
    network: Seam,
    #[serde(default)]
    log: LogSection,
    #[serde(default, skip_serializing_if = "House::says_nothing")]
    house: House,
    #[serde(default)]
    parameters: Parameters,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Table {
    site: String,
    table: String,
    rules: String,
    layout: String,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct BusSection {
    port: PathBuf,
    #[serde(default = "baud")]
    baud: u32,
    #[serde(default = "turnaround")]
    turnaround_ms: u32,
    #[serde(default = "timeout")]
    timeout_ms: u32,
}

/// The figures are for this rate.
fn baud() -> u32 {
    115_200
}
/// Boards answer within a few milliseconds; `daemon/docs` asks for 10.
fn turnaround() -> u32 {
    hazard::TURNAROUND
}
/// Several turnarounds, so that a USB adapter's latency timer (16 ms) is no timeout.
fn timeout() -> u32 {
    50
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct Dirs {
    state_dir: PathBuf,
    run_dir: PathBuf,
}

impl Default for Dirs {
    fn default() -> Self {
        Self { state_dir: "/var/lib/tumblerd".into(), run_dir: "/run/tumblerd".into() }
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct Broker {
    enabled: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    url: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    client_id: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    username: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    password_file: Option<PathBuf>,
    password_in_clear: bool,
    keep_alive_s: u16,
    #[serde(skip_serializing_if = "Option::is_none")]
    ca_file: Option<PathBuf>,
    #[serde(skip_serializing_if = "Option::is_none")]
    cert_file: Option<PathBuf>,
    #[serde(skip_serializing_if = "Option::is_none")]
    key_file: Option<PathBuf>,
}

impl Default for Broker {
    fn default() -> Self {
        // A broker that is gone is noticed after twice the keep-alive.
        let keep_alive_s = 10;
        Self {
            enabled: false,
            url: None,
            client_id: None,
            username: None,
            password_file: None,
            password_in_clear: false,
            keep_alive_s,
            ca_file: None,
            cert_file: None,
            key_file: None,
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct People {
    socket: PathBuf,
    supervisor_group: String,
    manager_group: String,
    technician_group: String,
    supervisor_uids: Vec<u32>,
    manager_uids: Vec<u32>,
    technician_uids: Vec<u32>,
}

impl Default for People {
    fn default() -> Self {
        Self {
            socket: "/run/tumblerd/console.sock".into(),
            supervisor_group: hazard::SUPERVISORS.into(),
            manager_group: hazard::MANAGERS.into(),
            technician_group: hazard::TECHNICIANS.into(),
            supervisor_uids: Vec::new(),
            manager_uids: Vec::new(),
            technician_uids: Vec::new(),
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct PanelSection {
    enabled: bool,
    listen: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    host: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    accounts_file: Option<PathBuf>,
}

impl Default for PanelSection {
    fn default() -> Self {
        // Nobody but people at this machine, until somebody decides otherwise.
        Self { enabled: false, listen: "127.0.0.1:8080".into(), host: None, accounts_file: None }
    }
}

impl PanelSection {
    fn resolve(&self, wrong: &mut Vec<Wrong>) -> Option<Panel> {
        if let Some(host) = self.host.as_deref().filter(|host| !host.chars().all(is_of_a_host)) {
            let allowed =
                "allowed is a name as in a browser's address, such as table1.pit.example, without http:// and port";
            wrong.push(("panel.host".into(), format!("\"{host}\" is no name of a host"), allowed.into()));
        }
        match self.listen.parse::<SocketAddr>() {
            Ok(listen) if listen.port() == 0 => {
                let problem = "port 0 is another one at each start".to_owned();
                wrong.push(("panel.listen".into(), problem, "name the port, such as 8080".into()));
                None
            }
            Ok(listen) => {
                let (host, accounts_file) = (self.host.clone(), self.accounts_file.clone());
                self.enabled.then_some(Panel { listen, host, accounts_file })
            }
            Err(_) => {
                let allowed = "allowed is ADDRESS:PORT, such as 127.0.0.1:8080, [::1]:8080 or 0.0.0.0:8080";
                wrong.push((
                    "panel.listen".into(),
                    format!("\"{}\" is no address and port", self.listen),
                    allowed.into(),
                ));
                None
            }
        }
    }
}

const fn is_of_a_host(character: char) -> bool {
    character.is_ascii_alphanumeric() || matches!(character, '.' | '-' | '_')
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct Seam {
    user: String,
    socket: PathBuf,
    run_dir: PathBuf,
}

impl Default for Seam {
    fn default() -> Self {
        Self {
            user: hazard::NETWORK.into(),
            socket: "/run/tumblerd/net.sock".into(),
            run_dir: "/run/tumblerd-net".into(),
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct LogSection {
    format: String,
    level: String,
}

impl Default for LogSection {
    fn default() -> Self {
        Self { format: "text".into(), level: "info".into() }
    }
}

impl Effective {
    /// What the core is to be given.
    pub(super) fn settings(&self) -> Settings {
        Settings {
            site: self.table.site.clone(),
            table: self.table.table.clone(),
            backend: self.hardware.backend.clone(),
            rules: self.table.rules.clone(),
            layout: self.table.layout.clone(),
            reader: self.hardware.reader,
            temperature: self.hardware.temperature != "none",
            house: self.house.clone(),
            parameters: self.parameters,
        }
    }

    /// The configuration, if the keys agree with each other.
    pub(super) fn resolve(mut self) -> Result<Config, Vec<Wrong>> {
        let mut wrong = Vec::new();
        let hardware = self.hardware.resolve(&mut self.lines, &mut wrong);
        hazard::directories(&self.journal.state_dir, &self.journal.run_dir, &self.network.run_dir, &mut wrong);
        let thermometer = self.hardware.thermometer(&mut wrong);
        let mqtt = self.mqtt.resolve(&self.table, &mut wrong);
        let panel = self.panel.resolve(&mut wrong);
        let settings = self.settings();
        let (bus, dirs, people) = (&self.bus, &self.journal, &self.console);
        let console = Console {
            socket: people.socket.clone(),
            supervisor_group: people.supervisor_group.clone(),
            manager_group: people.manager_group.clone(),
            technician_group: people.technician_group.clone(),
            supervisor_uids: people.supervisor_uids.clone(),
            manager_uids: people.manager_uids.clone(),
            technician_uids: people.technician_uids.clone(),
        };
        hazard::socket("console.socket", &console.socket, hazard::LISTENED, &mut wrong);
        hazard::socket("network.socket", &self.network.socket, hazard::LISTENED, &mut wrong);
        hazard::roles(&console, &mut wrong);
        hazard::people(&console, &self.network.user, &mut wrong);
        hazard::bus(bus.turnaround_ms, bus.timeout_ms, settings.parameters.unit_lost, &mut wrong);
        hazard::devices(&bus.port, thermometer.as_ref(), &mut wrong);
        let mut sockets = vec![("console.socket", &console.socket), ("network.socket", &self.network.socket)];
        match &hardware {
            Some(Hardware::Virtual { socket, .. }) => {
                hazard::socket("hardware.socket", socket, hazard::SOCKET, &mut wrong);
                sockets.push(("hardware.socket", socket));
            }
            Some(real) => circuit::check(real, thermometer.as_ref(), &mut wrong),
            None => {}
        }
        hazard::one_socket_each(&sockets, &mut wrong);
        if let Some(mqtt) = &mqtt {
            hazard::broker(mqtt, self.mqtt.password_in_clear, &mut wrong);
        }
        if let Some(accounts) = panel.as_ref().and_then(|panel| panel.accounts_file.as_deref()) {
            hazard::accounts(accounts, &mut wrong);
        }
        let (Some(hardware), true) = (hardware, wrong.is_empty()) else { return Err(wrong) };
        Ok(Config {
            settings,
            hardware,
            thermometer,
            bus: Bus {
                port: bus.port.clone(),
                baud: bus.baud,
                turnaround_ms: bus.turnaround_ms,
                timeout_ms: bus.timeout_ms,
            },
            journal: Journal { state_dir: dirs.state_dir.clone(), run_dir: dirs.run_dir.clone() },
            mqtt,
            console,
            panel,
            network: Network {
                user: self.network.user.clone(),
                socket: self.network.socket.clone(),
                run_dir: self.network.run_dir.clone(),
            },
            log: Log {
                format: if self.log.format == "json" { LogFormat::Json } else { LogFormat::Text },
                level: self.log.level.clone(),
            },
            effective: self,
        })
    }
}

impl Broker {
    fn resolve(&self, table: &Table, wrong: &mut Vec<Wrong>) -> Option<Mqtt> {
        if self.password_file.is_some() && self.username.is_none() {
            let allowed = "a password goes with a name; set mqtt.username, or leave mqtt.password_file out";
            wrong.push(("mqtt.username".into(), "the key is missing".into(), allowed.into()));
        }
        if !self.enabled {
            return None;
        }
        let allowed = "allowed is mqtt://HOST[:PORT] or mqtts://HOST[:PORT]";
        let Some(url) = &self.url else {
            wrong.push(("mqtt.url".into(), "the key is missing".into(), format!("mqtt.enabled needs it; {allowed}")));
            return None;
        };
        let Some((tls, host, port)) = broker_address(url) else {
            wrong.push(("mqtt.url".into(), format!("\"{url}\" is not the address of a broker"), allowed.into()));
            return None;
        };
        for (key, file) in [("ca_file", &self.ca_file), ("cert_file", &self.cert_file), ("key_file", &self.key_file)] {
            if !tls && file.is_some() {
                let allowed = "take mqtts://, or leave it out";
                wrong.push((format!("mqtt.{key}"), "mqtt:// has no use for it".into(), allowed.into()));
            }
        }
        let client = match (self.cert_file.clone(), self.key_file.clone()) {
            (Some(certificate), Some(key)) => Some((certificate, key)),
            (None, None) => None,
            (there, _) => {
                let missing = if there.is_some() { "mqtt.key_file" } else { "mqtt.cert_file" };
                let allowed = "a client's certificate and its key go together; set both, or leave both out";
                wrong.push((missing.into(), "the key is missing".into(), allowed.into()));
                None
            }
        };
        if tls && host.contains(':') {
            let allowed = "take the name that stands in its certificate";
            wrong.push(("mqtt.url".into(), "TLS needs the broker's name, not its IPv6 address".into(), allowed.into()));
        }
        let client_id = self.client_id.clone();
        Some(Mqtt {
            host,
            port,
            tls,
            ca_file: self.ca_file.clone().or_else(|| tls.then(|| PathBuf::from(SYSTEM_AUTHORITIES))),
            client,
            client_id: client_id.unwrap_or_else(|| format!("tumblerd-{}-{}", table.site, table.table)),
            username: self.username.clone(),
            password_file: self.password_file.clone(),
            keep_alive_s: self.keep_alive_s,
        })
    }
}

/// TLS or not, host and port of a broker's address: `mqtt://HOST[:PORT]` or `mqtts://HOST[:PORT]`.
#[must_use]
pub fn broker_address(url: &str) -> Option<(bool, String, u16)> {
    let (tls, rest) = match (url.strip_prefix("mqtt://"), url.strip_prefix("mqtts://")) {
        (Some(rest), _) => (false, rest),
        (_, Some(rest)) => (true, rest),
        _ => return None,
    };
    let rest = rest.strip_suffix('/').unwrap_or(rest);
    // An IPv6 address stands in brackets.
    let (host, port) = if let Some(rest) = rest.strip_prefix('[') {
        let (host, port) = rest.split_once(']')?;
        (host, port.strip_prefix(':').or_else(|| port.is_empty().then_some(""))?)
    } else {
        rest.split_once(':').unwrap_or((rest, ""))
    };
    let port = match (port, tls) {
        ("", false) => 1883,
        ("", true) => 8883,
        (port, _) => port.parse().ok().filter(|port| *port > 0)?,
    };
    let odd = |c: char| c.is_whitespace() || c.is_control() || "/@?#[]".contains(c);
    (!host.is_empty() && !host.contains(odd)).then(|| (tls, host.to_owned(), port))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn broker_addresses() {
        for (url, expected) in [
            ("mqtt://localhost", Some((false, "localhost", 1883))),
            ("mqtt://10.0.0.1:1884/", Some((false, "10.0.0.1", 1884))),
            ("mqtts://pit.house.example", Some((true, "pit.house.example", 8883))),
            ("mqtts://[fd00::1]:8884", Some((true, "fd00::1", 8884))),
            ("mqtt://[fd00::1]", Some((false, "fd00::1", 1883))),
            ("http://localhost", None),
            ("localhost:1883", None),
            ("mqtt://", None),
            ("mqtt://host:0", None),
            ("mqtt://host:70000", None),
            ("mqtt://user:secret@host", None),
            ("mqtt://host/path", None),
            ("mqtt://[fd00::1", None),
            ("mqtt://ho st", None),
        ] {
            assert_eq!(broker_address(url), expected.map(|(tls, host, port)| (tls, host.to_owned(), port)), "{url}");
        }
    }
}
