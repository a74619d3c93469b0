//! Reaction time from an edge at a simulated chip to the motor's pin, by the kernel's own trace: the daemon compared with a bare gpiocdev
//! loop, each on an idle machine and on one whose processors are busy.

use super::gpio_trace::GpioTrace;
use super::guard::{FLICKERS, beside_bare, end_round, histogram, pass, setup, spin};
use super::{Figure, micros};
use crate::templates::Templates;
use gpiocdev::Request;
use gpiocdev::line::{EdgeDetection, EventClock, Value};
use hdrhistogram::Histogram;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;
use tumbler_bench::process::Virtual;
use tumbler_bench::process::child::Child;
use tumbler_bench::process::clock::wait_for;
use tumbler_bench::process::gpio_sim::Chip;
use tumbler_bench::process::harness::end;
use tumbler_bench::process::pins::Wires;
use tumbler_bench::process::rig_fault::RigFault;
use tumbler_bench::process::workdir::WorkDir;
use tumbler_core::line::{InLine, OutLine};

/// The argument by which the rig's program becomes the bare loop.
pub const LOOP: &str = "edge-loop";
/// How long the contact is open: shorter than the motor guard's 3 ms, so that the spin goes on.
const AWAY: Duration = Duration::from_millis(1);
/// Time between two edges, in milliseconds.
const EVERY: u64 = 30;
/// Number of busy programs for each processor.
const NEIGHBOURS: usize = 2;

/// The bare loop: drives the motor's pin off at every edge of the dome's contact.
///
/// # Errors
/// The kernel's.
pub fn answer(label: &str) -> anyhow::Result<()> {
    let chip = end::find(label, "")?;
    let ask = || {
        let mut ask = Request::builder();
        ask.on_chip(chip.path()).with_consumer(LOOP);
        ask
    };
    let offset = |name: &str| chip.find_line_info(name).map(|info| info.offset);
    let (Some(motor), Some(dome)) = (offset(OutLine::MotorEnable.name()), offset(InLine::DomeClosed.name())) else {
        anyhow::bail!("chip `{label}` lacks lines of the table");
    };
    let out = ask().with_line(motor).as_output(Value::Inactive).request()?;
    let edges = ask()
        .with_line(dome)
        .as_input()
        .with_edge_detection(EdgeDetection::BothEdges)
        .with_event_clock(EventClock::Monotonic)
        .request()?;
    loop {
        edges.read_edge_event()?;
        out.set_value(motor, Value::Inactive)?;
    }
}

/// Takes `samples` of each.
///
/// # Errors
/// [`RigFault`] where this machine does not simulate chips, or the bench does not work.
pub fn measure(templates: &Templates, samples: u64) -> Result<Vec<Figure>, RigFault> {
    let dir = WorkDir::new()?;
    let ordinary = Templates::new(without_priority(templates.program(), &dir)?);
    let idle = [spread(&daemon(templates, samples)?)?, spread(&bare(samples)?)?];
    let busy = busy(&dir)?;
    let loaded =
        [spread(&daemon(templates, samples)?)?, spread(&daemon(&ordinary, samples)?)?, spread(&bare(samples)?)?];
    drop(busy);
    Ok(figures(idle, loaded))
}

/// The daemon: edges at the chip that it holds, while the tumbler runs.
fn daemon(templates: &Templates, samples: u64) -> Result<Vec<u64>, RigFault> {
    let mut setup = setup(templates, None);
    setup.table = setup.table.on(Wires::Bridge);
    let mut table = templates.opened(&setup)?;
    pass(&mut table, 1500)?;
    let trace = GpioTrace::begin()?;
    let mut answers = Vec::new();
    while (answers.len() as u64) < samples {
        let before = answers.len();
        spin(&mut table)?;
        flickers(&mut table, &trace, samples)?;
        answers = trace.answers()?;
        if answers.len() == before {
            return Err(RigFault::Other(format!("the tumbler does not run:\n{}", table.log_tail(6))));
        }
        end_round(&mut table)?;
    }
    Ok(answers)
}

/// Flickers while the tumbler runs and tolerates it, at most `most` times.
fn flickers(table: &mut Virtual, trace: &GpioTrace, most: u64) -> Result<(), RigFault> {
    for _ in 0..most.min(u64::from(FLICKERS)) {
        if !table.runs() {
            break;
        }
        let Some(chip) = table.simulated() else { break };
        flicker(chip, trace)?;
        pass(table, EVERY)?;
    }
    Ok(())
}

/// Opens the dome's contact for a moment.
fn flicker(chip: &Chip, trace: &GpioTrace) -> Result<(), RigFault> {
    trace.mark()?;
    chip.pull(InLine::DomeClosed, false);
    std::thread::sleep(AWAY);
    chip.pull(InLine::DomeClosed, true);
    Ok(())
}

/// Measures the bare loop, on its own chip.
fn bare(samples: u64) -> Result<Vec<u64>, RigFault> {
    let dir = WorkDir::new()?;
    let chip = Chip::make(&dir.chip())?;
    chip.pull(InLine::DomeClosed, true);
    let own = std::env::current_exe().map_err(RigFault::system("find the rig's own program"))?;
    let mut command = Command::new(own);
    command.arg(LOOP).arg(dir.chip());
    let trace = GpioTrace::begin()?;
    let _loop = Child::spawn(command, LOOP, &dir.log(), "it is the rig itself")?;
    let edge = || {
        flicker(&chip, &trace)?;
        std::thread::sleep(Duration::from_millis(EVERY));
        Ok::<_, RigFault>(())
    };
    let ready = || {
        edge()?;
        Ok(!trace.answers()?.is_empty())
    };
    wait_for("the bare loop to answer", Duration::from_secs(10), || dir.log_tail(3), ready)?;
    for _ in 0..samples {
        edge()?;
    }
    trace.answers()
}

/// The same program as a user without the right to real-time priority.
fn without_priority(program: &Path, dir: &WorkDir) -> Result<PathBuf, RigFault> {
    let script = dir.path().join("without-priority");
    let text = format!("#!/bin/sh\nexec setpriv --bounding-set=-sys_nice '{}' \"$@\"\n", program.display());
    std::fs::write(&script, text).map_err(RigFault::file("write", &script))?;
    let mode = std::fs::Permissions::from_mode(0o755);
    std::fs::set_permissions(&script, mode).map_err(RigFault::file("make executable", &script))?;
    Ok(script)
}

/// Programs that keep every processor busy, until they are dropped.
fn busy(dir: &WorkDir) -> Result<Vec<Child>, RigFault> {
    let cores = std::thread::available_parallelism().map_err(RigFault::system("count the processors"))?.get();
    (0..cores * NEIGHBOURS)
        .map(|_| {
            let mut command = Command::new("sh");
            command.args(["-c", "while :; do :; done"]);
            Child::spawn(command, "a busy loop", &dir.log(), "it needs no more than a shell")
        })
        .collect()
}

/// Microseconds as a histogram of nanoseconds.
fn spread(micros: &[u64]) -> Result<Histogram<u64>, RigFault> {
    let mut all = histogram()?;
    micros.iter().for_each(|us| all.saturating_record(us.saturating_mul(1000)));
    Ok(all)
}

fn figures(idle: [Histogram<u64>; 2], loaded: [Histogram<u64>; 3]) -> Vec<Figure> {
    let [ours, bare] = idle;
    let what = "edge at a simulated chip -> motor_enable off";
    let targets = beside_bare(what, [(0.5, "p50", 1.2), (0.99, "p99", 1.5)], &ours, &bare);
    let names = ["SCHED_FIFO", "without it", "bare loop"];
    let beside = names.into_iter().zip(loaded).map(|(name, all)| {
        let told = [all.value_at_quantile(0.5), all.value_at_quantile(0.99), all.max()].map(micros).join(", ");
        Figure::beside(&format!("  busy processors, {name}: p50, p99, longest"), told)
    });
    targets.into_iter().chain(beside).collect()
}
