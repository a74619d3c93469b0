//! All judges of one table together.

use crate::config::{BadConfig, Checked, Config};
use crate::judge::{Findings, Judge, Violation};
use crate::observation::{Observation, Trace};
use crate::scene::Scene;
use crate::{journal, lamps, latch, motor, rounds, secrecy};
use serde::Serialize;

/// The judges of one table, over one run.
pub struct Panel {
    scene: Scene,
    judges: Vec<Box<dyn Judge>>,
    findings: Findings,
    out_of_order: bool,
}

/// How often a rule had something to judge.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Exercise {
    /// The judge.
    pub judge: &'static str,
    /// Its rule.
    pub rule: &'static str,
    /// How often.
    pub times: u64,
}

impl Panel {
    /// All judges, for a table set up like this.
    ///
    /// # Errors
    /// [`BadConfig`] where rule set, layout or lamps are not what the rules know.
    pub fn for_table(config: Config) -> Result<Self, BadConfig> {
        Self::with(config, all())
    }

    /// These judges only.
    pub(crate) fn with(config: Config, judges: Vec<Box<dyn Judge>>) -> Result<Self, BadConfig> {
        let scene = Scene::new(Checked::new(config)?);
        Ok(Self { scene, judges, findings: Findings::default(), out_of_order: false })
    }

    /// Judges one more observation.
    pub fn observe(&mut self, seen: &Observation) {
        if seen.at_ns < self.scene.now_ns && !self.out_of_order {
            self.out_of_order = true;
            self.findings.note("panel", seen.at_ns, "rig: observations in order", format!("{seen:?} comes too late"));
        }
        self.scene.take(seen);
        for judge in &mut self.judges {
            judge.observe(seen, &self.scene, &mut self.findings);
        }
    }

    /// Judges a whole trace, to its end.
    pub fn observe_all(&mut self, trace: &Trace) {
        for seen in &trace.0 {
            self.observe(seen);
        }
        self.finish(self.scene.now_ns);
    }

    /// The run is over.
    pub fn finish(&mut self, at_ns: u64) {
        for judge in &mut self.judges {
            judge.finish(at_ns, &self.scene, &mut self.findings);
        }
    }

    /// What was found.
    #[must_use]
    pub const fn findings(&self) -> &Findings {
        &self.findings
    }

    /// The violations found (the first [`Findings::KEPT`]).
    #[must_use]
    pub fn violations(&self) -> &[Violation] {
        self.findings.kept()
    }

    /// How often each rule of each judge had something to judge.
    #[must_use]
    pub fn exercised(&self) -> Vec<Exercise> {
        let rules = |judge: &dyn Judge| {
            let name = judge.name();
            judge.exercised().into_iter().map(move |(rule, times)| Exercise { judge: name, rule, times })
        };
        self.judges.iter().flat_map(|judge| rules(judge.as_ref())).collect()
    }
}

fn all() -> Vec<Box<dyn Judge>> {
    vec![
        Box::<secrecy::Secrecy>::default(),
        Box::<motor::Motor>::default(),
        Box::<rounds::Rounds>::default(),
        Box::<lamps::Lamps>::default(),
        Box::<latch::Latch>::default(),
        Box::<journal::Journal>::default(),
    ]
}
