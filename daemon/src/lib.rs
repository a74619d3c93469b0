//! The shell of the table: connects `tumbler-core` to wires, serial lines, disk, network, systemd and people.

pub mod arguments;
pub mod bands;
pub mod clock;
pub mod config;
pub mod console;
pub mod control;
pub mod devices;
pub mod events;
pub mod fieldbus;
pub mod hardware;
pub mod inbox;
pub mod io;
pub mod journal;
pub mod notify;
pub mod panel;
pub mod realtime;
pub mod recorder;
pub mod recording;
pub mod records;
pub mod relay;
pub mod rounds;
pub mod supervise;
pub mod test_report;
pub mod thermometer;
pub mod trace;
pub mod web;
pub mod wiring;

/// Version of the daemon.
pub const BUILD: &str = env!("CARGO_PKG_VERSION");
