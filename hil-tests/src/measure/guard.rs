//! Reaction time from the dome's first edge to `motor_enable` off, compared with a bare loop: a process that only answers a line with a
//! line.

use super::{Figure, Measured, micros, with_lateness};
use crate::measure::round_player::{fault, strictest, unjudged};
use crate::templates::Templates;
use hdrhistogram::Histogram;
use std::io::{BufRead, BufReader, Write};
use std::net::SocketAddr;
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::time::Duration;
use tumbler_bench::process::child::Child;
use tumbler_bench::process::clock::wait_for;
use tumbler_bench::process::config::TableSetup;
use tumbler_bench::process::probe::dome_to_motor;
use tumbler_bench::process::rig_fault::RigFault;
use tumbler_bench::process::wire::WireSocket;
use tumbler_bench::process::workdir::WorkDir;
use tumbler_bench::process::{Setup, Virtual};
use tumbler_bench::{Bench, Role};
use tumbler_core::line::InLine;
use tumbler_core::settings::Parameters;
use tumbler_core::wire::console::Command;
use tumbler_twin::{Act, MS};

/// The argument by which the rig's program becomes the bare loop.
pub const ECHO: &str = "echo-loop";
/// Interval between two flickers of the contact, in milliseconds. A shorter one would look like more than vibration.
const EVERY: u64 = 30;
/// Flickers per spin: the most that the table's parameter `flickers` allows; one more would latch.
pub(super) const FLICKERS: u32 = 10;

/// The bare loop: answers every line at once.
///
/// # Errors
/// The socket's.
pub fn echo(socket: &Path) -> std::io::Result<()> {
    let mut stream = UnixStream::connect(socket)?;
    let mut lines = BufReader::new(stream.try_clone()?);
    let mut line = Vec::with_capacity(128);
    while lines.read_until(b'\n', &mut line)? > 0 {
        stream.write_all(b"{\"line\":\"motor_enable\",\"active\":false}\n")?;
        line.clear();
    }
    Ok(())
}

/// The bare loop in its own process.
pub(super) struct Echo {
    socket: WireSocket,
    _child: Child,
    _dir: WorkDir,
}

impl Echo {
    pub(super) fn start() -> Result<Self, RigFault> {
        let dir = WorkDir::new()?;
        let mut socket = WireSocket::listen(&dir.wire())?;
        let own = std::env::current_exe().map_err(RigFault::system("find the rig's own program"))?;
        let mut command = std::process::Command::new(own);
        command.arg(ECHO).arg(dir.wire());
        let child = Child::spawn(command, ECHO, &dir.log(), "it is the rig itself")?;
        wait_for(
            "the bare loop to connect",
            Duration::from_secs(5),
            || dir.log_tail(3),
            || {
                socket.poll()?;
                Ok(socket.connected())
            },
        )?;
        Ok(Self { socket, _child: child, _dir: dir })
    }
}

pub(super) fn histogram() -> Result<Histogram<u64>, RigFault> {
    // Up to a second, the limit for an answer.
    Histogram::new_with_bounds(1, 1_000_000_000, 3).map_err(|e| RigFault::Other(e.to_string()))
}

/// A table whose spins are long, with a panel at this address.
pub(super) fn setup(templates: &Templates, panel: Option<SocketAddr>) -> Setup {
    let mut table = TableSetup { panel, ..TableSetup::of("sg-v6", "sg-v6-1", true) };
    table.settings.parameters = Parameters {
        target_tumbles: 20,
        spin_limit: 20_000,
        // A healthy shaft takes 600 ms.
        tumble_period: 1_000,
        flickers: FLICKERS,
        lamp_dwell: 10,
        ..strictest()
    };
    unjudged(templates, table, 5)
}

/// Flickers the dome's contact while the tumbler runs, until `ours` has `samples`; the bare loop is measured after each.
pub(super) fn flickers(
    table: &mut Virtual,
    echo: &mut Echo,
    samples: u64,
    ours: &mut Histogram<u64>,
    bare: &mut Histogram<u64>,
    progress: &dyn Fn(u64),
) -> Result<(), RigFault> {
    while ours.len() < samples {
        let before = ours.len();
        spin(table)?;
        for _ in 0..FLICKERS {
            let Some(nanos) = table.flicker()? else { break };
            ours.saturating_record(nanos);
            bare.saturating_record(dome_to_motor(&mut echo.socket)?.0);
            progress(ours.len());
            if ours.len() >= samples {
                break;
            }
            pass(table, EVERY)?;
        }
        if ours.len() == before {
            return Err(RigFault::Other(format!("the tumbler does not run:\n{}", table.log_tail(6))));
        }
        end_round(table)?;
    }
    Ok(())
}

/// Takes `samples` of daemon and bare loop, in turn; as many as there are where the bench fails before.
///
/// # Errors
/// [`RigFault`] when the bench does not work at all.
pub fn measure(templates: &Templates, samples: u64, progress: &dyn Fn(u64)) -> Result<Measured, RigFault> {
    let mut table = templates.opened(&setup(templates, None))?;
    let mut echo = Echo::start()?;
    let (mut ours, mut bare) = (histogram()?, histogram()?);
    pass(&mut table, 1500)?;
    let ended = flickers(&mut table, &mut echo, samples, &mut ours, &mut bare, progress);
    let ended_by = ended.err().map(|fault| with_lateness(&fault, table.stalls()));
    let figures = if ours.is_empty() { Vec::new() } else { figures(&ours, &bare) };
    Ok(Measured { figures, ended_by })
}

/// These quantiles of `ours` as multiples of the bare loop's, each with its name and limit.
pub(super) fn beside_bare(
    what: &str,
    quantiles: [(f64, &str, f64); 2],
    ours: &Histogram<u64>,
    bare: &Histogram<u64>,
) -> [Figure; 2] {
    quantiles.map(|(quantile, name, most)| {
        let (a, b) = (ours.value_at_quantile(quantile), bare.value_at_quantile(quantile));
        let ratio = a as f64 / (b.max(1)) as f64;
        Figure::new(
            &format!("{what}, {name} of {}", ours.len()),
            format!("{} ({ratio:.2} x)", micros(a)),
            format!("bare loop {}", micros(b)),
            &format!("at most {most} x"),
            ratio <= most,
        )
    })
}

fn figures(ours: &Histogram<u64>, bare: &Histogram<u64>) -> Vec<Figure> {
    beside_bare("dome opens -> motor_enable off", [(0.5, "p50", 1.5), (0.999, "p99.9", 2.0)], ours, bare)
        .into_iter()
        .chain([Figure::beside(
            "  its p99 and longest",
            format!(
                "{}, {}; bare loop {}, {}",
                micros(ours.value_at_quantile(0.99)),
                micros(ours.max()),
                micros(bare.value_at_quantile(0.99)),
                micros(bare.max())
            ),
        )])
        .collect()
}

pub(super) fn pass(table: &mut Virtual, millis: u64) -> Result<(), RigFault> {
    let until = table.now() + millis * MS;
    while table.now() < until {
        table.pass(until).map_err(fault)?;
    }
    Ok(())
}

/// Begins a round with its spin, and waits until the motor has power.
pub(super) fn spin(table: &mut Virtual) -> Result<(), RigFault> {
    for line in [InLine::PlaceBets, InLine::Tumble] {
        table.act(Act::Press { line, millis: 60 }).map_err(fault)?;
        pass(table, 200)?;
    }
    let end = table.now() + 3000 * MS;
    while !table.physical().motor_power && table.now() < end {
        pass(table, 10)?;
    }
    Ok(())
}

/// Ends the round and its spin.
pub(super) fn end_round(table: &mut Virtual) -> Result<(), RigFault> {
    if table.snapshot().map_err(fault)?.is_some_and(|s| s.round.is_some()) {
        table.act(Act::Press { line: InLine::SupervisorKey, millis: 300 }).map_err(fault)?;
        pass(table, 500)?;
        let reason = "the measurement goes on".to_owned();
        let void = Command::Void { reason, damaged_dice: false, not_flat: false, name: "Mei".into() };
        // SGV6 5.14 leaves this to the shift manager. Then wait for the shaft to stop.
        table.ask(Role::Manager, void).map_err(fault)?;
        pass(table, 2000)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_bare_loop_answers_and_figures_show_both_quantiles_with_their_ratio() {
        let dir = WorkDir::new().unwrap();
        let mut socket = WireSocket::listen(&dir.wire()).unwrap();
        let path = dir.wire();
        let looping = std::thread::spawn(move || echo(&path));
        wait_for("the loop", Duration::from_secs(5), String::new, || {
            socket.poll()?;
            Ok(socket.connected())
        })
        .unwrap();
        let (nanos, driven) = dome_to_motor(&mut socket).unwrap();
        assert!(nanos > 0);
        assert_eq!(driven.len(), 1);
        socket.hang_up();
        looping.join().unwrap().unwrap();

        let (mut ours, mut bare) = (histogram().unwrap(), histogram().unwrap());
        for n in 1..=1000 {
            ours.saturating_record(n * 140);
            bare.saturating_record(n * 100);
        }
        let figures = figures(&ours, &bare);
        assert!(figures[0].measured.contains("(1.40 x)") && figures[0].met == Some(true), "{figures:?}");
        bare.reset();
        bare.saturating_record(100);
        assert_eq!(super::figures(&ours, &bare)[1].met, Some(false));
    }
}
