//! A recording as a table in the field wrote it, read whole.

use std::io::{self, Read};
use std::path::{Path, PathBuf};
use tumbler_bench::bounded;
use tumbler_core::table::Table;
use tumbler_core::wire::recording::{COMPRESSED, FORMAT, Header, LONGEST, Line};

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

impl Recording {
    /// Reads a recording.
    ///
    /// # Errors
    /// [`BadRecording`]: the file cannot be read, or is damaged or foreign.
    pub fn read(path: &Path) -> Result<Self, BadRecording> {
        let unreadable = |source| BadRecording::Unreadable { path: path.into(), source };
        let bytes = bounded::read(path, LONGEST).map_err(unreadable)?;
        if !bytes.starts_with(&COMPRESSED) {
            return Self::parse(path, &bytes);
        }
        let mut text = Vec::new();
        zstd::Decoder::new(bytes.as_slice())
            .and_then(|file| file.take(LONGEST).read_to_end(&mut text))
            .map_err(unreadable)?;
        Self::parse(path, &text)
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
            let read: Line = serde_json::from_str(line).map_err(|error| malformed(number, error.to_string()))?;
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
