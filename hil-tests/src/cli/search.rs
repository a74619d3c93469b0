//! `tumbler-hil search`.

use super::say;
use crate::report;
use crate::search::{self, Layer, SearchPlan, SearchResult, alphabet, invariants::INVARIANTS};
use anyhow::{Context, bail};
use clap::Args;
use std::collections::BTreeSet;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::Instant;
use tumbler_bench::Wrong;
use tumbler_core::rules;

/// The part of the state space to search, and its limits.
#[derive(Debug, Args)]
pub(super) struct SearchArgs {
    /// Depth: inputs from the nearest root, which is a closed table or a stage of a healthy round.
    #[arg(long, value_name = "N", default_value_t = 2, value_parser = clap::value_parser!(u32).range(0..=32))]
    depth: u32,
    /// Only under these rule sets [default: all].
    #[arg(long, value_name = "ID", value_delimiter = ',', value_parser = super::rule_set)]
    rules: Vec<String>,
    /// Threads.
    #[arg(long, value_name = "N", default_value_t = 2, value_parser = clap::value_parser!(u16).range(1..=256))]
    jobs: u16,
    /// Most faults of the table in force at once.
    #[arg(long, value_name = "N", default_value_t = 1)]
    faults: usize,
    /// Only inputs whose words contain one of these, for a deeper search: `seal,turn key,reset`.
    #[arg(long, value_name = "WORDS", value_delimiter = ',')]
    only: Vec<String>,
    /// Recover one state in N to where a game may begin; 0: none.
    #[arg(long, value_name = "N", default_value_t = 64)]
    recover: u64,
    /// Go on after a violation, to find more.
    #[arg(long)]
    keep_going: bool,
    /// Where to write the scenario of a counter-example. Each has a file of its own: where one is there already, the next free number
    /// stands behind the name.
    #[arg(long, value_name = "FILE", default_value = "counter-example.toml")]
    write: PathBuf,
}

pub(super) fn search(args: &SearchArgs) -> anyhow::Result<u8> {
    let known: Vec<&str> = rules::all().iter().map(|set| set.id.as_str()).collect();
    if args.write.extension().is_none_or(|extension| extension != "toml") {
        bail!("--write {}: the name of a scenario's file ends in .toml", args.write.display());
    }
    let chosen = known.iter().copied().filter(|id| args.rules.is_empty() || args.rules.iter().any(|rules| rules == id));
    all_known(&args.only, chosen.clone())?;
    for rules in chosen {
        let plan = SearchPlan {
            rules: rules.to_owned(),
            depth: args.depth,
            jobs: usize::from(args.jobs),
            faults: args.faults,
            recover: args.recover,
            keep_going: args.keep_going,
            only: args.only.clone(),
            invariants: INVARIANTS.to_vec(),
        };
        let begun = Instant::now();
        let found = search::run(&plan, &|layer| say::line(&with_history(rules, layer, begun)))?;
        say::line(&summed(rules, &plan, &found, begun));
        for example in &found.wrong {
            say::line(&format!("\n{}\nby {} inputs from the nearest root:\n", example.wrong, example.letters));
            example.steps.iter().for_each(|step| say::line(&format!("  {step}")));
        }
        for example in &found.wrong {
            let scenario = example.scenario(&search::trial(rules)?)?;
            let path =
                write_beside(&args.write, &scenario).with_context(|| format!("write {}", args.write.display()))?;
            say::line(&format!("\nwritten as a scenario to {}: {}", path.display(), example.wrong));
        }
        if !found.wrong.is_empty() {
            return Ok(report::FAILED);
        }
    }
    Ok(report::PASSED)
}

/// Refuses words that no input under these rule sets has: nothing would be searched by them.
fn all_known<'r>(only: &[String], chosen: impl Iterator<Item = &'r str>) -> anyhow::Result<()> {
    let mut inputs = BTreeSet::new();
    for rules in chosen {
        let letters = alphabet::letters(rules, &search::trial(rules)?.layout)?;
        inputs.extend(letters.into_iter().map(|letter| letter.words));
    }
    let words = || inputs.iter().flat_map(|input| [input.as_str()].into_iter().chain(input.split([' ', ';'])));
    match only.iter().find(|word| word.is_empty() || !inputs.iter().any(|input| input.contains(*word))) {
        Some(unknown) => Err(Wrong::unknown("words of an input", unknown, words()).into()),
        None => Ok(()),
    }
}

/// Writes a find to this file, or to the first one beside it that is not there yet. Returns which.
fn write_beside(path: &Path, text: &str) -> std::io::Result<PathBuf> {
    let stem = path.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default();
    let mut path = path.to_owned();
    for number in 2_u32.. {
        match std::fs::OpenOptions::new().write(true).create_new(true).open(&path) {
            Ok(mut file) => return file.write_all(text.as_bytes()).map(|()| path),
            Err(there) if there.kind() == std::io::ErrorKind::AlreadyExists => {
                path.set_file_name(format!("{stem}-{number}.toml"));
            }
            Err(other) => return Err(other),
        }
    }
    Ok(path)
}

fn with_history(rules: &str, layer: &Layer, begun: Instant) -> String {
    format!(
        "{rules}: depth {}: {} new states, {} transitions, {} recovered; {:.1} s",
        layer.depth,
        layer.states,
        layer.transitions,
        layer.recovered,
        begun.elapsed().as_secs_f64()
    )
}

fn summed(rules: &str, plan: &SearchPlan, found: &SearchResult, begun: Instant) -> String {
    let wall = begun.elapsed().as_secs_f64();
    let idle: Vec<String> = found.idle.iter().map(|(judge, rule)| format!("{judge}: {rule}")).collect();
    format!(
        "{rules}: {} states and {} transitions to depth {} in {wall:.1} s, {:.0} states/s, {:.0} transitions/s; \
         {} rules of judges had something to judge, never: {}",
        found.states(),
        found.transitions(),
        plan.depth,
        found.states() as f64 / wall,
        found.transitions() as f64 / wall,
        found.exercised.len(),
        if idle.is_empty() { "none".to_owned() } else { idle.join(", ") }
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_find_replaces_another() {
        let place = tempfile::tempdir().unwrap();
        let path = place.path().join("find.toml");
        for (number, name) in ["find.toml", "find-2.toml", "find-3.toml"].into_iter().enumerate() {
            assert_eq!(write_beside(&path, &number.to_string()).unwrap(), place.path().join(name));
        }
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "0");
        assert!(write_beside(&place.path().join("nowhere/find.toml"), "").is_err());
    }

    #[test]
    fn words_that_no_input_has_are_refused_with_the_nearest() {
        let told = |word: &str, rules: &'static str| {
            all_known(&["seal".to_owned(), word.to_owned()], [rules].into_iter()).map_err(|wrong| wrong.to_string())
        };
        assert_eq!(told("turn key", "nz-1998"), Ok(()));
        assert_eq!(told("sael", "nz-1998"), Err("unknown words of an input `sael`: did you mean `seal`?".into()));
        assert!(told("lift dome", "nz-1998").is_ok() && told("lift dome", "sg-open").is_err());
        assert!(told("", "nz-1998").is_err());
    }
}
