//! The sign "out of service".
//!
//! ```text
//!               what bars games is decided: closed, maintenance, a latch, a question
//!        dark ────────────────────────────────────────────────────────────────────────> lit
//!             <────────────────────────────────────────────────────────────────────────
//!               the record that ends the last of it is durable
//! ```
//! It goes on at the decision, before any record of it is durable, and goes off only with a durable record; for a question, with its
//! answer.

use crate::ledger::Ledger;
use crate::observation::{Line, Observation, Part, Seen, Truth};
use crate::rule::Rule;
use crate::scene::Scene;
use crate::section::{Answer, COMMIT_NS, Section, may, must};

const LIT: Rule = Rule::new("sign.lit", "design.md, Latch: the sign is lit while no game may be played");
const DARK: Rule = Rule::new("sign.dark", "design.md, Latch: the sign is dark while games are played");
const AT_START: Rule =
    Rule::new("sign.start", "design.md, Wires: the sign is lit whenever no daemon is there to conduct a game");
const AGAIN: Rule = Rule::new("sign.again", "wiring.md: an output may be driven again to the level that it has");

/// Watches the sign.
#[derive(Clone, Debug, Default)]
pub(super) struct Sign {
    /// It was lit while games might be played by all that is durable: what bars them has to become durable.
    lit_ns: Option<u64>,
    /// The daemon has driven it since it started.
    driven: bool,
    /// Since when nothing has barred games.
    free_ns: Option<u64>,
}

/// Whether no game may be played, by what is durable.
fn barred(scene: &Scene) -> bool {
    scene.open == Some(false) || scene.maintenance || !scene.latched.is_empty()
}

/// Whether a person is asked about the dice: until the answer nothing goes on.
fn asked(scene: &Scene) -> bool {
    scene.round.as_ref().is_some_and(|round| round.asked.is_some())
}

/// Whether what drives or records it is itself out of order.
fn excused(scene: &Scene) -> bool {
    [Part::Gpio, Part::Journal].into_iter().any(|part| scene.recently_broken(part, COMMIT_NS))
        || ["gpio", "journal"].into_iter().any(|code| scene.is_latched(code))
}

impl Section for Sign {
    fn rules(&self) -> Vec<Rule> {
        vec![LIT, DARK, AT_START, AGAIN]
    }

    fn explain(&mut self, seen: &Observation, scene: &Scene, _: &mut Ledger) -> Answer {
        let Seen::Wire { line: Line::OutOfService, active, .. } = seen.what else { return Answer::NotMine };
        match active {
            _ if self.driven && scene.is(Line::OutOfService, active) => may(AGAIN),
            true if !self.driven => must(AT_START),
            true => must(LIT),
            false if barred(scene) && !excused(scene) => {
                Answer::Unexplained(LIT, "darkness once the record that ends the last bar is durable".into())
            }
            false => must(DARK),
        }
    }

    fn notice(&mut self, seen: &Observation, scene: &Scene, ledger: &mut Ledger) {
        match &seen.what {
            Seen::Truth(Truth::Process { .. }) => *self = Self::default(),
            Seen::Wire { line: Line::OutOfService, active, initial: false } => {
                self.driven = true;
                let bars = barred(scene) || asked(scene) || scene.testing();
                self.lit_ns = (*active && !bars).then_some(scene.now_ns);
            }
            Seen::Record(record) => {
                let bars = barred(scene) || asked(scene);
                // It was lit before, or at the decision, or when a daemon that stood still went on; a later decision may have darkened it.
                let sign = scene.past.line(Line::OutOfService);
                let was = sign.before(record.at_ns).is_none_or(|(_, lit)| *lit);
                let dark = !was && sign.within(record.at_ns, scene.now_ns).all(|(_, lit)| !lit);
                let wrong = dark && bars && self.driven && !excused(scene);
                let lit_ns = scene.is(Line::OutOfService, true).then(|| scene.since(Line::OutOfService));
                let free = !bars && !scene.testing() && !scene.may_lag() && !excused(scene);
                if free && self.free_ns.zip(lit_ns).is_some_and(|(free, lit)| lit <= free && free < record.at_ns) {
                    ledger.wrong(DARK, "the sign stays lit, and nothing bars games".into());
                }
                self.free_ns = free.then(|| self.free_ns.unwrap_or(scene.now_ns));
                if !self.driven && !excused(scene) && !scene.may_lag() {
                    ledger.wrong(AT_START, "missing: the sign is not driven".into());
                }
                if wrong {
                    ledger.wrong(LIT, format!("the sign is dark, and `{}` bars games", record.kind));
                }
                // Whatever was decided when it was lit is durable once a later record is.
                let told = self.lit_ns.take_if(|at| record.at_ns > *at || bars).is_some();
                if told && !bars && !excused(scene) {
                    ledger.wrong(DARK, "the sign was lit, and nothing that is on record barred games".into());
                }
            }
            _ => {}
        }
    }
}
