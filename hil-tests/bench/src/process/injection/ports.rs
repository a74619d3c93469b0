//! Injects faults of the serial port and of the wires.

use super::super::port::Port;
use super::super::pty::Pty;
use super::super::rig_fault::RigFault;
use super::super::table::Virtual;
use super::unsupported::bench_lacks;
use crate::{BenchError, EnvironmentFault};
use std::os::unix::net::UnixStream;
use std::path::PathBuf;
use tumbler_core::line::InLine;
use tumbler_spec::Part;

/// How long a daemon may take to reconnect to wires that are back, in nanoseconds: it tries at least once a second
/// (`daemon/docs/virtual-wire.md`).
const RECONNECT_NANOS: u64 = 5_000_000_000;
/// Number of outputs that a daemon drives right after it has connected.
const SAFE_OUTPUTS: u64 = 3;

pub(super) fn disturb(table: &mut Virtual, fault: EnvironmentFault) -> Result<(), BenchError> {
    if let Some(broken) = table.injections.ports.broken {
        return Err(BenchError::Rig(format!("{fault} while {broken}: the ports break in one way at a time")));
    }
    match fault {
        EnvironmentFault::PortUnplugged | EnvironmentFault::PortRenamed => {
            let Some(device) = table.device().map(ToOwned::to_owned) else {
                return Err(BenchError::Unsupported("only a person can unplug a real adapter".into()));
            };
            if !has_open(table, &device)? {
                return Err(BenchError::Rig(format!("tumblerd does not have {} open", device.display())));
            }
            table.unplug()?;
            table.report_broken(Part::Bus, true);
            table.injections.ports.device = device;
        }
        EnvironmentFault::ChipGone => {
            table.report_broken(Part::Gpio, true);
            if table.setup.has_chip() && table.simulated().is_none() {
                return Err(BenchError::Unsupported("a real GPIO chip cannot be removed".into()));
            }
            table.socket.unplug()?;
            // The kernel removes a simulated chip even while a process holds its lines.
            table.pins = None;
        }
        EnvironmentFault::LineBusy => {
            let Some(chip) = table.simulated() else {
                return Err(BenchError::Unsupported(
                    "the rig can take a line only of a simulated chip. A virtual wire cannot be held by a second process: by \
                     daemon/docs/virtual-wire.md a new connection replaces the old one"
                        .into(),
                ));
            };
            let line = chip.hold(InLine::NoSpin)?;
            table.injections.ports.line = Some(line);
            table.report_broken(Part::Gpio, true);
        }
        _ => return Err(bench_lacks(fault)),
    }
    table.injections.ports.broken = Some(fault);
    Ok(())
}

pub(super) fn restore(table: &mut Virtual, fault: EnvironmentFault) -> Result<(), BenchError> {
    if table.injections.ports.broken != Some(fault) {
        return Err(BenchError::Rig(format!("{fault} is to be mended, and is not broken")));
    }
    if !is_lost(table, fault)? {
        return Err(BenchError::Rig(format!("{fault} was mended before it took effect")));
    }
    match fault {
        EnvironmentFault::PortUnplugged | EnvironmentFault::PortRenamed => {
            let mut port = Pty::open(&table.dir.bus())?;
            if fault == EnvironmentFault::PortRenamed && port.device() == table.injections.ports.device {
                // The kernel reuses free numbers: hold this pair until another one is open.
                port = Pty::open(&table.dir.bus())?;
            }
            table.plug(Port::Pty(port));
            table.report_broken(Part::Bus, false);
        }
        _ => {
            if fault == EnvironmentFault::LineBusy {
                table.injections.ports.line = None;
            } else {
                table.socket.plug()?;
                table.pins = table.setup.pins(&table.dir, &mut table.socket)?;
            }
            // The wires work again once the daemon has reconnected and driven its outputs.
            let until = table.world.now() + RECONNECT_NANOS;
            if !table.tick_until(until, |table| Ok(table.socket.driven() >= SAFE_OUTPUTS && holds_chip(table)?))? {
                let why =
                    format!("tumblerd did not come back to its wires within {} s", RECONNECT_NANOS / 1_000_000_000);
                table.findings.push(why);
            }
            table.report_broken(Part::Gpio, false);
        }
    }
    table.injections.shown.insert(fault);
    table.injections.ports.broken = None;
    Ok(())
}

/// Whether the fault has taken effect: measured now while it is in force, remembered afterwards.
pub(super) fn shows(table: &mut Virtual, fault: EnvironmentFault) -> bool {
    if table.injections.ports.broken != Some(fault) {
        return table.injections.shown.contains(&fault);
    }
    is_lost(table, fault).unwrap_or(false)
}

/// Whether the daemon has lost the device: nothing is left under its name and the daemon has closed it; or, for a busy line, the daemon
/// runs without its lines while the rig holds one of them.
fn is_lost(table: &mut Virtual, fault: EnvironmentFault) -> Result<bool, RigFault> {
    if fault == EnvironmentFault::ChipGone {
        let away = UnixStream::connect(table.dir.wire()).is_err() && !table.socket.connected();
        return Ok(away && !(table.setup.has_chip() && holds_chip(table)?));
    }
    if fault == EnvironmentFault::LineBusy {
        return Ok(table.injections.ports.line.is_some() && table.daemon.running()? && !holds_chip(table)?);
    }
    let device = table.injections.ports.device.clone();
    Ok(std::fs::symlink_metadata(table.dir.bus()).is_err() && !has_open(table, &device)?)
}

/// Whether the daemon holds the lines of its chip, where it has one.
pub(in crate::process) fn holds_chip(table: &Virtual) -> Result<bool, RigFault> {
    Ok(!table.setup.has_chip() || has_open(table, std::path::Path::new("anon_inode:gpio-line"))?)
}

/// Whether the daemon has this device open, according to the kernel.
fn has_open(table: &Virtual, device: &std::path::Path) -> Result<bool, RigFault> {
    let Some(pid) = table.daemon.pid() else { return Ok(false) };
    let dir = PathBuf::from(format!("/proc/{pid}/fd"));
    let open = std::fs::read_dir(&dir).map_err(RigFault::file("read the directory", &dir))?;
    let name = device.to_string_lossy().into_owned();
    // The kernel adds ` (deleted)` to a device that is gone.
    let is = |path: PathBuf| path.to_string_lossy().split(' ').next() == Some(name.as_str());
    Ok(open.flatten().filter_map(|entry| std::fs::read_link(entry.path()).ok()).any(is))
}
