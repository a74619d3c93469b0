//! Holds kept traces to the specification alone: each file has the configuration in its first line and an observation in each further
//! one. Prints what is found, the rules by which it was found, and how often each rule explained something.

#![allow(clippy::print_stdout, clippy::unwrap_used, reason = "a tool for whoever writes a rule")]

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader};
use std::sync::Mutex;
use tumbler_spec::{Config, Observation, Panel, Uses};

#[derive(Default)]
struct Sum {
    found: BTreeMap<(&'static str, String), (u64, String)>,
    rules: BTreeMap<&'static str, Uses>,
    kinds: BTreeMap<String, Uses>,
}

fn main() {
    let files: Vec<String> = std::env::args().skip(1).collect();
    let (left, sum) = (Mutex::new(files.iter()), Mutex::new(Sum::default()));
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                loop {
                    let Some(file) = left.lock().unwrap().next() else { return };
                    play(file, &sum);
                }
            });
        }
    });
    let sum = sum.into_inner().unwrap();
    for (kind, uses) in &sum.kinds {
        println!("kind {kind:<24} must {:>8} may {:>8}", uses.must, uses.may);
    }
    for (rule, uses) in &sum.rules {
        println!("rule {rule:<24} must {:>8} may {:>8}", uses.must, uses.may);
    }
    for ((rule, _), (times, first)) in &sum.found {
        println!("FOUND {rule}: {times} times; first: {first}");
    }
}

fn play(file: &str, sum: &Mutex<Sum>) {
    let mut lines = BufReader::new(std::fs::File::open(file).unwrap()).lines().map(Result::unwrap);
    let config: Config = serde_json::from_str(&lines.next().unwrap()).unwrap();
    let mut panel = Panel::of_specification(config).unwrap();
    let mut at_ns = 0;
    for line in lines {
        let seen: Observation = serde_json::from_str(&line).unwrap();
        at_ns = seen.at_ns;
        panel.observe(&seen);
    }
    panel.finish(at_ns);
    let coverage = panel.coverage();
    let mut sum = sum.lock().unwrap();
    for found in panel.violations() {
        let shape: String = found.what.chars().filter(|c| !c.is_ascii_digit()).take(160).collect();
        let entry = sum.found.entry((found.judge, shape)).or_insert_with(|| (0, format!("{file}: {found}")));
        entry.0 += 1;
    }
    for (rule, uses) in coverage.rules() {
        let to = sum.rules.entry(rule.name).or_default();
        (to.must, to.may) = (to.must + uses.must, to.may + uses.may);
    }
    for (kind, uses) in coverage.kinds() {
        let to = sum.kinds.entry(kind.to_owned()).or_default();
        (to.must, to.may) = (to.must + uses.must, to.may + uses.may);
    }
}
