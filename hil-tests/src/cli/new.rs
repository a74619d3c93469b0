//! `tumbler-hil new`: a scenario to begin with.

use super::say;
use crate::report;
use anyhow::{Context, anyhow};
use clap::Args;
use std::fs::OpenOptions;
use std::io::{ErrorKind, Write};
use std::path::PathBuf;

/// A scenario with a comment at each line, which plays and passes.
const SCENARIO: &str = include_str!("new.toml");

#[derive(Debug, Args)]
pub(super) struct NewArgs {
    /// The scenario's name, which is its file's without `.toml`; with a directory before it, that is where the file is written.
    #[arg(value_name = "NAME", value_parser = file)]
    name: PathBuf,
}

/// The file of a scenario with this name.
fn file(name: &str) -> Result<PathBuf, String> {
    let path = PathBuf::from(format!("{}.toml", name.strip_suffix(".toml").unwrap_or(name)));
    let stem = path.file_stem().and_then(|stem| stem.to_str()).unwrap_or_default();
    let fits = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
    if !name.ends_with('/') && !stem.is_empty() && stem.chars().all(fits) {
        return Ok(path);
    }
    Err("a scenario's name has letters, digits, `-` and `_`, such as dome-flickers".into())
}

pub(super) fn new(args: &NewArgs) -> anyhow::Result<u8> {
    let path = &args.name;
    let stem = path.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default();
    // Never what somebody has written.
    let mut file =
        OpenOptions::new().write(true).create_new(true).open(path).map_err(|trouble| match trouble.kind() {
            ErrorKind::AlreadyExists => anyhow!("{} exists, and is never overwritten", path.display()),
            ErrorKind::NotFound => {
                anyhow!("{} cannot be written: there is no such directory; make it first", path.display())
            }
            _ => anyhow!("{} cannot be written: {trouble}", path.display()),
        })?;
    file.write_all(SCENARIO.replace("NAME", &stem).as_bytes()).with_context(|| format!("write {}", path.display()))?;
    say::line(&format!("{} is written; play it: tumbler-hil run {0} --bench pure", path.display()));
    Ok(report::PASSED)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scenario::{Verdict, file::read, run};
    use tumbler_bench::pure::{Pure, Setup};

    #[test]
    fn what_is_written_plays_and_passes_and_is_never_overwritten() {
        let place = tempfile::tempdir().unwrap();
        let name = file(place.path().join("mine").to_str().unwrap()).unwrap();
        let args = NewArgs { name: name.clone() };
        assert_eq!(new(&args).unwrap(), report::PASSED);
        let trials = read(&name).unwrap_or_else(|bad| panic!("{bad}"));
        assert_eq!(trials.len(), 5);
        for trial in trials {
            let mut bench = Pure::new(Setup::of(&trial.rules, &trial.layout, 7)).unwrap();
            assert_eq!(run(&mut bench, &trial).verdict, Verdict::Pass, "{}", trial.name);
        }
        std::fs::write(&name, "mine").unwrap();
        assert!(new(&args).unwrap_err().to_string().contains("never overwritten"));
        let nowhere = NewArgs { name: place.path().join("none/mine.toml") };
        assert!(new(&nowhere).unwrap_err().to_string().contains("no such directory"));
        assert_eq!(std::fs::read_to_string(&name).unwrap(), "mine");
    }

    #[test]
    fn a_name_is_that_of_a_file_and_of_cells() {
        assert_eq!(file("mine.toml"), Ok("mine.toml".into()));
        assert_eq!(file("dir/mine-2"), Ok("dir/mine-2.toml".into()));
        for name in ["", "dir/", "mine[2]", "a b", ".toml"] {
            assert!(file(name).is_err(), "{name}");
        }
    }
}
