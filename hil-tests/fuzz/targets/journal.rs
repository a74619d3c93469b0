//! A state directory that was changed: bytes of the database, of its write-ahead log, of the slot and of the files in the run directory.
//! The daemon either refuses to start or starts; a table that started once starts again from what was made of it.

#![no_main]

#[path = "../../../daemon/core/tests/world/mod.rs"]
mod world;

use libfuzzer_sys::arbitrary::{Result, Unstructured};
use libfuzzer_sys::fuzz_target;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;
use tempfile::TempDir;
use tumbler_core::table::{Start, Table};
use tumbler_core::units::{Mono, Seq};
use tumbler_fuzz::{scratch, write};
use tumblerd::history::{events::Events, rounds};
use tumblerd::journal::{Filter, Identity, Job, Journal, Reader, export, verify_all};
use tumblerd::relay::Outbox;
use world::play::{opened, play_to_reveal};

const BOOT: &str = "b";
/// The journal of tumblerd 0.1 that is kept in the fixtures, and the run directory that belongs to it.
const OLD: [(&str, &[u8]); 2] = [
    ("state/journal.sqlite", include_bytes!("../../../fixtures/journal-0.1/journal.sqlite")),
    ("state/slot", include_bytes!("../../../fixtures/journal-0.1/slot")),
];

fn identity() -> Identity {
    Identity { site: "test".into(), table: "t1".into(), backend: "virtual".into() }
}

type Files = Vec<(PathBuf, Vec<u8>)>;

/// What lies in the directories of a table that has played half a round.
static PLAYED: LazyLock<Files> = LazyLock::new(|| {
    let made = scratch();
    let (state, run) = (made.path().join("state"), made.path().join("run"));
    fs::create_dir(&run).expect("a directory can be made");
    Journal::commission(&state, &run, &identity(), BOOT).expect("nothing is there yet");
    let (journal, _) = Journal::open(&state, &run, &identity(), BOOT).expect("it was just made");
    let (appender, writer) = journal.spawn(|_| {}).expect("a thread can be had");
    let mut table = opened("sg-v6", "sg-v6-3");
    play_to_reveal(&mut table);
    // The first record is that of the commissioning.
    for (seq, mut record) in (2..).zip(table.records) {
        record.seq = Seq(seq);
        let job = Job { records: vec![record], relayed: Seq(seq / 2), permit: (seq == 5).then_some(true) };
        // Where the queue is full it says so, and keeps them all the same.
        let _ = appender.append(job);
    }
    writer.stop().expect("all is written");
    let mut files = Vec::new();
    for below in ["state", "run"] {
        for entry in fs::read_dir(made.path().join(below)).expect("it is there").flatten() {
            if entry.path().is_file() {
                let name = Path::new(below).join(entry.file_name());
                files.push((name, fs::read(entry.path()).expect("it can be read")));
            }
        }
    }
    files.sort();
    files
});

static DIRECTORY: LazyLock<TempDir> = LazyLock::new(scratch);

/// Lays the files out anew, changed.
fn lay(u: &mut Unstructured<'_>) -> Result<()> {
    for below in ["state", "run"] {
        let _ = fs::remove_dir_all(DIRECTORY.path().join(below));
        fs::create_dir(DIRECTORY.path().join(below)).expect("a directory can be made");
    }
    let mut files: Files = match u.ratio(1, 4)? {
        true => OLD.iter().map(|(name, bytes)| (PathBuf::from(name), bytes.to_vec())).collect(),
        false => PLAYED.clone(),
    };
    let mut gone = None;
    for _ in 0..u.int_in_range(1..=6)? {
        let many = files.len();
        let which = u.choose_index(many)?;
        let (_, bytes) = &mut files[which];
        let at = if bytes.is_empty() { 0 } else { u.int_in_range(0..=bytes.len() - 1)? };
        match u.int_in_range(0..=9)? {
            0 => bytes.truncate(at),
            1 => gone = Some(which),
            2 => bytes.extend(u.bytes(u.len().min(64))?),
            // A page of SQLite's is 4096 bytes; the old journal's are shorter.
            3 => {
                let from = u.int_in_range(0..=bytes.len().saturating_sub(1))?;
                let count = 512.min(bytes.len() - at.max(from));
                bytes.copy_within(from..from + count, at);
            }
            _ => {
                let count = u.int_in_range(1..=16)?.min(bytes.len() - at).min(u.len());
                let new = u.bytes(count)?;
                bytes[at..at + count].copy_from_slice(new);
            }
        }
    }
    for (which, (name, bytes)) in files.iter().enumerate() {
        if gone != Some(which) {
            write(&DIRECTORY.path().join(name), bytes);
        }
    }
    Ok(())
}

/// Reads all that can be read, as people and the relay do.
fn read(state: &Path) {
    let mut sink = Vec::new();
    let _ = export(state, &mut sink, 0..=u64::MAX);
    if let Ok(report) = verify_all(state) {
        assert!(!report.to_string().is_empty());
    }
    let Ok(reader) = Reader::open(state) else { return };
    let _ = reader.events(&Filter { limit: 20, ..Filter::default() });
    let _ = reader.rounds(5);
    let tip = reader.durable();
    let mut events = Events::new(reader, "virtual");
    let _ = events.after(Seq(0), 64);
    let _ = rounds::latest(&mut events, tip.min(Seq(1000)), 5);
}

fuzz_target!(|bytes: &[u8]| {
    if lay(&mut Unstructured::new(bytes)).is_err() {
        return;
    }
    let (state, run) = (DIRECTORY.path().join("state"), DIRECTORY.path().join("run"));
    read(&state);
    let Ok((journal, found)) = Journal::open(&state, &run, &identity(), BOOT) else { return };
    drop(journal);
    let start = Start { boot: BOOT.into(), build: "fuzz".into(), config: "00".into(), journal: found };
    let settings = world::settings("sg-v6", "sg-v6-3");
    let mut effects = Vec::new();
    let table = Table::start(settings, start, Mono::from_millis(1000), &mut effects);
    let _ = table.expect("the settings are right").snapshot();
    if let Err(why) = Journal::open(&state, &run, &identity(), BOOT) {
        panic!("it started once, and does not start again: {why}");
    }
    read(&state);
});
