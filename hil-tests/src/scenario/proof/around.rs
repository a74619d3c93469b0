//! What can happen around the daemon, and what people may lawfully do, none of which opens a latch: restarts, other
//! settings, lost and older files, messages, clocks, the table closed, maintenance, other rules, a power cut.

use super::super::order;
use super::super::run::{Halt, Runner};
use super::Before;
use super::attempts::{maintenance, name};
use tumbler_bench::{Outside, Trouble};
use tumbler_core::latch::Code;
use tumbler_core::line::InLine;
use tumbler_core::rules;
use tumbler_core::settings::Settings;
use tumbler_core::wire::console::{Answer, Command};
use tumbler_twin::MS;

/// After a start the table has seen every button at rest and heard every unit by then, in milliseconds.
const UP: u64 = 400;
/// What breaks beside a running daemon has shown within this time, in milliseconds.
const SHOWN: u64 = 10_000;

/// How the daemon ends before it starts again.
#[derive(Clone, Copy)]
enum End {
    Stop,
    Kill,
}

impl Runner<'_> {
    /// Everything that restarts the daemon or closes the table. The table ends latched, and closed.
    pub(super) fn try_around(&mut self, before: &Before) -> Result<(), Halt> {
        for outside in [Outside::BrokerHostile, Outside::ClockForward, Outside::ClockBack] {
            self.try_beside(before, outside)?;
        }
        self.try_restart(before, "a kill and a start", End::Kill, |_| Ok(()))?;
        self.try_restart(before, "a stop and a start", End::Stop, |_| Ok(()))?;
        // No key is in force after a start: whoever asks now asks without it.
        self.try_commands(before)?;
        for outside in [Outside::PermitMissing, Outside::RunMissing, Outside::PermitOlder] {
            let what = format!("a start with {outside:?}");
            self.try_restart(before, &what, End::Stop, |runner| Ok(runner.bench.disturb(outside)?))?;
        }
        let now = self.bench.settings().clone();
        self.try_settings(before, "a start with other parameters and devices", &now, other_parameters(&now))?;
        self.try_closed(before)?;
        self.try_maintenance(before)?;
        match other_rules(&now) {
            Some(other) => self.try_settings(before, "a start under another rule set", &now, other)?,
            None => self.left_out("another rule set", "none has as many lamps"),
        }
        self.try_power_cut(before)
    }

    /// The table is up again: the buttons are tried, and the latch is as it was.
    fn tried(&mut self, before: &Before, what: &str) -> Result<(), Halt> {
        self.pass(UP)?;
        self.try_each_button(before, what)?;
        self.still_latched(before, what)
    }

    /// Something breaks beside the daemon, which goes on.
    fn try_beside(&mut self, before: &Before, outside: Outside) -> Result<(), Halt> {
        let what = format!("{outside:?}");
        match self.bench.disturb(outside) {
            Err(Trouble::NotHere(why)) => {
                self.left_out(&what, &why);
                return Ok(());
            }
            done => done?,
        }
        let until = self.bench.now() + SHOWN * MS;
        while !self.bench.disturbed(outside) {
            if self.bench.now() >= until {
                return Err(Trouble::Rig(format!("{what} never took hold")).into());
            }
            self.bench.pass(until)?;
        }
        self.tried(before, &what)?;
        Ok(self.bench.restore(outside)?)
    }

    /// The daemon ends, something happens while it is off, and it starts again.
    fn try_restart(
        &mut self,
        before: &Before,
        what: &str,
        end: End,
        meanwhile: impl FnOnce(&mut Self) -> Result<(), Halt>,
    ) -> Result<(), Halt> {
        match end {
            End::Stop => self.bench.stop()?,
            End::Kill => self.bench.kill()?,
        }
        let happened = meanwhile(self);
        self.bench.start()?;
        match happened {
            Err(Halt::Trouble(Trouble::NotHere(why))) => self.left_out(what, &why),
            done => done?,
        }
        self.tried(before, what)
    }

    /// The daemon starts with other settings, and then with its own again.
    fn try_settings(&mut self, before: &Before, what: &str, own: &Settings, other: Settings) -> Result<(), Halt> {
        self.try_restart(before, what, End::Stop, |runner| Ok(runner.bench.reconfigure(other)?))?;
        let back = format!("{what}, and its own again");
        self.try_restart(before, &back, End::Stop, |runner| Ok(runner.bench.reconfigure(own.clone())?))
    }

    /// The supervisor closes the table, and cannot open it.
    fn try_closed(&mut self, before: &Before) -> Result<(), Halt> {
        self.role = tumbler_bench::Role::Supervisor;
        self.ask(Command::Close { name: name() })?;
        self.answer(true, "")?;
        self.try_commands(before)?;
        self.tried(before, "the table closed by the supervisor")
    }

    /// Under a new turn of the key maintenance is lawful, and no way to a game.
    fn try_maintenance(&mut self, before: &Before) -> Result<(), Halt> {
        if before.code == Code::Key || self.held.contains(&InLine::SupervisorKey) {
            self.left_out("maintenance", "its key is the malfunction");
            return Ok(());
        }
        self.turn_key()?;
        for on in [true, false] {
            self.ask(maintenance(on))?;
            if let Answer::Refused(why) = self.await_answer()? {
                return Err(self.wrong(before, "maintenance under the key", &format!("it was refused ({why})")));
            }
            self.try_commands(before)?;
            self.tried(before, if on { "maintenance begun" } else { "maintenance ended" })?;
        }
        Ok(())
    }

    fn try_power_cut(&mut self, before: &Before) -> Result<(), Halt> {
        match self.bench.power(false) {
            Err(Trouble::NotHere(why)) => {
                self.left_out("a power cut", &why);
                return Ok(());
            }
            done => done?,
        }
        self.bench.power(true)?;
        self.try_commands(before)?;
        self.tried(before, "a power cut")
    }
}

/// Other timings, and a table without reader and temperature sensor: nothing of it may look like a repair.
fn other_parameters(now: &Settings) -> Settings {
    let mut other = now.clone();
    (other.reader, other.temperature) = (false, false);
    other.parameters.target_tumbles += 1;
    other.parameters.temperature_limit += 10;
    other.parameters.seal_debounce += 10;
    other.parameters.button_stuck += 1000;
    other
}

/// Another rule set with as many lamps, under the same kind of cover if there is one: the table stays as it is built.
fn other_rules(now: &Settings) -> Option<Settings> {
    let lamps = rules::layout(&now.layout)?.areas.len().div_ceil(64);
    let covered = order::covered(&now.rules);
    let mut others: Vec<_> = rules::all()
        .iter()
        .filter(|set| set.id != now.rules)
        .filter_map(|set| Some((set, set.layouts.iter().find(|l| l.areas.len().div_ceil(64) == lamps)?)))
        .collect();
    others.sort_by_key(|(set, _)| order::covered(&set.id) != covered);
    let (set, layout) = others.first()?;
    Some(Settings { rules: set.id.clone(), layout: layout.id.clone(), ..now.clone() })
}
