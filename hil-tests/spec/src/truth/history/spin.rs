//! The spin of the round, counted from the edges of the cam (NZ 6.1, SGV6 3.7, SGOC 3.7, SGOC-early 3.4: at least three tumbles).

use super::super::situation::{Bets, Tumbles};
use super::push;
use crate::observation::{Line, Part, quarter};
use crate::scene::{Round, Scene};

/// A motor that has been on for this long while the shaft stands has stalled.
const STALL_NS: u64 = 500_000_000;

/// The spin, and the cam from which it is counted.
#[derive(Clone, Debug, Default)]
pub(super) struct Spin {
    /// Net steps of the cam since watching began, and its two levels.
    steps: i64,
    levels: [bool; 2],
    /// Steps of the cam, and position of the shaft, when the motor went on.
    first_step: Option<i64>,
    first_quarter: Option<i64>,
    /// Highest count of steps so far.
    furthest: i64,
    /// Whether "No more bets" had been called when the tumbler was activated.
    bets: Vec<Bets>,
    /// Count when the motor went off.
    at_off: i64,
    /// Count when the shaft came to rest: later turns do not belong to this spin.
    at_rest: Option<i64>,
    /// Whether the cam went back under power by more than one sensor's bounce: then it may as well be loose or hit by noise.
    doubtful: bool,
    /// Time of the last edge of the cam, or of the motor going on.
    edge_ns: u64,
    /// When the motor last went off: a shaft that stands while it is on has stalled, and has not come to rest.
    off_ns: u64,
}

impl Spin {
    /// The spin of a new round. The cam keeps its place.
    pub(super) fn next_round(&self) -> Self {
        Self { steps: self.steps, levels: self.levels, ..Self::default() }
    }

    /// Whether the motor went on for a spin of this round.
    pub(super) const fn activated(&self) -> bool {
        self.first_step.is_some()
    }

    /// Whether "No more bets" had been called when the tumbler was activated.
    pub(super) fn bets(&self) -> &[Bets] {
        &self.bets
    }

    /// Net steps of the cam in this spin.
    fn count(&self) -> i64 {
        self.at_rest.unwrap_or_else(|| self.first_step.map_or(0, |first| self.steps.saturating_sub(first)))
    }

    /// The motor goes on for the first spin of the round.
    pub(super) fn begin(&mut self, bets: Vec<Bets>, scene: &Scene) {
        self.bets = bets;
        (self.first_step, self.first_quarter, self.furthest) = (Some(self.steps), scene.shaft, 0);
        self.at_rest = None;
        // A shaft that has not moved yet is not a shaft that stopped after its last spin.
        self.edge_ns = scene.now_ns;
    }

    /// The motor goes off. Returns whether it had stalled: the shaft stood for longer than a healthy one does at the end of a spin.
    pub(super) fn motor_off(&mut self, scene: &Scene) -> bool {
        self.at_off = self.count();
        self.off_ns = scene.now_ns;
        self.activated() && scene.now_ns.saturating_sub(self.edge_ns) > STALL_NS
    }

    /// An edge of the cam. Returns whether the shaft goes backwards within the spin: then it does not turn as it should, whatever
    /// turns it.
    pub(super) fn cam_edge(&mut self, line: Line, active: bool, scene: &Scene) -> bool {
        let stands_since = self.edge_ns.max(self.off_ns);
        let stood = scene.now_ns.saturating_sub(stands_since) > scene.config.given.limits.standstill_ns;
        if self.activated() && self.at_rest.is_none() && stood && !scene.is(Line::MotorEnable, true) {
            self.at_rest = Some(self.count());
        }
        self.edge_ns = scene.now_ns;
        let before = quarter(self.levels[0], self.levels[1]);
        let [a, b] = &mut self.levels;
        *(if line == Line::CamA { a } else { b }) = active;
        match (quarter(self.levels[0], self.levels[1]) - before).rem_euclid(4) {
            1 => self.steps = self.steps.saturating_add(1),
            3 => self.steps = self.steps.saturating_sub(1),
            _ => {}
        }
        self.furthest = self.furthest.max(self.count());
        let back = self.activated() && self.at_rest.is_none() && self.count() + 1 < self.furthest;
        self.doubtful |= back && scene.is(Line::MotorEnable, true);
        back
    }

    /// What the count proves; several values where a broken part leaves doubt.
    pub(super) fn tumbles(&self, scene: &Scene, round: &Round) -> Vec<Tumbles> {
        if !self.activated() {
            return vec![Tumbles::None];
        }
        let mut tumbles = vec![Tumbles::of(self.count())];
        // A step back takes no tumble back.
        push(&mut tumbles, Tumbles::of(self.furthest));
        if [Part::Cam, Part::Gpio, Part::Motor, Part::Relay].into_iter().any(|part| round.was_broken(part)) {
            // The table need not count the steps that the shaft makes without power.
            push(&mut tumbles, Tumbles::of(self.at_off));
        }
        if [Part::Cam, Part::Gpio].into_iter().any(|part| round.was_broken(part)) {
            let turned = scene.shaft.zip(self.first_quarter).map(|(now, first)| now.saturating_sub(first));
            turned.into_iter().for_each(|turned| push(&mut tumbles, Tumbles::of(turned)));
            push(&mut tumbles, Tumbles::Doubt);
        }
        if self.doubtful {
            push(&mut tumbles, Tumbles::Doubt);
        }
        tumbles
    }
}
