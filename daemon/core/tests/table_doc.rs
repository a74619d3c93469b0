//! `daemon/docs/table.md` is checked against the code: every cell of its phase x input tables is played, and every
//! parameter is listed as it is.
//!
//! After a change of behaviour `TUMBLERD_REWRITE=1` writes the page as it should be: read the difference against the rules
//! before taking it over.

#![allow(clippy::panic, clippy::indexing_slicing, clippy::unwrap_used, reason = "a test may fail loudly")]

mod world;

use std::fmt::Write;
use tumbler_core::input::InLine;
use tumbler_core::record::Event;
use tumbler_core::round::ending::Ground;
use tumbler_core::rules;
use tumbler_core::settings::Parameters;
use tumbler_core::snapshot::Phase;
use tumbler_core::wire::console::Command;
use tumbler_core::wire::registers::{reader, terminal};
use world::{SUPERVISOR, World, settings};

const DOC: &str = include_str!("../../docs/table.md");

/// The columns: every phase, and how a table under an order of play gets there.
const PHASES: [Phase; 11] = Phase::ALL;

type Input = (&'static str, fn(&mut World));

/// The rows.
const INPUTS: [Input; 16] = [
    ("`tumble` pressed", |w| w.press(InLine::Tumble)),
    ("`place_bets` pressed", |w| w.press(InLine::PlaceBets)),
    ("`no_more_bets` pressed", |w| w.press(InLine::NoMoreBets)),
    ("`no_spin` pressed", |w| w.press(InLine::NoSpin)),
    ("dome taken away", |w| {
        if w.lines[InLine::DomeClosed.index()] {
            w.lift();
        }
    }),
    ("dome contacts contradict", |w| {
        let closed = w.lines[InLine::DomeClosed.index()];
        w.line(InLine::DomeOpen, closed);
        w.pass(400);
    }),
    ("a die not flat at rest", |w| {
        w.poses[0] = reader::NOT_FLAT;
        w.pass(6000);
    }),
    ("three digits and entry", |w| w.entry([1, 3, 6])),
    ("two digits and entry", |w| w.keys(&[1, 3, terminal::ENTRY])),
    ("entry without digits", |w| w.keys(&[terminal::ENTRY])),
    ("seal broken", |w| w.line(InLine::Seal, false)),
    ("supply dips for 10 ms", |w| {
        w.line(InLine::PowerGood, false);
        w.pass(10);
        w.line(InLine::PowerGood, true);
    }),
    ("shaft turned by hand", |w| {
        if w.table.phase() != Phase::Tumbling {
            let a = w.lines[InLine::CamA.index()];
            let b = w.lines[InLine::CamB.index()];
            // Two steps onward from wherever the cam stands.
            let (first, second) = if a == b { (InLine::CamA, InLine::CamB) } else { (InLine::CamB, InLine::CamA) };
            let (x, y) = (w.lines[first.index()], w.lines[second.index()]);
            w.line(first, !x);
            w.pass(5);
            w.line(second, !y);
        }
    }),
    ("daemon restarted", |w| w.restart(false)),
    ("machine rebooted", |w| w.restart(true)),
    ("`close` on the console", |w| {
        w.ask(Command::Close { name: SUPERVISOR.into() });
    }),
];

/// A table in this phase, if the order of play has it.
fn in_phase(rules: &str, layout: &str, phase: Phase) -> Option<World> {
    let order = rules::rule_set(rules).unwrap().order;
    let mut w = World::new(settings(rules, layout));
    w.pass(2000);
    if phase == Phase::Closed {
        return Some(w);
    }
    if phase == Phase::Maintenance {
        w.turn_key();
        w.ask(Command::Maintenance { on: true, name: "teo".into() });
        return Some(w);
    }
    w.open();
    let steps: &[&str] = if order.spin_begins_round {
        &["spin", "place", "close", "reveal", "entry"]
    } else if order.covered {
        &["place", "spin", "close", "reveal", "entry"]
    } else {
        &["place", "close", "spin", "reveal", "entry"]
    };
    match phase {
        Phase::Ready => return Some(w),
        Phase::Blocked => {
            w.line(InLine::Seal, false);
            w.pass(100);
            w.line(InLine::Seal, true);
            w.pass(100);
            return Some(w);
        }
        Phase::Void => {
            if !order.spin_begins_round {
                w.press(InLine::PlaceBets);
                w.press(InLine::NoMoreBets);
            }
            w.press(InLine::Tumble);
            w.pass(300);
            w.press(InLine::NoSpin);
            w.pass(2500);
            return Some(w);
        }
        _ => {}
    }
    if phase == Phase::Interrupted {
        w.settings.reader = false;
        w.restart(false);
        world::play::play_to_reveal(&mut w);
        w.restart(false);
        w.pass(500);
        return Some(w);
    }
    for step in steps {
        match *step {
            "spin" => {
                w.press(InLine::Tumble);
                w.pass(700);
                if phase == Phase::Tumbling {
                    return Some(w);
                }
                w.until(12_000, |w| !w.outs[0]);
                w.pass(1500);
            }
            "place" => w.press(InLine::PlaceBets),
            "close" => w.press(InLine::NoMoreBets),
            "reveal" if order.covered => {
                w.lift();
                w.pass(500);
            }
            "entry" => w.entry([1, 3, 6]),
            _ => {}
        }
        // Betting is looked at after the spin where the order allows it, so that exposure and flatness matter.
        let later = phase == Phase::Betting
            && order.spin_before_no_more_bets
            && !matches!(w.table.phase(), Phase::Betting if {
                let tumbles = w.table.snapshot().tumbles.0;
                tumbles >= 3
            });
        if w.table.phase() == phase && !later {
            return Some(w);
        }
    }
    None
}

/// What came of the input, in a word or two.
fn outcome(w: &World, from: usize, before: Phase) -> String {
    let mut said: Vec<String> = Vec::new();
    for event in w.records[from..].iter().map(|r| &r.event) {
        let word = match event {
            Event::Voided(void) => {
                let clause = if void.clauses.is_empty() { String::new() } else { format!(" ({})", void.cited()) };
                format!("void: {}{clause}", void.reason.name())
            }
            Event::Latched { code, .. } => format!("latch {code}"),
            Event::Refused { .. } => "refused".into(),
            Event::Called { in_turn: false, .. } => "out of turn".into(),
            Event::EntryError { .. } => "entry error".into(),
            Event::RoundBegan { .. } => "round begins".into(),
            Event::Settled { .. } => "settled".into(),
            Event::Resumed { established: true } => "concluded".into(),
            _ => continue,
        };
        if !said.contains(&word) {
            said.push(word);
        }
    }
    let after = w.table.phase();
    if after != before {
        said.push(format!("-> {}", after.name()));
    }
    if said.is_empty() { "-".into() } else { said.join("; ") }
}

fn order_table(rules: &str, layout: &str) -> String {
    let columns: Vec<(Phase, World)> =
        PHASES.into_iter().filter_map(|phase| in_phase(rules, layout, phase).map(|world| (phase, world))).collect();
    let mut text = String::from("| input |");
    for (phase, _) in &columns {
        write!(text, " {} |", phase.name()).unwrap();
    }
    text.push_str("\n| --- |");
    text.push_str(&" --- |".repeat(columns.len()));
    text.push('\n');
    for (name, act) in INPUTS {
        write!(text, "| {name} |").unwrap();
        for (phase, world) in &columns {
            let mut w = world.clone();
            w.pass(250);
            let (from, before) = (w.records.len(), w.table.phase());
            assert_eq!(before, *phase, "{rules}");
            let from = from.min(w.records.len());
            act(&mut w);
            let settle = if before == Phase::Tumbling { 60 } else { 800 };
            w.pass(settle);
            w.pass(250);
            let from = from.min(w.records.len());
            write!(text, " {} |", outcome(&w, from, before)).unwrap();
        }
        text.push('\n');
    }
    text
}

fn parameter_table() -> String {
    let mut text =
        String::from("| parameter | unit | least | default | most | reason |\n| --- | --- | --- | --- | --- | --- |\n");
    for p in Parameters::TABLE {
        writeln!(text, "| `{}` | {} | {} | {} | {} | {} |", p.name, p.unit, p.min, p.default, p.max, p.why).unwrap();
    }
    text
}

fn void_table() -> String {
    let mut text = String::from("| ground |");
    for rules in rules::all() {
        write!(text, " {} |", rules.id).unwrap();
    }
    text.push_str("\n| --- | --- | --- | --- | --- | --- |\n");
    for ground in Ground::ALL {
        write!(text, "| {} |", ground.about()).unwrap();
        for rules in rules::all() {
            let clauses = rules.void_clauses(&[ground]).join(", ");
            write!(text, " {} |", if clauses.is_empty() { "-" } else { &clauses }).unwrap();
        }
        text.push('\n');
    }
    text
}

/// Replaces, or compares, the text between `<!-- NAME -->` and `<!-- end -->`.
fn section(doc: &str, name: &str, text: &str) -> String {
    let open = format!("<!-- {name} -->\n");
    let begin = doc.find(&open).unwrap_or_else(|| panic!("table.md has no section {name}")) + open.len();
    let end = begin + doc[begin..].find("<!-- end -->").unwrap();
    format!("{}{text}{}", &doc[..begin], &doc[end..])
}

#[test]
#[expect(clippy::disallowed_methods, reason = "the page is written anew on demand only")]
fn the_page_says_what_the_code_does() {
    let mut page = DOC.to_owned();
    page = section(&page, "parameters", &parameter_table());
    page = section(&page, "voids", &void_table());
    for (rules, layout) in [("nz-div9", "nz-div9-1"), ("sg-v6", "sg-v6-1"), ("sg-open", "sg-open-1")] {
        page = section(&page, rules, &order_table(rules, layout));
    }
    if std::env::var_os("TUMBLERD_REWRITE").is_some() {
        std::fs::write(concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/table.md"), &page).unwrap();
        return;
    }
    let differs = DOC.lines().zip(page.lines()).find(|(said, is)| said != is);
    assert!(page == DOC, "table.md differs from the code, first at {differs:?}; TUMBLERD_REWRITE=1 writes it");
}
