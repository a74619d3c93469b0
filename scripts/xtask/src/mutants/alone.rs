//! The measure "judges alone": all mutants are switches in one program, and free play has to show each that the scenarios catch.

use super::results::{Place, Reasons, percent};
use super::tool::Run;
use crate::copy::Copy;
use crate::say;
use crate::shell::{cargo, command, output, quietly, run};
use anyhow::{Context, Result, bail, ensure};
use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::Write;
use std::path::PathBuf;
use std::process::Command;
use std::sync::{Mutex, PoisonError};
use std::thread;

/// Fast, and soon built again.
const PROFILE: [(&str, &str); 4] = [
    ("CARGO_PROFILE_RELEASE_OPT_LEVEL", "3"),
    ("CARGO_PROFILE_RELEASE_LTO", "off"),
    ("CARGO_PROFILE_RELEASE_CODEGEN_UNITS", "16"),
    ("CARGO_PROFILE_RELEASE_INCREMENTAL", "true"),
];
const SCENARIOS: [&str; 3] = ["run", "--bench", "fixtures/benches/pure.toml"];
/// How many mutants are played at once.
const JOBS: usize = 2;

/// Builds the program with all mutants in it, plays a sample of them, and sums up. Returns whether judges find enough.
///
/// # Errors
/// Nothing can be said about any mutant.
pub(super) fn judges_alone(of: &Run, most: usize, rounds: u32) -> Result<bool> {
    let place = of.out.join("switched");
    let copy = Copy::make(of.repository, &place, "scripts/mutants")?;
    say::heading("one program with all mutants in it");
    let tool = place.join("tool");
    let mut build = cargo(["build", "--release", "--locked", "--quiet", "-p", "tumbler-switched", "--target-dir"]);
    build.arg(&tool).envs(PROFILE);
    run(build)?;
    let mut list = copy.command("cargo", ["mutants", "--list", "--json", "--package", "tumbler-core"]);
    list.env("PATH", &of.path);
    let json = place.join("all.json");
    fs::write(&json, output(list)?)?;
    // The same source gives the same switches; the compiler has looked at them then.
    let hash = of.repository.hash(&["daemon/core", "hil-tests/switched", "Cargo.lock"])?;
    let (all, log) = (place.join(format!("in.{hash}")), place.join("out.txt"));
    let mut switched = Command::new(tool.join("release/tumbler-switched"));
    switched.arg(copy.tree()).arg("daemon/core").env("CARGO_TARGET_DIR", copy.builds()).envs(PROFILE);
    let written = switched.stdin(File::open(json)?).stdout(File::create(&all)?).stderr(File::create(&log)?).status()?;
    let log = fs::read_to_string(log)?;
    if !written.success() {
        say::line(say::last(log.trim_end(), 20));
        bail!("the mutants could not be written");
    }
    say::line(say::last(log.trim_end(), 1));
    let mut build = copy.command("cargo", ["build", "--release", "--locked", "--quiet", "-p", "tumbler-hil"]);
    build.envs(PROFILE);
    run(build)?;

    let program = Program { rig: copy.builds().join("release/tumbler-hil"), copy, rounds };
    let (_, healthy) = program.campaign("0", "swarm", rounds)?;
    say::line(say::last(&healthy, 1));
    ensure!(program.scenarios("0")? == 0, "the scenarios fail without a mutation");
    let all = fs::read_to_string(all)?;
    let mutants: Vec<_> = all.lines().filter_map(|line| line.split_once('\t')).collect();
    let number = mutants.len();
    let sample = sample(mutants, most, of.repository.height()?);
    say::heading(&format!("{} of {number} mutants", sample.len()));
    let found = play(&program, &sample, &File::create(place.join("found"))?)?;
    sum_up(&found)
}

/// So many at most, spread evenly over files and lines; another part with each commit.
fn sample<'a>(mut mutants: Vec<(&'a str, &'a str)>, most: usize, height: u64) -> Vec<(&'a str, &'a str)> {
    mutants.sort_by_key(|(_, name)| Place::of(name));
    let (number, most) = (mutants.len() as u64, most as u64);
    let taken = |place: u64| place.saturating_mul(most) / number;
    let places = (1..).zip(mutants);
    let chosen = places.filter(|(at, _)| most >= number || taken(at + height) != taken(at - 1 + height));
    chosen.map(|(_, mutant)| mutant).collect()
}

/// What came of a mutant.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Outcome {
    /// The scenarios let it pass.
    Passed,
    /// They came to no end.
    Endless,
    /// A judge found this in free play.
    Judged(String),
    /// Only the scenarios caught it.
    Missed,
}

impl Outcome {
    fn line(&self, name: &str) -> String {
        match self {
            Self::Passed => format!("passed\t{name}"),
            Self::Endless => format!("endless\t{name}"),
            Self::Judged(said) => format!("judged\t{name}\t{said}"),
            Self::Missed => format!("missed\t{name}"),
        }
    }
}

/// The rig with all mutants in it.
struct Program {
    rig: PathBuf,
    copy: Copy,
    rounds: u32,
}

impl Program {
    /// Plays with the mutant of this number, for a limited number of seconds.
    fn command(&self, mutant: &str, seconds: &str) -> Command {
        let mut command = command("nice", ["timeout", "-s", "KILL", seconds]);
        command.arg(&self.rig).current_dir(self.copy.tree()).env("TUMBLER_MUTANT", mutant);
        command
    }

    /// How the scenarios end.
    fn scenarios(&self, mutant: &str) -> Result<i32> {
        let mut scenarios = self.command(mutant, "60");
        scenarios.args(SCENARIOS);
        Ok(quietly(scenarios)?.0)
    }

    fn campaign(&self, mutant: &str, faults: &str, rounds: u32) -> Result<(i32, String)> {
        let mut campaign = self.command(mutant, "90");
        campaign.args(["campaign", "--judges-alone", "--seed", "1", "--faults", faults, "--rounds"]);
        campaign.arg(rounds.to_string());
        quietly(campaign)
    }

    fn try_one(&self, mutant: &str) -> Result<Outcome> {
        match self.scenarios(mutant)? {
            0 => return Ok(Outcome::Passed),
            137 => return Ok(Outcome::Endless),
            _ => {}
        }
        // Whatever stops all play is soon found at a healthy table; a swarm that gets nowhere is slow.
        for (faults, rounds) in [("none", self.rounds.div_ceil(4)), ("swarm", self.rounds)] {
            let (_, said) = self.campaign(mutant, faults, rounds)?;
            if let Some(at) = said.find("judge: ") {
                return Ok(Outcome::Judged(
                    said.get(at..).unwrap_or_default().lines().next().unwrap_or_default().into(),
                ));
            }
        }
        Ok(Outcome::Missed)
    }
}

/// What came of these mutants, which is written down as it comes.
fn play<'a>(program: &Program, mutants: &[(&str, &'a str)], log: &File) -> Result<Vec<(&'a str, Outcome)>> {
    let left = Mutex::new(mutants.iter());
    let one_by_one = || {
        let mut found = Vec::new();
        let next = || left.lock().unwrap_or_else(PoisonError::into_inner).next();
        while let Some((number, name)) = next() {
            let outcome = program.try_one(number)?;
            let mut log = log;
            log.write_all((outcome.line(name) + "\n").as_bytes())?;
            found.push((*name, outcome));
        }
        Ok(found)
    };
    thread::scope(|scope| {
        let jobs: Vec<_> = (0..JOBS).map(|_| scope.spawn(one_by_one)).collect();
        let found = jobs.into_iter().map(|job| job.join().ok().context("a job plays to its end")?);
        Ok(found.collect::<Result<Vec<_>>>()?.concat())
    })
}

/// Mutants of a file, or of all.
#[derive(Debug, Default, PartialEq, Eq)]
struct Sum {
    tried: usize,
    endless: usize,
    /// By scenarios, in time.
    caught: usize,
    /// By judges alone, of those.
    judged: usize,
}

impl Sum {
    fn of<'a>(found: impl Iterator<Item = &'a Outcome>) -> Self {
        found.fold(Self::default(), |sum, outcome| Self {
            tried: sum.tried + 1,
            endless: sum.endless + usize::from(*outcome == Outcome::Endless),
            caught: sum.caught + usize::from(!matches!(outcome, Outcome::Passed | Outcome::Endless)),
            judged: sum.judged + usize::from(matches!(outcome, Outcome::Judged(_))),
        })
    }
}

/// What was found, by source file; whether judges found 85 percent.
fn sum_up(found: &[(&str, Outcome)]) -> Result<bool> {
    let reasons = Reasons::read()?;
    let mut found: Vec<_> = found.iter().map(|(name, outcome)| (Place::of(name), *name, outcome)).collect();
    found.sort_by(|one, other| one.0.cmp(&other.0));
    say::heading("mutants that scenarios catch and no judge finds");
    for (_, name, _) in found.iter().filter(|(.., outcome)| **outcome == Outcome::Missed) {
        say::line(&reasons.of(name).map_or_else(|| (*name).into(), |why| format!("{name} -- {why}")));
    }
    say::heading("judges alone");
    let mut files: BTreeMap<&str, Vec<&Outcome>> = BTreeMap::new();
    for (place, _, outcome) in &found {
        files.entry(place.file).or_default().push(outcome);
    }
    for (file, found) in files {
        let Sum { tried, caught, judged, .. } = Sum::of(found.into_iter());
        say::line(&format!(
            "{file:<32} {tried:>4} tried, {caught:>4} caught by scenarios, {judged:>4} of them by judges alone"
        ));
    }
    let Sum { tried, endless, caught, judged } = Sum::of(found.iter().map(|(.., outcome)| *outcome));
    let share = if caught == 0 { "nothing is known".into() } else { percent(judged, caught) };
    say::line(&format!(
        "{tried} tried: {caught} caught by the pure scenarios, {endless} only by a time limit; by judges alone {judged} of the \
         {caught}: {share}"
    ));
    Ok(enough(judged, caught))
}

fn enough(judged: usize, caught: usize) -> bool {
    caught > 0 && judged * 100 >= caught * 85
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sample_is_spread_over_the_lines_and_is_another_with_each_commit() {
        let mutants = || vec![("1", "a.rs:10:1: x"), ("2", "a.rs:9:1: x"), ("3", "b.rs:1:1: x"), ("4", "b.rs:2:1: x")];
        let numbers = |most, height| sample(mutants(), most, height).iter().map(|(n, _)| *n).collect::<Vec<_>>();
        assert_eq!(numbers(9, 0), ["2", "1", "3", "4"]);
        assert_eq!([numbers(2, 0), numbers(2, 1)], [["1", "4"], ["2", "3"]]);
    }

    #[test]
    fn only_what_scenarios_catch_in_time_counts() {
        let found = [Outcome::Passed, Outcome::Endless, Outcome::Judged("judge: x".into()), Outcome::Missed];
        assert_eq!(Sum::of(found.iter()), Sum { tried: 4, endless: 1, caught: 2, judged: 1 });
    }

    #[test]
    fn enough_is_85_of_a_hundred() {
        assert!(enough(17, 20) && !enough(16, 20) && !enough(0, 0));
    }
}
