//! A suite that passes because nothing happened proves nothing: together the scenarios must have reached every phase,
//! every void reason and every latch, and by every rule but those named here something must have had to come.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Mutex;
use tumbler_bench::Bench;
use tumbler_bench::file::BenchFile;
use tumbler_bench::pure::{Pure, Setup};
use tumbler_core::latch::Code;
use tumbler_core::record::Event;
use tumbler_core::round::ending::VoidReason;
use tumbler_core::snapshot::Phase;
use tumbler_hil::scenario::{Trial, Verdict, read_all, run};

/// Rules by which nothing has to come in the scenarios: they only forbid or allow, or are for what only matrix and free play do.
const SILENT: [&str; 64] = [
    "bell.again",
    "bell.start",
    "bell.tested",
    "bus.block",
    "bus.fast",
    "bus.kept",
    "bus.rarely",
    "command.came-to-nothing",
    "command.record",
    "command.refused",
    "command.who",
    "display.again",
    "display.tested",
    "display.void",
    "hardware.ends",
    "hardware.measured",
    "hardware.seen",
    "hardware.verdict",
    "journal.keyframe",
    "journal.number",
    "journal.round",
    "journal.stopped",
    "journal.time",
    "key.no-hand",
    "lamps.again",
    "lamps.tested",
    "latches.journal",
    "latches.later",
    "latches.presses",
    "measurements.begun",
    "measurements.drawn",
    "measurements.in-time",
    "measurements.limits",
    "measurements.named",
    "measurements.persons",
    "measurements.quantities",
    "measurements.rectified",
    "measurements.refused",
    "measurements.report",
    "measurements.sound",
    "measurements.values",
    "measurements.verdicts",
    "motor.asks",
    "motor.off",
    "motor.stopped",
    "opening.failed",
    "opening.goes-on",
    "opening.order",
    "permission.later",
    "permission.rules",
    "relay.lost",
    "relay.order",
    "relay.topics",
    "relay.will",
    "round.pressed",
    "secrecy.keys",
    "secrecy.shown",
    "secrecy.void",
    "sign.again",
    "truth.afterwards",
    "truth.choice",
    "truth.clauses",
    "truth.goes-on",
    "truth.silent",
];

#[derive(Default)]
struct Reached {
    phases: BTreeSet<Phase>,
    voids: BTreeSet<VoidReason>,
    latches: BTreeSet<Code>,
    idle: Option<BTreeSet<String>>,
    wrongs: Vec<String>,
}

fn play(trial: &Trial, reached: &Mutex<Reached>) {
    let mut setup = Setup { trace: true, ..Setup::of(&trial.rules, &trial.layout, trial.seed.unwrap_or(77)) };
    setup.settings.reader = trial.reader;
    let mut bench = Pure::new(setup).unwrap();
    let outcome = run(&mut bench, trial);
    let mut all = reached.lock().unwrap();
    if outcome.verdict != Verdict::Pass {
        all.wrongs.push(format!("{}: {:?}", trial.name, outcome.verdict));
    }
    all.phases.extend(&bench.log().phases);
    for durable in &bench.log().records {
        match &durable.record.event {
            Event::Voided(void) => drop(all.voids.insert(void.reason)),
            Event::Latched { code, .. } => drop(all.latches.insert(*code)),
            _ => {}
        }
    }
    let exercised = bench.observer().exercised();
    let idle: BTreeSet<String> =
        exercised.iter().filter(|e| e.times == 0).map(|e| format!("{}: {}", e.judge, e.rule)).collect();
    all.idle = Some(match all.idle.take() {
        Some(before) => before.intersection(&idle).cloned().collect(),
        None => idle,
    });
}

#[test]
fn the_scenarios_reach_every_phase_void_and_latch_and_exercise_every_judge() {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../fixtures/benches/pure.toml");
    let bench = BenchFile::read(&file).unwrap();
    // Each variant under one of its rule sets, a different one from variant to variant.
    let mut variants: BTreeMap<String, Vec<Trial>> = BTreeMap::new();
    for trial in read_all(&bench.scenarios).unwrap().into_iter().filter(|trial| bench.cannot(&trial.name).is_none()) {
        let (variant, _) = trial.name.split_once("::").unwrap();
        variants.entry(variant.to_owned()).or_default().push(trial);
    }
    let pick = |(place, mut trials): (usize, Vec<Trial>)| trials.swap_remove(place % trials.len());
    let trials: Vec<Trial> = variants.into_values().enumerate().map(pick).collect();
    let reached = Mutex::new(Reached::default());
    std::thread::scope(|scope| {
        for half in trials.chunks(trials.len().div_ceil(2)) {
            let reached = &reached;
            scope.spawn(move || half.iter().for_each(|trial| play(trial, reached)));
        }
    });
    let reached = reached.into_inner().unwrap();
    assert!(reached.wrongs.is_empty(), "with another seed than their own: {:#?}", reached.wrongs);
    assert_eq!(reached.phases, Phase::ALL.into_iter().collect());
    assert_eq!(reached.voids, VoidReason::ALL.into_iter().collect());
    assert_eq!(reached.latches, Code::ALL.into_iter().collect());
    let silent = SILENT.iter().map(|rule| format!("specification: {rule}")).collect();
    assert_eq!(reached.idle.unwrap_or_default(), silent);
}
