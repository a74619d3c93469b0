//! Benches against what scenarios rely on.
#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "a test may fail loudly")]

mod guard;
mod pure;
