//! What happened on one table happens again on another, by the scenario that its recording was turned into.

use super::recording::{BadRecording, Recording};
use super::{convert, play};
use crate::runner::seed;
use crate::scenario::{Trial, Verdict, file, run};
use std::path::Path;
use tumbler_bench::pure::{Pure, Setup};
use tumbler_core::wire::recording::{Digest, Line};

/// Plays a scenario on a table that records.
fn record(name: &str, rules: &str, steps: &[&str], endings: &[&str], latched: &[&str]) -> Recording {
    let quoted = |all: &[&str]| all.iter().map(|text| format!("{text:?}")).collect::<Vec<_>>().join(", ");
    let text = format!(
        "about = \"a recording\"\nsteps = [{}]\nendings.{rules} = [{}]\nat_end.latched = [{}]",
        quoted(steps),
        quoted(endings),
        quoted(latched)
    );
    let trial = only(file::parse(Path::new(&format!("{name}.toml")), &text).unwrap());
    let setup = Setup { record: true, ..Setup::of(&trial.rules, &trial.layout, seed(name, 0)) };
    let mut bench = Pure::new(setup).unwrap();
    assert_eq!(run(&mut bench, &trial).verdict, Verdict::Pass, "{name}");
    let (header, lines) = bench.recording(name).unwrap();
    Recording { header, lines }
}

fn only(trials: Vec<Trial>) -> Trial {
    let [trial] = <[Trial; 1]>::try_from(trials).unwrap();
    trial
}

/// The recording's scenario, and what another table, with other chance, makes of it.
fn again(recording: &Recording) -> (String, Verdict) {
    let playback = play(recording).unwrap();
    assert_eq!(playback.difference, None);
    let scenario = convert(recording.first().unwrap(), &playback, &recording.header.reason).unwrap();
    assert_eq!(scenario.left_out, [""; 0]);
    let trial = only(file::parse(Path::new("again.toml"), &scenario.text).unwrap());
    let mut bench = Pure::new(Setup::of(&trial.rules, &trial.layout, 4711)).unwrap();
    (scenario.text, run(&mut bench, &trial).verdict)
}

fn told(name: &str, rules: &str, steps: &[&str], endings: &[&str], latched: &[&str], word: &str) {
    let (text, verdict) = again(&record(name, rules, steps, endings, latched));
    assert!(text.contains(word), "{name}: no `{word}` in\n{text}");
    assert_eq!(verdict, Verdict::Pass, "{name}:\n{text}");
}

#[test]
fn a_healthy_round_of_each_order_is_settled_again_by_the_same_dice() {
    for (rules, clause) in [("nz-div9", "NZ9 6.3"), ("sg-v6", "SGV6 3.9"), ("sg-open", "SGOC 3.9")] {
        let steps = ["open table", "dice 2 2 5", "play to settled", "pass 2 s"];
        told("healthy", rules, &steps, &[&format!("settled 2 2 5: {clause}")], &[], "dice 2 2 5");
    }
}

/// NZ 7.1(b).
#[test]
fn a_stall_voids_and_blocks_again() {
    let steps =
        ["open table", "play to spinning", "pass 600 ms", "fault motor.stall", "wait record voided", "pass 2 s"];
    told(
        "stall",
        "nz-div9",
        &steps,
        &["void equipment: by misoperation and fewer-than-three"],
        &["tumbler"],
        "fault motor.stall",
    );
}

/// NZ 7.1(c), SGV6 5.5.3.
#[test]
fn dice_exposed_early_void_again() {
    for (rules, clause) in [("nz-div9", "NZ9 7.1(c)"), ("sg-v6", "SGV6 5.5.3")] {
        let steps = ["open table", "play to spun", "lift dome", "wait record voided", "pass 2 s"];
        told("exposed", rules, &steps, &[&format!("void exposed: {clause}")], &[], "lift dome");
    }
}

/// NZ 7.3, SGV6 5.10.
#[test]
fn a_dead_lamp_is_settled_by_the_dice_and_blocks_again() {
    let steps = [
        "open table",
        "dice 1 3 6",
        "fault lamp.open:single-1",
        "play to revealed",
        "pass 600 ms",
        "key 1 3 6 entry",
        "wait latched lamps",
        "collect and pay",
        "key entry",
        "wait record settled",
        "pass 2 s",
    ];
    told("lamp", "nz-div9", &steps, &["settled 1 3 6: NZ9 7.3"], &["lamps"], "fault lamp.open:single-1");
}

/// NZ 7.1(a).
#[test]
fn a_cocked_die_voids_again() {
    let steps = ["open table", "fault dice.cocked_1", "play to spinning", "wait record voided", "pass 2 s"];
    told("cocked", "nz-div9", &steps, &["void not-flat: NZ9 7.1(a)"], &[], "fault dice.cocked_1");
}

#[test]
fn a_lost_terminal_is_lost_again() {
    let steps = ["open table", "fault terminal.silent", "wait latched terminal", "pass 2 s"];
    told("terminal", "sg-open", &steps, &[], &["terminal"], "fault terminal.silent");
}

/// design.md, Latch: the key, the supervisor and the test of that very device.
#[test]
fn people_and_their_commands_come_again() {
    let steps = [
        "open table",
        "break seal",
        "wait latched seal",
        "mend seal",
        "pass 1 s",
        "turn key",
        "do reset seal rectified",
        "wait nothing latched",
        "pass 2 s",
    ];
    let quoted = ["break seal", "mend seal", "hold supervisor_key", "ask reset seal rectified", "answer done"];
    let recording = record_with_latches("seal", &steps, &["seal"]);
    let (text, verdict) = again(&recording);
    quoted.iter().for_each(|word| assert!(text.contains(word), "{word}:\n{text}"));
    assert_eq!(verdict, Verdict::Pass, "{text}");
}

fn record_with_latches(name: &str, steps: &[&str], latches: &[&str]) -> Recording {
    let text =
        format!("about = \"a recording\"\nsteps = {steps:?}\nendings.nz-div9 = []\nat_end.latches = {latches:?}");
    let trial = only(file::parse(Path::new(&format!("{name}.toml")), &text).unwrap());
    let mut bench = Pure::new(Setup { record: true, ..Setup::of(&trial.rules, &trial.layout, seed(name, 0)) }).unwrap();
    assert_eq!(run(&mut bench, &trial).verdict, Verdict::Pass, "{name}");
    let (header, lines) = bench.recording(name).unwrap();
    Recording { header, lines }
}

fn written(recording: &Recording) -> String {
    let lines = std::iter::once(Line::Header(recording.header.clone())).chain(recording.lines.iter().cloned());
    lines.map(|line| serde_json::to_string(&line).unwrap() + "\n").collect()
}

#[test]
fn a_recording_is_read_as_it_was_written_and_a_difference_is_found() {
    let recording = record("short", "nz-div9", &["pass 1 s"], &[], &[]);
    let text = written(&recording);
    let mut read = Recording::parse(Path::new("short"), text.as_bytes()).unwrap();
    let playback = play(&read).unwrap();
    assert_eq!(playback.difference, None);
    assert!(playback.inputs.len() > 20);
    for line in &mut read.lines {
        if let Line::Input(entry) = line {
            if entry.index == 7 {
                entry.digest = Digest::try_from("0123456789abcdef".to_owned()).unwrap();
            }
        }
    }
    let difference = play(&read).unwrap().difference.unwrap().to_string();
    assert!(difference.starts_with("input 7: "), "{difference}");
}

#[test]
fn what_is_no_recording_is_told_so_with_its_line() {
    let recording = record("short", "nz-div9", &["pass 1 s"], &[], &[]);
    let whole = written(&recording);
    let cut = whole.get(..whole.len() - 40).unwrap().to_owned();
    let headless: String = whole.split_once('\n').unwrap().1.to_owned();
    let newer = whole.replacen("\"format\":1", "\"format\":2", 1);
    let header: String = whole.lines().take(1).map(|line| format!("{line}\n")).collect();
    let last = whole.lines().count();
    for (text, line, word) in [
        (String::new(), 1, "empty"),
        ("{\"hello\":1}\n".to_owned(), 1, "header"),
        (headless, 1, "header is missing"),
        (newer, 1, "format 2"),
        (header, 2, "keyframe is missing"),
        (cut, last, "EOF"),
    ] {
        let bad = Recording::parse(Path::new("x.jsonl"), text.as_bytes()).unwrap_err();
        assert!(matches!(bad, BadRecording::Malformed { line: at, .. } if at == line), "{bad}");
        let said = bad.to_string();
        assert!(said.contains(word) && said.contains("tumblerctl record"), "{said}");
    }
}
