//! The ring of raw inputs, and the thread that writes it out.
//!
//! The control loop appends to the ring and hands out references to its sealed parts, so that writing an incident costs
//! it one copy of the table.

use super::file::{PLAIN, SUFFIX, compressed};
use std::collections::VecDeque;
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, SyncSender, TrySendError, sync_channel};
use tumbler_core::table::Table;
use tumbler_core::wire::console::Answer;
use tumbler_core::wire::recording::{Entry, FORMAT, Header, Line};

/// Inputs in the ring: some two minutes of a busy table (a poll of the bus every 20 ms, and a spin), about 1 MiB.
pub const INPUTS: usize = 8192;
/// Inputs between two keyframes.
pub const KEYFRAME: usize = 1024;
/// Parts of the ring at most, however many incidents have cut it up.
const SEGMENTS: usize = 32;
/// Recordings kept in the directory; the oldest go first.
pub const KEPT: usize = 64;
/// Bytes that a recording takes on the disk at most: of a longer past the oldest parts are left out. Flash wears out.
pub const LARGEST: usize = 160 * 1024;
/// Bytes that all recordings together may take.
const ALL: u64 = (KEPT * LARGEST) as u64;
/// Recordings that wait to be written. A third incident while two are being written is told in the log, not kept.
const WAITING: usize = 2;

/// A keyframe and the inputs that follow it.
#[derive(Debug)]
struct Segment {
    first: u64,
    table: Table,
    entries: Vec<Entry>,
}

/// The inputs of late.
#[derive(Debug)]
pub struct Ring {
    sealed: VecDeque<Arc<Segment>>,
    open: Segment,
    /// Inputs in the sealed parts.
    count: usize,
}

/// A part of the past, ready to be written out.
#[derive(Debug)]
pub struct Recording {
    reason: String,
    /// The command that asked for it and is answered once it is written.
    request: Option<u64>,
    segments: Vec<Arc<Segment>>,
}

impl Ring {
    /// A ring that begins with this table, before its first input.
    #[must_use]
    pub fn new(table: &Table) -> Self {
        let open = Segment { first: 0, table: table.clone(), entries: Vec::with_capacity(KEYFRAME) };
        Self { sealed: VecDeque::new(), open, count: 0 }
    }

    /// The number of the next input.
    #[must_use]
    pub fn next_index(&self) -> u64 {
        self.open.first + self.open.entries.len() as u64
    }

    /// Appends an input that `table` has just taken in.
    pub fn push(&mut self, entry: Entry, table: &Table) {
        self.open.entries.push(entry);
        if self.open.entries.len() >= KEYFRAME {
            self.seal(table);
        }
    }

    /// The recording up to now; `table` is the current state.
    pub fn cut(&mut self, reason: String, table: &Table) -> Recording {
        if !self.open.entries.is_empty() {
            self.seal(table);
        }
        Recording { reason, request: None, segments: self.sealed.iter().map(Arc::clone).collect() }
    }

    fn seal(&mut self, table: &Table) {
        let first = self.next_index();
        let open = Segment { first, table: table.clone(), entries: Vec::with_capacity(KEYFRAME) };
        let full = std::mem::replace(&mut self.open, open);
        self.count += full.entries.len();
        self.sealed.push_back(Arc::new(full));
        while self.count > INPUTS || self.sealed.len() > SEGMENTS {
            let Some(oldest) = self.sealed.pop_front() else { return };
            self.count -= oldest.entries.len();
        }
    }
}

/// Hands recordings to the writer. Never waits.
#[derive(Clone, Debug)]
pub struct Recorder {
    sender: SyncSender<Recording>,
}

/// The writer's side.
#[derive(Debug)]
pub struct RecordingWriter {
    receiver: Receiver<Recording>,
    directory: PathBuf,
    header: Header,
}

/// A recorder that writes to `directory`. `header.reason` is filled in for each recording.
#[must_use]
pub fn recorder(directory: PathBuf, header: Header) -> (Recorder, RecordingWriter) {
    let (sender, receiver) = sync_channel(WAITING);
    (Recorder { sender }, RecordingWriter { receiver, directory, header })
}

impl Recording {
    /// The same, for this command.
    #[must_use]
    pub fn asked_by(self, request: Option<u64>) -> Self {
        Self { request, ..self }
    }
}

impl Recorder {
    /// Has a recording written. One that finds the writer too busy is dropped, and the log says so.
    ///
    /// # Errors
    /// It was dropped: why.
    pub fn write(&self, recording: Recording) -> Result<(), &'static str> {
        let (recording, why) = match self.sender.try_send(recording) {
            Ok(()) => return Ok(()),
            Err(TrySendError::Full(recording)) => (recording, "others are still being written"),
            Err(TrySendError::Disconnected(recording)) => (recording, "the writer has ended"),
        };
        tracing::warn!(reason = recording.reason, "incident not recorded: {why}");
        Err(why)
    }
}

impl RecordingWriter {
    /// Writes recordings until every [`Recorder`] is gone. What cannot be written is told in the log and lost: games go on. Whoever
    /// asked for a recording is told by `answer` where it is.
    pub fn run(self, answer: impl Fn(u64, Answer)) {
        while let Ok(recording) = self.receiver.recv() {
            let told = match self.write(&recording) {
                Ok(path) => {
                    let path = path.display();
                    tracing::info!(%path, "incident recorded; `tumblerctl replay` replays it");
                    Answer::Done(format!("the recording is {path}"))
                }
                Err(error) => {
                    let directory = self.directory.display();
                    tracing::warn!(%error, %directory, "incident could not be recorded");
                    let why = format!(
                        "no recording can be written to {directory}: {error}; is there room, and is it writable?"
                    );
                    Answer::refused("not-recorded", why)
                }
            };
            if let Some(request) = recording.request {
                answer(request, told);
            }
        }
    }

    fn write(&self, recording: &Recording) -> io::Result<PathBuf> {
        fs::create_dir_all(&self.directory)?;
        let mut kept = numbered(&self.directory)?;
        kept.sort_unstable();
        let number = kept.last().map_or(1, |(number, _)| number.saturating_add(1));
        let path = self.directory.join(format!("{number:06}-{}{SUFFIX}", word(&recording.reason)));
        let bytes = self.encode(recording)?;
        // Under its own name only when whole.
        let partial = self.directory.join("writing");
        fs::write(&partial, &bytes)?;
        fs::rename(&partial, &path)?;
        let (mut files, mut room) = (1, ALL.saturating_sub(bytes.len() as u64));
        for (_, older) in kept.iter().rev() {
            let size = fs::metadata(older)?.len();
            files += 1;
            if files > KEPT || size > room {
                fs::remove_file(older)?;
                room = 0;
            }
            room = room.saturating_sub(size);
        }
        Ok(path)
    }

    /// The recording as it lies on the disk; without its oldest parts, where it would be too large with them.
    fn encode(&self, recording: &Recording) -> io::Result<Vec<u8>> {
        let header = Header { format: FORMAT, reason: recording.reason.clone(), ..self.header.clone() };
        let mut segments = recording.segments.as_slice();
        loop {
            let bytes = compressed(|out| {
                line(out, &Line::Header(&header))?;
                for segment in segments {
                    line(out, &Line::Keyframe { index: segment.first, table: &segment.table })?;
                    for entry in &segment.entries {
                        line(out, &Line::Input(entry))?;
                    }
                }
                Ok(())
            })?;
            match segments {
                [_, rest @ ..] if bytes.len() > LARGEST && !rest.is_empty() => segments = rest,
                _ => return Ok(bytes),
            }
        }
    }
}

fn line(out: &mut dyn Write, line: &Line<&Header, &Table, &Entry>) -> io::Result<()> {
    serde_json::to_writer(&mut *out, line)?;
    out.write_all(b"\n")
}

/// The recordings in a directory with their numbers.
fn numbered(directory: &Path) -> io::Result<Vec<(u64, PathBuf)>> {
    let mut found = Vec::new();
    for file in fs::read_dir(directory)? {
        let path = file?.path();
        let name = path.file_name().and_then(|n| n.to_str()).unwrap_or_default();
        let name = name.strip_suffix(SUFFIX).or_else(|| name.strip_suffix(PLAIN));
        let number = name.and_then(|n| n.split_once('-')).and_then(|(n, _)| n.parse().ok());
        found.extend(number.map(|number| (number, path)));
    }
    Ok(found)
}

/// A reason as part of a file's name.
fn word(reason: &str) -> String {
    let word: String =
        reason.chars().map(|c| if c.is_ascii_alphanumeric() { c.to_ascii_lowercase() } else { '-' }).take(32).collect();
    if word.is_empty() { "incident".into() } else { word }
}

#[cfg(test)]
mod tests;
