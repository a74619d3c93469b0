//! Every scenario under every rule set that it applies to, on the pure bench.

#![allow(clippy::print_stderr, reason = "a test target without a harness tells on stderr why it cannot run")]

use libtest_mimic::{Arguments, Failed, Trial as Test};
use std::path::Path;
use std::process::ExitCode;
use tumbler_bench::BadFiles;
use tumbler_bench::file::BenchFile;
use tumbler_bench::pure::{Pure, Setup};
use tumbler_hil::scenario::file::read_each;
use tumbler_hil::scenario::{Trial, Verdict, read_all, run};

/// The seed of a trial: from its name, so that trials differ and each stays the same. `TUMBLER_SEED` in the environment
/// gives all of them others, for whoever looks for trouble that the usual ones do not meet.
fn seed(name: &str) -> u64 {
    let other = std::env::var("TUMBLER_SEED").unwrap_or_default();
    let name = format!("{name}{other}");
    // FNV-1a.
    name.bytes().fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}

fn play(trial: &Trial) -> Result<(), Failed> {
    let mut setup = Setup::of(&trial.rules, &trial.layout, trial.seed.unwrap_or_else(|| seed(&trial.name)));
    setup.settings.reader = trial.reader;
    let mut bench = Pure::new(setup).map_err(|trouble| Failed::from(trouble.to_string()))?;
    let outcome = run(&mut bench, trial);
    match outcome.verdict {
        Verdict::Pass => Ok(()),
        verdict => Err(ended(trial, format!("{verdict:#?}\nrecords:\n  {}", outcome.records.join("\n  ")))),
    }
}

/// One failure is all that whoever judges a mutant wants to know: with `TUMBLER_FAIL_FAST` in the environment the whole
/// run ends with it.
fn fail_fast() -> bool {
    std::env::var_os("TUMBLER_FAIL_FAST").is_some()
}

fn ended(trial: &Trial, failure: String) -> Failed {
    if fail_fast() {
        eprintln!("    [pure] {}: {failure}", trial.name);
        std::process::exit(101);
    }
    failure.into()
}

/// The trials that these arguments may mean. A runner with a process for each test, as nextest is, names one: its file is enough, and all
/// of them are a second's reading.
fn read(directory: &Path, arguments: &Arguments) -> Result<Vec<Trial>, BadFiles> {
    let named = arguments.filter.as_deref().filter(|_| arguments.exact);
    let name = named.map(|name| name.trim_start_matches("[pure] "));
    let stem = name.and_then(|name| name.split(['[', ':']).next());
    match stem.map(|stem| directory.join(format!("{stem}.toml"))).filter(|file| file.is_file()) {
        Some(file) => read_each(&[file]),
        None => read_all(directory),
    }
}

fn main() -> ExitCode {
    let arguments = Arguments::from_args();
    if fail_fast() {
        let usual = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |panic| {
            usual(panic);
            std::process::exit(101);
        }));
    }
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../fixtures/benches/pure.toml");
    let read = BenchFile::read(&file).map_err(|e| e.to_string()).and_then(|bench| {
        let trials = read(&bench.scenarios, &arguments).map_err(|e| e.to_string())?;
        Ok((bench, trials))
    });
    let (bench, trials) = match read {
        Ok(both) => both,
        Err(problem) => {
            eprintln!("{problem}");
            return ExitCode::from(2);
        }
    };
    // What the bench cannot run is not listed: there would be nothing to run.
    let tests = trials
        .into_iter()
        .filter(|trial| bench.cannot(&trial.name).is_none())
        .map(|trial| Test::test(trial.name.clone(), move || play(&trial)).with_kind("pure"))
        .collect();
    libtest_mimic::run(&arguments, tests).exit_code()
}
