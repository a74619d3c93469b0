//! `tumblerctl events`: the journal's records.

use crate::context::Context;
use crate::ending::Ended;
use crate::link::{Link, astray};
use crate::{say, wording};
use tumbler_core::units::Seq;
use tumbler_core::wire::ask::{Ask, MAX_EVENTS, Query, Told};

/// List journal records, oldest first; with --json one record a line
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:\n  tumblerctl events --after 1200 --limit 50 --json")]
pub(crate) struct Arguments {
    /// Only records after this one; unless given, the latest ones
    #[arg(long, value_name = "SEQ")]
    after: Option<u64>,
    /// How many at most
    #[arg(long, value_name = "N", default_value_t = 50, value_parser = clap::value_parser!(u32).range(1..=i64::from(MAX_EVENTS)))]
    limit: u32,
}

pub(crate) fn run(context: &Context, of: &Arguments) -> anyhow::Result<Ended> {
    let mut link = Link::open(&context.socket)?;
    let after = match of.after {
        Some(after) => after,
        None => last(&mut link)?.saturating_sub(u64::from(of.limit)),
    };
    link.ask(Ask::Query(Query::Events { after: Seq(after), limit: of.limit }))?;
    while let Told::Record(record) = link.next()? {
        if context.json {
            say::json(&record)?;
        } else {
            say::line(&wording::record(&record))?;
        }
    }
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
