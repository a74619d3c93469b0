//! The shell.

pub mod config;
pub mod console;
pub mod events;
pub mod journal;
pub mod relay;
