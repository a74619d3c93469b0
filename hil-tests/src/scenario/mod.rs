//! Scenarios: what people do and what breaks, and how it must end, as files that run unchanged on every bench.

mod ask;
pub mod attend;
mod bounds;
mod check;
mod console;
mod course;
mod effects;
pub mod endings;
mod faults;
pub mod file;
pub mod forms;
pub mod grounds;
mod halt;
mod held_controls;
mod invariants;
mod latency;
mod lawful;
pub mod names;
mod opening;
pub mod order;
pub mod parse;
mod play;
mod proof;
mod reader;
mod records;
mod recover;
mod round;
pub mod run;
pub(crate) mod schema;
mod session;
mod settings;
mod staff;
pub mod step;
mod steps;
#[cfg(test)]
mod tests;
pub mod timeline;
pub mod words;
pub mod write;

pub use file::{Ending, Trial, read_all};
pub use halt::Halt;
pub use run::{Outcome, Verdict, judges_alone, run, run_told};
pub use steps::{Hand, play_steps};
