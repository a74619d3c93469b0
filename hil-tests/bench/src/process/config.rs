//! The daemon configuration that the bench writes.

use super::broker::{ACCOUNT, Broker, PASSWORD};
use super::gpio_sim;
use super::pins::{Pins, Wires};
use super::port::Port;
use super::rig_fault::RigFault;
use super::wire::WireSocket;
use super::workdir::WorkDir;
use crate::injection_check::InjectionCheck;
use crate::{SITE, settings};
use std::collections::BTreeMap;
use std::fs::Permissions;
use std::net::SocketAddr;
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;
use toml::{Table, Value};
use tumbler_core::settings::{Parameters, Settings};

/// Name of this bench's own table.
pub(super) const TABLE: &str = "virtual";

/// Configuration of a table of the virtual bench.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TableSetup {
    /// The table's settings.
    pub settings: Settings,
    /// Level of the daemon's log.
    pub log: String,
    /// The daemon connects to its broker with TLS.
    pub tls: bool,
    /// A site's broker, to which the table's own passes on what the table tells.
    pub upstream: Option<SocketAddr>,
    /// Address of the daemon's panel, if there is one.
    pub panel: Option<SocketAddr>,
    /// File with the accounts of the panel's technicians, if they may log in.
    pub accounts: Option<PathBuf>,
    /// How its pins are connected.
    pub wires: Wires,
}

impl TableSetup {
    /// A table with everything fitted, under this rule set and layout.
    #[must_use]
    pub fn of(rules: &str, layout: &str, reader: bool) -> Self {
        Self {
            // The shortest dwell in which a lamp's current can still be read back.
            settings: Settings { reader, ..settings(TABLE, rules, layout, 10) },
            log: "info".into(),
            tls: false,
            upstream: None,
            panel: None,
            accounts: None,
            wires: Wires::default(),
        }
    }

    /// The same table on these wires. A GPIO chip has no motor temperature.
    #[must_use]
    pub fn on(mut self, wires: Wires) -> Self {
        if wires != Wires::Socket {
            self.settings.backend = "cdev".into();
            self.settings.temperature = false;
        }
        self.wires = wires;
        self
    }

    /// The daemon's client id at the broker.
    pub(super) fn client_id(&self) -> String {
        format!("tumblerd-{SITE}-{}", self.settings.table)
    }

    /// Whether the daemon uses the lines of a GPIO chip.
    #[must_use]
    pub fn has_chip(&self) -> bool {
        self.wires != Wires::Socket
    }

    /// Sets up the daemon's pins for this directory; `None` on the virtual wire.
    pub(super) fn pins(&self, dir: &WorkDir, socket: &mut WireSocket) -> Result<Option<Pins>, RigFault> {
        Pins::build(&self.wires, dir, socket)
    }

    /// The rig's end of the field bus in this directory.
    pub(super) fn port(&self, dir: &WorkDir) -> Result<Port, RigFault> {
        self.wires.port(dir)
    }

    /// The check that keeps the bench from injecting faults into another table.
    pub(super) fn injection_check(&self) -> InjectionCheck {
        let own = InjectionCheck::of(SITE, &self.settings.table);
        if self.has_chip() { own.on_own_chip() } else { own }
    }

    /// Key of the table's template: tables with different setups need different templates. The addresses of broker and panel do not
    /// matter.
    #[must_use]
    pub fn key(&self) -> String {
        format!("{:?}", Self { tls: false, upstream: None, panel: None, accounts: None, ..self.clone() })
    }

    /// Writes the configuration of a daemon in `dir` that reaches its broker at `broker`.
    ///
    /// # Errors
    /// [`RigFault`] when the file cannot be written.
    pub fn write(&self, dir: &WorkDir, broker: SocketAddr) -> Result<(), RigFault> {
        let text = self.text(dir, broker);
        let password = dir.password();
        std::fs::write(&password, PASSWORD).map_err(RigFault::file("write", &password))?;
        let closed = Permissions::from_mode(0o600);
        std::fs::set_permissions(&password, closed).map_err(RigFault::file("close", &password))?;
        let path = dir.config();
        std::fs::write(&path, text).map_err(RigFault::file("write", &path))
    }

    fn text(&self, dir: &WorkDir, broker: SocketAddr) -> String {
        let settings = &self.settings;
        let path = |path: PathBuf| Value::from(path.to_string_lossy().into_owned());
        let uid = i64::from(nix::unistd::Uid::effective().as_raw());
        let table = [
            ("site", Value::from(settings.site.as_str())),
            ("table", settings.table.as_str().into()),
            ("rules", settings.rules.as_str().into()),
            ("layout", settings.layout.as_str().into()),
        ];
        let mut hardware = vec![
            ("backend", Value::from(settings.backend.as_str())),
            ("reader", settings.reader.into()),
            ("temperature", if settings.temperature { "wires" } else { "none" }.into()),
        ];
        let mut lines = Vec::new();
        match &self.wires {
            Wires::Socket => hardware.push(("socket", path(dir.wire()))),
            Wires::Bridge | Wires::ChipPair => {
                hardware.push(("chip", dir.chip().into()));
                lines.extend(gpio_sim::lines().map(|(name, text)| (name, Value::from(text))));
            }
            Wires::Harness(wiring) => {
                hardware.push(("chip", wiring.table_chip.as_str().into()));
                lines.extend(wiring.texts().map(|(name, text)| (name, Value::from(text))));
            }
        }
        let bus = [("port", path(self.wires.bus(dir))), ("baud", 115_200.into())];
        let journal = [("state_dir", path(dir.state())), ("run_dir", path(dir.run()))];
        let scheme = if self.tls { "mqtts" } else { "mqtt" };
        let mut mqtt = vec![
            ("enabled", Value::from(true)),
            ("url", format!("{scheme}://{broker}").into()),
            ("client_id", self.client_id().into()),
            ("username", ACCOUNT.into()),
            ("password_file", path(dir.password())),
            ("keep_alive_s", 5.into()),
        ];
        if self.tls {
            mqtt.push(("ca_file", path(Broker::authority(dir.path()))));
        }
        let account = nix::unistd::User::from_name(super::console::MANAGER).ok().flatten();
        let manager = account.map(|account| account.uid.as_raw().into()).into_iter().collect();
        let console = [
            ("socket", path(dir.console())),
            ("supervisor_uids", Value::Array(vec![uid.into()])),
            ("technician_uids", Value::Array(vec![uid.into()])),
            ("manager_uids", Value::Array(manager)),
            ("technician_group", super::console::TECHNICIANS.into()),
        ];
        let network = [
            ("user", Value::from(uid.to_string())),
            ("socket", path(dir.network())),
            ("run_dir", path(dir.network_run())),
        ];
        let log = [("format", Value::from("text")), ("level", self.log.as_str().into())];
        let listen = self.panel.map(|address| ("listen", Value::from(address.to_string())));
        let accounts = self.accounts.clone().map(|file| ("accounts_file", path(file)));
        let enabled = ("enabled", self.panel.is_some().into());
        let panel: Vec<(&str, Value)> = listen.into_iter().chain(accounts).chain([enabled]).collect();
        let parameters: Table = changed(&settings.parameters)
            .into_iter()
            .map(|(name, value)| (name.to_owned(), Value::from(i64::from(value))))
            .collect();
        let section = |pairs: &[(&str, Value)]| {
            Value::Table(pairs.iter().map(|(key, value)| ((*key).to_owned(), value.clone())).collect())
        };
        let all: Table = [
            ("table", section(&table)),
            ("hardware", section(&hardware)),
            ("lines", section(&lines)),
            ("bus", section(&bus)),
            ("journal", section(&journal)),
            ("mqtt", section(&mqtt)),
            ("console", section(&console)),
            ("panel", section(&panel)),
            ("network", section(&network)),
            ("log", section(&log)),
            ("parameters", Value::Table(parameters)),
        ]
        .into_iter()
        .map(|(name, section)| (name.to_owned(), section))
        .collect();
        all.to_string()
    }
}

/// The parameters that differ from their defaults.
fn changed(parameters: &Parameters) -> BTreeMap<&'static str, u32> {
    Parameters::TABLE
        .iter()
        .filter_map(|p| parameters.get(p.name).filter(|value| *value != p.default).map(|value| (p.name, value)))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_differs_from_the_defaults_is_written() {
        let dir = WorkDir::new().unwrap();
        let setup = TableSetup::of("sg-v6", "sg-v6-3", false);
        let text = setup.text(&dir, "127.0.0.1:1883".parse().unwrap());
        let read: Table = text.parse().unwrap();
        assert_eq!(read["parameters"].as_table().unwrap().len(), 1);
        assert_eq!(read["parameters"]["lamp_dwell"].as_integer(), Some(10));
        assert_eq!(read["hardware"]["reader"].as_bool(), Some(false));
        assert_eq!(read["mqtt"]["url"].as_str(), Some("mqtt://127.0.0.1:1883"));
        assert_eq!(read["hardware"]["socket"].as_str().unwrap(), dir.wire().to_string_lossy());
    }
}
