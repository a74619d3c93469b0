//! `tumblerctl events`: the journal's records.

use crate::context::Context;
use crate::ending::Ended;
use crate::link::{Link, astray};
use crate::one_of::unknown;
use crate::{say, wording};
use chrono::NaiveDateTime;
use std::collections::VecDeque;
use tumbler_core::record::Kind;
use tumbler_core::units::{RoundId, Seq};
use tumbler_core::wall;
use tumbler_core::wire::ask::{Ask, MAX_EVENTS, Query, Told};
use tumbler_core::wire::topics::EventMessage;

/// List journal records as sentences, oldest first
///
/// Keyframes, which say how the table stands for a restart, are left out unless --all is given. With --json every record is a line.
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:\n  tumblerctl events --after 1200 --limit 50 --json\n  \
    tumblerctl events --kind latched --since 2026-11-21\n  tumblerctl events --round 1207 --grep Mei")]
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
    /// Only records of this kind, such as latched
    #[arg(long, value_name = "KIND", value_parser = kind)]
    kind: Option<Kind>,
    /// Only records of this round
    #[arg(long, value_name = "ROUND")]
    round: Option<u64>,
    /// Only records from this moment on, as they are listed: 2026-11-21, or "2026-11-21 03:04:05Z"
    #[arg(long, value_name = "TIME", value_parser = moment)]
    since: Option<String>,
    /// Only records with this text in their sentence or their data, in capitals or not
    #[arg(long, value_name = "TEXT")]
    grep: Option<String>,
}

fn kind(name: &str) -> Result<Kind, String> {
    Kind::ALL.into_iter().find(|kind| kind.name() == name).ok_or_else(|| {
        let known: Vec<&str> = Kind::ALL.into_iter().map(Kind::name).collect();
        unknown(name, "no kind of record", &known)
    })
}

/// The beginning of a moment as it is listed: as such it is compared.
fn moment(text: &str) -> Result<String, String> {
    const EARLIEST: &str = "0000-00-00 00:00:00Z";
    // What it leaves out is at its earliest; then it is to be a moment of the calendar, as it is listed.
    let whole = EARLIEST.get(text.len()..).map(|rest| format!("{text}{rest}"));
    let is_moment = whole.filter(|_| text.len() >= 10).is_some_and(|whole| {
        NaiveDateTime::parse_from_str(&whole, "%Y-%m-%d %H:%M:%SZ")
            .is_ok_and(|moment| wall::shown(moment.and_utc().timestamp_millis()) == whole)
    });
    is_moment.then(|| text.to_owned()).ok_or_else(|| {
        "this is no moment of the calendar; allowed is a date, as 2026-11-21, or a beginning of 2026-11-21 03:04:05Z".to_owned()
    })
}

impl Arguments {
    /// Whether this record is looked for; `whole`: keyframes too.
    fn wants(&self, message: &EventMessage, whole: bool) -> bool {
        let record = &message.record;
        let kind = Kind::from(&record.event);
        (whole || self.kind == Some(Kind::Keyframe) || kind != Kind::Keyframe)
            && self.kind.is_none_or(|wanted| wanted == kind)
            && self.round.is_none_or(|wanted| record.round == Some(RoundId(wanted)))
            && self.since.as_ref().is_none_or(|since| wall::shown(message.wall) >= *since)
            && self.grep.as_ref().is_none_or(|text| {
                let text = text.to_lowercase();
                [message.body.clone(), wording::record(message)].iter().any(|told| told.to_lowercase().contains(&text))
            })
    }
}

pub(crate) fn run(context: &Context, of: &Arguments) -> anyhow::Result<Ended> {
    let mut link = Link::open(&context.socket)?;
    let (whole, limit) = (of.all || context.json, of.limit as usize);
    let last = last(&mut link)?;
    let mut found = VecDeque::new();
    if let Some(mut after) = of.after {
        while found.len() < limit && after < last {
            let page = page(&mut link, after, last)?;
            let Some(newest) = page.last() else { break };
            after = newest.record.seq.0;
            found.extend(page.into_iter().filter(|record| of.wants(record, whole)));
        }
        found.truncate(limit);
    } else {
        // Back from the newest, page by page.
        let mut end = last;
        while found.len() < limit && end > 0 {
            let after = end.saturating_sub(MAX_EVENTS.into());
            for record in page(&mut link, after, end)?.into_iter().rev().filter(|record| of.wants(record, whole)) {
                if found.len() < limit {
                    found.push_front(record);
                }
            }
            end = after;
        }
    }
    if found.is_empty() {
        let newest = page(&mut link, last.saturating_sub(1), last)?.pop();
        say::complain(&newest.map_or_else(
            || "the journal has no record yet".to_owned(),
            |newest| format!("no record matches; the journal ends with record {last} of {}", wall::shown(newest.wall)),
        ));
    }
    found.iter().try_for_each(|record| {
        if context.json { say::json(record) } else { Ok(say::line(&wording::record(record))?) }
    })?;
    Ok(Ended::Done)
}

/// The records after one and up to another, as many as an answer has.
fn page(link: &mut Link, after: u64, last: u64) -> anyhow::Result<Vec<EventMessage>> {
    let limit = u32::try_from(last - after).unwrap_or(MAX_EVENTS).min(MAX_EVENTS);
    link.ask(Ask::Query(Query::Events { after: Seq(after), limit }))?;
    let mut records = Vec::new();
    while let Told::Record(record) = link.next()? {
        // A table whose journal was lost leaves numbers out.
        if record.record.seq.0 <= last {
            records.push(*record);
        }
    }
    Ok(records)
}

/// The number of the journal's last record.
fn last(link: &mut Link) -> anyhow::Result<u64> {
    link.ask(Ask::Query(Query::Events { after: Seq(u64::MAX), limit: 0 }))?;
    match link.next()? {
        Told::End { last } => Ok(last.0),
        _ => Err(astray("`events`")),
    }
}
