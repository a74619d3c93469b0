//! Plants defects that a tired engineer could write, one at a time, and sees that the pure suite catches each. A patch that no longer
//! applies, does not compile, or is not caught fails the run.

use crate::copy::{Copy, SUITE};
use crate::repository::Repository;
use crate::say;
use crate::shard::Shard;
use crate::shell::{command, quietly, run};
use anyhow::{Result, bail, ensure};
use clap::Args;
use std::fs;
use std::path::{Path, PathBuf};

/// Plants fixtures/canaries/*.patch one at a time in a copy of this work tree, builds, and runs the pure suite, which must fail.
#[derive(Debug, Default, Args)]
pub(crate) struct CanaryArgs {
    /// Every N-th, from the I-th (1 to N).
    #[arg(long, value_name = "I/N")]
    shard: Option<Shard>,
    /// In free play, where nobody but the specification says whether a day failed.
    #[arg(long)]
    free_play: bool,
    /// What each of them breaks.
    #[arg(long, conflicts_with = "check")]
    list: bool,
    /// Only whether each can still be planted, which takes a moment.
    #[arg(long)]
    check: bool,
    /// Only patches whose names contain one of these.
    #[arg(value_name = "NAME")]
    names: Vec<String>,
}

const DEFECTS: &str = "fixtures/canaries";
const RIG: [&str; 7] = ["build", "--locked", "--quiet", "--workspace", "--bin", "tumbler-hil", "--test=program"];
const ROUNDS: &str = "2000";

/// Does what the arguments say; whether all is well.
///
/// # Errors
/// There is no such canary, or nothing can be said about any.
pub(crate) fn canary(repository: &Repository, args: &CanaryArgs) -> Result<bool> {
    let canaries = chosen(canaries(DEFECTS)?, args)?;
    if args.list {
        for Canary { name, patch } in canaries {
            say::line(&format!("{name}\n    {}", about(&fs::read_to_string(patch)?)));
        }
        return Ok(true);
    }
    if args.check {
        return Ok(check(&canaries));
    }
    plant_each(repository, &canaries, args.free_play)
}

/// Whether all of them can still be planted.
///
/// # Errors
/// One cannot.
pub(crate) fn check_all(repository: &Repository) -> Result<()> {
    ensure!(canary(repository, &CanaryArgs { check: true, ..CanaryArgs::default() })?, "not every canary applies");
    Ok(())
}

/// A defect.
struct Canary {
    name: String,
    patch: PathBuf,
}

fn canaries(dir: &str) -> Result<Vec<Canary>> {
    let files = fs::read_dir(dir)?.map(|entry| Ok(entry?.path())).collect::<Result<Vec<_>>>()?;
    let patches = files.into_iter().filter(|file| file.extension().is_some_and(|extension| extension == "patch"));
    let name = |patch: &Path| patch.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    let mut canaries: Vec<_> = patches.map(|patch| Canary { name: name(&patch), patch }).collect();
    canaries.sort_by(|one, other| one.name.cmp(&other.name));
    Ok(canaries)
}

fn chosen(all: Vec<Canary>, args: &CanaryArgs) -> Result<Vec<Canary>> {
    for part in &args.names {
        if !all.iter().any(|canary| canary.name.contains(part)) {
            let names = all.iter().map(|canary| canary.name.as_str());
            bail!(say::unknown("canary", part, names, "scripts/canary --list"));
        }
    }
    let wanted = |canary: &Canary| args.names.is_empty() || args.names.iter().any(|part| canary.name.contains(part));
    let wanted = all.into_iter().filter(wanted);
    let chosen: Vec<_> = args.shard.unwrap_or(Shard { part: 1, of: 1 }).take(wanted).collect();
    ensure!(!chosen.is_empty(), "no canary is in this part");
    Ok(chosen)
}

/// The text before the patch.
fn about(patch: &str) -> String {
    let lines = patch.lines().take_while(|line| !line.starts_with("diff ")).filter(|line| !line.is_empty());
    lines.collect::<Vec<_>>().join(" ")
}

fn check(canaries: &[Canary]) -> bool {
    let stale = canaries.iter().filter(|canary| {
        let patch = canary.patch.as_os_str();
        let stale = run(command("git", ["apply".as_ref(), "--check".as_ref(), patch])).is_err();
        if stale {
            let name = canary.patch.with_extension("");
            say::line(&format!(
                "{} no longer applies: plant its defect in the present code by hand, and make a new patch of it",
                name.display()
            ));
        }
        stale
    });
    let stale = stale.count();
    say::line(&format!("{} canaries apply, {stale} do not", canaries.len() - stale));
    stale == 0
}

fn plant_each(repository: &Repository, canaries: &[Canary], free_play: bool) -> Result<bool> {
    let copy = Copy::make(repository, &repository.target().join("canary"), "scripts/canary")?;
    copy.seed(repository)?;
    let field = Field { root: repository.root(), copy };
    if free_play {
        say::heading("free play without a defect");
        run(field.copy.command("cargo", RIG))?;
        if let Some(found) = field.play()? {
            bail!("something is found without any defect, and nothing can be said: {found}");
        }
    } else {
        say::heading("the pure suite without a defect");
        let (code, said) = quietly(field.copy.command("cargo", SUITE.iter().chain(&["--", "--quiet"])))?;
        if code != 0 {
            say::line(say::last(&said, 40));
            bail!("the pure suite fails without any defect: nothing can be said");
        }
    }
    let (mut caught, mut missed) = (0, Vec::new());
    for canary in canaries {
        let name = &canary.name;
        let said = match field.plant(canary, free_play)? {
            Outcome::Caught(how) => {
                caught += 1;
                how
            }
            Outcome::Missed(verdict, why) => {
                missed.push(format!("{name}: {why}"));
                verdict
            }
        };
        say::line(&format!("{name:<32} {said}"));
    }
    say::heading("canaries");
    missed.iter().for_each(|missed| say::line(missed));
    say::line(&format!("{caught} passed, {} failed", missed.len()));
    Ok(missed.is_empty())
}

/// Where they are planted.
struct Field<'a> {
    root: &'a Path,
    copy: Copy,
}

/// What came of a defect.
enum Outcome {
    /// By what.
    Caught(String),
    /// How, and why.
    Missed(String, String),
}

impl Field<'_> {
    fn plant(&self, canary: &Canary, free_play: bool) -> Result<Outcome> {
        let patch = self.root.join(&canary.patch);
        let apply = |options: &[&str]| {
            let mut git = self.copy.command("git", ["apply", "--unsafe-paths"].iter().chain(options));
            git.arg(&patch);
            git
        };
        let missed = |verdict: &str, why: String| Ok(Outcome::Missed(verdict.into(), why));
        let (code, said) = quietly(apply(&["--check"]))?;
        if code != 0 {
            return missed("DOES NOT APPLY", format!("does not apply any more: {}", first(&said, "")));
        }
        run(apply(&[]))?;
        let patch = fs::read_to_string(&patch)?;
        let files: Vec<_> =
            touched(&patch).map(|file| (file, self.root.join(file), self.copy.tree().join(file))).collect();
        for (file, ours, planted) in &files {
            ensure!(fs::read(ours)? != fs::read(planted)?, "{} was planted, and {file} is as it was", canary.name);
        }
        let mut build = self.copy.command("cargo", if free_play { RIG.as_slice() } else { SUITE.as_slice() });
        if !free_play {
            build.arg("--no-run");
        }
        let (code, said) = quietly(build)?;
        let outcome = match (code, free_play) {
            (0, true) => self.played(),
            (0, false) => self.suited(),
            _ => missed("DOES NOT COMPILE", format!("does not compile: {}", first(&said, "error"))),
        };
        for (_, ours, planted) in &files {
            fs::copy(ours, planted)?;
        }
        outcome
    }

    /// Random days in which nobody but the specification says whether a day failed: the first that it says, if anything.
    fn play(&self) -> Result<Option<String>> {
        let mut campaign = self.copy.command("timeout", ["300"]);
        campaign.arg(self.copy.builds().join("debug/tumbler-hil"));
        campaign.args(["campaign", "--judges-alone", "--faults", "swarm", "--seed", "1", "--rounds", ROUNDS]);
        let (code, said) = quietly(campaign)?;
        if code == 0 {
            return Ok(None);
        }
        let found = said.lines().find_map(finding);
        if found.is_none() {
            say::line(say::last(&said, 5));
            bail!("the campaign came to no end");
        }
        Ok(found)
    }

    /// What came of the defect in free play.
    fn played(&self) -> Result<Outcome> {
        Ok(match self.play()? {
            None => Outcome::Missed("NOT FOUND".into(), format!("nothing found in {ROUNDS} rounds")),
            Some(found) => Outcome::Caught(format!("found by {found}")),
        })
    }

    /// What came of the defect in the pure suite.
    fn suited(&self) -> Result<Outcome> {
        let (code, said) =
            quietly(self.copy.command("timeout", ["300", "cargo"].iter().chain(&SUITE).chain(&["--", "--quiet"])))?;
        if code == 0 {
            return Ok(Outcome::Missed("NOT CAUGHT".into(), "not caught".into()));
        }
        let trials = failures(&said).unwrap_or("the first");
        let reason = said.lines().find_map(reason).unwrap_or_else(|| say::last(&said, 1).into());
        Ok(Outcome::Caught(format!("caught by {trials:>3} trials, such as: {reason}")))
    }
}

/// The files of a patch.
fn touched(patch: &str) -> impl Iterator<Item = &str> {
    patch.lines().filter_map(|line| line.strip_prefix("+++ b/"))
}

/// What the specification says on this line.
fn finding(line: &str) -> Option<String> {
    Some(line.rsplit_once("judge: ")?.1.chars().take(130).collect())
}

/// Why a trial failed, if this line says it.
fn reason(line: &str) -> Option<String> {
    let at = ["judge: ", "step ", "rounds must end", "latches must be"].iter().find_map(|word| line.find(word))?;
    let told = line.get(at..)?.chars().take_while(|letter| *letter != '"');
    Some(told.take(97).collect())
}

/// How many trials failed.
fn failures(said: &str) -> Option<&str> {
    let result = said.lines().find(|line| line.starts_with("test result: FAILED"))?;
    result.split_once(" failed;")?.0.rsplit(' ').next()
}

/// The first line that begins so.
fn first<'a>(said: &'a str, word: &str) -> &'a str {
    said.lines().find(|line| line.starts_with(word)).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(args: &CanaryArgs) -> Result<Vec<String>> {
        let all =
            ["dome-aside", "dome-open", "latch-lost"].map(|name| Canary { name: name.into(), patch: name.into() });
        Ok(chosen(all.into(), args)?.into_iter().map(|canary| canary.name).collect())
    }

    #[test]
    fn a_canary_is_named_by_a_part_of_its_name() {
        let named = |name: &str| names(&CanaryArgs { names: vec![name.into()], ..CanaryArgs::default() });
        assert_eq!(named("dome").unwrap(), ["dome-aside", "dome-open"]);
        assert_eq!(named("latch-lots").unwrap_err().to_string(), "no canary `latch-lots`: is it `latch-lost`?");
        let told = named("xylophone").unwrap_err().to_string();
        assert_eq!(told, "no canary `xylophone`: scripts/canary --list lists them");
    }

    #[test]
    fn shards_are_of_what_was_named() {
        let shard = Some(Shard { part: 2, of: 2 });
        assert_eq!(names(&CanaryArgs { shard, ..CanaryArgs::default() }).unwrap(), ["dome-open"]);
        let one = CanaryArgs { shard, names: vec!["latch".into()], ..CanaryArgs::default() };
        assert!(names(&one).is_err());
    }

    #[test]
    fn a_patch_says_what_it_is_about_and_touches() {
        let patch = "It is late.\n\nBreaks: NZ9 6.1\n\ndiff --git a/x b/x\n--- a/x\n+++ b/x\n+y\n--- a/z\n+++ b/z\n";
        assert_eq!(about(patch), "It is late. Breaks: NZ9 6.1");
        assert_eq!(touched(patch).collect::<Vec<_>>(), ["x", "z"]);
    }

    #[test]
    fn what_is_found_is_heard() {
        let said = finding("violation in judge: x: judge: motor.spin: it ran: long").unwrap();
        assert_eq!(said, "motor.spin: it ran: long");
        assert_eq!(finding("total: 3"), None);
    }

    #[test]
    fn the_suite_says_why_it_failed() {
        let said = "test a ... FAILED\n  [\"step 4 `open` did not\", \"x\"]\ntest result: FAILED. 10 passed; 3 failed; 0 ignored;\nerror";
        assert_eq!(failures(said), Some("3"));
        assert_eq!(said.lines().find_map(reason).unwrap(), "step 4 `open` did not");
        assert_eq!(say::last(said, 1), "error");
        assert_eq!(say::last("one", 5), "one");
    }
}
