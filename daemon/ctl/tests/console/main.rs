//! The console as its clients see it: the real `tumblerctl` and raw sockets against a stub of the table.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test ends with the first thing that is wrong"
)]

mod bounds;
mod called_off;
mod commands;
mod hardware_test;
mod questions;
mod reset;
mod stub;
mod terminal;
mod wires;

#[path = "../../../tests/common/in_memory.rs"]
mod in_memory;
#[path = "../../../tests/common/table.rs"]
mod table;
