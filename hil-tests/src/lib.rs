//! The rig: plays the outside world of a table, breaks it on purpose, and proves that the daemon did the right thing.

pub mod campaign;
pub mod citation;
pub mod cli;
pub mod endure;
pub mod fault;
pub mod kills;
pub mod matrix;
pub mod measure;
pub mod pins;
pub mod replay;
pub mod report;
pub mod runner;
pub mod scenario;
pub mod schema;
pub mod search;
pub mod templates;
