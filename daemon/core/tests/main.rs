//! The core's tests, in one program: what they share, and what they bring into a program of the core's, is compiled once. A new file
//! is named here.

#![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::panic, reason = "a test may fail loudly")]

mod answers;
mod asked;
mod buttons;
mod by_the_text;
mod chatter;
mod console_doc;
mod decisions;
mod delayed_commits;
mod garbage;
mod hardware_tests;
mod invariants;
mod motion;
mod openings;
mod paid;
mod parts;
mod polling;
mod presses;
mod purity;
mod relay;
mod replay;
mod resets;
mod restarts;
mod rounds;
mod secrets;
mod shown;
mod standstill;
mod table_doc;
mod wire_bytes;
mod wires;
mod world;
mod written;
