//! Recordings of raw inputs, as files.
//!
//! A recording is JSON, one object per line: a `header`, then `keyframe`s (the state of the whole table) and `input`s in the
//! order in which they were handed in, each with both of its times and a digest of its effects. The table is pure, so the
//! same inputs from a keyframe on must have the same effects, bit for bit.

use crate::effect::Effect;
use crate::input::Stamped;
use crate::prelude::*;
use crate::table::Table;
use core::fmt;
use serde::{Deserialize, Serialize};

/// Version of the format.
pub const FORMAT: u32 = 1;
/// How a file of it begins that is compressed with zstd (RFC 8878, 3.1.1).
pub const COMPRESSED: [u8; 4] = [0x28, 0xB5, 0x2F, 0xFD];
/// Most bytes of its text that are read: some tens of times what a table keeps.
pub const LONGEST: u64 = 64 * 1024 * 1024;

/// The first line of a recording.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Header {
    /// Version of the format.
    pub format: u32,
    /// Version of the daemon that made the recording. Another version may decide differently without being wrong.
    pub build: String,
    /// Hardware backend.
    pub backend: String,
    /// The kernel's boot id, to which the times belong.
    pub boot: String,
    /// Why it was written: `void`, a malfunction, or `record`.
    pub reason: String,
}

/// An input as it was handed in, and its effects.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Entry {
    /// Its number since the daemon's start.
    pub index: u64,
    /// The input with its times.
    #[serde(flatten)]
    pub stamped: Stamped,
    /// Number of its effects.
    pub effects: u32,
    /// Their digest.
    pub digest: Digest,
}

impl Entry {
    /// The entry of an input with its effects.
    #[must_use]
    pub fn of(index: u64, stamped: Stamped, effects: &[Effect]) -> Self {
        Self { index, stamped, effects: count(effects), digest: Digest::of(effects) }
    }

    /// Whether its effects were these.
    #[must_use]
    pub fn matches(&self, effects: &[Effect]) -> bool {
        self.effects == count(effects) && self.digest == Digest::of(effects)
    }
}

fn count(effects: &[Effect]) -> u32 {
    u32::try_from(effects.len()).unwrap_or(u32::MAX)
}

/// One line of a recording. The type parameters allow a writer to borrow the contents.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Line<H = Header, T = Box<Table>, E = Box<Entry>> {
    /// The first line.
    Header(H),
    /// The table as it was before the input with this number.
    Keyframe {
        /// The number.
        index: u64,
        /// The table.
        table: T,
    },
    /// An input.
    Input(E),
}

/// A digest of effects: FNV-1a, 64 bits, over their JSON. It guards against defects, not against forgers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Digest(u64);

impl Digest {
    /// The digest of these effects.
    #[must_use]
    pub fn of(effects: &[Effect]) -> Self {
        const OFFSET: u64 = 0xcbf2_9ce4_8422_2325;
        const PRIME: u64 = 0x0100_0000_01b3;
        if effects.is_empty() {
            return Self(OFFSET);
        }
        // The serialisation of effects cannot fail.
        let json = serde_json::to_vec(effects).unwrap_or_default();
        Self(json.iter().fold(OFFSET, |hash, byte| (hash ^ u64::from(*byte)).wrapping_mul(PRIME)))
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
