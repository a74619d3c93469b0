//! A record's place in the journal's hash chain, published with the record so that receivers can verify the chain.

use crate::prelude::*;
use crate::units::Seq;
use serde::{Deserialize, Serialize};

/// A record's place in the journal's chain. `link` is the SHA-256 of `previous` (its 32 bytes), `header` (its bytes) and `body_hash`
/// (its 32 bytes), one after the other; in format 1 of `previous`, `header` and the bytes of the body itself.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Chain {
    /// How the record lies in the journal: 2, or 1 where tumblerd 0.1 wrote it.
    #[cfg_attr(feature = "schema", schemars(extend("enum" = [1, 2])))]
    pub format: u32,
    /// What the journal's first record follows, in hexadecimal: the SHA-256 of `tumblerd journal`, `stream`, `first` and `after` (`-`
    /// where there is none), each ended by a line feed.
    #[cfg_attr(feature = "schema", schemars(regex(pattern = "^[0-9a-f]{64}$")))]
    pub genesis: String,
    /// Number of the journal's first record: 1, or more where a journal was begun again after damage.
    pub first: Seq,
    /// The link, in hexadecimal, that the journal before this one is known to have had, where there was one.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    #[cfg_attr(feature = "schema", schemars(regex(pattern = "^[0-9a-f]{64}$")))]
    pub after: Option<String>,
    /// Link of the record before, in hexadecimal; of the first record, the genesis.
    #[cfg_attr(feature = "schema", schemars(regex(pattern = "^[0-9a-f]{64}$")))]
    pub previous: String,
    /// What identifies the record, as the chain covers it: `tumblerd record 2`, `seq`, `at`, `boot`, `wall`, `wall_quality`, `round`
    /// (`-` for none) and `kind`, each ended by a line feed. In format 1: `seq`, `at`, `wall`, `wall_quality`, `boot`, `round`, the
    /// relay's cursor and `kind`.
    pub header: String,
    /// SHA-256 of the body's bytes, in hexadecimal.
    #[cfg_attr(feature = "schema", schemars(regex(pattern = "^[0-9a-f]{64}$")))]
    pub body_hash: String,
    /// The record's link, in hexadecimal: what the next record's is reckoned from.
    #[cfg_attr(feature = "schema", schemars(regex(pattern = "^[0-9a-f]{64}$")))]
    pub link: String,
}
