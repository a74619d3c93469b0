//! The journal on real SQLite files in temporary directories: appending, opening, damage, crashes, full and failing disks.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    missing_docs,
    reason = "helpers of tests fail by panicking"
)]

mod append;
mod bench;
mod chain;
mod child;
mod common;
mod crash;
mod damage;
mod disk;
mod heads;
mod identity;
mod permission;
mod reading;
mod takeover;

#[path = "../common/consumer.rs"]
mod consumer;
#[path = "../common/old.rs"]
mod old;
