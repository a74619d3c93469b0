//! The latch (NZ 5, 7.4; design.md, Latch and rule 8): once a malfunction is latched no game begins until it is unlatched under a
//! newer turn of the key. Restarts change nothing, and the sign says so.

use crate::judge::{Exercised, Findings, Judge};
use crate::observation::{Line, Observation, Part, Seen, Truth};
use crate::record::{Fact, Record};
use crate::scene::Scene;

const NAME: &str = "latch";
pub(crate) const NO_GAME: &str = "NZ 7.4: no further game while a malfunction is latched";
pub(crate) const NO_SPIN: &str = "NZ 7.4: no spin while a malfunction of what moves or watches it is latched";
pub(crate) const CLOSED: &str = "NZ 5: no game on a table that was not opened";
pub(crate) const EXIT: &str = "design.md, Latch: a latch opens only under a turn of the key newer than itself";
pub(crate) const PROCEDURE: &str = "NZ 7.4: a procedure replaces lamps, terminal and reader only";
pub(crate) const KEPT: &str = "design.md rule 8: restarts open no latch and no table";
pub(crate) const SIGN: &str = "design.md, Latch: the sign says so while no game may be played";
pub(crate) const OPEN_SIGN: &str = "design.md, Latch: the sign is off while games are played";

/// Malfunctions under which a round in progress may still be spun, because the dealer's eye replaces the device.
pub(crate) const REPLACED_BY_EYE: [&str; 5] = ["lamps", "terminal", "reader", "buttons", "key"];

/// Watches latches, permission and the sign.
#[derive(Clone, Debug, Default)]
pub(crate) struct Latch {
    /// Latched codes before this observation, with the times of their records: the scene forgets what was unlatched.
    latched: Vec<(String, u64)>,
    /// Since when no game may be played.
    barred_ns: Option<u64>,
    reported: bool,
    barred: u64,
    latches: u64,
    exits: u64,
    restarts: u64,
    begun: u64,
}

impl Judge for Latch {
    fn name(&self) -> &'static str {
        NAME
    }

    fn observe(&mut self, seen: &Observation, scene: &Scene, findings: &mut Findings) {
        match &seen.what {
            Seen::Record(record) => {
                self.record(record, scene, findings);
                self.latched.clone_from(&scene.latched);
            }
            Seen::Truth(Truth::Process { alive: true }) => {
                self.restarts += u64::from(!scene.latched.is_empty());
                self.barred_ns = None;
            }
            _ => {}
        }
        self.sign(scene, findings);
    }

    fn finish(&mut self, _at_ns: u64, scene: &Scene, findings: &mut Findings) {
        self.sign(scene, findings);
    }

    fn exercised(&self) -> Vec<Exercised> {
        vec![
            ("malfunctions latched", self.latches),
            ("latches opened", self.exits),
            ("starts while latched", self.restarts),
            ("times that no game may be played", self.barred),
            ("rounds begun", self.begun),
        ]
    }
}

impl Latch {
    fn record(&mut self, record: &Record, scene: &Scene, findings: &mut Findings) {
        let at_ns = scene.now_ns;
        match &record.fact {
            Fact::RoundBegan { .. } => {
                self.begun += 1;
                if let Some((code, _)) = scene.latched.first() {
                    findings.note(NAME, at_ns, NO_GAME, format!("a round begins while `{code}` is latched"));
                }
                if scene.open == Some(false) || scene.maintenance {
                    findings.note(NAME, at_ns, CLOSED, "a round begins on a table that is not open");
                }
                // On a slow disk the record is seen later than it was made.
                let on_ns = record.at_ns.min(at_ns).saturating_sub(scene.since(Line::OutOfService));
                if scene.is(Line::OutOfService, true)
                    && on_ns > scene.config.given.limits.sign_ns
                    && scene.latched.is_empty()
                    && !scene.broken(Part::Gpio)
                {
                    findings.note(NAME, at_ns, OPEN_SIGN, "a round begins under the sign \"out of service\"");
                }
            }
            Fact::SpinBegan => {
                if let Some((code, _)) =
                    scene.latched.iter().find(|(code, _)| !REPLACED_BY_EYE.contains(&code.as_str()))
                {
                    findings.note(NAME, at_ns, NO_SPIN, format!("a spin begins while `{code}` is latched"));
                }
            }
            Fact::Latched { .. } => self.latches += 1,
            Fact::Unlatched { code, how, .. } => self.exit(code, how, scene, findings),
            Fact::Keyframe(keyframe) => {
                let kept = |code: &String| keyframe.latched.iter().any(|latched| latched.code == *code);
                // The latch `journal` of a new journal stands for every latch that was lost with the old one, and the opening tests
                // after it look at every device (NZ 5).
                let lost = scene.latched.iter().find(|(code, _)| !kept(code));
                if let (Some((code, _)), false) = (lost, record.fact.begins_new_journal()) {
                    findings.note(NAME, at_ns, KEPT, format!("the keyframe has lost the latch `{code}`"));
                }
                let newly =
                    keyframe.latched.iter().find(|latched| !self.latched.iter().any(|(code, _)| *code == latched.code));
                if let (Some(latched), true, false) =
                    (newly, scene.config.given.exact, record.fact.begins_new_journal())
                {
                    let text = format!("the keyframe has the latch `{}`, and no record latched it", latched.code);
                    findings.note(NAME, at_ns, KEPT, text);
                }
                if keyframe.open && scene.open == Some(false) {
                    findings.note(NAME, at_ns, KEPT, "the keyframe is open, and nobody opened the table");
                }
            }
            _ => {}
        }
    }

    fn exit(&mut self, code: &str, how: &str, scene: &Scene, findings: &mut Findings) {
        self.exits += 1;
        if how != "rectified" && !matches!(code, "lamps" | "terminal" | "reader") {
            findings.note(NAME, scene.now_ns, PROCEDURE, format!("`{code}` is unlatched by a procedure: {how}"));
        }
        if scene.level(Line::SupervisorKey).is_none() {
            return;
        }
        let Some((_, since)) = self.latched.iter().find(|(latched, _)| latched == code) else { return };
        // The key acts once its contact is debounced.
        let settled = scene.key_ns.map(|edge| edge.saturating_add(scene.config.given.limits.button_debounce_ns));
        if settled.is_none_or(|edge| edge <= *since) {
            findings.note(NAME, scene.now_ns, EXIT, format!("`{code}` is unlatched without a newer turn of the key"));
        }
    }

    fn sign(&mut self, scene: &Scene, findings: &mut Findings) {
        let latched = !scene.latched.is_empty() && scene.round.is_none();
        if !(latched || scene.open == Some(false)) || scene.alive != Some(true) {
            self.barred_ns = None;
            self.reported = false;
            return;
        }
        let since = *self.barred_ns.get_or_insert_with(|| {
            self.barred += 1;
            scene.now_ns
        });
        // While `gpio` is latched the outputs are known not to obey. Every test begins by driving the sign again.
        let dead = scene.broken(Part::Gpio) || scene.is_latched("gpio");
        if self.reported || scene.testing() || dead || !scene.is(Line::OutOfService, false) {
            return;
        }
        if scene.now_ns > since.saturating_add(scene.config.given.limits.sign_ns) {
            self.reported = true;
            findings.note(NAME, scene.now_ns, SIGN, "no game may be played, and the sign is off");
        }
    }
}

#[cfg(test)]
mod tests;
