//! A recording as a table in the field wrote it, read as a stranger reads it: JSON, one object a line. A `header`, then
//! `keyframe`s (the whole table as it was) and `input`s in the order in which they were handed in, each with how many
//! effects came of it and their digest.

use serde::{Deserialize, Serialize};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use tumbler_core::effect::Effect;
use tumbler_core::input::Stamped;
use tumbler_core::table::Table;

/// The version of the format that is read here.
const FORMAT: u32 = 1;

/// The first line.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Header {
    /// Version of the format.
    pub format: u32,
    /// Version of the daemon that recorded.
    pub build: String,
    /// Hardware backend.
    pub backend: String,
    /// The kernel's boot id, to which the times belong.
    pub boot: String,
    /// Why it was written: `void`, a malfunction, or `record`.
    pub reason: String,
}

/// An input as it was handed in, and what came of it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Entry {
    /// Its number since the daemon's start.
    pub index: u64,
    /// The input with its times.
    #[serde(flatten)]
    pub stamped: Stamped,
    /// How many effects came of it.
    pub effects: u32,
    /// Their digest: FNV-1a, 64 bits, of their JSON, in hexadecimal.
    pub digest: String,
}

/// A line.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Line {
    /// The first one.
    Header(Header),
    /// The table as it was before the input with this number.
    Keyframe {
        /// The number.
        index: u64,
        /// The table.
        table: Box<Table>,
    },
    /// An input.
    Input(Box<Entry>),
}

/// A whole recording.
#[derive(Clone, Debug)]
pub struct Recording {
    /// Its header.
    pub header: Header,
    /// Everything else, in order; the first is a keyframe.
    pub lines: Vec<Line>,
}

/// A file that is no recording that can be used: what, where, what is allowed.
#[derive(Debug, thiserror::Error)]
pub enum BadRecording {
    /// It cannot be read.
    #[error("{path}: cannot be read: {source}")]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// A line is none of a recording's.
    #[error("{path}:{line}: {problem}; a recording is what `tumblerctl record` on a table writes")]
    Malformed {
        /// The file.
        path: PathBuf,
        /// The line, counted from 1.
        line: usize,
        /// What is wrong with it.
        problem: String,
    },
}

struct Fnv(u64);

impl Write for Fnv {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0 = bytes.iter().fold(self.0, |hash, byte| (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3));
        Ok(bytes.len())
    }
    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// The digest of effects.
#[must_use]
pub fn digest(effects: &[Effect]) -> String {
    let mut hash = Fnv(0xcbf2_9ce4_8422_2325);
    if !effects.is_empty() {
        // Neither this writer nor the serialisation of effects can fail.
        let _ = serde_json::to_writer(&mut hash, effects);
    }
    format!("{:016x}", hash.0)
}

impl Recording {
    /// Reads a recording.
    ///
    /// # Errors
    /// [`BadRecording`]: the file cannot be read, or is damaged or foreign.
    pub fn read(path: &Path) -> Result<Self, BadRecording> {
        let unreadable = |source| BadRecording::Unreadable { path: path.into(), source };
        let bytes = std::fs::read(path).map_err(unreadable)?;
        Self::parse(path, &bytes)
    }

    /// Reads a recording from these bytes of a file.
    ///
    /// # Errors
    /// [`BadRecording::Malformed`].
    pub fn parse(path: &Path, bytes: &[u8]) -> Result<Self, BadRecording> {
        let malformed = |line: usize, problem: String| BadRecording::Malformed { path: path.into(), line, problem };
        let text = std::str::from_utf8(bytes).map_err(|_| malformed(1, "it is no text".into()))?;
        let mut header = None;
        let mut lines: Vec<Line> = Vec::new();
        for (number, line) in (1..).zip(text.lines()) {
            let read = serde_json::from_str(line).map_err(|error| malformed(number, error.to_string()))?;
            match read {
                Line::Header(Header { format, .. }) if format != FORMAT => {
                    return Err(malformed(number, format!("format {format} is not known; known is {FORMAT}")));
                }
                Line::Header(found) if number == 1 => header = Some(found),
                Line::Header(_) => return Err(malformed(number, "a second header".into())),
                _ if header.is_none() => return Err(malformed(number, "the header is missing".into())),
                Line::Input(_) if lines.is_empty() => {
                    return Err(malformed(number, "an input before the first keyframe".into()));
                }
                line => lines.push(line),
            }
        }
        let header = header.ok_or_else(|| malformed(1, "it is empty".into()))?;
        if lines.is_empty() {
            return Err(malformed(2, "the first keyframe is missing".into()));
        }
        Ok(Self { header, lines })
    }

    /// The first keyframe: the table before the first input.
    #[must_use]
    pub fn first(&self) -> Option<&Table> {
        self.lines.iter().find_map(|line| match line {
            Line::Keyframe { table, .. } => Some(table.as_ref()),
            _ => None,
        })
    }
}
