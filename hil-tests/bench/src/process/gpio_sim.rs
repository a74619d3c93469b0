//! A GPIO chip that the kernel simulates (module `gpio-sim`), and the wires between it and the bench.
//!
//! ```text
//! twin ─ bench ═ virtual wire ═ bridge ─ sysfs: pull, value ─ gpio-sim ─ /dev/gpiochipN ═ daemon (backend cdev)
//! ```
//!
//! The bridge connects to the virtual wire in the daemon's place, and copies pulls and levels between both sides. It stays connected
//! while the daemon is down, because the table's contacts move then too.

use super::rig_fault::RigFault;
use gpiocdev::Request;
use std::fs;
use std::io::{BufRead, BufReader, ErrorKind, Write};
use std::os::unix::fs::FileExt;
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::Duration;
use tumbler_core::line::{InLine, OutLine};
use tumbler_core::wire::lines::{FromBench, Line, LineMessage, ToBench};

/// Directory in which simulated chips are created.
const CONFIGFS: &str = "/sys/kernel/config/gpio-sim";
/// Polling interval of the outputs while the motor is on: a tenth of the dead-man line's 10 ms.
pub(super) const LOOK: Duration = Duration::from_millis(1);
/// The same while it is off: nothing is urgent then, and an emulated machine needs its time for other work.
pub(super) const REST: Duration = Duration::from_millis(4);

/// The lines in the order of their offsets: the outputs, then the inputs.
pub(super) fn names() -> impl Iterator<Item = &'static str> {
    OutLine::ALL.into_iter().map(OutLine::name).chain(InLine::ALL.into_iter().map(InLine::name))
}

/// Half of the lines are active at a low level, so that nothing depends on a polarity.
pub(super) fn active_low(offset: usize) -> bool {
    offset % 2 == 0 && offset > 0
}

/// The section `[lines]` for this chip.
pub(super) fn lines() -> impl Iterator<Item = (&'static str, String)> {
    names().enumerate().map(|(offset, name)| {
        // Two lines by name for each one by offset, so that both forms are used.
        let line = if offset % 3 == 0 { offset.to_string() } else { name.to_owned() };
        (name, if active_low(offset) { format!("{line} active-low") } else { line })
    })
}

/// Checks that this machine's kernel simulates chips.
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

/// A simulated chip, and the thread that bridges it to the virtual wire.
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
        let (pins, ends, wire) = (chip.sim(), Arc::clone(&stop), wire.to_owned());
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
    sim: Arc<SimChip>,
}

impl Chip {
    /// Makes a chip with this label.
    ///
    /// # Errors
    /// [`RigFault`] when the kernel does not make it.
    pub fn make(label: &str) -> Result<Self, RigFault> {
        Ok(Self { sim: Arc::new(SimChip::make(label, &names().collect::<Vec<_>>())?) })
    }

    /// The kernel's simulated chip.
    pub(super) fn sim(&self) -> Arc<SimChip> {
        Arc::clone(&self.sim)
    }

    /// Pulls an input to where it is active, or inactive.
    pub fn pull(&self, line: InLine, active: bool) {
        self.sim.pull_line(line, active);
    }

    /// Requests an input like another program would, until the request is dropped.
    ///
    /// # Errors
    /// [`RigFault`] when the kernel refuses it because another process holds it.
    pub fn hold(&self, line: InLine) -> Result<Request, RigFault> {
        let offset = names().position(|name| name == line.name()).and_then(|at| u32::try_from(at).ok());
        let mut ask = Request::builder();
        ask.on_chip(&self.sim.device).with_consumer("tumbler-hil").with_line(offset.unwrap_or(u32::MAX)).as_input();
        ask.request().map_err(|error| RigFault::Other(format!("take the line `{}`: {error}", line.name())))
    }
}

/// Lines that the kernel simulates.
#[derive(Debug)]
pub(super) struct SimChip {
    /// Level and pull of each line, by its offset.
    lines: Vec<(fs::File, fs::File)>,
    /// Its character device.
    device: PathBuf,
    _made: Made,
}

impl SimChip {
    /// Makes a chip with this label and lines of these names.
    ///
    /// # Errors
    /// [`RigFault`] when the kernel does not make it.
    pub(super) fn make(label: &str, names: &[&str]) -> Result<Self, RigFault> {
        available().map_err(RigFault::Other)?;
        let device = Path::new(CONFIGFS).join(label);
        let bank = device.join("bank0");
        let make = |path: &Path| fs::create_dir(path).map_err(RigFault::file("create", path));
        let write = |path: PathBuf, text: &str| fs::write(&path, text).map_err(RigFault::file("write", &path));
        make(&device)?;
        let made = Made(device.clone(), names.len());
        make(&bank)?;
        write(bank.join("num_lines"), &names.len().to_string())?;
        write(bank.join("label"), label)?;
        for (offset, name) in names.iter().enumerate() {
            let line = bank.join(format!("line{offset}"));
            make(&line)?;
            write(line.join("name"), name)?;
        }
        write(device.join("live"), "1")?;
        let read = |path: PathBuf| {
            fs::read_to_string(&path).map(|text| text.trim().to_owned()).map_err(RigFault::file("read", &path))
        };
        let name = read(bank.join("chip_name"))?;
        let place = ["/sys/devices/platform", &read(device.join("dev_name"))?, &name];
        let place: PathBuf = place.iter().collect();
        let open = |offset: usize, name: &str, write: bool| {
            let path = place.join(format!("sim_gpio{offset}")).join(name);
            fs::OpenOptions::new().read(!write).write(write).open(&path).map_err(RigFault::file("open", &path))
        };
        let line = |offset| Ok::<_, RigFault>((open(offset, "value", false)?, open(offset, "pull", true)?));
        let lines = (0..names.len()).map(line).collect::<Result<_, _>>()?;
        Ok(Self { lines, device: Path::new("/dev").join(name), _made: made })
    }

    /// The level of a line; `None` once the chip is gone.
    pub(super) fn level(&self, offset: usize) -> Option<bool> {
        let mut text = [0; 1];
        self.lines.get(offset)?.0.read_at(&mut text, 0).ok()?;
        Some(text == *b"1")
    }

    /// Sets the level that a line reads while it is not driven.
    pub(super) fn pull(&self, offset: usize, up: bool) {
        if let Some((_, pull)) = self.lines.get(offset) {
            // If the chip is gone, the process that holds its lines reports it.
            let _ = pull.write_all_at(if up { b"pull-up" } else { b"pull-down" }, 0);
        }
    }

    /// Pulls an input of the table's to where it is active, or inactive.
    fn pull_line(&self, line: InLine, active: bool) {
        if let Some(at) = InLine::ALL.iter().position(|of| *of == line) {
            let offset = at + OutLine::ALL.len();
            self.pull(offset, active != active_low(offset));
        }
    }

    /// The outputs, and whether each is active now. The dead-man line is read before the motor's: if the daemon switches the motor on
    /// between the two reads, its first dead-man edge must not seem to have come earlier.
    fn levels(&self) -> Vec<(OutLine, bool)> {
        let outputs = OutLine::ALL.into_iter().enumerate().rev();
        let read = outputs.filter_map(|(offset, line)| Some((line, self.level(offset)? != active_low(offset))));
        let mut levels: Vec<_> = read.collect();
        levels.reverse();
        levels
    }
}

/// Directory of the kernel's chip and its number of lines, for removal.
#[derive(Debug)]
struct Made(PathBuf, usize);

impl Drop for Made {
    fn drop(&mut self) {
        // What cannot be removed disappears with the guest.
        let bank = self.0.join("bank0");
        let _ = fs::write(self.0.join("live"), "0");
        for offset in 0..self.1 {
            let _ = fs::remove_dir(bank.join(format!("line{offset}")));
        }
        let _ = fs::remove_dir(bank);
        let _ = fs::remove_dir(&self.0);
    }
}

/// Copies levels between the chip and the virtual wire until `stop` is set.
fn bridge(pins: &SimChip, wire: &Path, stop: &AtomicBool) {
    while !stop.load(Ordering::SeqCst) {
        if let Ok(stream) = UnixStream::connect(wire) {
            let _ = relay(pins, &stream, stop);
        }
        std::thread::sleep(LOOK);
    }
}

/// The same over one connection; returns an error when it is closed.
fn relay(pins: &SimChip, stream: &UnixStream, stop: &AtomicBool) -> std::io::Result<()> {
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
                    pins.pull_line(line, active);
                }
                line.clear();
            }
            // An incomplete line stays in `line`.
            Err(error)
                if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut | ErrorKind::Interrupted) => {}
            Err(error) => return Err(error),
        }
        for ((line, active), told) in pins.levels().into_iter().zip(&mut told) {
            // A daemon does not send the dead-man line's level before its first edge.
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
