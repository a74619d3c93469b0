//! The daemon's process: memory, CPU at rest, bytes written, and how soon it is ready.

use super::entry::warm;
use super::round_player::{Pace, RoundPlayer, brisk};
use super::{Figure, Measured, median, millis, with_lateness};
use crate::measure::round_player::fault;
use crate::templates::Templates;
use nix::time::{clock_getcpuclockid, clock_gettime};
use nix::unistd::Pid;
use std::path::PathBuf;
use tumbler_bench::Bench;
use tumbler_bench::process::rig_fault::RigFault;
use tumbler_bench::process::{Virtual, clock};
use tumbler_twin::MS;

/// Starts whose median is taken.
const STARTS: usize = 9;
/// How long CPU time is measured at rest, in milliseconds.
pub(super) const REST: u64 = 10_000;
/// Target for the share of a core at rest.
pub(super) const MOST_AT_REST: f64 = 0.01;
/// Target for the memory, in KiB.
pub(super) const MOST_RESIDENT: u64 = 16 * 1024;
/// Target for the memory of both processes together, in KiB.
const MOST_OF_BOTH: u64 = 18 * 1024;
/// Target for the bytes written per round, by rounds that follow each other at once: ten commits that dirty one or two blocks of
/// 4 KiB each.
const MOST_WRITTEN: u64 = 64 * 1024;
/// The same at the pace of people: in a longer round the kernel writes `-shm`, 32 KiB, as well. At 45 s a round, day and night, that
/// is 69 GB a year.
const MOST_WRITTEN_PACED: u64 = 96 * 1024;
/// The pace of people in a busy game, who leave the kernel time to write out what a round began before it ends.
const PACE: Pace = Pace { bets: 12_000, look: 3_000, pay: 6_000 };
/// One round in so many is played at that pace as well, and how many of them at most.
const PACED: (u32, u32) = (5, 20);

/// Plays `rounds` and measures; as many as go well.
///
/// # Errors
/// [`RigFault`] when the bench does not work at all.
pub fn measure(templates: &Templates, rounds: u32, progress: &dyn Fn(u64)) -> Result<Measured, RigFault> {
    let mut table = templates.opened(&brisk(templates, 3))?;
    let starts = starts(&mut table)?;
    warm(&mut table)?;
    let rest = rest(&mut table)?;
    let mut figures = at_rest(&table, rest, &starts)?;
    let begun = status(&table, "VmRSS:")?;
    let before = written(&table)?;
    let mut player = RoundPlayer::new(&table);
    let (rounds, ended_by) = play(&mut player, &mut table, rounds, progress);
    if rounds > 0 {
        let (end, most) = (status(&table, "VmRSS:")?, status(&table, "VmHWM:")?);
        figures.push(Figure::new(
            &format!("resident memory of tumblerd after {rounds} rounds"),
            format!("{:.1} MiB", end as f64 / 1024.0),
            format!("{:.1} MiB before them, {:.1} MiB at most", begun as f64 / 1024.0, most as f64 / 1024.0),
            "at most 16 MiB",
            end <= MOST_RESIDENT,
        ));
        let per_round = (written(&table)?.saturating_sub(before)) / u64::from(rounds);
        figures.push(flash(&format!("bytes written per round, over {rounds} rounds"), per_round, MOST_WRITTEN));
    }
    if ended_by.is_some() {
        return Ok(Measured { figures, ended_by });
    }
    let before = written(&table)?;
    let mut people = RoundPlayer::at_pace(&table, PACE);
    let (paced, ended_by) = play(&mut people, &mut table, (rounds / PACED.0).clamp(1, PACED.1), &|_| {});
    if paced > 0 {
        let per_round = (written(&table)?.saturating_sub(before)) / u64::from(paced);
        figures.push(flash(
            &format!("the same at the pace of people, over {paced} rounds"),
            per_round,
            MOST_WRITTEN_PACED,
        ));
    }
    Ok(Measured { figures, ended_by })
}

/// What is measured of a table at which nobody plays: this share of a core, and these starts.
fn at_rest(table: &Virtual, rest: f64, starts: &[u64]) -> Result<Vec<Figure>, RigFault> {
    let (own, network) = memory_of_both(table)?;
    Ok(vec![
        Figure::new(
            "memory of tumblerd and `tumblerd net` together, table at rest",
            format!("{:.1} MiB", (own + network) as f64 / 1024.0),
            format!(
                "{:.1} and {:.1} MiB, with what they share halved (PSS)",
                own as f64 / 1024.0,
                network as f64 / 1024.0
            ),
            "at most 18 MiB",
            own + network <= MOST_OF_BOTH,
        ),
        Figure::new(
            "CPU of tumblerd at rest",
            format!("{:.2} % of a core", rest * 100.0),
            format!("over {} s, phase ready", REST / 1000),
            "at most 1 %",
            rest <= MOST_AT_REST,
        ),
        Figure::new(
            &format!("start to READY, middle of {}", starts.len()),
            millis(median(starts)),
            format!("longest {}", millis(starts.iter().max().copied().unwrap_or(0))),
            "at most 100 ms",
            median(starts) <= 100 * MS,
        ),
    ])
}

fn flash(what: &str, bytes: u64, most: u64) -> Figure {
    let measured = format!("{:.1} KiB", bytes as f64 / 1024.0);
    let target = format!("at most {} KiB", most / 1024);
    Figure::new(what, measured, "write_bytes of /proc/PID/io".into(), &target, bytes <= most)
}

/// Bytes that the daemon has written so far, as the kernel counts them: whole pages of its cache.
fn written(table: &Virtual) -> Result<u64, RigFault> {
    counter(table, "io", "write_bytes:")
}

/// How many of these rounds went well, and what ended the one after them.
fn play(player: &mut RoundPlayer, table: &mut Virtual, rounds: u32, progress: &dyn Fn(u64)) -> (u32, Option<RigFault>) {
    for round in 0..rounds {
        if let Err(fault) = player.round(table, |_| {}, |_| {}) {
            let told = RigFault::Other(format!("round {}: {fault}", round + 1));
            return (round, Some(with_lateness(&told, table.stalls())));
        }
        progress(u64::from(round) + 1);
    }
    (rounds, None)
}

fn starts(table: &mut Virtual) -> Result<Vec<u64>, RigFault> {
    let mut took = Vec::new();
    for _ in 0..STARTS {
        table.stop().map_err(fault)?;
        table.start().map_err(fault)?;
        took.push(table.start_to_ready().unwrap_or(u64::MAX));
    }
    Ok(took)
}

/// The share of a core that the daemon takes while nothing happens.
pub(super) fn rest(table: &mut Virtual) -> Result<f64, RigFault> {
    let (cpu, begun) = (cpu_nanos(table)?, clock::now());
    let until = table.now() + REST * MS;
    while table.now() < until {
        table.pass(until).map_err(fault)?;
    }
    Ok(cpu_nanos(table)?.saturating_sub(cpu) as f64 / clock::now().nanos_since(begun) as f64)
}

fn proc_path(table: &Virtual, name: &str) -> Result<PathBuf, RigFault> {
    let pid = table.pid().ok_or_else(|| RigFault::Other("tumblerd does not run".into()))?;
    Ok(PathBuf::from(format!("/proc/{pid}/{name}")))
}

fn proc_file(table: &Virtual, name: &str) -> Result<String, RigFault> {
    let path = proc_path(table, name)?;
    std::fs::read_to_string(&path).map_err(RigFault::file("read", &path))
}

fn counter(table: &Virtual, file: &str, name: &str) -> Result<u64, RigFault> {
    let text = proc_file(table, file)?;
    let value = text.lines().find_map(|line| line.strip_prefix(name)?.split_whitespace().next()?.parse().ok());
    value.ok_or_else(|| RigFault::Other(format!("/proc/PID/{file} has no number after {name}")))
}

/// Memory of the daemon and of the process that speaks to the network, in KiB: what both share is counted by halves.
fn memory_of_both(table: &Virtual) -> Result<(u64, u64), RigFault> {
    let of = |pid: Option<u32>| {
        let pid = pid.ok_or_else(|| RigFault::Other("tumblerd does not run".into()))?;
        let path = PathBuf::from(format!("/proc/{pid}/smaps_rollup"));
        let text = std::fs::read_to_string(&path).map_err(RigFault::file("read", &path))?;
        let value = text.lines().find_map(|line| line.strip_prefix("Pss:")?.split_whitespace().next()?.parse().ok());
        value.ok_or_else(|| RigFault::Other(format!("{} has no Pss", path.display())))
    };
    Ok((of(table.pid())?, of(table.network_pid())?))
}

/// How many files, sockets and devices the daemon has open.
pub(super) fn descriptors(table: &Virtual) -> Result<usize, RigFault> {
    let dir = proc_path(table, "fd")?;
    Ok(std::fs::read_dir(&dir).map_err(RigFault::file("read the directory", &dir))?.count())
}

/// A number of the daemon's `/proc/PID/status` by its name: memory in KiB, or how many threads there are.
pub(super) fn status(table: &Virtual, name: &str) -> Result<u64, RigFault> {
    counter(table, "status", name)
}

/// CPU time of all threads of both of the daemon's processes so far, in nanoseconds, by the kernel's own clock of it.
pub(super) fn cpu_nanos(table: &Virtual) -> Result<u64, RigFault> {
    Ok(cpu_of(table.pid())? + cpu_of(table.network_pid())?)
}

fn cpu_of(pid: Option<u32>) -> Result<u64, RigFault> {
    let pid = pid.and_then(|pid| i32::try_from(pid).ok());
    let pid = pid.ok_or_else(|| RigFault::Other("tumblerd does not run".into()))?;
    let time = clock_getcpuclockid(Pid::from_raw(pid)).and_then(clock_gettime);
    let time = time.map_err(|error| RigFault::Other(format!("the daemon's CPU time cannot be read: {error}")))?;
    Ok(u64::try_from(time.tv_sec()).unwrap_or(0) * 1_000_000_000 + u64::try_from(time.tv_nsec()).unwrap_or(0))
}
