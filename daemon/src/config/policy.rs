//! The addresses that a configuration names, as a drop-in for the network's unit: by itself that allows a house's own networks, and
//! this narrows it to the panel's port and the broker.

use crate::config::Config;
use std::collections::BTreeSet;
use std::io;
use std::net::{IpAddr, ToSocketAddrs};

/// A drop-in for `tumblerd-net.service` that allows only the addresses which the configuration names: the broker's, as its name is
/// resolved now, and with it those of the name servers; for a panel that listens at an address of the network, the house's own
/// networks, since its readers have no names here.
///
/// # Errors
/// The broker's name is not known.
pub fn drop_in(config: &Config) -> io::Result<String> {
    let mut allowed = BTreeSet::new();
    if let Some(mqtt) = &config.mqtt {
        let found = (mqtt.host.as_str(), mqtt.port).to_socket_addrs().map_err(|error| {
            let what = format!("mqtt.url: {}: {error}; who is meant cannot be allowed by address", mqtt.host);
            io::Error::new(error.kind(), what)
        })?;
        allowed.extend(found.map(|address| address.ip().to_string()));
        if mqtt.host.parse::<IpAddr>().is_err() {
            allowed.extend(name_servers(&std::fs::read_to_string("/etc/resolv.conf").unwrap_or_default()));
        }
    }
    // The first, empty one forgets what the unit allows.
    let mut text = String::from("[Service]\nIPAddressAllow=\n");
    if let Some(panel) = &config.panel {
        if panel.listen.ip().is_loopback() {
            allowed.insert("localhost".into());
        } else {
            text.push_str("# The panel's readers; write their own networks here, where they are known.\n");
            text.push_str(&format!("IPAddressAllow={HOUSE}\n"));
        }
    }
    for address in allowed {
        text.push_str(&format!("IPAddressAllow={address}\n"));
    }
    text.push_str("SocketBindAllow=\n");
    if let Some(panel) = &config.panel {
        text.push_str(&format!("SocketBindAllow=tcp:{}\n", panel.listen.port()));
    }
    Ok(text)
}

/// As the unit has it.
const HOUSE: &str = "localhost link-local 10.0.0.0/8 172.16.0.0/12 192.168.0.0/16 fc00::/7";

fn name_servers(resolv: &str) -> impl Iterator<Item = String> + '_ {
    let servers = resolv.lines().filter_map(|line| line.strip_prefix("nameserver")?.split_whitespace().next());
    servers.filter(|server| server.parse::<IpAddr>().is_ok()).map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn name_servers_are_those_of_the_resolver() {
        let text =
            "# nameserver 1.1.1.1\nsearch house.example\nnameserver 10.0.0.53\nnameserver fd00::53\nnameserver x\n";
        assert_eq!(name_servers(text).collect::<Vec<_>>(), ["10.0.0.53", "fd00::53"]);
    }
}
