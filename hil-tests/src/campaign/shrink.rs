//! Shrinking: finds the steps and numbers of a failing day that the failure needs. Delta debugging (Zeller and Hildebrandt, 2002) over
//! steps, then over numbers. The result still fails in the same way.

use super::{day, violation};
use crate::scenario::{Trial, Verdict, parse};
use tumbler_bench::process::clock;

/// A failing trial after shrinking.
#[derive(Clone, Debug)]
pub struct Shrunk {
    /// The shortest trial found.
    pub trial: Trial,
    /// Its verdict.
    pub verdict: Verdict,
    /// Number of trials played.
    pub tried: u32,
}

struct Search {
    kind: String,
    best: Trial,
    verdict: Verdict,
    /// Number of steps at the end that are never dropped.
    fixed_tail: usize,
    tried: u32,
    attempts: u32,
}

/// Shrinks a failing trial, with at most `attempts` trials; `None` if it passes.
#[must_use]
pub fn shrink(trial: &Trial, attempts: u32) -> Option<Shrunk> {
    let report = day::play(trial);
    let kind = violation::kind(&report.verdict)?;
    let mut search = Search { kind, best: trial.clone(), verdict: report.verdict, fixed_tail: 0, tried: 1, attempts };
    search.drop_after_failure();
    search.keep_round();
    while search.drop_steps() | search.reduce_numbers() {}
    Some(Shrunk { trial: search.best, verdict: search.verdict, tried: search.tried })
}

impl Search {
    /// Plays these steps. If they fail in the same way, they become the best so far.
    fn still_fails(&mut self, steps: Vec<(String, Vec<crate::scenario::step::Step>)>) -> bool {
        if self.tried >= self.attempts || clock::interrupted() {
            return false;
        }
        self.tried += 1;
        let trial = Trial { steps, ..self.best.clone() };
        let report = day::play(&trial);
        let same = violation::kind(&report.verdict).as_ref() == Some(&self.kind);
        if same {
            self.best = trial;
            self.verdict = report.verdict;
        }
        same
    }

    /// Drops the steps after the one that failed.
    fn drop_after_failure(&mut self) {
        let Verdict::Fail(whys) = &self.verdict else { return };
        let number = whys.first().and_then(|why| why.strip_prefix("step ")?.split(' ').next()?.parse().ok());
        let Some(number) = number.filter(|number| *number < self.best.steps.len()) else { return };
        let steps = self.best.steps.iter().take(number).cloned().collect();
        self.still_fails(steps);
    }

    /// Keeps the round of a command that got the wrong answer: without its round the command would be refused for another reason.
    fn keep_round(&mut self) {
        let Verdict::Fail(whys) = &self.verdict else { return };
        if !whys.first().is_some_and(|why| why.contains("the answer was")) {
            return;
        }
        let steps = &self.best.steps;
        self.fixed_tail =
            steps.iter().rev().position(|(words, _)| words.starts_with("dice ")).map_or(0, |after| after + 1);
    }

    /// Drops steps, many at once, then fewer. Returns whether any could be dropped.
    fn drop_steps(&mut self) -> bool {
        let mut any = false;
        let mut size = self.best.steps.len().saturating_sub(self.fixed_tail).div_ceil(2);
        while size > 0 {
            let mut from = 0;
            while from + self.fixed_tail < self.best.steps.len() {
                let steps = self.best.steps.iter().enumerate();
                let out = from..(from + size).min(self.best.steps.len() - self.fixed_tail);
                let left = steps.filter(|(place, _)| !out.contains(place)).map(|(_, step)| step.clone());
                let left: Vec<_> = left.collect();
                if !left.is_empty() && self.still_fails(left) {
                    any = true;
                } else {
                    from += size;
                }
            }
            size /= 2;
        }
        any
    }

    /// Shortens pauses and presses. Returns whether any could be shortened.
    fn reduce_numbers(&mut self) -> bool {
        let mut any = false;
        for place in 0..self.best.steps.len() {
            while let Some(reduced) = self.best.steps.get(place).and_then(|(words, _)| reduced(words)) {
                let Ok(parsed) = parse::step(&reduced, &self.best.layout) else { break };
                let mut steps = self.best.steps.clone();
                if let Some(step) = steps.get_mut(place) {
                    *step = (reduced, parsed);
                }
                if !self.still_fails(steps) {
                    break;
                }
                any = true;
            }
        }
        any
    }
}

/// The step with half its time, rounded to what a person would write.
fn reduced(words: &str) -> Option<String> {
    let mut parts: Vec<String> = words.split(' ').map(str::to_owned).collect();
    let at = parts.iter().rposition(|word| word == "ms")?.checked_sub(1)?;
    // A deadline must not be shortened: the step would fail for another reason.
    if at.checked_sub(1).and_then(|before| parts.get(before)).is_some_and(|word| word == "within") {
        return None;
    }
    let number: u64 = parts.get(at)?.parse().ok()?;
    let half = match number / 2 {
        n if n >= 1000 => n / 500 * 500,
        n if n >= 100 => n / 50 * 50,
        n if n >= 10 => n / 10 * 10,
        _ => return None,
    };
    *parts.get_mut(at)? = half.to_string();
    Some(parts.join(" "))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::campaign::schedule::{Faults, plans};

    #[test]
    fn a_failing_day_shrinks_to_the_steps_that_fail() {
        // The round of a command that may be refused stays whole: a day without one.
        let commands = |trial: &Trial| trial.steps.iter().any(|(words, _)| words.starts_with("do "));
        let mut days = plans(3, 400, Faults::None).into_iter().map(|plan| plan.trial());
        let mut trial = days.find(|trial| !commands(trial) && trial.steps.len() > 30).unwrap();
        let last = trial.steps.len();
        for (place, words) in
            [(30, "try fault cam.phantom"), (last, "play to spun"), (last, "break seal"), (last, "play to spinning")]
        {
            trial.steps.insert(place, (words.into(), parse::step(words, &trial.layout).unwrap()));
        }
        let shrunk = shrink(&trial, 400).unwrap();
        let words: Vec<&str> = shrunk.trial.steps.iter().map(|(words, _)| words.as_str()).collect();
        assert!(words.contains(&"break seal") && words.len() <= 4, "{words:?}: {:?}", shrunk.verdict);
        assert!(shrink(&plans(3, 1, Faults::None).remove(0).trial(), 10).is_none());
    }

    #[test]
    fn the_round_of_a_command_that_is_refused_stays_whole() {
        let mut trial = plans(3, 4, Faults::None).remove(0).trial();
        let refused = "do amend 1 1 1";
        trial.steps.push((refused.into(), parse::step(refused, &trial.layout).unwrap()));
        let shrunk = shrink(&trial, 400).unwrap();
        let words = |trial: &Trial| -> Vec<String> {
            // Times may be shorter.
            let steps = trial.steps.iter().map(|(words, _)| words.clone());
            steps.filter(|words| !words.contains(" ms")).collect()
        };
        let [before, after] = [words(&trial), words(&shrunk.trial)];
        let round = before.iter().rposition(|words| words.starts_with("dice ")).unwrap();
        assert!(after.ends_with(&before[round..]), "{after:?}");
        assert!(after.len() < before.len() && after.iter().filter(|words| words.starts_with("dice ")).count() == 1);
    }
}
