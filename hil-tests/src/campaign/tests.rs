//! A campaign in small.

use super::*;
use crate::scenario::Verdict;

fn reports(rounds: u64, faults: Faults, jobs: usize) -> Vec<DayReport> {
    let mut all = Vec::new();
    Campaign { seed: 5, rounds, faults, jobs }.run(&mut |day| all.push(day));
    all
}

/// FAULTS, no false alarms.
#[test]
fn healthy_noisy_rounds_are_settled_whatever_the_jobs() {
    let tell = |jobs| -> Vec<String> {
        reports(60, Faults::None, jobs)
            .iter()
            .map(|day| format!("{} {:?} {} {} {}", day.trial.name, day.verdict, day.settled, day.table_ns, day.events))
            .collect()
    };
    let one = reports(60, Faults::None, 1);
    assert!(one.iter().all(|day| day.verdict == Verdict::Pass), "{one:#?}");
    assert_eq!(one.iter().map(|day| day.settled).sum::<u64>(), 60);
    assert_eq!(tell(1), tell(2));
}
