//! Whether the shaft turns without a command (faults.md motor.coast and motor.runaway; NZ 7.1(b), SGOC 5.5.3, SGOC-early 5.1.4).

use crate::observation::Line;
use crate::scene::Scene;

/// A shaft that turned this shortly before a round may be found turning in it.
const STRAY_NS: u64 = 1_000_000_000;
/// A healthy shaft has come to rest long before this time after its motor lost power (faults.md motor.coast).
const COAST_NS: u64 = 1_500_000_000;

/// The true movements of the shaft.
#[derive(Clone, Debug, Default)]
pub(super) struct Shaft {
    /// Last movement, and last movement without a command.
    turned_ns: u64,
    stray_ns: u64,
    /// Whether it has moved without a command since the motor last went off.
    stray: bool,
    /// Since when the motor has had no power.
    unpowered_ns: Option<u64>,
}

impl Shaft {
    /// The shaft as a new round finds it.
    pub(super) const fn next_round(&self) -> Self {
        Self { turned_ns: self.turned_ns, stray_ns: self.stray_ns, stray: false, unpowered_ns: self.unpowered_ns }
    }

    pub(super) fn motor_power(&mut self, on: bool, now_ns: u64) {
        self.unpowered_ns = (!on).then_some(now_ns);
    }

    /// `motor_enable` goes off: from here on the shaft coasts.
    pub(super) fn motor_off(&mut self) {
        self.stray = false;
    }

    /// The shaft moves. Returns whether it does so without a command.
    pub(super) fn turned(&mut self, activated: bool, scene: &Scene) -> bool {
        let rested = scene.now_ns.saturating_sub(self.turned_ns) > scene.config.given.limits.standstill_ns;
        self.turned_ns = scene.now_ns;
        let coasts_too_long = self.unpowered_ns.is_some_and(|off| scene.now_ns.saturating_sub(off) > COAST_NS);
        let by_itself = rested || !activated || self.stray;
        let stray = coasts_too_long || by_itself && !scene.is(Line::MotorEnable, true);
        if stray {
            self.stray = true;
            self.stray_ns = scene.now_ns;
        }
        stray
    }

    /// Whether a round that began at this time may have found the shaft turning without a command.
    pub(super) const fn was_stray_at(&self, at_ns: u64) -> bool {
        self.stray_ns > 0 && self.stray_ns.saturating_add(STRAY_NS) >= at_ns
    }
}
