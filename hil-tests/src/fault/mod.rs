//! The catalogue of what can break: data in `fixtures/faults.toml`, read and checked here.

pub mod catalogue;
pub mod expectation;
pub mod place;
#[cfg(test)]
mod tests;

pub use catalogue::{BadCatalogue, Catalogue, Fault, read};
pub use expectation::{Expect, ExpectedRound};
pub use place::Place;
