//! `tumblerctl rounds`: the latest rounds and how they ended, or one round whole.

use crate::context::Context;
use crate::ending::Ended;
use crate::hardware_test::about;
use crate::link::Link;
use crate::new_file::NewFile;
use crate::{say, wording};
use std::path::{Path, PathBuf};
use tumbler_core::record::Lit;
use tumbler_core::round::FlatBy;
use tumbler_core::units::RoundId;
use tumbler_core::wire::ask::{Ask, MAX_ROUNDS, Query, RoundSummary, Told};
use tumblerd::history::rounds::{Story, page, story, text};

/// List the latest rounds, oldest first, or tell one round whole
///
/// With a round's number: calls, tumbles with the steps of the cam that were counted and needed, who judged that the dice lie
/// flat, result, amendments, how it ended with every clause, who decided what, lamps, interruptions with question and answer, and
/// what was written about it later. --report writes that as a page, for a file or an inspector, with site, table, build, the journal's head
/// there and how to verify it. With --json, its records.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Example:\n  tumblerctl rounds --last 5 --json\n  tumblerctl rounds 1207\n  tumblerctl rounds 1207 --report round-1207.html"
)]
pub(crate) struct Arguments {
    /// One round, whole
    #[arg(value_name = "ROUND")]
    round: Option<u64>,
    /// How many
    #[arg(long, value_name = "N", default_value_t = 20, conflicts_with = "round", value_parser = clap::value_parser!(u32).range(1..=i64::from(MAX_ROUNDS)))]
    last: u32,
    /// Write the round on one page to FILE: HTML where its name ends in .html, else text
    #[arg(long, value_name = "FILE", requires = "round")]
    report: Option<PathBuf>,
}

pub(crate) fn run(context: &Context, of: &Arguments) -> anyhow::Result<Ended> {
    if let Some(round) = of.round {
        return one(context, RoundId(round), of.report.as_deref());
    }
    let mut link = Link::open(&context.socket)?;
    link.ask(Ask::Query(Query::Rounds { last: of.last }))?;
    let mut rounds = Vec::new();
    while let Told::Round(round) = link.next()? {
        rounds.push(*round);
    }
    if context.json {
        say::json(&rounds)?;
        return Ok(Ended::Done);
    }
    say::table(["round", "began", "layout", "tumbles", "flat by", "dice", "ended"], &rounds, row, words)?;
    Ok(Ended::Done)
}

/// One round, whole.
fn one(context: &Context, round: RoundId, report: Option<&Path>) -> anyhow::Result<Ended> {
    let mut link = Link::open(&context.socket)?;
    link.ask(Ask::Query(Query::Round { round }))?;
    let mut records = Vec::new();
    while let Told::Record(record) = link.next()? {
        records.push(*record);
    }
    let story = story(round, &records);
    if let Some(path) = report {
        let file = NewFile::make(path)?;
        file.write(&written(&story.clone().vouched(&about(context)?, &records), path))?;
    }
    if context.json {
        say::json(&records)?;
    } else if report.is_none() {
        say::line(&text(&story))?;
    }
    Ok(Ended::Done)
}

fn written(story: &Story, path: &Path) -> String {
    if path.extension().is_some_and(|e| e.eq_ignore_ascii_case("html")) {
        page(story).into_string()
    } else {
        text(story)
    }
}

fn row(round: &RoundSummary) -> [String; 7] {
    let steps = round.steps.zip(round.needed).map(|(steps, needed)| format!(" ({steps}/{needed} steps)"));
    [
        round.round.0.to_string(),
        wording::wall(round.wall),
        round.layout.clone(),
        round.tumbles.map(|t| format!("{}{}", t.0, steps.unwrap_or_default())).unwrap_or_default(),
        round.flat.map(flat).unwrap_or_default().to_owned(),
        round.dice.map(wording::dice).unwrap_or_default(),
        ended(round),
    ]
}

const fn flat(by: FlatBy) -> &'static str {
    match by {
        FlatBy::Reader => "reader",
        FlatBy::Dealer => "dealer",
        FlatBy::Supervisor => "supervisor",
    }
}

/// The same for narrow terminals: how it ended first.
fn words(round: &RoundSummary) -> String {
    let [number, began, layout, tumbles, flat, dice, ended] = row(round);
    let dice = if dice.is_empty() { dice } else { format!("; dice {dice}") };
    let flat = if flat.is_empty() { flat } else { format!("; flat by {flat}") };
    let tumbles = match tumbles.split_once(' ') {
        Some((tumbles, steps)) => format!("; {tumbles} tumbles {steps}"),
        None if tumbles.is_empty() => tumbles,
        None => format!("; {tumbles} tumbles"),
    };
    format!("{number}: {ended}{dice}{flat}{tumbles}; began {began} on {layout}")
}

fn ended(round: &RoundSummary) -> String {
    let mut parts = vec![match &round.void {
        Some(void) => format!("void: {} ({})", void.reason.name(), void.cited()),
        None if round.settled => match round.lamps {
            Some(Lit::Proved) => "settled".to_owned(),
            Some(Lit::ByTheDice) => "settled by the dice".to_owned(),
            Some(Lit::Unknown) | None => "settled; lamps not on record".to_owned(),
        },
        None => "in progress".to_owned(),
    }];
    parts.extend(round.amended.iter().map(|from| format!("amended from {}", wording::dice(*from))));
    if let Some(asked) = round.asked {
        let found = round.found.map_or("not answered", tumbler_core::round::Finding::name);
        parts.push(format!("asked ({}): {found}", asked.name()));
    }
    parts.extend(round.decided.iter().map(|one| {
        let who = one.who.as_ref().map(|who| format!(" ({who})")).unwrap_or_default();
        format!("{} by {}{who}", one.what, one.by)
    }));
    parts.extend(round.voided_afterwards.iter().map(|why| format!("voided afterwards: {why}")));
    parts.extend(round.corrected.iter().map(|what| format!("corrected: {what}")));
    parts.join("; ")
}
