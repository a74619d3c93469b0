//! The pure bench as scenarios see it.

use super::super::injection_check::{InjectionCheck, InjectionChecked};
use super::super::log::Log;
use super::super::{Bench, BenchError, EnvironmentFault, Physical, Role};
use super::Pure;
use super::environment::RELAY_NANOS;
use tumbler_core::input::Input;
use tumbler_core::settings::Settings;
use tumbler_core::snapshot::Snapshot;
use tumbler_core::wire::console::{Answer, Caller, Command};
use tumbler_twin::{Act, Fault, MS};

/// A reboot takes this long, in table time.
const BOOT_NANOS: u64 = 20_000 * MS;
/// The service manager waits this long for a stop.
const STOP_NANOS: u64 = 5_000 * MS;
/// After the last step the table has this long to come to rest.
const REST_NANOS: u64 = 3_000 * MS;

impl Pure {
    pub(super) fn after(&mut self) -> Result<(), BenchError> {
        self.notice();
        self.drain_inputs();
        self.trouble()
    }

    fn run_until(&mut self, until: u64) -> Result<(), BenchError> {
        while self.step(until) {
            self.trouble()?;
        }
        self.trouble()
    }
}

impl InjectionChecked for Pure {
    fn injection_check(&mut self) -> &mut InjectionCheck {
        &mut self.injection_check
    }
}

impl Bench for Pure {
    fn now(&self) -> u64 {
        self.now
    }

    fn pass(&mut self, until: u64) -> Result<(), BenchError> {
        let news = self.news;
        while self.news == news && self.step(until) {
            self.trouble()?;
        }
        self.trouble()
    }

    fn act(&mut self, act: Act) -> Result<(), BenchError> {
        self.twin.person(self.now, act, &mut self.wires);
        self.after()
    }

    fn dictate(&mut self, faces: Option<[u8; 3]>) -> Result<(), BenchError> {
        self.twin.dictate(faces);
        Ok(())
    }

    fn fault(&mut self, fault: Fault) -> Result<(), BenchError> {
        self.check_injection()?;
        self.observer.broken(self.now, fault, true);
        self.twin.fault(self.now, fault, &mut self.wires);
        self.after()
    }

    fn heal(&mut self, fault: Fault) -> Result<(), BenchError> {
        self.twin.heal(self.now, fault, &mut self.wires);
        self.after()?;
        self.observer.broken(self.now, fault, false);
        Ok(())
    }

    fn fault_took_effect(&mut self, fault: Fault) -> bool {
        self.twin.took_effect(fault)
    }

    fn disturb(&mut self, fault: EnvironmentFault) -> Result<(), BenchError> {
        self.check_injection()?;
        self.break_environment(fault)
    }

    fn restore(&mut self, fault: EnvironmentFault) -> Result<(), BenchError> {
        self.mend_environment(fault)
    }

    fn environment_fault_took_effect(&mut self, fault: EnvironmentFault) -> bool {
        self.environment.shown.contains(&fault)
    }

    fn physical(&mut self) -> Physical {
        self.physical_now()
    }

    fn ask(&mut self, role: Role, command: Command) -> Result<u64, BenchError> {
        self.requests += 1;
        let request = self.requests;
        self.observer.console_command(self.now, request, &command, role);
        let caller = Caller {
            account: format!("{role:?}").to_lowercase(),
            technician: role == Role::Technician,
            supervisor: matches!(role, Role::Supervisor | Role::Manager),
            manager: role == Role::Manager,
        };
        if self.table.is_some() {
            self.inbox.push_back((self.now, Input::Console { request, caller, command }));
        } else {
            self.answers.insert(request, Answer::refused("no-daemon", "the daemon does not run"));
        }
        self.after()?;
        Ok(request)
    }

    fn answer(&mut self, request: u64) -> Option<Answer> {
        self.answers.get(&request).cloned()
    }

    fn snapshot(&mut self) -> Result<Option<Snapshot>, BenchError> {
        let Some(table) = self.table.as_ref().filter(|_| !self.environment.hung) else { return Ok(None) };
        let revision = table.revision();
        if self.shown.as_ref().is_none_or(|(shown, _)| *shown != revision) {
            self.shown = Some((revision, table.snapshot()));
            self.told_ns = None;
        }
        // For the judge of the status, in runs that only the judges decide; repeated every second, because it also judges what lasts.
        if self.told_ns.is_none_or(|at| self.now >= at + 1_000 * MS) {
            self.told_ns = Some(self.now);
            if let Some(status) = self.shown.as_ref().and_then(|(_, shown)| serde_json::to_value(shown).ok()) {
                self.observer.tell(self.now, tumbler_spec::Seen::Status(status));
            }
        }
        Ok(self.shown.as_ref().map(|(_, snapshot)| snapshot.clone()))
    }

    fn kill(&mut self) -> Result<(), BenchError> {
        self.gone();
        Ok(())
    }

    fn stop(&mut self) -> Result<(), BenchError> {
        self.inbox.push_back((self.now, Input::Stop));
        self.drain_inputs();
        let until = self.now + STOP_NANOS;
        while !self.journal.idle() && self.step(until) {
            self.trouble()?;
        }
        self.gone();
        self.trouble()
    }

    fn start(&mut self) -> Result<(), BenchError> {
        if self.table.is_some() {
            return Err(BenchError::Rig("the daemon runs already".into()));
        }
        self.launch()
    }

    fn settings(&self) -> &Settings {
        &self.settings
    }

    fn reconfigure(&mut self, settings: Settings) -> Result<(), BenchError> {
        self.settings = settings;
        Ok(())
    }

    fn power(&mut self, on: bool) -> Result<(), BenchError> {
        if on {
            self.boots += 1;
            self.boot_id = format!("boot-{}", self.boots);
            self.run_until(self.now + BOOT_NANOS)?;
            self.twin.person(self.now, Act::RestoreSupply, &mut self.wires);
            self.notice();
            self.launch()
        } else {
            self.act(Act::CutSupply)?;
            let until = self.now + 1000 * MS;
            while self.twin.supply() && self.step(until) {}
            self.trouble()
        }
    }

    fn broker_connected(&mut self) -> Result<Option<bool>, BenchError> {
        Ok(self.table.as_ref().map(|_| self.broker))
    }

    fn retained_differences(&mut self) -> Result<Vec<String>, BenchError> {
        Err(BenchError::Unsupported("the pure bench has no broker that keeps anything".into()))
    }

    fn broker(&mut self, up: bool) -> Result<(), BenchError> {
        self.broker = up;
        self.log.online = Some(up);
        self.connected(up && self.table.is_some());
        self.relay = None;
        self.relay_more();
        // A reconnect is not instant.
        if let Some((due, _)) = &mut self.relay {
            *due += 100 * RELAY_NANOS;
        }
        Ok(())
    }

    fn log(&self) -> &Log {
        &self.log
    }

    fn grace(&self) -> u64 {
        0
    }

    fn lateness(&self) -> Option<String> {
        None
    }

    fn first_violation(&self) -> Option<String> {
        self.observer.first_violation()
    }

    fn unlisted(&self) -> Option<String> {
        self.observer.unlisted()
    }

    fn allowed_endings(&self) -> Vec<tumbler_spec::AllowedEndings> {
        self.observer.allowed_endings()
    }

    fn finish(&mut self) -> Result<Vec<String>, BenchError> {
        self.run_until(self.now + REST_NANOS)?;
        Ok(self.observer.finish(self.now))
    }
}
