//! `tumblerctl events`: the journal's records.

use crate::context::Context;
use crate::ending::Ended;
use crate::link::{Link, astray};
use crate::{say, wording};
use tumbler_core::record::Event;
use tumbler_core::units::Seq;
use tumbler_core::wire::ask::{Ask, MAX_EVENTS, Query, Told};

/// List journal records as sentences, oldest first
///
/// Keyframes, which say how the table stands for a restart, are left out unless --all is given. With --json every record is a line.
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:\n  tumblerctl events --after 1200 --limit 50 --json")]
pub(crate) struct Arguments {
    /// Only records after this one; unless given, the latest ones
    #[arg(long, value_name = "SEQ")]
    after: Option<u64>,
    /// How many at most
    #[arg(long, value_name = "N", default_value_t = 50, value_parser = clap::value_parser!(u32).range(1..=i64::from(MAX_EVENTS)))]
    limit: u32,
    /// Keyframes too
    #[arg(long)]
    all: bool,
}

pub(crate) fn run(context: &Context, of: &Arguments) -> anyhow::Result<Ended> {
    let mut link = Link::open(&context.socket)?;
    let whole = of.all || context.json;
    // Beside each record that is shown stands one at most that is not, so that this is enough of them.
    let asked = if whole { of.limit } else { of.limit.saturating_mul(2).min(MAX_EVENTS) };
    let after = match of.after {
        Some(after) => after,
        None => last(&mut link)?.saturating_sub(u64::from(asked)),
    };
    link.ask(Ask::Query(Query::Events { after: Seq(after), limit: asked }))?;
    let mut records = Vec::new();
    while let Told::Record(record) = link.next()? {
        if whole || !matches!(record.record.event, Event::Keyframe(_)) {
            records.push(*record);
        }
    }
    let limit = of.limit as usize;
    let first = if of.after.is_some() { 0 } else { records.len().saturating_sub(limit) };
    records.iter().skip(first).take(limit).try_for_each(|record| {
        if context.json { say::json(record) } else { Ok(say::line(&wording::record(record))?) }
    })?;
    Ok(Ended::Done)
}

/// The number of the journal's last record.
fn last(link: &mut Link) -> anyhow::Result<u64> {
    link.ask(Ask::Query(Query::Events { after: Seq(u64::MAX), limit: 0 }))?;
    match link.next()? {
        Told::End { last } => Ok(last.0),
        _ => Err(astray("`events`")),
    }
}
