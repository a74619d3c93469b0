//! `tumblerctl journal`: look at a journal's files, without the daemon.

use crate::broker::{Access, Broker, broker};
use crate::ending::Ended;
use crate::heads::{self, Fetched};
use crate::new_file;
use crate::say;
use anyhow::Context;
use serde_json::json;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use tumblerd::journal::{self, Compared, Report};

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
    Backup(Backup),
}

/// Verify a journal from its first record to its last, and against its slot; exits with 1 when anything is wrong
///
/// Who can write the disk can also write another journal that is whole. What the table told while it played shows that: --heads
/// compares the journal with the messages that a consumer kept, and --broker fetches those that the broker kept since the last
/// time, under the name of --session, and appends them to that file first. The file belongs on another machine. What was told before
/// the journal began is looked for in those that were set aside in the directory.
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:\n  tumblerctl journal verify /var/lib/tumblerd\n  \
    tumblerctl journal verify --heads events.jsonl\n  \
    tumblerctl journal verify --heads events.jsonl --broker mqtt://10.0.0.5 --session audit-of-ana")]
struct Verify {
    /// State directory, or a journal's file
    #[arg(default_value = "/var/lib/tumblerd")]
    path: PathBuf,
    /// Compare with the heads in this file: messages of `event`, a line each
    #[arg(long, value_name = "FILE")]
    heads: Option<PathBuf>,
    /// First append to that file what this broker kept for the session: mqtt://HOST[:PORT] or mqtts://HOST[:PORT]
    #[arg(long, value_name = "URL", value_parser = broker, requires = "heads")]
    broker: Option<Broker>,
    /// Name of the session at the broker, which keeps for 30 days what tables tell meanwhile; a name of one's own
    #[arg(long, value_name = "NAME", default_value = "tumblerctl-heads", requires = "broker")]
    session: String,
    #[command(flatten)]
    access: Access,
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

/// Copy a journal to one file, with all that still lies in its write-ahead log, and verify the copy
///
/// A copy of `journal.sqlite` alone lacks the records that still lie in `journal.sqlite-wal`, and how many they are nothing shows. This
/// copy has them. The daemon may run meanwhile.
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:\n  tumblerctl journal backup /var/lib/tumblerd --output /mnt/backup/t1.sqlite")]
struct Backup {
    /// State directory, or a journal's file
    #[arg(default_value = "/var/lib/tumblerd")]
    path: PathBuf,
    /// File to make; one that is there already is left alone
    #[arg(long, short, value_name = "FILE")]
    output: PathBuf,
}

fn backup(of: &Backup) -> anyhow::Result<Ended> {
    let report = journal::backup(&of.path, &of.output)?;
    say::line(&format!("{}: {} records, {} to {}", of.output.display(), report.records, report.first, report.last))?;
    for fault in &report.faults {
        say::line(&format!("WRONG: {}", fault.what))?;
    }
    say::line(&verdict(&report, None))?;
    Ok(if report.whole() { Ended::Done } else { Ended::Refused })
}

pub(crate) fn run(of: &Arguments, is_json: bool) -> anyhow::Result<Ended> {
    match &of.what {
        What::Verify(of) => verify(of, is_json),
        What::Export(of) => export(of),
        What::Backup(of) => backup(of),
    }
}

fn verify(of: &Verify, is_json: bool) -> anyhow::Result<Ended> {
    if let (Some(broker), Some(file)) = (&of.broker, &of.heads) {
        let fetched = heads::fetch(&of.access.settings(broker, of.session.clone(), "`--session`")?, file)?;
        if !is_json {
            say::line(&told(&fetched, of, broker, file))?;
        }
    }
    let mut report = journal::verify(&of.path)?;
    let compared = of.heads.as_ref().map(|file| journal::compare(&of.path, file, &mut report)).transpose()?;
    let is_unproved = compared.as_ref().is_some_and(is_unproved);
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
            "heads": compared.map(|heads| json!({
                "found": heads.found,
                "missing": heads.missing,
                "before": heads.before,
                "aside": heads.aside,
                "unseen": heads.unseen,
                "lost": heads.lost(),
                "follows": heads.follows,
                "others": heads.others,
            })),
            "notes": report.notes,
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
        if let Some(heads) = compared {
            let all = heads.found + heads.missing;
            say::line(&format!(
                "of {all} heads that were told of it, the journal has {}; {} are from before its first record, {} of other journals",
                heads.found, heads.before, heads.others
            ))?;
            if heads.before > 0 {
                say::line(&format!(
                    "of the {} from before it, journals that were set aside have {}; {} were not looked for, {} are lost",
                    heads.before,
                    heads.aside,
                    heads.unseen,
                    heads.lost()
                ))?;
            }
            if is_unproved {
                say::line(&format!(
                    "NOT COMPARED: no head in the file is of this journal, whose stream is {}",
                    report.stream
                ))?;
            }
        }
        for note in &report.notes {
            say::line(&format!("note: {note}"))?;
        }
        let checked = if compared.is_some() { "only what was told is looked for in it" } else { "not verified" };
        for file in &report.set_aside {
            say::line(&format!("set aside as damaged earlier: {file} ({checked})"))?;
        }
        say::line(&verdict(&report, compared.as_ref()))?;
    }
    Ok(if report.whole() && !is_unproved { Ended::Done } else { Ended::Refused })
}

/// The last line of a verification.
fn verdict(report: &Report, compared: Option<&Compared>) -> String {
    let told = compared.copied().unwrap_or(Compared { follows: true, ..Compared::default() });
    if !report.whole() {
        let is_another = told.missing > 0 || !told.follows;
        return match (is_another, told.lost() > 0) {
            (true, _) => "the journal is not the one that the table told of",
            (false, true) => "records that the table told of are lost",
            (false, false) => "the journal is not whole",
        }
        .into();
    }
    if compared.is_some_and(is_unproved) {
        return "the journal is whole in itself; whether it is the one that the table wrote was not shown".into();
    }
    if report.first > 1 && told.aside == 0 {
        return format!("nothing is wrong from record {} on; those before were not verified", report.first);
    }
    "nothing is wrong".into()
}

/// Silence is no proof: a file without a head of this journal says nothing about it.
const fn is_unproved(compared: &Compared) -> bool {
    compared.found + compared.missing == 0
}

/// What was fetched, for a person.
fn told(fetched: &Fetched, of: &Verify, broker: &Broker, file: &Path) -> String {
    let Fetched { records, strange, kept } = fetched;
    let mut said = format!("{records} records fetched from {} into {}", broker.url, file.display());
    if *strange > 0 {
        said += &format!(", and {strange} messages that are no records passed over");
    }
    if !kept {
        said += &format!(
            "; the broker kept nothing under the session `{}` so far, and does from now on for 30 days",
            of.session
        );
    }
    said
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
            let file = new_file::create(output)?;
            let mut out = BufWriter::new(file);
            let count = journal::export(&of.path, &mut out, range)?;
            out.into_inner().context("the last records could not be written; is there room?")?.sync_all()?;
            say::line(&format!("{count} records are in {}", output.display()))?;
        }
    }
    Ok(Ended::Done)
}
