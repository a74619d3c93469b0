//! Repeats the virtual suite while other programs keep every core busy: a verdict that is not the same every time is a flake.

use crate::guard;
use crate::install::Installer;
use crate::lanes::EVERY;
use crate::repository::Repository;
use crate::say;
use crate::shell::{command, quietly};
use crate::work::{VIRTUAL, rig};
use anyhow::{Result, bail, ensure};
use clap::Args;
use std::process::{Child, Stdio};
use std::{env, thread};

/// Runs the virtual suite N times (20) beside busy neighbours, and fails unless every repeat passed.
///
/// What is INVALID, as the rig was at fault, is asked once more, as the lane does. Without further arguments the suite is what the lane
/// `virtual` runs: a third of the scenarios, by turns from repeat to repeat.
#[derive(Debug, Args)]
pub(crate) struct FlakesArgs {
    /// Begins with the I-th of the N repeats, where an earlier run was ended.
    #[arg(long, value_name = "I", default_value_t = 1)]
    from: u32,
    /// A shell command as the neighbours, in place of one busy loop for every core; ended with the run.
    #[arg(long, value_name = "COMMAND")]
    beside: Option<String>,
    /// How many repeats; what is no number goes to `tumbler-hil run`.
    #[arg(value_name = "N", allow_hyphen_values = true)]
    number: Option<String>,
    /// Of `tumbler-hil run`.
    #[arg(value_name = "ARGUMENT", allow_hyphen_values = true, trailing_var_arg = true)]
    suite: Vec<String>,
}

impl FlakesArgs {
    /// How many repeats, and what of.
    fn split(&self) -> (u32, Vec<&String>) {
        let number = self.number.as_ref().and_then(|number| number.parse().ok());
        let first = self.number.iter().filter(|_| number.is_none());
        (number.unwrap_or(20), first.chain(&self.suite).collect())
    }
}

/// Does what the arguments say; whether every repeat passed.
///
/// # Errors
/// Nothing can be said of busy times.
pub(crate) fn flakes(repository: &Repository, args: &FlakesArgs) -> Result<bool> {
    let (repeats, suite) = args.split();
    let from = args.from;
    ensure!(repeats >= 1, "N is at least 1");
    ensure!((1..=repeats).contains(&from), "--from {from}: a number from 1 to {repeats}");
    if !guard::is_guarded() {
        // The neighbours are what is left then.
        return Ok(guard::guarded("flakes", env::args_os().skip(1))?.passed);
    }
    Installer::new(repository, false).need(EVERY, false)?;
    repository.build_release()?;
    repository.build_rig()?;
    let mut neighbours = neighbours(args.beside.as_deref())?;
    let mut bad = 0;
    for repeat in from..=repeats {
        // Another seed every time: the same order of events would prove the same thing again.
        let mut run = rig(repository, ["run", "--jobs", "6", "--keep-going", "--again", "1", "--seed"]);
        run.arg(repeat.to_string()).args(VIRTUAL).args(&suite);
        if suite.is_empty() {
            run.args(["--each-once", "--shard", &format!("{}/3", repeat % 3 + 1)]);
        }
        let (code, said) = quietly(run)?;
        let (end, again) = (say::last(&said, 1), asked_again(&said));
        say::line(&format!("repeat {repeat:>2}: exit {code}: {end}; {again} asked again"));
        if code != 0 {
            bad += 1;
            say::line(wrong(&said));
        }
    }
    if args.beside.is_some() {
        for neighbour in &mut neighbours {
            if let Some(status) = neighbour.try_wait()? {
                bail!("the neighbour ended before the run ({status}): nothing is known of busy times");
            }
        }
    }
    say::line(&format!("{} passed, {bad} failed", repeats - from + 1 - bad));
    Ok(bad == 0)
}

/// Each in a session of its own, as other programs of a machine are: the kernel shares processors out by sessions.
fn neighbours(beside: Option<&str>) -> Result<Vec<Child>> {
    let number = if beside.is_some() { 1 } else { thread::available_parallelism()?.get() };
    let neighbour = || {
        let mut shell = command("setsid", ["bash", "-c", beside.unwrap_or("while :; do :; done")]);
        Ok(shell.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn()?)
    };
    (0..number).map(|_| neighbour()).collect()
}

/// How many trials the rig was at fault in.
fn asked_again(said: &str) -> u32 {
    let lines = said.lines().filter_map(|line| line.strip_prefix("the rig was at fault in "));
    lines.filter_map(|line| line.split(':').next()?.parse::<u32>().ok()).sum()
}

/// What is wrong, with what the table did: all of it, as the next repeat will not show it again.
fn wrong(said: &str) -> &str {
    let mut at = 0;
    for line in said.split_inclusive('\n') {
        if line.starts_with("FAIL ") || line.starts_with("INVALID ") {
            return said.get(at..).unwrap_or_default();
        }
        at += line.len();
    }
    ""
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::FromArgMatches;

    fn parsed(words: &str) -> FlakesArgs {
        let parser = FlakesArgs::augment_args(clap::Command::new("flakes").no_binary_name(true));
        FlakesArgs::from_arg_matches(&parser.get_matches_from(words.split_whitespace())).unwrap()
    }

    #[test]
    fn a_number_comes_first_and_the_rig_gets_what_is_not_ours() {
        let split = |words| {
            let args = parsed(words);
            let (repeats, suite) = args.split();
            (repeats, args.from, args.beside.clone(), suite.into_iter().cloned().collect::<Vec<_>>().join(" "))
        };
        assert_eq!(split(""), (20, 1, None, String::new()));
        assert_eq!(split("3 --from 2"), (3, 2, None, String::new()));
        assert_eq!(split("--from 2 --beside true --rules nz"), (20, 2, Some("true".into()), "--rules nz".into()));
        assert_eq!(split("5 --each-once --jobs=2 --from x"), (5, 1, None, "--each-once --jobs=2 --from x".into()));
    }

    #[test]
    fn what_was_asked_again_is_counted() {
        let said = "ok\nthe rig was at fault in 2: asked once more\nthe rig was at fault in 1: asked once more\n";
        assert_eq!(asked_again(said), 3);
    }

    #[test]
    fn what_is_wrong_is_told_to_the_end() {
        assert_eq!(wrong("ok one\nFAIL two\n  why\n1 failed"), "FAIL two\n  why\n1 failed");
        assert_eq!(wrong("ok one"), "");
    }
}
