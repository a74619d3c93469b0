//! What no key shows to be wrong alone: values that are each allowed, and take away what they are there for.

use super::problem::{Problem, Wrong};
use super::{Console, Journal, Mqtt, Network, Panel};
use crate::hardware::thermometer;
use crate::panel::accounts::Accounts;
use crate::relay::{check_authorities, check_certificate, check_key, check_password};
use nix::sys::statfs::{TMPFS_MAGIC, statfs};
use nix::unistd::{Group, User};
use std::io::ErrorKind;
use std::os::unix::fs::{FileTypeExt, MetadataExt};
use std::path::{Path, PathBuf};

/// Longest path of a socket, in bytes: `sun_path` of sockaddr_un(7) without its end.
pub(super) const SOCKET: usize = 107;
/// That of those which the daemon makes, under a name that is four bytes longer.
pub(super) const LISTENED: usize = SOCKET - 4;
/// The groups and the account that the package makes.
pub(super) const SUPERVISORS: &str = "tumbler-supervisor";
pub(super) const MANAGERS: &str = "tumbler-manager";
pub(super) const TECHNICIANS: &str = "tumbler-tech";
pub(super) const NETWORK: &str = "tumblerd-net";
/// A unit's time to answer unless configured, in milliseconds.
pub(super) const TURNAROUND: u32 = 10;
/// Where systemd lays credentials while the service runs. At another time they are not to be seen.
const CREDENTIALS: &str = "/run/credentials/";

/// Places where nothing of the daemon's can be meant, whether a bench may use them all the same, and why. Of those that one path lies in, the
/// first counts.
const PLACES: [(&str, bool, &str); 11] = [
    ("/proc", false, "the kernel keeps no file there"),
    ("/sys", false, "the kernel keeps no file there"),
    ("/dev/shm", true, "that is gone with the boot, and everybody may write there"),
    ("/dev", false, "that is for devices, and gone with the boot"),
    ("/etc", false, "that is for what people configure, and read-only to the service"),
    ("/usr", false, "that is the system's, and read-only to the service"),
    ("/boot", false, "that is for what the machine starts from, and read-only to the service"),
    ("/tmp", true, "the service has one of its own, emptied when it stops, in which nobody else finds anything"),
    ("/var/tmp", true, "the service has one of its own, emptied when it stops, in which nobody else finds anything"),
    ("/home", true, "that is not there for the service"),
    ("/root", true, "that is not there for the service"),
];

/// Directories, and those of sockets, that are allowed and cannot be meant. `is_bench`: no game is real.
pub(super) fn places(journal: &Journal, network: &Network, console: &Path, is_bench: bool) -> Vec<String> {
    let keys = [
        ("journal.state_dir", journal.state_dir.as_path(), "/var/lib/tumblerd"),
        ("journal.run_dir", journal.run_dir.as_path(), "/run/tumblerd"),
        ("network.run_dir", network.run_dir.as_path(), "/run/tumblerd-net"),
        ("console.socket", console, "/run/tumblerd/console.sock"),
        ("network.socket", network.socket.as_path(), "/run/tumblerd/net.sock"),
    ];
    let odd = |key: &str, dir: &Path| {
        let place = PLACES.iter().find(|(place, ..)| dir.starts_with(place)).filter(|place| !(is_bench && place.1));
        let is_gone_with_the_boot = dir.starts_with("/run") || is_in_memory(dir);
        match place {
            _ if dir == Path::new("/") => Some("is the root of all directories".to_owned()),
            Some((place, _, why)) => Some(format!("lies in {place}: {why}")),
            None if is_bench => None,
            None if key == "journal.state_dir" && is_gone_with_the_boot => {
                Some("is in memory: a power cut takes journal and latch away".to_owned())
            }
            None if key.ends_with("run_dir") && !is_gone_with_the_boot => Some(
                "is on a disk: what lies there is to be gone with the boot, and every commit writes there".to_owned(),
            ),
            None => None,
        }
    };
    let told = keys.iter().filter_map(|(key, path, usual)| {
        let dir = if key.ends_with("socket") { path.parent()? } else { path };
        Some(format!("{key}, \"{}\", {}; write \"{usual}\"", path.display(), odd(key, dir)?))
    });
    told.collect()
}

/// Whether what lies there, or would, is in memory.
fn is_in_memory(dir: &Path) -> bool {
    let there = dir.ancestors().find(|dir| dir.exists());
    there.and_then(|dir| statfs(dir).ok()).is_some_and(|disk| disk.filesystem_type() == TMPFS_MAGIC)
}

/// What must be gone with the boot lies apart from what must not, and what speaks to the network apart from both.
pub(super) fn directories(state: &Path, run: &Path, network: &Path, wrong: &mut Vec<Wrong>) {
    const STATE: &str =
        "the run directory must lie on tmpfs, such as /run/tumblerd: a permit must not outlive the boot";
    const RUN: &str =
        "the state directory must lie on a disk, such as /var/lib/tumblerd: a run directory is gone with the boot";
    const NETWORK: &str = "what speaks to the network has a directory of its own: it must not reach the permit";
    let (state_key, run_key, network_key) = ("journal.state_dir", "journal.run_dir", "network.run_dir");
    for (key, dir, other_key, other, inside, around) in [
        (run_key, run, state_key, state, STATE, RUN),
        (network_key, network, state_key, state, STATE, RUN),
        (network_key, network, run_key, run, NETWORK, NETWORK),
    ] {
        let root = Path::new("/");
        let (key, dir, problem, allowed) = match (dir.starts_with(other), other.starts_with(dir)) {
            _ if dir == root || other == root => continue,
            (true, true) => (key, dir, format!("is {other_key} too"), inside),
            (true, false) => (key, dir, format!("lies in {other_key}"), inside),
            (false, true) => (other_key, other, format!("lies in {key}"), around),
            (false, false) => continue,
        };
        wrong.push((key.into(), format!("\"{}\" {problem}", dir.display()), allowed.into()));
    }
    for (key, dir) in [("journal.state_dir", state), ("journal.run_dir", run), ("network.run_dir", network)] {
        let is_root = dir == Path::new("/");
        if is_root || std::fs::metadata(dir).is_ok_and(|about| !about.is_dir()) {
            let problem = if is_root { "the root of all directories" } else { "no directory" };
            let problem = format!("\"{}\" is {problem}", dir.display());
            wrong.push((key.into(), problem, "name a directory, or a path where one can be made".into()));
        }
    }
}

/// Two that listen at one path would each take it away from the other.
pub(super) fn one_socket_each(sockets: &[(&str, &PathBuf)], wrong: &mut Vec<Wrong>) {
    for (place, (key, path)) in sockets.iter().enumerate() {
        if let Some((other, _)) = sockets.iter().take(place).find(|(_, known)| known == path) {
            let problem = format!("\"{}\" is {other} too", path.display());
            wrong.push(((*key).into(), problem, "each socket has a path of its own".into()));
        }
    }
}

/// Who is in a group has its role.
pub(super) fn roles(people: &Console, wrong: &mut Vec<Wrong>) {
    let roles = [
        ("supervisor_group", &people.supervisor_group),
        ("manager_group", &people.manager_group),
        ("technician_group", &people.technician_group),
    ];
    for (place, (key, group)) in roles.iter().enumerate() {
        if let Some((other, _)) = roles.iter().take(place).find(|(_, known)| known == group) {
            wrong.push((
                format!("console.{key}"),
                format!("\"{group}\" is console.{other} too"),
                "each role has a group of its own; who has two roles is a member of both".into(),
            ));
        }
    }
}

/// A name that the system does not know has no members: nobody would have the role, or be let in. The package makes those that are
/// meant unless configured, and a bench has none of them.
pub(super) fn people(people: &Console, network: &str, wrong: &mut Vec<Wrong>) {
    for (key, group, usual) in [
        ("supervisor_group", &people.supervisor_group, SUPERVISORS),
        ("manager_group", &people.manager_group, MANAGERS),
        ("technician_group", &people.technician_group, TECHNICIANS),
    ] {
        if group != usual && matches!(Group::from_name(group), Ok(None)) {
            let problem = format!("there is no group \"{group}\" on this machine");
            let allowed = format!("make it (`sudo addgroup --system {group}`), or leave the key out for {usual}");
            wrong.push((format!("console.{key}"), problem, allowed));
        }
    }
    if network != NETWORK && network.parse::<u32>().is_err() && matches!(User::from_name(network), Ok(None)) {
        let problem = format!("there is no account \"{network}\" on this machine");
        let allowed = "make it, give a user id in digits, or leave the key out for tumblerd-net";
        wrong.push(("network.user".into(), problem, allowed.into()));
    }
}

/// What is allowed, and what an operator is to know of it. A bench gives its own user all roles by id, and has not the package's groups.
pub(super) fn notes(people: &Console, is_bench: bool) -> Vec<String> {
    let mut notes = Vec::new();
    let own = nix::unistd::geteuid().as_raw();
    for (role, uids, group) in [
        ("supervisor", &people.supervisor_uids, &people.supervisor_group),
        ("manager", &people.manager_uids, &people.manager_group),
        ("technician", &people.technician_uids, &people.technician_group),
    ] {
        if matches!(Group::from_name(group), Ok(Some(found)) if found.gid.as_raw() == 0) {
            notes.push(format!("console.{role}_group is {group}: whoever becomes root is a {role}"));
        }
        if is_bench {
            continue;
        }
        if uids.contains(&0) {
            notes.push(format!(
                "console.{role}_uids has 0: whoever becomes root is a {role}, and records name no person's account"
            ));
        } else if uids.contains(&own) {
            notes.push(format!(
                "console.{role}_uids has {own}, the account that this runs under: the daemon's is a {role} itself"
            ));
        }
        if uids.is_empty() && matches!(Group::from_name(group), Ok(None)) {
            notes.push(format!(
                "there is no group \"{group}\" on this machine: nobody is a {role} (console.{role}_group)"
            ));
        }
    }
    notes
}

/// The same of what speaks to the network, and of the bus. A bench writes its own user in digits.
pub(super) fn outside(network: &Network, panel: Option<&Panel>, port: &Path, is_bench: bool) -> Vec<String> {
    let mut notes = Vec::new();
    if network.user == "root" || !is_bench && network.user == "0" {
        notes.push("network.user is root: whoever breaks into that process has the machine".into());
    }
    if let Some(panel) = panel.filter(|panel| panel.accounts_file.is_some() && panel.listen.ip().is_unspecified()) {
        let listen = panel.listen;
        notes.push(format!(
            "panel.listen is {listen} with accounts: every network of this machine may try passwords, and reads them where it can listen; \
             name one address, or put a proxy with TLS before it"
        ));
    }
    // Major number 1: memory, and what is nothing at all.
    if std::fs::metadata(port).is_ok_and(|about| nix::sys::stat::major(about.rdev()) == 1) {
        notes.push(format!("bus.port, \"{}\", is no serial line: no unit of the table answers there", port.display()));
    }
    notes
}

/// Times of the bus that contradict one another, in milliseconds. Whose is the default is not the one to be told of.
pub(super) fn bus(turnaround: u32, timeout: u32, unit_lost: u32, wrong: &mut Vec<Wrong>) {
    if turnaround >= timeout {
        let key = if turnaround == TURNAROUND { "bus.timeout_ms" } else { "bus.turnaround_ms" };
        let problem = format!("turnaround_ms is {turnaround}, and timeout_ms is {timeout}");
        let allowed = "timeout_ms is longer: it is for the whole transaction, of which a unit's turnaround is a part";
        wrong.push((key.into(), problem, allowed.into()));
    }
    if timeout.saturating_mul(2) > unit_lost {
        let problem =
            format!("2 × timeout_ms is {}, and parameters.unit_lost is {unit_lost}", timeout.saturating_mul(2));
        let allowed = "allowed is 2 × timeout_ms ≤ unit_lost: a unit is not lost with a single reply";
        wrong.push(("bus.timeout_ms".into(), problem, allowed.into()));
    }
}

/// What is there already and cannot be the device.
pub(super) fn devices(port: &Path, sensor: Option<&thermometer::Settings>, wrong: &mut Vec<Wrong>) {
    let sensor = sensor.map(|sensor| ("hardware.temperature_bus", sensor.bus.as_path()));
    for (key, path) in [("bus.port", port)].into_iter().chain(sensor) {
        if std::fs::metadata(path).is_ok_and(|about| !about.file_type().is_char_device()) {
            let problem = format!("\"{}\" is no device", path.display());
            wrong.push((key.into(), problem, "name the device, such as one of /dev/serial/by-id or /dev/i2c-1".into()));
        }
    }
}

/// The kernel takes no longer path for a socket, and none where something else lies.
pub(super) fn socket(key: &str, path: &Path, most: usize, wrong: &mut Vec<Wrong>) {
    let bytes = path.as_os_str().len();
    if bytes > most {
        let allowed = format!("the path of this socket has at most {most}; choose a shorter directory");
        wrong.push((key.into(), format!("the path has {bytes} bytes"), allowed));
    }
    if std::fs::metadata(path).is_ok_and(|about| !about.file_type().is_socket()) {
        let problem = format!("\"{}\" exists and is no socket", path.display());
        wrong.push((key.into(), problem, "name a path of its own; what is there is left alone".into()));
    }
}

/// What the broker is told, and by which files.
pub(super) fn broker(mqtt: &Mqtt, is_agreed: bool, wrong: &mut Vec<Wrong>) {
    let is_local = mqtt.host == "localhost" || mqtt.host.parse().is_ok_and(|host: std::net::IpAddr| host.is_loopback());
    if mqtt.password_file.is_some() && !mqtt.tls && !is_local && !is_agreed {
        wrong.push((
            "mqtt.password_file".into(),
            "mqtt:// sends the password so that anybody on the network can read it".into(),
            "take mqtts://, or say password_in_clear = true if that is how it must be".into(),
        ));
    }
    if let Some(file) = mqtt.password_file.as_deref().filter(|file| is_to_be_seen(file)) {
        if let Err(error) = check_password(file) {
            let allowed =
                "the password is the first line of mqtt.password_file; leave the key out where the broker wants none";
            wrong.push(("mqtt.password_file".into(), format!("{error:#}"), allowed.into()));
        }
    }
    if let Some(ca) = mqtt.ca_file.as_deref().filter(|ca| mqtt.tls && is_to_be_seen(ca)) {
        if let Err(error) = check_authorities(ca) {
            let allowed = "mqtt.ca_file is a PEM file with the certificates of the authorities to trust";
            wrong.push(("mqtt.ca_file".into(), format!("{error:#}"), allowed.into()));
        }
    }
    if let Some((certificate, key)) = mqtt.client.as_ref().filter(|(file, _)| mqtt.tls && is_to_be_seen(file)) {
        let (at, checked) = match check_certificate(certificate) {
            Ok(()) if is_to_be_seen(key) => ("mqtt.key_file", check_key(certificate, key)),
            checked => ("mqtt.cert_file", checked),
        };
        if let Err(error) = checked {
            let allowed = "mqtt.cert_file has this table's certificate, and mqtt.key_file its private key, both in PEM";
            wrong.push((at.into(), format!("{error:#}"), allowed.into()));
        }
    }
}

/// The technicians of the panel.
pub(super) fn accounts(file: &Path, wrong: &mut Vec<Wrong>) {
    if !is_to_be_seen(file) {
        return;
    }
    if let Err(error) = Accounts::read(file) {
        let allowed =
            "`tumblerctl panel-password NAME --file FILE` makes it; leave panel.accounts_file out where nobody logs in";
        wrong.push(("panel.accounts_file".into(), error.to_string(), allowed.into()));
    }
}

/// A credential of the network's service is there while that runs, and for nobody else. Nor may the process that drives the table
/// read other files of the network's: that one looks at them itself.
fn is_to_be_seen(file: &Path) -> bool {
    let is_kept_from_us = crate::file::open(file).is_err_and(|error| error.kind() == ErrorKind::PermissionDenied);
    !is_kept_from_us && (!file.starts_with(CREDENTIALS) || file.parent().is_some_and(Path::exists))
}

/// Who can write the configuration, or the directory that it lies in, decides what the table does. In a directory for everybody whose
/// files only their owners may replace, as /tmp, a file is safe; a directory of fragments is not, as anybody may add one.
pub(super) fn writable_by_others(path: &Path, problems: &mut Vec<Problem>) {
    let real = path.canonicalize().unwrap_or_else(|_| path.to_owned());
    let above = [path.parent(), real.parent()].into_iter().flatten().filter(|dir| !dir.as_os_str().is_empty());
    let mut seen = Vec::new();
    for (place, replaces) in std::iter::once((path, true)).chain(above.map(|dir| (dir, false))) {
        let Ok(about) = std::fs::metadata(place) else { continue };
        if seen.contains(&about.ino()) {
            continue;
        }
        seen.push(about.ino());
        let is_shared = about.mode() & 0o022 != 0 && (replaces || about.mode() & 0o1000 == 0);
        let own = nix::unistd::geteuid().as_raw();
        let (problem, allowed) = if is_shared {
            let mode = about.mode() & 0o7777;
            (format!("its mode {mode:03o} lets others than its owner write it"), "`sudo chmod go-w` takes that away")
        } else if about.uid() != 0 && about.uid() != own {
            let owner = about.uid();
            (
                format!("it belongs to the user with the id {owner}, who may write it"),
                "`sudo chown root` gives it to root",
            )
        } else {
            continue;
        };
        if !problems.iter().any(|known| known.file == place && known.problem == problem) {
            problems.push(Problem::of_file(place, None, problem, allowed));
        }
    }
}
