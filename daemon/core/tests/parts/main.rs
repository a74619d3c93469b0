//! The core's parts by themselves, at the edges of what each is told. What they make together is judged by the scenarios.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test may fail loudly")]

mod devices;
#[path = "../world/durable.rs"]
mod durable;
mod limits;
mod probes;
mod reader;
mod standing;
mod terminal;
mod tumbler;
