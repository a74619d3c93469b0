//! `tumblerctl rounds`: the latest rounds and how they ended.

use crate::context::Context;
use crate::ending::Ended;
use crate::link::Link;
use crate::{people, say};
use tumbler_core::wire::ask::{Ask, MAX_ROUNDS, Query, RoundSummary, Told};

/// List the latest rounds, oldest first
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:\n  tumblerctl rounds --last 5 --json")]
pub(crate) struct Arguments {
    /// How many
    #[arg(long, value_name = "N", default_value_t = 20, value_parser = clap::value_parser!(u32).range(1..=i64::from(MAX_ROUNDS)))]
    last: u32,
}

pub(crate) fn run(context: &Context, of: &Arguments) -> anyhow::Result<Ended> {
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
    say::table(["round", "began", "layout", "tumbles", "dice", "ended"], &rounds, row, words)?;
    Ok(Ended::Done)
}

fn row(round: &RoundSummary) -> [String; 6] {
    [
        round.round.0.to_string(),
        people::wall(round.wall),
        round.layout.clone(),
        round.tumbles.map(|t| t.0.to_string()).unwrap_or_default(),
        round.dice.map(people::dice).unwrap_or_default(),
        ended(round),
    ]
}

/// The same for narrow terminals: how it ended first.
fn words(round: &RoundSummary) -> String {
    let [number, began, layout, tumbles, dice, ended] = row(round);
    let dice = if dice.is_empty() { dice } else { format!("; dice {dice}") };
    let tumbles = if tumbles.is_empty() { tumbles } else { format!("; {tumbles} tumbles") };
    format!("{number}: {ended}{dice}{tumbles}; began {began} on {layout}")
}

fn ended(round: &RoundSummary) -> String {
    let first = match &round.void {
        Some(void) if void.clause.is_empty() => format!("void: {}", void.reason.name()),
        Some(void) => format!("void: {} ({})", void.reason.name(), void.clause),
        None if round.settled => "settled".to_owned(),
        None => "in progress".to_owned(),
    };
    match &round.voided_afterwards {
        Some(why) => format!("{first}; voided afterwards: {why}"),
        None => first,
    }
}
