//! The dumps of cells, read by the programs that people read them with: GTKWave's vcd2fst and sigrok's importer, which is PulseView's.

use std::path::{Path, PathBuf};
use std::process::Command;
use tumbler_bench::pure::{Pure, Setup};
use tumbler_hil::report::capture::Capture;
use tumbler_hil::report::vcd;
use tumbler_hil::scenario::timeline::{Mark, MarkKind};
use tumbler_hil::scenario::{Trial, Verdict, read_all, run};
use tumbler_spec::{Line, Observation, Seen, Truth};

const REMEDY: &str = "the packages gtkwave and sigrok-cli are needed: scripts/test installs them";

/// Standard output of a program that must be there, must succeed and must have nothing to complain of.
fn output(program: &str, arguments: &[&str]) -> String {
    let ran = Command::new(program).args(arguments).output();
    let ran = ran.unwrap_or_else(|error| panic!("{program}: {error}; {REMEDY}"));
    let complaints = String::from_utf8_lossy(&ran.stderr);
    assert!(ran.status.success(), "{program} {arguments:?} ended with {}: {complaints}", ran.status);
    assert!(!complaints.contains("rror"), "{program} {arguments:?}: {complaints}");
    String::from_utf8(ran.stdout).unwrap()
}

fn dump(directory: &Path, name: &str, capture: &Capture) -> PathBuf {
    let path = directory.join("cell.vcd");
    vcd::write(std::fs::File::create(&path).unwrap(), name, capture).unwrap();
    path
}

/// How often a line changes between 0 and 1 in a dump as fst2vcd writes it.
fn changes_in_vcd(text: &str, line: &str) -> usize {
    let definition = text.lines().find(|l| l.starts_with("$var wire 1 ") && l.contains(&format!(" {line} $end")));
    let id = definition.unwrap_or_else(|| panic!("no line {line}")).split_whitespace().nth(3).unwrap();
    let values: Vec<&str> =
        text.lines().filter_map(|l| l.strip_suffix(id)).filter(|value| ["0", "1"].contains(value)).collect();
    values.windows(2).filter(|pair| pair.first() != pair.last()).count()
}

/// How often a line changes in sigrok's comma-separated values, whose last line of comment or header names the columns.
fn changes_in_csv(text: &str, line: &str) -> usize {
    let header = text.lines().find(|l| l.split(',').any(|name| name.ends_with(line)));
    let header = header.unwrap_or_else(|| panic!("no column {line} in\n{}", text.get(..2000).unwrap_or(text)));
    let column = header.split(',').position(|name| name.ends_with(line)).unwrap();
    let values: Vec<&str> =
        text.lines().filter(|l| l.starts_with(['0', '1'])).filter_map(|l| l.split(',').nth(column)).collect();
    assert!(values.len() > 1, "no samples in\n{}", text.get(..2000).unwrap_or(text));
    values.windows(2).filter(|pair| pair.first() != pair.last()).count()
}

/// Changes of a line in what was captured, the level at the beginning not among them.
fn changes_seen(capture: &Capture, line: Line) -> usize {
    let levels: Vec<bool> = capture
        .seen
        .iter()
        .filter_map(|seen| match seen.what {
            Seen::Wire { line: of, active, .. } if of == line => Some(active),
            _ => None,
        })
        .collect();
    levels.windows(2).filter(|pair| pair.first() != pair.last()).count()
}

/// Twenty milliseconds with everything in it that a dump has.
fn made_up() -> Capture {
    let at = |ms: u64, what| Observation::new(ms * 1_000_000, what);
    let mut seen: Vec<Observation> =
        Line::ALL.iter().map(|line| at(0, Seen::Wire { line: *line, active: false, initial: true })).collect();
    for ms in 1..=9 {
        seen.push(at(ms, Seen::Wire { line: Line::MotorAlive, active: ms % 2 == 1, initial: false }));
    }
    seen.push(at(10, Seen::Wire { line: Line::Seal, active: true, initial: false }));
    seen.push(at(12, Seen::Truth(Truth::Dice { faces: [1, 2, 6], flat: [true, true, false] })));
    seen.push(at(
        13,
        Seen::ConsoleCommand { request: 1, command: "two words $end".into(), with: serde_json::Value::Null },
    ));
    Capture {
        seen,
        phases: vec![(0, "ready".into()), (11_000_000, "bets-closed".into())],
        marks: vec![Mark { at_ns: 10_000_000, kind: MarkKind::Broken, what: "seal".into() }],
        end_ns: 20_000_000,
    }
}

/// A scenario of the repository as it is played, with its trace.
fn played(name: &str) -> (Trial, Capture) {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("../fixtures/scenarios");
    let trial = read_all(&directory).unwrap().into_iter().find(|trial| trial.name == name).unwrap();
    let mut bench = Pure::new(Setup { trace: true, ..Setup::of(&trial.rules, &trial.layout, 5) }).unwrap();
    let outcome = run(&mut bench, &trial);
    assert_eq!(outcome.verdict, Verdict::Pass);
    let (seen, phases) = bench.take_trace();
    let capture = Capture { seen, phases, marks: outcome.timeline.marks, end_ns: outcome.table_ns };
    (trial, capture)
}

#[test]
#[ignore = "needs GTKWave, which scripts/test dumps installs"]
fn gtkwave_reads_a_played_cell_and_finds_every_change_of_its_wires() {
    let dir = tempfile::tempdir().unwrap();
    let (trial, capture) = played("stall[stall]::nz-div9-1");
    let path = dump(dir.path(), &trial.name, &capture);
    let fst = dir.path().join("cell.fst");
    output("vcd2fst", &[path.to_str().unwrap(), fst.to_str().unwrap()]);
    let back = output("fst2vcd", &[fst.to_str().unwrap()]);
    for line in [Line::CamA, Line::MotorAlive, Line::MotorEnable, Line::DomeClosed, Line::SupervisorKey] {
        assert!(changes_seen(&capture, line) > 0, "{line:?} does nothing in this scenario");
        assert_eq!(changes_in_vcd(&back, line.name()), changes_seen(&capture, line), "{line:?}");
    }
    assert_eq!(changes_in_vcd(&back, "broken"), 1, "broken, and mended again");
    assert!(back.contains("tumbling"), "the phases are there in words");
}

#[test]
#[ignore = "needs sigrok-cli, which scripts/test dumps installs"]
fn sigrok_reads_a_dump_with_words_in_it_and_finds_every_change_of_its_wires() {
    let dir = tempfile::tempdir().unwrap();
    let capture = made_up();
    let path = dump(dir.path(), "made up, with $end in its name", &capture);
    let csv = output("sigrok-cli", &["-I", "vcd", "-i", path.to_str().unwrap(), "-O", "csv"]);
    assert_eq!(changes_in_csv(&csv, "motor_alive"), 9);
    assert_eq!(changes_in_csv(&csv, "seal"), 1);
    assert_eq!(changes_in_csv(&csv, "phase_bets_closed"), 1);
    assert_eq!(changes_in_csv(&csv, "bell"), 0);
}

/// PulseView holds a sample for every unit of time, and so needs a dump that is not too fine.
#[test]
#[ignore = "needs sigrok-cli, which scripts/test dumps installs"]
fn sigrok_reads_a_played_cell_thinned_to_milliseconds() {
    let dir = tempfile::tempdir().unwrap();
    let (trial, capture) = played("stall[stall]::nz-div9-1");
    let path = dump(dir.path(), &trial.name, &capture);
    let csv = output("sigrok-cli", &["-I", "vcd:downsample=1000", "-i", path.to_str().unwrap(), "-O", "csv"]);
    assert_eq!(changes_in_csv(&csv, "motor_enable"), changes_seen(&capture, Line::MotorEnable));
    // A bounce that is shorter than a sample may vanish, and takes both its edges with it.
    let (thinned, seen) = (changes_in_csv(&csv, "dome_closed"), changes_seen(&capture, Line::DomeClosed));
    assert!(thinned > 0 && thinned <= seen && (seen - thinned) % 2 == 0, "{thinned} of {seen}");
}
