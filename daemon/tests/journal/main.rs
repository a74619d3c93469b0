//! The journal on real SQLite files in temporary directories: appending, opening, damage, crashes, full and failing disks.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    missing_docs,
    reason = "helpers of tests fail by panicking"
)]

mod append;
mod common;
mod damage;
mod permission;
mod reading;
