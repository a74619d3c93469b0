//! Motor power, and what it does to shaft, cam and dice.

use super::contact::{HALL, HALL_BAD};
use super::event_queue::PlannedEvent;
use super::fault::Fault;
use super::shaft::{ShaftEvent, SpeedChange};
use super::wire::{Truth, Wire};
use super::{MS, Twin};
use tumbler_core::line::{InLine, OutLine};

/// The monostable drops motor power this long after the last edge of the dead-man line.
const DEADMAN_NANOS: u64 = 100 * MS;

/// The driver and the relay before the motor.
#[derive(Clone, Debug)]
pub(super) struct Drive {
    powered: bool,
    /// Speed that is aimed at, so that a repeated decision changes nothing.
    aim: f64,
    /// Full speed of this spin, in tumbles a second.
    full: f64,
    alive_until: Option<u64>,
    slipping: bool,
}

impl Drive {
    pub(super) fn new(tumble_millis: u32) -> Self {
        Self { powered: false, aim: 0.0, full: 1000.0 / f64::from(tumble_millis), alive_until: None, slipping: false }
    }
    pub(super) const fn powered(&self) -> bool {
        self.powered
    }
    pub(super) const fn alive(&mut self, at: u64) {
        self.alive_until = Some(at + DEADMAN_NANOS);
    }
    /// When the monostable drops.
    pub(super) const fn next(&self) -> Option<u64> {
        self.alive_until
    }
    pub(super) const fn dropped(&mut self) {
        self.alive_until = None;
    }
}

impl Twin {
    /// Decides again whether the motor has power, and what the shaft does.
    pub(super) fn motor(&mut self, at: u64, out: &mut Vec<Wire>) {
        let faults = &mut self.faults;
        let enabled = self.pins.get(OutLine::MotorEnable.index()).copied().unwrap_or(false);
        let shorted = faults.has(Fault::EnableStuck) || faults.has(Fault::Runaway);
        let welded = faults.has(Fault::DeadmanWelded) || faults.has(Fault::Runaway);
        let alive = self.drive.alive_until.is_some();
        let series = self.contacts.raw(InLine::Seal) && (!self.config.covered || self.contacts.raw(InLine::DomeClosed));
        let tripped = faults.has(Fault::DriverFault) || faults.has(Fault::DriverFaultDead);
        let wanted = (enabled || shorted) && (alive || welded) && series && self.supply;
        if wanted {
            if !enabled {
                faults.takes_effect(Fault::EnableStuck);
                faults.takes_effect(Fault::Runaway);
            }
            if !alive {
                faults.takes_effect(Fault::DeadmanWelded);
            }
        }
        let powered = wanted && !tripped;
        if wanted && tripped {
            faults.takes_effect(Fault::DriverFaultDead);
        }
        if powered != self.drive.powered {
            self.drive.powered = powered;
            out.push(Wire::Truth { at, truth: Truth::MotorPower(powered) });
            if powered {
                self.drive.full =
                    1000.0 / (f64::from(self.config.tumble_millis) * (0.96 + self.rng.range(0, 80) as f64 / 1000.0));
                if self.faults.has(Fault::MotorIntermittent) {
                    self.drive.slipping = false;
                    self.queue.plan(at + 500 * MS, PlannedEvent::Slip);
                }
            }
        }
        self.aim(at, out);
    }

    fn aim(&mut self, at: u64, out: &mut Vec<Wire>) {
        let faults = &mut self.faults;
        let jammed = faults.has(Fault::MotorStall);
        let mut aim = 0.0;
        if self.drive.powered {
            aim = self.drive.full;
            if faults.takes_effect(Fault::MotorSlow) {
                aim = 1000.0 / 2200.0;
            }
            if faults.takes_effect(Fault::MotorReverse) {
                aim = -aim;
            }
            let stands = faults.takes_effect(Fault::MotorDead) | faults.takes_effect(Fault::MotorStall);
            if stands || self.drive.slipping {
                aim = 0.0;
            }
        }
        if aim == self.drive.aim || (self.shaft.by_hand() && aim == 0.0) {
            return;
        }
        self.drive.aim = aim;
        let way = if aim != 0.0 {
            SpeedChange::Drive
        } else if jammed {
            SpeedChange::Jam
        } else if self.faults.takes_effect(Fault::MotorCoast) {
            SpeedChange::LongCoast
        } else {
            SpeedChange::Coast
        };
        if self.shaft.turn(at, aim, way) {
            self.shaft_begins(at, out);
        }
    }

    pub(super) fn shaft_begins(&mut self, at: u64, out: &mut Vec<Wire>) {
        out.push(Wire::Truth { at, truth: Truth::ShaftMoves });
        self.hush_cam(at);
        if self.dice.shake(at) {
            out.push(Wire::Truth { at, truth: Truth::DiceMove });
        }
    }

    /// The shaft does what is due at `at`.
    pub(super) fn shaft_steps(&mut self, at: u64, out: &mut Vec<Wire>) {
        match self.shaft.step(at) {
            ShaftEvent::Nothing => {}
            ShaftEvent::Quarter => {
                let (a, b) = self.shaft.cam();
                let bad = self.faults.takes_effect(Fault::CamBounce);
                for (line, level) in [(InLine::CamA, a), (InLine::CamB, b)] {
                    if self.contacts.raw(line) != level {
                        self.move_contact(line, level, at, if bad { HALL_BAD } else { HALL });
                    }
                }
                out.push(Wire::Truth { at, truth: Truth::Shaft { quarters: self.shaft.quarters() } });
            }
            ShaftEvent::Rests => {
                let turned = self.shaft.turned();
                self.shaken += turned.abs();
                out.push(Wire::Truth { at, truth: Truth::ShaftRests { milli_tumbles: (turned * 1000.0) as i64 } });
                let (from, to) = self.config.rest_millis;
                let rest = at + self.rng.range(u64::from(from), u64::from(to)) * MS;
                self.queue.plan(rest, PlannedEvent::DiceRest { plan: self.dice.plan });
            }
        }
    }

    pub(super) fn dice_rest(&mut self, at: u64, out: &mut Vec<Wire>) {
        // Less than a quarter of a tumble does not throw a die over.
        let thrown = self.shaken >= 0.25;
        self.shaken = 0.0;
        self.dice.rest(at, thrown, &mut self.faults, &mut self.rng);
        out.push(Wire::Truth { at, truth: Truth::DiceRest { faces: self.dice.faces, flat: self.dice.flat } });
    }

    pub(super) fn slip(&mut self, at: u64, out: &mut Vec<Wire>) {
        let still = self.drive.powered && self.faults.has(Fault::MotorIntermittent);
        self.drive.slipping = still && !self.drive.slipping;
        if self.drive.slipping {
            self.faults.note_hold(Fault::MotorIntermittent);
        }
        if still {
            self.queue.plan(at + if self.drive.slipping { 450 } else { 250 } * MS, PlannedEvent::Slip);
        }
        self.aim(at, out);
    }
}
