//! The steps of the devices' tests.

use super::Table;
use super::wires::BUTTONS;
use crate::device::Devices;
use crate::device::bus::Unit;
use crate::device::reader::{Pose, Verdict};
use crate::device::tumbler::RunsFor;
use crate::device::tumbler::Stop;
use crate::latch::Code;
use crate::line::{InLine, Key, OutLine};
use crate::prelude::*;
use crate::refusal::Refusal;
use crate::sequence::Durable;
use crate::units::{Dice, Millis, Mono};
use crate::wire::console::Witness;
use crate::wire::registers::terminal::{BLANK, ENTRY};
use alloc::collections::VecDeque;
use serde::{Deserialize, Serialize};

/// What the display shows in its test, one after another: every digit once, then nothing.
const PATTERNS: [u16; 3] = [0x0123, 0x0456, BLANK];
/// The last result shines at least so long, in milliseconds, so that lamps that flicker are found out.
const STEADY: u32 = 1000;
/// A test's spin begins only by a press of the dealer's button so soon after it was asked for: whoever presses stands at the table
/// and knows what for (design.md, Motion by command).
pub(super) const PRESS_WITHIN: Millis = Millis(10_000);
/// Valid replies in a row that prove a unit of the field bus.
const GOOD_REPLIES: u32 = 3;

/// One step of a test.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) enum Step {
    /// The test's beginning is durable.
    Durable,
    /// The supply is good, the lines are watched and the outputs read back (NZ 5(a)).
    Power,
    /// The units of the field bus reply; or only those of one malfunction.
    Units { only: Option<Code> },
    /// The temperature is known and good.
    Temperature,
    /// The display shows what it is told, and no key is held.
    Terminal { shown: usize },
    /// A person presses every key (NZ 5(b): "the entry terminal ... functioning correctly").
    Keys { left: Vec<u16> },
    /// All areas light, result by result (NZ 5(b)).
    Lamps { results: VecDeque<Dice>, proved: Option<Mono>, lit: bool },
    /// The bell is struck.
    Bell { struck: bool },
    /// The seal's loop is closed (NZ 5(d)).
    Seal,
    /// The tumbler makes a valid spin, and the dead-man relay ends it (NZ 5(c)).
    Spin(Start),
    /// The reader sees the enrolled dice at rest.
    Dice,
    /// The reader replies and can say how the dice lie.
    Reader,
    /// No button is held.
    Buttons,
    /// The probe of a hardware test, or of a reset that is one, watches until it has measured enough.
    Measure {
        /// What is shown on the lamps, since when.
        results: VecDeque<Dice>,
        /// When the picture in front was lit.
        lit: Option<Mono>,
    },
    /// A person says what only a person can see.
    Witness { left: Vec<Witness> },
}

/// How far a test's spin has come: nothing moves before somebody at the table presses the button.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum Start {
    /// The press was not asked for yet, or something stood in the way since.
    Unasked,
    /// The press is waited for, since then.
    Asked(Mono),
    /// Somebody pressed.
    Pressed,
    /// The motor was commanded on.
    Started,
}

/// How a step stands.
pub(super) enum Outcome {
    /// Passed, with what was found where it is worth a record.
    Passed(Option<String>),
    /// Failed, with what was found.
    Failed(String),
    /// To be looked at again, at the latest then.
    Waits(Mono),
    /// It has gone on: to be looked at again now.
    Again,
}

fn passed(found: &str) -> Outcome {
    Outcome::Passed(Some(found.to_owned()))
}

impl Step {
    pub(super) const fn name(&self) -> &'static str {
        match self {
            Self::Durable => "journal",
            Self::Power => "power",
            Self::Units { .. } => "bus",
            Self::Temperature => "temperature",
            Self::Terminal { .. } => "terminal",
            Self::Keys { .. } => "keys",
            Self::Lamps { .. } => "lamps",
            Self::Bell { .. } => "bell",
            Self::Seal => "seal",
            Self::Spin(_) => "tumbler",
            Self::Dice => "dice",
            Self::Reader => "reader",
            Self::Buttons => "buttons",
            Self::Measure { .. } => "measure",
            Self::Witness { .. } => "witness",
        }
    }

    /// Keys of the clauses that its record is about.
    pub(super) const fn clauses(&self) -> &'static [&'static str] {
        match self {
            Self::Power => &["opening-power"],
            Self::Lamps { .. } | Self::Terminal { .. } | Self::Keys { .. } | Self::Units { .. } => {
                &["opening-lamps", "terminal"]
            }
            Self::Spin(_) => &["opening-tumbler"],
            Self::Seal | Self::Dice => &["opening-seal"],
            Self::Bell { .. } => &["bell"],
            Self::Durable
            | Self::Temperature
            | Self::Reader
            | Self::Buttons
            | Self::Measure { .. }
            | Self::Witness { .. } => &[],
        }
    }

    pub(super) fn shown(&self) -> String {
        match self {
            Self::Lamps { results, .. } => match results.front() {
                Some(dice) => format!("lamps, showing {}", crate::round::call::result(*dice)),
                None => "lamps, all dark".to_owned(),
            },
            Self::Witness { left } => {
                let left: Vec<&str> = left.iter().map(|item| item.name()).collect();
                format!("waits for a witness: {}", left.join(", "))
            }
            Self::Keys { left } => {
                let left: Vec<String> = left.iter().map(|code| key_name(*code, "Entry")).collect();
                format!("waits for every key of the terminal to be pressed: {}", left.join(", "))
            }
            _ => self.name().to_owned(),
        }
    }

    /// A spin that nobody was asked for yet.
    pub(super) const fn spin() -> Self {
        Self::Spin(Start::Unasked)
    }

    /// Every key of the terminal is still to be pressed.
    pub(super) fn keys() -> Self {
        Self::Keys { left: (1..=ENTRY).collect() }
    }
}

/// Keys of the clauses that what a person saw is about.
pub(super) const fn seen_clauses(item: Witness) -> &'static [&'static str] {
    match item {
        Witness::Areas => &["opening-lamps", "terminal"],
        Witness::Seal | Witness::Dice => &["opening-seal"],
        Witness::Bell => &["bell"],
        Witness::Sign => &[],
    }
}

/// A key of the terminal, by its code; what Entry is called differs between people and programs.
pub(super) fn key_name(code: u16, entry: &str) -> String {
    if code == ENTRY { entry.to_owned() } else { code.to_string() }
}

impl Table {
    /// A key was pressed; whether an opening that asks for it takes it.
    pub(super) fn keys_step(&mut self, key: Key) -> bool {
        let Some(Step::Keys { left }) = self.test.as_mut().and_then(|test| test.step_mut()) else { return false };
        let code = match key {
            Key::Digit(face) => u16::from(face.pips()),
            Key::Entry => ENTRY,
            Key::Hidden => return false,
        };
        left.retain(|wanted| *wanted != code);
        true
    }

    /// Whether an opening asks for the terminal's keys.
    pub(super) fn asks_for_keys(&self) -> bool {
        matches!(self.test.as_ref().and_then(|test| test.step()), Some(Step::Keys { .. }))
    }

    /// Looks at a step that began at `began`.
    pub(super) fn step(&mut self, step: &mut Step, began: Mono, by: Durable) -> Outcome {
        let at = self.ctx.at();
        let p = *self.ctx.p();
        match step {
            Step::Durable => passed("written and durable"),
            Step::Power => self.power_step(began),
            Step::Units { only } => self.units_step(*only, began),
            Step::Temperature => {
                if self.devices.temperature.is_proved() {
                    passed("known and within its limit")
                } else {
                    let limit = p.temperature_stale.saturating_mul(3);
                    self.wait(began, Millis(limit), "the temperature is not read, jumps or is above its limit")
                }
            }
            Step::Terminal { shown } => self.terminal_step(shown, began),
            Step::Keys { left } => {
                if left.is_empty() {
                    passed("every key was pressed and told")
                } else {
                    self.wait(began, Millis(p.person_limit), "not every key of the terminal was pressed")
                }
            }
            Step::Lamps { results, proved, lit } => self.lamps_step(results, proved, lit, by),
            Step::Bell { struck } => {
                if !core::mem::replace(struck, true) {
                    Devices::strike_bell(by, &mut self.ctx);
                }
                if at.reached(began, Millis(p.bell)) && !self.ctx.pins().commanded(OutLine::Bell) {
                    passed("struck")
                } else {
                    Outcome::Waits(began.after(Millis(p.bell)))
                }
            }
            Step::Seal => {
                if self.devices.inputs.is_active(InLine::Seal) {
                    passed("the loop is closed")
                } else {
                    self.wait(began, Millis(p.unit_lost), "the seal's loop is open")
                }
            }
            Step::Spin(start) => self.spin_step(start, began, by),
            Step::Dice => self.dice_step(began),
            Step::Reader => {
                let unknown = self.devices.reader.poses().contains(&Pose::Unknown);
                if self.devices.bus.unit(Unit::Reader).good >= GOOD_REPLIES && !unknown {
                    passed("replies, and can say how the dice lie")
                } else {
                    self.wait(began, Millis(p.settle_limit), "the reader cannot say how the dice lie")
                }
            }
            Step::Buttons => match BUTTONS.into_iter().find(|b| !self.devices.inputs.is_inactive(*b)) {
                None => passed("none is held"),
                Some(button) => self.wait(began, Millis(p.unit_lost), &format!("{} is held", button.name())),
            },
            // Its probe is looked at apart.
            Step::Measure { .. } => Outcome::Passed(None),
            Step::Witness { left } => {
                if left.is_empty() {
                    Outcome::Passed(None)
                } else if at >= self.person_deadline(began) {
                    Outcome::Failed("nobody said what only a person can see".into())
                } else {
                    Outcome::Waits(self.person_deadline(began))
                }
            }
        }
    }

    /// The test's beginning is not durable yet, or the journal cannot be written.
    pub(super) fn await_journal(&self, began: Mono) -> Outcome {
        self.wait(began, Millis(self.ctx.p().person_limit), "the journal does not confirm")
    }

    /// Waits for `limit` from the step's beginning, then fails.
    pub(super) fn wait(&self, began: Mono, limit: Millis, found: &str) -> Outcome {
        if self.ctx.reached(began, limit) {
            Outcome::Failed(found.to_owned())
        } else {
            Outcome::Waits(began.after(limit))
        }
    }

    fn power_step(&self, began: Mono) -> Outcome {
        let unread = InLine::ALL.into_iter().find(|line| self.devices.inputs.raw(*line).is_none());
        let found = if let Some(line) = unread {
            format!("{} is not watched", line.name())
        } else if self.devices.inputs.raw(InLine::PowerGood) != Some(true) {
            "the supply is not good".to_owned()
        } else if self.devices.inputs.raw(InLine::MotorFault) != Some(false) {
            "the motor driver reports a fault".to_owned()
        } else if self.ctx.pins().read(OutLine::MotorEnable) != Some(false) {
            "motor_enable does not read back as off".to_owned()
        } else if self.ctx.pins().read(OutLine::OutOfService) != Some(true) {
            "the sign does not read back as on".to_owned()
        } else {
            return passed("supply good, lines watched, outputs read back");
        };
        self.wait(began, Millis(self.ctx.p().unit_lost), &found)
    }

    fn units_step(&self, only: Option<Code>, began: Mono) -> Outcome {
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
            .find(|(_, state)| state.lost || state.good < GOOD_REPLIES);
        match silent {
            None => passed("all units reply"),
            Some((unit, _)) => {
                let limit = self.ctx.p().unit_lost.saturating_mul(3);
                self.wait(began, Millis(limit), &format!("unit {} does not reply", unit.address()))
            }
        }
    }

    fn terminal_step(&mut self, shown: &mut usize, began: Mono) -> Outcome {
        let p = *self.ctx.p();
        if self.devices.terminal.is_held() {
            return self.wait(began, Millis(p.unit_lost), "a key of the terminal is held");
        }
        while let Some(pattern) = PATTERNS.get(*shown) {
            self.devices.terminal.want(*pattern, &mut self.ctx);
            if !self.devices.terminal.shows() || self.devices.terminal.display_due().is_some() {
                let limit = p.display_verify.saturating_mul(4);
                return self.wait(began, Millis(limit), "the display does not show what it is told");
            }
            *shown += 1;
        }
        passed("the display shows what it is told")
    }

    fn lamps_step(
        &mut self,
        results: &mut VecDeque<Dice>,
        proved: &mut Option<Mono>,
        lit: &mut bool,
        by: Durable,
    ) -> Outcome {
        let at = self.ctx.at();
        let areas = match results.front() {
            Some(dice) => self.layout().map_or(0, |l| l.lit_bits(*dice)),
            None => 0,
        };
        if !core::mem::replace(lit, true) {
            self.devices.lamps.light(areas, by, &mut self.ctx);
            *proved = None;
        }
        if self.ledger.is_latched(Code::Lamps)
            && !self.devices.lamps.is_proved()
            && !self.ctx.is_set(crate::timer::Timer::LampVerify)
        {
            let wrong = self.areas(self.devices.lamps.wrong());
            return Outcome::Failed(format!("lamps do not do as they were told: {}", wrong.join(", ")));
        }
        if !self.devices.lamps.is_proved() {
            return Outcome::Waits(at.after(Millis(self.ctx.p().lamp_verify)));
        }
        if results.is_empty() {
            return passed("every area lights by its results, and no other");
        }
        let since = *proved.get_or_insert(at);
        let dwell = self.dwell(results);
        if !at.reached(since, dwell) {
            return Outcome::Waits(since.after(dwell));
        }
        results.pop_front();
        *lit = false;
        Outcome::Again
    }

    /// How long the picture in front shines: the last result longest.
    pub(super) fn dwell(&self, results: &VecDeque<Dice>) -> Millis {
        let dwell = self.ctx.p().lamp_dwell;
        Millis(if results.len() == 1 { dwell.max(STEADY) } else { dwell })
    }

    /// The dealer's button was pressed; whether a test that asks for that takes it.
    pub(super) fn press_for_test(&mut self) -> bool {
        let Some(Step::Spin(start @ Start::Asked(_))) = self.test.as_mut().and_then(|test| test.step_mut()) else {
            return false;
        };
        *start = Start::Pressed;
        true
    }

    /// "No spin" was pressed: no test goes on to move anything, or to ask for it.
    pub(super) fn stop_test_by_no_spin(&mut self) {
        if matches!(self.test.as_ref().and_then(|test| test.step()), Some(Step::Spin(_))) {
            self.test_failed(&Refusal::StoppedByNoSpin.to_string());
            if self.devices.tumbler.runs_for() == Some(RunsFor::Test) {
                self.devices.tumbler.halt(Stop::NoSpin, &mut self.ctx);
            }
        }
    }

    /// Whether the press that begins a test's spin may be asked for, or waited for; otherwise what stands in the way.
    pub(super) fn may_wait_for_press(&self, start: Start) -> Result<(), Refusal> {
        self.motor_may_run(true)?;
        // Who holds the button since before the question has not answered it, and a held "No spin" forbids the spin.
        let held = [InLine::Tumble, InLine::NoSpin].into_iter().find(|button| !self.inputs.is_inactive(*button));
        held.filter(|_| start == Start::Unasked).map_or(Ok(()), |button| Err(Refusal::ButtonHeld(button)))
    }

    fn spin_step(&mut self, start: &mut Start, began: Mono, by: Durable) -> Outcome {
        let p = *self.ctx.p();
        if *start != Start::Started {
            // A stuck contact that breaks and makes looks like a press. Only a reset that needs none proves it mended.
            if let Some(buttons) = self.ledger.malfunction(Code::Buttons) {
                return Outcome::Failed(Refusal::ResetFirst(buttons.code, buttons.cause.clone()).to_string());
            }
            if let Err(why) = self.may_wait_for_press(*start) {
                *start = Start::Unasked;
                return self.wait(began, Millis(p.person_limit), &why.to_string());
            }
            if *start == Start::Unasked {
                *start = Start::Asked(self.ctx.at());
                self.ctx.note_change();
            }
            if let Start::Asked(since) = *start {
                return self.wait(since, PRESS_WITHIN, &Refusal::NotPressed.to_string());
            }
            *start = Start::Started;
            self.ctx.note_change();
            self.devices.run_motor(RunsFor::Test, by, &mut self.ctx);
        }
        let stopped = self.devices.tumbler.stopped_by().filter(|_| self.devices.tumbler.is_still());
        let Some(stop) = stopped else {
            return Outcome::Waits(self.ctx.at().after(Millis(p.spin_limit)));
        };
        self.devices.tumbler.clear_stop();
        self.devices.tumbler.disown();
        self.judge_chatter();
        let tumbles = self.devices.tumbler.counted();
        if stop == Stop::Target && self.reader_in_service() && self.devices.reader.tumbled() == Some(false) {
            let found = "the reader saw no motion of the dice";
            self.latch_found(Code::Tumbler, found.to_owned());
            Outcome::Failed(found.to_owned())
        } else if stop == Stop::Target {
            self.devices.reader.end_spin();
            Outcome::Passed(Some(format!("{} full tumbles, stopped by the dead-man relay", tumbles.0)))
        } else {
            if stop == Stop::TimeLimit {
                self.latch_found(
                    Code::Tumbler,
                    format!("the tumbler is slow: {} full tumbles within the time allowed", tumbles.0),
                );
            }
            Outcome::Failed(format!("the spin ended early after {} full tumbles", tumbles.0))
        }
    }

    /// A malfunction is the same whoever finds it (NZ 7.4). In a reset's test, the latch in question holds the table already.
    pub(super) fn latch_found(&mut self, code: Code, found: String) {
        if !self.ledger.is_blocked() {
            self.latch(code, found);
        }
    }

    fn dice_step(&mut self, began: Mono) -> Outcome {
        if !self.reader_in_service() {
            return passed("no reader is in service: the supervisor is asked");
        }
        let limit = Millis(self.ctx.p().settle_limit);
        if !self.devices.reader.is_at_rest() {
            return self.wait(began, limit, "the dice do not come to rest");
        }
        match self.devices.reader.verdict() {
            Verdict::Wrong(what) => {
                let found = format!("the reader sees {what}");
                let outcome = self.wait(began, limit, &found);
                if matches!(outcome, Outcome::Failed(_)) {
                    self.latch_found(Code::Dice, found);
                }
                outcome
            }
            Verdict::Unknown => self.wait(began, limit, "the reader cannot say how the dice lie"),
            Verdict::Flat | Verdict::NotFlat(_) => match self.devices.reader.enrolled() {
                Some(_) => passed("three dice, as enrolled"),
                None => passed("three dice; none are enrolled"),
            },
        }
    }
}
