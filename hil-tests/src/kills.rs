//! `proc.kill_at_each_write`: the daemon dies at every single sync and every single write of its journal in a whole round,
//! once each. Whatever was durable then decides: the interruption rule, and a table that plays on.

use crate::runner::{Lane, seed};
use crate::scenario::{Trial, Verdict, file, order, run};
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicU16, Ordering};
use std::sync::{Mutex, PoisonError};
use tumbler_bench::pure::{Pure, Setup};
use tumbler_bench::{Bench, EnvironmentFault, Trouble};
use tumbler_core::record::Event;
use tumbler_core::round::call::Call;

/// Where the daemon is to die.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum At {
    /// At a sync.
    Sync,
    /// At a write.
    Write,
}

impl At {
    /// Both.
    pub const ALL: [Self; 2] = [Self::Sync, Self::Write];

    const fn nth(self, n: u16) -> (&'static str, EnvironmentFault) {
        match self {
            Self::Sync => ("proc.kill_at_sync", EnvironmentFault::KillAtSync(n)),
            Self::Write => ("proc.kill_at_write", EnvironmentFault::KillAtWrite(n)),
        }
    }
}

/// What came of one kill.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Killed {
    /// At the how manieth.
    pub n: u16,
    /// The table after it.
    pub verdict: Verdict,
    /// What was durable when it started again: the last record's kind.
    pub after: String,
}

/// More calls than this in a round, and something else is wrong.
const MOST: u16 = 500;

/// Kills at each sync or write of a round under this rule set, so many tables at once.
#[must_use]
pub fn each(lane: &Lane, rules: &str, at: At, jobs: usize, salt: u64) -> Vec<Killed> {
    let (next, over, all) = (AtomicU16::new(1), AtomicBool::new(false), Mutex::new(Vec::new()));
    std::thread::scope(|scope| {
        for _ in 0..jobs.max(1) {
            scope.spawn(|| {
                while !over.load(Ordering::SeqCst) {
                    let n = next.fetch_add(1, Ordering::SeqCst);
                    if n > MOST || tumbler_bench::process::clock::interrupted() {
                        return;
                    }
                    let came = one(lane, rules, at, n, salt).unwrap_or_else(|trouble| {
                        over.store(true, Ordering::SeqCst);
                        let verdict = match trouble {
                            Trouble::NotHere(why) => Verdict::NotExecuted(why),
                            Trouble::Rig(why) => Verdict::Invalid(why),
                        };
                        Some(Killed { n, verdict, after: String::new() })
                    });
                    match came {
                        Some(killed) => all.lock().unwrap_or_else(PoisonError::into_inner).push(killed),
                        None => over.store(true, Ordering::SeqCst),
                    }
                }
            });
        }
    });
    let mut all = all.into_inner().unwrap_or_else(PoisonError::into_inner);
    all.sort_by_key(|killed| killed.n);
    all
}

/// One kill; `None` where the round has fewer calls.
fn one(lane: &Lane, rules: &str, at: At, n: u16, salt: u64) -> Result<Option<Killed>, Trouble> {
    let (word, outside) = at.nth(n);
    let id = format!("{word}:{n}");
    let round = trial(
        rules,
        &["open table".into(), "pass 500 ms".into(), format!("fault {id}"), "play to settled".into()],
        &["settled: x".into()],
    )?;
    let seed = seed(&round.name, salt ^ u64::from(n));
    let mut bench: Box<dyn Bench> = match lane {
        Lane::Pure => Box::new(Pure::new(Setup::of(&round.rules, &round.layout, seed))?),
        Lane::Virtual(templates) => Box::new(templates.table(&round, seed, false)?),
    };
    let outcome = run(bench.as_mut(), &round);
    if let Verdict::NotExecuted(why) = outcome.verdict {
        return Err(Trouble::NotHere(why));
    }
    if !bench.disturbed(outside) {
        return match outcome.verdict {
            // Nothing else was wrong: the round ended before there were so many.
            Verdict::Invalid(why) if why.contains("never took hold") => Ok(None),
            verdict => Ok(Some(Killed { n, verdict, after: "the daemon lived".into() })),
        };
    }
    let was = Was::of(bench.as_mut(), order::covered(rules));
    let rest = trial(rules, &was.steps(&id), &was.endings())?;
    let verdict = run(bench.as_mut(), &rest).verdict;
    Ok(Some(Killed { n, verdict, after: was.last }))
}

/// What was durable of the round when the daemon died.
#[derive(Clone, Debug, Default)]
struct Was {
    began: bool,
    spun: bool,
    /// The dome is away, and "No more bets" is on no record.
    exposed: bool,
    called: bool,
    covered: bool,
    established: bool,
    result: bool,
    ended: bool,
    last: String,
}

impl Was {
    fn of(bench: &mut dyn Bench, covered: bool) -> Self {
        let mut was = Self { exposed: covered && bench.physical().dome_up, covered, ..Self::default() };
        for durable in &bench.log().records {
            match &durable.record.event {
                Event::RoundBegan { .. } => was.began = true,
                Event::SpinEnded { valid, .. } => was.spun |= *valid,
                Event::Called { call: Call::NoMoreBets, .. } => (was.exposed, was.called) = (false, true),
                Event::Established { .. } => was.established = true,
                Event::Result { .. } => was.result = true,
                Event::Settled { .. } => was.ended = true,
                _ => {}
            }
            let kind = serde_json::to_value(&durable.record).ok();
            let kind = kind.as_ref().and_then(|record| record.get("kind")?.as_str());
            was.last = kind.unwrap_or_default().to_owned();
        }
        was
    }

    /// What people do after the daemon is back, and what must be so.
    fn steps(&self, id: &str) -> Vec<String> {
        let mut steps = vec!["mark".to_owned(), "pass 200 ms".into(), format!("heal {id}")];
        let mut add = |more: &[&str]| steps.extend(more.iter().map(|step| (*step).to_owned()));
        match self {
            Self { began: false, .. } | Self { ended: true, .. } => {}
            Self { established: true, result: false, .. } => {
                add(&["pass 2500 ms", "enter dice", "wait record lamps-verified"]);
                add(&["collect and pay", "key entry", "wait record settled"]);
            }
            Self { established: true, .. } => {
                add(&["pass 2500 ms", "collect and pay", "key entry", "wait record settled"]);
            }
            // Before it could be asked of, the dice are exposed.
            Self { spun: true, exposed: true, .. } => add(&["wait record voided reason=exposed within 1000 ms"]),
            // Only people know how the dice lie.
            Self { spun: true, .. } => {
                add(&["wait record asked why=interrupted within 1000 ms", "turn key", "do interrupted undisturbed"]);
                add(&[if self.called && self.covered { "at bets-closed" } else { "at spun" }]);
                add(&["play to settled"]);
            }
            Self { .. } => add(&["wait record voided reason=interruption within 1000 ms"]),
        }
        add(&["wait dice rest", "pass 1500 ms", "lower dome; pass 1500 ms", "play to settled"]);
        steps
    }

    fn endings(&self) -> Vec<String> {
        // Whether the spin had begun, and what it had come to, is the judges' to say.
        let clauses = "by interruption or by interruption and fewer-than-three or by interruption and misoperation";
        let next = "settled: the table plays on".to_owned();
        match self {
            Self { began: false, .. } => vec![next],
            Self { established: false, spun: true, exposed: true, .. } => vec!["void exposed: by exposed".into(), next],
            Self { established: true, .. } | Self { spun: true, .. } => vec!["settled: SGV6 5.4.1".into(), next],
            Self { .. } => vec![format!("void interruption: {clauses}"), next],
        }
    }
}

fn trial(rules: &str, steps: &[String], endings: &[String]) -> Result<Trial, Trouble> {
    let text = format!(
        "about = \"the daemon dies at a call of its journal\"\nsteps = {steps:?}\n[at_end]\nphase = \"ready\"\nnever = [\"latched\"]\n[endings]\n{rules} = {endings:?}\n"
    );
    let trials = file::parse(Path::new("kill-at-each-write"), &text).map_err(|bad| Trouble::Rig(bad.to_string()))?;
    trials.into_iter().next().ok_or_else(|| Trouble::Rig(format!("{rules} is no rule set")))
}
