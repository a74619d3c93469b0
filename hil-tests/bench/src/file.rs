//! Bench files: the kind of bench, its paths, and the scenarios that it cannot run.

use super::process::harness::wiring::Wiring;
use super::process::pins::Wires;
use super::source::{BadFiles, Place, Source};
use schemars::JsonSchema;
use serde::Deserialize;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use tumbler_twin::Wrong;

/// Kinds of benches.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
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
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Exclusion {
    /// Name of a trial; a trailing `*` matches any rest.
    pub scenarios: String,
    /// Why.
    pub reason: String,
}

impl Exclusion {
    fn is_of(&self, trial: &str) -> bool {
        match self.scenarios.strip_suffix('*') {
            Some(beginning) => trial.starts_with(beginning),
            None => trial == self.scenarios,
        }
    }
}

/// A bench.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
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

/// The file of a bench: the path of one, or the name of one that comes with the rig, such as `pure`. Those lie in `fixtures/benches`
/// beside the program, in a directory above it, in `share/tumbler-hil` beside its own, or where the program was built.
///
/// # Errors
/// There is none, with the nearest that there is.
pub fn find(given: &str) -> Result<PathBuf, Wrong> {
    let path = Path::new(given);
    if path.is_file() {
        return Ok(path.to_owned());
    }
    let own = std::env::current_exe().unwrap_or_default();
    let above = own.ancestors().skip(1).flat_map(|dir| [dir.join("fixtures"), dir.join("share/tumbler-hil")]);
    let built = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures");
    let mut places = above.chain([built]).map(|dir| dir.join("benches"));
    let benches = places.find(|dir| dir.is_dir()).unwrap_or_default();
    let files = std::fs::read_dir(&benches).into_iter().flatten().filter_map(|entry| entry.ok().map(|e| e.path()));
    let stem = |path: &Path| path.file_stem().map(|stem| stem.to_string_lossy().into_owned());
    let names: BTreeSet<String> = files.filter_map(|path| stem(&path)).collect();
    // Commands that were written for a checkout work elsewhere too.
    let name = given.strip_prefix("fixtures/benches/").and_then(|name| name.strip_suffix(".toml")).unwrap_or(given);
    if names.contains(name) {
        return Ok(benches.join(format!("{name}.toml")));
    }
    let known = || names.iter().map(String::as_str).collect::<Vec<_>>();
    let with_ending = format!("{given}.toml");
    if Path::new(&with_ending).is_file() {
        let problem = format!("there is no bench `{given}`: did you mean `{with_ending}`?");
        return Err(Wrong { near: Some(with_ending), ..Wrong::new(given, problem, "") });
    }
    let is_path = given.contains('/') || given.ends_with(".toml");
    if is_path && name == given {
        let what = if path.is_dir() { "is a directory, and a bench is a file" } else { "is not there" };
        let allowed = format!("a bench's file, or one of {}", known().join(", "));
        return Err(Wrong::new(given, format!("`{given}` {what}"), allowed));
    }
    Err(Wrong::unknown("bench", given, known()))
}

impl BenchFile {
    /// Reads a bench's file.
    ///
    /// # Errors
    /// What is wrong in it, and what is allowed.
    pub fn read(path: &Path) -> Result<Self, BadFiles> {
        let text = crate::bounded::read_text(path).map_err(|why| BadFiles::unread(path, &why))?;
        let (mut source, mut bench) = Source::read::<Self>(path, &text)?;
        let top = Place::default();
        if !(1..=64).contains(&bench.jobs) {
            let jobs = bench.jobs.to_string();
            source
                .wrong(&[top.of("jobs")], Wrong::new(&jobs, format!("jobs: {jobs} is too many or too few"), "1 to 64"));
        }
        if let Some((key, problem)) = bench.wires_problem() {
            source.wrong(&[top.of(key)], Wrong::new("", problem, ""));
        }
        path.clone_into(&mut bench.path);
        let beside = path.parent().unwrap_or_else(|| Path::new("."));
        for (key, place) in [("scenarios", &mut bench.scenarios), ("faults", &mut bench.faults)] {
            let written = place.display().to_string();
            *place = beside.join(&*place);
            if !place.exists() {
                let problem = format!("{key}: there is no `{}`", place.display());
                source.wrong(&[top.of(key)], Wrong::new(&written, problem, "a path from this file's directory"));
            }
        }
        bench.tumblerd = bench.tumblerd.map(|program| beside.join(program));
        source.end(bench)
    }

    /// The key of the wires that is wrong, and why.
    fn wires_problem(&self) -> Option<(&'static str, String)> {
        match (self.kind, &self.wiring, self.simulated) {
            (Kind::Pi, Some(wiring), false) => wiring.problem().map(|problem| ("wiring", format!("wiring.{problem}"))),
            (Kind::Pi, None, true) | (Kind::Pure | Kind::Virtual | Kind::GpioSim, None, false) => None,
            (Kind::Pi, ..) => {
                Some(("kind", "kind \"pi\" needs either the section [wiring] or simulated = true".into()))
            }
            (kind, ..) => {
                Some(("kind", format!("wiring and simulated are for kind \"pi\", and this is \"{}\"", kind.name())))
            }
        }
    }

    /// What it says that it cannot run is there: each entry names one of these trials.
    ///
    /// # Errors
    /// The entries that name none.
    pub fn check_cannot(&self, trials: &[&str]) -> Result<(), BadFiles> {
        let text = crate::bounded::read_text(&self.path).map_err(|why| BadFiles::unread(&self.path, &why))?;
        let (mut source, written) = Source::read::<Self>(&self.path, &text)?;
        for (number, cannot) in written.cannot.iter().enumerate() {
            if !trials.iter().any(|trial| cannot.is_of(trial)) {
                let known = trials.iter().map(|trial| trial.split(['[', ':']).next().unwrap_or(trial));
                let wrong = Wrong::unknown("scenario", cannot.scenarios.trim_end_matches('*'), known);
                source.wrong(&[Place::default().of("cannot").of(number).of("scenarios")], wrong);
            }
        }
        source.end(())
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
        self.cannot.iter().find(|cannot| cannot.is_of(trial)).map(|cannot| cannot.reason.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<BenchFile, BadFiles> {
        let dir = tempfile::tempdir().unwrap();
        std::fs::create_dir(dir.path().join("s")).unwrap();
        let text = text.replace("FAULTS", dir.path().join("s").to_str().unwrap());
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
    fn a_bench_is_found_by_its_path_or_its_name_wherever_one_is() {
        let pure = find("pure").unwrap();
        assert_eq!(BenchFile::read(&pure).unwrap().kind, Kind::Pure);
        assert_eq!(find("fixtures/benches/pure.toml").unwrap(), pure, "the tests of this crate do not begin there");
        assert_eq!(find(pure.to_str().unwrap()).unwrap(), pure);
        assert_eq!(find("vitrual").unwrap_err().to_string(), "unknown bench `vitrual`: did you mean `virtual`?");
        let place = tempfile::tempdir().unwrap();
        let mine = place.path().join("mine.toml");
        std::fs::write(&mine, "").unwrap();
        let told = |path: &Path| find(path.to_str().unwrap()).unwrap_err().to_string();
        assert!(told(&mine.with_extension("")).ends_with("mine.toml`?"));
        assert!(told(&place.path().join("other.toml")).contains("other.toml` is not there"));
        assert!(
            told(place.path())
                .contains("is a directory, and a bench is a file\n  allowed is a bench's file, or one of")
        );
    }

    #[test]
    fn what_a_bench_cannot_run_is_found_by_its_beginning() {
        let cannot = |scenarios: &str| Exclusion { scenarios: scenarios.into(), reason: "why".into() };
        let text = "kind = \"virtual\"\nabout = \"\"\nscenarios = \"s\"\nfaults = \"FAULTS\"";
        let bench = BenchFile { cannot: vec![cannot("power*"), cannot("stall::nz-1998")], ..read(text).unwrap() };
        assert_eq!(bench.cannot("power-loss[idle]::nz-1998"), Some("why"));
        assert_eq!(bench.cannot("stall::nz-1998"), Some("why"));
        assert_eq!(bench.cannot("stall::nz-div9-1"), None);
        assert!(bench.scenarios.ends_with("s") && bench.scenarios.is_absolute());
    }

    #[test]
    fn unknown_keys_and_kinds_are_refused_with_what_is_allowed() {
        let problem = |text: &str| {
            let told = read(text).unwrap_err().to_string();
            told.split_once("bench.toml:").map(|(_, told)| told.to_owned()).unwrap_or(told)
        };
        let kind = problem("kind = \"vitrual\"\nabout = \"\"\nscenarios = \"s\"");
        assert_eq!(kind, "1:8: unknown value `vitrual`: did you mean `virtual`?");
        let key = problem("kind = \"pure\"\nabout = \"\"\nscenarios = \"s\"\njob = 2");
        assert_eq!(key, "4:1: unknown key `job`: did you mean `jobs`?");
        let nowhere = problem("kind = \"pure\"\nabout = \"\"\nscenarios = \"z\"\nfaults = \"FAULTS\"");
        assert!(nowhere.starts_with("3:14: scenarios: there is no `"), "{nowhere}");
        assert!(problem("kind = \"pure\"\nabout = \"\"\nscenarios = \"s\"\njobs = 0").contains("1 to 64"));
        let wires = problem("kind = \"pi\"\nabout = \"\"\nscenarios = \"s\"");
        assert!(wires.contains("[wiring] or simulated = true"), "{wires}");
        assert!(problem("kind = \"pure\"\nabout = \"\"\nscenarios = \"s\"\nsimulated = true").contains("\"pure\""));
    }
}
