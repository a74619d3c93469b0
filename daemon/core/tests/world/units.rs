//! The units on the field bus, as far as a table that is not tested for its bus needs them.

use super::World;
use tumbler_core::effect::{BusOp, BusRequest};
use tumbler_core::input::{BusFailure, BusReply};
use tumbler_core::wire::registers::{reader, terminal};

impl World {
    pub(super) fn answer(&mut self, request: &BusRequest) -> Result<BusReply, BusFailure> {
        if !self.bus_works || self.silent.contains(&request.unit) {
            return Err(BusFailure::Timeout);
        }
        let board = usize::from(request.unit.saturating_sub(2)).min(1);
        match (&request.op, request.unit) {
            (BusOp::ReadInput { .. }, 1) => {
                let first =
                    self.keys.len().saturating_sub(usize::from((self.keys.len() as u16).wrapping_sub(self.acked)));
                let waiting: Vec<u16> = self.keys[first..].iter().copied().take(8).collect();
                let mut words = vec![0, first as u16, waiting.len() as u16];
                words.extend(waiting);
                words.resize(11, 0);
                words.push(self.stuck_display.unwrap_or(self.display));
                Ok(BusReply::Words(words))
            }
            (BusOp::WriteHolding { address, values }, 1) => {
                match *address {
                    terminal::ACKNOWLEDGE => self.acked = values[0],
                    terminal::DISPLAY => self.display = values[0],
                    _ => {}
                }
                Ok(BusReply::Written)
            }
            (BusOp::WriteCoils { bits, .. }, _) => {
                self.coils[board] = *bits;
                Ok(BusReply::Written)
            }
            (BusOp::ReadDiscrete { .. }, _) => {
                let [dead, stuck] = [self.dead_lamps, self.stuck_lamps].map(|lamps| (lamps >> (64 * board)) as u64);
                Ok(BusReply::Bits(self.coils[board] & !dead | stuck))
            }
            (BusOp::ReadInput { address: reader::POSE, .. }, _) => {
                let [a, b, c] = if self.next_step.is_some() { [reader::MOVING; 3] } else { self.poses };
                // A reader measures every 50 ms.
                let measurement = (self.stale.unwrap_or(self.now).0 / 50_000_000) as u16;
                Ok(BusReply::Words(vec![measurement, 3, a, b, c, 11, 12, 13, self.motion]))
            }
            (BusOp::ReadInput { address: reader::FACES, .. }, _) => {
                self.faces_read += 1;
                let [a, b, c] = self.faces;
                Ok(BusReply::Words(vec![1, a, b, c]))
            }
            other => panic!("no unit answers {other:?}"),
        }
    }
}
