//! The virtual bench as scenarios see it.

use super::clock;
use super::console::{Person, StatusReply};
use super::proxy::Path;
use super::rig_fault::RigFault;
use super::table::Virtual;
use crate::injection_check::{InjectionCheck, InjectionChecked};
use crate::log::Log;
use crate::{Bench, EnvironmentFault, Physical, Role, Trouble};
use nix::sys::signal::Signal;
use tumbler_core::settings::Settings;
use tumbler_core::snapshot::Snapshot;
use tumbler_core::wire::console::{Answer, Command};
use tumbler_twin::{Act, Fault, MS};

/// `pass` comes back at least so often, so that a truth that changes without an event is looked at.
const NAP_NANOS: u64 = 100 * MS;
/// How long the daemon may take to stop when asked, as `TimeoutStopSec` of its unit.
const STOP_NANOS: u64 = 10_000 * MS;
/// How long the daemon may take to show on the console what its journal holds.
const SHOW_NANOS: u64 = 2_000 * MS;
/// A daemon among other programs on two cores may be kept waiting so long; stalls of 136 ms were seen on such machines.
const GRACE_NANOS: u64 = 150 * MS;
/// After the last step the table has this long to come to rest.
const REST_NANOS: u64 = 1_500 * MS;

impl From<RigFault> for Trouble {
    fn from(fault: RigFault) -> Self {
        Self::Rig(fault.to_string())
    }
}

impl Virtual {
    fn asked_status(&mut self) -> Result<Option<StatusReply>, RigFault> {
        let Ok(request) = self.console.status() else { return Ok(None) };
        let until = self.world.now() + SHOW_NANOS;
        let there = |table: &mut Self| {
            Ok(table.status.as_ref().is_some_and(|(n, _)| *n == request) || table.answers.contains_key(&request))
        };
        self.turn_until(until, there)?;
        Ok(self.status.take_if(|(n, _)| *n == request).map(|(_, told)| *told))
    }

    /// Whoever asked for the status, the injection check looks at it too: asked for later, it would come between a moment of a
    /// spin and the fault that is to hit it.
    fn take_a_look(&mut self, shown: &Snapshot) {
        if self.injection_check.is_due() {
            self.world.log.records.iter().for_each(|durable| self.injection_check.learn(&durable.record.event));
            let _ = self.injection_check.admit(shown);
        }
    }

    /// Begins a turn, and tells of everything that happened before it: what is told next comes after that.
    pub(super) fn catch_up(&mut self) {
        self.world.begin_turn();
        self.world.notice(&mut self.socket);
    }

    /// Takes note that the daemon's process is gone.
    pub(super) fn ended(&mut self) {
        self.expected_down = true;
        self.socket.hang_up();
        // What the twin showed while the process went is told before that it went.
        self.world.log.down = true;
        self.catch_up();
        self.world.process(false);
        for request in self.console.forget() {
            self.answers.insert(request, Answer::Refused("the daemon is gone".into()));
        }
        // Read what it left, then let go of the file.
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

    fn pass(&mut self, until: u64) -> Result<(), Trouble> {
        let news = self.world.news;
        let nap = until.min(self.world.now() + NAP_NANOS);
        self.turn_until(nap, |table| Ok(table.world.news != news))?;
        Ok(())
    }

    fn act(&mut self, act: Act) -> Result<(), Trouble> {
        self.world.begin_turn();
        self.world.touch(|twin, at, out| twin.person(at, act, out));
        self.world.notice(&mut self.socket);
        Ok(())
    }

    fn dictate(&mut self, faces: Option<[u8; 3]>) -> Result<(), Trouble> {
        self.world.twin.dictate(faces);
        Ok(())
    }

    fn fault(&mut self, fault: Fault) -> Result<(), Trouble> {
        self.look()?;
        self.catch_up();
        self.world.judges.broken(self.world.turn, fault, true);
        self.world.touch(|twin, at, out| twin.fault(at, fault, out));
        self.world.notice(&mut self.socket);
        Ok(())
    }

    fn heal(&mut self, fault: Fault) -> Result<(), Trouble> {
        self.world.begin_turn();
        self.world.touch(|twin, at, out| twin.heal(at, fault, out));
        self.world.notice(&mut self.socket);
        self.world.judges.broken(self.world.turn, fault, false);
        Ok(())
    }

    fn took_hold(&mut self, fault: Fault) -> bool {
        self.world.twin.took_hold(fault)
    }

    fn disturb(&mut self, fault: EnvironmentFault) -> Result<(), Trouble> {
        self.look()?;
        self.break_environment(fault)
    }

    fn restore(&mut self, fault: EnvironmentFault) -> Result<(), Trouble> {
        self.mend_environment(fault)
    }

    fn disturbed(&mut self, fault: EnvironmentFault) -> bool {
        self.environment_shows(fault)
    }

    fn physical(&mut self) -> Physical {
        self.world.begin_turn();
        self.world.notice(&mut self.socket);
        Physical::of(&self.world.twin, self.world.turn)
    }

    fn ask(&mut self, role: Role, command: Command) -> Result<u64, Trouble> {
        let person = match role {
            Role::Supervisor => Person::Supervisor,
            Role::Manager => Person::Manager,
            Role::Technician => Person::Technician,
            Role::Nobody => Person::Nobody,
        };
        if person != Person::Supervisor && !nix::unistd::Uid::effective().is_root() {
            return Err(Trouble::NotHere(format!(
                "only root can send a {role:?} to the console from an account of its own"
            )));
        }
        self.catch_up();
        // Nor can the daemon tell which of both the account is.
        self.world.judges.asked(self.world.turn, &command, None);
        Ok(self.console.command(person, &command)?)
    }

    fn answer(&mut self, request: u64) -> Option<Answer> {
        self.answers.get(&request).cloned()
    }

    fn snapshot(&mut self) -> Result<Option<Snapshot>, Trouble> {
        if self.expected_down {
            return Ok(None);
        }
        // The journal was read past what the daemon shows: it shows a record only after it knows that it is durable.
        let until = self.world.now() + SHOW_NANOS;
        loop {
            let last = self.world.journal.last();
            let Some(StatusReply { snapshot, .. }) = self.asked_status()? else { return Ok(None) };
            if snapshot.seq >= last || self.world.now() >= until {
                self.take_a_look(&snapshot);
                return Ok(Some(snapshot));
            }
        }
    }

    fn kill(&mut self) -> Result<(), Trouble> {
        self.daemon.kill()?;
        self.ended();
        Ok(())
    }

    fn stop(&mut self) -> Result<(), Trouble> {
        self.turn()?;
        self.world.journal.close();
        self.daemon.signal(Signal::SIGTERM)?;
        self.expected_down = true;
        let until = self.world.now() + STOP_NANOS;
        if !self.turn_until(until, |table| Ok(!table.daemon.running()?))? {
            self.findings.push(format!("tumblerd did not stop within {} s", STOP_NANOS / (1000 * MS)));
            self.daemon.kill()?;
        } else if let Some(status) = self.daemon.ended()?.filter(|status| !status.success()) {
            self.findings.push(format!("tumblerd, asked to stop, ended with {status}:\n{}", self.dir.log_tail(12)));
        }
        self.ended();
        Ok(())
    }

    fn start(&mut self) -> Result<(), Trouble> {
        Ok(self.launch()?)
    }

    fn settings(&self) -> &Settings {
        &self.set_to.settings
    }

    fn reconfigure(&mut self, settings: Settings) -> Result<(), Trouble> {
        self.set_to.settings = settings;
        Ok(self.set_to.write(&self.dir, self.proxy.address())?)
    }

    fn power(&mut self, on: bool) -> Result<(), Trouble> {
        if on { self.power_on() } else { self.power_off() }
    }

    fn linked(&mut self) -> Result<Option<bool>, Trouble> {
        Ok(self.asked_status()?.and_then(|told| told.connected))
    }

    fn retained(&mut self) -> Result<Vec<String>, Trouble> {
        self.kept_wrongly()
    }

    fn broker(&mut self, up: bool) -> Result<(), Trouble> {
        self.proxy.set(if up { Path::Up } else { Path::Down });
        Ok(())
    }

    fn late(&self) -> Option<String> {
        self.stalls().verdict()
    }

    fn grace(&self) -> u64 {
        GRACE_NANOS
    }

    fn log(&self) -> &Log {
        &self.world.log
    }

    /// Judges see what a process did only when it was read; the end tells.
    fn found(&self) -> Option<String> {
        None
    }

    fn unlisted(&self) -> Option<String> {
        self.world.judges.unlisted()
    }

    fn allowed_endings(&self) -> Vec<tumbler_judges::AllowedEndings> {
        self.world.judges.allowed_endings()
    }

    fn finish(&mut self) -> Result<Vec<String>, Trouble> {
        let until = self.world.now() + REST_NANOS;
        self.turn_until(until, |_| Ok(false))?;
        let mut found = self.world.judges.finish(self.world.turn);
        found.append(&mut self.findings);
        found.extend(self.wrong_with_broker());
        clock::check_interrupt()?;
        Ok(found)
    }
}
