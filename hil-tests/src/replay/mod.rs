//! From the field to the bench: a recording of a table's raw inputs, as `tumblerctl record` and every incident write it, is
//! played back against this build's core, and turned into a scenario that the rig plays.
//!
//! ```text
//! FILE ──> recording ──> playback ──> the same, or the first difference
//!                           │
//!                           v
//!                        events ──> people ─┐
//!                              ├──> motor  ─┼──> script ──> scenario: steps, endings and latches as recorded
//!                              └──> parts  ─┘
//! ```
//!
//! The scenario begins where the recorded table was idle for the first time, and brings the rig's table there by
//! `open table`. What people did is told by the edges of their lines; what broke by what differed from a healthy table, as
//! the fault of the catalogue that comes nearest.

mod acts;
mod convert;
pub mod events;
mod motor;
mod parts;
pub mod playback;
pub mod recording;
mod script;
#[cfg(test)]
mod tests;

pub use convert::{NotConvertible, Scenario, convert};
pub use playback::{Playback, play};
pub use recording::{BadRecording, Recording};
