//! Benches against what scenarios rely on.

mod guard;
mod pure;
