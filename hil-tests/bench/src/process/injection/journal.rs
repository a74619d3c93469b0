//! Injects faults of the journal's files while the daemon is off.

use super::super::rig_fault::RigFault;
use super::super::table::Virtual;
use super::state::{copy_journal, remove_journal};
use super::unsupported::bench_lacks;
use crate::{BenchError, EnvironmentFault};
use std::path::{Path, PathBuf};

pub(super) fn disturb(table: &mut Virtual, fault: EnvironmentFault) -> Result<(), BenchError> {
    require_off(table)?;
    let state = table.dir.state();
    let good = table.dir.path().join("good");
    copy_journal(&state, &good)?;
    let journal = state.join("journal.sqlite");
    match fault {
        EnvironmentFault::JournalTruncated => {
            let length = size(&journal)? / 2;
            let file = std::fs::OpenOptions::new().write(true).open(&journal);
            let cut = file.and_then(|file| file.set_len(length));
            cut.map_err(RigFault::file("cut", &journal))?;
            table.injections.note(fault, size(&journal)? == length);
        }
        EnvironmentFault::JournalBitflip => {
            let flipped = flip_bit(&state)?;
            table.injections.note(fault, flipped);
        }
        EnvironmentFault::JournalMissing => {
            remove_journal(&state)?;
            table.injections.note(fault, !journal.exists());
        }
        EnvironmentFault::JournalForeign => {
            let foreign = commission_foreign(table)?;
            remove_journal(&state)?;
            copy_journal(&foreign, &state)?;
            table.injections.note(fault, size(&journal)? > 0);
        }
        EnvironmentFault::JournalRolledBack => {
            let earlier = table.dir.path().join("earlier");
            remove_journal(&state)?;
            copy_journal(&earlier, &state)?;
            table.injections.note(fault, size(&journal)? > 0);
        }
        _ => return Err(bench_lacks(fault)),
    }
    Ok(())
}

pub(super) fn restore(table: &mut Virtual, fault: EnvironmentFault) -> Result<(), BenchError> {
    require_off(table)?;
    if !table.injections.shown.contains(&fault) {
        return Err(BenchError::Rig(format!("{fault} was not injected")));
    }
    let (state, good) = (table.dir.state(), table.dir.path().join("good"));
    remove_journal(&state)?;
    Ok(copy_journal(&good, &state)?)
}

fn require_off(table: &mut Virtual) -> Result<(), BenchError> {
    if table.daemon.running()? {
        return Err(BenchError::Rig(
            "the journal's files can only be changed while the daemon is off: kill or stop it".into(),
        ));
    }
    table.world.journal.close();
    Ok(())
}

fn size(path: &Path) -> Result<u64, RigFault> {
    Ok(std::fs::metadata(path).map_err(RigFault::file("look at", path))?.len())
}

/// Flips a bit of the last record. Returns whether the record was found in the file.
fn flip_bit(state: &Path) -> Result<bool, RigFault> {
    let journal = state.join("journal.sqlite");
    let read = |e: rusqlite::Error| RigFault::Other(format!("read the journal {}: {e}", journal.display()));
    let body: String = {
        let connection = rusqlite::Connection::open(&journal).map_err(read)?;
        connection.query_row("SELECT body FROM record ORDER BY seq DESC LIMIT 1", [], |row| row.get(0)).map_err(read)?
    };
    // Closing the connection has merged the log, so the record is in the file itself. A long one spans several pages, so search for
    // its beginning.
    let start = body.as_bytes().get(..body.len().min(40)).unwrap_or_default();
    let mut bytes = std::fs::read(&journal).map_err(RigFault::file("read", &journal))?;
    let Some(place) = bytes.windows(start.len()).rposition(|window| window == start) else { return Ok(false) };
    if let Some(byte) = bytes.get_mut(place + start.len() / 2) {
        *byte ^= 1;
    }
    std::fs::write(&journal, bytes).map_err(RigFault::file("write", &journal))?;
    Ok(true)
}

/// Commissions another table with the same daemon. Returns its state directory.
fn commission_foreign(table: &Virtual) -> Result<PathBuf, RigFault> {
    let dir = table.dir.path().join("foreign");
    let path = table.dir.config();
    let text = std::fs::read_to_string(&path).map_err(RigFault::file("read", &path))?;
    let bad = |why: String| RigFault::Other(format!("the daemon's configuration {}: {why}", path.display()));
    let mut config: toml::Table = text.parse().map_err(|e: toml::de::Error| bad(e.to_string()))?;
    let state = dir.join("state");
    let changes = [
        ("table", "table", "elsewhere".to_owned()),
        ("journal", "state_dir", state.to_string_lossy().into_owned()),
        ("journal", "run_dir", dir.join("run").to_string_lossy().into_owned()),
    ];
    for (section, key, value) in changes {
        let section = config.get_mut(section).and_then(toml::Value::as_table_mut);
        section.ok_or_else(|| bad(format!("no section for {key}")))?.insert(key.into(), value.into());
    }
    std::fs::create_dir_all(&dir).map_err(RigFault::file("make the directory", &dir))?;
    let other = dir.join("tumblerd.toml");
    std::fs::write(&other, config.to_string()).map_err(RigFault::file("write", &other))?;
    table.daemon.commission_with(&other)?;
    Ok(state)
}
