//! The virtual bench as scenarios see it.

use super::clock;
use super::console::{Person, StatusReply};
use super::proxy::Path;
use super::rig_fault::RigFault;
use super::table::Virtual;
use crate::injection_check::{InjectionCheck, InjectionChecked};
use crate::log::Log;
use crate::{Bench, BenchError, EnvironmentFault, Physical, Role};
use nix::sys::signal::Signal;
use tumbler_core::settings::Settings;
use tumbler_core::snapshot::Snapshot;
use tumbler_core::wire::console::{Answer, Command};
use tumbler_twin::{Act, Fault, MS};

/// `pass` returns at least this often, because some truths change without an event.
const NAP_NANOS: u64 = 100 * MS;
/// How long the daemon may take to stop when asked, as `TimeoutStopSec` of its unit.
const STOP_NANOS: u64 = 10_000 * MS;
/// How long the console may lag behind the journal.
const SHOW_NANOS: u64 = 2_000 * MS;
/// How long other programs may keep the daemon waiting on two cores; stalls of 136 ms were seen on such machines.
const GRACE_NANOS: u64 = 150 * MS;
/// Time for the table to come to rest after the last step.
const REST_NANOS: u64 = 1_500 * MS;

impl From<RigFault> for BenchError {
    fn from(fault: RigFault) -> Self {
        match fault {
            RigFault::Table(bad) => bad.into(),
            fault => Self::Rig(fault.to_string()),
        }
    }
}

impl Virtual {
    fn query_status(&mut self) -> Result<Option<StatusReply>, RigFault> {
        let Ok(request) = self.console.status() else { return Ok(None) };
        let until = self.world.now() + SHOW_NANOS;
        let there = |table: &mut Self| {
            Ok(table.status.as_ref().is_some_and(|(n, _)| *n == request) || table.answers.contains_key(&request))
        };
        self.tick_until(until, there)?;
        Ok(self.status.take_if(|(n, _)| *n == request).map(|(_, told)| *told))
    }

    /// Gives the injection check every snapshot that is read anyway. A status request of its own would delay the first fault, which
    /// may have to hit one moment of a spin.
    fn feed_injection_check(&mut self, shown: &Snapshot) {
        if self.injection_check.is_due() {
            self.world.log.records.iter().for_each(|durable| self.injection_check.learn(&durable.record.event));
            let _ = self.injection_check.admit(shown);
        }
    }

    /// Begins a tick and delivers everything that happened before it, so that what is reported next comes after that.
    pub(super) fn catch_up(&mut self) {
        self.world.begin_tick();
        self.world.deliver_wires(&mut self.socket);
    }

    /// Cleans up after the daemon's process has ended.
    pub(super) fn daemon_ended(&mut self) {
        self.expected_down = true;
        self.socket.hang_up();
        // What the twin showed while the process was ending comes before its end.
        self.world.log.down = true;
        self.catch_up();
        self.world.process_alive(false);
        for request in self.console.forget() {
            self.answers.insert(request, Answer::refused("no-daemon", "the daemon is gone"));
        }
        // Read the last records, then close the file.
        self.world.journal.close();
        self.world.read_journal();
        self.world.journal.close();
    }

    /// Sets the state of the network between daemon and broker.
    pub fn network(&mut self, path: Path) {
        self.proxy.set(path);
    }
}

impl InjectionChecked for Virtual {
    fn injection_check(&mut self) -> &mut InjectionCheck {
        &mut self.injection_check
    }
}

impl Bench for Virtual {
    fn now(&self) -> u64 {
        self.world.now()
    }

    fn pass(&mut self, until: u64) -> Result<(), BenchError> {
        let news = self.world.news;
        let nap = until.min(self.world.now() + NAP_NANOS);
        self.tick_until(nap, |table| Ok(table.world.news != news))?;
        Ok(())
    }

    fn act(&mut self, act: Act) -> Result<(), BenchError> {
        self.world.begin_tick();
        self.world.act_on_twin(|twin, at, out| twin.person(at, act, out));
        self.world.deliver_wires(&mut self.socket);
        Ok(())
    }

    fn dictate(&mut self, faces: Option<[u8; 3]>) -> Result<(), BenchError> {
        self.world.twin.dictate(faces);
        Ok(())
    }

    fn fault(&mut self, fault: Fault) -> Result<(), BenchError> {
        self.check_injection()?;
        self.catch_up();
        self.world.judges.broken(self.world.tick, fault, true);
        self.world.act_on_twin(|twin, at, out| twin.fault(at, fault, out));
        self.world.deliver_wires(&mut self.socket);
        Ok(())
    }

    fn heal(&mut self, fault: Fault) -> Result<(), BenchError> {
        self.world.begin_tick();
        self.world.act_on_twin(|twin, at, out| twin.heal(at, fault, out));
        self.world.deliver_wires(&mut self.socket);
        self.world.judges.broken(self.world.tick, fault, false);
        Ok(())
    }

    fn fault_took_effect(&mut self, fault: Fault) -> bool {
        self.world.twin.took_effect(fault)
    }

    fn disturb(&mut self, fault: EnvironmentFault) -> Result<(), BenchError> {
        self.check_injection()?;
        self.break_environment(fault)
    }

    fn restore(&mut self, fault: EnvironmentFault) -> Result<(), BenchError> {
        self.mend_environment(fault)
    }

    fn environment_fault_took_effect(&mut self, fault: EnvironmentFault) -> bool {
        self.environment_shows(fault)
    }

    fn physical(&mut self) -> Physical {
        self.world.begin_tick();
        self.world.deliver_wires(&mut self.socket);
        Physical::of(&self.world.twin, self.world.tick)
    }

    fn ask(&mut self, role: Role, command: Command) -> Result<u64, BenchError> {
        let person = match role {
            Role::Supervisor => Person::Supervisor,
            Role::Manager => Person::Manager,
            Role::Technician => Person::Technician,
            Role::Nobody => Person::Nobody,
        };
        if person != Person::Supervisor && !nix::unistd::Uid::effective().is_root() {
            return Err(BenchError::Unsupported(format!(
                "only root can send a {} to the console from an account of its own",
                role.name()
            )));
        }
        self.catch_up();
        let request = self.console.command(person, &command)?;
        self.world.judges.console_command(self.world.tick, request, &command, role);
        Ok(request)
    }

    fn answer(&mut self, request: u64) -> Option<Answer> {
        self.answers.get(&request).cloned()
    }

    fn snapshot(&mut self) -> Result<Option<Snapshot>, BenchError> {
        if self.expected_down {
            return Ok(None);
        }
        // The rig may have read records that the daemon does not show yet: it shows a record only once it knows that it is durable.
        let until = self.world.now() + SHOW_NANOS;
        loop {
            let last = self.world.journal.last();
            let Some(StatusReply { snapshot, .. }) = self.query_status()? else { return Ok(None) };
            if snapshot.seq >= last || self.world.now() >= until {
                self.feed_injection_check(&snapshot);
                return Ok(Some(snapshot));
            }
        }
    }

    fn kill(&mut self) -> Result<(), BenchError> {
        self.daemon.kill()?;
        self.daemon_ended();
        Ok(())
    }

    fn stop(&mut self) -> Result<(), BenchError> {
        self.tick()?;
        self.world.journal.close();
        self.daemon.signal(Signal::SIGTERM)?;
        self.expected_down = true;
        let until = self.world.now() + STOP_NANOS;
        if !self.tick_until(until, |table| Ok(!table.daemon.running()?))? {
            self.findings.push(format!("tumblerd did not stop within {} s", STOP_NANOS / (1000 * MS)));
            self.daemon.kill()?;
        } else if let Some(status) = self.daemon.ended()?.filter(|status| !status.success()) {
            self.findings.push(format!("tumblerd, asked to stop, ended with {status}:\n{}", self.dir.log_tail(12)));
        }
        self.daemon_ended();
        Ok(())
    }

    fn start(&mut self) -> Result<(), BenchError> {
        Ok(self.launch()?)
    }

    fn settings(&self) -> &Settings {
        &self.setup.settings
    }

    fn reconfigure(&mut self, settings: Settings) -> Result<(), BenchError> {
        self.setup.settings = settings;
        // It reads the configuration at its start, which comes with the daemon's.
        self.daemon.kill_network()?;
        Ok(self.setup.write(&self.dir, self.proxy.address())?)
    }

    fn power(&mut self, on: bool) -> Result<(), BenchError> {
        if on { self.power_on() } else { self.power_off() }
    }

    fn broker_connected(&mut self) -> Result<Option<bool>, BenchError> {
        Ok(self.query_status()?.and_then(|told| told.connected))
    }

    fn retained_differences(&mut self) -> Result<Vec<String>, BenchError> {
        self.retained_differences()
    }

    fn broker(&mut self, up: bool) -> Result<(), BenchError> {
        self.proxy.set(if up { Path::Up } else { Path::Down });
        Ok(())
    }

    fn lateness(&self) -> Option<String> {
        self.stalls().verdict()
    }

    fn grace(&self) -> u64 {
        GRACE_NANOS
    }

    fn log(&self) -> &Log {
        &self.world.log
    }

    /// Judges see what a process did with a delay, so violations are collected at the end.
    fn first_violation(&self) -> Option<String> {
        None
    }

    fn unlisted(&self) -> Option<String> {
        self.world.judges.unlisted()
    }

    fn allowed_endings(&self) -> Vec<tumbler_spec::AllowedEndings> {
        self.world.judges.allowed_endings()
    }

    fn finish(&mut self) -> Result<Vec<String>, BenchError> {
        let until = self.world.now() + REST_NANOS;
        self.tick_until(until, |_| Ok(false))?;
        let mut found = self.world.judges.finish(self.world.tick);
        found.append(&mut self.findings);
        found.extend(self.relay_violations());
        clock::check_interrupt()?;
        Ok(found)
    }
}
