//! What people see on a terminal that is narrower than usual: the real `tumblerctl` on a pty, whose screen is read back.

use super::commands::{opening, witnessed};
use super::hardware_test::{motor, tests};
use super::stub::{Stub, done};
use super::wires::happen;
use nix::pty::{Winsize, openpty};
use std::fs::File;
use std::io::Read;
use std::num::NonZero;
use std::os::fd::AsFd;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::{Arc, Mutex};
use tumbler_core::hardware_test::{Measurement, Quantity};
use tumbler_core::input::Input;
use tumbler_core::latch::{Code, Malfunction, Waiver};
use tumbler_core::line::InLine;
use tumbler_core::record::Event;
use tumbler_core::round::SpinEnd;
use tumbler_core::round::ending::{Void, VoidReason};
use tumbler_core::settings::Parameters;
use tumbler_core::snapshot::Phase;
use tumbler_core::units::{Mono, Tumbles};
use tumbler_core::wire::console::{Answer, Command as Asked};

/// A terminal with a program on it. Dropped, the program is killed.
struct Terminal {
    child: Child,
    screen: Arc<Mutex<vt100::Parser>>,
    reader: Option<std::thread::JoinHandle<()>>,
}

impl Terminal {
    /// Starts `tumblerctl` on a terminal of this size.
    fn start(stub: &Stub, arguments: &[&str], size: (u16, u16)) -> Self {
        Self::run(stub.command(arguments), size)
    }

    /// The same of this command.
    fn run(mut command: Command, (columns, rows): (u16, u16)) -> Self {
        let size = Winsize { ws_col: columns, ws_row: rows, ws_xpixel: 0, ws_ypixel: 0 };
        let pty = openpty(&size, None).unwrap();
        let stdio = || Stdio::from(pty.slave.as_fd().try_clone_to_owned().unwrap());
        let child = command.stdin(stdio()).stdout(stdio()).stderr(stdio()).spawn().unwrap();
        // The master tells the end once nobody has the other side any more.
        drop((command, pty.slave));
        let cells = |n| NonZero::new(n).unwrap();
        let screen = Arc::new(Mutex::new(vt100::Parser::new(cells(rows), cells(columns), 0)));
        let (mut master, shown) = (File::from(pty.master), Arc::clone(&screen));
        let reader = std::thread::spawn(move || {
            let mut bytes = [0; 4096];
            while let Ok(count @ 1..) = master.read(&mut bytes) {
                shown.lock().unwrap().process(&bytes[..count]);
            }
        });
        Self { child, screen, reader: Some(reader) }
    }

    /// The screen, a row a line: what the terminal itself had to break is broken here too.
    fn shows(&self) -> String {
        let parser = self.screen.lock().unwrap();
        let columns = parser.screen().size().1;
        let rows: Vec<String> = parser.screen().rows(0, columns.into()).collect();
        rows.join("\n").trim_end().to_owned()
    }

    fn until(&mut self, what: &str) {
        while !self.shows().contains(what) {
            assert_eq!(self.child.try_wait().unwrap(), None, "it ended without `{what}`: {}", self.shows());
            std::thread::yield_now();
        }
    }

    /// Waits for the end, and gives the screen as it was left.
    fn ends(mut self) -> (ExitStatus, String) {
        let status = self.ended();
        (status, self.shows())
    }

    fn ended(&mut self) -> ExitStatus {
        let status = self.child.wait().unwrap();
        self.reader.take().unwrap().join().unwrap();
        status
    }

    /// The colour of the first character on this row.
    fn colour(&self, row: u16) -> vt100::Color {
        self.screen.lock().unwrap().screen().cell(row, 0).unwrap().fgcolor()
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// A test that ends when the table says so.
fn waits(command: &Asked) -> Option<Answer> {
    match command {
        Asked::HardwareTest { .. } => None,
        _ => tests(command),
    }
}

/// What happens while a question waits has a line of its own, and the question stays the last thing said.
#[test]
fn what_is_told_while_a_question_waits_does_not_run_into_it() {
    let stub = Stub::start(opening);
    stub.change(|table| witnessed(table, &["areas", "seal"]));
    let mut terminal = Terminal::start(&stub, &["open", "--name", "Mei"], (100, 24));
    terminal.until("[y/n]");
    stub.change(|table| {
        table.test = Some("opening: the dome was lifted".into());
        table.prompt = None;
    });
    while terminal.shows().matches("[y/n]").count() < 2 {
        assert_eq!(terminal.child.try_wait().unwrap(), None, "it ended: {}", terminal.shows());
        std::thread::yield_now();
    }
    let shown = terminal.shows();
    let lines: Vec<&str> = shown.lines().map(str::trim_end).collect();
    assert_eq!(lines[lines.len() - 2], "-- opening: the dome was lifted", "{shown}");
    assert!(lines[lines.len() - 3].ends_with("[y/n]") && lines[lines.len() - 1].ends_with("[y/n]"), "{shown}");
}

/// Drawn over and over, the bars stay in their place, and the report after them is whole.
#[test]
fn the_bars_of_a_test_and_its_report_have_room_in_sixty_columns_and_in_forty() {
    for columns in [60, 40] {
        let stub = Stub::start(waits);
        let mut terminal = Terminal::start(&stub, &["test", "motor", "--name", "Jo"], (columns, 24));
        while stub.asked.lock().unwrap().is_empty() {
            assert_eq!(terminal.child.try_wait().unwrap(), None, "it ended before it asked");
            std::thread::yield_now();
        }
        let names = [Quantity::StartTime, Quantity::BusTurnaroundGreatest, Quantity::PeriodSpread];
        for n in 1..=20_i64 {
            stub.change(|table| {
                let one = |q| Measurement::new(q, n * 1_000, &Parameters::default());
                table.test = Some("motor: the first of two spins".into());
                table.measurements = names.map(one).to_vec();
            });
            terminal.until(&format!("{n}.0 ms"));
        }
        terminal.until("2000.0 %");
        let screen = terminal.shows();
        let rows: Vec<&str> = screen.lines().collect();
        assert_eq!(rows.len(), 4, "the step, and a row for each of three: {screen}");
        for (row, name) in rows[1..].iter().zip(names) {
            assert!(row.trim_start().starts_with(name.name()), "{screen}");
            assert_eq!(row.contains('#'), columns == 60, "a bar where there is room, else a verdict: {screen}");
        }
        stub.change(|table| table.test = None);
        stub.record(None, motor(1_000_000));
        let (status, screen) = terminal.ends();
        assert_eq!(status.code(), Some(3), "{screen}");
        assert!(!screen.contains("start time"), "the bars are gone: {screen}");
        let words: Vec<&str> = screen.split_whitespace().collect();
        let said = words.join(" ");
        for part in [
            "motor: marginal period, mean 1000.0 ms marginal",
            "pass from 450 ms to 900 ms, fail below 300 ms or above 1500 ms",
            "period, mean is marginal: ",
        ] {
            assert!(said.contains(part), "{part}: {screen}");
        }
        let bar = words.iter().find(|word| word.contains('#')).unwrap();
        assert_eq!(bar.len(), 32, "{screen}");
    }
}

/// However narrow the terminal is, what is said is the same word for word as elsewhere, and no word is torn.
#[test]
fn what_is_said_on_a_narrow_terminal_has_all_its_words_whole() {
    let stub = Stub::start(done);
    stub.change(|table| {
        table.phase = Phase::Blocked;
        let cause = "the loop through the dice compartment is open, and stays so";
        table.malfunctions =
            vec![Malfunction { code: Code::Seal, cause: cause.into(), since: Mono(1), in_spin: false }];
        let procedure = "areas are called and marked by hand until the table closes".into();
        table.waived = vec![Waiver { code: Code::Lamps, procedure, by: "Mei".into() }];
    });
    stub.record(Some(1), Event::RoundBegan { rules: "sg-v6".into(), layout: "sg-v6-3".into() });
    stub.record(
        Some(1),
        Event::SpinEnded { tumbles: Tumbles(4), valid: true, steps: 17, needed: 13, how: SpinEnd::Target },
    );
    let clauses = vec!["SGV6 5.5.2".to_owned()];
    stub.record(
        Some(1),
        Event::Voided(Void { reason: VoidReason::NotFlat, clauses, silent: None, detail: "die 2".into() }),
    );
    for columns in [80, 60, 40] {
        for arguments in [["status"].as_slice(), &["faults"], &["events"], &["reset", "interference", "--rectified"]] {
            let elsewhere = stub.ctl(arguments).out;
            let (status, screen) = Terminal::start(&stub, arguments, (columns, 200)).ends();
            assert_eq!(status.code(), Some(0), "{screen}");
            let words = |text: &str| text.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
            assert_eq!(words(&screen), words(&elsewhere), "{columns} columns: {arguments:?}: {screen}");
        }
    }
}

/// <https://no-color.org>: where NO_COLOR is set and not empty, nothing is coloured; nor where the terminal takes no colours.
#[test]
fn what_is_wrong_is_red_where_the_terminal_takes_colours() {
    let stub = Stub::start(done);
    stub.change(|table| {
        table.malfunctions =
            vec![Malfunction { code: Code::Seal, cause: "broken".into(), since: Mono(1), in_spin: false }];
    });
    let red = vt100::Color::Idx(1);
    for (term, no_color, malfunction) in
        [("xterm", "", red), ("xterm", "1", vt100::Color::Default), ("dumb", "", vt100::Color::Default)]
    {
        let mut command = stub.command(&["status"]);
        command.env_clear().env("TERM", term).env("NO_COLOR", no_color);
        let mut terminal = Terminal::run(command, (80, 24));
        assert!(terminal.ended().success());
        let shown = terminal.shows();
        assert!(shown.starts_with("MALFUNCTION        seal: broken\ntable "), "{shown}");
        assert_eq!((terminal.colour(0), terminal.colour(1)), (malfunction, vt100::Color::Default), "{term} {no_color}");
    }
}

/// A table that has no room is said in words: nothing that it says is missing.
#[test]
fn tables_that_have_no_room_are_said_in_words() {
    let stub = Stub::start(tests);
    for (round, reason) in [(1, VoidReason::NotFlat), (2, VoidReason::Declared)] {
        stub.record(Some(round), Event::RoundBegan { rules: "sg-v6".into(), layout: "sg-v6-3".into() });
        stub.record(
            Some(round),
            Event::SpinEnded { tumbles: Tumbles(4), valid: true, steps: 17, needed: 13, how: SpinEnd::Target },
        );
        let clauses = vec!["SGV6 5.5.2".to_owned()];
        stub.record(Some(round), Event::Voided(Void { reason, clauses, silent: None, detail: "die 2".into() }));
    }
    for period in [600_000, 700_000, 800_000, 900_000] {
        stub.record(None, motor(period));
    }
    let wide = |arguments: &[&str]| Terminal::start(&stub, arguments, (120, 24)).ends().1;
    assert!(wide(&["rounds"]).starts_with(" round  began"), "{}", wide(&["rounds"]));
    assert!(wide(&["test", "trends"]).contains(" test   measured"), "{}", wide(&["test", "trends"]));
    for columns in [60, 40] {
        let said = |arguments: &[&str]| {
            let (status, screen) = Terminal::start(&stub, arguments, (columns, 24)).ends();
            assert_eq!(status.code(), Some(0), "{screen}");
            screen.split_whitespace().collect::<Vec<_>>().join(" ")
        };
        let rounds = said(&["rounds"]);
        for part in [
            "1: void: not-flat (SGV6 5.5.2); 4 tumbles (17/13 steps); began 2026-11-21 03:24:05Z on sg-v6-3",
            "2: void: declared",
        ] {
            assert!(rounds.contains(part), "{rounds}");
        }
        let trend = "motor: period, mean ▁▃▅█ 600.0 ms to 900.0 ms in 4 tests, out of limits in about 6 tests";
        assert_eq!(said(&["test", "trends"]), trend);
    }
}

/// technician.md: `wires --follow` shows the same as `wires`, however narrow the terminal is.
#[test]
fn followed_wires_say_on_a_narrow_terminal_all_that_they_say_elsewhere() {
    let stub = Stub::start(done);
    happen(&stub, |meters, now| {
        for line in [InLine::DomeClosed, InLine::DomeOpen] {
            meters.take(now, &Input::Level { line, active: true }, false);
        }
    });
    // Times go on between two looks.
    let words = |text: &str| -> Vec<String> {
        text.split_whitespace().filter(|word| !word.contains(|c: char| c.is_ascii_digit())).map(str::to_owned).collect()
    };
    for arguments in [["wires"].as_slice(), &["wires", "dome_closed", "dome_open"], &["wires", "terminal"]] {
        let elsewhere = words(&stub.ctl(arguments).out);
        for columns in [80, 60, 40] {
            let mut terminal = Terminal::start(&stub, &[arguments, &["--follow"]].concat(), (columns, 200));
            terminal.until("q ends");
            let screen = terminal.shows();
            let (title, rows) = screen.split_once('\n').unwrap();
            assert!(title.contains("of the field bus"), "{screen}");
            let rows = rows.strip_suffix("q ends").unwrap();
            assert_eq!(words(rows), elsewhere, "{columns} columns: {screen}");
        }
    }
    let mut low = Terminal::start(&stub, &["wires", "dome_closed", "dome_open", "--follow"], (200, 3));
    low.until("rows 1 to 1 of");
}

/// Kept up to date in place: a technician turns a wire and sees it, and what is odd stands out.
#[test]
fn followed_wires_change_on_the_screen_as_they_change_at_the_table() {
    let stub = Stub::start(done);
    let level = |line, active| {
        happen(&stub, |meters, now| {
            meters.take(now, &Input::Edge { line, active }, false);
        })
    };
    level(InLine::Seal, true);
    let mut terminal = Terminal::start(&stub, &["wires", "--follow"], (120, 30));
    terminal.until("q ends");
    terminal.until("16 lines, 3 units of the field bus");
    terminal.until("whole");
    let place = |screen: &str, name: &str| screen.lines().position(|row| row.starts_with(&format!(" {name}"))).unwrap();
    let dome = u16::try_from(place(&terminal.shows(), "dome_closed")).unwrap();
    assert_eq!(terminal.colour(dome), vt100::Color::Default, "{}", terminal.shows());
    level(InLine::Seal, false);
    terminal.until("broken");
    assert_eq!(place(&terminal.shows(), "seal"), usize::from(dome) + 7, "no row has moved: {}", terminal.shows());
    level(InLine::DomeClosed, true);
    level(InLine::DomeOpen, true);
    terminal.until("both contacts");
    while terminal.colour(dome) != vt100::Color::Idx(1) {
        assert_eq!(terminal.child.try_wait().unwrap(), None, "it ended");
        std::thread::yield_now();
    }
    drop(stub);
    let (status, _) = terminal.ends();
    assert_eq!(status.code(), Some(2), "the daemon is gone");
}
