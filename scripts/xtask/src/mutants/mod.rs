//! Mutates daemon/core and lets the tests judge each mutant: does a suite that passes also notice when the code is wrong?

mod alone;
mod results;
mod tool;

use crate::copy::{Copy, SUITE};
use crate::install::{Installer, MUTANTS};
use crate::repository::Repository;
use crate::say;
use crate::shard::Shard;
use crate::shell::{command, quietly};
use anyhow::{Context, Result, bail, ensure};
use clap::Args;
use results::{Judge, Names, Results};
use std::fs;
use std::num::NonZero;
use std::process::Command;
use tool::Run;

/// Mutates daemon/core and lets the tests judge each mutant.
///
/// Without an option, every mutant of daemon/core/src: hours. Two judges, one after the other: the pure suite (every scenario on the
/// pure bench), and for what it lets pass those of core's own tests that know what no scenario sees (rule texts, wire bytes, each part
/// at its limits, hardware tests, who may do what and when). What was caught is not tried again while daemon/core/src stays as it is,
/// so that a run which was ended goes on where it was.
///
/// Fails when fewer than 90 percent of the viable mutants are caught; of a sample, when it shows that (99 to 1). A mutant that was
/// skipped counts as missed, and so does one that fixtures/mutants.txt gives a reason for.
#[derive(Debug, Default, Args)]
pub(crate) struct MutantsArgs {
    /// Only mutants on lines of daemon/core/src that changed since this commit.
    #[arg(long, value_name = "BASE", groups = ["which", "some"])]
    in_diff: Option<String>,
    /// The same for what has not landed: BASE is $TUMBLERD_LANDED if that is set, else where the history parted from origin/main;
    /// where it did not part, 40 commits back or as far as the history goes. In a clone without any history, all of daemon/core/src.
    #[arg(long, groups = ["which", "some"])]
    changed: bool,
    /// Every N-th mutant, from the I-th (1 to N).
    #[arg(long, value_name = "I/N", group = "which")]
    shard: Option<Shard>,
    /// Only those that were tried and not caught: after the tests became better.
    #[arg(long, group = "which")]
    missed: bool,
    /// Where there are more mutants than N, a sample of at most N, spread evenly over the lines; and it says so.
    #[arg(long, value_name = "N", requires = "some")]
    at_most: Option<NonZero<usize>>,
    /// Run nothing; sum up what all shards have found about daemon/core/src as it is.
    #[arg(long)]
    summary: bool,
    /// Of the mutants that the pure scenarios catch, how many a judge finds in free play, with nothing scripted: no step need succeed,
    /// and no panic and no time limit counts. A sample of at most N (560) over all source files, another part with each commit. All
    /// mutants are switches in one program (hil-tests/switched), built once. Fails below 85 percent.
    #[arg(long, groups = ["which", "some"])]
    judges_alone: bool,
    /// Rounds of that free play, at most (3000), and a quarter as many at healthy tables first: it ends with the first violation.
    #[arg(long, value_name = "N", requires = "judges_alone")]
    rounds: Option<NonZero<u32>>,
}

/// Of core's tests those that know what no scenario sees, as cargo is told.
const OF_CORE: [&str; 2] = ["--lib", "--test=suite"];
/// The others play rounds, as the scenarios do, or read the sources: what the tests' own program is told.
const NOT_OF_CORE: [&str; 6] = [
    "--skip=console_doc::",
    "--skip=garbage::",
    "--skip=invariants::",
    "--skip=paid::",
    "--skip=purity::",
    "--skip=rounds::",
];

/// Does what the arguments say; whether enough is caught.
///
/// # Errors
/// Nothing can be said about any mutant.
pub(crate) fn mutants(repository: &Repository, args: &MutantsArgs) -> Result<bool> {
    let mut installer = Installer::new(repository, false);
    installer.tool(MUTANTS)?;
    let out = repository.target().join("mutation");
    fs::create_dir_all(&out)?;
    let run = Run { repository, path: installer.path()?, out: out.canonicalize()? };
    if args.judges_alone {
        return alone::judges_alone(
            &run,
            args.at_most.map_or(560, NonZero::get),
            args.rounds.map_or(3000, NonZero::get),
        );
    }
    let results = Results::of(repository, &run.out)?;
    let all = run.list(command("cargo", ["mutants"]), [])?;
    if args.summary {
        let tried = results.tried()?;
        let tried = all.intersection(&tried).count();
        say::line(&format!("{tried} of the {} mutants of daemon/core/src as it is were tried", all.len()));
        return results.summary(&all, false);
    }
    let (wanted, sampled) = if args.in_diff.is_some() || args.changed {
        let (wanted, sampled) = run.changed(all, args)?;
        if wanted.is_empty() {
            return Ok(true);
        }
        (wanted, sampled)
    } else if args.missed {
        (&all & &results.missed()?, false)
    } else {
        (args.shard.map_or(all.clone(), |shard| shard.take(all).collect()), false)
    };
    run.judge_all(&results, &wanted)?;
    results.summary(&wanted, sampled)
}

/// A sample of what has not landed.
///
/// # Errors
/// Too few of it are caught.
pub(crate) fn sample(repository: &Repository) -> Result<()> {
    let args = MutantsArgs { changed: true, at_most: NonZero::new(12), ..MutantsArgs::default() };
    ensure!(mutants(repository, &args)?, "too few mutants are caught");
    Ok(())
}

impl Run<'_> {
    /// Those on lines that changed, and whether they are only a sample.
    fn changed(&self, all: Names, args: &MutantsArgs) -> Result<(Names, bool)> {
        let base = match &args.in_diff {
            Some(base) => Some(base.clone()),
            None => landed(self.repository)?,
        };
        let (lines, all) = match &base {
            None => ("all of daemon/core/src, as this clone has no history".into(), all),
            Some(base) => self.since(base)?,
        };
        say::line(&format!("{} mutants on {lines}", all.len()));
        let most = args.at_most.map_or(usize::MAX, NonZero::get);
        let each = all.len().div_ceil(most);
        if each < 2 {
            return Ok((all, false));
        }
        say::line(&format!(
            "!! MORE THAN {most}: ONLY ONE IN {each} OF THEM IS TRIED, AND NOTHING IS KNOWN ABOUT THE OTHERS.\n!! All of them: \
             scripts/mutants{}",
            base.map(|base| format!(" --in-diff {base}")).unwrap_or_default()
        ));
        // Another part of them with each commit, and the same for the same commit.
        let part = Shard { part: self.repository.height()?, of: u64::try_from(each)? };
        Ok((part.take(all).collect(), true))
    }

    /// What the lines are that changed since then, and the mutants on them.
    fn since(&self, base: &str) -> Result<(String, Names)> {
        let commit = format!("{base}^{{commit}}");
        let (code, _) = quietly(command("git", ["rev-parse", "--verify", "--quiet", &commit]))?;
        ensure!(code == 0, "there is no commit '{base}' here");
        let commit = self.repository.git(["log", "-1", "--format=%h (%s)", base])?;
        let changed = self.repository.git(["diff", base, "--", "daemon/core/src"])?;
        let lines = format!("the lines of daemon/core/src that changed since {commit}");
        if changed.is_empty() {
            return Ok((lines, Names::new()));
        }
        let diff = self.out.join("changed.diff");
        fs::write(&diff, changed + "\n")?;
        let diff = diff.to_str().context("the target directory has a name of letters")?;
        Ok((lines, self.list(command("cargo", ["mutants"]), ["--in-diff", diff])?))
    }

    /// Tries those that are not judged yet.
    fn judge_all(&self, results: &Results, wanted: &Names) -> Result<()> {
        // A copy of the work tree and a target directory of its own, always the same, so that only core and what hangs on it is built for
        // each mutant, and a mutation never gets into anybody's build.
        let copy = Copy::make(self.repository, &self.out, "scripts/mutants")?;
        copy.seed(self.repository)?;
        // The judges themselves must pass before anything that they say about a mutant means something.
        say::heading("the judges without a mutation");
        // A run that was ended in the midst of a build can leave objects that do not link, or those of a mutation, which cargo takes
        // for the source's.
        let unfinished = self.out.join("unfinished");
        if unfinished.exists() || quietly(copy.command("cargo", SUITE.iter().chain(&["--no-run"])))?.0 != 0 {
            say::heading("building from scratch, because an earlier run was interrupted");
            copy.clean()?;
        }
        fs::write(&unfinished, "")?;
        say::line(say::last(&passes(copy.command("cargo", SUITE.iter().chain(&["--", "--quiet"])))?, 2));

        say::heading("the pure suite");
        self.judge(results, &copy, Judge::Scenarios, wanted)?;
        let passed: Names = wanted & &results.passed_by_scenarios()?;
        if !passed.is_empty() {
            passes(
                copy.command(
                    "cargo",
                    ["test", "--locked", "--quiet", "-p", "tumbler-core", "-p", "tumbler-core-tests"]
                        .iter()
                        .chain(&OF_CORE)
                        .chain(&["--"])
                        .chain(&NOT_OF_CORE),
                ),
            )?;
            say::heading(&format!("the tests of core, for the {} that the pure suite let pass", passed.len()));
            self.judge(results, &copy, Judge::Core, &passed)?;
        }
        fs::remove_file(unfinished)?;
        Ok(())
    }

    /// Tries those that this judge has not judged.
    fn judge(&self, results: &Results, copy: &Copy, judge: Judge, wanted: &Names) -> Result<()> {
        results.keep(judge)?;
        let untried = wanted - &results.known(judge);
        let all = self.list(copy.command("cargo", ["mutants"]), [])?;
        // cargo-mutants chooses by patterns, and those not reliably; what it takes for caught already it leaves alone.
        let place = results.begin(judge, &(&all - &untried))?;
        // What cargo is told beside comes with --cargo-arg, so that it holds for the build too: nothing is built that does not judge.
        let fixed =
            ["mutants", "--in-place", "--package", "tumbler-core", "--cargo-arg=--locked", "--iterate", "--no-times"];
        let limits = ["--baseline", "skip", "--timeout", "20", "--build-timeout", "600"];
        let mut cargo = copy.command("cargo", fixed.iter().chain(&limits));
        cargo.arg("--output").arg(place).env("PATH", &self.path);
        match judge {
            Judge::Scenarios => {
                cargo.args(["--test-workspace=true", "--cargo-arg=--test=scenarios"]).env("TUMBLER_FAIL_FAST", "1")
            }
            Judge::Core => {
                cargo.args(["--test-package=tumbler-core", "--test-package=tumbler-core-tests"]);
                cargo.args(OF_CORE.map(|test| format!("--cargo-arg={test}")));
                cargo.args(["--", "--"]).args(NOT_OF_CORE)
            }
        };
        let status = cargo.status()?;
        results.keep(judge)?;
        // 2: some were missed, 3: some took too long; the summary says whether too many.
        ensure!(matches!(status.code(), Some(0 | 2 | 3)), "cargo mutants ended with {status}");
        Ok(())
    }
}

/// What tests say that pass.
fn passes(tests: Command) -> Result<String> {
    let (code, said) = quietly(tests)?;
    if code != 0 {
        say::line(say::last(&said, 40));
        bail!("the tests fail without a mutation");
    }
    Ok(said)
}

/// The commit that the changed lines are counted from; none in a clone without history.
fn landed(repository: &Repository) -> Result<Option<String>> {
    if let Ok(landed) = std::env::var("TUMBLERD_LANDED") {
        if !landed.is_empty() {
            return Ok(Some(landed));
        }
    }
    let (code, parted) = quietly(command("git", ["merge-base", "HEAD", "origin/main"]))?;
    if code == 0 && parted != repository.git(["rev-parse", "HEAD"])? {
        return Ok(Some(parted));
    }
    let before = repository.git(["rev-list", "--first-parent", "--max-count=41", "HEAD"])?;
    Ok(before.lines().skip(1).last().map(String::from))
}
