//! A bench that comments on what happens while a scenario runs, and cleans up after it.

use super::descriptions;
use crate::cli::say;
use crate::scenario::attend::{Attendant, LOOK};
use tumbler_bench::log::Log;
use tumbler_bench::process::Virtual;
use tumbler_bench::{Bench, BenchError, EnvironmentFault, Physical, Role};
use tumbler_core::line::InLine;
use tumbler_core::rules::{self, Layout};
use tumbler_core::settings::Settings;
use tumbler_core::snapshot::Snapshot;
use tumbler_core::units::Dice;
use tumbler_core::wire::console::{Answer, Command, Exit};
use tumbler_twin::{Act, Declared, Fault, MS};

/// The supervisor who cleans up.
const NAME: &str = "Ana";

/// Column at which what happens begins, behind the time.
const TOLD: usize = 15;

/// A bench with commentary.
pub(super) struct Narrator {
    bench: Virtual,
    /// One of several tables, which is told of in a line a story.
    quiet: bool,
    layout: Option<&'static Layout>,
    /// The log of the story in progress.
    log: Log,
    /// Number of the bench's records that were narrated.
    narrated: usize,
    /// Number of earlier stories' rounds that the judges' truth table has judged.
    judged: usize,
    phase: String,
    tumbles: i64,
    lit: [u64; 2],
    power: bool,
    faults: Vec<Fault>,
    /// The broker is there.
    broker: bool,
}

impl Narrator {
    pub(super) fn new(bench: Virtual, layout: &str) -> Self {
        let layout = rules::layout(layout);
        let narrated = bench.log().records.len();
        let log = Log::default();
        let (phase, faults) = (String::new(), Vec::new());
        Self {
            bench,
            quiet: false,
            layout,
            log,
            narrated,
            judged: 0,
            phase,
            tumbles: 0,
            lit: [0; 2],
            power: false,
            faults,
            broker: true,
        }
    }

    /// The same without the commentary.
    pub(super) fn quiet(bench: Virtual, layout: &str) -> Self {
        Self { quiet: true, ..Self::new(bench, layout) }
    }

    pub(super) fn log_tail(&self, lines: usize) -> String {
        self.bench.log_tail(lines)
    }

    fn tell(&self, text: &str) {
        if self.quiet {
            return;
        }
        say::hanging(&format!("   {:>8.3} s  {text}", self.bench.now() as f64 / 1e9), TOLD);
    }

    /// Narrates what is new.
    fn listen(&mut self) -> Result<(), BenchError> {
        let new: Vec<_> = self.bench.log().records.iter().skip(self.narrated).cloned().collect();
        self.narrated += new.len();
        for durable in &new {
            if let Some(text) = descriptions::record(&durable.record) {
                self.tell(&text);
            }
        }
        let fresh = !new.is_empty();
        self.log.records.extend(new);
        let Log { power, last_alive, bells, relayed, .. } = self.bench.log();
        (self.log.last_alive, self.log.bells, self.log.relayed) = (*last_alive, *bells, *relayed);
        self.log.power.clone_from(power);
        self.look();
        if fresh {
            if let Some(snapshot) = self.bench.snapshot()? {
                self.show(&snapshot);
            }
        }
        Ok(())
    }

    /// Narrates what a person at the table would see.
    fn look(&mut self) {
        let seen = self.bench.physical();
        if seen.motor_power != self.power {
            self.power = seen.motor_power;
            if self.power {
                self.tumbles = 0;
            }
            self.tell(if self.power { "the motor has power" } else { "the motor has none" });
        }
        let full = seen.milli_tumbles / 1000;
        if seen.shaft_moves && full > self.tumbles {
            self.tumbles = full;
            self.tell(&format!("tumble {full}"));
        }
        if seen.shining != self.lit {
            self.lit = seen.shining;
            let areas = self.layout.iter().flat_map(|layout| &layout.areas);
            let shining: Vec<String> = areas
                .enumerate()
                .filter(|(place, _)| seen.shining.get(place / 64).is_some_and(|word| (word >> (place % 64)) & 1 == 1))
                .map(|(_, area)| area.id.clone())
                .collect();
            let text = if shining.is_empty() {
                "all areas dark".into()
            } else {
                format!("lit: {}", descriptions::some(&shining))
            };
            self.tell(&text);
        }
    }

    fn show(&mut self, snapshot: &Snapshot) {
        if snapshot.phase.name() != self.phase {
            snapshot.phase.name().clone_into(&mut self.phase);
            self.tell(&format!("phase {}", self.phase));
        }
    }

    /// Lets this much time pass.
    pub(super) fn pass_for(&mut self, millis: u64) -> Result<(), BenchError> {
        let until = self.now() + millis * MS;
        while self.now() < until {
            self.pass(until)?;
        }
        Ok(())
    }

    fn turn_key(&mut self) -> Result<(), BenchError> {
        self.act(Act::Press { line: InLine::SupervisorKey, millis: 500 })?;
        self.pass_for(700)
    }

    /// Gives a command under the key. Returns whether it was done.
    fn command(&mut self, command: Command) -> Result<bool, BenchError> {
        self.turn_key()?;
        let request = self.ask(Role::Supervisor, command)?;
        let until = self.now() + 30_000 * MS;
        let mut attendant = Attendant::default();
        while self.now() < until {
            if let Some(answer) = self.answer(request) {
                if let Answer::Refused { why, .. } = &answer {
                    self.tell(&format!("the table refuses: {why}"));
                }
                return Ok(matches!(answer, Answer::Done(_)));
            }
            attendant.look(self)?;
            self.pass(until.min(self.now() + LOOK * MS))?;
        }
        Ok(false)
    }

    /// Cleans up after a story: heals its faults, opens its latches and ends its round.
    pub(super) fn tidy_up(&mut self) -> Result<(), BenchError> {
        for fault in std::mem::take(&mut self.faults) {
            self.bench.heal(fault)?;
        }
        self.broker(true)?;
        // A story that was given up may have left the table without power, or without its daemon.
        if !self.physical().supply {
            self.power(true)?;
        }
        if self.snapshot()?.is_none() {
            self.start()?;
        }
        self.bench.dictate(None)?;
        self.pass_for(1000)?;
        for _ in 0..6 {
            let Some(snapshot) = self.snapshot()? else { break };
            // No latch can be opened during a round, and a round whose outcome is established is settled, not voided.
            if snapshot.round.is_some() {
                let (reason, name) = (String::from("the demo goes on"), NAME.to_owned());
                let void =
                    Command::Void { reason: reason.clone(), damaged_dice: false, not_flat: false, name: name.clone() };
                if !self.command(void)? {
                    let dice = Dice::from_pips(self.physical().faces).ok().filter(|_| snapshot.result.is_none());
                    self.command(Command::Settle { dice, reason, name })?;
                }
            } else if let Some(malfunction) = snapshot.malfunctions.first() {
                self.command(Command::Reset { code: malfunction.code, exit: Exit::Rectified, name: NAME.into() })?;
            } else {
                break;
            }
        }
        self.log = Log::default();
        self.judged = self.bench.allowed_endings().len();
        Ok(())
    }

    /// Ends the table. Returns the judges' violations.
    pub(super) fn close(mut self) -> Vec<String> {
        self.bench.finish().unwrap_or_default()
    }
}

impl Bench for Narrator {
    fn now(&self) -> u64 {
        self.bench.now()
    }
    fn pass(&mut self, until: u64) -> Result<(), BenchError> {
        self.bench.pass(until)?;
        self.listen()
    }
    fn act(&mut self, act: Act) -> Result<(), BenchError> {
        match act {
            Act::LiftDome => self.tell("the dealer takes the dome away"),
            Act::LowerDome => self.tell("the dealer puts the dome on"),
            Act::Key(7) => self.tell("the dealer presses entry"),
            Act::Press { line, .. } if line != InLine::SupervisorKey => {
                self.tell(&format!("somebody presses {}", line.name()));
            }
            _ => {}
        }
        self.bench.act(act)
    }
    fn dictate(&mut self, faces: Option<[u8; 3]>) -> Result<(), BenchError> {
        self.bench.dictate(faces)
    }
    fn fault(&mut self, fault: Fault) -> Result<(), BenchError> {
        self.tell(&format!("(the rig breaks something: {})", fault.name(self.layout)));
        self.faults.push(fault);
        self.bench.fault(fault)
    }
    fn heal(&mut self, fault: Fault) -> Result<(), BenchError> {
        self.tell(&format!("(the rig mends it: {})", fault.name(self.layout)));
        self.faults.retain(|f| *f != fault);
        self.bench.heal(fault)
    }
    fn fault_took_effect(&mut self, fault: Fault) -> bool {
        self.bench.fault_took_effect(fault)
    }
    fn disturb(&mut self, fault: EnvironmentFault) -> Result<(), BenchError> {
        self.bench.disturb(fault)
    }

    fn restore(&mut self, fault: EnvironmentFault) -> Result<(), BenchError> {
        self.bench.restore(fault)
    }

    fn environment_fault_took_effect(&mut self, fault: EnvironmentFault) -> bool {
        self.bench.environment_fault_took_effect(fault)
    }

    fn physical(&mut self) -> Physical {
        self.bench.physical()
    }
    fn ask(&mut self, role: Role, command: Command) -> Result<u64, BenchError> {
        self.bench.ask(role, command)
    }
    fn answer(&mut self, request: u64) -> Option<Answer> {
        self.bench.answer(request)
    }
    fn snapshot(&mut self) -> Result<Option<Snapshot>, BenchError> {
        self.bench.snapshot()
    }
    fn kill(&mut self) -> Result<(), BenchError> {
        self.tell("(the rig kills tumblerd: SIGKILL)");
        self.bench.kill()
    }
    fn stop(&mut self) -> Result<(), BenchError> {
        self.tell("(tumblerd is asked to stop)");
        self.bench.stop()
    }
    fn start(&mut self) -> Result<(), BenchError> {
        self.tell("(tumblerd is started again)");
        self.bench.start()
    }
    fn settings(&self) -> &Settings {
        self.bench.settings()
    }
    fn reconfigure(&mut self, settings: Settings) -> Result<(), BenchError> {
        self.bench.reconfigure(settings)
    }
    fn power(&mut self, on: bool) -> Result<(), BenchError> {
        self.bench.power(on)
    }
    fn grace(&self) -> u64 {
        self.bench.grace()
    }
    fn lateness(&self) -> Option<String> {
        self.bench.lateness()
    }
    fn first_violation(&self) -> Option<String> {
        self.bench.first_violation()
    }
    fn unlisted(&self) -> Option<String> {
        self.bench.unlisted()
    }
    fn allowed_endings(&self) -> Vec<tumbler_spec::AllowedEndings> {
        self.bench.allowed_endings().split_off(self.judged)
    }

    fn broker_connected(&mut self) -> Result<Option<bool>, BenchError> {
        self.bench.broker_connected()
    }

    fn retained_differences(&mut self) -> Result<Vec<String>, BenchError> {
        self.bench.retained_differences()
    }

    fn broker(&mut self, up: bool) -> Result<(), BenchError> {
        // Healing everything says so too where nothing was gone.
        if core::mem::replace(&mut self.broker, up) != up {
            self.tell(if up { "(the broker is back)" } else { "(the broker is gone)" });
        }
        self.bench.broker(up)
    }
    fn log(&self) -> &Log {
        &self.log
    }
    fn finish(&mut self) -> Result<Vec<String>, BenchError> {
        self.listen()?;
        Ok(Vec::new())
    }
}
