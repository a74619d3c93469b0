//! The table's status (design.md rule 4; table.md, Phases; console.md): what the table says of itself must agree with its records,
//! its wires and its readings.
//!
//! A status may be ahead of records that are still being written, and behind a wire by the time between two statuses. So a
//! difference counts once it has lasted over several statuses, with no record in between.

mod prompts;

use crate::ledger::Ledger;
use crate::observation::{Line, Observation, Seen, Truth};
use crate::record::Fact;
use crate::rule::{Firmness, Rule};
use crate::scene::Scene;
use crate::section::{Answer, Section};
use prompts::Prompts;
use serde_json::Value;

pub(crate) const AGREES: Rule = Rule::new(
    "status.agrees",
    "design.md rule 4: what is published is what is: status, journal and wires tell the same",
);

const MS: u64 = 1_000_000;
/// Longer than it takes to write a record or to debounce a contact.
const LASTS_NS: u64 = 2_000 * MS;

/// Watches the status.
#[derive(Clone, Debug, Default)]
pub(crate) struct Status {
    /// Which field differs, and since when.
    differs: Option<(&'static str, u64)>,
    reported: bool,
    void: bool,
    /// Since the void round, the table was opened again or its daemon started.
    reopened: bool,
    reading: Option<i32>,
    prompts: Prompts,
    /// Records were lost or never written: the picture that the journal gives is not complete.
    holes: bool,
}

impl Section for Status {
    fn rules(&self) -> Vec<Rule> {
        vec![AGREES]
    }

    fn explain(&mut self, seen: &Observation, _: &Scene, _: &mut Ledger) -> Answer {
        if matches!(seen.what, Seen::Status(_)) { Answer::Later } else { Answer::NotMine }
    }

    fn notice(&mut self, seen: &Observation, scene: &Scene, ledger: &mut Ledger) {
        if !scene.config.given.exact {
            return;
        }
        self.prompts.take(seen, scene);
        match &seen.what {
            Seen::Record(record) => {
                self.differs = None;
                self.holes |= record.fact.begins_new_journal() || scene.is_latched("journal");
                match &record.fact {
                    Fact::Answered { .. } | Fact::Settled { .. } => self.void = false,
                    Fact::Voided { .. } => (self.void, self.reopened) = (true, false),
                    Fact::Opened { .. } | Fact::Started { .. } => self.reopened = true,
                    Fact::RoundBegan { .. } => self.void = false,
                    _ => {}
                }
            }
            Seen::Temperature { milli_celsius } => self.reading = *milli_celsius,
            Seen::Truth(Truth::Process { .. }) => self.differs = None,
            Seen::Status(status) => {
                ledger.coverage.count(AGREES, "status", Firmness::Must);
                self.look(status, scene, ledger);
            }
            _ => {}
        }
    }
}

impl Status {
    fn look(&mut self, status: &Value, scene: &Scene, ledger: &mut Ledger) {
        self.holes |= scene.is_latched("journal");
        let unknown = self.holes || scene.may_lag();
        let Some((field, stated)) = self.difference(status, scene).filter(|_| !unknown) else {
            self.differs = None;
            return;
        };
        let (_, since) = *self.differs.get_or_insert((field, scene.now_ns));
        if self.differs.is_some_and(|(was, _)| was != field) {
            self.differs = Some((field, scene.now_ns));
        } else if !self.reported && scene.now_ns > since.saturating_add(LASTS_NS) {
            self.reported = true;
            ledger.wrong(AGREES, format!("the status has `{field}` {stated}"));
        }
    }

    /// A field that differs, and how.
    fn difference(&self, status: &Value, scene: &Scene) -> Option<(&'static str, String)> {
        let get = |field: &str| status.get(field).cloned().unwrap_or(Value::Null);
        let differs = |field: &'static str, is: Value| {
            let stated = get(field);
            (stated != is).then(|| (field, format!("{stated}, and it is {is}")))
        };
        let codes = get("malfunctions");
        let codes = codes.as_array().into_iter().flatten().filter_map(|one| one.get("code").and_then(Value::as_str));
        let mut codes: Vec<&str> = codes.collect();
        codes.sort_unstable();
        let mut latched: Vec<&str> = scene.latched.iter().map(|(code, _)| code.as_str()).collect();
        latched.sort_unstable();
        if codes != latched {
            return Some(("malfunctions", format!("{codes:?}, and latched are {latched:?}")));
        }
        let in_round = scene.round.as_ref();
        let result = in_round.and_then(|round| round.result).map(|mut dice| {
            dice.sort_unstable();
            dice
        });
        let shown = in_round.is_some().then(|| differs("result", serde_json::json!(result))).flatten();
        let key = scene.level(Line::MotorEnable).and_then(|on| differs("motor", on.into()));
        let open = scene.open.and_then(|open| differs("open", open.into()));
        // The page leaves open whether a table that was opened again since the void round still says "void".
        let either = self.void && self.reopened && matches!(get("phase").as_str(), Some("ready" | "void"));
        let phase = self.phase(scene).filter(|phase| !(either && *phase == "void"));
        let phase = phase.and_then(|phase| differs("phase", phase.into()));
        let round = in_round.and_then(|round| round.id).and_then(|id| differs("round", id.into()));
        let warm = self.reading.filter(|_| !get("temperature").is_null());
        let warm = warm.and_then(|reading| differs("temperature", reading.into()));
        let prompt = self.prompts.difference(&get("prompt"), scene).map(|text| ("prompt", text));
        let prompt = prompt.filter(|_| !scene.is_latched("journal"));
        open.or(prompt).or(phase).or(shown).or(round).or(key).or(warm)
    }

    /// The phase, by table.md, Phases.
    fn phase(&self, scene: &Scene) -> Option<&'static str> {
        Some(match &scene.round {
            _ if scene.maintenance => "maintenance",
            None if !scene.latched.is_empty() => "blocked",
            None if scene.open == Some(false) => "closed",
            None if scene.open.is_none() => return None,
            None if self.void => "void",
            None => "ready",
            Some(round) if round.asked.is_some() => "interrupted",
            Some(round) if round.result.is_some() => "settling",
            Some(round) if round.spinning => "tumbling",
            Some(round) if round.revealed => "revealed",
            Some(round) if round.called => "bets-closed",
            Some(_) => "betting",
        })
    }
}
