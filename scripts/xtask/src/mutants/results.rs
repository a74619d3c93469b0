//! What judges have found about mutants, with totals.

use crate::repository::Repository;
use crate::say;
use anyhow::Result;
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

/// Of mutants, as cargo-mutants tells them.
pub(super) type Names = BTreeSet<String>;

/// A kind of judge of mutants.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Judge {
    /// The pure suite.
    Scenarios,
    /// The tests of core.
    Core,
}

impl Judge {
    fn name(self) -> &'static str {
        match self {
            Self::Scenarios => "scenarios",
            Self::Core => "core",
        }
    }
}

const KINDS: [&str; 4] = ["caught", "timeout", "unviable", "missed"];

/// What was found about the source as it is: a mutant is named by its line, and belongs to no other. What a judge let pass belongs to
/// the judge as it is, too.
pub(super) struct Results {
    dir: PathBuf,
    /// Of the judges.
    scenarios: String,
    core: String,
}

impl Results {
    /// Below this directory.
    ///
    /// # Errors
    /// The work tree cannot be read.
    pub(super) fn of(repository: &Repository, out: &Path) -> Result<Self> {
        let dir = out.join("results").join(repository.hash(&["daemon/core/src"])?);
        fs::create_dir_all(&dir)?;
        let scenarios = repository.hash(&["hil-tests", "fixtures/scenarios", "fixtures/benches"])?;
        Ok(Self { dir, scenarios, core: repository.hash(&["daemon/core"])? })
    }

    /// Where a run of this judge writes.
    fn run(&self, judge: Judge) -> PathBuf {
        self.dir.join(format!("{}.run", judge.name()))
    }

    /// What a run of this judge writes about mutants of this kind.
    fn writes(&self, judge: Judge, kind: &str) -> PathBuf {
        self.run(judge).join("mutants.out").join(format!("{kind}.txt"))
    }

    /// Where it is kept.
    fn keeps(&self, judge: Judge, kind: &str) -> PathBuf {
        let hash = match judge {
            Judge::Scenarios => &self.scenarios,
            Judge::Core => &self.core,
        };
        let judge = judge.name();
        self.dir.join(if kind == "missed" { format!("{judge}.{kind}.{hash}") } else { format!("{judge}.{kind}") })
    }

    /// The mutants that this judge found to be of this kind, ever.
    fn found(&self, judge: Judge, kind: &str) -> Result<Names> {
        let mut found = read(&self.writes(judge, kind));
        let prefix = format!("{}.{kind}", judge.name());
        for entry in fs::read_dir(&self.dir)? {
            let entry = entry?;
            if entry.file_name().to_string_lossy().starts_with(&prefix) {
                found.extend(read(&entry.path()));
            }
        }
        Ok(found)
    }

    /// What this judge need not try again.
    pub(super) fn known(&self, judge: Judge) -> Names {
        KINDS.iter().flat_map(|kind| read(&self.keeps(judge, kind))).collect()
    }

    /// Those that were tried.
    pub(super) fn tried(&self) -> Result<Names> {
        let found = KINDS.iter().map(|kind| self.found(Judge::Scenarios, kind)).collect::<Result<Vec<_>>>()?;
        Ok(found.into_iter().flatten().collect())
    }

    fn caught(&self, judge: Judge) -> Result<Names> {
        Ok(&self.found(judge, "caught")? | &self.found(judge, "timeout")?)
    }

    /// Those that the scenarios did not catch.
    pub(super) fn passed_by_scenarios(&self) -> Result<Names> {
        Ok(&self.found(Judge::Scenarios, "missed")? - &self.caught(Judge::Scenarios)?)
    }

    /// Those that were not caught.
    pub(super) fn missed(&self) -> Result<Names> {
        Ok(&self.passed_by_scenarios()? - &self.caught(Judge::Core)?)
    }

    /// Takes what a run found, also one that was ended in its midst.
    pub(super) fn keep(&self, judge: Judge) -> Result<()> {
        for kind in KINDS {
            let (found, to) = (read(&self.writes(judge, kind)), self.keeps(judge, kind));
            if !found.is_empty() {
                fs::write(&to, lines(&(&read(&to) | &found)))?;
            }
        }
        let run = self.run(judge);
        if run.exists() {
            fs::remove_dir_all(run)?;
        }
        Ok(())
    }

    /// Makes the directory of a run that leaves these alone.
    pub(super) fn begin(&self, judge: Judge, leave: &Names) -> Result<PathBuf> {
        fs::create_dir_all(self.run(judge).join("mutants.out"))?;
        for kind in KINDS {
            fs::write(self.writes(judge, kind), "")?;
        }
        fs::write(self.writes(judge, "previously_caught"), lines(leave))?;
        Ok(self.run(judge))
    }

    /// Of these mutants, what was caught by whom, and what was not and why; whether it is enough.
    pub(super) fn summary(&self, among: &Names, sampled: bool) -> Result<bool> {
        let caught = among & &self.found(Judge::Scenarios, "caught")?;
        let timeouts = &(among & &self.found(Judge::Scenarios, "timeout")?) - &caught;
        let second = &(&(among & &self.caught(Judge::Core)?) - &caught) - &timeouts;
        let missed = &(&(among & &self.found(Judge::Scenarios, "missed")?) - &(&caught | &timeouts)) - &second;
        let all = caught.len() + timeouts.len() + second.len();
        let viable = all + missed.len();
        if viable == 0 {
            say::line("no viable mutant was tried");
            return Ok(true);
        }
        let reasons = Reasons::read()?;
        say::heading("mutants not caught");
        for name in &missed {
            say::line(&format!("{name}\n    {}", reasons.of(name).unwrap_or("no reason is given")));
        }
        say::heading("mutants of daemon/core");
        say::line(&format!(
            "{viable} viable: {} caught by the pure suite, {} more by a time limit, {} more by the tests of core; {} missed, {} of \
             them with a reason",
            caught.len(),
            timeouts.len(),
            second.len(),
            missed.len(),
            missed.iter().filter(|name| reasons.of(name).is_some()).count()
        ));
        let unviable = among & &self.found(Judge::Scenarios, "unviable")?;
        say::line(&format!("{} did not compile\n{} caught", unviable.len(), percent(all, viable)));
        // One in ten. A few of many miss more now and then by chance: a sample fails by what chance brings in fewer than one of a
        // hundred, were one in ten of all mutants missed.
        let may_miss = if sampled { by_chance(viable) } else { viable / 10 };
        if missed.len() <= may_miss {
            return Ok(true);
        }
        say::line(&if sampled {
            format!(
                "a sample of {viable} that misses more than {may_miss} shows that fewer than 90 percent of all are caught"
            )
        } else {
            "fewer than 90 percent".into()
        });
        Ok(false)
    }
}

/// Why mutants are not caught, as fixtures/mutants.txt says.
pub(super) struct Reasons(String);

impl Reasons {
    /// # Errors
    /// There is no such file.
    pub(super) fn read() -> Result<Self> {
        Ok(Self(fs::read_to_string("fixtures/mutants.txt")?))
    }

    /// The reason for this mutant; lines and columns do not count.
    pub(super) fn of(&self, mutant: &str) -> Option<&str> {
        let Place { file, what, .. } = Place::of(mutant);
        let name = format!("{file}:{what}");
        self.0.lines().filter_map(|line| line.split_once(" -- ")).find(|(of, _)| *of == name).map(|(_, why)| why)
    }
}

/// A mutant's name, in the order of files and lines.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Place<'a> {
    /// Below daemon/core/src.
    pub(super) file: &'a str,
    line: u32,
    column: u32,
    what: &'a str,
}

impl<'a> Place<'a> {
    pub(super) fn of(name: &'a str) -> Self {
        let mut parts = name.splitn(4, ':');
        let mut next = || parts.next().unwrap_or_default();
        let (file, line, column, what) = (next(), next(), next(), next());
        let file = file.strip_prefix("daemon/core/src/").unwrap_or(file);
        let number = |text: &str| text.parse().unwrap_or_default();
        Self { file, line: number(line), column: number(column), what }
    }
}

/// A share in percent, with one decimal.
pub(super) fn percent(some: usize, all: usize) -> String {
    format!("{}.{} percent", some * 100 / all, some * 1000 / all % 10)
}

/// The most misses that 99 of 100 samples of `tries` have, if each try is missed with probability 1/10 (binomial).
fn by_chance(tries: usize) -> usize {
    // Number of misses, its probability, and the probability of at most that number.
    let (mut missed, mut term, mut sum) = (0, 0.9_f64.powi(i32::try_from(tries).unwrap_or(i32::MAX)), 0.0);
    for (left, next) in (1..=tries).rev().zip(1_u32..) {
        sum += term;
        if sum >= 0.99 {
            break;
        }
        missed += 1;
        term *= left as f64 / f64::from(next) / 9.0;
    }
    missed
}

/// Nothing where there is no such file.
fn read(path: &Path) -> Names {
    fs::read_to_string(path).unwrap_or_default().lines().map(String::from).collect()
}

fn lines(names: &Names) -> String {
    names.iter().map(|name| format!("{name}\n")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const NAME: &str = "daemon/core/src/outbox.rs:12:5: replace > with >= in Outbox::acknowledge";

    fn names(names: &[&str]) -> Names {
        names.iter().map(|name| (*name).into()).collect()
    }

    fn results(dir: &Path) -> Results {
        Results { dir: dir.into(), scenarios: "now".into(), core: "new".into() }
    }

    #[test]
    fn what_a_run_wrote_is_kept_beside_what_was() {
        let dir = tempfile::tempdir().unwrap();
        let results = results(dir.path());
        for found in ["one", "two"] {
            results.begin(Judge::Scenarios, &names(&["left alone"])).unwrap();
            fs::write(results.writes(Judge::Scenarios, "missed"), found).unwrap();
            results.keep(Judge::Scenarios).unwrap();
        }
        assert!(!results.run(Judge::Scenarios).exists());
        assert_eq!(results.known(Judge::Scenarios), names(&["one", "two"]));
        assert!(results.known(Judge::Core).is_empty());
    }

    #[test]
    fn a_judge_that_changed_tries_again_what_it_let_pass() {
        let dir = tempfile::tempdir().unwrap();
        let results = results(dir.path());
        fs::write(dir.path().join("scenarios.missed.before"), "one\ntwo\nthree\n").unwrap();
        fs::write(dir.path().join("scenarios.timeout"), "two\n").unwrap();
        fs::write(dir.path().join("core.caught"), "three\n").unwrap();
        assert_eq!(results.known(Judge::Scenarios), names(&["two"]));
        assert_eq!(results.passed_by_scenarios().unwrap(), names(&["one", "three"]));
        assert_eq!(results.missed().unwrap(), names(&["one"]));
    }

    #[test]
    fn a_reason_is_found_whatever_the_line() {
        let reasons =
            Reasons("# why\noutbox.rs: replace > with >= in Outbox::acknowledge -- sets it to where it is".into());
        assert_eq!(reasons.of(NAME), Some("sets it to where it is"));
        assert_eq!(reasons.of("daemon/core/src/outbox.rs:12:5: replace > with == in Outbox::acknowledge"), None);
    }

    #[test]
    fn mutants_are_in_the_order_of_lines() {
        let mut names = ["b.rs:1:1: x", "a.rs:10:2: x", "a.rs:9:12: x", "a.rs:9:2: x"];
        names.sort_by_key(|name| Place::of(name));
        assert_eq!(names, ["a.rs:9:2: x", "a.rs:9:12: x", "a.rs:10:2: x", "b.rs:1:1: x"]);
    }

    #[test]
    fn a_small_sample_may_miss_some_by_chance() {
        assert_eq!([0, 1, 12, 100, 1000].map(by_chance), [0, 1, 4, 18, 123]);
    }

    #[test]
    fn shares() {
        assert_eq!(percent(9, 10), "90.0 percent");
        assert_eq!(percent(2, 3), "66.6 percent");
    }
}
