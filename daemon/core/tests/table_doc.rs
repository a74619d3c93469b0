//! `daemon/docs/table.md` is checked against the code: every cell of its phase x input tables is played, and every
//! parameter is listed as it is.
//!
//! After a change of behaviour `TUMBLERD_REWRITE=1` writes the page as it should be: read the difference against the rules
//! before taking it over.

use crate::world;

use std::fmt::Write;
use tumbler_core::input::Input as Given;
use tumbler_core::line::InLine;
use tumbler_core::record::Event;
use tumbler_core::round::ending::Ground;
use tumbler_core::rules;
use tumbler_core::settings::{Parameters, Relation};
use tumbler_core::snapshot::Phase;
use tumbler_core::wire::console::Command;
use tumbler_core::wire::registers::{reader, terminal};
use world::{SUPERVISOR, World, settings};

const DOC: &str = include_str!("../../docs/table.md");

/// A column: a phase, and in which of its states.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Column {
    phase: Phase,
    state: State,
}

/// What matters in a phase besides its name.
#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    /// As it mostly is.
    Usual,
    /// The round has not had its spin.
    BeforeSpin,
    /// The shaft turns, and three full tumbles are made.
    ThreeMade,
    /// No dice reader is in service: people's eyes decide.
    ByEye,
    /// A person is asked about dice that lie open.
    Open,
}

const BESIDES: [Column; 5] = [
    Column { phase: Phase::Betting, state: State::BeforeSpin },
    Column { phase: Phase::Tumbling, state: State::ThreeMade },
    Column { phase: Phase::BetsClosed, state: State::BeforeSpin },
    Column { phase: Phase::Revealed, state: State::ByEye },
    Column { phase: Phase::Interrupted, state: State::Open },
];

impl Column {
    fn name(self) -> String {
        let state = match self.state {
            State::Usual => "",
            State::BeforeSpin => ", no spin yet",
            State::ThreeMade => ", three tumbles made",
            State::ByEye => ", no reader",
            State::Open => ", dome away",
        };
        format!("{}{state}", self.phase.name())
    }
}

type Input = (&'static str, fn(&mut World));

/// The rows.
const INPUTS: [Input; 19] = [
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
    ("three others than the dice show, and entry", |w| w.entry([1, 3, 5])),
    ("two digits and entry", |w| w.keys(&[1, 3, terminal::ENTRY])),
    ("entry without digits", |w| w.keys(&[terminal::ENTRY])),
    ("the same, `all_paid` after the areas are lit", |w| {
        if w.table.phase() == Phase::Settling {
            w.all_paid();
        } else {
            w.keys(&[terminal::ENTRY]);
        }
    }),
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
    ("daemon stopped in order, and started", |w| {
        w.input(Given::Stop);
        w.restart(false);
    }),
    ("machine rebooted", |w| w.restart(true)),
    ("`close` on the console", |w| {
        w.ask(Command::Close { name: SUPERVISOR.into() });
    }),
];

/// A table in this phase and state, if the order of play has it.
fn in_column(rules: &str, layout: &str, column: Column) -> Option<World> {
    let Column { phase, state } = column;
    let order = rules::rule_set(rules).unwrap().order;
    let mut settings = settings(rules, layout);
    // Long enough that what ends a spin ends it, and not its target.
    settings.parameters.target_tumbles = 8;
    settings.parameters.spin_limit = 20_000;
    settings.reader = state != State::ByEye && phase != Phase::Interrupted;
    let mut w = World::new(settings);
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
        Phase::Interrupted => {
            world::play::play_to_reveal(&mut w);
            if state == State::Open && order.covered {
                w.lift();
                w.pass(500);
            }
            w.restart(false);
            w.pass(500);
            let seen = w.table.snapshot().dome == "open";
            return (w.table.phase() == phase && (state == State::Open) == seen).then_some(w);
        }
        _ => {}
    }
    if state == State::BeforeSpin && !order.spin_before_no_more_bets {
        return None;
    }
    // Where the spin begins the round, a call may begin one too.
    let steps: &[&str] = match state {
        State::BeforeSpin => &["place", "close"],
        _ if order.spin_begins_round => &["spin", "place", "close", "reveal", "entry"],
        _ if order.covered => &["place", "spin", "close", "reveal", "entry"],
        _ => &["place", "close", "spin", "reveal", "entry"],
    };
    let mut spun = false;
    for step in steps {
        match *step {
            "spin" => {
                spun = true;
                w.press(InLine::Tumble);
                w.pass(if state == State::ThreeMade { 2400 } else { 600 });
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
        // Where the order has the spin before "No more bets", exposure and flatness matter from it on.
        let pending = matches!(phase, Phase::Betting | Phase::BetsClosed);
        let wanted = order.spin_before_no_more_bets && state == State::Usual;
        if w.table.phase() == phase && (!pending || spun == wanted) {
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
            Event::EntryDiffers { .. } => "entry differs".into(),
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

/// The table of these columns, as far as this order of play has them.
fn order_table(rules: &str, layout: &str, columns: &[Column]) -> String {
    let columns: Vec<(Column, World)> =
        columns.iter().filter_map(|column| in_column(rules, layout, *column).map(|world| (*column, world))).collect();
    let mut text = String::from("| input |");
    for (column, _) in &columns {
        write!(text, " {} |", column.name()).unwrap();
    }
    text.push_str("\n| --- |");
    text.push_str(&" --- |".repeat(columns.len()));
    text.push('\n');
    for (name, act) in INPUTS {
        write!(text, "| {name} |").unwrap();
        for (column, world) in &columns {
            let mut w = world.clone();
            w.pass(250);
            let (from, before) = (w.records.len(), w.table.phase());
            assert_eq!(before, column.phase, "{rules}");
            act(&mut w);
            // A spin that is ended is judged once its shaft stands still.
            w.pass(1050);
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

fn relation_table() -> String {
    let mut text = String::from("| must be | reason |\n| --- | --- |\n");
    for relation in Relation::ALL {
        writeln!(text, "| `{relation}` | {} |", relation.why).unwrap();
    }
    text
}

fn void_table() -> String {
    let mut text = String::from("| ground |");
    for rules in rules::all() {
        write!(text, " {} |", rules.id).unwrap();
    }
    text.push_str("\n| --- |");
    text.push_str(&" --- |".repeat(rules::all().len()));
    text.push('\n');
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
fn the_page_says_what_the_code_does() {
    let mut page = DOC.to_owned();
    page = section(&page, "parameters", &parameter_table());
    page = section(&page, "relations", &relation_table());
    page = section(&page, "voids", &void_table());
    let usual = Phase::ALL.map(|phase| Column { phase, state: State::Usual });
    for (rules, layout) in [("nz-div9", "nz-div9-1"), ("sg-v6", "sg-v6-1"), ("sg-open", "sg-open-1")] {
        page = section(&page, rules, &order_table(rules, layout, &usual));
        page = section(&page, &format!("{rules}: besides"), &order_table(rules, layout, &BESIDES));
    }
    if std::env::var_os("TUMBLERD_REWRITE").is_some() {
        std::fs::write(concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/table.md"), &page).unwrap();
        return;
    }
    let differs = DOC.lines().zip(page.lines()).find(|(said, is)| said != is);
    assert!(page == DOC, "table.md differs from the code, first at {differs:?}; TUMBLERD_REWRITE=1 writes it");
}

/// Why the last press of `tumble` was refused, if it was.
fn refused(w: &World) -> Option<&str> {
    w.events()
        .filter_map(|e| {
            if let Event::Refused { what, why, .. } = e { (what == "tumble").then_some(why.as_str()) } else { None }
        })
        .last()
}

#[test]
fn the_page_says_what_a_spin_is_refused_for() {
    let mut said = Vec::new();
    let mut ask = |w: &mut World| {
        let before = w.records.len();
        w.press(InLine::Tumble);
        w.pass(300);
        let why = refused(w).filter(|_| w.records.len() > before).unwrap_or_else(|| panic!("granted"));
        said.push(why.to_owned());
    };
    for (rules, layout) in [("nz-div9", "nz-div9-1"), ("sg-v6", "sg-v6-1"), ("sg-open", "sg-open-1")] {
        for phase in
            [Phase::Closed, Phase::Ready, Phase::Betting, Phase::Tumbling, Phase::BetsClosed, Phase::Interrupted]
        {
            let mut w = in_column(rules, layout, Column { phase, state: State::Usual }).unwrap();
            let granted = matches!((rules, phase), ("nz-div9", Phase::Ready) | ("sg-open", Phase::BetsClosed));
            if !granted {
                ask(&mut w);
            }
        }
    }
    let ready = || in_column("nz-div9", "nz-div9-1", Column { phase: Phase::Ready, state: State::Usual }).unwrap();
    let mut w = ready();
    w.lift();
    ask(&mut w);
    // The dome is lifted in a spin, and put back before the shaft has come to rest.
    let mut w = ready();
    w.press(InLine::Tumble);
    w.pass(300);
    for up in [true, false] {
        w.line(InLine::DomeClosed, !up);
        w.line(InLine::DomeOpen, up);
        w.pass(60);
    }
    ask(&mut w);
    // Granted, and a guard goes away before the record is durable.
    let mut w = ready();
    w.disk = false;
    w.line(InLine::Tumble, true);
    w.pass(30);
    w.line(InLine::PowerGood, false);
    w.pass(10);
    w.commit();
    w.pass(300);
    assert!(w.has(|e| matches!(e, Event::SpinDropped { .. })));
    said.extend(refused(&w).map(|why| why.replace("power_good", "LINE")));
    for why in &said {
        assert!(DOC.contains(why), "the page does not say {why:?}");
    }
    assert!(said.len() > 15);
}
