//! Looks for leaks: memory, CPU time, threads and open files of the daemon's process after an hour of play, on a chip that the kernel
//! simulates.

use super::Figure;
use super::entry::warm;
use super::process::{MOST_AT_REST, MOST_RESIDENT, REST, cpu_nanos, descriptors, rest, status};
use super::round_player::{Pace, RoundPlayer, fault, unjudged};
use crate::templates::Templates;
use tumbler_bench::Bench;
use tumbler_bench::process::config::TableSetup;
use tumbler_bench::process::pins::Wires;
use tumbler_bench::process::rig_fault::RigFault;
use tumbler_bench::process::{Virtual, clock};
use tumbler_twin::MS;

/// A minute of table time, in milliseconds.
const MINUTE: u64 = 60_000;
/// One round a minute, together with a spin of some four seconds.
const PACE: Pace = Pace { bets: 30_000, look: 3_000, pay: 20_000 };
/// Number of memory readings during play; the last one is at the end.
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
    /// Reads it between two rounds. Asks for the snapshot first, because the rig's console connection stays open after its first use.
    fn of(table: &mut Virtual) -> Result<Self, RigFault> {
        let shown = table.snapshot().map_err(fault)?;
        if let Some(round) = shown.and_then(|shown| shown.round) {
            return Err(RigFault::Other(format!("the table is not at rest: round {}", round.0)));
        }
        Ok(Self {
            resident: status(table, "VmRSS:")?,
            threads: status(table, "Threads:")?,
            descriptors: descriptors(table)?,
        })
    }
}

/// All readings.
struct HourOfPlay {
    minutes: u32,
    rounds: u32,
    begun: Reading,
    /// Memory during play, in KiB.
    during: Vec<u64>,
    ended: Reading,
    /// Peak memory of the process, in KiB.
    most: u64,
    /// Shares of a core: during play, and at rest afterwards.
    playing: f64,
    resting: f64,
}

/// Plays for `minutes` of table time and measures; calls `progress` with the minutes that have passed.
///
/// # Errors
/// [`RigFault`] where this machine has no such chips, or the bench does not work.
pub fn measure(templates: &Templates, minutes: u32, progress: &dyn Fn(u64)) -> Result<Vec<Figure>, RigFault> {
    let table = TableSetup::of("sg-open", "sg-open-1", true).on(Wires::Bridge);
    let mut table = templates.opened(&unjudged(templates, table, 3))?;
    warm(&mut table)?;
    play(&mut table, minutes, progress).map(|played| figures(&played))
}

fn play(table: &mut Virtual, minutes: u32, progress: &dyn Fn(u64)) -> Result<HourOfPlay, RigFault> {
    let begun = Reading::of(table)?;
    let (from, clock, cpu) = (table.now(), clock::now(), cpu_nanos(table)?);
    let span = u64::from(minutes) * MINUTE * MS;
    let (mut player, mut rounds, mut during) = (RoundPlayer::at_pace(table, PACE), 0, Vec::new());
    while table.now() < from + span {
        player.round(table, |_| {}, |_| {}).map_err(|fault| {
            let late = table.stalls().verdict().unwrap_or_else(|| "the rig was in time".into());
            RigFault::Other(format!("round {}: {fault}; {late}", rounds + 1))
        })?;
        rounds += 1;
        let passed = table.now() - from;
        progress((passed / (MINUTE * MS)).min(u64::from(minutes)));
        if passed * u64::from(READINGS) >= span * (during.len() as u64 + 1) {
            during.push(status(table, "VmRSS:")?);
        }
    }
    let playing = cpu_nanos(table)?.saturating_sub(cpu) as f64 / clock::now().nanos_since(clock) as f64;
    let resting = rest(table)?;
    let (ended, most) = (Reading::of(table)?, status(table, "VmHWM:")?);
    Ok(HourOfPlay { minutes, rounds, begun, during, ended, most, playing, resting })
}

fn mebibytes(kibibytes: u64) -> String {
    format!("{:.2} MiB", kibibytes as f64 / 1024.0)
}

fn percent(share: f64) -> String {
    format!("{:.2} % of a core", share * 100.0)
}

fn figures(played: &HourOfPlay) -> Vec<Figure> {
    let HourOfPlay { minutes, rounds, begun, ended, .. } = played;
    let same = |what: &str, before: u64, after: u64| {
        Figure::new(what, after.to_string(), format!("{before} before it"), "no more than before", after <= before)
    };
    let way: Vec<String> = played.during.iter().map(|at| mebibytes(*at)).collect();
    vec![
        Figure::new(
            &format!("resident memory of tumblerd after {minutes} minutes of play, {rounds} rounds"),
            mebibytes(ended.resident),
            format!("{} before it, peak {}", mebibytes(begun.resident), mebibytes(played.most)),
            "at most 16 MiB",
            played.most <= MOST_RESIDENT,
        ),
        Figure::beside("  during play", way.join(", ")),
        Figure::new(
            "CPU of tumblerd at rest afterwards",
            percent(played.resting),
            format!("over {} s, phase ready", REST / 1000),
            "at most 1 %",
            played.resting <= MOST_AT_REST,
        ),
        // On a guest whose clock counts instructions, CPU time is also counted in instructions, one per nanosecond.
        Figure::beside("  during play, pauses included", percent(played.playing)),
        same("threads of tumblerd after that", begun.threads, ended.threads),
        same("open files of tumblerd after that", begun.descriptors as u64, ended.descriptors as u64),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn played() -> HourOfPlay {
        let reading = Reading { resident: 10 * 1024, threads: 12, descriptors: 40 };
        let during = vec![10 * 1024; 6];
        let (begun, ended) = (reading, reading);
        HourOfPlay { minutes: 60, rounds: 61, begun, during, ended, most: 10 * 1024, playing: 0.02, resting: 0.01 }
    }

    fn missed(played: &HourOfPlay) -> Vec<String> {
        figures(played).into_iter().filter(|figure| figure.met == Some(false)).map(|figure| figure.what).collect()
    }

    #[test]
    fn whatever_grew_beyond_its_target_is_not_met() {
        assert!(missed(&played()).is_empty());
        let grown = Reading { threads: 13, descriptors: 41, ..played().ended };
        let worse = HourOfPlay { ended: grown, most: MOST_RESIDENT + 1, resting: 0.0101, ..played() };
        assert_eq!(missed(&worse).len(), 4, "{:?}", missed(&worse));
    }
}
