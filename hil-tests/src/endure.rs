//! Plays a table until somebody cuts the power of the whole machine, and first checks what the last cut left.
//!
//! ```text
//!  journal whole? ─▶ nothing lost that the world had heard of? ─▶ start ─▶ latches kept, blocked exactly by them?
//!                                                                            │
//!        cut at any moment ◀─ play on, with latches now and then ◀─ playable ◀┘ recover, one round
//! ```
//!
//! The findings are printed line by line, so that the person or program that cuts the power knows what the table had published before:
//!
//! | line | means |
//! | --- | --- |
//! | `journal SEQ` | it is whole from its first record to this one, and nothing is missing that was relayed before |
//! | `kept CODE...` | the daemon runs, these are latched as they were, and it is blocked exactly if there are any |
//! | `playable` | everything is reset, the table is open, and a round was settled |
//! | `relayed SEQ AT KIND` | the world has heard of every record up to this one, of that moment and kind |
//! | `latched CODE` | this latch is on record |
//! | `wrong: TEXT` | it is not as the rules say; nothing more comes |
//! | `late: TEXT` | the machine stood still for so long that this says nothing of the table; nothing more comes |

use crate::scenario::{Halt, Trial, file, parse, play_steps};
use serde_json::Value;
use std::collections::BTreeSet;
use std::convert::Infallible;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use tumbler_bench::process::observer::Observer;
use tumbler_bench::process::rig_fault::RigFault;
use tumbler_bench::process::watch::JournalWatch;
use tumbler_bench::process::workdir::WorkDir;
use tumbler_bench::process::{Setup, Virtual};
use tumbler_bench::{Bench, BenchError};
use tumbler_core::latch::Code;
use tumbler_core::record::{Event, Record};
use tumbler_core::snapshot::Phase;
use tumbler_twin::MS;
use tumbler_twin::rng::Rng;

/// The longest time from the daemon's start to a snapshot of the table, in milliseconds.
const PICTURE: u64 = 5_000;
/// Interval between two looks at the published records.
const LOOK: Duration = Duration::from_millis(10);
/// Chance that a latch comes before a round, in thousandths.
const LATCHES: u32 = 400;

/// What is played, and on what.
#[derive(Clone, Debug)]
pub struct EndurePlan {
    /// The table. Its seed determines the identities of the dice, and stays the same over all cuts.
    pub setup: Setup,
    /// `tumblerctl`, which verifies the journal.
    pub verifier: PathBuf,
    /// Seed of the play after this boot.
    pub seed: u64,
    /// The last record that was published before the cut.
    pub relayed: Option<Relayed>,
}

/// A record as it was published.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Relayed {
    /// Its number.
    pub seq: u64,
    /// Its moment, in nanoseconds of its boot.
    pub at: u64,
    /// Its kind.
    pub kind: String,
}

impl std::fmt::Display for Relayed {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { seq, at, kind } = self;
        write!(f, "{seq} {at} {kind}")
    }
}

impl std::str::FromStr for Relayed {
    type Err = String;
    fn from_str(words: &str) -> Result<Self, String> {
        let read = || {
            let mut words = words.split(' ');
            let (seq, at, kind) = (words.next()?.parse().ok()?, words.next()?.parse().ok()?, words.next()?);
            words.next().is_none().then(|| Self { seq, at, kind: kind.to_owned() })
        };
        read()
            .ok_or_else(|| format!("`{words}` is no record as it was relayed: SEQ AT KIND, such as `7 1500000 opened`"))
    }
}

impl Relayed {
    fn of(message: &Value) -> Option<Self> {
        let number = |field: &str| message.get(field)?.as_u64();
        Some(Self { seq: number("seq")?, at: number("at")?, kind: message.get("kind")?.as_str()?.to_owned() })
    }
}

/// Why play ended.
#[derive(Debug, thiserror::Error)]
pub enum EndReason {
    /// The table is not as it should be.
    #[error("{0}")]
    Wrong(String),
    /// The table is not as it should be, or the rig does not know, and the rig was late itself.
    #[error("{0}")]
    Late(String),
    /// The rig is at fault.
    #[error(transparent)]
    Rig(#[from] BenchError),
}

impl From<RigFault> for EndReason {
    fn from(fault: RigFault) -> Self {
        Self::Rig(fault.into())
    }
}

/// Checks this state directory, and plays on from there until the power goes or something is wrong. Returns only in the latter
/// case.
#[must_use]
pub fn play(plan: &EndurePlan, dir: WorkDir, tell: &(dyn Fn(&str) + Sync)) -> EndReason {
    let over = AtomicBool::new(false);
    std::thread::scope(|scope| {
        let playing = || -> Result<Infallible, EndReason> {
            let mut player = Player::begin(plan, dir, tell)?;
            let world = Observer::start(player.bench.broker_address(), "tumbler-hil-world")?;
            let over = &over;
            scope.spawn(move || pass_on(&world, over, tell));
            player.play(&mut Rng::new(plan.seed))
        };
        let Err(ended) = playing();
        over.store(true, Ordering::SeqCst);
        ended
    })
}

/// Prints the published records as they arrive.
fn pass_on(world: &Observer, over: &AtomicBool, tell: &(dyn Fn(&str) + Sync)) {
    let mut heard = 0;
    while !over.load(Ordering::SeqCst) {
        let messages = world.since(heard);
        heard += messages.len();
        let records = messages.iter().filter(|message| message.topic.ends_with("/event"));
        let last =
            records.filter_map(|message| Relayed::of(&serde_json::from_slice(&message.payload).ok()?)).next_back();
        if let Some(last) = last {
            tell(&format!("relayed {last}"));
        }
        std::thread::sleep(LOOK);
    }
}

struct Player<'a> {
    bench: Virtual,
    trial: Trial,
    latched: BTreeSet<Code>,
    tell: &'a (dyn Fn(&str) + Sync),
}

impl<'a> Player<'a> {
    /// Checks the journal, and starts the daemon on it.
    fn begin(plan: &EndurePlan, dir: WorkDir, tell: &'a (dyn Fn(&str) + Sync)) -> Result<Self, EndReason> {
        let before = JournalWatch::new(&dir.state()).take()?;
        if !before.is_empty() {
            verify(&plan.verifier, &dir.state())?;
        }
        nothing_is_lost(&before, plan.relayed.as_ref()).map_err(EndReason::Wrong)?;
        tell(&format!("journal {}", before.last().map_or(0, |record| record.seq.0)));
        let settings = &plan.setup.table.settings;
        let trial = trial(&settings.rules, &settings.layout)?;
        let bench = Virtual::start_after_boot(&plan.setup, dir, !before.is_empty())?;
        Ok(Self { bench, trial, latched: latched(&before), tell })
    }

    fn play(&mut self, rng: &mut Rng) -> Result<Infallible, EndReason> {
        self.kept()?;
        self.steps("recover table; play to settled")?;
        (self.tell)("playable");
        self.go_on(rng)
    }

    /// design.md, Latch: neither a restart nor a reboot opens a latch, and only a latch blocks a table.
    fn kept(&mut self) -> Result<(), EndReason> {
        let until = self.bench.now() + PICTURE * MS;
        let shown = loop {
            if let Some(shown) = self.bench.snapshot()? {
                break shown;
            }
            if self.bench.now() >= until {
                return Err(self.wrong(format!("no picture of the table within {PICTURE} ms of its start")));
            }
            self.bench.pass(until)?;
        };
        let shows: BTreeSet<Code> = shown.malfunctions.iter().map(|malfunction| malfunction.code).collect();
        if let Some(lost) = self.latched.difference(&shows).next() {
            return Err(EndReason::Wrong(format!("{lost} was latched before the cut, and is not any more")));
        }
        if (shown.phase == Phase::Blocked) == shows.is_empty() && shown.round.is_none() {
            return Err(EndReason::Wrong(format!(
                "phase {} with {} latched",
                shown.phase.name(),
                shows.iter().map(|code| code.name()).collect::<Vec<_>>().join(", ")
            )));
        }
        let names: Vec<&str> = shows.iter().map(|code| code.name()).collect();
        (self.tell)(format!("kept {}", names.join(" ")).trim_end());
        Ok(())
    }

    /// Plays rounds, with a latch now and then, until something is wrong.
    fn go_on(&mut self, rng: &mut Rng) -> Result<Infallible, EndReason> {
        loop {
            if rng.chance(LATCHES) {
                self.steps("break seal; pass 300 ms; mend seal")?;
                (self.tell)("latched seal");
                self.steps(&format!("pass {} ms", rng.range(1, 3_000)))?;
                self.steps("recover table")?;
            }
            self.steps("play to settled")?;
        }
    }

    fn steps(&mut self, words: &str) -> Result<(), EndReason> {
        let line = parse::line_of_steps(words, &self.trial.layout).map_err(|bad| BenchError::Rig(bad.to_string()))?;
        for (_, steps) in line {
            play_steps(&mut self.bench, &self.trial, &steps).map_err(|halt| match halt {
                Halt::Wrong(what) => self.wrong(what),
                Halt::BenchError(trouble) => EndReason::Rig(trouble),
            })?;
            if let Some(found) = self.bench.judges().first_violation() {
                return Err(self.wrong(found));
            }
        }
        Ok(())
    }

    /// A wrong result that depends on time: the table's fault only if the rig was not late.
    fn wrong(&self, what: String) -> EndReason {
        match self.bench.lateness() {
            Some(stall) => EndReason::Late(format!("{stall}, and so says nothing: {what}")),
            None => EndReason::Wrong(what),
        }
    }
}

/// design.md, Journal: the journal is intact, from the first record to the last.
fn verify(program: &Path, state: &Path) -> Result<(), EndReason> {
    let ran = Command::new(program).args(["journal", "verify"]).arg(state).output();
    let ran = ran.map_err(RigFault::file("start", program))?;
    if ran.status.success() {
        return Ok(());
    }
    let said = |bytes: &[u8]| String::from_utf8_lossy(bytes).trim().to_owned();
    Err(EndReason::Wrong(format!("the journal is not whole: {} {}", said(&ran.stdout), said(&ran.stderr))))
}

/// design.md rule 2, "make durable, then publish": every published record is in the journal, unchanged.
fn nothing_is_lost(records: &[Record], relayed: Option<&Relayed>) -> Result<(), String> {
    let Some(relayed) = relayed else { return Ok(()) };
    let Some(record) = records.iter().find(|record| record.seq.0 == relayed.seq) else {
        let last = records.last().map_or(0, |record| record.seq.0);
        return Err(format!("the world has heard of record `{relayed}`, and the journal ends with {last}"));
    };
    let kept = serde_json::to_value(record).ok().as_ref().and_then(Relayed::of);
    if kept.as_ref() == Some(relayed) {
        return Ok(());
    }
    let kept = kept.map(|kept| kept.to_string()).unwrap_or_default();
    Err(format!("the world has heard of record `{relayed}`, and the journal has `{kept}` in its place"))
}

/// What is latched after these records.
fn latched(records: &[Record]) -> BTreeSet<Code> {
    let mut latched = BTreeSet::new();
    for record in records {
        match &record.event {
            Event::Latched { code, .. } => drop(latched.insert(*code)),
            Event::Unlatched { code, .. } => drop(latched.remove(code)),
            _ => {}
        }
    }
    latched
}

fn trial(rules: &str, layout: &str) -> Result<Trial, BenchError> {
    let text = format!(
        "about = \"until the power goes\"\nfree = true\nlayouts = [{layout:?}]\nsteps = [\"recover table\"]\n[endings]\n{rules} = []\n"
    );
    let trials = file::parse(Path::new("endure"), &text).map_err(|bad| BenchError::Rig(bad.to_string()))?;
    trials.into_iter().next().ok_or_else(|| BenchError::Rig(format!("{rules} does not play on {layout}")))
}

#[cfg(test)]
mod tests {
    use super::*;
    use tumbler_core::units::{Mono, Seq};
    use tumbler_core::wire::console::Exit;

    fn records() -> Vec<Record> {
        let latched = |code| Event::Latched { code, cause: String::new(), in_spin: false };
        let unlatched = |code| Event::unlatched(code, &Exit::Rectified, "");
        let events = [latched(Code::Seal), latched(Code::Lamps), unlatched(Code::Seal), Event::KeyTurned];
        let record = |(event, seq)| Record::plain(Seq(seq), Mono(seq * 10), None, event);
        events.into_iter().zip(1..).map(record).collect()
    }

    #[test]
    fn what_the_world_has_heard_of_is_missed_and_a_change_of_it_noticed() {
        let lost = |relayed: &str| nothing_is_lost(&records(), Some(&relayed.parse().unwrap()));
        assert_eq!(lost("4 40 key-turned"), Ok(()));
        assert_eq!(lost("2 20 latched"), Ok(()));
        assert!(lost("5 50 opened").unwrap_err().contains("the journal ends with 4"));
        assert!(lost("4 41 key-turned").unwrap_err().contains("`4 40 key-turned` in its place"));
        assert!(lost("3 30 latched").is_err());
        assert!("4 x".parse::<Relayed>().unwrap_err().contains("SEQ AT KIND"));
    }

    #[test]
    fn a_latch_is_what_was_latched_and_not_opened_since() {
        assert_eq!(latched(&records()), BTreeSet::from([Code::Lamps]));
        assert!(trial("nz-div9", "nz-div9-1").is_ok());
    }
}
