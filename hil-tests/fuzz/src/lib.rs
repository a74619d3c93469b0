//! What the fuzz targets share: a directory that costs no disk, a runtime whose clock jumps to the next deadline, and a journal in
//! memory.

use in_memory::InMemory;
use std::fs::OpenOptions;
use std::io::Write;
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;
use std::sync::LazyLock;
use tempfile::TempDir;
use tokio::runtime::{Builder, Runtime};
use tumbler_core::record::Event;
use tumbler_core::snapshot::Snapshot;
use tumbler_core::units::{Mono, Seq};

/// A directory of this process alone, below TMPDIR, which `scripts/fuzz` lets lie in memory.
///
/// # Panics
/// There can be none.
#[must_use]
pub fn scratch() -> TempDir {
    tempfile::tempdir().expect("a directory can be made")
}

/// Writes a file that only its owner may read, as accounts have to be.
///
/// # Panics
/// It cannot be written.
pub fn write(path: &Path, bytes: &[u8]) {
    let mut options = OpenOptions::new();
    let file = options.write(true).create(true).truncate(true).mode(0o600).open(path);
    file.and_then(|mut file| file.write_all(bytes)).expect("the scratch directory can be written");
}

/// A runtime on this thread. Its clock stands still while something is to be done, and then jumps, so that no time-out takes time.
///
/// # Panics
/// The system has no means for one.
#[must_use]
pub fn runtime() -> Runtime {
    Builder::new_current_thread().enable_all().start_paused(true).build().expect("a runtime can be made")
}

/// Ends the process at a panic, as libFuzzer expects, except at one of rumqttc's own: the relay gives each connection a task, and a
/// panic in there ends that task only (`daemon/src/relay/connection.rs`).
pub fn forgive_rumqttc() {
    let hook = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |panic| {
        if panic.location().is_none_or(|location| !location.file().contains("rumqttc")) {
            hook(panic);
        }
    }));
}

/// The journal and the table of the daemon's own tests.
#[path = "../../../daemon/tests/common/in_memory.rs"]
mod in_memory;
#[path = "../../../daemon/tests/common/table.rs"]
mod table;

/// Nothing adds to it, so that all inputs of a run may share it.
static RECORDS: LazyLock<InMemory> = LazyLock::new(|| {
    let records = InMemory::default();
    for seq in 1..=LAST.0 {
        let event = Event::Noted { kind: None, what: format!("number {seq}") };
        records.add(Mono(seq), Some(seq / 3), event);
    }
    records
});

/// The number of the last record of [`records`].
pub const LAST: Seq = Seq(8);

/// A few records.
#[must_use]
pub fn records() -> impl tumblerd::relay::Outbox + Clone + use<> {
    RECORDS.clone()
}

/// A table that is open, with nothing wrong.
#[must_use]
pub fn snapshot() -> Snapshot {
    Snapshot { seq: LAST, ..table::table() }
}
