//! Small campaigns.

use super::*;
use crate::scenario::Verdict;

fn reports(rounds: u64, faults: Faults, jobs: usize) -> Vec<DayReport> {
    let mut all = Vec::new();
    Campaign {
        seed: 5,
        rounds,
        faults,
        jobs,
        keep: TraceDetail::Digest,
        day: None,
        judges_alone: false,
        open_world: false,
    }
    .run(&mut |day| all.push(day));
    all
}

/// faults.md, No false alarms.
#[test]
fn healthy_noisy_rounds_are_settled_whatever_the_jobs() {
    let [one, two] = [1, 2].map(|jobs| reports(60, Faults::None, jobs));
    assert!(one.iter().all(|day| day.verdict == Verdict::Pass), "{one:#?}");
    assert_eq!(one.iter().map(|day| day.settled).sum::<u64>(), 60);
    let [one, two] = [one, two].map(|days| -> Vec<String> {
        let told = |day: &DayReport| format!("{} {:?} {:x?}", day.trial.name, day.verdict, day.digest);
        days.iter().map(told).collect()
    });
    assert_eq!(one, two);
}

#[test]
fn a_single_day_is_as_it_was_among_the_others() {
    let all = reports(120, Faults::None, 1);
    let mut only = Vec::new();
    Campaign {
        seed: 5,
        rounds: 120,
        faults: Faults::None,
        jobs: 1,
        keep: TraceDetail::Digest,
        day: Some(2),
        judges_alone: false,
        open_world: false,
    }
    .run(&mut |day| only.push(day));
    let [only] = only.as_slice() else { panic!("{} days", only.len()) };
    assert_eq!(Some(only.digest), all.get(2).map(|day| day.digest));
    assert!(only.trial.name.starts_with("day-2::"));
}

#[test]
fn the_same_seed_gives_the_same_trace_byte_for_byte_also_where_much_breaks() {
    let all = |seed| -> Vec<u8> {
        let mut all = Vec::new();
        let campaign = Campaign {
            seed,
            rounds: 24,
            faults: Faults::Swarm,
            jobs: 2,
            keep: TraceDetail::Whole,
            day: None,
            judges_alone: false,
            open_world: false,
        };
        campaign.run(&mut |day| all.extend(day.trace));
        all
    };
    let first = all(2);
    assert!(first.len() > 100_000, "{} bytes", first.len());
    assert!(first == all(2));
    assert!(first != all(3));
}
