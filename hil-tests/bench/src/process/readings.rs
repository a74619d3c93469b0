//! Readings of the virtual bench that other benches do not have.

use super::bus::LineCounts;
use super::clock::Stalls;
use super::gpio_sim::Chip;
use super::injection::ports::holds_chip;
use super::machine;
use super::pins::Pins;
use super::rig_fault::RigFault;
use super::table::Virtual;
use super::workdir::WorkDir;
use crate::observe::Observer as Judges;
use std::net::SocketAddr;
use tumbler_core::line::OutLine;
use tumbler_core::units::Mono;
use tumbler_core::wire::lines::ToBench;
use tumbler_spec::Observation;

impl Virtual {
    /// The broker behind the proxy.
    #[must_use]
    pub fn broker_address(&self) -> SocketAddr {
        self.broker.address()
    }

    /// The line to it that the bench can cut: where the daemon connects.
    #[must_use]
    pub fn proxy_address(&self) -> SocketAddr {
        self.proxy.address()
    }

    /// The daemon's console: what `tumblerctl` takes as `--socket`.
    #[must_use]
    pub fn console_socket(&self) -> std::path::PathBuf {
        self.dir.console()
    }

    /// The observer that feeds the judges, and keeps the trace if there is one.
    #[must_use]
    pub const fn judges(&self) -> &Judges {
        &self.world.judges
    }

    /// The trace and the phases, as from [`Judges::take_trace`].
    pub fn take_trace(&mut self) -> (Vec<Observation>, Vec<(u64, String)>) {
        self.world.judges.take_trace()
    }

    /// How late the rig was at its own deadlines.
    #[must_use]
    pub fn stalls(&self) -> Stalls {
        let since = self.world.mono(0);
        Stalls { waited: machine::longest_wait(since), synced: machine::longest_sync(since), ..self.world.stalls }
    }

    /// Counts of the field bus since the daemon's last start.
    #[must_use]
    pub fn bus_counts(&self) -> LineCounts {
        self.bus.counts()
    }

    /// The daemon's process id, while it runs.
    #[must_use]
    pub fn pid(&self) -> Option<u32> {
        self.daemon.pid()
    }

    /// The id of the process that speaks to the network, while it runs.
    #[must_use]
    pub fn network_pid(&self) -> Option<u32> {
        self.daemon.network_pid()
    }

    /// From the daemon's last start to its READY, in nanoseconds.
    #[must_use]
    pub fn start_to_ready(&self) -> Option<u64> {
        self.daemon.start_to_ready()
    }

    /// The daemon's messages to the service manager so far.
    #[must_use]
    pub fn notified(&self) -> &[(Mono, String)] {
        &self.said
    }

    /// The last lines of the daemon's log.
    #[must_use]
    pub fn log_tail(&self, lines: usize) -> String {
        self.dir.log_tail(lines)
    }

    /// Ends daemon and broker, and hands over the table's directory.
    ///
    /// # Errors
    /// [`RigFault`] when the daemon cannot be killed.
    pub fn into_dir(mut self) -> Result<WorkDir, RigFault> {
        self.daemon.kill()?;
        let Self { dir, .. } = self;
        Ok(dir)
    }

    /// Whether the motor has power.
    #[must_use]
    pub fn runs(&self) -> bool {
        self.world.twin.motor_power()
    }

    /// Whether an edge of the dead-man line only shows that the daemon's pins were released: no process holds the lines of its chip,
    /// and the motor is off.
    pub(super) fn is_pin_release(&self, pin: ToBench) -> bool {
        let rests = pin.line == OutLine::MotorAlive && !self.world.twin.pin_level(OutLine::MotorEnable);
        rests && self.pins.is_some() && !holds_chip(self).unwrap_or(false)
    }

    /// The chip that the daemon holds, on a bench that simulates one.
    #[must_use]
    pub fn simulated(&self) -> Option<&Chip> {
        self.pins.as_ref().and_then(Pins::chip)
    }
}
