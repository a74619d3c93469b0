//! A GPIO chip that the kernel simulates (module `gpio-sim`), and the wires between it and the bench.
//!
//! ```text
//! twin ─ bench ═ virtual wire ═ bridge ─ sysfs: pull, value ─ gpio-sim ─ /dev/gpiochipN ═ daemon (backend cdev)
//! ```
//!
//! The bridge stands at the virtual wire where a daemon would, and keeps pulls and levels the same on both sides. It stays
//! connected while the daemon is down: the table's contacts move then too.

use super::fault::RigFault;
use std::fs;
use std::io::{BufRead, BufReader, ErrorKind, Write};
use std::os::unix::fs::FileExt;
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::Duration;
use tumbler_core::effect::OutLine;
use tumbler_core::input::InLine;
use tumbler_core::wire::lines::{FromBench, Line, LineMessage, ToBench};

/// Where simulated chips are made.
const CONFIGFS: &str = "/sys/kernel/config/gpio-sim";
/// Between two looks at the outputs while the motor is on: a tenth of the dead-man line's 10 ms.
const LOOK: Duration = Duration::from_millis(1);
/// The same while it is off: nothing is as urgent then, and an emulated machine has other work.
const REST: Duration = Duration::from_millis(4);

/// The lines in the order of their offsets: the outputs, then the inputs.
fn names() -> impl Iterator<Item = &'static str> {
    OutLine::ALL.into_iter().map(OutLine::name).chain(InLine::ALL.into_iter().map(InLine::name))
}

/// Half of the lines are active at a low level, so that nothing depends on a polarity.
fn active_low(offset: usize) -> bool {
    offset % 2 == 0 && offset > 0
}

/// The section `[lines]` for this chip.
pub(super) fn lines() -> impl Iterator<Item = (&'static str, String)> {
    names().enumerate().map(|(offset, name)| {
        // By name and by offset, turn and turn about.
        let line = if offset % 3 == 0 { offset.to_string() } else { name.to_owned() };
        (name, if active_low(offset) { format!("{line} active-low") } else { line })
    })
}

/// Whether this machine's kernel simulates chips; otherwise why not.
///
/// # Errors
/// What is missing, and what to do.
pub fn available() -> Result<(), String> {
    if Path::new(CONFIGFS).is_dir() {
        return Ok(());
    }
    Err(format!(
        "{CONFIGFS} is not there: this kernel has no gpio-sim, or it is not loaded (modprobe gpio-sim, and mount configfs); `scripts/vm` boots a guest that has it"
    ))
}

/// A simulated chip, and the thread that is its wires.
#[derive(Debug)]
pub(super) struct GpioSim {
    chip: Chip,
    stop: Arc<AtomicBool>,
    bridge: Option<JoinHandle<()>>,
}

impl GpioSim {
    /// Makes a chip with this label, and wires it to the bench that listens at `wire`.
    ///
    /// # Errors
    /// [`RigFault`] when the kernel does not make it.
    pub(super) fn make(label: &str, wire: &Path) -> Result<Self, RigFault> {
        let chip = Chip::make(label)?;
        let stop = Arc::<AtomicBool>::default();
        let (pins, ends, wire) = (Arc::clone(&chip.pins), Arc::clone(&stop), wire.to_owned());
        let bridge = std::thread::Builder::new().name("gpio-sim".into()).spawn(move || bridge(&pins, &wire, &ends));
        let bridge = bridge.map_err(RigFault::system("start the bridge to the simulated chip"))?;
        Ok(Self { chip, stop, bridge: Some(bridge) })
    }

    /// The chip itself.
    pub(super) const fn chip(&self) -> &Chip {
        &self.chip
    }
}

impl Drop for GpioSim {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::SeqCst);
        if let Some(bridge) = self.bridge.take() {
            let _ = bridge.join();
        }
    }
}

/// A simulated chip that has the table's lines, named and in their order.
#[derive(Debug)]
pub struct Chip {
    pins: Arc<Pins>,
    _made: Made,
}

impl Chip {
    /// Makes a chip with this label.
    ///
    /// # Errors
    /// [`RigFault`] when the kernel does not make it.
    pub fn make(label: &str) -> Result<Self, RigFault> {
        available().map_err(RigFault::Other)?;
        let device = Path::new(CONFIGFS).join(label);
        let bank = device.join("bank0");
        let make = |path: &Path| fs::create_dir(path).map_err(RigFault::file("create", path));
        let write = |path: PathBuf, text: &str| fs::write(&path, text).map_err(RigFault::file("write", &path));
        make(&device)?;
        let made = Made(device.clone());
        make(&bank)?;
        write(bank.join("num_lines"), &names().count().to_string())?;
        write(bank.join("label"), label)?;
        for (offset, name) in names().enumerate() {
            let line = bank.join(format!("line{offset}"));
            make(&line)?;
            write(line.join("name"), name)?;
        }
        write(device.join("live"), "1")?;
        let read = |path: PathBuf| {
            fs::read_to_string(&path).map(|text| text.trim().to_owned()).map_err(RigFault::file("read", &path))
        };
        let place = ["/sys/devices/platform", &read(device.join("dev_name"))?, &read(bank.join("chip_name"))?];
        let pins = Arc::new(Pins::open(&place.iter().collect::<PathBuf>())?);
        Ok(Self { pins, _made: made })
    }

    /// Pulls an input to where it is active, or inactive.
    pub fn pull(&self, line: InLine, active: bool) {
        self.pins.pull(line, active);
    }
}

/// The kernel's chip, as far as it is made.
#[derive(Debug)]
struct Made(PathBuf);

impl Drop for Made {
    fn drop(&mut self) {
        // What is left of it goes with the guest.
        let bank = self.0.join("bank0");
        let _ = fs::write(self.0.join("live"), "0");
        for offset in 0..names().count() {
            let _ = fs::remove_dir(bank.join(format!("line{offset}")));
        }
        let _ = fs::remove_dir(bank);
        let _ = fs::remove_dir(&self.0);
    }
}

/// The chip as its wires see it.
#[derive(Debug)]
struct Pins {
    /// Level of each output.
    values: Vec<(OutLine, usize, fs::File)>,
    /// Pull of each input.
    pulls: Vec<(InLine, usize, fs::File)>,
}

impl Pins {
    fn open(place: &Path) -> Result<Self, RigFault> {
        let file = |offset: usize, name: &str, write: bool| {
            let path = place.join(format!("sim_gpio{offset}")).join(name);
            fs::OpenOptions::new().read(!write).write(write).open(&path).map_err(RigFault::file("open", &path))
        };
        let outputs = OutLine::ALL.len();
        let values = OutLine::ALL.into_iter().enumerate();
        let pulls = InLine::ALL.into_iter().enumerate();
        Ok(Self {
            values: values
                .map(|(at, line)| Ok((line, at, file(at, "value", false)?)))
                .collect::<Result<_, RigFault>>()?,
            pulls: pulls
                .map(|(at, line)| Ok((line, at + outputs, file(at + outputs, "pull", true)?)))
                .collect::<Result<_, RigFault>>()?,
        })
    }

    fn pull(&self, line: InLine, active: bool) {
        for (_, offset, file) in self.pulls.iter().filter(|(of, ..)| *of == line) {
            let up = active != active_low(*offset);
            // A chip that is gone is told by the daemon.
            let _ = file.write_all_at(if up { b"pull-up" } else { b"pull-down" }, 0);
        }
    }

    /// Whether each output is active now.
    fn levels(&self) -> impl Iterator<Item = (OutLine, bool)> + '_ {
        self.values.iter().filter_map(|(line, offset, file)| {
            let mut text = [0; 1];
            file.read_at(&mut text, 0).ok()?;
            Some((*line, (text == *b"1") != active_low(*offset)))
        })
    }
}

/// Keeps the chip and the virtual wire the same, until it is to stop.
fn bridge(pins: &Pins, wire: &Path, stop: &AtomicBool) {
    while !stop.load(Ordering::SeqCst) {
        if let Ok(stream) = UnixStream::connect(wire) {
            let _ = relay(pins, &stream, stop);
        }
        std::thread::sleep(LOOK);
    }
}

/// The same over one connection, which ends with an error.
fn relay(pins: &Pins, stream: &UnixStream, stop: &AtomicBool) -> std::io::Result<()> {
    stream.set_read_timeout(Some(REST))?;
    let (mut reader, mut writer) = (BufReader::new(stream), stream);
    let (mut line, mut told) = (Vec::new(), [None; 4]);
    while !stop.load(Ordering::SeqCst) {
        match reader.read_until(b'\n', &mut line) {
            Ok(0) => return Err(ErrorKind::UnexpectedEof.into()),
            Ok(_) => {
                if let Ok(FromBench::Line(LineMessage { line: Line::In(line), active, .. })) =
                    serde_json::from_slice(&line)
                {
                    pins.pull(line, active);
                }
                line.clear();
            }
            // Half a line stays in `line`.
            Err(error)
                if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut | ErrorKind::Interrupted) => {}
            Err(error) => return Err(error),
        }
        for ((line, active), told) in pins.levels().zip(&mut told) {
            // A daemon says nothing of the dead-man line before its first edge.
            let first = told.is_none() && line == OutLine::MotorAlive;
            if told.replace(active) != Some(active) && !first {
                serde_json::to_writer(&mut writer, &ToBench { line, active })?;
                writer.write_all(b"\n")?;
                if line == OutLine::MotorEnable {
                    stream.set_read_timeout(Some(if active { LOOK } else { REST }))?;
                }
            }
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_line_of_the_table_has_a_place_on_the_chip() {
        let lines: Vec<_> = lines().collect();
        assert_eq!(lines.len(), OutLine::ALL.len() + InLine::ALL.len());
        assert_eq!(lines[0], ("motor_enable", "0".into()));
        assert_eq!(lines[2], ("out_of_service", "out_of_service active-low".into()));
        assert_eq!(lines[6], ("cam_b", "6 active-low".into()));
    }
}
