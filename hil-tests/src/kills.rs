//! `proc.kill_at_each_write`: kills the daemon at every single sync and write of its journal in a round, one run each. What was
//! durable then decides how the interrupted round must end; the table must play on afterwards.

use crate::runner::{Runner, seed};
use crate::scenario::{Trial, Verdict, file, order, run};
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicU16, Ordering};
use std::sync::{Mutex, PoisonError};
use tumbler_bench::pure::{Pure, Setup};
use tumbler_bench::{Bench, BenchError, EnvironmentFault};
use tumbler_core::record::Event;
use tumbler_core::round::call::Call;

/// The kind of system call at which the daemon dies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KillPoint {
    /// A sync of a file.
    Sync,
    /// A write to a file.
    Write,
}

impl KillPoint {
    /// Both.
    pub const ALL: [Self; 2] = [Self::Sync, Self::Write];

    /// Its word.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Sync => "sync",
            Self::Write => "write",
        }
    }

    const fn nth(self, n: u16) -> EnvironmentFault {
        match self {
            Self::Sync => EnvironmentFault::KillAtSync(n),
            Self::Write => EnvironmentFault::KillAtWrite(n),
        }
    }
}

/// Result of one kill.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KillReport {
    /// At which call of the round, counted from 1.
    pub n: u16,
    /// Verdict on the table after it.
    pub verdict: Verdict,
    /// Kind of the last durable record when the daemon started again.
    pub after: String,
}

/// No round has more calls than this.
const MOST: u16 = 500;

/// Kills at each call of a round under this rule set, on `jobs` tables at once.
#[must_use]
pub fn each(runner: &Runner, rules: &str, at: KillPoint, jobs: usize, salt: u64) -> Vec<KillReport> {
    let (next, over, all) = (AtomicU16::new(1), AtomicBool::new(false), Mutex::new(Vec::new()));
    std::thread::scope(|scope| {
        for _ in 0..jobs.max(1) {
            scope.spawn(|| {
                while !over.load(Ordering::SeqCst) {
                    let n = next.fetch_add(1, Ordering::SeqCst);
                    if n > MOST || tumbler_bench::process::clock::interrupted() {
                        return;
                    }
                    let came = one(runner, rules, at, n, salt).unwrap_or_else(|trouble| {
                        over.store(true, Ordering::SeqCst);
                        Some(KillReport { n, verdict: trouble.into(), after: String::new() })
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

/// One kill; `None` if the round has fewer than `n` calls.
fn one(runner: &Runner, rules: &str, at: KillPoint, n: u16, salt: u64) -> Result<Option<KillReport>, BenchError> {
    let fault = at.nth(n);
    let round = trial(
        rules,
        &["open table".into(), "pass 500 ms".into(), format!("fault {fault}"), "play to settled".into()],
        &["settled: silent: x".into()],
    )?;
    let seed = seed(&round.name, salt ^ u64::from(n));
    let mut bench: Box<dyn Bench> = match runner {
        Runner::Pure => Box::new(Pure::new(Setup::of(&round.rules, &round.layout, seed))?),
        Runner::Virtual(templates) => Box::new(templates.table(&round, seed, false)?),
    };
    let outcome = run(bench.as_mut(), &round);
    if let Verdict::NotExecuted(why) = outcome.verdict {
        return Err(BenchError::Unsupported(why));
    }
    if !bench.environment_fault_took_effect(fault) {
        return match outcome.verdict {
            // The round ended before its n-th call, and nothing else was wrong.
            Verdict::Invalid(why) if why.contains("never took effect") => Ok(None),
            verdict => Ok(Some(KillReport { n, verdict, after: "the daemon lived".into() })),
        };
    }
    let was = DurableRound::of(bench.as_mut(), rules);
    let rest = trial(rules, &was.steps(fault), &was.endings())?;
    let verdict = run(bench.as_mut(), &rest).verdict;
    Ok(Some(KillReport { n, verdict, after: was.last }))
}

/// What was durable of the round when the daemon died.
#[derive(Clone, Debug, Default)]
struct DurableRound {
    began: bool,
    /// The text has no void for a controller that is away, and none for a spin that is lost with it.
    silent: [bool; 2],
    /// Under SGV6 no bet has won or lost before "No more bets".
    open_voids: bool,
    /// The spin began, and nobody knows how far it came unless it is `spun`.
    spinning: bool,
    /// Three tumbles are on record.
    spun: bool,
    /// The dome is away, and "No more bets" is not recorded.
    exposed: bool,
    called: bool,
    covered: bool,
    established: bool,
    result: bool,
    ended: bool,
    last: String,
}

impl DurableRound {
    fn of(bench: &mut dyn Bench, rules: &str) -> Self {
        let covered = order::covered(rules);
        let early = rules == "sg-open-early";
        let silent = [early || rules.starts_with("nz"), early];
        let exposed = covered && bench.physical().dome_up;
        let mut was = Self { exposed, covered, silent, open_voids: rules == "sg-v6", ..Self::default() };
        for durable in &bench.log().records {
            match &durable.record.event {
                Event::RoundBegan { .. } => was.began = true,
                Event::SpinBegan => was.spinning = true,
                Event::SpinMade { .. } => was.spun = true,
                Event::SpinEnded { valid, .. } => was.spun = *valid,
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

    /// What people do once the daemon is back, and what must follow.
    fn steps(&self, fault: EnvironmentFault) -> Vec<String> {
        // The round before it broke this, in a scenario of its own.
        let mut steps = vec!["mark".to_owned(), "pass 200 ms".into(), format!("try heal {fault}")];
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
            Self { spun: true, called: false, open_voids: true, .. } => {
                add(&["wait record voided reason=interruption within 1000 ms"]);
            }
            // Exposure voids the round before anybody is asked.
            Self { spun: true, exposed: true, .. } => add(&["wait record voided reason=exposed within 1000 ms"]),
            // No reader sees the dice, so a person is asked how they lie.
            Self { spun: true, .. } => {
                add(&["wait record asked why=interrupted within 1000 ms", "turn key", "do interrupted undisturbed"]);
                add(&[if self.called && self.covered { "at bets-closed" } else { "at spun" }]);
                add(&["play to settled"]);
            }
            Self { spinning: false, silent: [true, _], called, .. } => {
                add(&["pass 1000 ms", if *called { "at bets-closed" } else { "at betting" }, "play to settled"]);
            }
            Self { spinning: true, silent: [_, true], .. } => {
                add(&["wait record asked why=spin-lost within 1000 ms", "turn key", "do interrupted cannot-tell"]);
            }
            Self { .. } => add(&["wait record voided reason=interruption within 1000 ms"]),
        }
        add(&["wait dice rest", "pass 1500 ms", "lower dome; pass 1500 ms", "play to settled"]);
        steps
    }

    fn endings(&self) -> Vec<String> {
        // How far the spin was is for the judges to say, so several grounds are accepted.
        let clauses = "by interruption or by interruption and uncounted or by interruption and misoperation";
        let next = "settled: silent: the table plays on".to_owned();
        match self {
            Self { began: false, .. } => vec![next],
            Self { established: false, spun: true, called: false, open_voids: true, .. } => {
                vec!["void interruption: by interruption".into(), next]
            }
            Self { established: false, spun: false, spinning: false, silent: [true, _], .. } => {
                vec!["settled: silent: the spin was still to come".into(), next]
            }
            Self { established: false, spun: false, spinning: true, silent: [_, true], .. } => {
                vec!["void supervisor: by decision".into(), next]
            }
            Self { established: false, spun: true, exposed: true, .. } => vec!["void exposed: by exposed".into(), next],
            Self { established: true, .. } | Self { spun: true, .. } => {
                vec!["settled: silent: the outcome was established".into(), next]
            }
            Self { .. } => vec![format!("void interruption: {clauses}"), next],
        }
    }
}

fn trial(rules: &str, steps: &[String], endings: &[String]) -> Result<Trial, BenchError> {
    let text = format!(
        "about = \"the daemon dies at a call of its journal\"\nsteps = {steps:?}\n[at_end]\nphase = \"ready\"\nnever = [\"latched\"]\n[endings]\n{rules} = {endings:?}\n"
    );
    let trials = file::parse(Path::new("kill-at-each-write"), &text).map_err(|bad| BenchError::Rig(bad.to_string()))?;
    trials.into_iter().next().ok_or_else(|| BenchError::Rig(format!("{rules} is no rule set")))
}
