//! The catalogue of what can break: data in `fixtures/faults.toml`, read and checked here.

pub mod catalogue;
pub mod expectation;
pub mod place;
pub mod read;
mod schema;
#[cfg(test)]
mod tests;

pub use catalogue::{Catalogue, Fault};
pub use expectation::{Expect, ExpectedRound};
pub use place::Place;
pub use read::read;
