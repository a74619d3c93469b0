//! Scenarios: what people do and what breaks, and how it must end, as files that run unchanged on every bench.

mod ask;
pub mod attend;
mod carry;
mod check;
mod course;
mod dealer;
pub mod ends;
pub mod file;
mod free;
pub mod grounds;
mod harm;
pub mod note;
pub mod order;
pub mod parse;
mod play;
mod promptness;
mod proof;
mod recover;
pub mod run;
mod settings;
pub mod step;
#[cfg(test)]
mod tests;
pub mod write;

pub use carry::{Stuck, carry_out};
pub use file::{BadFile, Ending, Trial, read_all};
pub use run::{Outcome, Verdict, judges_alone, run};
