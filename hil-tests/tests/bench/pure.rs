//! The pure bench against the contract of a bench.

use tumbler_bench::pure::{Pure, Setup};
use tumbler_bench::{Bench, Role};
use tumbler_core::wire::console::Command;
use tumbler_hil::measure::reference;
use tumbler_hil::scenario::{Verdict, run};
use tumbler_twin::{Act, MS};

fn bench(seed: u64) -> Pure {
    Pure::new(Setup { trace: true, ..Setup::of("nz-div9", "nz-div9-2", seed) }).unwrap()
}

/// A whole round with its opening, as the judges were told of it.
fn trace(seed: u64) -> Vec<u8> {
    let mut bench = bench(seed);
    let outcome = run(&mut bench, &reference::trial(1).unwrap());
    assert_eq!(outcome.verdict, Verdict::Pass);
    serde_json::to_vec(bench.observer().trace()).unwrap()
}

#[test]
fn the_same_seed_gives_the_same_trace_byte_for_byte() {
    let first = trace(11);
    assert!(first.len() > 100_000, "{} bytes", first.len());
    assert!(first == trace(11));
    assert!(first != trace(12));
}

#[test]
fn a_reference_round_takes_49_s_of_table_time() {
    let (one, three) = (reference::play(1, 5).unwrap(), reference::play(3, 5).unwrap());
    let round = (three.table_ns - one.table_ns) / 2;
    assert!((48_000 * MS..50_000 * MS).contains(&round), "{} ms", round / MS);
}

#[test]
fn what_was_not_committed_is_lost_with_the_process() {
    let mut bench = bench(1);
    bench.pass(bench.now() + 1_000 * MS).unwrap();
    bench.set_commit(10_000 * MS);
    let known = bench.log().records.len();
    bench.ask(Role::Supervisor, Command::Open { name: "Mei".into() }).unwrap();
    bench.pass(bench.now() + 5_000 * MS).unwrap();
    bench.kill().unwrap();
    assert_eq!(bench.log().records.len(), known);
    assert!(bench.snapshot().unwrap().is_none());
    bench.start().unwrap();
    assert!(bench.snapshot().unwrap().is_some());
}

#[test]
fn passing_time_ends_at_the_moment_that_was_asked_for() {
    let mut bench = bench(1);
    let until = bench.now() + 60_000 * MS;
    while bench.now() < until {
        bench.pass(until).unwrap();
    }
    assert_eq!(bench.now(), until);
}

#[test]
fn a_power_cut_ends_the_daemon_25_ms_after_power_good_and_the_next_boot_has_another_id() {
    let mut bench = bench(1);
    bench.pass(bench.now() + 3_000 * MS).unwrap();
    let at = bench.now();
    bench.power(false).unwrap();
    assert!(bench.snapshot().unwrap().is_none() && !bench.physical().supply);
    assert_eq!(bench.now(), at + 25 * MS);
    bench.power(true).unwrap();
    assert!(bench.physical().supply);
    bench.pass(bench.now() + 1_000 * MS).unwrap();
    let boots: std::collections::BTreeSet<String> = bench
        .log()
        .records
        .iter()
        .filter_map(|d| match &d.record.event {
            tumbler_core::record::Event::Started { boot, .. } => Some(boot.clone()),
            _ => None,
        })
        .collect();
    assert!(boots.contains("boot-2"), "{boots:?}");
}

#[test]
fn acts_show_at_the_tables_wires_at_once() {
    let mut bench = bench(1);
    bench.act(Act::LiftDome).unwrap();
    assert!(bench.physical().dome_up);
}

/// Judges who are alone judge what the broker is told: each record once and in order, also where it was under way when the
/// daemon died, and the table in messages that fit their schemas.
#[test]
fn where_judges_are_alone_they_hear_what_the_broker_is_told() {
    let mut bench = Pure::new(Setup { trace: true, ..Setup::of("nz-div9", "nz-div9-2", 4) }).unwrap();
    bench.broker(false).unwrap();
    bench.pass(bench.now() + 5_000 * MS).unwrap();
    bench.kill().unwrap();
    bench.start().unwrap();
    bench.broker(true).unwrap();
    let outcome = run(&mut bench, &reference::trial(1).unwrap());
    assert_eq!(outcome.verdict, Verdict::Pass);
    let (mut events, mut topics) = (Vec::new(), std::collections::BTreeSet::new());
    for seen in bench.observer().trace() {
        let tumbler_spec::Seen::Mqtt { topic, payload, .. } = &seen.what else { continue };
        let name = topic.strip_prefix("taisai/rig/pure/").unwrap();
        events.extend(payload.as_ref().filter(|_| name == "event").map(|event| event["seq"].as_u64().unwrap()));
        topics.insert(name.split('/').next().unwrap().to_owned());
    }
    let journal: Vec<u64> = bench.log().records.iter().map(|durable| durable.record.seq.0).collect();
    assert_eq!(events, journal);
    assert_eq!(topics.into_iter().collect::<Vec<_>>(), ["event", "fault", "keypad", "lamps", "state", "status"]);
}
