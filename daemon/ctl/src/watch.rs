//! `tumblerctl watch`: what the table does, as it does it.

use crate::context::Context;
use crate::ending::Ended;
use crate::link::Link;
use crate::{say, wording};
use tumbler_core::record::Event;
use tumbler_core::wire::ask::{Ask, Query, Told};

/// Show every record as it is made, and every change of phase, until interrupted
///
/// Keyframes, which say how the table stands for a restart, are left out unless --all or --json is given.
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:\n  tumblerctl watch\n  tumblerctl watch --json | jq .record.kind")]
pub(crate) struct Arguments {
    /// Keyframes too
    #[arg(long)]
    all: bool,
}

pub(crate) fn run(context: &Context, of: &Arguments) -> anyhow::Result<Ended> {
    let mut link = Link::open(&context.socket)?;
    link.ask(Ask::Query(Query::Watch))?;
    let mut shown = None;
    loop {
        let told = link.next()?;
        match &told {
            _ if context.json => say::json(&told)?,
            Told::Record(record) if !of.all && matches!(record.record.event, Event::Keyframe(_)) => {}
            Told::Record(record) => say::line(&wording::record(record))?,
            Told::Status(status) => {
                let now = (status.snapshot.phase, status.snapshot.test.clone());
                if shown.as_ref() != Some(&now) {
                    let test = now.1.as_ref().map(|t| format!(" ({t})")).unwrap_or_default();
                    say::line(&format!("-- {}{test}", now.0.name()))?;
                    shown = Some(now);
                }
            }
            _ => {}
        }
    }
}
