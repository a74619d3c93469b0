//! Edges come in: the motor guard looks at them raw and first, then each device takes its own.

use super::Table;
use crate::device::dome::Place;
use crate::device::guard::Guard;
use crate::device::key_switch::KeySwitch;
use crate::device::tumbler::RunsFor;
use crate::device::tumbler::{Defect, Report, Stop};
use crate::hardware_test::Signal;
use crate::latch::Code;
use crate::line::{InLine, OutLine};
use crate::prelude::*;
use crate::proof::Test;
use crate::record::Event;
use crate::round::SpinEnd;
use crate::round::ending::VoidReason;
use crate::round::judgement::DefectVerdict;
use crate::round::spin::LEAST_TUMBLES;
use crate::timer::Timer;
use crate::units::{MilliCelsius, Millis};

impl Table {
    /// A line's level when watching it began.
    pub(super) fn level(&mut self, line: InLine, active: bool) {
        self.devices.inputs.note(line, active);
        match line {
            InLine::CamA | InLine::CamB => self.devices.tumbler.level(line, active),
            InLine::DomeClosed | InLine::DomeOpen => {
                if let Some(place) = self.devices.dome.level(line, active, &mut self.ctx) {
                    self.dome_moved(place);
                }
            }
            _ => {
                self.devices.inputs.level(line, active, &mut self.ctx);
                self.first_level(line, active);
            }
        }
        self.look_at_guards(line);
        self.ctx.note_change();
    }

    /// What a contact's first level says: a button that is active at start is stuck and starts nothing.
    fn first_level(&mut self, line: InLine, active: bool) {
        match line {
            _ if InLine::BUTTONS.contains(&line) || line == InLine::SupervisorKey => {
                if active && line == InLine::SupervisorKey {
                    self.ctx.after(Timer::Held(line), Millis(self.ctx.p().key_stuck));
                } else if active {
                    self.latch(Code::Buttons, format!("the button {} is active at the start", line.name()));
                } else {
                    self.ctx.clear(Timer::Held(line));
                }
            }
            InLine::Seal if !active => self.seal_broken(),
            InLine::MotorFault if active => self.driver_fault(),
            _ => {}
        }
    }

    /// A raw edge.
    pub(super) fn edge(&mut self, line: InLine, active: bool) {
        self.devices.inputs.note(line, active);
        self.look_at_guards(line);
        self.tap(Signal::Edge(line, active));
        match line {
            InLine::CamA | InLine::CamB => {
                if self.devices.tumbler.is_lost(&self.ctx) {
                    self.gap(line);
                    return;
                }
                if let Some(report) = self.devices.tumbler.edge(line, active, &mut self.ctx) {
                    self.tumbler_reports(report);
                }
                self.make_spin();
            }
            InLine::DomeClosed | InLine::DomeOpen => {
                self.devices.dome.edge(line, active, &mut self.ctx);
            }
            _ => {
                self.devices.inputs.edge(line, active, &mut self.ctx);
            }
        }
    }

    /// The motor guard: the first raw edge that takes a guard line away cuts the motor at once.
    fn look_at_guards(&mut self, line: InLine) {
        let away = self.devices.guard.is_away(line, &self.devices.inputs, self.order().covered, true);
        if away && self.is_proving(line) {
            self.test_failed(&format!("{} broke while the tumbler ran", line.name()));
        }
        if away {
            let bounce = Millis(self.ctx.p().dome_debounce);
            self.devices.guard.broke_again(line, self.ctx.stamp(), bounce);
        }
        let report = if away && self.devices.tumbler.is_on() {
            self.ctx.note_change();
            self.devices.tumbler.cut(line, &mut self.ctx)
        } else if self.devices.tumbler.is_cut() && self.devices.guard_away(self.order().covered).is_none() {
            let by = self.devices.tumbler.run_by().and_then(|record| self.sequence.confirm(record));
            self.devices.tumbler.resume(by, &mut self.ctx)
        } else {
            None
        };
        if let Some(report) = report {
            self.tumbler_reports(report);
        }
    }

    /// The run is over, and a dome whose contact ended it has had its time to show that it was moved. A line that broke once too often
    /// is not to be relied on otherwise. Returns whether that is so.
    pub(super) fn judge_chatter(&mut self) -> bool {
        let Some(line) = self.devices.guard.take() else { return false };
        let most = self.ctx.p().flickers;
        self.latch_in_spin(Guard::malfunction(line), Guard::chatter(line, most));
        true
    }

    /// A contact has kept its new level for its debounce time.
    pub(super) fn debounced(&mut self, line: InLine) {
        if line.is_of_dome() {
            if let Some(place) = self.devices.dome.debounced(line) {
                self.dome_moved(place);
            }
            return;
        }
        let Some(active) = self.devices.inputs.debounced(line) else { return };
        // Only tests show a contact's level as it is.
        if self.is_testing() {
            self.ctx.note_change();
        }
        match line {
            InLine::SupervisorKey => self.key_switched(active),
            InLine::Seal if !active => self.seal_broken(),
            InLine::MotorFault if active => self.driver_fault(),
            _ if InLine::BUTTONS.contains(&line) => self.button(line, active),
            _ => {}
        }
    }

    fn button(&mut self, line: InLine, active: bool) {
        let acts = self.devices.inputs.press(line, active);
        if !active {
            self.ctx.clear(Timer::Held(line));
            return;
        }
        self.ctx.after(Timer::Held(line), Millis(self.ctx.p().button_stuck));
        if !acts || self.service.is_stopping() || !self.is_by_hand(line, Code::Buttons) {
            return;
        }
        match line {
            _ if self.probes_buttons() => {}
            InLine::Tumble if self.test.as_mut().is_some_and(Test::press_tumble) => {}
            InLine::Tumble => self.ask_for_spin(),
            InLine::PlaceBets => self.call_place_bets(),
            InLine::NoMoreBets => self.call_no_more_bets(),
            InLine::NoSpin => {
                self.stop_test_by_no_spin();
                self.call_no_spin();
            }
            _ => {}
        }
    }

    /// Whether a hand may have pressed a button, or turned the key, so soon again. If not, the line is latched, and what it does is neither
    /// acted on nor recorded: no contact writes a stream of records.
    fn is_by_hand(&mut self, line: InLine, code: Code) -> bool {
        let by_hand = self.devices.inputs.is_by_hand(line, self.ledger.is_latched(code), &self.ctx);
        if !by_hand {
            let (most, rest) = (self.ctx.p().presses, self.ctx.p().press_rest);
            self.latch(code, format!("{} came on more than {most} times without a rest of {rest} ms", line.name()));
        }
        by_hand
    }

    /// A button or the key switch has been active for too long.
    pub(super) fn held(&mut self, line: InLine) {
        if line == InLine::SupervisorKey {
            self.latch(Code::Key, "the supervisor's key has been turned on for too long".into());
        } else {
            self.latch(Code::Buttons, format!("the button {} is stuck", line.name()));
        }
    }

    /// A key that comes on again sooner than a hand turns it was on all the time: its contact is loose.
    fn key_switched(&mut self, active: bool) {
        let was_on = self.ctx.is_set(Timer::KeyBack);
        self.ctx.clear(Timer::KeyBack);
        if !active {
            self.ctx.after(Timer::KeyBack, Millis(self.ctx.p().key_back));
        } else if !was_on
            && self.devices.inputs.press(InLine::SupervisorKey, true)
            && self.is_by_hand(InLine::SupervisorKey, Code::Key)
        {
            if self.probes_buttons() {
                // Whoever turns it as a test asks has not asked for its privilege.
                KeySwitch::watch(&mut self.ctx);
            } else {
                self.devices.key.turn(&mut self.ctx);
                self.record(Event::KeyTurned);
            }
        }
    }

    /// The key has been off for so long that a hand has turned it back.
    pub(super) fn key_turned_back(&mut self) {
        self.devices.inputs.press(InLine::SupervisorKey, false);
        self.ctx.clear(Timer::Held(InLine::SupervisorKey));
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
        self.ctx.note_change();
        self.devices.guard.come_to(place, &self.devices.inputs);
        // Under Open Cover the dome is not in use: its contacts guard the motor, and nothing else of them matters.
        if !self.order().covered {
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
        self.ctx.note_change();
        match report {
            Report::Tumbled => {}
            Report::Slow => self.spin_is_slow(),
            Report::Flickered(line) => {
                self.record(Event::SpinFlickered { line: line.name().to_owned() });
            }
            Report::Stopped(Stop::Defect(defect)) => self.tumbler_defect(defect),
            Report::Chattered(line) => self.devices.guard.suspect(line, self.ctx.stamp()),
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
        let tumbles = self.devices.tumbler.counted();
        let doubted = defect == Defect::Erratic && tumbles < LEAST_TUMBLES;
        if let Some(round) = self.round.as_mut().filter(|round| doubted && round.has_made_spin()) {
            round.doubt_spin();
        }
        let verdict = self.round.as_ref().map(|round| round.judge_defect(defect, tumbles, self.rule_set()));
        self.devices.tumbler.halt(Stop::Defect(defect), &mut self.ctx);
        let found = match defect {
            Defect::Stall | Defect::LostEdges | Defect::Erratic | Defect::Reverse => {
                self.devices.tumbler.names(defect.found())
            }
            _ => defect.found().to_owned(),
        };
        if self.devices.tumbler.runs_for() == Some(RunsFor::Test) {
            self.test_failed(&found);
        }
        if verdict == Some(DefectVerdict::ActivatedEarly) {
            self.void_unless_established(
                VoidReason::ActivatedEarly,
                SpinEnd::RunsOn,
                "the tumbler turned before \"No more bets\"",
            );
        }
        self.latch(Code::Tumbler, found);
        if verdict == Some(DefectVerdict::Misoperated) {
            self.void_for_tumbler(defect.spin_end(), defect.found());
        }
    }

    /// Takes motor power away, if it is on.
    pub(super) fn halt_motor(&mut self) {
        self.devices.tumbler.halt(Stop::Halt, &mut self.ctx);
    }

    /// Edges of a line were lost.
    pub(super) fn gap(&mut self, line: InLine) {
        if matches!(line, InLine::CamA | InLine::CamB) {
            if let Some(report) = self.devices.tumbler.gap(&mut self.ctx) {
                self.tumbler_reports(report);
                return;
            }
        }
        self.lines_fault(&format!("edges of {} were lost", line.name()));
    }

    /// The lines are gone: nothing can be watched or driven.
    pub(super) fn lose_lines(&mut self, reason: &str) {
        self.devices.inputs.lose(&mut self.ctx);
        self.devices.dome.forget(&mut self.ctx);
        self.lines_fault(reason);
        self.ctx.forget_pins();
    }

    /// Wires cannot be watched or driven as they must.
    pub(super) fn lines_fault(&mut self, what: &str) {
        self.halt_motor();
        self.ctx.rest(OutLine::MotorEnable);
        self.test_failed(what);
        // An output that goes on being wrong is one fault, and not one with every look at it.
        if !self.ledger.is_latched(Code::Gpio) {
            self.latch(Code::Gpio, what.to_owned());
            self.void_unless_established(VoidReason::Equipment, SpinEnd::Wires, what);
        }
        if !self.devices.inputs.is_watched() {
            self.ctx.clear(Timer::Readback(OutLine::MotorEnable));
        }
    }

    /// An output does not read back as it was told: the wires cannot be relied on. It is told again every readback time until
    /// it does: a motor that cannot be switched off has the dead-man relay alone against it, and is off as soon as a write
    /// arrives.
    pub(super) fn not_read_back(&mut self, line: OutLine) {
        let told = self.ctx.pins().commanded(line);
        let word = if told { "active" } else { "inactive" };
        self.lines_fault(&format!("{} was told to be {word} and does not read back so", line.name()));
        // The motor is told off above, whatever it was told before.
        if self.devices.inputs.is_watched() && line != OutLine::MotorEnable {
            self.ctx.repeat(line);
        }
    }

    /// A reading of the motor's temperature.
    pub(super) fn read_temperature(&mut self, reading: Option<MilliCelsius>) {
        if !self.ctx.settings().temperature {
            return;
        }
        // A sensor that does not answer is given up by its own deadline.
        let Some(reading) = reading else { return };
        self.tap(Signal::Read(reading));
        self.ctx.after(Timer::TemperatureStale, Millis(self.ctx.p().temperature_stale));
        self.ctx.note_change();
        if let Some(wrong) = self.devices.temperature.read(reading, &self.ctx) {
            self.too_hot(wrong);
        }
    }

    /// The motor is too hot, or its sensor cannot be believed: a spin in progress ends.
    pub(super) fn too_hot(&mut self, what: String) {
        self.devices.tumbler.halt(Stop::Heat, &mut self.ctx);
        if self.devices.tumbler.runs_for() == Some(RunsFor::Test) {
            self.test_failed(&what);
        }
        self.latch(Code::Temperature, what);
    }
}
