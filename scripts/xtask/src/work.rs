//! What the lanes do.

use crate::install;
use crate::repository::Repository;
use crate::rotation::Rotation;
use crate::say;
use crate::shell::{cargo, command, output, quietly, run};
use crate::workspace;
use anyhow::{Result, bail, ensure};
use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::fs;
use std::process::Command;

/// A script of the work tree.
pub(crate) fn script(path: &str, arguments: &[&str]) -> Result<()> {
    run(command(path, arguments))
}

pub(crate) fn format(_: &Repository) -> Result<()> {
    run(cargo(["fmt", "--all", "--check"]))?;
    // Outside the workspace.
    run(cargo(["fmt", "--manifest-path", "hil-tests/fuzz/Cargo.toml", "--check"]))
}

pub(crate) fn clippy(_: &Repository) -> Result<()> {
    run(cargo(["clippy", "--workspace", "--all-targets", "--locked", "--quiet", "--", "-D", "warnings"]))
}

pub(crate) fn deny(_: &Repository) -> Result<()> {
    run(cargo(["deny", "check", "bans", "licenses", "sources"]))
}

pub(crate) fn asyncapi(repository: &Repository) -> Result<()> {
    let check = install::node_program(repository, "asyncapi")?.join("check.js");
    run(command("node", [check.as_os_str(), OsStr::new("daemon/docs/asyncapi.yaml")]))
}

pub(crate) fn build(repository: &Repository) -> Result<()> {
    run(cargo(["test", "--no-run", "--quiet", "--workspace", "--locked"]))?;
    repository.build_rig()
}

/// The tests of the daemon and of tumblerctl as whole programs: this target of both.
const PROGRAMS: &str = "programs";

/// All tests but those of whole programs, and those that are ignored: of these the rig plays the virtual bench's scenarios, many at
/// once, and what reads dumps needs programs of its own.
pub(crate) fn quick(repository: &Repository) -> Result<()> {
    // Some start the daemon, which cargo builds for tests of its own package alone.
    repository.build_rig()?;
    let targets = workspace::packages(cargo::<&str>([]))?.into_iter().flat_map(|package| package.targets);
    let tests: BTreeSet<String> = targets.filter(|target| target.is_test()).map(|target| target.name).collect();
    let chosen = tests.iter().map(String::as_str).filter(|name| *name != PROGRAMS);
    tested(repository, ["--lib", "--bins"].into_iter().chain(chosen.flat_map(|name| ["--test", name])))
}

pub(crate) fn programs(repository: &Repository) -> Result<()> {
    tested(repository, ["--test", PROGRAMS])
}

/// Plays the tests of these targets.
fn tested<'a>(repository: &Repository, targets: impl IntoIterator<Item = &'a str>) -> Result<()> {
    // Generated histories are others with each commit, and the same for the same commit.
    let seed = std::env::var("PROPTEST_RNG_SEED").map_or_else(|_| repository.height().map(|n| n.to_string()), Ok)?;
    say::line(&format!("seed of generated histories: PROPTEST_RNG_SEED={seed}"));
    let player: &[&str] = if install::has_nextest() {
        &["nextest", "run"]
    } else {
        say::line("cargo-nextest is not there: `cargo test` plays the tests, crate by crate");
        &["test"]
    };
    let mut tests = cargo(player.iter().copied().chain(["--workspace", "--locked"]).chain(targets));
    tests.env("PROPTEST_RNG_SEED", seed);
    run(tests)
}

/// As part of the workspace: by itself the rig would be compiled again, as its crates would then have other features.
pub(crate) fn dumps(_: &Repository) -> Result<()> {
    let dumps = ["-E", "package(tumbler-hil) & test(/^dumps::/)", "--run-ignored", "all"];
    run(cargo(["nextest", "run", "--workspace", "--locked", "--cargo-quiet"].into_iter().chain(dumps)))
}

pub(crate) fn doc(_: &Repository) -> Result<()> {
    run(cargo(["test", "--workspace", "--locked", "--doc", "--quiet"]))
}

/// The rig with these arguments, at what ships.
pub(crate) fn rig<A: AsRef<OsStr>>(repository: &Repository, arguments: impl IntoIterator<Item = A>) -> Command {
    let mut rig = Command::new(repository.rig());
    rig.args(arguments);
    if std::env::var_os("TUMBLERD").is_none() {
        rig.env("TUMBLERD", repository.release("tumblerd"));
    }
    rig
}

pub(crate) const VIRTUAL: [&str; 2] = ["--bench", "fixtures/benches/virtual.toml"];

pub(crate) fn matrix(repository: &Repository) -> Result<()> {
    repository.build_rig()?;
    // What judges say, and what is pinned, of the same cells: each is played once.
    run(rig(repository, ["diff", "--judge"]))
}

pub(crate) fn panel(repository: &Repository) -> Result<()> {
    repository.build_release()?;
    repository.build_rig()?;
    let check = install::node_program(repository, "panel")?.join("check.js");
    // Whether it passed or not, people look at them: a CI keeps the directory as an artefact.
    let pictures = if let Some(asked) = std::env::var_os("TUMBLERD_SHOTS") {
        asked.into()
    } else {
        let own = repository.target().join("panel-pictures");
        if own.exists() {
            fs::remove_dir_all(&own)?;
        }
        own
    };
    fs::create_dir_all(&pictures)?;
    say::line(&format!("pictures: {}", pictures.display()));
    let mut node = command("node", [check]);
    node.arg(repository.rig()).arg(&pictures).env("TUMBLERD", repository.release("tumblerd"));
    run(node)
}

pub(crate) fn collectors(repository: &Repository) -> Result<()> {
    repository.build_rig()?;
    let programs = install::node_program(repository, "collectors")?.join("node_modules/.bin");
    let mut check = install::python(repository, "collectors")?;
    check.arg("scripts/collectors/check.py").arg(repository.rig()).arg(programs.join("allure"));
    check.arg("fixtures/schema/junit.xsd");
    run(check)?;
    let mut editors = install::python(repository, "collectors")?;
    editors.arg("scripts/collectors/editors.py").arg(programs.join("taplo"));
    run(editors)?;
    let mut recipes = install::python(repository, "collectors")?;
    recipes.arg("scripts/collectors/recipes.py").arg(repository.rig()).arg("hil-tests/ci");
    run(recipes)
}

pub(crate) fn pytest(repository: &Repository) -> Result<()> {
    repository.build_rig()?;
    // Installed, as pytest finds plugins by what their packages say of themselves.
    let place = tempfile::tempdir()?;
    let installed = place.path().join("installed");
    let mut pip = install::python(repository, "pytest")?;
    pip.args(["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-deps", "--no-build-isolation"]);
    pip.arg("--target").arg(&installed).arg("./hil-tests/pytest-tumbler");
    run(pip)?;
    let mut tests = install::python(repository, "pytest")?;
    tests.args(["-B", "-m", "pytest", "-q", "-p", "no:cacheprovider", "-n", "2", "hil-tests/pytest-tumbler"]);
    tests.arg("--basetemp").arg(place.path().join("tests"));
    tests.env("PYTHONPATH", &installed).env("TUMBLER_HIL", repository.rig());
    run(tests)
}

pub(crate) fn pages(repository: &Repository) -> Result<()> {
    repository.build_release()?;
    run(command("hil-tests/pages-bench/run", [repository.release("")]))
}

pub(crate) fn campaign(repository: &Repository) -> Result<()> {
    repository.build_rig()?;
    let dir = tempfile::tempdir()?;
    let at = |name: &str| dir.path().join(name).display().to_string();
    let days = |words: &str, jobs: &str, out: &[String]| {
        let found = at("found.toml");
        let mut campaign = rig(repository, ["campaign", "--out", &found, "--jobs", jobs]);
        campaign.args(words.split(' ')).args(out);
        let ended = run(campaign);
        // What a violation was shrunk to is told before the directory goes.
        if let (Err(_), Ok(text)) = (&ended, fs::read_to_string(&found)) {
            say::line(&text);
        }
        ended
    };
    days("--faults none --rounds 2000", "2", &[])?;
    // Days in which everything is explained.
    days("--faults swarm --seed 9001 --rounds 1200", "2", &[])?;
    // Long enough that everything must have been reached, the rows of the texts' truth table too. In so many days the specification
    // still finds errors of its own.
    days("--faults swarm --seed 1 --rounds 20000 --open-world", "2", &[])?;
    // Days that nobody has seen yet, others with every commit: they explore, and what they find refuses no commit.
    let unseen = format!("--faults swarm --seed {} --rounds 4000", 1_000_000 + repository.height()?);
    let open = days(&format!("{unseen} --open-world"), "2", &[]);
    let mut closed = rig(repository, ["campaign", "--judges-alone", "--jobs", "2"]);
    closed.args(unseen.split(' '));
    for found in [open, run(closed)].into_iter().filter_map(Result::err) {
        say::line(&format!("FOUND by days that nobody had seen, which refuse nothing: {found:#}"));
    }
    // Another process, and another number of jobs: the same bytes.
    for faults in ["none", "swarm"] {
        for jobs in ["1", "2"] {
            let told = |what: &str| [format!("--{what}"), at(&format!("{what}-{jobs}"))];
            days(&format!("--faults {faults} --seed 7 --rounds 300"), jobs, &told("digests"))?;
            days(&format!("--faults {faults} --seed 8 --rounds 10"), jobs, &told("trace"))?;
        }
        for what in ["digests", "trace"] {
            let [one, two] = ["1", "2"].map(|jobs| fs::read(at(&format!("{what}-{jobs}"))));
            ensure!(
                one? == two?,
                "{what} of the same seed, with faults {faults}: one job and two do not tell the same"
            );
        }
    }
    Ok(())
}

/// Trials on the virtual bench. They wait most of the time: six at once are a third of two cores. A trial of which nothing is known,
/// because the rig was at fault, is asked once more; one that failed is not.
pub(crate) fn on_virtual(repository: &Repository, arguments: &[&str]) -> Result<()> {
    repository.build_release()?;
    repository.build_rig()?;
    run(rig(repository, ["selftest"]))?;
    let mut trials = rig(repository, arguments);
    trials.args(VIRTUAL).args(["--keep-going", "--again", "1", "--jobs", "6"]);
    run(trials)
}

/// Every third variant, each under another layout than its neighbour.
pub(crate) fn virtual_third(repository: &Repository) -> Result<()> {
    let rotation = Rotation::of(repository, "virtual", 3)?;
    on_virtual(repository, &["run", "--each-once", "--shard", &format!("{}/{}", rotation.part, rotation.of)])?;
    dump_of_a_failure(repository)?;
    rotation.passed()
}

/// A trial that must fail on the shipped binary leaves its wires behind, and GTKWave reads them.
fn dump_of_a_failure(repository: &Repository) -> Result<()> {
    let dir = tempfile::tempdir()?;
    let (scenario, out, fst) = (dir.path().join("settled.toml"), dir.path().join("out"), dir.path().join("cell.fst"));
    let text = "about = \"A round that is settled, and was not to be\"\nsteps = [\"open table\", \"play to settled\"]\n\
                [endings]\nnz-div9 = [\"void declared: NZ9 7.1\"]\n";
    fs::write(&scenario, text)?;
    // Quiet, as this failure is the right answer: the log of a good run shows none.
    let mut trial = rig(repository, ["run", "--keep-going", "--again", "3"]);
    trial.args(VIRTUAL).arg("--out").arg(&out).arg(&scenario);
    let (code, said) = quietly(trial)?;
    if code != 1 || !said.contains("rounds must end") {
        say::line(&said);
        bail!("a round that ended otherwise than expected was to fail with exit code 1, and ended with {code}");
    }
    let cells: Vec<_> = fs::read_dir(out.join("cells"))?.collect::<Result<_, _>>()?;
    let dump = cells.iter().map(fs::DirEntry::path).find(|path| path.extension() == Some(OsStr::new("vcd")));
    let Some(dump) = dump else { bail!("a failed trial left no dump of its wires") };
    run(command("vcd2fst", [&dump, &fst]))?;
    let (_, wires) = quietly(command("fst2vcd", [&fst]))?;
    ensure!(wires.contains("motor_enable"), "the wires of a failed trial are not in its dump");
    Ok(())
}

/// What breaks around the daemon has real means on this bench only; what breaks at the table is the pure bench's matter.
pub(crate) fn virtual_matrix(repository: &Repository) -> Result<()> {
    let around = "proc.*,restart.*,clock.*,disk.*,journal.*,slot.*,permit.*,run.*,mqtt.*,bus.unplugged,bus.renamed,gpio.chip_gone,\
                  gpio.line_busy,power.loss";
    on_virtual(repository, &["matrix", "--each-once", "--fault", around])
}

pub(crate) fn kills(repository: &Repository) -> Result<()> {
    repository.build_release()?;
    repository.build_rig()?;
    run(rig(repository, ["kills", "--jobs", "6"]))
}

/// What does not run rots. More rounds than a table of the benchmarks lets its buttons be pressed without a rest: one that plays
/// brisker than a table may be played ends here, and not for whoever wants the figures of thousands.
pub(crate) fn bench(repository: &Repository) -> Result<()> {
    repository.build_release()?;
    repository.build_rig()?;
    run(rig(repository, ["bench", "--samples", "80", "--entries", "8", "--rounds", "8", "--unjudged"]))
}

/// One input more takes some twenty times as long.
pub(crate) fn search(repository: &Repository) -> Result<()> {
    repository.build_rig()?;
    let example = std::env::temp_dir().join("counter-example.toml");
    let mut search = rig(repository, ["search", "--depth", "2", "--recover", "4", "--rules", "nz-div9,sg-v6,sg-open"]);
    search.arg("--write").arg(example);
    run(search)
}

pub(crate) fn deb(repository: &Repository) -> Result<()> {
    let out = repository.packages();
    if out.exists() {
        fs::remove_dir_all(&out)?;
    }
    let arch = output(command("dpkg", ["--print-architecture"]))?;
    let mut package = command("scripts/package", ["--arch", &arch, "--out"]);
    package.arg(&out);
    run(package)?;
    run(command("scripts/test-package", [repository.package()?]))
}

/// With the package of the run as the first one.
pub(crate) fn reproducible(_: &Repository) -> Result<()> {
    run(command("scripts/test-reproducible", std::env::var_os("TUMBLERD_DEB")))
}

/// Every third target.
pub(crate) fn fuzz_third(repository: &Repository) -> Result<()> {
    let rotation = Rotation::of(repository, "fuzz-third", 3)?;
    let listed = output(command("scripts/fuzz", ["--list"]))?;
    let mine = listed.lines().zip((1..=rotation.of).cycle()).filter(|(_, part)| *part == rotation.part);
    run(command("scripts/fuzz", mine.map(|(target, _)| target)))?;
    rotation.passed()
}

/// Six cuts with each commit; three commits have made more than a dozen.
pub(crate) fn power_cuts(repository: &Repository) -> Result<()> {
    let rotation = Rotation::of(repository, "power-cuts", 3)?;
    script("scripts/power-cuts", &["6"])?;
    rotation.passed()
}

/// What ships is optimised as a whole, which takes a compiler three times as long and a machine's pins do not notice.
pub(crate) fn arm64(repository: &Repository) -> Result<()> {
    let rotation = Rotation::of(repository, "arm64", 3)?;
    let mut build = Command::new("scripts/build-arm64");
    if rotation.part != 1 {
        say::line("without optimisation as a whole: part 1 builds what ships");
        build.env("CARGO_PROFILE_RELEASE_LTO", "off").env("CARGO_PROFILE_RELEASE_CODEGEN_UNITS", "16");
    }
    run(build)?;
    rotation.passed()
}

pub(crate) fn gpio_sim(_: &Repository) -> Result<()> {
    let mut vm = command("scripts/vm", ["--each-once"]);
    if std::env::var_os("TUMBLERD_VM_LIMIT_S").is_none() {
        vm.env("TUMBLERD_VM_LIMIT_S", "14400");
    }
    run(vm)
}

pub(crate) fn pi(_: &Repository) -> Result<()> {
    script("scripts/vm", &["pi"])?;
    script("scripts/emulated-pi", &["rig"])
}
