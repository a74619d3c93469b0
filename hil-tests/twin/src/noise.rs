//! Disturbances that come again and again for as long as their fault lasts.

use super::contact::CLEAN;
use super::event_queue::PlannedEvent;
use super::fault::{Fault, Noise};
use super::wire::Wire;
use super::{MS, Twin};
use tumbler_core::line::InLine;

/// Between two presses of a terminal that makes a thousand a second.
const FLOOD_NANOS: u64 = MS;
/// The lamps' supply breaks so often, and for so long.
const LAMPS_EVERY_NANOS: u64 = 200 * MS;
const LAMPS_DARK_NANOS: u64 = 100 * MS;

impl Twin {
    /// The next disturbance of this kind, unless its fault has been healed.
    /// A shaft that begins to turn shows its true place: noise on the cam is of a motor that is off.
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
                    self.faults.bit(fault);
                    self.contacts.pulse(line, false, at, u64::from(micros) * 1000, &mut self.queue);
                }
                if idle { 20 * MS } else { u64::from(every_ms) * MS }
            }
            Noise::Chatter(line) => {
                let makes = self.rng.range(1, 16) * MS;
                // A finger on the button holds its contact together.
                if !self.contacts.raw(line) {
                    self.faults.bit(fault);
                    self.contacts.pulse(line, true, at, makes, &mut self.queue);
                }
                makes + self.rng.range(1, 40) * MS
            }
            // faults.md cam.phantom and cam.both_noise are of a motor that is off.
            Noise::CamPhantom | Noise::CamBoth if self.shaft.moving() => 5 * MS,
            Noise::CamPhantom | Noise::CamBoth => {
                self.faults.bit(fault);
                let both = noise == Noise::CamBoth && self.rng.chance(500);
                let line = if both { InLine::CamB } else { InLine::CamA };
                let level = !self.contacts.raw(line);
                self.contacts.plan(line, level, at, CLEAN, &mut self.queue, &mut self.rng);
                self.rng.range(3, 30) * MS
            }
            Noise::Keys => {
                // The proof is a press that the terminal's full queue has to drop.
                if self.supply && !self.terminal.event(self.rng.face()) {
                    self.faults.bit(fault);
                }
                FLOOD_NANOS
            }
            Noise::LampSupply => {
                self.lamps_dip = true;
                if self.boards.iter().any(|board| board.shine() != 0) {
                    self.faults.bit(fault);
                }
                self.shine_all(at, out);
                self.queue.plan(at + LAMPS_DARK_NANOS, PlannedEvent::LampsBack);
                LAMPS_EVERY_NANOS
            }
        };
        self.queue.plan(at + next, PlannedEvent::Noise(noise));
    }

    /// The lamps' supply is back after a break.
    pub(super) fn lamps_back(&mut self, at: u64, out: &mut Vec<Wire>) {
        self.lamps_dip = false;
        self.shine_all(at, out);
    }
}
