//! `tumblerctl journal`: look at a journal's files, without the daemon.

use crate::ending::Ended;
use crate::say;
use anyhow::Context;
use serde_json::json;
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::PathBuf;
use tumblerd::journal;

/// Verify or export a journal; needs no daemon, and one that runs is not disturbed
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:\n  tumblerctl journal verify /var/lib/tumblerd")]
pub(crate) struct Arguments {
    #[command(subcommand)]
    what: What,
}

#[derive(Debug, clap::Subcommand)]
enum What {
    Verify(Verify),
    Export(Export),
}

/// Verify a journal from its first record to its last, and against its slot; exits with 1 when anything is wrong
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:\n  tumblerctl journal verify /var/lib/tumblerd")]
struct Verify {
    /// State directory, or a journal's file
    #[arg(default_value = "/var/lib/tumblerd")]
    path: PathBuf,
}

/// Write a journal's records as JSON lines
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Example:\n  tumblerctl journal export /var/lib/tumblerd --from 1 --to 500 --output records.jsonl"
)]
struct Export {
    /// State directory, or a journal's file
    #[arg(default_value = "/var/lib/tumblerd")]
    path: PathBuf,
    /// First record
    #[arg(long, value_name = "SEQ", default_value_t = 1)]
    from: u64,
    /// Last record; unless given, the journal's last
    #[arg(long, value_name = "SEQ", default_value_t = u64::MAX, hide_default_value = true)]
    to: u64,
    /// File to write; unless given, standard output
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,
}

pub(crate) fn run(of: &Arguments, is_json: bool) -> anyhow::Result<Ended> {
    match &of.what {
        What::Verify(of) => verify(of, is_json),
        What::Export(of) => export(of),
    }
}

fn verify(of: &Verify, is_json: bool) -> anyhow::Result<Ended> {
    let report = journal::verify(&of.path)?;
    if is_json {
        let faults: Vec<_> = report.faults.iter().map(|f| json!({ "seq": f.seq, "what": f.what })).collect();
        say::json(&json!({
            "journal": report.journal,
            "stream": report.stream,
            "whole": report.whole(),
            "records": report.records,
            "first": report.first,
            "last": report.last,
            "head": report.head,
            "genesis": report.genesis,
            "formats": report.formats,
            "faults": faults,
            "set_aside": report.set_aside,
        }))?;
    } else {
        let (path, first, last) = (report.journal.display(), report.first, report.last);
        say::line(&format!("{path}: {} records, {first} to {last}, head {}", report.records, report.head))?;
        if report.old() > 0 {
            say::line(&format!("{} of them are as tumblerd 0.1 wrote them (format 1)", report.old()))?;
        }
        for fault in &report.faults {
            let at = fault.seq.map(|seq| format!("record {seq}: ")).unwrap_or_default();
            say::line(&format!("WRONG: {at}{}", fault.what))?;
        }
        for file in &report.set_aside {
            say::line(&format!("set aside as damaged earlier: {file}"))?;
        }
        say::line(if report.whole() { "nothing is wrong" } else { "the journal is not whole" })?;
    }
    Ok(if report.whole() { Ended::Done } else { Ended::Refused })
}

fn export(of: &Export) -> anyhow::Result<Ended> {
    let range = of.from..=of.to;
    match &of.output {
        None => {
            let mut out = BufWriter::new(std::io::stdout().lock());
            journal::export(&of.path, &mut out, range)?;
            out.flush()?;
        }
        Some(output) => {
            let file = File::create_new(output).with_context(|| {
                format!(
                    "{} cannot be made (an older one is not overwritten; may this account write there?)",
                    output.display()
                )
            })?;
            let mut out = BufWriter::new(file);
            let count = journal::export(&of.path, &mut out, range)?;
            out.into_inner().context("the last records could not be written; is there room?")?.sync_all()?;
            say::line(&format!("{count} records are in {}", output.display()))?;
        }
    }
    Ok(Ended::Done)
}
