//! Edges come in: the motor guard looks at them raw and first, then each device takes its own.

use super::{RunsFor, Table};
use crate::device::dome::Place;
use crate::device::guard::Guard;
use crate::device::tumbler::{Defect, Report, Stop};
use crate::latch::{Code, IN_SPIN};
use crate::line::{InLine, OutLine};
use crate::record::Event;
use crate::round::SpinEnd;
use crate::round::ending::VoidReason;
use crate::timer::Timer;
use crate::units::{MilliCelsius, Millis};

/// The dealer's buttons.
pub(super) const BUTTONS: [InLine; 4] = [InLine::Tumble, InLine::PlaceBets, InLine::NoMoreBets, InLine::NoSpin];

impl Table {
    /// Of the contacts that are not the dome's, which has its own.
    fn debounce_of(&self, line: InLine) -> Millis {
        let p = &self.settings.parameters;
        Millis(match line {
            InLine::Seal => p.seal_debounce,
            // The driver's fault output and the supply's signal are not contacts: they do not bounce, but may flicker.
            InLine::MotorFault | InLine::PowerGood => p.flicker,
            _ => p.button_debounce,
        })
    }

    /// A line's level when watching it began.
    pub(super) fn level(&mut self, line: InLine, active: bool) {
        self.inputs.note(line, active);
        let (at, p) = (self.at, self.settings.parameters);
        match line {
            InLine::CamA | InLine::CamB => self.tumbler.level(line, active),
            InLine::DomeClosed | InLine::DomeOpen => {
                let moved = self.dome.level(line, active, at, Millis(p.dome_travel), &mut self.timers);
                if let Some(place) = moved {
                    self.dome_moved(place);
                }
            }
            _ => {
                self.inputs.level(line, active, &mut self.timers);
                self.first_level(line, active);
            }
        }
        self.look_at_guards(line);
        self.shown = true;
    }

    /// What a contact's first level says: a button that is active at start is stuck and starts nothing.
    fn first_level(&mut self, line: InLine, active: bool) {
        let p = self.settings.parameters;
        let at = self.at;
        match line {
            _ if BUTTONS.contains(&line) || line == InLine::SupervisorKey => {
                if active && line == InLine::SupervisorKey {
                    self.timers.after(Timer::Held(line), at, Millis(p.key_stuck));
                } else if active {
                    self.latch(Code::Buttons, format!("the button {} is active at the start", line.name()));
                } else {
                    self.timers.clear(Timer::Held(line));
                }
            }
            InLine::Seal if !active => self.seal_broken(),
            InLine::MotorFault if active => self.driver_fault(),
            _ => {}
        }
    }

    /// A raw edge.
    pub(super) fn edge(&mut self, line: InLine, active: bool) {
        self.inputs.note(line, active);
        self.look_at_guards(line);
        let (at, p) = (self.at, self.settings.parameters);
        match line {
            InLine::CamA | InLine::CamB => {
                self.probe_edge(line, active);
                let (stamp, read) = (self.stamp, self.handed);
                if self.tumbler.is_lost(stamp, read, &p) {
                    self.gap(line);
                    return;
                }
                let report = self.tumbler.edge(line, active, stamp, read, &p, &mut self.timers, &mut self.out);
                if let Some(report) = report {
                    self.tumbler_reports(report);
                }
            }
            InLine::DomeClosed | InLine::DomeOpen => {
                self.probe_edge(line, active);
                let (debounce, travel) = (Millis(p.dome_debounce), Millis(p.dome_travel));
                self.dome.edge(line, active, at, debounce, travel, &mut self.timers);
            }
            _ => {
                self.probe_edge(line, active);
                let debounce = self.debounce_of(line);
                self.inputs.edge(line, active, at, debounce, &mut self.timers);
            }
        }
    }

    /// The first line that guards the motor and says, raw, that it may not run.
    pub(super) fn guard_away(&self) -> Option<InLine> {
        let commanded = self.tumbler.is_on() || self.tumbler.is_cut();
        self.guard.away(&self.inputs, self.order.covered, commanded)
    }

    /// The motor guard: the first raw edge that takes a guard line away cuts the motor at once.
    fn look_at_guards(&mut self, line: InLine) {
        let (at, read, p) = (self.stamp, self.handed, self.settings.parameters);
        let report = if self.tumbler.is_on() && self.guard.is_away(line, &self.inputs, self.order.covered, true) {
            self.shown = true;
            self.tumbler.cut(line, at, read, &p, &mut self.timers, &mut self.out)
        } else if self.tumbler.is_cut() && self.guard_away().is_none() {
            self.tumbler.resume(at, read, &p, &mut self.timers, &mut self.out)
        } else {
            None
        };
        if let Some(report) = report {
            self.tumbler_reports(report);
        }
    }

    /// The run is over, and a guard line that ended it has had its time to show that it has changed. If it has not, it is not to
    /// be relied on. Returns whether that is so.
    pub(super) fn judge_chatter(&mut self) -> bool {
        let Some(line) = self.guard.take() else { return false };
        let most = self.settings.parameters.flickers;
        self.latch(Guard::malfunction(line), format!("{} flickered more than {most} times {IN_SPIN}", line.name()));
        true
    }

    /// Starts the motor; whoever calls has looked at the guards.
    pub(super) fn run_motor(&mut self, runs_for: RunsFor) {
        let (at, p) = (self.at, self.settings.parameters);
        self.runs_for = Some(runs_for);
        self.guard.begin(&self.inputs);
        self.reader.begin_spin();
        self.shown = true;
        self.tumbler.run(p.target_tumbles, at, &p, &mut self.timers, &mut self.out);
    }

    /// A contact has kept its new level for its debounce time.
    pub(super) fn debounced(&mut self, line: InLine) {
        if matches!(line, InLine::DomeClosed | InLine::DomeOpen) {
            if let Some(place) = self.dome.settle(line) {
                self.guard.clear(line);
                self.dome_moved(place);
            }
            return;
        }
        let Some(active) = self.inputs.settle(line) else { return };
        self.shown = true;
        self.guard.clear(line);
        match line {
            InLine::SupervisorKey => self.key_switched(active),
            InLine::Seal if !active => self.seal_broken(),
            InLine::MotorFault if active => self.driver_fault(),
            _ if BUTTONS.contains(&line) => self.button(line, active),
            _ => {}
        }
    }

    fn button(&mut self, line: InLine, active: bool) {
        let acts = self.inputs.press(line, active);
        if !active {
            self.timers.clear(Timer::Held(line));
            return;
        }
        self.timers.after(Timer::Held(line), self.at, Millis(self.settings.parameters.button_stuck));
        if !acts || self.stopping {
            return;
        }
        match line {
            InLine::Tumble => self.ask_for_spin(),
            InLine::PlaceBets => self.call_place_bets(),
            InLine::NoMoreBets => self.call_no_more_bets(),
            InLine::NoSpin => self.call_no_spin(),
            _ => {}
        }
    }

    /// A button or the key switch has been active for too long.
    pub(super) fn held(&mut self, line: InLine) {
        if line == InLine::SupervisorKey {
            self.latch(Code::Key, "the supervisor's key has been turned on for too long".into());
        } else {
            self.latch(Code::Buttons, format!("the button {} is stuck", line.name()));
        }
    }

    fn key_switched(&mut self, active: bool) {
        let acts = self.inputs.press(InLine::SupervisorKey, active);
        let p = self.settings.parameters;
        if !active {
            self.timers.clear(Timer::Held(InLine::SupervisorKey));
        } else if acts {
            self.timers.after(Timer::Held(InLine::SupervisorKey), self.at, Millis(p.key_stuck));
            self.timers.after(Timer::KeyLapse, self.at, Millis(p.key_privilege));
            self.key_edge = Some(self.at);
            self.record(Event::KeyTurned);
        }
    }

    fn seal_broken(&mut self) {
        self.halt_motor();
        self.latch(Code::Seal, "the seal of the dice compartment is broken".into());
        self.void_unless_established(
            VoidReason::Equipment,
            SpinEnd::Seal,
            "the seal of the dice compartment is broken",
        );
    }

    fn driver_fault(&mut self) {
        self.tumbler_defect(Defect::Driver);
    }

    /// The dome came to another place.
    pub(super) fn dome_moved(&mut self, place: Place) {
        self.shown = true;
        // Under Open Cover the dome is not in use: its contacts guard the motor, and nothing else of them matters.
        if !self.order.covered {
            return;
        }
        match place {
            Place::Open => self.dome_opened(),
            Place::Fault => {
                self.halt_motor();
                self.latch(Code::Dome, "the dome's contacts contradict each other".into());
                self.void_unless_established(
                    VoidReason::Equipment,
                    SpinEnd::Dome,
                    "the dome's contacts contradict each other",
                );
            }
            Place::Closed | Place::Travelling | Place::Unknown => {}
        }
    }

    /// What the tumbler reports.
    pub(super) fn tumbler_reports(&mut self, report: Report) {
        self.shown = true;
        match report {
            Report::Tumbled => {}
            Report::Slow => self.spin_is_slow(),
            Report::Flickered(line) => {
                self.record(Event::SpinFlickered { line: line.name().to_owned() });
                // A few breaks are borne in a game, but not in the spin that is to prove the loose contact mended.
                if self.proves_whole(Guard::malfunction(line)) {
                    self.test_failed(&format!("{} broke {IN_SPIN}", line.name()));
                }
            }
            Report::Stopped(Stop::Defect(defect)) => self.tumbler_defect(defect),
            Report::Chattered(line) => self.guard.suspect(line),
            // Judged once the shaft stands still and the dome is in its place.
            Report::Stopped(_) | Report::Still => {}
            Report::Defective(Defect::Deadman) => {
                self.test_failed(Defect::Deadman.found());
                self.latch(Code::Deadman, Defect::Deadman.found().to_owned());
            }
            Report::Defective(defect) => self.tumbler_defect(defect),
        }
    }

    /// The tumbler does not operate correctly (NZ 7.1(b)).
    pub(super) fn tumbler_defect(&mut self, defect: Defect) {
        let early = defect == Defect::Uncommanded
            && self.round.as_ref().is_some_and(|r| !r.order().covered && !r.bets_closed());
        let (at, p) = (self.at, self.settings.parameters);
        self.tumbler.halt(Stop::Defect(defect), at, &p, &mut self.timers, &mut self.out);
        if matches!(self.runs_for, Some(RunsFor::Test)) {
            self.test_failed(defect.found());
        }
        if early {
            self.void_unless_established(
                VoidReason::ActivatedEarly,
                SpinEnd::RunsOn,
                "the tumbler turned before \"No more bets\"",
            );
        }
        self.latch(Code::Tumbler, defect.found().to_owned());
        // Where the text asks only for three tumbles, and they are proved, the spin is judged as it comes to a stand.
        if self.has_three(defect.spin_end()) && !self.tumbler_voids() {
            return;
        }
        self.void_for_tumbler(defect.spin_end(), defect.found());
    }

    /// Takes motor power away, if it is on.
    pub(super) fn halt_motor(&mut self) {
        let (at, p) = (self.at, self.settings.parameters);
        self.tumbler.halt(Stop::Halt, at, &p, &mut self.timers, &mut self.out);
    }

    /// Edges of a line were lost.
    pub(super) fn gap(&mut self, line: InLine) {
        if matches!(line, InLine::CamA | InLine::CamB) {
            let (at, p) = (self.at, self.settings.parameters);
            if let Some(report) = self.tumbler.gap(at, &p, &mut self.timers, &mut self.out) {
                self.tumbler_reports(report);
                return;
            }
        }
        self.lines_fault(&format!("edges of {} were lost", line.name()));
    }

    /// The lines are gone: nothing can be watched or driven.
    pub(super) fn lose_lines(&mut self, reason: &str) {
        self.inputs.lose(&mut self.timers);
        self.dome.forget(&mut self.timers);
        self.lines_fault(reason);
        self.out.forget(&mut self.timers);
    }

    /// Wires cannot be watched or driven as they must.
    pub(super) fn lines_fault(&mut self, what: &str) {
        self.halt_motor();
        let (at, p) = (self.at, self.settings.parameters);
        self.out.set(OutLine::MotorEnable, false, at, &p, &mut self.timers);
        self.test_failed(what);
        // An output that goes on being wrong is one fault, and not one with every look at it.
        if !self.ledger.is_latched(Code::Gpio) {
            self.latch(Code::Gpio, what.to_owned());
            self.void_unless_established(VoidReason::Equipment, SpinEnd::Wires, what);
        }
        if !self.inputs.is_watched() {
            self.timers.clear(Timer::Readback(OutLine::MotorEnable));
        }
    }

    /// An output does not read back as it was told: the wires cannot be relied on. It is told again every readback time until
    /// it does: a motor that cannot be switched off has the dead-man relay alone against it, and is off as soon as a write
    /// arrives.
    pub(super) fn not_read_back(&mut self, line: OutLine) {
        let told = self.out.told(line);
        let word = if told { "active" } else { "inactive" };
        self.lines_fault(&format!("{} was told to be {word} and does not read back so", line.name()));
        // The motor is told off above, whatever it was told before.
        if self.inputs.is_watched() && line != OutLine::MotorEnable {
            let (at, p) = (self.at, self.settings.parameters);
            self.out.set(line, told, at, &p, &mut self.timers);
        }
    }

    /// A reading of the motor's temperature.
    pub(super) fn read_temperature(&mut self, reading: Option<MilliCelsius>) {
        if !self.settings.temperature {
            return;
        }
        let (at, p) = (self.at, self.settings.parameters);
        // A sensor that does not answer is given up by its own deadline.
        let Some(reading) = reading else { return };
        self.probe_temperature(reading);
        self.timers.after(Timer::TemperatureStale, at, Millis(p.temperature_stale));
        self.shown = true;
        if let Some(wrong) = self.temperature.read(reading, &p) {
            self.too_hot(wrong);
        }
    }

    /// The motor is too hot, or its sensor cannot be believed: a spin in progress ends.
    pub(super) fn too_hot(&mut self, what: String) {
        self.halt_motor();
        if matches!(self.runs_for, Some(RunsFor::Test)) {
            self.test_failed(&what);
        }
        self.latch(Code::Temperature, what);
    }
}
