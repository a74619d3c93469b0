//! Time from the entry key to all areas lit and verified, compared with the least that bus and one commit take.

use super::round_player::{RoundPlayer, brisk};
use super::{Figure, median, millis};
use crate::templates::Templates;
use std::path::Path;
use tumbler_bench::Bench;
use tumbler_bench::process::clock;
use tumbler_bench::process::rig_fault::RigFault;
use tumbler_bench::process::speed::LineSpeed;
use tumbler_bench::process::workdir::WorkDir;

/// Bytes of a poll of the terminal and its answer: twelve registers.
const POLL: (usize, usize) = (8, 29);
/// Bytes of a board's 64 coils written, and the answer.
const WRITE: (usize, usize) = (17, 8);
/// Bytes of a board's 64 discrete inputs asked for, and the answer.
const READ: (usize, usize) = (8, 13);
/// Commits whose median is taken.
const COMMITS: u32 = 50;

/// Measures over `rounds`.
///
/// # Errors
/// [`RigFault`] when the bench does not work.
pub fn measure(templates: &Templates, rounds: u32, progress: &dyn Fn(u64)) -> Result<Vec<Figure>, RigFault> {
    let setup = brisk(templates, 9);
    let poll = u64::from(setup.table.settings.parameters.poll_fast) * 1_000_000;
    let mut table = templates.opened(&setup)?;
    warm(&mut table)?;
    let mut player = RoundPlayer::new(&table);
    let mut took = Vec::new();
    for round in 0..rounds {
        let pressed = std::cell::Cell::new(0);
        let lit = std::cell::Cell::new(0);
        player.round(
            &mut table,
            |table| pressed.set(table.now()),
            |table| lit.set(table.lamps_answered().unwrap_or(0)),
        )?;
        took.push(lit.get().saturating_sub(pressed.get()));
        progress(u64::from(round) + 1);
    }
    let commit = commit_time()?;
    let speed = LineSpeed::default();
    // A silence ends each request, and one each answer before the next request may follow.
    let bus: u64 = [POLL, WRITE, READ].iter().map(|(a, b)| speed.transaction(*a, *b) + speed.silence_ns).sum();
    let sum = bus + poll + commit;
    let middle = median(&took);
    let ratio = middle as f64 / sum as f64;
    let longest = took.iter().max().copied().unwrap_or(0);
    Ok(vec![
        Figure::new(
            &format!("entry key -> all areas lit and verified, on the bus, middle of {rounds}"),
            format!("{} ({ratio:.2} x)", millis(middle)),
            format!("{} = bus {} + poll {} + commit {}", millis(sum), millis(bus), millis(poll), millis(commit)),
            "at most 1.3 x",
            ratio <= 1.3,
        ),
        Figure::beside("  its longest", millis(longest)),
    ])
}

/// Waits until all units have answered and the temperature is known.
pub(super) fn warm(table: &mut tumbler_bench::process::Virtual) -> Result<(), RigFault> {
    let until = table.now() + 1_500_000_000;
    while table.now() < until {
        table.pass(until).map_err(super::round_player::fault)?;
    }
    Ok(())
}

/// Time of one commit of a record's size on the bench's disk, made as by the journal.
fn commit_time() -> Result<u64, RigFault> {
    let dir = WorkDir::new()?;
    let sql = |error: rusqlite::Error| RigFault::Other(format!("measure a commit: {error}"));
    let connection = rusqlite::Connection::open(Path::new(&dir.state()).join("commit.sqlite")).map_err(sql)?;
    connection.pragma_update(None, "page_size", 1024).map_err(sql)?;
    connection.pragma_update(None, "journal_mode", "WAL").map_err(sql)?;
    connection.pragma_update(None, "synchronous", "FULL").map_err(sql)?;
    connection.execute_batch("CREATE TABLE record (seq INTEGER PRIMARY KEY, body TEXT)").map_err(sql)?;
    let body = "x".repeat(400);
    let mut took = Vec::new();
    for _ in 0..COMMITS {
        let begun = clock::now();
        connection.execute("INSERT INTO record (body) VALUES (?1)", [&body]).map_err(sql)?;
        took.push(clock::now().nanos_since(begun));
    }
    Ok(median(&took))
}
