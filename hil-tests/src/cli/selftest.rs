//! `tumbler-hil selftest`: checks the rig, so that a broken bench is not taken for a broken table.

use super::say;
use crate::report;
use clap::Args;
use nix::poll::{PollFd, PollFlags, ppoll};
use std::io::{Read, Write};
use std::os::unix::fs::OpenOptionsExt as _;
use std::os::unix::net::UnixStream;
use std::path::PathBuf;
use std::time::Duration;
use tumbler_bench::file::{BenchFile, Kind};
use tumbler_bench::process::broker::Broker;
use tumbler_bench::process::clock::{self, Stalls, wait_for};
use tumbler_bench::process::harness::check::{self, WireCheck};
use tumbler_bench::process::harness::chip_pair::Flaw;
use tumbler_bench::process::machine;
use tumbler_bench::process::observer::Observer;
use tumbler_bench::process::pty::Pty;
use tumbler_bench::process::rig_fault::RigFault;
use tumbler_bench::process::wire::{WireEvent, WireSocket};
use tumbler_bench::process::workdir::WorkDir;
use tumbler_core::line::InLine;
use tumbler_core::units::Mono;

type Check = (&'static str, fn() -> Result<String, RigFault>);

/// The quick checks. The others depend on the first one.
const QUICK: &[Check] = &[
    ("a place for tables", place),
    ("wire loops back", wire),
    ("field bus loops back", bus),
    ("broker reachable", broker),
];

/// What is checked besides the rig.
#[derive(Debug, Args)]
pub(super) struct SelftestArgs {
    /// A bench, by its file or its name: where it is wired to a second Pi, every wire is tried. No daemon may hold the table's pins
    /// meanwhile.
    #[arg(long, value_name = "BENCH", value_parser = super::bench_file)]
    bench: Option<PathBuf>,
    /// Plants a flaw in the wires between two simulated chips, which the check must find.
    #[arg(long, hide = true, requires = "bench")]
    flaw: Option<Flaw>,
}

pub(super) fn selftest(args: &SelftestArgs) -> anyhow::Result<u8> {
    let mut code = report::PASSED;
    for (name, check) in QUICK.iter().chain(&[("clock steady", steady as fn() -> Result<String, RigFault>)]) {
        match check() {
            Ok(found) => say::line(&format!("ok      {name}: {found}")),
            Err(fault) => {
                code = report::RIG;
                say::line(&format!("FAILED  {name}: {fault}"));
            }
        }
    }
    if let Some(file) = &args.bench {
        let bench = BenchFile::read(file)?;
        if bench.kind == Kind::Pi {
            for (wire, found) in harness(&bench, args.flaw)? {
                say::line(&match &found {
                    Ok(found) => format!("ok      {wire}: {found}"),
                    Err(wrong) => format!("FAILED  {wire}: {wrong}"),
                });
                if found.is_err() {
                    code = report::RIG;
                }
            }
        }
    }
    Ok(code)
}

/// The quick checks, with which every run on a real daemon begins.
pub(super) fn quick() -> Result<(), RigFault> {
    for (name, check) in QUICK {
        check().map_err(|fault| RigFault::Other(format!("{name}: {fault}")))?;
    }
    Ok(())
}

/// The same on this bench, with its wires.
pub(super) fn quick_on(bench: &BenchFile) -> Result<(), RigFault> {
    quick()?;
    if bench.kind == Kind::Pi {
        let wrong =
            harness(bench, None)?.into_iter().filter_map(|(wire, found)| Some(format!("{wire}: {}", found.err()?)));
        let wrong: Vec<String> = wrong.collect();
        if !wrong.is_empty() {
            return Err(RigFault::Other(format!("the harness to the second Pi: {}", wrong.join("; "))));
        }
    }
    Ok(())
}

/// Every wire of the harness to a second Pi.
fn harness(bench: &BenchFile, flaw: Option<Flaw>) -> Result<Vec<WireCheck>, RigFault> {
    check::check(bench.wiring.as_ref(), flaw)
}

/// A table's directory can be created, and the people's accounts can traverse it.
fn place() -> Result<String, RigFault> {
    let dir = WorkDir::new()?;
    let above = dir.path().parent().unwrap_or_else(|| dir.path());
    Ok(format!("people can pass to the tables in {}", above.display()))
}

fn wire() -> Result<String, RigFault> {
    let dir = WorkDir::new()?;
    let mut socket = WireSocket::listen(&dir.wire())?;
    let path = dir.wire();
    let mut daemon = UnixStream::connect(&path).map_err(RigFault::file("connect to", &path))?;
    let connected = socket.poll()? == [WireEvent::Connected];
    daemon.write_all(b"{\"line\":\"bell\",\"active\":true}\n").map_err(RigFault::file("write to", &path))?;
    socket.edge(clock::now(), InLine::Seal, false);
    let mut line = [0_u8; 8];
    daemon.read_exact(&mut line).map_err(RigFault::file("read from", &path))?;
    let driven = socket.poll()?;
    if connected && matches!(driven.as_slice(), [WireEvent::Driven(_)]) && line.starts_with(b"{\"line\":") {
        Ok("both ways".into())
    } else {
        Err(RigFault::Other(format!("expected a line each way, got {} from the daemon's side", driven.len())))
    }
}

fn bus() -> Result<String, RigFault> {
    let dir = WorkDir::new()?;
    let pty = Pty::open(&dir.bus())?;
    let path = dir.bus();
    // A rig that leads a session, as ssh or a service starts it, would take the pty for its terminal and hang up with it.
    let mut port = std::fs::OpenOptions::new();
    port.read(true).write(true).custom_flags(nix::libc::O_NOCTTY);
    let mut port = port.open(&path).map_err(RigFault::file("open", &path))?;
    let sent: Vec<u8> = (0..=255).collect();
    port.write_all(&sent).map_err(RigFault::file("write to", &path))?;
    let mut got = Vec::new();
    wait_for("256 bytes over the pty", Duration::from_secs(2), String::new, || {
        pty.read(&mut got)?;
        Ok(got.len() >= sent.len())
    })?;
    pty.write(&got)?;
    let mut back = vec![0_u8; sent.len()];
    port.read_exact(&mut back).map_err(RigFault::file("read from", &path))?;
    if back == sent { Ok("256 bytes both ways".into()) } else { Err(RigFault::Other("other bytes came back".into())) }
}

fn broker() -> Result<String, RigFault> {
    let dir = WorkDir::new()?;
    let broker = Broker::start(dir.path(), false, None)?;
    let _observer = Observer::start(broker.address(), "tumbler-hil-selftest")?;
    Ok(format!("mosquitto at {} took a subscription", broker.address()))
}

/// Measures for two seconds how late the rig is at its deadlines, and checks that the clock only goes forward.
fn steady() -> Result<String, RigFault> {
    let priority = machine::enter()?;
    let dir = WorkDir::new()?;
    let pty = Pty::open(&dir.bus())?;
    let begun = clock::now();
    let (mut stalls, mut last) = (Stalls::default(), clock::now());
    let end = Mono(last.0 + 2_000_000_000);
    let mut deadline = last;
    while deadline < end {
        clock::check_interrupt()?;
        deadline = Mono(deadline.0 + 5_000_000);
        let mut fds = [PollFd::new(pty.fd(), PollFlags::POLLIN)];
        ppoll(&mut fds, Some(clock::until(deadline)), None).map_err(RigFault::system("wait"))?;
        let now = clock::now();
        if now < last {
            return Err(RigFault::Other("CLOCK_MONOTONIC went back".into()));
        }
        last = now;
        stalls.note(deadline, now);
    }
    stalls.waited = machine::longest_wait(begun);
    let worst = stalls.worst as f64 / 1e6;
    match stalls.verdict() {
        None => Ok(format!("{} deadlines, worst {worst:.2} ms late, {priority}", stalls.deadlines)),
        Some(why) => Err(RigFault::Other(why)),
    }
}
