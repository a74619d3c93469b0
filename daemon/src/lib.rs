//! The shell of the table: connects `tumbler-core` to wires, serial lines, disk, network, systemd and people.

pub mod arguments;
pub mod config;
pub mod console;
pub mod fieldbus;
pub mod file;
pub mod hardware;
pub mod history;
pub mod journal;
pub mod network;
pub mod pages;
pub mod panel;
pub mod random;
pub mod recording;
pub mod relay;
pub mod run;
pub mod wiring;

/// Version of the daemon.
pub const BUILD: &str = env!("CARGO_PKG_VERSION");
