//! The serial port and the wires.

use super::super::port::Port;
use super::super::pty::Pty;
use super::super::rig_fault::RigFault;
use super::super::table::Virtual;
use super::refusal::no_means;
use crate::{EnvironmentFault, Trouble};
use std::os::unix::net::UnixStream;
use std::path::PathBuf;
use tumbler_core::line::InLine;
use tumbler_judges::Part;

/// How long a daemon may take to find wires that are back, in nanoseconds: it tries once a second at least
/// (`daemon/docs/virtual-wire.md`).
const FOUND_NANOS: u64 = 5_000_000_000;
/// Outputs that a daemon drives at the beginning of a connection.
const SAFE_OUTPUTS: u64 = 3;

pub(super) fn disturb(table: &mut Virtual, fault: EnvironmentFault) -> Result<(), Trouble> {
    if let Some(broken) = table.means.ports.broken {
        return Err(Trouble::Rig(format!("{fault:?} while {broken:?}: the ports break in one way at a time")));
    }
    match fault {
        EnvironmentFault::PortUnplugged | EnvironmentFault::PortRenamed => {
            let Some(device) = table.device().map(ToOwned::to_owned) else {
                return Err(Trouble::NotHere("nobody but a hand unplugs a true adapter".into()));
            };
            if !holds(table, &device)? {
                return Err(Trouble::Rig(format!("tumblerd does not have {} open", device.display())));
            }
            table.unplug()?;
            table.tell_broken(Part::Bus, true);
            table.means.ports.device = device;
        }
        EnvironmentFault::ChipGone => {
            table.tell_broken(Part::Gpio, true);
            if table.set_to.has_chip() && table.simulated().is_none() {
                return Err(Trouble::NotHere("a true chip cannot be taken from under its board".into()));
            }
            table.socket.unplug()?;
            // The kernel takes a simulated chip away from under whoever holds its lines.
            table.pins = None;
        }
        EnvironmentFault::LineBusy => {
            let Some(chip) = table.simulated() else {
                return Err(Trouble::NotHere(
                    "only a simulated chip is the rig's to take a line of; of a virtual wire nobody else can hold one: by \
                     daemon/docs/virtual-wire.md a new connection replaces the old one"
                        .into(),
                ));
            };
            let line = chip.hold(InLine::NoSpin)?;
            table.means.ports.line = Some(line);
            table.tell_broken(Part::Gpio, true);
        }
        _ => return Err(no_means(fault)),
    }
    table.means.ports.broken = Some(fault);
    Ok(())
}

pub(super) fn restore(table: &mut Virtual, fault: EnvironmentFault) -> Result<(), Trouble> {
    if table.means.ports.broken != Some(fault) {
        return Err(Trouble::Rig(format!("{fault:?} is to be mended, and is not broken")));
    }
    if !gone(table, fault)? {
        return Err(Trouble::Rig(format!("{fault:?} was mended before it took hold")));
    }
    match fault {
        EnvironmentFault::PortUnplugged | EnvironmentFault::PortRenamed => {
            let mut port = Pty::open(&table.dir.bus())?;
            if fault == EnvironmentFault::PortRenamed && port.device() == table.means.ports.device {
                // The kernel gives a number again that is free; the pair that has it now is kept until there is another.
                port = Pty::open(&table.dir.bus())?;
            }
            table.plug(Port::Pty(port));
            table.tell_broken(Part::Bus, false);
        }
        _ => {
            if fault == EnvironmentFault::LineBusy {
                table.means.ports.line = None;
            } else {
                table.socket.plug()?;
                table.pins = table.set_to.pins(&table.dir, &mut table.socket)?;
            }
            // The wires work again once the daemon has found them and driven them to what they are to be.
            let until = table.world.now() + FOUND_NANOS;
            if !table.turn_until(until, |table| Ok(table.socket.driven() >= SAFE_OUTPUTS && holds_chip(table)?))? {
                let why = format!("tumblerd did not come back to its wires within {} s", FOUND_NANOS / 1_000_000_000);
                table.findings.push(why);
            }
            table.tell_broken(Part::Gpio, false);
        }
    }
    table.means.shown.insert(fault);
    table.means.ports.broken = None;
    Ok(())
}

/// Whether it shows now, where it is broken now; else whether it has shown.
pub(super) fn shows(table: &mut Virtual, fault: EnvironmentFault) -> bool {
    if table.means.ports.broken != Some(fault) {
        return table.means.shown.contains(&fault);
    }
    gone(table, fault).unwrap_or(false)
}

/// Whether the daemon truly lost it: nothing is there under its name, and the daemon let go of what it had open; or it runs without
/// its lines, one of which the rig has.
fn gone(table: &mut Virtual, fault: EnvironmentFault) -> Result<bool, RigFault> {
    if fault == EnvironmentFault::ChipGone {
        let away = UnixStream::connect(table.dir.wire()).is_err() && !table.socket.connected();
        return Ok(away && !(table.set_to.has_chip() && holds_chip(table)?));
    }
    if fault == EnvironmentFault::LineBusy {
        return Ok(table.means.ports.line.is_some() && table.daemon.running()? && !holds_chip(table)?);
    }
    let device = table.means.ports.device.clone();
    Ok(std::fs::symlink_metadata(table.dir.bus()).is_err() && !holds(table, &device)?)
}

/// Whether the daemon holds the lines of its chip, where it has one.
pub(in crate::process) fn holds_chip(table: &Virtual) -> Result<bool, RigFault> {
    Ok(!table.set_to.has_chip() || holds(table, std::path::Path::new("anon_inode:gpio-line"))?)
}

/// Whether the daemon has this device open, as the kernel says.
fn holds(table: &Virtual, device: &std::path::Path) -> Result<bool, RigFault> {
    let Some(pid) = table.daemon.pid() else { return Ok(false) };
    let dir = PathBuf::from(format!("/proc/{pid}/fd"));
    let open = std::fs::read_dir(&dir).map_err(RigFault::file("read the directory", &dir))?;
    let name = device.to_string_lossy().into_owned();
    // The kernel adds ` (deleted)` to a device that is gone.
    let is = |path: PathBuf| path.to_string_lossy().split(' ').next() == Some(name.as_str());
    Ok(open.flatten().filter_map(|entry| std::fs::read_link(entry.path()).ok()).any(is))
}
