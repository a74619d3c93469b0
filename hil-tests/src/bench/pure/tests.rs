//! The pure bench against the contract of a bench.
