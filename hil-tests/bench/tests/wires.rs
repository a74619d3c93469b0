//! What the real daemon tells of wires and registers is what the twin's wires and units have.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test ends with the first thing that is wrong"
)]

use std::io::{BufRead, BufReader, Write};
use std::os::unix::net::UnixStream;
use std::path::PathBuf;
use tumbler_bench::process::config::TableSetup;
use tumbler_bench::process::workdir::WorkDir;
use tumbler_bench::process::{Setup, Virtual, daemon};
use tumbler_bench::{Bench, Role};
use tumbler_core::hardware_test::HardwareTest;
use tumbler_core::line::InLine;
use tumbler_core::snapshot::{Phase, Snapshot};
use tumbler_core::wire::ask::{Ask, Query, Reply, Request, Said, Told};
use tumbler_core::wire::console::Command;
use tumbler_core::wire::registers::{Kind, reader, terminal};
use tumbler_core::wire::wires::{Register, Unit, Wires};
use tumbler_twin::{Act, Fault};

/// Longest time for anything to show, in nanoseconds of table time.
const LONG: u64 = 30_000_000_000;
/// Time between two looks.
const STEP: u64 = 20_000_000;

struct Table {
    bench: Virtual,
    console: PathBuf,
}

impl Table {
    fn start() -> Self {
        let program = daemon::find(None);
        assert!(program.exists(), "there is no {}: cargo build -p tumblerd", program.display());
        let setup = Setup {
            program,
            table: TableSetup::of("nz-div9", "nz-div9-2", true),
            seed: 7,
            judge: false,
            trace: false,
            brisk: false,
            wall: None,
        };
        let dir = WorkDir::new().unwrap();
        let console = dir.console();
        Self { bench: Virtual::start(&setup, dir, false).unwrap(), console }
    }

    fn wires(&self) -> Wires {
        let mut stream = UnixStream::connect(&self.console).unwrap();
        let request = serde_json::to_string(&Request { id: 1, ask: Ask::Query(Query::Wires) }).unwrap();
        writeln!(stream, "{request}").unwrap();
        let mut line = String::new();
        BufReader::new(stream).read_line(&mut line).unwrap();
        let Reply { said: Said::Answer(Told::Wires(wires)), .. } = serde_json::from_str(&line).unwrap() else {
            panic!("{line}")
        };
        *wires
    }

    /// What is told once it is so.
    fn once(&mut self, what: &str, is_so: impl Fn(&mut Virtual, &Wires) -> bool) -> Wires {
        let until = self.bench.now() + LONG;
        loop {
            let told = self.wires();
            if is_so(&mut self.bench, &told) {
                return told;
            }
            let now = self.bench.now();
            assert!(now < until, "never {what}: {told:#?}");
            self.bench.pass(now + STEP).unwrap();
        }
    }

    fn ask(&mut self, command: Command) {
        self.bench.ask(Role::Supervisor, command).unwrap();
    }
}

fn unit(told: &Wires, name: &str) -> Unit {
    told.units.iter().find(|unit| unit.name == name).unwrap().clone()
}

fn register(told: &Wires, of: &str, kind: Kind, address: u16) -> Register {
    let registers = unit(told, of).registers;
    registers.into_iter().find(|register| (register.kind, register.address) == (kind, address)).unwrap()
}

/// The bits of a board, the lowest address first, as far as they are known.
fn bits(told: &Wires, board: &str, kind: Kind) -> Option<u64> {
    let registers = unit(told, board).registers;
    let of = registers.iter().filter(|register| register.kind == kind);
    of.map(|register| Some(u64::from(register.value?) << register.address)).sum()
}

fn poses(told: &Wires) -> [Option<u16>; 3] {
    [2, 3, 4].map(|place| register(told, "reader", Kind::InputRegister, reader::POSE + place).value)
}

#[test]
fn registers_are_told_as_the_units_have_them() {
    let mut table = Table::start();
    let display = |told: &Wires| register(told, "terminal", Kind::InputRegister, terminal::POLL + 11).value;
    let told = table.once("how the dice lie", |bench, told| {
        let truth = bench.physical();
        let flat = truth.flat.map(|flat| Some(if flat { reader::FLAT } else { reader::NOT_FLAT }));
        poses(told) == flat && display(told) == Some(truth.display)
    });
    assert!(told.units.iter().all(|unit| !unit.lost && unit.answered.is_some()), "{told:#?}");
    // The dice lie under the dome: their faces are never asked for (design.md, Secrecy of faces).
    for place in 0..reader::FACES_COUNT {
        let face = register(&told, "reader", Kind::InputRegister, reader::FACES + place);
        assert_eq!((face.value, face.at), (None, None), "{face:?}");
    }

    table.bench.act(Act::HoldKey(4)).unwrap();
    let held = |told: &Wires| register(told, "terminal", Kind::InputRegister, terminal::POLL);
    let pressed = table.once("a key is held", |_, told| held(told).secret);
    assert_eq!(held(&pressed).value, None, "which key it is may not be known");
    table.bench.act(Act::LetGoKey(4)).unwrap();
    table.once("no key is held", |_, told| held(told).value == Some(0));

    // Lamps that shine are lamps through which current flows, on both boards.
    table.bench.act(Act::Hold(InLine::SupervisorKey)).unwrap();
    let is = |bench: &mut Virtual, is_so: fn(&Snapshot) -> bool| bench.snapshot().unwrap().is_some_and(|s| is_so(&s));
    table.once("the key is in force", |bench, _| is(bench, |table| table.key));
    table.ask(Command::Maintenance { on: true, name: "Jo".into() });
    // Commands of two connections may overtake each other.
    table.once("maintenance", |bench, _| is(bench, |table| table.phase == Phase::Maintenance));
    table.ask(Command::HardwareTest { test: HardwareTest::Lamps, name: "Jo".into() });
    for (board, name) in ["board-2", "board-3"].into_iter().enumerate() {
        table.once("the lamps that shine", |bench, told| {
            let shining = bench.physical().shining[board];
            shining != 0 && bits(told, name, Kind::DiscreteInput) == Some(shining)
        });
    }
}

#[test]
fn a_unit_that_falls_silent_has_its_time_outs_counted() {
    let mut table = Table::start();
    let healthy = table.once("all have answered", |_, told| told.units.iter().all(|unit| unit.answered.is_some()));
    let silent = Fault::UnitSilent(3);
    table.bench.fault(silent).unwrap();
    let before = unit(&healthy, "board-3");
    let lost = table.once("it is lost", |_, told| unit(told, "board-3").lost);
    let gone = unit(&lost, "board-3");
    assert!(gone.timeouts > before.timeouts && gone.retries > before.retries, "{gone:?}");
    let more = table.once("more time-outs", |_, told| unit(told, "board-3").timeouts > gone.timeouts);
    assert_eq!(unit(&more, "board-3").answered, gone.answered, "the last good answer stays that");
    assert!(!unit(&more, "board-2").lost && unit(&more, "board-2").answered > unit(&healthy, "board-2").answered);
    table.bench.heal(silent).unwrap();
    // Counts are told a moment after the table has it back.
    table.once("it is back", |_, told| !unit(told, "board-3").lost && unit(told, "board-3").answered > gone.answered);
}
