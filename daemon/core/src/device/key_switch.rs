//! The supervisor's key switch: each turn gives a privilege for a time.
//!
//! ```text
//!  no privilege --turn--> privilege since this edge --turn--> since that edge
//!        ^                        '--Timer::KeyLapse-->--.
//!        '-----------------------------------------------'
//! ```

use crate::context::Context;
use crate::latch::Malfunction;
use crate::line::InLine;
use crate::refusal::Refusal;
use crate::timer::Timer;
use crate::units::{Millis, Mono};
use serde::{Deserialize, Serialize};

/// The privilege that the key switch gives.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct KeySwitch {
    edge: Option<Mono>,
}

impl KeySwitch {
    /// The key is turned on: its privilege begins, and one that stays on is stuck.
    pub fn turn(&mut self, ctx: &mut Context) {
        self.edge = Some(ctx.at());
        Self::watch(ctx);
        ctx.after(Timer::KeyLapse, Millis(ctx.p().key_privilege));
    }

    /// The key is turned on, and gives no privilege by that; one that stays on is stuck.
    pub fn watch(ctx: &mut Context) {
        ctx.after(Timer::Held(InLine::SupervisorKey), Millis(ctx.p().key_stuck));
    }

    /// The privilege has lasted its time.
    pub const fn lapse(&mut self) {
        self.edge = None;
    }

    /// Whether the key's privilege lasts.
    #[must_use]
    pub const fn is_granted(&self) -> bool {
        self.edge.is_some()
    }

    /// Whether this malfunction may be reset under the key's privilege: it lasts, and is newer than the latch; otherwise why not.
    ///
    /// # Errors
    /// The key was turned before the malfunction was latched.
    pub fn may_reset(&self, malfunction: &Malfunction) -> Result<(), Refusal> {
        if self.edge.is_some_and(|edge| edge > malfunction.since) {
            Ok(())
        } else {
            Err(Refusal::KeyOlderThanLatch(malfunction.code))
        }
    }
}
