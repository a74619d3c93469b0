//! Pins: a digest of what left the table in every scenario, every cell of the matrix and some days of free play. They prove nothing of
//! right and wrong; they show what else a change moved.

use crate::campaign::schedule::{self, Faults};
use crate::runner::{hash, seed_of};
use crate::scenario::{Trial, Verdict, run};
use std::collections::BTreeMap;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use tumbler_bench::pure::{Pure, Setup};

/// Seeds of free play that are pinned, from 1 on: the first day of each.
const SEEDS: u64 = 100;

/// Parts of a cell whose ends are marked, so that a difference can be placed.
const MARKS: usize = 16;

/// The digits of a mark, and of a digest.
const DIGITS: &[u8; 64] = b"0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ-_";

/// The days of free play that are pinned.
#[must_use]
pub fn free_play() -> Vec<Trial> {
    let first = |seed| schedule::plans(seed, 20, Faults::Swarm).first().map(|plan| (seed, plan.trial()));
    let named = |(seed, trial): (u64, Trial)| Trial { name: format!("free-play-{seed}::{}", trial.layout), ..trial };
    (1..=SEEDS).filter_map(first).map(named).collect()
}

/// A trial that was played.
#[derive(Clone, Debug)]
pub struct Played {
    /// What left the table, a line each.
    pub lines: Vec<String>,
    /// What became of it; nothing that judges have to say, where they are off.
    pub verdict: Verdict,
}

/// Plays this trial. Judges change nothing of what leaves the table.
#[must_use]
pub fn played(trial: &Trial, judge: bool) -> Played {
    let mut setup = Setup { judge, left: true, ..Setup::of(&trial.rules, &trial.layout, seed_of(trial, 0)) };
    setup.settings.reader = trial.reader;
    setup.free_play = trial.free;
    match Pure::new(setup) {
        Ok(mut bench) => {
            let verdict = run(&mut bench, trial).verdict;
            Played { lines: bench.left().to_vec(), verdict }
        }
        Err(trouble) => {
            Played { lines: vec![format!("0.000000 {trouble}")], verdict: Verdict::Invalid(trouble.to_string()) }
        }
    }
}

/// A cell's pin: how many lines there are, and the digest at the end of each sixteenth of them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pin {
    count: usize,
    /// A digit for each part, then the whole digest.
    marks: String,
}

impl Pin {
    /// The pin of these lines.
    #[must_use]
    pub fn of(lines: &[String]) -> Self {
        let ends = ends(lines.len());
        let (mut digest, mut marks, mut done) = (0, String::new(), 0);
        for end in ends {
            for line in lines.get(done..end).unwrap_or_default() {
                digest = hash(line.as_bytes(), digest);
            }
            done = end;
            marks.push(digit(digest));
        }
        marks.extend((0..11).map(|place| digit(digest >> (place * 6))));
        Self { count: lines.len(), marks }
    }

    /// Lines of the other build among which the first difference is; `None` if nothing differs. A mark has 64 values, so that the
    /// place may be a part too late once in 64 times.
    #[must_use]
    pub fn differs(&self, lines: &[String]) -> Option<std::ops::Range<usize>> {
        if Self::of(lines) == *self {
            return None;
        }
        let (mut digest, mut done) = (0, 0);
        for (end, mark) in ends(self.count).zip(self.marks.chars()) {
            for line in lines.get(done..end.min(lines.len())).unwrap_or_default() {
                digest = hash(line.as_bytes(), digest);
            }
            if end > lines.len() || digit(digest) != mark {
                return Some(done..end.min(lines.len()));
            }
            done = end;
        }
        // The last mark is alike by chance.
        Some(done.min(lines.len().saturating_sub(self.count.div_ceil(MARKS)))..lines.len())
    }
}

fn ends(count: usize) -> impl Iterator<Item = usize> {
    (1..=MARKS).map(move |part| count * part / MARKS)
}

fn digit(of: u64) -> char {
    DIGITS.get((of ^ (of >> 32)) as usize % DIGITS.len()).map_or('?', |digit| char::from(*digit))
}

/// The pins of all cells, by name.
pub type Pins = BTreeMap<String, Pin>;

/// Reads a file of pins.
///
/// # Errors
/// The number of the first line that is none.
pub fn read(text: &str) -> Result<Pins, usize> {
    let mut pins = Pins::new();
    for (number, line) in text.lines().enumerate() {
        // Names of variants have spaces.
        let mut words = line.rsplitn(3, ' ');
        let (marks, count, name) = (words.next(), words.next().and_then(|it| it.parse().ok()), words.next());
        let (Some(marks), Some(count), Some(name)) = (marks, count, name) else { return Err(number + 1) };
        pins.insert(name.to_owned(), Pin { count, marks: marks.to_owned() });
    }
    Ok(pins)
}

/// The file of these pins.
#[must_use]
pub fn text(pins: &Pins) -> String {
    pins.iter().map(|(name, pin)| format!("{name} {} {}\n", pin.count, pin.marks)).collect()
}

/// Plays the trials, `jobs` at once, and hands on what came of each. `judge`: whether judges watch it.
pub fn play<T: Send>(
    trials: &[Trial],
    jobs: usize,
    judge: &(dyn Fn(&Trial) -> bool + Sync),
    take: &(dyn Fn(&Trial, Played) -> T + Sync),
) -> Vec<T> {
    let (next, taken) = (AtomicUsize::new(0), Mutex::new(Vec::with_capacity(trials.len())));
    std::thread::scope(|scope| {
        for _ in 0..jobs.max(1) {
            scope.spawn(|| {
                while let Some(trial) = trials.get(next.fetch_add(1, Ordering::SeqCst)) {
                    let of = take(trial, played(trial, judge(trial)));
                    taken.lock().unwrap_or_else(std::sync::PoisonError::into_inner).push(of);
                }
            });
        }
    });
    taken.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner)
}

/// A line without its time and numbers: differences that are alike but for them are told together.
#[must_use]
pub fn kind(line: &str) -> String {
    let said = line.split_once(' ').map_or(line, |(_, said)| said);
    said.split(|c: char| c.is_ascii_digit()).collect::<Vec<_>>().join("")
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test may fail loudly")]
    use super::*;

    #[test]
    fn a_difference_is_found_and_placed() {
        let was: Vec<String> = (0..100).map(|line| format!("{line}.000000 x")).collect();
        let pin = Pin::of(&was);
        assert_eq!(pin.differs(&was), None);
        for place in [0, 50, 99] {
            let mut is = was.clone();
            is.get_mut(place).unwrap().push('y');
            assert!(pin.differs(&is).unwrap().contains(&place), "{place}");
        }
        assert!(pin.differs(&was[..60]).is_some() && Pin::of(&was[..60]).differs(&was).is_some());
        let pins = Pins::from([("a b::c".to_owned(), pin)]);
        assert_eq!(read(&text(&pins)), Ok(pins));
        assert_eq!(read("a b c"), Err(1));
    }

    #[test]
    fn the_same_trial_leaves_the_same_lines() {
        let trial = free_play().swap_remove(0);
        let lines = |judge| played(&trial, judge).lines;
        assert!(lines(false).len() > 100 && lines(false) == lines(true), "judges change nothing of it");
    }
}
