//! The panel over real sockets: what it answers, what it refuses, and whom it never holds up.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test may fail loudly"
)]

mod bench;
mod login;
mod looks;
mod pages;
mod stream;
mod workshop;

#[path = "../common/in_memory.rs"]
mod in_memory;
#[path = "../common/table.rs"]
mod table;
