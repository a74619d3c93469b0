//! The shell.

pub mod config;
pub mod journal;
