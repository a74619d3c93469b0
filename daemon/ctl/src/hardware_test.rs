//! `tumblerctl test`: hardware tests, guided.

mod trends;

use crate::context::{Context, Named};
use crate::ending::Ended;
use crate::guided::{Ends, Guided};
use crate::interrupt::Interrupt;
use crate::link::{Link, astray};
use crate::new_file::NewFile;
use crate::one_of::{OneOf, unknown};
use crate::open::{Answers, WITNESS};
use crate::say::{self, Tone};
use anyhow::ensure;
use std::path::PathBuf;
use std::sync::Arc;
use tumbler_core::hardware_test::{HardwareTest, Report, Verdict};
use tumbler_core::wire::ask::{About, Ask, Query, Told};
use tumbler_core::wire::console::Command;
use tumblerd::pages::test_report::bar::{self, Shown};
use tumblerd::pages::test_report::{Looks, page};

/// Test a device of the table and measure it (maintenance)
///
/// The table has to be in maintenance (`tumblerctl maintenance on`) and the supervisor's key turned less than five minutes
/// before. Ctrl-C calls the test off at the table too, and none follows. The dome, seal and motor guards hold as in a game. `motor`, `cam` and `reader` turn the tumbler: each waits for a press
/// of `tumble` at the table, within 10 s of asking for it, and `no_spin` there stops it. Each measurement is shown with its limits:
/// `=` passes, `~` is marginal, `!` is out of limits, and `#` is where the value lies. Where a person is to do or to see something,
/// the test asks. `buttons` has each button of the table pressed and the supervisor's key turned there and back, each within 10 s
/// of asking; no press in it commands anything, and that turn gives no privilege. The result is a record in the journal; with --json the report is a line for each test. `trends` lays the
/// journal's past results side by side and needs neither maintenance nor key.
///
/// Exit codes: 0 pass, 1 fail or refused, 2 wrong usage or the daemon cannot be reached, 3 marginal.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Example:\n  tumblerctl test motor --name Jo\n  tumblerctl test all --name Jo --report tests.html\n  tumblerctl test bell --name Jo --witness bell=yes\n  tumblerctl test trends"
)]
pub(crate) struct Arguments {
    /// motor, cam, dome, buttons, bell, terminal, lamps, reader, seal, temperature, bus; `all` for one after another; or `trends`
    #[arg(value_parser = OneOf { names: names, read: wanted }, hide_possible_values = true)]
    what: Wanted,
    /// Write a page with the measurements and plots of these tests, to be read without a network; never over another file
    #[arg(long, value_name = "FILE")]
    report: Option<PathBuf>,
    /// The answers, for scripts whose caller has looked: ITEM=yes|no for areas, seal and bell
    #[arg(long, value_name = "ITEM=yes|no,...", value_parser = WITNESS, hide_possible_values = true)]
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

/// What can be tested, as it is typed.
fn names() -> Vec<&'static str> {
    HardwareTest::ALL.into_iter().map(HardwareTest::name).chain(["all", "trends"]).collect()
}

fn wanted(name: &str) -> Result<Wanted, String> {
    match name {
        "all" => Ok(Wanted::Tests(HardwareTest::ALL.to_vec())),
        "trends" => Ok(Wanted::Trends),
        _ => {
            let test = HardwareTest::ALL.into_iter().find(|test| test.name() == name);
            let test = test.ok_or_else(|| unknown(name, "no hardware test", &names()))?;
            Ok(Wanted::Tests(vec![test]))
        }
    }
}

pub(crate) fn run(context: &Context, of: &Arguments) -> anyhow::Result<Ended> {
    let Wanted::Tests(tests) = &of.what else {
        ensure!(
            of.report.is_none() && of.witness.is_none(),
            "trends are of tests that were made: --report and --witness are for a new one; nothing was written"
        );
        return trends::run(context);
    };
    let file = of.report.as_deref().map(NewFile::make).transpose()?;
    let interrupt = Arc::new(Interrupt::catch()?);
    let about = about(context)?;
    let (mut records, mut ended) = (Vec::new(), Vec::new());
    for test in tests {
        if interrupt.has_come() {
            ended.push((*test, None));
            continue;
        }
        let interrupt = Arc::clone(&interrupt);
        let guided = Guided { context, test: *test, witness: of.witness.as_ref(), name: of.named.name(), interrupt };
        let outcome = guided.run(Command::HardwareTest { test: *test, name: of.named.name() }, Ends::Recorded)?;
        if let Some(told @ Told::Refused { .. }) = &outcome.answer {
            context.say_answer(told)?;
        }
        // What is not fitted, or not allowed any more, is said; the others may still be.
        ended.push((*test, outcome.report().map(|report| report.verdict)));
        match outcome.report() {
            Some(report) if context.json => say::json(report)?,
            Some(report) => tell(report)?,
            None => {}
        }
        records.extend(outcome.record.map(|record| *record));
    }
    if !context.json && ended.len() > 1 {
        summary(&ended)?;
    }
    if let (Some(file), Some(path)) = (file, &of.report) {
        file.write(&page(&about, &records, Looks::Within).into_string())?;
        if !context.json {
            say::line(&format!("the report is {}", std::path::absolute(path)?.display()))?;
        }
    }
    let refused = ended.iter().any(|(_, verdict)| verdict.is_none());
    Ok(match ended.iter().filter_map(|(_, verdict)| *verdict).max().unwrap_or_default() {
        _ if refused => Ended::Refused,
        Verdict::Pass => Ended::Done,
        Verdict::Marginal => Ended::Marginal,
        Verdict::Fail => Ended::Refused,
    })
}

/// Which table this is.
pub(crate) fn about(context: &Context) -> anyhow::Result<About> {
    let mut link = Link::open(&context.socket)?;
    link.ask(Ask::Query(Query::Status))?;
    let Told::Status(status) = link.next()? else { return Err(astray("`status`")) };
    Ok(status.about)
}

/// How many tests ended in which way, and then each that did not pass.
fn summary(ended: &[(HardwareTest, Option<Verdict>)]) -> anyhow::Result<()> {
    let of = |wanted: Option<Verdict>| -> Vec<&str> {
        ended.iter().filter(|(_, verdict)| *verdict == wanted).map(|(test, _)| test.name()).collect()
    };
    let passed = of(Some(Verdict::Pass));
    say::line(&format!("{} of {} tests passed", passed.len(), ended.len()))?;
    for (how, tests) in
        [("failed", of(Some(Verdict::Fail))), ("marginal", of(Some(Verdict::Marginal))), ("not tested", of(None))]
    {
        if !tests.is_empty() {
            say::line(&format!("{how}: {}", tests.join(", ")))?;
        }
    }
    Ok(())
}

/// The report for people.
pub(crate) fn tell(report: &Report) -> anyhow::Result<()> {
    say::line(&format!("{}: {}", report.test, Tone::from(report.verdict).of(report.verdict.name())))?;
    if !report.found.is_empty() {
        // What did not do its part, before what was measured of the rest.
        say::line(&format!("found: {}", report.found))?;
    }
    if !report.measurements.is_empty() {
        let shown = bar::shown(&report.measurements);
        say::table(["measured", "value", "limits", "", "verdict"], &shown, row, words)?;
    }
    if !report.seen.is_empty() {
        say::line(&format!("found right by {}: {}", report.by, report.seen.join(", ")))?;
    }
    for (what, areas) in [("dark", &report.plots.dark), ("lit untold", &report.plots.untold)] {
        if !areas.is_empty() {
            say::line(&format!("{what}: {}", areas.join(", ")))?;
        }
    }
    let mut told: Vec<&str> = Vec::new();
    for m in report.measurements.iter().filter(|m| m.verdict != Verdict::Pass) {
        let remedy = m.quantity.remedy();
        if !told.contains(&remedy) {
            told.push(remedy);
            let judged = Tone::from(m.verdict).of(bar::judged(m.verdict));
            say::line(&format!("{} is {judged}: {remedy}", m.quantity.name()))?;
        }
    }
    Ok(())
}

fn row(m: &Shown) -> [String; 5] {
    [m.name.to_owned(), m.value.clone(), m.limits.clone(), m.bar.clone(), m.verdict.name().to_owned()]
}

/// The same for narrow terminals: the bar behind the verdict where it has room, else below it.
fn words(m: &Shown) -> String {
    let beside = bar::line(m.name, &m.value, &format!("{:<8} {}", m.verdict.name(), m.bar));
    let (first, bar) = match say::terminal() {
        Some((columns, _)) if beside.len() > columns => {
            (bar::line(m.name, &m.value, m.verdict.name()), Some(m.bar.as_str()))
        }
        _ => (beside, None),
    };
    let more = [Some(m.limits.as_str()), bar].into_iter().flatten().filter(|text| !text.is_empty());
    more.fold(first, |all, text| format!("{all}\n  {text}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_test_is_named_or_all_of_them() {
        assert_eq!(wanted("motor"), Ok(Wanted::Tests(vec![HardwareTest::Motor])));
        assert_eq!(wanted("all"), Ok(Wanted::Tests(HardwareTest::ALL.to_vec())));
        assert_eq!(wanted("trends"), Ok(Wanted::Trends));
        assert!(wanted("butons").unwrap_err().contains("is no hardware test: did you mean `buttons`?"));
        let unknown = wanted("lights").unwrap_err();
        assert!(
            unknown.contains("`lights` is no hardware test; there are motor") && unknown.ends_with(", all, trends"),
            "{unknown}"
        );
    }
}
