//! What people and faults do to the twin.

use super::act::Act;
use super::contact::{BUTTON, CLEAN, DOME, DOME_BAD};
use super::event_queue::PlannedEvent;
use super::fault::{Fault, Noise};
use super::wire::{Truth, Wire};
use super::{MS, Twin};
use tumbler_core::line::InLine;

/// `power_good` drops this long before the supply fails (design.md, Wires: some 20 ms or more).
const RESERVE_NANOS: u64 = 25 * MS;
/// A key of the terminal is pressed for this long.
const KEY_MILLIS: u64 = 80;

impl Twin {
    /// Carries out a person's act.
    pub fn person(&mut self, at: u64, act: Act, out: &mut Vec<Wire>) {
        self.advance(at, out);
        match act {
            Act::Press { line, millis } => {
                let wired = self.wired(line);
                self.hand(line, wired, true, at, out);
                self.queue.plan(at + u64::from(millis) * MS, PlannedEvent::Release { hand: line, line: wired });
            }
            Act::Hold(line) | Act::LetGo(line) => {
                let wired = self.wired(line);
                self.hand(line, wired, matches!(act, Act::Hold(_)), at, out);
            }
            Act::LiftDome => self.dome(at, true, out),
            Act::LowerDome => self.dome(at, false, out),
            Act::Key(key) => {
                self.key(at, key, out);
                self.queue.plan(at + KEY_MILLIS * MS, PlannedEvent::KeyUp(key));
            }
            Act::HoldKey(key) => self.key(at, key, out),
            Act::LetGoKey(key) => self.terminal.hold(key, false),
            Act::LoseEdge(line) => {
                if self.supply {
                    out.push(Wire::RepeatedLevel { at, line, active: self.level(line) });
                }
            }
            Act::BreakSeal | Act::MendSeal => {
                let whole = act == Act::MendSeal;
                out.push(Wire::Truth { at, truth: Truth::Seal(whole) });
                self.move_contact(InLine::Seal, whole, at, if whole { BUTTON } else { CLEAN });
            }
            Act::TurnShaft(quarters) => {
                if quarters != 0 && self.shaft.turn_by_hand(at, quarters) {
                    self.shaft_begins(at, out);
                }
            }
            Act::MoveDie { die, face, flat } => {
                if self.dice.lay(die, face, flat) {
                    if self.dice.shake(at) {
                        out.push(Wire::Truth { at, truth: Truth::DiceMove });
                    }
                    self.queue.plan(at + 200 * MS, PlannedEvent::DiceRest { plan: self.dice.plan });
                }
            }
            Act::DipSupply => {
                self.contact(InLine::PowerGood, false, at, out);
                self.queue.plan(at + 10 * MS, PlannedEvent::DipOver);
            }
            Act::CutSupply => {
                self.contact(InLine::PowerGood, false, at, out);
                self.supply_plan = self.supply_plan.wrapping_add(1);
                self.queue.plan(at + RESERVE_NANOS, PlannedEvent::SupplyGone { plan: self.supply_plan });
            }
            Act::RestoreSupply => {
                self.supply_plan = self.supply_plan.wrapping_add(1);
                if !self.supply {
                    self.supply = true;
                    out.push(Wire::Truth { at, truth: Truth::Supply(true) });
                }
                self.contact(InLine::PowerGood, true, at, out);
                self.motor(at, out);
                self.sign(at, out);
            }
        }
        self.advance(at, out);
    }

    /// The line on which a button's contact is.
    fn wired(&mut self, button: InLine) -> InLine {
        let crossed = |fault| match fault {
            Fault::ButtonsCrossed(one, other) if one == button => Some((fault, other)),
            Fault::ButtonsCrossed(one, other) if other == button => Some((fault, one)),
            _ => None,
        };
        let Some((fault, line)) = self.faults.iter().find_map(crossed) else { return button };
        self.faults.note_hold(fault);
        line
    }

    /// A hand moves a button or the key, whose contact is on this line.
    pub(super) fn hand(&mut self, hand: InLine, line: InLine, down: bool, at: u64, out: &mut Vec<Wire>) {
        out.push(Wire::Truth { at, truth: Truth::Hand { button: hand, down } });
        self.move_contact(line, down, at, BUTTON);
    }

    fn dome(&mut self, at: u64, up: bool, out: &mut Vec<Wire>) {
        if !self.config.covered || up == self.dome_up {
            return;
        }
        self.dome_up = up;
        self.dome_plan = self.dome_plan.wrapping_add(1);
        let travel = self.rng.range(100, 140) * MS;
        let (leaves, arrives) =
            if up { (InLine::DomeClosed, InLine::DomeOpen) } else { (InLine::DomeOpen, InLine::DomeClosed) };
        let bounce = if self.faults.takes_effect(Fault::DomeBounce) { DOME_BAD } else { DOME };
        // A moving dome makes neither contact, and ends the bounce of the one that it leaves.
        if self.contacts.raw(arrives) {
            self.contact(arrives, false, at, out);
        }
        self.move_contact(leaves, false, at, bounce);
        self.move_contact(arrives, true, at + travel, bounce);
        if up {
            out.push(Wire::Truth { at, truth: Truth::Exposed(true) });
        }
        self.queue.plan(at + travel, PlannedEvent::DomeArrived { plan: self.dome_plan });
    }

    fn key(&mut self, at: u64, key: u8, out: &mut Vec<Wire>) {
        if !(1..=7).contains(&key) {
            return;
        }
        out.push(Wire::Truth { at, truth: Truth::Key(key) });
        if !self.supply {
            return;
        }
        self.terminal.event(key);
        self.terminal.hold(key, true);
        if key <= 6 && self.faults.takes_effect(Fault::KeyGhost) {
            let neighbour = ((key - 1) ^ 1) + 1;
            self.terminal.event(neighbour);
            self.terminal.hold(neighbour, true);
            self.queue.plan(at + KEY_MILLIS * MS, PlannedEvent::KeyUp(neighbour));
            for again in [key, neighbour] {
                self.queue.plan(at + 8 * MS, PlannedEvent::KeyAgain(again));
            }
        }
        if self.faults.takes_effect(Fault::KeyChatter) {
            for n in 1..5 {
                self.queue.plan(at + n * 6 * MS, PlannedEvent::KeyAgain(key));
            }
        }
    }

    pub(super) fn supply_gone(&mut self, at: u64, out: &mut Vec<Wire>) {
        self.supply = false;
        self.pins = [false; 4];
        self.drive.dropped();
        self.terminal.reset();
        out.push(Wire::Truth { at, truth: Truth::Supply(false) });
        self.motor(at, out);
        self.sign(at, out);
        for board in &mut self.boards {
            board.reset();
        }
        self.display_seen = 0x0FFF;
    }

    /// Injects a fault.
    pub fn fault(&mut self, at: u64, fault: Fault, out: &mut Vec<Wire>) {
        self.advance(at, out);
        let already = self.faults.has(fault);
        self.faults.set(fault);
        match fault {
            Fault::Noise(noise) if !already => self.queue.plan(at, PlannedEvent::Noise(noise)),
            Fault::DriverFault | Fault::DriverFaultDead => {
                self.contact(InLine::MotorFault, true, at, out);
                if fault == Fault::DriverFault && self.contacts.level(InLine::MotorFault) {
                    self.faults.note_hold(fault);
                }
            }
            Fault::MotorIntermittent if self.drive.powered() => {
                self.queue.plan(at + 300 * MS, PlannedEvent::Slip);
            }
            Fault::KeyStuck(key) => self.key(at, key, out),
            _ => {}
        }
        self.follow(fault, at, out);
    }

    /// Heals a fault.
    pub fn heal(&mut self, at: u64, fault: Fault, out: &mut Vec<Wire>) {
        self.advance(at, out);
        self.faults.heal(fault);
        match fault {
            Fault::DriverFault | Fault::DriverFaultDead => {
                self.contact(InLine::MotorFault, false, at, out);
            }
            Fault::Noise(Noise::CamBoth | Noise::CamPhantom) => {
                let (a, b) = self.shaft.cam();
                self.move_contact(InLine::CamA, a, at, CLEAN);
                self.move_contact(InLine::CamB, b, at, CLEAN);
            }
            Fault::KeyStuck(key) => self.terminal.hold(key, false),
            _ => {}
        }
        self.follow(fault, at, out);
    }

    /// Whether the fault has taken effect since the twin began: proof that the injection worked.
    #[must_use]
    pub fn took_effect(&self, fault: Fault) -> bool {
        self.faults.took_effect(fault)
    }

    fn follow(&mut self, fault: Fault, at: u64, out: &mut Vec<Wire>) {
        if let Fault::LineStuck { line, .. } = fault {
            self.contacts.follow(line, at, &mut self.faults, out);
        }
        if matches!(fault, Fault::DomeCable { .. }) {
            self.contacts.follow(InLine::DomeClosed, at, &mut self.faults, out);
            self.contacts.follow(InLine::DomeOpen, at, &mut self.faults, out);
        }
        if fault == Fault::CamLost {
            self.contacts.follow(InLine::CamA, at, &mut self.faults, out);
            self.contacts.follow(InLine::CamB, at, &mut self.faults, out);
        }
        self.motor(at, out);
        self.sign(at, out);
        self.shine_all(at, out);
        self.advance(at, out);
    }
}
