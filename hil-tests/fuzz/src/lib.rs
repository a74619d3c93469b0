//! What the fuzz targets share: a directory that costs no disk, a runtime whose clock jumps to the next deadline, and a journal in
//! memory.

use std::fs::OpenOptions;
use std::io::Write;
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;
use std::sync::{Arc, LazyLock, Mutex, PoisonError};
use tempfile::TempDir;
use tokio::runtime::{Builder, Runtime};
use tumbler_core::record::{Event, Record};
use tumbler_core::snapshot::{Phase, Snapshot};
use tumbler_core::units::{Mono, RoundId, Seq};
use tumbler_core::wire::chain::Chain;
use tumbler_core::wire::topics::{EventMessage, VERSION};
use tumblerd::relay::Outbox;

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

/// Records in memory.
#[derive(Clone, Debug)]
pub struct InMemory(Arc<Mutex<Vec<EventMessage>>>);

impl Outbox for InMemory {
    fn after(&mut self, seq: Seq, limit: usize) -> Result<Vec<EventMessage>, String> {
        let records = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        Ok(records.iter().filter(|message| message.record.seq > seq).take(limit).cloned().collect())
    }
}

static RECORDS: LazyLock<Vec<EventMessage>> = LazyLock::new(|| {
    (1..=8)
        .map(|seq| {
            let event = Event::Noted { kind: None, what: format!("number {seq}") };
            let record =
                Record { seq: Seq(seq), at: Mono(seq), round: Some(RoundId(seq / 3)), clauses: Vec::new(), event };
            let body = serde_json::to_string(&record).expect("a record has a text");
            EventMessage {
                v: VERSION,
                stream: "s".into(),
                head: "00".into(),
                wall: 1_795_231_445_000,
                wall_quality: "synchronised".into(),
                boot: "b".into(),
                backend: "virtual".into(),
                record,
                chain: Chain::default(),
                body,
            }
        })
        .collect()
});

/// The number of the last record of [`records`].
pub const LAST: Seq = Seq(8);

/// A few records.
#[must_use]
pub fn records() -> InMemory {
    InMemory(Arc::new(Mutex::new(RECORDS.clone())))
}

/// A table that is open, with nothing wrong.
#[must_use]
pub fn snapshot() -> Snapshot {
    Snapshot {
        seq: LAST,
        phase: Phase::Ready,
        rules: "sg-v6".into(),
        layout: "sg-v6-3".into(),
        backend: "virtual".into(),
        open: true,
        dome: "closed".into(),
        poses: ["flat".into(), "flat".into(), "flat".into()],
        display: "   ".into(),
        ..Snapshot::default()
    }
}
