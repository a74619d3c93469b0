//! The rig's tests, in one program: the whole rig is linked once. Those that play scenarios have programs of their own, as they run
//! without the tests' usual harness. A new file is named here.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test may fail loudly"
)]

mod areas;
mod bench;
mod choice;
mod demo;
mod dumps;
mod evidence;
mod kills;
mod matrix;
mod page;
mod reached;
mod schema;
mod selftest;
mod serve;
mod typos;
