//! How a step of a test stands: what its devices say, and what is to be told to them.

use super::step::{CLEAR_FOR, Outcome, Start, Step, key_name};
use crate::context::Context;
use crate::device::Devices;
use crate::device::bus::Unit;
use crate::device::dome::Place;
use crate::device::guard::Guard;
use crate::device::reader::{Pose, Verdict};
use crate::device::tumbler::{RunsFor, Stop};
use crate::hardware_test::Probe;
use crate::latch::Code;
use crate::line::{InLine, OutLine};
use crate::prelude::*;
use crate::refusal::Refusal;
use crate::rules::Layout;
use crate::sequence::Durable;
use crate::timer::Timer;
use crate::units::{Dice, Millis, Mono, Tumbles};
use crate::wire::registers::terminal::BLANK;
use alloc::collections::VecDeque;

/// What the display shows in its test, one after another: every digit once, then nothing.
const PATTERNS: [u16; 3] = [0x0123, 0x0456, BLANK];
/// The last result shines at least so long, in milliseconds, so that lamps that flicker are found out.
const STEADY: u32 = 1000;
/// A test's spin begins only by a press of the dealer's button so soon after it was asked for: whoever presses stands at the table
/// and knows what for (design.md, Motion by command).
pub(crate) const PRESS_WITHIN: Millis = Millis(10_000);
/// Valid replies in a row that prove a unit of the field bus.
const GOOD_REPLIES: u32 = 3;

/// What the table knows, and a test asks about beside its devices.
#[derive(Debug)]
pub(crate) struct Facts {
    /// Whether the motor may run in a test; otherwise why not.
    pub(crate) motor: Result<(), Refusal>,
    /// A button that a spin would answer to, and that is held.
    pub(crate) held: Option<InLine>,
    /// Why no press counts: a button is latched.
    pub(crate) buttons: Option<Refusal>,
    /// The layout in force.
    pub(crate) layout: Option<&'static Layout>,
    /// The reader's poses decide.
    pub(crate) reader: bool,
    /// The temperature of the motor is watched.
    pub(crate) temperature: bool,
    /// The dome is on while the tumbler turns.
    pub(crate) covered: bool,
    /// The lamps are latched.
    pub(crate) lamps_latched: bool,
}

impl Facts {
    /// Whether the press that begins a test's spin may be asked for, or waited for; otherwise what stands in the way.
    pub(super) fn may_wait_for_press(&self, start: Start) -> Result<(), Refusal> {
        self.motor.clone()?;
        // Who holds the button since before the question has not answered it, and a held "No spin" forbids the spin.
        let waits = matches!(start, Start::Unasked | Start::Withdrawn(..));
        self.held.filter(|_| waits).map_or(Ok(()), |button| Err(Refusal::ButtonHeld(button)))
    }
}

/// A malfunction that a test came upon.
#[derive(Debug)]
pub(crate) enum Find {
    /// It is latched, whatever else is.
    Flickers {
        /// The malfunction of the line that flickered.
        code: Code,
        /// What was found.
        cause: String,
    },
    /// It is latched where nothing holds the table already: in a reset's test the latch in question does (NZ 7.4).
    Wrong {
        /// The malfunction.
        code: Code,
        /// What was found.
        cause: String,
    },
}

/// What a step is looked at with.
pub(super) struct Look<'a> {
    pub(super) devices: &'a mut Devices,
    pub(super) ctx: &'a mut Context,
    pub(super) facts: &'a Facts,
    pub(super) finds: &'a mut Vec<Find>,
    /// When the step began.
    pub(super) began: Mono,
}

fn passed(found: &str) -> Outcome {
    Outcome::Passed(Some(found.to_owned()))
}

/// The areas of the picture in front; none once all were shown.
pub(super) fn picture(results: &VecDeque<Dice>, layout: Option<&Layout>) -> u128 {
    results.front().zip(layout).map_or(0, |(dice, layout)| layout.lit_bits(*dice))
}

/// How long the picture in front shines: the last result longest.
pub(super) fn dwell(results: &VecDeque<Dice>, ctx: &Context) -> Millis {
    let dwell = ctx.p().lamp_dwell;
    Millis(if results.len() == 1 { dwell.max(STEADY) } else { dwell })
}

/// Lets the probe see what just became of the devices.
pub(super) fn show(probe: &mut Probe, devices: &Devices, ctx: &Context) {
    let runs = devices.tumbler.runs_for() == Some(RunsFor::Test);
    let level = |line| devices.inputs.raw(line) == Some(true);
    match probe {
        Probe::Motor(spin) | Probe::Cam(spin) => {
            if !spin.has_begun() && runs {
                spin.begin(ctx.at(), level(InLine::CamA), level(InLine::CamB));
            }
            if spin.has_begun() && !devices.tumbler.is_running() {
                spin.end(ctx.at());
            }
        }
        Probe::Dome(dome) => {
            dome.begin(level(InLine::DomeClosed), level(InLine::DomeOpen));
            dome.at(devices.dome.place() == Place::Open, devices.dome.covers());
        }
        Probe::Reader(settling) => {
            settling.look(runs, devices.tumbler.is_still(), devices.reader.is_at_rest(), ctx.at());
        }
        _ => {}
    }
}

/// What a test's spin shows that something else than the dead-man relay stopped.
fn ended_early(stop: Stop, tumbles: Tumbles, target: u32) -> String {
    match stop {
        Stop::Guard(line) if tumbles.0 >= target => format!(
            "{0} broke while the dead-man relay was to stop the shaft, so that the relay is not proved: check {0} and its cable, and try again",
            line.name()
        ),
        Stop::Guard(line) => {
            format!("the spin ended early after {} full tumbles, by a break of {}", tumbles.0, line.name())
        }
        _ => format!("the spin ended early after {} full tumbles", tumbles.0),
    }
}

/// Ids of these areas of a layout.
pub(super) fn areas(layout: Option<&Layout>, bits: u128) -> Vec<String> {
    layout.map(|layout| layout.ids(bits)).unwrap_or_default()
}

impl Look<'_> {
    /// Looks at a step; `by` energises what it energises, at most once.
    pub(super) fn step(&mut self, step: &mut Step, probe: Option<&mut Probe>, by: Durable) -> Outcome {
        let p = *self.ctx.p();
        match step {
            Step::Durable => passed("written and durable"),
            Step::Power => self.power(),
            Step::Units { only } => self.units(*only),
            Step::Temperature if self.devices.temperature.is_proved() => passed("known and within its limit"),
            Step::Temperature => {
                let limit = p.temperature_stale.saturating_mul(3);
                self.wait(Millis(limit), "the temperature is not read, jumps or is above its limit")
            }
            Step::Terminal { shown } => self.terminal(shown),
            Step::Keys { left } if left.is_empty() => passed("every key was pressed and told"),
            Step::Keys { left } => {
                let left: Vec<String> = left.iter().map(|code| key_name(*code, "Entry")).collect();
                let found = format!("no press was seen of these keys of the terminal: {}", left.join(", "));
                self.wait(Millis(p.person_limit), &found)
            }
            Step::Lamps { results, proved, lit } => self.lamps(results, proved, lit, by),
            Step::Bell { struck } => self.bell(struck, by),
            Step::Seal if self.devices.inputs.is_active(InLine::Seal) => passed("the loop is closed"),
            Step::Seal => self.wait(Millis(p.unit_lost), "the seal's loop is open"),
            Step::Spin(start) => self.spin(start, by),
            Step::Dice => self.dice(),
            Step::Reader => {
                let unknown = self.devices.reader.poses().contains(&Pose::Unknown);
                if self.devices.bus.unit(Unit::Reader).replies() >= GOOD_REPLIES && !unknown {
                    passed("replies, and can say how the dice lie")
                } else {
                    self.wait(Millis(p.settle_limit), "the reader cannot say how the dice lie")
                }
            }
            Step::Buttons => self.buttons(),
            Step::Measure { results, lit } => match probe {
                Some(probe) => self.measure(probe, results, lit, by),
                None => Outcome::Passed(None),
            },
            Step::Witness { left } if left.is_empty() => Outcome::Passed(None),
            Step::Witness { left } => {
                let left: Vec<&str> = left.iter().map(|item| item.name()).collect();
                let found = format!("nobody said whether this is right: {}", left.join(", "));
                self.wait(Millis(p.person_limit), &found)
            }
        }
    }

    /// The test's beginning is not durable yet, or the journal cannot be written.
    pub(super) fn await_journal(&self) -> Outcome {
        self.wait(Millis(self.ctx.p().person_limit), "the journal does not confirm")
    }

    /// Waits for `limit` from the step's beginning, then fails.
    pub(super) fn wait(&self, limit: Millis, found: &str) -> Outcome {
        self.wait_from(self.began, limit, found)
    }

    fn wait_from(&self, began: Mono, limit: Millis, found: &str) -> Outcome {
        if self.ctx.reached(began, limit) {
            Outcome::Failed(found.to_owned())
        } else {
            Outcome::Waits(began.after(limit))
        }
    }

    fn power(&self) -> Outcome {
        let (inputs, pins) = (&self.devices.inputs, self.ctx.pins());
        let unread = InLine::ALL.into_iter().find(|line| inputs.raw(*line).is_none());
        let found = if let Some(line) = unread {
            format!("{} is not watched", line.name())
        } else if inputs.raw(InLine::PowerGood) != Some(true) {
            "the supply is not good".to_owned()
        } else if inputs.raw(InLine::MotorFault) != Some(false) {
            "the motor driver reports a fault".to_owned()
        } else if pins.read(OutLine::MotorEnable) != Some(false) {
            "motor_enable does not read back as off".to_owned()
        } else if pins.read(OutLine::OutOfService) != Some(true) {
            "the sign does not read back as on".to_owned()
        } else {
            return passed("supply good, lines watched, outputs read back");
        };
        self.wait(Millis(self.ctx.p().unit_lost), &found)
    }

    fn units(&self, only: Option<Code>) -> Outcome {
        let wanted = |unit: &Unit| match only {
            Some(Code::Terminal) => *unit == Unit::Terminal,
            Some(Code::Reader) => *unit == Unit::Reader,
            Some(Code::Lamps) => matches!(unit, Unit::Board(_)),
            _ => true,
        };
        let silent = self
            .devices
            .bus
            .fitted()
            .filter(|(unit, _)| wanted(unit))
            .find(|(_, state)| state.is_lost() || state.replies() < GOOD_REPLIES);
        match silent {
            None => passed("all units reply"),
            Some((unit, _)) => {
                let limit = self.ctx.p().unit_lost.saturating_mul(3);
                self.wait(Millis(limit), &format!("{} (unit {}) does not reply", unit.called(), unit.address()))
            }
        }
    }

    fn terminal(&mut self, shown: &mut usize) -> Outcome {
        let p = *self.ctx.p();
        if self.devices.terminal.is_held() {
            return self.wait(Millis(p.unit_lost), "a key of the terminal is held");
        }
        while let Some(pattern) = PATTERNS.get(*shown) {
            self.devices.terminal.want(*pattern, self.ctx);
            if !self.devices.terminal.shows() || self.devices.terminal.display_due().is_some() {
                let limit = p.display_verify.saturating_mul(4);
                return self.wait(Millis(limit), "the entry terminal's display does not show what it is told");
            }
            *shown += 1;
        }
        passed("the display shows what it is told")
    }

    fn buttons(&self) -> Outcome {
        let (inputs, p) = (&self.devices.inputs, self.ctx.p());
        if let Some(button) = InLine::BUTTONS.into_iter().find(|b| !inputs.is_inactive(*b)) {
            return self.wait(Millis(p.unit_lost), &format!("{} is held", button.name()));
        }
        let Some(button) = InLine::BUTTONS.into_iter().find(|b| inputs.chatters(*b, self.ctx)) else {
            return passed("none is held, and none comes on by itself");
        };
        let limit = Millis(p.press_rest.saturating_add(p.unit_lost));
        self.wait(limit, &format!("{} comes on again and again: check its contact and cable", button.name()))
    }

    fn bell(&mut self, struck: &mut bool, by: Durable) -> Outcome {
        if !core::mem::replace(struck, true) {
            Devices::strike_bell(by, self.ctx);
        }
        let bell = Millis(self.ctx.p().bell);
        if self.ctx.reached(self.began, bell) && !self.ctx.pins().commanded(OutLine::Bell) {
            passed("struck")
        } else {
            Outcome::Waits(self.began.after(bell))
        }
    }

    fn lamps(
        &mut self,
        results: &mut VecDeque<Dice>,
        proved: &mut Option<Mono>,
        lit: &mut bool,
        by: Durable,
    ) -> Outcome {
        let at = self.ctx.at();
        let layout = self.facts.layout;
        if !core::mem::replace(lit, true) {
            let areas = picture(results, layout);
            self.devices.lamps.light(areas, by, self.ctx);
            *proved = None;
        }
        let is_proved = self.devices.lamps.is_proved();
        if self.facts.lamps_latched && !is_proved && !self.ctx.is_set(Timer::LampVerify) {
            let wrong = areas(layout, self.devices.lamps.wrong());
            return Outcome::Failed(format!("lamps do not do as they were told: {}", wrong.join(", ")));
        }
        if !is_proved {
            return Outcome::Waits(at.after(Millis(self.ctx.p().lamp_verify)));
        }
        if results.is_empty() {
            return passed("every area lights by its results, and no other");
        }
        let since = *proved.get_or_insert(at);
        let dwell = dwell(results, self.ctx);
        if !at.reached(since, dwell) {
            return Outcome::Waits(since.after(dwell));
        }
        results.pop_front();
        *lit = false;
        Outcome::Again
    }

    fn spin(&mut self, start: &mut Start, by: Durable) -> Outcome {
        let p = *self.ctx.p();
        if *start != Start::Started {
            // A stuck contact that breaks and makes looks like a press. Only a reset that needs none proves it mended.
            if let Some(why) = &self.facts.buttons {
                return Outcome::Failed(why.to_string());
            }
            if let Some(outcome) = self.await_press(start) {
                return outcome;
            }
            *start = Start::Started;
            self.ctx.note_change();
            self.devices.run_motor(RunsFor::Test, by, self.ctx);
        }
        let settled = self.devices.tumbler.is_still() && !self.devices.dome_decides();
        let stopped = self.devices.tumbler.stopped_by().filter(|_| settled);
        let Some(stop) = stopped else {
            return Outcome::Waits(self.ctx.at().after(Millis(p.spin_limit)));
        };
        self.devices.tumbler.clear_stop();
        self.devices.tumbler.disown();
        if let Some(line) = self.devices.guard.take() {
            self.finds.push(Find::Flickers { code: Guard::malfunction(line), cause: Guard::chatter(line, p.flickers) });
        }
        let tumbles = self.devices.tumbler.counted();
        if stop == Stop::Target && self.facts.reader && self.devices.reader.tumbled() == Some(false) {
            let found = "the reader saw no motion of the dice";
            self.find(Code::Tumbler, found);
            Outcome::Failed(found.to_owned())
        } else if stop == Stop::Target {
            self.devices.reader.end_spin();
            Outcome::Passed(Some(format!("{} full tumbles, stopped by the dead-man relay", tumbles.0)))
        } else {
            if stop == Stop::TimeLimit {
                let found = format!("the tumbler is slow: {} full tumbles within the time allowed", tumbles.0);
                self.find(Code::Tumbler, &self.devices.tumbler.names(&found));
            }
            let found = ended_early(stop, tumbles, p.target_tumbles);
            Outcome::Failed(if stop == Stop::TimeLimit { self.devices.tumbler.names(&found) } else { found })
        }
    }

    /// Asks for the press that begins the spin, and waits for it; nothing once somebody has pressed. What stands in the way withdraws
    /// the question, and never puts its deadline off.
    fn await_press(&mut self, start: &mut Start) -> Option<Outcome> {
        let at = self.ctx.at();
        let before = *start;
        let clear = self.facts.may_wait_for_press(before);
        *start = match (before, before.asked(), &clear) {
            (_, None, Err(_)) => Start::Unasked,
            // What a spin bears withdraws no question either.
            (Start::Asked(since), _, Err(_)) => Start::Doubtful(since, at.after(Millis(self.ctx.p().flicker))),
            (Start::Doubtful(_, until), _, Err(_)) if at < until => before,
            (Start::Doubtful(since, _), _, Ok(())) => Start::Asked(since),
            (_, Some(since), Err(_)) => Start::Withdrawn(since, at.after(CLEAR_FOR)),
            (Start::Withdrawn(since, again), ..) if at >= again => Start::Asked(since),
            (Start::Unasked, ..) => Start::Asked(at),
            _ => before,
        };
        if start.is_shown_as() != before.is_shown_as() {
            self.ctx.note_change();
        }
        let why = clear.err().unwrap_or(Refusal::NotPressed).to_string();
        match *start {
            Start::Unasked => Some(self.wait(Millis(self.ctx.p().person_limit), &why)),
            Start::Asked(since) => Some(self.wait_from(since, PRESS_WITHIN, &why)),
            Start::Doubtful(since, again) | Start::Withdrawn(since, again) => {
                let waits = self.wait_from(since, PRESS_WITHIN, &why);
                Some(if let Outcome::Waits(until) = waits { Outcome::Waits(again.min(until)) } else { waits })
            }
            Start::Pressed(_) | Start::Started => None,
        }
    }

    fn find(&mut self, code: Code, cause: &str) {
        self.finds.push(Find::Wrong { code, cause: cause.to_owned() });
    }

    fn dice(&mut self) -> Outcome {
        if !self.facts.reader {
            return passed("no reader is in service: the supervisor is asked");
        }
        let limit = Millis(self.ctx.p().settle_limit);
        if !self.devices.reader.is_at_rest() {
            return self.wait(limit, "the dice do not come to rest");
        }
        match self.devices.reader.verdict() {
            Verdict::Wrong(what) => {
                let found = format!("the reader sees {what}");
                let outcome = self.wait(limit, &found);
                if matches!(outcome, Outcome::Failed(_)) {
                    self.find(Code::Dice, &found);
                }
                outcome
            }
            Verdict::Unknown => self.wait(limit, "the reader cannot say how the dice lie"),
            Verdict::Flat | Verdict::NotFlat(_) => match self.devices.reader.enrolled() {
                Some(_) => passed("three dice, as enrolled"),
                None => passed("three dice; none are enrolled"),
            },
        }
    }
}
