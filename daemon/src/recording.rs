//! Recordings of raw inputs: their file format, and their replay.
//!
//! A recording is JSON, one object a line: a `header`, then `keyframe`s (the whole table as it was) and `input`s in the
//! order in which they were handed in, each with both of its times and a digest of the effects that came of it. The
//! table being pure, feeding the inputs to the keyframe must bring the same effects about, bit for bit.

use serde::{Deserialize, Serialize};
use std::fmt;
use std::io::{self, BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use tumbler_core::effect::Effect;
use tumbler_core::input::{Input, Stamped};
use tumbler_core::table::Table;
use tumbler_core::units::Mono;

/// Version of the format.
pub const FORMAT: u32 = 1;

/// The first line of a recording.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Header {
    /// Version of the format.
    pub format: u32,
    /// Version of the daemon that recorded. Another version may rightly decide otherwise.
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
    /// Their digest.
    pub digest: Digest,
}

/// One line of a recording, as it is written.
#[derive(Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Line<'a> {
    /// The first line.
    Header(&'a Header),
    /// The table as it was before the input with this number.
    Keyframe {
        /// The number.
        index: u64,
        /// The table.
        table: &'a Table,
    },
    /// An input.
    Input(&'a Entry),
}

/// One line of a recording, as it is read.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum LineRead {
    Header(Header),
    Keyframe { index: u64, table: Box<Table> },
    Input(Box<Entry>),
}

/// A digest of effects: FNV-1a, 64 bits, over their JSON. It guards against defects, not against forgers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Digest(u64);

impl Digest {
    /// The digest of these effects. Allocates nothing.
    #[must_use]
    pub fn of(effects: &[Effect]) -> Self {
        let mut digest = Fnv(0xcbf2_9ce4_8422_2325);
        if !effects.is_empty() {
            // Neither the writer nor the serialisation of effects can fail.
            let _ = serde_json::to_writer(&mut digest, effects);
        }
        Self(digest.0)
    }
}

impl fmt::Display for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:016x}", self.0)
    }
}

impl From<Digest> for String {
    fn from(digest: Digest) -> Self {
        digest.to_string()
    }
}

impl TryFrom<String> for Digest {
    type Error = String;
    fn try_from(text: String) -> Result<Self, String> {
        u64::from_str_radix(&text, 16).map(Self).map_err(|_| format!("`{text}` is no digest: 16 hexadecimal digits"))
    }
}

struct Fnv(u64);

impl Write for Fnv {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        for byte in bytes {
            self.0 = (self.0 ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3);
        }
        Ok(bytes.len())
    }
    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Where a replay first did otherwise than the recording.
#[derive(Clone, Debug, PartialEq)]
pub enum Difference {
    /// Other effects came of an input.
    Effects {
        /// The input as recorded.
        recorded: Box<Entry>,
        /// What comes of it now.
        replayed: Vec<Effect>,
    },
    /// The same effects, and another table at the next keyframe.
    Table {
        /// Number of the keyframe.
        index: u64,
    },
}

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
            Some(Difference::Effects { recorded, replayed }) => {
                let Stamped { at, now, input } = &recorded.stamped;
                writeln!(
                    f,
                    "different at input {}: {input:?}, happened at {at:?}, handed in at {now:?}",
                    recorded.index
                )?;
                writeln!(f, "  recorded: {} effects, digest {}", recorded.effects, recorded.digest)?;
                write!(f, "  replayed: {} effects, digest {}: {replayed:?}", replayed.len(), Digest::of(replayed))
            }
            Some(Difference::Table { index }) => {
                write!(f, "different at keyframe {index}: the same effects up to there, and another state of the table")
            }
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
    #[error("{path} cannot be read: {source}")]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// Why.
        source: io::Error,
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

/// Replays the recording in `path` and compares what comes of every input.
///
/// # Errors
/// The file cannot be read, or is no recording.
pub fn replay(path: &Path) -> Result<Report, ReplayError> {
    let unreadable = |source| ReplayError::Unreadable { path: path.into(), source };
    let file = std::fs::File::open(path).map_err(unreadable)?;
    let mut header = None;
    let mut replay = Replay::default();
    let mut last = 0;
    for (number, line) in BufReader::new(file).lines().enumerate() {
        last = number + 1;
        let line = line.map_err(unreadable)?;
        let malformed = |problem: String| ReplayError::Malformed { path: path.into(), line: last, problem };
        match serde_json::from_str(&line).map_err(|error| malformed(error.to_string()))? {
            LineRead::Header(found) if found.format == FORMAT => header = Some(found),
            LineRead::Header(found) => {
                return Err(malformed(format!("format {} is not known; known is {FORMAT}", found.format)));
            }
            _ if header.is_none() => return Err(malformed("the header is missing".into())),
            LineRead::Keyframe { index, table } => replay.keyframe(index, *table),
            LineRead::Input(entry) => replay.input(entry).map_err(malformed)?,
        }
        if replay.difference.is_some() {
            break;
        }
    }
    let missing = |problem: &str| ReplayError::Malformed { path: path.into(), line: last, problem: problem.into() };
    Ok(Report {
        header: header.ok_or_else(|| missing("it is empty"))?,
        inputs: replay.inputs,
        keyframes: replay.keyframes,
        effects: replay.effects,
        difference: replay.difference,
        build: crate::BUILD.into(),
    })
}

#[derive(Default)]
struct Replay {
    table: Option<Table>,
    inputs: u64,
    keyframes: u64,
    effects: u64,
    difference: Option<Difference>,
    out: Vec<Effect>,
}

impl Replay {
    fn keyframe(&mut self, index: u64, recorded: Table) {
        match &self.table {
            None => self.table = Some(recorded),
            Some(replayed) if *replayed == recorded => self.keyframes += 1,
            Some(_) => self.difference = Some(Difference::Table { index }),
        }
    }

    fn input(&mut self, entry: Box<Entry>) -> Result<(), String> {
        let table = self.table.as_mut().ok_or("an input before the first keyframe")?;
        let Stamped { at, now, input } = &entry.stamped;
        self.out.clear();
        table.handle(*at, *now, input, &mut self.out);
        self.inputs += 1;
        self.effects += self.out.len() as u64;
        if Digest::of(&self.out) != entry.digest || self.out.len() != entry.effects as usize {
            let replayed = std::mem::take(&mut self.out);
            self.difference = Some(Difference::Effects { recorded: entry, replayed });
        }
        Ok(())
    }
}

/// Makes the entry of an input and the effects that came of it.
#[must_use]
pub fn entry(index: u64, at: Mono, now: Mono, input: Input, effects: &[Effect]) -> Entry {
    Entry {
        index,
        stamped: Stamped { at, now, input },
        effects: u32::try_from(effects.len()).unwrap_or(u32::MAX),
        digest: Digest::of(effects),
    }
}
