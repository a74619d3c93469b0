//! `tumblerctl test`: hardware tests, guided.

mod bar;
mod live;

use crate::context::{Context, Named};
use crate::ending::Ended;
use crate::link::Link;
use crate::say;
use anyhow::bail;
use live::Live;
use std::path::Path;
use std::sync::mpsc::{Receiver, Sender, channel};
use tumbler_core::hardware_test::{HardwareTest, Report, Verdict};
use tumbler_core::record::Event;
use tumbler_core::wire::ask::{Ask, Query, Told};
use tumbler_core::wire::console::Command;

/// Test a device of the table and measure it (maintenance)
///
/// The table has to be in maintenance (`tumblerctl maintenance on`) and the supervisor's key turned less than five minutes
/// before. The dome, seal and motor guards hold as in a game. Each measurement is shown with its limits: `=` passes, `~` is
/// marginal, `!` is out of limits, and `#` is where the value lies. The result is a record in the journal; with --json the
/// report is a line for each test.
///
/// Exit codes: 0 pass, 1 fail or refused, 2 wrong usage or the daemon cannot be reached, 3 marginal.
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:\n  tumblerctl test motor --name Jo\n  tumblerctl test all --name Jo")]
pub(crate) struct Arguments {
    /// motor, cam, or `all` for one after another
    #[arg(value_parser = wanted)]
    what: Wanted,
    #[command(flatten)]
    named: Named,
}

/// What is to be tested.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Wanted(Vec<HardwareTest>);

fn wanted(name: &str) -> Result<Wanted, String> {
    match name {
        "all" => Ok(Wanted(HardwareTest::ALL.to_vec())),
        _ => name.parse().map(|test| Wanted(vec![test])).map_err(|e: String| format!("{e}, all")),
    }
}

pub(crate) fn run(context: &Context, of: &Arguments) -> anyhow::Result<Ended> {
    let by = of.named.name();
    let mut worst = Verdict::Pass;
    for test in &of.what.0 {
        let Some(report) = conduct(context, *test, &by)? else { return Ok(Ended::Refused) };
        worst = worst.max(report.verdict);
        if context.json {
            say::json(&report)?;
        } else {
            tell(&report)?;
        }
    }
    Ok(match worst {
        Verdict::Pass => Ended::Done,
        Verdict::Marginal => Ended::Marginal,
        Verdict::Fail => Ended::Refused,
    })
}

/// What the daemon said, on either connection.
enum Heard {
    /// On the connection that watches.
    Seen(Told),
    /// The answer to the command.
    Answered(Told),
    /// A connection broke.
    Broken(anyhow::Error),
}

/// Runs one test and shows how it goes on; nothing if the table refused it.
fn conduct(context: &Context, test: HardwareTest, by: &str) -> anyhow::Result<Option<Report>> {
    let (to, heard) = channel();
    let mut watch = Link::open(&context.socket)?;
    watch.ask(Ask::Query(Query::Watch))?;
    // What it tells first is from before the test.
    watch.next()?;
    let seen = to.clone();
    // Both end with the process, or when nobody listens any more.
    std::thread::spawn(move || follow(watch, &seen, Heard::Seen, true));
    command(&context.socket, Command::HardwareTest { test, name: by.to_owned() }, to)?;
    let mut live = Live::new(!context.json);
    let report = listen(context, test, &heard, &mut live)?;
    live.clear()?;
    Ok(report)
}

/// Gives a command on a connection of its own.
fn command(socket: &Path, command: Command, to: Sender<Heard>) -> anyhow::Result<()> {
    let mut link = Link::open(socket)?;
    link.ask(Ask::Command(command))?;
    std::thread::spawn(move || follow(link, &to, Heard::Answered, false));
    Ok(())
}

/// Hands on what a connection tells, once or until it breaks.
fn follow(mut link: Link, to: &Sender<Heard>, as_heard: impl Fn(Told) -> Heard, on: bool) {
    loop {
        let heard = link.next().map_or_else(Heard::Broken, &as_heard);
        let broken = matches!(heard, Heard::Broken(_));
        if to.send(heard).is_err() || broken || !on {
            return;
        }
    }
}

fn listen(
    context: &Context,
    test: HardwareTest,
    heard: &Receiver<Heard>,
    live: &mut Live,
) -> anyhow::Result<Option<Report>> {
    loop {
        match heard.recv()? {
            Heard::Seen(Told::Status(status)) => live.show(&status.snapshot)?,
            Heard::Seen(Told::Record(record)) => {
                if let Event::HardwareTested(report) = &record.record.event {
                    if report.test == test {
                        return Ok(Some((**report).clone()));
                    }
                }
            }
            Heard::Answered(refused @ Told::Refused(_)) if context.json => {
                say::json(&refused)?;
                return Ok(None);
            }
            Heard::Answered(Told::Refused(why)) => {
                say::line(&format!("refused: {why}"))?;
                return Ok(None);
            }
            Heard::Answered(Told::Done(_)) => {}
            Heard::Broken(error) => return Err(error),
            Heard::Seen(_) | Heard::Answered(_) => bail!("the daemon answered with something else"),
        }
    }
}

/// The report for people.
fn tell(report: &Report) -> anyhow::Result<()> {
    say::line(&format!("{}: {}", report.test, report.verdict.name()))?;
    let mut table = say::table(&["measured", "value", "limits", "", "verdict"]);
    for m in &report.measurements {
        let (value, limits) = (bar::value(m.quantity, m.value), bar::limits(m));
        table.add_row([m.quantity.name(), &value, &limits, &bar::bar(m), m.verdict.name()]);
    }
    if !report.measurements.is_empty() {
        say::line(&table.to_string())?;
    }
    if !report.found.is_empty() {
        say::line(&format!("found: {}", report.found))?;
    }
    let mut told: Vec<&str> = Vec::new();
    for m in report.measurements.iter().filter(|m| m.verdict != Verdict::Pass) {
        let remedy = m.quantity.remedy();
        if !told.contains(&remedy) {
            told.push(remedy);
            say::line(&format!("{} is {}: {remedy}", m.quantity.name(), bar::judged(m.verdict)))?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_test_is_named_or_all_of_them() {
        assert_eq!(wanted("motor"), Ok(Wanted(vec![HardwareTest::Motor])));
        assert_eq!(wanted("all").map(|w| w.0.len()), Ok(HardwareTest::ALL.len()));
        let unknown = wanted("lights").unwrap_err();
        assert!(
            unknown.contains("`lights` is no hardware test; known are motor") && unknown.ends_with(", all"),
            "{unknown}"
        );
    }
}
