//! `tumblerctl status`: the table as it is.

use crate::context::Context;
use crate::ending::{self, Ended};
use crate::link::{Link, astray};
use crate::say::Tone;
use crate::{say, wording};
use tumbler_core::round::Past;
use tumbler_core::snapshot::Snapshot;
use tumbler_core::wire::ask::{Ask, Query, Status, Told};
use tumblerd::hardware::rppal::board;
use tumblerd::pages::standing::{self, Grade};

/// Show the table as it is: first what is wrong, and what comes next
///
/// With --check, one line for a monitor, and Nagios' exit codes: 0 as it should be, also where people have closed the table; 1
/// somebody is to look at it, such as a question that waits for an answer, or a broker that is away; 2 a malfunction is latched, or the
/// daemon cannot be reached.
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:\n  tumblerctl status\n  tumblerctl status --json\n  tumblerctl status --check")]
pub(crate) struct Arguments {
    /// Say in one line how the table stands, and exit with 0, 1 or 2
    #[arg(long, conflicts_with = "json")]
    check: bool,
}

pub(crate) fn run(context: &Context, of: &Arguments) -> anyhow::Result<Ended> {
    let status = asked(context);
    if of.check {
        return ending::watched(status.map(|status| standing::line(&status)));
    }
    let status = status?;
    if context.json {
        say::json(&status)?;
    } else {
        for alarm in standing::alarms(&status) {
            let tone = if alarm.grade == Grade::Critical { Tone::Wrong } else { Tone::Near };
            let about = tone.of(&format!("{:<VALUES$}", alarm.about));
            say::hanging(&format!("{about}{}", alarm.what), VALUES)?;
        }
        for (name, value) in rows(&status) {
            say::hanging(&format!("{name:<VALUES$}{value}"), VALUES)?;
        }
    }
    Ok(Ended::Done)
}

fn asked(context: &Context) -> anyhow::Result<Status> {
    let mut link = Link::open(&context.socket)?;
    link.ask(Ask::Query(Query::Status))?;
    let Told::Status(status) = link.next()? else { return Err(astray("`status`")) };
    Ok(*status)
}

/// Column at which the values begin.
const VALUES: usize = 19;

fn rows(status: &Status) -> Vec<(&'static str, String)> {
    let s = &status.snapshot;
    let mut rows = vec![
        ("table", format!("{} at {}", status.about.table, status.about.site)),
        ("phase", s.phase.name().to_owned()),
        ("next", standing::next(s)),
        ("rules, layout", format!("{}, {}", s.rules, s.layout)),
        ("open for gaming", open(s).to_owned()),
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
    if let Some(last) = s.recent.last() {
        rows.push(("last round", past(last)));
    }
    rows.push(("tumbles", s.tumbles.0.to_string()));
    rows.push(("dome", s.dome.clone()));
    rows.push(("motor", if s.motor { "on" } else { "off" }.to_owned()));
    rows.push(("dice", s.poses.join(", ")));
    if let Some(result) = s.result {
        rows.push(("result", wording::dice(result)));
    }
    rows.push(("display", format!("[{}]", s.display)));
    rows.extend(lamps(s));
    if let Some(temperature) = s.temperature {
        rows.push(("motor temperature", format!("{:.1} C", f64::from(temperature.0) / 1000.0)));
    }
    rows.push(("supervisor's key", if s.key { "in force" } else { "not in force" }.to_owned()));
    if let Some(test) = &s.test {
        rows.push(("test", test.clone()));
    }
    rows.push(("broker", broker(status)));
    rows.push(("last record", s.seq.0.to_string()));
    rows
}

/// What the lamps do, and what they were told: the one is sensed, and no proof of the other.
fn lamps(s: &Snapshot) -> Vec<(&'static str, String)> {
    let without = |all: &[String], some: &[String]| -> Vec<String> {
        all.iter().filter(|area| !some.contains(area)).cloned().collect()
    };
    let words = |areas: &[String]| if areas.is_empty() { "none".to_owned() } else { areas.join(" ") };
    let mut rows = vec![("told to light", words(&s.lit)), ("lit, as sensed", words(&s.sensed))];
    for (name, areas) in [("DARK", without(&s.lit, &s.sensed)), ("LIT UNTOLD", without(&s.sensed, &s.lit))] {
        if !areas.is_empty() {
            rows.push((name, words(&areas)));
        }
    }
    if !s.lit.is_empty() {
        rows.push(("proved as told", if s.verified { "yes" } else { "no" }.to_owned()));
    }
    rows
}

/// How a round ended that has ended.
fn past(past: &Past) -> String {
    let how = match (past.void, past.dice) {
        (Some(reason), _) => format!("void: {} (tumblerctl rounds {} tells it whole)", reason.name(), past.id.0),
        (None, Some(dice)) => wording::dice(dice),
        (None, None) => "no result on record".to_owned(),
    };
    let affected = past.affected.as_ref().map(|why| format!("; voided afterwards: {why}")).unwrap_or_default();
    format!("{}: {how}{affected}", past.id.0)
}

fn broker(status: &Status) -> String {
    let Some(relay) = &status.relay else { return "none configured".to_owned() };
    let how = if relay.connected { "connected" } else { "NOT CONNECTED" };
    format!("{}, {how}, {} records wait", relay.broker, relay.waiting)
}

/// Whether games are played. A table that is blocked is open for nobody, though it need not be opened again once it is put right, and
/// one that waits for an answer plays on after that only.
fn open(s: &Snapshot) -> &'static str {
    match () {
        () if !s.open => "no",
        () if !s.malfunctions.is_empty() => "no further game until the malfunction is put right",
        () if s.question.is_some() => "play waits until the question is answered",
        () => "yes",
    }
}
