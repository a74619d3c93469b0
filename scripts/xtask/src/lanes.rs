//! All lanes: what each is for, what it needs, what it takes of the machine.

use crate::install::{ABOUT, AUDITABLE, BOOK, CYCLONEDX, DEB, DENY, FUZZ, Installer, LINKS, MUTANTS, NEXTEST, Need};
use crate::repository::Repository;
use crate::rotation::Rotation;
use crate::schedule::Channel::{Compute, Wait};
use crate::schedule::{Demand, Lock};
use crate::{canary, mutants, say, work};
use anyhow::{Result, bail};

/// Something that must hold, and what it takes to see whether it does.
pub(crate) struct Lane {
    pub(crate) name: &'static str,
    pub(crate) about: &'static str,
    pub(crate) plays: Plays,
    pub(crate) needs: &'static [Need],
    pub(crate) demand: Demand,
    pub(crate) work: fn(&Repository) -> Result<()>,
}

/// When a lane runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Plays {
    /// Always, when no lane is named.
    Always,
    /// When no lane is named, and the commit is its own: such lanes take turns, and this is its place among them, from 1.
    InTurn(u64),
    /// Only where it is named, as it takes long.
    Named,
}

/// What the lanes that take turns are called together: what another machine or compiler, guests, long searches and mutants say changes
/// rarely from commit to commit, and would take more than half the time of all lanes.
pub(crate) const TURNS: &str = "turns";

/// The lane that builds the tools of all others.
pub(crate) const TOOLS: &str = "tools";

/// What every build needs, and every test of a daemon.
pub(crate) const EVERY: &[Need] = &[
    Need::Packages(&["gcc", "git", "libc6-dev", "pkg-config"]),
    Need::Packages(&["mosquitto", "mosquitto-clients", "openssl", "sqlite3", "strace", "e2fsprogs"]),
];

const fn compute(cores: u32, memory: u64) -> Demand {
    Demand { channel: Compute, cores, memory, locks: &[], after: &[] }
}
const fn wait(cores: u32, memory: u64) -> Demand {
    Demand { channel: Wait, ..compute(cores, memory) }
}
/// The same with a lock.
const fn locking(demand: Demand, locks: &'static [Lock]) -> Demand {
    Demand { locks, ..demand }
}
/// The same after other lanes.
const fn after(demand: Demand, after: &'static [&'static str]) -> Demand {
    Demand { after, ..demand }
}

const RIG: &[&str] = &["build", "release"];
const INSTALLED: &[&str] = &["build", "release", "deb"];
const FUZZED: &[Need] = &[Need::Tool(FUZZ), Need::Packages(&["g++"])];
const NSPAWN: Need = Need::Packages(&["systemd-container", "mmdebstrap", "util-linux", "rsync"]);
const PACKAGE: &[Need] = &[
    Need::Packages(&["dpkg-dev", "lintian"]),
    Need::Tool(DEB),
    Need::Tool(ABOUT),
    Need::Tool(AUDITABLE),
    Need::Tool(BOOK),
    Need::Tool(CYCLONEDX),
    Need::Tool(LINKS),
    Need::Node("sbom"),
    NSPAWN,
];
const GUEST: Need = Need::Packages(&["mmdebstrap", "kmod", "cpio", "xz-utils", "busybox-static", "e2fsprogs", "socat"]);
const ARM64: Need = Need::Packages(&["gcc-aarch64-linux-gnu", "libc6-dev-arm64-cross"]);
const QEMU: Need = Need::Qemu("qemu-system-x86_64", "qemu-system-x86");
const QEMU_ARM: Need = Need::Qemu("qemu-system-aarch64", "qemu-system-arm");

/// In the order in which they begin, as far as there is room.
pub(crate) const LANES: &[Lane] = &[
    Lane {
        name: TOOLS,
        about: "the tools of the other lanes are built, where they are not there yet",
        plays: Plays::Always,
        needs: &[],
        // On a new machine beside the builds of the workspace.
        demand: compute(50, 1500),
        work: tools,
    },
    Lane {
        name: "format",
        about: "the sources are formatted",
        plays: Plays::Always,
        needs: &[],
        demand: compute(50, 100),
        work: work::format,
    },
    Lane {
        name: "canaries",
        about: "each planted defect can still be planted",
        plays: Plays::Always,
        needs: &[],
        demand: compute(50, 100),
        work: canary::check_all,
    },
    Lane {
        name: "units",
        about: "the systemd unit: valid, and its sandbox as tight as it should be",
        plays: Plays::Always,
        needs: &[Need::Packages(&["systemd"])],
        demand: compute(20, 100),
        work: |_| work::script("scripts/test-units", &[]),
    },
    Lane {
        name: "book",
        about: "the book of all pages is built, and each of its links and anchors leads somewhere",
        plays: Plays::Always,
        needs: &[Need::Tool(BOOK), Need::Tool(LINKS)],
        demand: after(compute(50, 100), &[TOOLS]),
        work: |_| work::script("scripts/book", &[]),
    },
    Lane {
        name: "deny",
        about: "dependencies: bans, licences, sources",
        plays: Plays::Always,
        needs: &[Need::Tool(DENY)],
        demand: after(compute(50, 300), &[TOOLS]),
        work: work::deny,
    },
    Lane {
        name: "advisories",
        about: "dependencies against the RustSec database, where it can be reached",
        plays: Plays::Always,
        needs: &[Need::Tool(DENY)],
        demand: after(wait(10, 100), &[TOOLS]),
        work: |_| work::script("scripts/advisories", &[]),
    },
    Lane {
        name: "asyncapi",
        about: "what is told on MQTT as a lawful AsyncAPI document, by AsyncAPI's own parser (node)",
        plays: Plays::Always,
        needs: &[Need::Node("asyncapi")],
        demand: compute(50, 600),
        work: work::asyncapi,
    },
    Lane {
        name: "build",
        about: "tests and rig are built",
        plays: Plays::Always,
        needs: &[],
        // It shares the processors with `release`, and nothing waits beside them.
        demand: locking(compute(100, 3000), &[Lock::Debug]),
        work: work::build,
    },
    Lane {
        name: "release",
        about: "the daemon and tumblerctl as they ship are built",
        plays: Plays::Always,
        needs: &[Need::Tool(AUDITABLE)],
        demand: locking(compute(100, 2500), &[Lock::Release]),
        work: Repository::build_release,
    },
    Lane {
        name: "quick",
        about: "the parts of core, daemon, judges and rig, and every scenario on the pure bench",
        plays: Plays::Always,
        // Without a test runner it is plain `cargo test`: building one takes longer than the tests.
        needs: &[],
        demand: after(locking(compute(150, 2000), &[Lock::Debug]), &[TOOLS, "build"]),
        work: work::quick,
    },
    Lane {
        name: "programs",
        about: "the daemon and tumblerctl as whole programs: journal, console, panel and relay beside a real disk, browser's wire and \
                broker, and what their pages promise",
        plays: Plays::Always,
        needs: &[],
        demand: after(locking(compute(100, 1500), &[Lock::Debug]), &[TOOLS, "build"]),
        work: work::programs,
    },
    Lane {
        name: "dumps",
        about: "the dumps of cells, read by GTKWave's and sigrok's own programs",
        plays: Plays::Always,
        needs: &[Need::Tool(NEXTEST), Need::Packages(&["gtkwave", "sigrok-cli"])],
        demand: after(locking(compute(100, 1500), &[Lock::Debug]), &[TOOLS, "build"]),
        work: work::dumps,
    },
    Lane {
        name: "doc",
        about: "examples in the documentation",
        plays: Plays::Always,
        needs: &[],
        demand: after(locking(compute(100, 1500), &[Lock::Debug]), &["build"]),
        work: work::doc,
    },
    Lane {
        name: "clippy",
        about: "clippy has nothing to say",
        plays: Plays::Always,
        needs: &[],
        demand: after(locking(compute(150, 2000), &[Lock::Debug]), &["build"]),
        work: work::clippy,
    },
    Lane {
        name: "deb",
        about: "the Debian package: made, sound by lintian, its programs small enough; what it says that they are made of is what they \
                hold and Cargo.lock has, and valid CycloneDX",
        plays: Plays::Always,
        needs: PACKAGE,
        demand: after(locking(compute(80, 800), &[Lock::Release]), &[TOOLS, "release"]),
        work: work::deb,
    },
    Lane {
        name: "reproducible",
        about: "the Debian package is made once more from scratch, in another place and environment: it is the same bit for bit",
        plays: Plays::InTurn(4),
        needs: PACKAGE,
        demand: after(compute(150, 2500), INSTALLED),
        work: work::reproducible,
    },
    Lane {
        name: "virtual",
        about: "a third of the scenarios, by turns from commit to commit, on the shipped binary: sockets, Modbus bytes, real disks, \
                a real broker; real time. Each variant under one of its layouts",
        plays: Plays::Always,
        needs: &[Need::Packages(&["gtkwave", "sigrok-cli"])],
        demand: after(wait(100, 800), RIG),
        work: work::virtual_third,
    },
    Lane {
        name: "vm",
        about: "the package in a guest whose kernel simulates GPIO chips: the service's sandbox, its return from hangs and kills, steps \
                of the clock, and some scenarios on the shipped binary with backend `cdev` (QEMU, root)",
        plays: Plays::InTurn(1),
        needs: &[GUEST, QEMU],
        demand: after(compute(100, 2000), INSTALLED),
        work: |_| work::script("scripts/vm", &[]),
    },
    Lane {
        name: "nspawn",
        about: "the Debian package's service under a real systemd in a container (root)",
        plays: Plays::Always,
        needs: PACKAGE,
        demand: after(locking(wait(30, 500), &[Lock::Container]), INSTALLED),
        work: |_| work::script("scripts/test-nspawn", &["unit"]),
    },
    Lane {
        name: "package",
        about: "the Debian package's life in a clean container: installation, upgrade, removal, purge; configuration, latch and journal \
                are kept (root)",
        plays: Plays::Always,
        needs: PACKAGE,
        demand: after(locking(wait(30, 500), &[Lock::Container]), INSTALLED),
        work: |_| work::script("scripts/test-nspawn", &["package"]),
    },
    Lane {
        name: "collectors",
        about: "JUnit reports and Allure's results of the rig are read by junitparser, by a schema, and by Allure; Taplo marks slips \
                in files of the rig by their schemas; the recipes for CI are lawful, and run",
        plays: Plays::Always,
        needs: &[Need::Node("collectors"), Need::Python("collectors")],
        demand: after(compute(1, 1000), &["build"]),
        work: work::collectors,
    },
    Lane {
        name: "pytest",
        about: "the plugin for pytest on the rig and the pure bench: each verdict is an outcome, evidence is handed over, and each worker \
                has one rig. On the benches of labgrid's own coordinator and exporters, of which some die, each cell has one verdict",
        plays: Plays::Always,
        needs: &[Need::Python("pytest")],
        demand: after(compute(200, 1200), &["build"]),
        work: work::pytest,
    },
    Lane {
        name: "panel",
        about: "the panel and the results display in a headless Chromium, while a real daemon plays. Pictures of each state stay in \
                target/panel-pictures, or in TUMBLERD_SHOTS where it is set: a CI keeps them as an artefact",
        plays: Plays::Always,
        needs: &[Need::Packages(&["chromium"]), Need::Node("panel")],
        // A browser beside other programs that compute keeps the table's field bus from its bytes.
        demand: after(compute(150, 1500), RIG),
        work: work::panel,
    },
    Lane {
        name: "pages",
        about: "a bench in Python that is built from the pages alone: wires, bus, console and messages are as documented, and rounds end \
                as the pages say, under two rule sets",
        plays: Plays::Always,
        needs: &[Need::Packages(&["python3", "python3-jsonschema"])],
        demand: after(wait(50, 300), &["release"]),
        work: work::pages,
    },
    Lane {
        name: "bench",
        about: "each benchmark with few samples, and with more rounds than the limits of its table are long; nobody judges the figures",
        plays: Plays::Always,
        needs: &[],
        demand: after(wait(100, 500), RIG),
        work: work::bench,
    },
    Lane {
        name: "matrix",
        about: "every fault of the catalogue at every phase under every rule set, on the pure bench; and what leaves the table as it is pinned",
        plays: Plays::Always,
        needs: &[],
        demand: after(compute(200, 500), &["build"]),
        work: work::matrix,
    },
    Lane {
        name: "guest-bench",
        about: "the benchmarks that need lines with edges, in the guest of `vm`: a few samples, whose figures nobody judges (QEMU, root)",
        plays: Plays::InTurn(3),
        needs: &[GUEST, QEMU],
        demand: after(compute(100, 2000), INSTALLED),
        work: |_| {
            work::script("scripts/vm", &["bench", "edge", "hour", "--samples", "3", "--minutes", "2", "--unjudged"])
        },
    },
    Lane {
        name: "power-cuts",
        about: "the power of such guests goes at 6 random moments: the journal, the latches and the table after each (QEMU, root; \
                scripts/power-cuts by itself makes 50)",
        plays: Plays::InTurn(2),
        needs: &[GUEST, QEMU],
        demand: after(compute(150, 2500), INSTALLED),
        work: work::power_cuts,
    },
    Lane {
        name: "arm64",
        about: "the daemon for a Raspberry Pi is built: as it ships at every third commit, and else without its last optimisation",
        plays: Plays::InTurn(6),
        needs: &[ARM64, Need::Tool(AUDITABLE)],
        demand: after(locking(compute(130, 2500), &[Lock::Release]), &["release"]),
        work: work::arm64,
    },
    Lane {
        name: "manual",
        about: "every manual page renders without a complaint of mandoc's, and bash takes the completions",
        plays: Plays::Always,
        needs: &[Need::Packages(&["mandoc", "bash-completion"])],
        demand: after(wait(50, 200), RIG),
        work: |_| work::script("scripts/test-manual", &[]),
    },
    Lane {
        name: "campaign",
        about: "random days on the pure bench: healthy and noisy ones settle every round, a swarm of faults violates nothing and reaches \
                every phase, void, latch and refusal; another swarm with every commit; and a seed gives the same trace twice",
        plays: Plays::Always,
        needs: &[],
        demand: after(compute(200, 500), &["build"]),
        work: work::campaign,
    },
    Lane {
        name: "emulated-pi",
        about: "the arm64 binary on an emulated Raspberry Pi 3: pins by rppal and by cdev, and the temperature sensor; and on a board \
                whose lines have edges: turns of the shaft (QEMU)",
        plays: Plays::InTurn(7),
        needs: &[GUEST, QEMU_ARM, ARM64],
        demand: after(compute(100, 1500), &["arm64"]),
        work: |_| work::script("scripts/emulated-pi", &[]),
    },
    Lane {
        name: "msrv",
        about: "the workspace checked by the oldest compiler that it promises, in a root file system of Debian 13 (root)",
        plays: Plays::InTurn(8),
        needs: &[NSPAWN],
        demand: locking(compute(150, 1500), &[Lock::Container]),
        work: |_| work::script("scripts/test-msrv", &[]),
    },
    Lane {
        name: "bare",
        about: "the scripts install all that the demo needs on a Debian 13 on which nobody has installed anything (root)",
        plays: Plays::Always,
        needs: &[NSPAWN],
        demand: locking(wait(60, 300), &[Lock::Container]),
        work: |_| work::script("scripts/test-bare", &[]),
    },
    Lane {
        name: "search",
        about: "everything that people and faults can do, in every order, two inputs deep from every stage of a round, with the \
                invariants checked after each; under one rule set of each order of play",
        plays: Plays::InTurn(9),
        needs: &[],
        demand: after(compute(100, 1000), &["build"]),
        work: work::search,
    },
    Lane {
        name: "fuzz-third",
        about: "a third of the fuzz targets, by turns, for a minute each: whatever strangers can send or write makes \
                nothing panic, hang or grow, and no memory be misused",
        plays: Plays::InTurn(5),
        needs: FUZZED,
        demand: after(compute(130, 3000), &[TOOLS]),
        work: work::fuzz_third,
    },
    Lane {
        name: "mutants",
        about: "mutants of daemon/core on the lines that changed since the last landed commit: at least 90 percent must be caught. At \
                most 12 of them, spread evenly; where there are more, it says so (scripts/mutants --changed)",
        plays: Plays::InTurn(10),
        needs: &[Need::Tool(MUTANTS), Need::Packages(&["rsync"])],
        demand: after(compute(130, 2000), &[TOOLS, "build", "clippy", "quick", "programs", "doc"]),
        work: mutants::sample,
    },
    Lane {
        name: "virtual-all",
        about: "every scenario on the shipped binary, under every rule set and layout (more than half an hour)",
        plays: Plays::Named,
        needs: &[],
        demand: after(wait(100, 800), RIG),
        work: |repository| work::on_virtual(repository, &["run"]),
    },
    Lane {
        name: "virtual-matrix",
        about: "every fault around the daemon (process, clock, disk, journal, network, ports, supply) in every phase on the shipped \
                binary, each once, under the rule sets by turns",
        plays: Plays::Named,
        needs: &[],
        demand: after(wait(100, 800), RIG),
        work: work::virtual_matrix,
    },
    Lane {
        name: "bare-whole",
        about: "both commands of README on a Debian 13 on which nobody has installed anything (root; the better part of an hour)",
        plays: Plays::Named,
        needs: &[NSPAWN],
        demand: compute(150, 3000),
        work: |_| work::script("scripts/test-bare", &["whole"]),
    },
    Lane {
        name: "gpio-sim",
        about: "every scenario once in the guest of `vm`, the shipped binary with backend `cdev` (QEMU, root)",
        plays: Plays::Named,
        needs: &[GUEST, QEMU],
        demand: after(compute(100, 2000), INSTALLED),
        work: work::gpio_sim,
    },
    Lane {
        name: "kills",
        about: "the daemon is killed at each single sync and write of a round, on the shipped binary",
        plays: Plays::Named,
        needs: &[],
        demand: after(wait(150, 800), RIG),
        work: work::kills,
    },
    Lane {
        name: "pi",
        about: "the bench `pi` without a second Pi: its harness between two simulated chips, with scenarios over it, and the arm64 \
                program at a board's pins (QEMU, root)",
        plays: Plays::Named,
        needs: &[GUEST, QEMU, QEMU_ARM, ARM64],
        demand: after(compute(150, 2500), INSTALLED),
        work: work::pi,
    },
    Lane {
        name: "fuzz",
        about: "every fuzz target for a minute (scripts/fuzz takes any of them, for any time)",
        plays: Plays::Named,
        needs: FUZZED,
        demand: compute(200, 3000),
        work: |_| work::script("scripts/fuzz", &["all"]),
    },
    Lane {
        name: "package-arm64",
        about: "the Debian package for arm64: lintian, the size of its programs, and that they run (QEMU)",
        plays: Plays::Named,
        needs: &[
            Need::Packages(&["dpkg-dev", "lintian", "qemu-user-static"]),
            Need::Tool(DEB),
            Need::Tool(ABOUT),
            Need::Tool(AUDITABLE),
            Need::Tool(BOOK),
            Need::Tool(CYCLONEDX),
            Need::Tool(LINKS),
            Need::Node("sbom"),
            ARM64,
        ],
        demand: locking(compute(130, 2500), &[Lock::Release]),
        work: |_| work::script("scripts/test-package", &["arm64"]),
    },
];

/// The lanes of this commit, where none is named.
///
/// # Errors
/// git cannot tell which commit it is.
pub(crate) fn of_commit(repository: &Repository) -> Result<Vec<&'static Lane>> {
    let turn = Rotation::whose(repository, TURNS, &in_turn())?;
    let wanted = |lane: &&Lane| match lane.plays {
        Plays::Always => true,
        Plays::InTurn(whose) => whose == turn,
        Plays::Named => false,
    };
    Ok(LANES.iter().filter(wanted).collect())
}

/// The tools of all lanes of this commit.
fn tools(repository: &Repository) -> Result<()> {
    let lanes = of_commit(repository)?;
    let needs = lanes.iter().flat_map(|lane| lane.needs).filter(|need| matches!(need, Need::Tool(_)));
    Installer::new(repository, true).need(&needs.copied().collect::<Vec<_>>(), false)
}

/// The lanes that take turns, in their order.
pub(crate) fn in_turn() -> Vec<&'static str> {
    let turn = |lane: &'static Lane| if let Plays::InTurn(turn) = lane.plays { Some((turn, lane.name)) } else { None };
    let mut lanes: Vec<_> = LANES.iter().filter_map(turn).collect();
    lanes.sort_unstable();
    lanes.into_iter().map(|(_, name)| name).collect()
}

/// The lane of this name.
///
/// # Errors
/// There is none; the nearest is named.
pub(crate) fn named(name: &str) -> Result<&'static Lane> {
    if let Some(lane) = LANES.iter().find(|lane| lane.name == name) {
        return Ok(lane);
    }
    bail!(say::unknown("lane", name, LANES.iter().map(|lane| lane.name), "scripts/test --help"))
}

#[cfg(test)]
mod tests;
