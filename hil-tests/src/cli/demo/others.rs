//! The other tables of a demo of several: each plays stories of its own in a thread of its own, and the broker of each passes on what it
//! hears to the site's.

use super::DemoArgs;
use super::narrator::Narrator;
use super::stories::{Played, Stories};
use crate::templates::Templates;
use anyhow::{Context, bail};
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, JoinHandle};
use tumbler_bench::process::Setup;
use tumbler_bench::process::broker::Broker;
use tumbler_bench::process::config::TableSetup;
use tumbler_bench::process::workdir::WorkDir;

/// The site's broker, and the tables that tell it what they do.
pub(super) struct Others {
    tables: Vec<JoinHandle<anyhow::Result<Played>>>,
    ended: Arc<AtomicBool>,
    broker: Broker,
    _dir: WorkDir,
}

impl Others {
    /// Begins all tables but the first; `None` where there is only one.
    pub(super) fn begin(args: &DemoArgs, layout: &str, templates: &Templates) -> anyhow::Result<Option<Self>> {
        if args.tables < 2 {
            return Ok(None);
        }
        let dir = WorkDir::new()?;
        let broker = Broker::start(dir.path(), false, None)?;
        let ended = Arc::new(AtomicBool::new(false));
        let mut tables = Vec::new();
        for number in 2..=args.tables {
            let seed = args.seed.wrapping_add(u64::from(number - 1));
            let mut stories = Stories::new(&args.rules, layout, seed)?;
            let mut table =
                TableSetup { upstream: Some(broker.address()), ..TableSetup::of(&args.rules, layout, true) };
            table.settings.table = format!("table-{number}");
            let program = templates.program().clone();
            let (rounds, layout) = (args.rounds, layout.to_owned());
            let ended = Arc::clone(&ended);
            tables.push(thread::spawn(move || {
                let name = table.settings.table.clone();
                let setup = Setup { program, table, seed, judge: true, trace: false, brisk: false, wall: None };
                // Each has a name of its own in its journal, so that none can be a copy of another.
                let table = Templates::new(setup.program.clone()).opened(&setup)?;
                stories.play(Narrator::quiet(table, &layout), rounds, Some((&name, &ended))).context(name)
            }));
        }
        Ok(Some(Self { tables, ended, broker, _dir: dir }))
    }

    /// Where all tables can be heard.
    pub(super) fn broker(&self) -> SocketAddr {
        self.broker.address()
    }

    /// Adds what came of their stories, once all have ended. Where the first table failed, none begins another story.
    pub(super) fn end(self, first: anyhow::Result<Played>) -> anyhow::Result<Played> {
        self.ended.store(first.is_err(), Ordering::Relaxed);
        let mut all = first;
        for table in self.tables {
            let Ok(played) = table.join() else { bail!("a table's thread ended of itself") };
            all = all.and_then(|mut all| {
                all.add(played?);
                Ok(all)
            });
        }
        all
    }
}
