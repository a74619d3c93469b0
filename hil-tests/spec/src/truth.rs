//! Truth: every ending of a round is compared with the truth table in `truth/table.toml`, which has what the five rule texts say
//! about what really happened (NZ 4.9, 6.1 and 7.1 to 7.4; SGV6 and SGOC 5.4 to 5.6, 5.10 and 5.14; SGOC-early 5.1).
//!
//! The situation is derived from wires, truth, and people's commands and keys; from records only where they have a person's words;
//! and never from the reason that the table itself gives. Where physics leaves doubt, several situations are possible, and the
//! record must fit one of them.

pub(crate) mod allowed;
mod comparison;
mod endings;
mod history;
mod situation;
mod table;
mod unreachable;

pub use allowed::{AllowedEnding, AllowedEndings};
pub(crate) use comparison::TruthTable;
pub use comparison::rows;
pub(crate) use table::may_void;
pub use unreachable::UNREACHABLE_ROWS;
