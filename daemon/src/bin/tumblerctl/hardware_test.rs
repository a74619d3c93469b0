//! `tumblerctl test`: hardware tests, guided.

mod live;
mod trends;

use crate::context::{Context, Named};
use crate::ending::Ended;
use crate::link::Link;
use crate::open::{Answers, answers};
use crate::say;
use crate::witness::{Found, Item};
use anyhow::{Context as _, bail};
use comfy_table::ColumnConstraint;
use live::Live;
use std::io::IsTerminal;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, Sender, channel};
use tumbler_core::hardware_test::{HardwareTest, Report, Verdict};
use tumbler_core::record::Event;
use tumbler_core::wire::ask::{Ask, Query, Told};
use tumbler_core::wire::console::Command;
use tumblerd::test_report::{Looks, bar, page};

/// Test a device of the table and measure it (maintenance)
///
/// The table has to be in maintenance (`tumblerctl maintenance on`) and the supervisor's key turned less than five minutes
/// before. The dome, seal and motor guards hold as in a game. Each measurement is shown with its limits: `=` passes, `~` is
/// marginal, `!` is out of limits, and `#` is where the value lies. Where a person is to do or to see something, the test
/// asks. The result is a record in the journal; with --json the report is a line for each test. `trends` lays the journal's
/// past results side by side and needs neither maintenance nor key.
///
/// Exit codes: 0 pass, 1 fail or refused, 2 wrong usage or the daemon cannot be reached, 3 marginal.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Example:\n  tumblerctl test motor --name Jo\n  tumblerctl test all --name Jo --report tests.html\n  tumblerctl test bell --name Jo --witness bell=yes\n  tumblerctl test trends"
)]
pub(crate) struct Arguments {
    /// motor, cam, dome, bell, terminal, lamps, reader, seal, temperature, bus; `all` for one after another; or `trends`
    #[arg(value_parser = wanted)]
    what: Wanted,
    /// Write a page with the measurements and plots of these tests, to be read without a network
    #[arg(long, value_name = "FILE")]
    report: Option<PathBuf>,
    /// The answers, for scripts whose caller has looked: ITEM=yes|no for areas, seal and bell
    #[arg(long, value_name = "ITEM=yes|no,...", value_parser = answers)]
    witness: Option<Answers>,
    #[command(flatten)]
    named: Named,
}

/// What is to be tested.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Wanted {
    Tests(Vec<HardwareTest>),
    Trends,
}

fn wanted(name: &str) -> Result<Wanted, String> {
    match name {
        "all" => Ok(Wanted::Tests(HardwareTest::ALL.to_vec())),
        "trends" => Ok(Wanted::Trends),
        _ => name.parse().map(|test| Wanted::Tests(vec![test])).map_err(|e: String| format!("{e}, all, trends")),
    }
}

pub(crate) fn run(context: &Context, of: &Arguments) -> anyhow::Result<Ended> {
    let Wanted::Tests(tests) = &of.what else { return trends::run(context) };
    let mut reports = Vec::new();
    let mut refused = false;
    for test in tests {
        let Some(report) = conduct(context, *test, of)? else {
            // What is not fitted, or not allowed any more, is said; the others may still be.
            refused = true;
            continue;
        };
        if context.json {
            say::json(&report)?;
        } else {
            tell(&report)?;
        }
        reports.push(report);
    }
    if let Some(path) = &of.report {
        let page = page(&reports, Looks::Within).into_string();
        std::fs::write(path, page).with_context(|| format!("the report cannot be written to {}", path.display()))?;
    }
    let worst = reports.iter().map(|report| report.verdict).max().unwrap_or_default();
    Ok(match worst {
        _ if refused => Ended::Refused,
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
fn conduct(context: &Context, test: HardwareTest, of: &Arguments) -> anyhow::Result<Option<Report>> {
    let (to, heard) = channel();
    let mut watch = Link::open(&context.socket)?;
    watch.ask(Ask::Query(Query::Watch))?;
    // What it tells first is from before the test.
    watch.next()?;
    let seen = to.clone();
    // Both end with the process, or when nobody listens any more.
    std::thread::spawn(move || follow(watch, &seen, Heard::Seen, true));
    command(&context.socket, Command::HardwareTest { test, name: of.named.name() }, to)?;
    let mut live = Live::new(!context.json);
    let report = listen(context, test, of, &heard, &mut live)?;
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
    of: &Arguments,
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
            Heard::Answered(Told::Done(told)) => {
                if told.contains("waits for a witness") {
                    live.clear()?;
                    witness(context, test, of)?;
                }
            }
            Heard::Broken(error) => return Err(error),
            Heard::Seen(_) | Heard::Answered(_) => bail!("the daemon answered with something else"),
        }
    }
}

/// Says what only a person can see; where nobody can be asked, `tumblerctl witness` answers.
fn witness(context: &Context, test: HardwareTest, of: &Arguments) -> anyhow::Result<()> {
    let item = match test {
        HardwareTest::Bell => Item::Bell,
        HardwareTest::Seal => Item::Seal,
        _ => Item::Areas,
    };
    let given = of.witness.as_ref().and_then(|answers| answers.0.iter().find(|(i, _)| *i == item));
    let found = match given {
        Some((_, found)) => *found,
        None if std::io::stdin().is_terminal() => crate::open::ask(item)?,
        None => {
            say::complain(&format!("the table waits for {test}: answer with `tumblerctl witness`"));
            return Ok(());
        }
    };
    let mut link = Link::open(&context.socket)?;
    let command = Command::Witness { item: item.witness(), right: found == Found::Yes, name: of.named.name() };
    link.ask(Ask::Command(command))?;
    match link.next()? {
        Told::Refused(why) => bail!("the answer was refused: {why}"),
        _ => Ok(()),
    }
}

/// Place of the limits in the table of measurements.
const LIMITS: usize = 2;

/// The report for people.
fn tell(report: &Report) -> anyhow::Result<()> {
    say::line(&format!("{}: {}", report.test, report.verdict.name()))?;
    let mut table = say::table(&["measured", "value", "limits", "", "verdict"]);
    for m in bar::shown(&report.measurements) {
        table.add_row([m.name, &m.value, &m.limits, &m.bar, m.verdict.name()]);
    }
    // Limits can be read on several lines, and a bar cannot.
    for (_, column) in table.column_iter_mut().enumerate().filter(|(place, _)| *place != LIMITS) {
        column.set_constraint(ColumnConstraint::ContentWidth);
    }
    if !report.measurements.is_empty() {
        say::line(&table.to_string())?;
    }
    if !report.seen.is_empty() {
        say::line(&format!("found right by {}: {}", report.by, report.seen.join(", ")))?;
    }
    for (what, areas) in [("dark", &report.plots.dark), ("lit untold", &report.plots.untold)] {
        if !areas.is_empty() {
            say::line(&format!("{what}: {}", areas.join(", ")))?;
        }
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
        assert_eq!(wanted("motor"), Ok(Wanted::Tests(vec![HardwareTest::Motor])));
        assert_eq!(wanted("all"), Ok(Wanted::Tests(HardwareTest::ALL.to_vec())));
        assert_eq!(wanted("trends"), Ok(Wanted::Trends));
        let unknown = wanted("lights").unwrap_err();
        assert!(
            unknown.contains("`lights` is no hardware test; known are motor") && unknown.ends_with(", all, trends"),
            "{unknown}"
        );
    }
}
