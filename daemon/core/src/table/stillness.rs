//! A daemon that stood still: stopped, starved, or on a machine that did.
//!
//! Outside, the dead-man relay has taken motor power away by then. A spin does not go on after that, and what the table
//! did not ask for meanwhile is no defect of a device.

use super::Table;
use crate::device::schedule::UNANSWERED;
use crate::prelude::*;
use crate::round::ending::{Ground, VoidReason};
use crate::round::{Spin, SpinEnd};
use crate::timer::Timer;
use crate::units::Mono;

const NANOS: u64 = 1_000_000;

impl Table {
    /// Something is handed in at `now`: looks whether the daemon has stood still for so long that the dead-man relay dropped.
    pub(super) fn wake(&mut self, now: Mono) {
        let due = self.ctx.next_deadline().unwrap_or(now).max(self.ctx.read());
        self.ctx.hand_in(now);
        let stood = now.nanos_since(due);
        let p = *self.ctx.p();
        // The last edge may lie as far back as edges lie apart.
        if stood >= u64::from(p.deadman_drop.saturating_sub(p.alive)) * NANOS {
            self.go_on(due, now, stood);
        }
        // The answer may have come meanwhile and waits to be handed in: nothing else is asked before it, and no unit is lost for want
        // of it. How long it stood still nobody can say where no other timer ran.
        if stood > u64::from(p.alive) * NANOS && self.ctx.is_set(Timer::BusGuard) {
            self.ctx.after_from(Timer::BusGuard, now, UNANSWERED);
            self.devices.grant_replies(now, &mut self.ctx);
        }
    }

    /// The daemon stood still from `due` on, for `stood` nanoseconds, and goes on at `now`.
    fn go_on(&mut self, due: Mono, now: Mono, stood: u64) {
        self.ctx.advance(due);
        if self.devices.tumbler.is_running() {
            let what = format!("the daemon stood still for {} ms while the tumbler ran", stood / NANOS);
            self.halt_motor();
            self.test_failed(&what);
            // What the cam did meanwhile is proved by nothing; three tumbles that were counted before are made.
            if self.is_made(SpinEnd::Interruption) {
                self.void_unless_established(VoidReason::Interruption, SpinEnd::Interruption, &what);
            } else if self.round.as_ref().is_some_and(|round| round.spin() == Spin::Running) {
                self.add_ground(Ground::FewerThanThree);
                self.end_void(VoidReason::Interruption, SpinEnd::Interruption, &what, None);
            }
        }
        self.ctx.wake(now, stood);
        // Every unit is due at once now.
        self.devices.grant_replies(now, &mut self.ctx);
    }
}
