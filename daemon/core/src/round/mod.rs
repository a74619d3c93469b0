//! One round: what is called in it, how its dice are spun and revealed, what people are asked, and how it ends.

pub mod call;
pub mod ending;
pub mod history;
pub(crate) mod judgement;
pub mod past;
pub mod question;
pub mod spin;
pub mod state;

pub use history::History;
pub use past::{Interrupted, OnRecord, Past};
pub use question::{Doubt, Finding};
use serde::{Deserialize, Serialize};
pub use spin::{Spin, SpinEnd, Spun};
pub use state::Round;

/// How the dice were revealed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Reveal {
    /// The dome was taken away.
    Dome,
    /// Open Cover: the spin ended.
    SpinEnded,
    /// The supervisor confirmed that the dome is open although its contacts say otherwise.
    Confirmed,
}

/// Who said that the dice lie flat.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum FlatBy {
    /// The dice reader.
    Reader,
    /// The dealer's eye: an entry says flat.
    Dealer,
    /// The supervisor.
    Supervisor,
}
