//! Supervision: a table is opened only after the tests of NZ 5(a) to (d), really done, and behind every decision stands a named
//! person with the key (design.md, People and roles).

use crate::judge::{Exercised, Findings, Judge};
use crate::observation::{Line, Observation, Part, Seen, Truth};
use crate::record::Fact;
use crate::scene::Scene;

const NAME: &str = "supervision";
pub(crate) const TESTS: &str = "NZ 5(a) to (d): a table is opened after its tests";
pub(crate) const AREAS: &str = "NZ 5(b): test runs light every area";
pub(crate) const TUMBLER: &str = "NZ 5(c): the tumbler is activated";
pub(crate) const DEADMAN: &str = "design.md, Dead-man line: proved at every opening";
pub(crate) const KEY: &str = "design.md, People and roles: a decision needs the key and a name";

/// The tests that NZ 5 asks for, as their records name them. The test of the dead-man line is judged by the true power of the
/// motor.
const NEEDED: [&str; 5] = ["power", "lamps", "tumbler", "seal", "areas"];

/// Watches openings and decisions.
#[derive(Clone, Debug, Default)]
pub(crate) struct Supervision {
    passed: [bool; NEEDED.len()],
    /// How many requests to open are pending: those since the last opening, closing or failed test, less the refused ones. A table
    /// that is being opened refuses a second request.
    asked: u32,
    /// When the first of them came.
    asked_ns: u64,
    /// Lamps that have really shone since the opening began.
    shone: [u64; 2],
    /// Position of the shaft when the tests began, and how far it has turned since.
    base: Option<i64>,
    turned: i64,
    /// The motor lost its power while `motor_enable` stayed on.
    dropped: bool,
    openings: u64,
    decisions: u64,
}

impl Judge for Supervision {
    fn name(&self) -> &'static str {
        NAME
    }

    fn observe(&mut self, seen: &Observation, scene: &Scene, findings: &mut Findings) {
        match &seen.what {
            Seen::ConsoleCommand { command, .. } if command == "open" => {
                if self.asked == 0 {
                    self.forget(scene);
                    self.asked_ns = scene.now_ns;
                }
                self.asked += 1;
            }
            Seen::Truth(Truth::Lamps { boards: [first, second] }) => {
                let [a, b] = &mut self.shone;
                *a |= first;
                *b |= second;
            }
            Seen::Truth(Truth::Shaft { quarters }) => {
                let base = *self.base.get_or_insert(*quarters);
                self.turned = self.turned.max(quarters.saturating_sub(base));
            }
            Seen::Truth(Truth::MotorPower { on: false }) => self.dropped |= scene.is(Line::MotorEnable, true),
            Seen::Record(record) => {
                if record.kind == "refused" && record.data.get("what").is_some_and(|what| what == "open") {
                    self.asked = self.asked.saturating_sub(1);
                }
                self.record(&record.fact, scene, findings);
            }
            _ => {}
        }
    }

    fn exercised(&self) -> Vec<Exercised> {
        vec![("openings", self.openings), ("decisions under the key", self.decisions)]
    }
}

impl Supervision {
    fn forget(&mut self, scene: &Scene) {
        let (openings, decisions) = (self.openings, self.decisions);
        *self = Self { base: scene.shaft, openings, decisions, ..Self::default() };
    }

    fn record(&mut self, fact: &Fact, scene: &Scene, findings: &mut Findings) {
        match fact {
            Fact::Tested { test, passed } => {
                for (needed, done) in NEEDED.iter().zip(&mut self.passed) {
                    if needed == test {
                        *done = *passed;
                    }
                }
                if !passed {
                    self.asked = 0;
                }
            }
            Fact::Started { .. } | Fact::Closed => self.forget(scene),
            Fact::Opened { by } => {
                self.opens(scene, findings);
                self.decides("opened", by, scene, findings);
                self.forget(scene);
            }
            Fact::Unlatched { by, .. } => self.decides("unlatched", by, scene, findings),
            Fact::Amended { by, .. } => self.decides("amended", by, scene, findings),
            Fact::VoidedAfterwards { by, .. } => self.decides("voided-afterwards", by, scene, findings),
            Fact::Settled { by: Some(by), .. } => self.decides("settled", by, scene, findings),
            Fact::Decided { by, .. } => self.decides("decided", by, scene, findings),
            Fact::DiceEnrolled { by } => self.decides("dice-enrolled", by, scene, findings),
            _ => {}
        }
    }

    fn opens(&mut self, scene: &Scene, findings: &mut Findings) {
        self.openings += 1;
        let at_ns = scene.now_ns;
        for (needed, _) in NEEDED.iter().zip(self.passed).filter(|(_, done)| !done) {
            findings.note(NAME, at_ns, TESTS, format!("opened without the test `{needed}`"));
        }
        // If lamps are crossed during the test, the person has to see it.
        let crossed = scene.broken(Part::Lamps) || scene.mended(Part::Lamps).is_some_and(|at| at >= self.asked_ns);
        let seen = scene.shining.filter(|_| !crossed);
        if let (Some(_), Some(board)) = (seen, scene.config.board(&scene.config.given.layout)) {
            let ([a, b], [x, y]) = (self.shone, board.all);
            let dark = [x & !a, y & !b];
            if dark != [0; 2] {
                findings.note(NAME, at_ns, AREAS, format!("opened, and these lamps never shone: {dark:x?}"));
            }
        }
        if scene.shaft.is_some() && self.turned < 12 {
            findings.note(NAME, at_ns, TUMBLER, format!("opened after {} true quarter turns", self.turned));
        }
        if scene.motor_power.is_some() && !self.dropped {
            findings.note(NAME, at_ns, DEADMAN, "opened, and motor power was never lost to the dead-man relay");
        }
    }

    fn decides(&mut self, what: &str, by: &str, scene: &Scene, findings: &mut Findings) {
        self.decisions += 1;
        if by.trim().is_empty() {
            findings.note(NAME, scene.now_ns, KEY, format!("`{what}` names nobody"));
        }
        if scene.level(Line::SupervisorKey).is_none() {
            return;
        }
        let limits = &scene.config.given.limits;
        let while_ns = limits.key_privilege_ns.saturating_add(limits.person_ns.saturating_mul(5));
        let keyed = scene.key_ns.is_some_and(|edge| scene.now_ns.saturating_sub(edge) <= while_ns);
        if !keyed {
            findings.note(NAME, scene.now_ns, KEY, format!("`{what}` by {by}, and the key was not turned"));
        }
    }
}

#[cfg(test)]
mod tests;
