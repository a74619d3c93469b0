//! The replay of a recording of raw inputs.

use std::fmt;
use std::io::{self, BufRead, Read};
use std::path::{Path, PathBuf};
use tumbler_core::wire::recording::{FORMAT, Header, LONGEST, Line};
use tumbler_core::wire::replay::{Difference, Replay};

/// Longest line, in bytes; the longest that is recorded, a keyframe with the whole table, stays far below it.
const LINE: u64 = 1024 * 1024;

/// What a replay found.
#[derive(Clone, Debug, PartialEq)]
pub struct Report {
    /// The recording's header.
    pub header: Header,
    /// Inputs replayed.
    pub inputs: u64,
    /// Keyframes compared, the first one not counted.
    pub keyframes: u64,
    /// Effects that came of the inputs.
    pub effects: u64,
    /// The first difference, if there is one.
    pub difference: Option<Difference>,
    /// Version of the daemon that replays.
    pub build: String,
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Header { reason, backend, build, .. } = &self.header;
        writeln!(f, "recorded by {build} on backend {backend}, reason `{reason}`; replayed by {}", self.build)?;
        match &self.difference {
            None => write!(
                f,
                "the same: {} inputs, {} effects, {} keyframes, bit for bit",
                self.inputs, self.effects, self.keyframes
            ),
            Some(difference) => write!(f, "different at {difference}"),
        }?;
        if self.difference.is_some() && self.header.build != self.build {
            write!(f, "\nthe versions differ, so this need not be a defect: replay with version {build}")?;
        }
        Ok(())
    }
}

/// Why a recording cannot be replayed.
#[derive(Debug, thiserror::Error)]
pub enum ReplayError {
    /// The file cannot be read.
    #[error("{path} cannot be read: {error}; is it the path of a recording, and may this account read it?")]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// Why.
        error: io::Error,
    },
    /// A line that is none of a recording's.
    #[error("{path}:{line}: {problem}; a recording is what `tumblerctl record` writes")]
    Malformed {
        /// The file.
        path: PathBuf,
        /// The line, counted from 1.
        line: usize,
        /// What is wrong.
        problem: String,
    },
}

/// Replays the recording in `path` and compares the effects of every input.
///
/// # Errors
/// The file cannot be read, or is no recording.
pub fn replay(path: &Path) -> Result<Report, ReplayError> {
    let unreadable = |error| ReplayError::Unreadable { path: path.into(), error };
    let mut file = super::file::open(path).map_err(unreadable)?;
    let mut header = None;
    let mut replay = Replay::default();
    let (mut last, mut inputs, mut effects) = (0, 0, 0);
    let (mut line, mut read) = (Vec::new(), 0);
    loop {
        line.clear();
        if file.by_ref().take(LINE + 1).read_until(b'\n', &mut line).map_err(unreadable)? == 0 {
            break;
        }
        last += 1;
        read += line.len() as u64;
        let malformed = |problem: String| ReplayError::Malformed { path: path.into(), line: last, problem };
        if line.len() as u64 > LINE {
            return Err(malformed(format!("the line is longer than {LINE} bytes")));
        }
        if read > LONGEST {
            return Err(malformed(format!("there are more than {LONGEST} bytes of it")));
        }
        match serde_json::from_slice::<Line>(&line).map_err(|error| malformed(error.to_string()))? {
            Line::Header(found) if found.format == FORMAT => header = Some(found),
            Line::Header(found) => {
                return Err(malformed(format!("format {} is not known; known is {FORMAT}", found.format)));
            }
            _ if header.is_none() => return Err(malformed("the header is missing".into())),
            Line::Keyframe { index, table } => replay.keyframe(index, &table),
            Line::Input(entry) => {
                let played =
                    replay.input(&entry).ok_or_else(|| malformed("an input before the first keyframe".into()))?;
                (inputs, effects) = (inputs + 1, effects + played.len() as u64);
            }
        }
        if replay.difference.is_some() {
            break;
        }
    }
    let missing = |problem: &str| ReplayError::Malformed { path: path.into(), line: last, problem: problem.into() };
    Ok(Report {
        header: header.ok_or_else(|| missing("it is empty"))?,
        inputs,
        keyframes: replay.keyframes,
        effects,
        difference: replay.difference,
        build: crate::BUILD.into(),
    })
}
