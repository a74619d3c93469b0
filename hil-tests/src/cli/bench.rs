//! `tumbler-hil bench`: measures speeds and sizes.

use super::{say, signals};
use crate::measure::{Figure, Measured, edge, entry, guard, hour, panel, process, pure, scenario};
use crate::report;
use crate::templates::Templates;
use clap::{Args, ValueEnum};
use comfy_table::{Table, presets};
use indicatif::{ProgressBar, ProgressStyle};
use std::path::PathBuf;
use tumbler_bench::process::rig_fault::RigFault;
use tumbler_bench::process::{clock, daemon};

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Part {
    /// Dome opens -> motor_enable off.
    Guard,
    /// Entry key -> all areas lit and verified.
    Entry,
    /// Table time per wall time.
    Pure,
    /// Memory, CPU, start, bytes written.
    Process,
    /// Start and clean-up of a scenario on the virtual bench.
    Scenario,
    /// The same from an edge at a simulated chip to its pin; only if named, as it needs such a chip (scripts/vm).
    Edge,
    /// Leaks of the daemon's process in an hour of play, on such a chip; only if named.
    Hour,
    /// What the panel costs: CPU at rest, and dome opens -> motor_enable off with many browsers.
    Panel,
}

#[derive(Debug, Args)]
pub(super) struct BenchArgs {
    /// Only these parts.
    #[arg(value_name = "PART")]
    parts: Vec<Part>,
    /// How often the dome is opened on a running tumbler; p99.9 needs thousands.
    #[arg(long, value_name = "N", default_value_t = 3000)]
    samples: u64,
    /// Rounds in which the entry key is timed.
    #[arg(long, value_name = "N", default_value_t = 30)]
    entries: u32,
    /// Rounds for memory and bytes written; some 1.5 s each.
    #[arg(long, value_name = "N", default_value_t = 1000)]
    rounds: u32,
    /// Minutes of table time for which `hour` plays, one round each.
    #[arg(long, value_name = "N", default_value_t = 60, value_parser = clap::value_parser!(u32).range(1..=1440))]
    minutes: u32,
    /// Report the figures without judging them, for few samples or a busy machine.
    #[arg(long)]
    unjudged: bool,
    /// The daemon's program; beside this one unless given.
    #[arg(long, value_name = "FILE")]
    tumblerd: Option<PathBuf>,
}

pub(super) fn bench(args: &BenchArgs) -> anyhow::Result<u8> {
    let named = |part: Part| args.parts.contains(&part) && !clock::interrupted();
    let wanted = |part: Part| (args.parts.is_empty() || args.parts.contains(&part)) && !clock::interrupted();
    let templates = Templates::new(daemon::find(args.tumblerd.as_deref()));
    if cfg!(debug_assertions) {
        say::error("this is a debug build: its figures say little");
    }
    let mut figures: Vec<Figure> = Vec::new();
    let mut ended = Vec::new();
    let mut take = |part: &str, measured: Result<Measured, RigFault>| {
        let Measured { figures: more, ended_by } =
            measured.unwrap_or_else(|fault| Measured { figures: Vec::new(), ended_by: Some(fault) });
        figures.extend(more);
        ended.extend(ended_by.map(|fault| format!("{part} ended before its time: {fault}")));
    };
    if wanted(Part::Pure) {
        take("pure", pure::measure().map(Measured::from));
    }
    if wanted(Part::Guard) {
        let bar = bar("dome -> motor", args.samples);
        take("guard", guard::measure(&templates, args.samples, &|n| bar.set_position(n)));
        bar.finish_and_clear();
    }
    if named(Part::Edge) {
        take("edge", edge::measure(&templates, args.samples).map(Measured::from));
    }
    if named(Part::Hour) {
        let bar = bar("minutes", u64::from(args.minutes));
        take("hour", hour::measure(&templates, args.minutes, &|n| bar.set_position(n)).map(Measured::from));
        bar.finish_and_clear();
    }
    if wanted(Part::Entry) {
        let bar = bar("entry -> lamps", u64::from(args.entries));
        take("entry", entry::measure(&templates, args.entries, &|n| bar.set_position(n)).map(Measured::from));
        bar.finish_and_clear();
    }
    if wanted(Part::Process) {
        let bar = bar("rounds", u64::from(args.rounds));
        take("process", process::measure(&templates, args.rounds, &|n| bar.set_position(n)));
        bar.finish_and_clear();
    }
    if wanted(Part::Scenario) {
        take("scenario", scenario::measure(&templates).map(Measured::from));
    }
    if wanted(Part::Panel) {
        let bar = bar("dome -> motor, with panels and without", 2 * args.samples);
        take("panel", panel::measure(&templates, args.samples, &|n| bar.set_position(n)).map(Measured::from));
        bar.finish_and_clear();
    }
    say::line(&table(&figures));
    if clock::interrupted() {
        return Ok(signals::INTERRUPTED);
    }
    if !ended.is_empty() {
        for why in &ended {
            say::error(why);
        }
        return Ok(report::RIG);
    }
    let missed = figures.iter().any(|figure| figure.met == Some(false));
    Ok(if missed && !args.unjudged { report::FAILED } else { report::PASSED })
}

fn bar(what: &'static str, total: u64) -> ProgressBar {
    let bar = ProgressBar::new(total).with_message(what);
    let style = ProgressStyle::with_template("{elapsed_precise} [{bar:30}] {pos}/{len} {msg}");
    bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
    bar
}

fn table(figures: &[Figure]) -> String {
    let mut table = Table::new();
    table.load_preset(presets::NOTHING);
    table.set_header(["what", "measured", "beside it", "target", ""]);
    for figure in figures {
        let met = match figure.met {
            Some(true) => "met",
            Some(false) => "NOT MET",
            None => "",
        };
        table.add_row([&figure.what, &figure.measured, &figure.baseline, &figure.target, met]);
    }
    table.to_string()
}
