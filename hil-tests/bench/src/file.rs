//! Bench files: the kind of bench, its paths, and the scenarios that it cannot run.

use super::process::harness::wiring::Wiring;
use super::process::pins::Wires;
use serde::Deserialize;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// A bench file that cannot be used.
#[derive(Debug, thiserror::Error)]
#[error("{}: {problem}", path.display())]
pub struct BadBench {
    /// The file.
    pub path: PathBuf,
    /// What is wrong, where, and what is allowed.
    pub problem: String,
}

/// Kinds of benches.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Kind {
    /// Core and twin on a virtual clock.
    Pure,
    /// The daemon's process, in real time.
    Virtual,
    /// As `Virtual`, with the wires on simulated GPIO chips.
    GpioSim,
    /// As `Virtual`, with the pins wired to those of a second Pi.
    Pi,
}

impl Kind {
    /// Its name.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Pure => "pure",
            Self::Virtual => "virtual",
            Self::GpioSim => "gpio-sim",
            Self::Pi => "pi",
        }
    }
}

/// Scenarios that a bench cannot run.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Exclusion {
    /// Name of a trial; a trailing `*` matches any rest.
    pub scenarios: String,
    /// Why.
    pub reason: String,
}

/// A bench.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BenchFile {
    /// The file itself.
    #[serde(skip)]
    pub path: PathBuf,
    /// Its kind.
    pub kind: Kind,
    /// Description for people.
    pub about: String,
    /// The scenario directory; relative to the file.
    pub scenarios: PathBuf,
    /// The catalogue of faults; relative to the file.
    #[serde(default = "faults")]
    pub faults: PathBuf,
    /// The daemon's program; beside the rig's own unless given here or on the command line.
    #[serde(default)]
    pub tumblerd: Option<PathBuf>,
    /// How a second Pi is wired to the table's; required for kind `pi` unless simulated.
    #[serde(default)]
    pub wiring: Option<Wiring>,
    /// For kind `pi`: this machine's kernel simulates both chips, and the rig the wires between them.
    #[serde(default)]
    pub simulated: bool,
    /// How many scenarios run at once, unless the command line says otherwise.
    #[serde(default = "one")]
    pub jobs: usize,
    /// Scenarios that it cannot run.
    #[serde(default)]
    pub cannot: Vec<Exclusion>,
}

const fn one() -> usize {
    1
}

fn faults() -> PathBuf {
    "../faults.toml".into()
}

impl BenchFile {
    /// Reads a bench's file.
    ///
    /// # Errors
    /// [`BadBench`] with the key and what is allowed.
    pub fn read(path: &Path) -> Result<Self, BadBench> {
        let bad = |problem: String| BadBench { path: path.to_owned(), problem };
        let text = std::fs::read_to_string(path).map_err(|e| bad(e.to_string()))?;
        let parsed = toml::Deserializer::parse(&text).map_err(|e| bad(e.to_string()))?;
        let mut bench: Self = serde_path_to_error::deserialize(parsed)
            .map_err(|e| bad(format!("{}: {}", e.path(), e.inner().message())))?;
        if !(1..=64).contains(&bench.jobs) {
            return Err(bad(format!("jobs: {} is not allowed; 1 to 64 is", bench.jobs)));
        }
        if let Some(problem) = bench.wires_problem() {
            return Err(bad(problem));
        }
        path.clone_into(&mut bench.path);
        let beside = path.parent().unwrap_or_else(|| Path::new("."));
        bench.scenarios = beside.join(&bench.scenarios);
        bench.faults = beside.join(&bench.faults);
        bench.tumblerd = bench.tumblerd.map(|program| beside.join(program));
        Ok(bench)
    }

    fn wires_problem(&self) -> Option<String> {
        match (self.kind, &self.wiring, self.simulated) {
            (Kind::Pi, Some(wiring), false) => wiring.problem().map(|problem| format!("wiring.{problem}")),
            (Kind::Pi, None, true) => None,
            (Kind::Pi, ..) => Some("kind \"pi\" needs either the section [wiring] or simulated = true".into()),
            (_, None, false) => None,
            (kind, ..) => Some(format!("wiring and simulated are for kind \"pi\", and this is \"{}\"", kind.name())),
        }
    }

    /// How the pins of its tables are connected.
    #[must_use]
    pub fn wires(&self) -> Wires {
        match (self.kind, &self.wiring) {
            (Kind::Pure | Kind::Virtual, _) => Wires::Socket,
            (Kind::GpioSim, _) => Wires::Bridge,
            (Kind::Pi, Some(wiring)) => Wires::Harness(Arc::new(wiring.clone())),
            (Kind::Pi, None) => Wires::ChipPair,
        }
    }

    /// Why this bench cannot run the trial of this name; `None` if it can.
    #[must_use]
    pub fn cannot(&self, trial: &str) -> Option<&str> {
        let listed = |cannot: &&Exclusion| match cannot.scenarios.strip_suffix('*') {
            Some(beginning) => trial.starts_with(beginning),
            None => trial == cannot.scenarios,
        };
        self.cannot.iter().find(listed).map(|cannot| cannot.reason.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<BenchFile, BadBench> {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("bench.toml");
        std::fs::write(&path, text).unwrap();
        BenchFile::read(&path)
    }

    #[test]
    fn the_benches_of_the_repository_can_be_read() {
        let benches = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/benches");
        let kind = |name: &str| BenchFile::read(&benches.join(name)).unwrap().kind;
        assert_eq!(kind("pure.toml"), Kind::Pure);
        assert_eq!(kind("virtual.toml"), Kind::Virtual);
        assert_eq!(kind("gpio-sim.toml"), Kind::GpioSim);
        assert_eq!([kind("pi.toml"), kind("pi-simulated.toml")], [Kind::Pi, Kind::Pi]);
    }

    #[test]
    fn what_a_bench_cannot_run_is_found_by_its_beginning() {
        let cannot = |scenarios: &str| Exclusion { scenarios: scenarios.into(), reason: "why".into() };
        let text = "kind = \"virtual\"\nabout = \"\"\nscenarios = \"s\"";
        let bench = BenchFile { cannot: vec![cannot("power*"), cannot("stall::nz-1998")], ..read(text).unwrap() };
        assert_eq!(bench.cannot("power-loss[idle]::nz-1998"), Some("why"));
        assert_eq!(bench.cannot("stall::nz-1998"), Some("why"));
        assert_eq!(bench.cannot("stall::nz-div9-1"), None);
        assert!(bench.scenarios.ends_with("s") && bench.scenarios.is_absolute());
    }

    #[test]
    fn unknown_keys_and_kinds_are_refused_with_what_is_allowed() {
        let problem = |text: &str| read(text).unwrap_err().problem;
        let kind = problem("kind = \"imaginary\"\nabout = \"\"\nscenarios = \"s\"");
        assert!(kind.contains("imaginary") && kind.contains("virtual"), "{kind}");
        let key = problem("kind = \"pure\"\nabout = \"\"\nscenarios = \"s\"\njob = 2");
        assert!(key.contains("job") && key.contains("jobs"), "{key}");
        assert!(problem("kind = \"pure\"\nabout = \"\"\nscenarios = \"s\"\njobs = 0").contains("1 to 64"));
        let wires = problem("kind = \"pi\"\nabout = \"\"\nscenarios = \"s\"");
        assert!(wires.contains("[wiring] or simulated = true"), "{wires}");
        assert!(problem("kind = \"pure\"\nabout = \"\"\nscenarios = \"s\"\nsimulated = true").contains("\"pure\""));
    }
}
