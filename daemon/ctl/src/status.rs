//! `tumblerctl status`: the table as it is.

use crate::context::Context;
use crate::ending::Ended;
use crate::link::{Link, astray};
use crate::say::Tone;
use crate::{say, wording};
use tumbler_core::wall;
use tumbler_core::wire::ask::{Ask, Query, Status, Told};
use tumblerd::hardware::rppal::board;

/// Show the table as it is: first what is wrong
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:\n  tumblerctl status --json")]
pub(crate) struct Arguments {}

pub(crate) fn run(context: &Context) -> anyhow::Result<Ended> {
    let mut link = Link::open(&context.socket)?;
    link.ask(Ask::Query(Query::Status))?;
    let Told::Status(status) = link.next()? else { return Err(astray("`status`")) };
    if context.json {
        say::json(&status)?;
    } else {
        for (name, value) in alarms(&status) {
            say::hanging(&format!("{}{value}", Tone::Wrong.of(&format!("{name:<VALUES$}"))), VALUES)?;
        }
        for (name, value) in rows(&status) {
            say::hanging(&format!("{name:<VALUES$}{value}"), VALUES)?;
        }
    }
    Ok(Ended::Done)
}

/// Column at which the values begin.
const VALUES: usize = 19;

/// What is wrong.
fn alarms(status: &Status) -> Vec<(&'static str, String)> {
    let mut alarms = Vec::new();
    for malfunction in &status.snapshot.malfunctions {
        alarms.push(("MALFUNCTION", format!("{}: {}", malfunction.code, malfunction.cause)));
    }
    if let Some(network) = status.network.as_ref().filter(|network| !network.up) {
        let why = network.trouble.as_ref().map(|why| format!(": {why}")).unwrap_or_default();
        alarms.push(("NETWORK", format!("down since {}{why}", wall::shown(network.since))));
    }
    for refused in status.relay.iter().flat_map(|relay| &relay.refused) {
        alarms.push(("REFUSED TOPIC", refused.clone()));
    }
    alarms
}

fn rows(status: &Status) -> Vec<(&'static str, String)> {
    let s = &status.snapshot;
    let mut rows = vec![
        ("table", format!("{} at {}", status.about.table, status.about.site)),
        ("phase", s.phase.name().to_owned()),
        ("rules, layout", format!("{}, {}", s.rules, s.layout)),
        ("open for gaming", open(s.open, !s.malfunctions.is_empty())),
    ];
    if s.backend == "virtual" {
        rows.push(("hardware", "virtual: nothing here is a real game".to_owned()));
    } else {
        // The console is a socket of this machine, so the table's board is this one.
        let board = board().map(|board| format!(" on a {board}")).unwrap_or_default();
        rows.push(("hardware", format!("{}{board}", s.backend)));
    }
    if let Some(round) = s.round {
        rows.push(("round", round.0.to_string()));
    }
    rows.push(("tumbles", s.tumbles.0.to_string()));
    rows.push(("dome", s.dome.clone()));
    rows.push(("motor", if s.motor { "on" } else { "off" }.to_owned()));
    rows.push(("dice", s.poses.join(", ")));
    if let Some(result) = s.result {
        rows.push(("result", wording::dice(result)));
    }
    rows.push(("display", format!("[{}]", s.display)));
    rows.push(("lit", if s.lit.is_empty() { "none".to_owned() } else { s.lit.join(" ") }));
    if !s.lit.is_empty() {
        rows.push(("lit as told", yes(s.verified)));
    }
    if let Some(temperature) = s.temperature {
        rows.push(("motor temperature", format!("{:.1} C", f64::from(temperature.0) / 1000.0)));
    }
    rows.push(("supervisor's key", if s.key { "in force" } else { "not in force" }.to_owned()));
    if let Some(test) = &s.test {
        rows.push(("test", test.clone()));
    }
    if !s.lost_units.is_empty() {
        rows.push(("lost on the bus", format!("{:?}", s.lost_units)));
    }
    for waiver in &s.waived {
        rows.push(("replaced check", format!("{}: {} ({})", waiver.code, waiver.procedure, waiver.by)));
    }
    rows.push(("broker", broker(status)));
    rows.push(("last record", s.seq.0.to_string()));
    rows
}

fn broker(status: &Status) -> String {
    let Some(relay) = &status.relay else { return "none configured".to_owned() };
    let how = if relay.connected { "connected" } else { "NOT CONNECTED" };
    let trouble = relay.trouble.as_ref().map(|t| format!("; {t}")).unwrap_or_default();
    format!("{}, {how}, {} records wait{trouble}", relay.broker, relay.waiting)
}

/// A table that is blocked is open for nobody, though it need not be opened again once it is put right.
fn open(open: bool, blocked: bool) -> String {
    if open && blocked { "no further game until the malfunction is put right".to_owned() } else { yes(open) }
}

fn yes(yes: bool) -> String {
    if yes { "yes" } else { "no" }.to_owned()
}
