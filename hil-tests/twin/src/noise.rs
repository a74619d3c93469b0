//! Noise: disturbances that recur for as long as their fault is in force.

use super::contact::CLEAN;
use super::event_queue::PlannedEvent;
use super::fault::{Fault, Noise};
use super::wire::Wire;
use super::{MS, Twin};
use tumbler_core::line::InLine;

/// Time between two reported presses: a thousand a second.
const FLOOD_NANOS: u64 = MS;
/// Period and duration of the lamps' supply breaks.
const LAMPS_EVERY_NANOS: u64 = 200 * MS;
const LAMPS_DARK_NANOS: u64 = 100 * MS;

impl Twin {
    /// The next disturbance of this kind, unless its fault is healed.
    /// Restores the cam's true levels when the shaft begins to turn: cam noise exists only while the motor is off.
    pub(super) fn hush_cam(&mut self, at: u64) {
        if [Noise::CamPhantom, Noise::CamBoth].into_iter().any(|noise| self.faults.has(Fault::Noise(noise))) {
            let (a, b) = self.shaft.cam();
            self.move_contact(InLine::CamA, a, at, CLEAN);
            self.move_contact(InLine::CamB, b, at, CLEAN);
        }
    }

    pub(super) fn noise(&mut self, noise: Noise, at: u64, out: &mut Vec<Wire>) {
        let fault = Fault::Noise(noise);
        if !self.faults.has(fault) {
            return;
        }
        let next = match noise {
            Noise::Flicker { line, micros, every_ms } => {
                let idle = line == InLine::DomeClosed && !self.shaft.moving();
                if !idle && self.contacts.raw(line) {
                    self.faults.note_hold(fault);
                    self.contacts.pulse(line, false, at, u64::from(micros) * 1000, &mut self.queue);
                }
                if idle { 20 * MS } else { u64::from(every_ms) * MS }
            }
            Noise::Chatter(line) => {
                let makes = self.rng.range(1, 16) * MS;
                // Noise cannot open a contact that a finger presses.
                if !self.contacts.raw(line) {
                    self.faults.note_hold(fault);
                    self.contacts.pulse(line, true, at, makes, &mut self.queue);
                }
                makes + self.rng.range(1, 40) * MS
            }
            // faults.md cam.phantom and cam.both_noise occur only while the motor is off.
            Noise::CamPhantom | Noise::CamBoth if self.shaft.moving() => 5 * MS,
            Noise::CamPhantom | Noise::CamBoth => {
                self.faults.note_hold(fault);
                let both = noise == Noise::CamBoth && self.rng.chance(500);
                let line = if both { InLine::CamB } else { InLine::CamA };
                let level = !self.contacts.raw(line);
                self.contacts.plan(line, level, at, CLEAN, &mut self.queue, &mut self.rng);
                self.rng.range(3, 30) * MS
            }
            Noise::Keys => {
                // It has taken effect once the terminal's full queue drops a press.
                if self.supply && !self.terminal.event(self.rng.face()) {
                    self.faults.note_hold(fault);
                }
                FLOOD_NANOS
            }
            Noise::LampSupply => {
                self.lamps_dip = true;
                if self.boards.iter().any(|board| board.shine() != 0) {
                    self.faults.note_hold(fault);
                }
                self.shine_all(at, out);
                self.queue.plan(at + LAMPS_DARK_NANOS, PlannedEvent::LampsBack);
                LAMPS_EVERY_NANOS
            }
        };
        self.queue.plan(at + next, PlannedEvent::Noise(noise));
    }

    /// Restores the lamps' supply after a break.
    pub(super) fn lamps_back(&mut self, at: u64, out: &mut Vec<Wire>) {
        self.lamps_dip = false;
        self.shine_all(at, out);
    }
}
