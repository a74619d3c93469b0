//! `tumbler-hil serve`: plays the cells that another program asks for, such as a test runner that schedules them itself.
//!
//! Requests and events are lines of JSON: hil-tests/docs/serve.md.

mod event;
mod request;

use super::output::{Dumps, run_info};
use super::{selftest, signals};
use crate::report;
use crate::report::cell::CellReport;
use crate::report::directory::Directory;
use crate::runner::{self, Runner, seed_of};
use crate::scenario::Trial;
use crate::{fault, matrix, scenario};
use anyhow::{Context, bail};
use clap::Args;
use event::{Event, Events};
use request::{Action, Request};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::time::Duration;
use tumbler_bench::Wrong;
use tumbler_bench::file::{BenchFile, Kind};
use tumbler_bench::process::{clock, daemon};

/// How often a signal is looked for while nothing is asked.
const LOOK: Duration = Duration::from_millis(100);

#[derive(Debug, Args)]
pub(super) struct ServeArgs {
    /// The bench: its file, or the name of one that comes with the rig.
    #[arg(long, value_name = "BENCH", default_value = "virtual", value_parser = super::bench_file)]
    bench: PathBuf,
    /// Write the evidence of cells that did not pass, and at the end results.json, into this directory.
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
    /// Cells for which a VCD file is written.
    #[arg(long, value_name = "CELLS", value_enum, default_value_t = Dumps::Failed)]
    vcd: Dumps,
    /// Mixed into the seed of every cell.
    #[arg(long, value_name = "N", default_value_t = 0)]
    seed: u64,
    /// The daemon's program; beside this one unless given.
    #[arg(long, value_name = "FILE")]
    tumblerd: Option<PathBuf>,
}

pub(super) fn serve(args: &ServeArgs) -> anyhow::Result<u8> {
    let events = Events::default();
    let told = Served::begin(args, &events);
    let mut served = told.inspect_err(|why| events.tell(None, &Event::Error { problem: format!("{why:#}") }))?;
    events.tell(None, &served.ready());
    // Requests wait in the pipe and not here, while a cell is played.
    let (to, requests) = mpsc::sync_channel(1);
    // It ends with its input, or with the program.
    std::thread::Builder::new().name("requests".into()).spawn(move || {
        let mut input = std::io::stdin().lock();
        while let Some(read) = request::next(&mut input) {
            if to.send(read).is_err() {
                return;
            }
        }
    })?;
    while !clock::interrupted() && !events.closed() {
        match requests.recv_timeout(LOOK) {
            Ok(Ok(request)) => {
                let id = request.id;
                if let Err(problem) = served.answer(request) {
                    events.tell(Some(id), &Event::Error { problem: format!("{problem:#}") });
                }
            }
            Ok(Err(bad)) => events.tell(bad.id, &Event::Error { problem: bad.problem }),
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => break,
        }
    }
    served.directory.write_served(&served.ended)?;
    if clock::interrupted() { Ok(signals::INTERRUPTED) } else { Ok(report::PASSED) }
}

/// A bench that plays what it is asked.
struct Served<'a> {
    events: &'a Events,
    bench: BenchFile,
    runner: Runner,
    directory: Directory,
    out: PathBuf,
    salt: u64,
    /// The matrix, once it was asked for.
    matrix: Option<Rc<[Trial]>>,
    /// What was played, by the scenario files.
    ended: BTreeMap<Option<PathBuf>, Vec<CellReport>>,
}

impl<'a> Served<'a> {
    fn begin(args: &ServeArgs, events: &'a Events) -> anyhow::Result<Self> {
        let bench = BenchFile::read(&args.bench)?;
        if bench.kind != Kind::Pure {
            selftest::quick_on(&bench).context("the rig's self-test failed")?;
        }
        let tumblerd = daemon::find(args.tumblerd.as_deref().or(bench.tumblerd.as_deref()));
        let info = run_info(&bench, &tumblerd, args.seed, 1);
        Ok(Self {
            events,
            runner: Runner::of(&bench, tumblerd),
            directory: Directory::new(Some(&args.out), info, args.vcd == Dumps::All)?,
            out: std::path::absolute(&args.out)?,
            bench,
            salt: args.seed,
            matrix: None,
            ended: BTreeMap::new(),
        })
    }

    fn ready(&self) -> Event<'_> {
        let rig = concat!("tumbler-hil ", env!("CARGO_PKG_VERSION"));
        Event::Ready { protocol: event::PROTOCOL, rig, bench: self.bench.kind.name(), out: &self.out }
    }

    fn answer(&mut self, request: Request) -> anyhow::Result<()> {
        let file = request.file.map(std::path::absolute).transpose()?;
        let trials = self.trials(file.as_deref())?;
        match (request.action, request.cell) {
            (Action::List, None) => {
                for trial in &*trials {
                    let cannot = runner::cannot(&self.bench, trial);
                    self.events.tell(Some(request.id), &Event::Cell { cell: &trial.name, about: &trial.about, cannot });
                }
                self.events.tell(Some(request.id), &Event::Listed { cells: trials.len() });
                Ok(())
            }
            (Action::List, Some(_)) => bail!("`list` lists all cells: leave `cell` out"),
            (Action::Play, None) => bail!("`play` needs a `cell`: `list` tells their names"),
            (Action::Play, Some(cell)) => {
                let Some(trial) = trials.iter().find(|trial| trial.name == cell) else {
                    let wrong = Wrong::unknown("cell", &cell, trials.iter().map(|trial| trial.name.as_str()));
                    // Of the matrix these would be thousands.
                    anyhow::ensure!(wrong.near.is_some(), "unknown cell `{cell}`: `list` tells their names");
                    return Err(wrong.into());
                };
                let trial = Trial { seed: request.seed.or(trial.seed), ..trial.clone() };
                self.play(request.id, &trial, file)
            }
        }
    }

    /// The trials of a scenario file, as it is now, or of the matrix.
    fn trials(&mut self, file: Option<&Path>) -> anyhow::Result<Rc<[Trial]>> {
        if let Some(file) = file {
            return Ok(scenario::file::read(file)?.into());
        }
        if let Some(matrix) = &self.matrix {
            return Ok(Rc::clone(matrix));
        }
        let catalogue = fault::read(&self.bench.faults)?;
        let cells: Rc<[Trial]> =
            matrix::cells(&catalogue).context("the matrix")?.into_iter().map(|cell| cell.trial).collect();
        matrix::list_what_cannot_run(&mut self.bench, &catalogue);
        self.matrix = Some(Rc::clone(&cells));
        Ok(cells)
    }

    fn play(&mut self, id: u64, trial: &Trial, file: Option<PathBuf>) -> anyhow::Result<()> {
        let elsewhere =
            self.ended.iter().find(|(from, all)| **from != file && all.iter().any(|r| r.name == trial.name));
        if let Some((Some(other), _)) = elsewhere {
            bail!(
                "`{}` was played from {} already: files need names of their own, so that their results can be told apart",
                trial.name,
                other.display()
            );
        }
        let seed = seed_of(trial, self.salt);
        self.events.tell(Some(id), &Event::Began { cell: &trial.name, seed, steps: trial.steps.len() });
        let step = |step: usize, words: &str, table_ns: u64| {
            self.events.tell(Some(id), &Event::Step { step, words, table_ns });
        };
        let mut report = self.runner.cell(&self.bench, trial, self.salt, true, Some(&step));
        self.directory.take(&mut report);
        let attachments = self.directory.evidence(&report, file.as_deref())?;
        self.events.tell(Some(id), &Event::verdict(&report, &attachments, &self.out));
        let ended = self.ended.entry(file).or_default();
        // The last time counts, where a cell is asked for again.
        ended.retain(|before| before.name != report.name);
        ended.push(report);
        Ok(())
    }
}
