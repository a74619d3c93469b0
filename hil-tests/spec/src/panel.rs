//! The panel: the specification of one table over one run, and the judges that stand in for it.

use crate::config::{BadConfig, Checked, Config};
use crate::judge::{Findings, Judge, RowUse, Violation};
use crate::observation::{Observation, Trace};
use crate::rule::Coverage;
use crate::scene::Scene;
use crate::specification::Specification;
use crate::truth::AllowedEndings;
use crate::{journal, lamps, latch, motor, rounds, supervision};
use serde::Serialize;

/// All that watches one table, over one run.
#[derive(Clone)]
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
    /// All that watches a table that is set up like this.
    ///
    /// # Errors
    /// [`BadConfig`] if the rules do not know the rule set, the layout or the lamps.
    pub fn for_table(config: Config) -> Result<Self, BadConfig> {
        let mut judges = if config.exact { Vec::new() } else { judges() };
        judges.push(Box::new(Specification::new(config.exact, config.reaction_ns)));
        Self::with(config, judges)
    }

    /// The specification alone.
    ///
    /// # Errors
    /// As [`Panel::for_table`].
    pub fn of_specification(config: Config) -> Result<Self, BadConfig> {
        let late_ns = config.reaction_ns;
        Self::with(config, vec![Box::new(Specification::new(true, late_ns))])
    }

    /// How often each rule of the specification explained something, and each kind of observation was explained.
    #[must_use]
    pub fn coverage(&self) -> Coverage {
        self.judges.iter().find_map(|judge| judge.coverage()).cloned().unwrap_or_default()
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
        for judge in &mut self.judges {
            judge.before(seen, &self.scene, &mut self.findings);
        }
        self.scene.observe(seen);
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

    /// Situations that are not listed in the truth table. The judges say nothing about them, and the verdict is INVALID.
    #[must_use]
    pub fn unlisted(&self) -> &[String] {
        self.findings.unlisted_situations()
    }

    /// The rows of the truth table that decided something, each with its rule set. [`crate::truth_table_rows`] has all rows.
    #[must_use]
    pub fn rows_used(&self) -> Vec<RowUse> {
        self.judges.iter().flat_map(|judge| judge.rows_used()).collect()
    }

    /// What the truth table allows for each round that ended, in order.
    #[must_use]
    pub fn allowed_endings(&self) -> Vec<AllowedEndings> {
        self.judges.iter().flat_map(|judge| judge.allowed_endings()).collect()
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

/// Those that stand in for the sections that need every observation at its own moment.
fn judges() -> Vec<Box<dyn Judge>> {
    vec![
        Box::<motor::Motor>::default(),
        Box::<rounds::Rounds>::default(),
        Box::<lamps::Lamps>::default(),
        Box::<latch::Latch>::default(),
        Box::<journal::Journal>::default(),
        Box::<supervision::Supervision>::default(),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::observation::Line;
    use crate::script::{EVERY, Script};
    use serde_json::json;

    fn panel(script: &Script) -> Panel {
        Panel::for_table(script.config.clone()).unwrap()
    }

    /// One run of everything that is lawful: rounds, a void, a latch and its exit, a restart.
    fn lawful(rules: &str) -> Script {
        let mut script = Script::open(rules);
        script.round([1, 3, 6]);
        script.round([5, 5, 5]);
        script.begin();
        script.truth(crate::Truth::Broken { part: crate::Part::Reader, broken: true });
        script.latch("reader");
        script.truth(crate::Truth::Broken { part: crate::Part::Reader, broken: false });
        script.truth(crate::Truth::Process { alive: false });
        script.pass(500);
        script.start();
        match rules {
            "sg-v6" => script.void("interruption", "SGV6 5.4.2"),
            "sg-open" => script.void("interruption", "SGOC 5.4.2"),
            // The text is silent: a named person decides.
            _ => {
                script.turn_key();
                let asked = json!({"reason": "away", "damaged_dice": false, "not_flat": false, "name": "Ana", "manager": false});
                script.ask("void", asked);
                script.pass(400);
                script.record("decided", json!({"kind": "void", "what": "void", "reason": "away", "by": "Ana"}));
                script.void("supervisor", "");
            }
        }
        script.pass(2_000);
        script.turn_key();
        script.ask("reset", json!({"code": "reader", "exit": "rectified", "name": "Ana"}));
        script.pass(400);
        script.unlatch("reader", "rectified");
        script.wire(Line::OutOfService, false);
        script.round([3, 3, 4]);
        script
    }

    #[test]
    fn all_judges_pass_a_lawful_run_under_every_rule_set() {
        for rules in EVERY {
            let script = lawful(rules);
            let mut panel = panel(&script);
            panel.observe_all(&script.trace);
            assert!(panel.findings().is_empty(), "{rules}: {:#?}", panel.violations());
            let idle: Vec<_> = panel.exercised().into_iter().filter(|e| e.times == 0).map(|e| e.rule).collect();
            // What this run does not do: anything that goes wrong.
            for rule in ["rounds settled", "lamps verified", "openings", "starts while latched"] {
                assert!(!idle.contains(&rule), "{idle:?}");
            }
        }
    }

    #[test]
    fn a_run_read_back_from_json_is_judged_alike() {
        let mut script = lawful("sg-open");
        script.motor_on();
        let text = serde_json::to_string(&script.trace).unwrap();
        let read: Trace = serde_json::from_str(&text).unwrap();
        let (mut first, mut second) = (panel(&script), panel(&script));
        first.observe_all(&script.trace);
        second.observe_all(&read);
        assert_eq!(first.violations(), second.violations());
        assert_eq!(first.violations().len(), 1, "{:?}", first.violations());
    }

    #[test]
    fn observations_out_of_order_are_the_rigs_fault() {
        let mut script = Script::open("nz-1998");
        script.now_ns = 1;
        script.wire(Line::CamA, true);
        let mut panel = panel(&script);
        panel.observe_all(&script.trace);
        assert!(panel.violations().iter().any(|v| v.judge == "panel"));
    }

    #[test]
    fn a_run_that_goes_wrong_for_ever_does_not_fill_memory() {
        let mut script = Script::open("nz-1998");
        script.begin();
        for _ in 0..Findings::KEPT + 10 {
            script.void("exposed", "NZ98 7.1(c)");
        }
        let mut panel = panel(&script);
        panel.observe_all(&script.trace);
        assert_eq!(panel.violations().len(), Findings::KEPT);
        assert!(panel.findings().beyond() > 0);
    }
}
