//! What an hour of play leaves behind in the daemon's process, on a chip that the kernel simulates: memory, CPU time, threads and
//! open files.

use super::Figure;
use super::driver::{Driver, Pace, fault, unjudged};
use super::entry::warm;
use super::process::{MOST_AT_REST, MOST_RESIDENT, REST, cpu_nanos, descriptors, rest, status};
use crate::templates::Templates;
use tumbler_bench::Bench;
use tumbler_bench::process::config::TableSetup;
use tumbler_bench::process::pins::Wires;
use tumbler_bench::process::rig_fault::RigFault;
use tumbler_bench::process::{Virtual, clock};
use tumbler_twin::MS;

/// A minute of table time, in milliseconds.
const MINUTE: u64 = 60_000;
/// With a spin of some four seconds, a round a minute.
const PACE: Pace = Pace { bets: 30_000, look: 3_000, pay: 20_000 };
/// Readings of the memory on the way, the last of which is the end.
const READINGS: u32 = 6;

/// The daemon's process at one moment, at rest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Reading {
    /// Memory, in KiB.
    resident: u64,
    threads: u64,
    descriptors: usize,
}

impl Reading {
    /// Between two rounds. The rig stays at the console once it has asked there for the first time.
    fn of(table: &mut Virtual) -> Result<Self, RigFault> {
        let shown = table.snapshot().map_err(fault)?;
        if let Some(round) = shown.and_then(|shown| shown.round) {
            return Err(RigFault::Other(format!("the table is not at rest: {round:?}")));
        }
        Ok(Self {
            resident: status(table, "VmRSS:")?,
            threads: status(table, "Threads:")?,
            descriptors: descriptors(table)?,
        })
    }
}

/// Everything that was read.
struct Played {
    minutes: u32,
    rounds: u32,
    begun: Reading,
    /// Memory on the way, in KiB.
    on_the_way: Vec<u64>,
    ended: Reading,
    /// The most memory that it ever had, in KiB.
    most: u64,
    /// Shares of a core: while rounds were played, and afterwards.
    playing: f64,
    resting: f64,
}

/// Plays for so many minutes of table time and measures; `told` is told of each that has passed.
///
/// # Errors
/// [`RigFault`] where this machine has no such chips, or the bench does not work.
pub fn measure(templates: &Templates, minutes: u32, told: &dyn Fn(u64)) -> Result<Vec<Figure>, RigFault> {
    let table = TableSetup::of("sg-open", "sg-open-1", true).on(Wires::Bridge);
    let mut table = templates.opened(&unjudged(templates, table, 3))?;
    warm(&mut table)?;
    play(&mut table, minutes, told).map(|played| figures(&played))
}

fn play(table: &mut Virtual, minutes: u32, told: &dyn Fn(u64)) -> Result<Played, RigFault> {
    let begun = Reading::of(table)?;
    let (from, clock, cpu) = (table.now(), clock::now(), cpu_nanos(table)?);
    let span = u64::from(minutes) * MINUTE * MS;
    let (mut driver, mut rounds, mut on_the_way) = (Driver::at_pace(table, PACE), 0, Vec::new());
    while table.now() < from + span {
        driver.round(table, |_| {}, |_| {}).map_err(|fault| {
            let late = table.stalls().verdict().unwrap_or_else(|| "the rig was in time".into());
            RigFault::Other(format!("round {}: {fault}; {late}", rounds + 1))
        })?;
        rounds += 1;
        let passed = table.now() - from;
        told((passed / (MINUTE * MS)).min(u64::from(minutes)));
        if passed * u64::from(READINGS) >= span * (on_the_way.len() as u64 + 1) {
            on_the_way.push(status(table, "VmRSS:")?);
        }
    }
    let playing = cpu_nanos(table)?.saturating_sub(cpu) as f64 / clock::now().nanos_since(clock) as f64;
    let resting = rest(table)?;
    let (ended, most) = (Reading::of(table)?, status(table, "VmHWM:")?);
    Ok(Played { minutes, rounds, begun, on_the_way, ended, most, playing, resting })
}

fn mebibytes(kibibytes: u64) -> String {
    format!("{:.2} MiB", kibibytes as f64 / 1024.0)
}

fn percent(share: f64) -> String {
    format!("{:.2} % of a core", share * 100.0)
}

fn figures(played: &Played) -> Vec<Figure> {
    let Played { minutes, rounds, begun, ended, .. } = played;
    let same = |what: &str, before: u64, after: u64| {
        Figure::new(what, after.to_string(), format!("{before} before it"), "no more than before", after <= before)
    };
    let way: Vec<String> = played.on_the_way.iter().map(|at| mebibytes(*at)).collect();
    vec![
        Figure::new(
            &format!("resident memory of tumblerd after {minutes} minutes of play, {rounds} rounds"),
            mebibytes(ended.resident),
            format!("{} before it, {} at most", mebibytes(begun.resident), mebibytes(played.most)),
            "at most 16 MiB",
            played.most <= MOST_RESIDENT,
        ),
        Figure::beside("  on the way there", way.join(", ")),
        Figure::new(
            "CPU of tumblerd at rest, after that",
            percent(played.resting),
            format!("over {} s, phase ready", REST / 1000),
            "at most 1 %",
            played.resting <= MOST_AT_REST,
        ),
        // A guest whose clock counts instructions counts this in them too: one each nanosecond.
        Figure::beside("  while it was played, people's pauses included", percent(played.playing)),
        same("threads of tumblerd after that", begun.threads, ended.threads),
        same("open files of tumblerd after that", begun.descriptors as u64, ended.descriptors as u64),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn played() -> Played {
        let reading = Reading { resident: 10 * 1024, threads: 12, descriptors: 40 };
        let on_the_way = vec![10 * 1024; 6];
        let (begun, ended) = (reading, reading);
        Played { minutes: 60, rounds: 61, begun, on_the_way, ended, most: 10 * 1024, playing: 0.02, resting: 0.01 }
    }

    fn missed(played: &Played) -> Vec<String> {
        figures(played).into_iter().filter(|figure| figure.met == Some(false)).map(|figure| figure.what).collect()
    }

    #[test]
    fn whatever_grew_beyond_its_target_is_not_met() {
        assert!(missed(&played()).is_empty());
        let grown = Reading { threads: 13, descriptors: 41, ..played().ended };
        let worse = Played { ended: grown, most: MOST_RESIDENT + 1, resting: 0.0101, ..played() };
        assert_eq!(missed(&worse).len(), 4, "{:?}", missed(&worse));
    }
}
