//! Bench `virtual`: the real daemon process at the rig's wires, in real time.
//!
//! One thread per scenario turns the world: it waits for the wire's socket, the field bus' pty and the twin's next deadline at
//! once, and timestamps all traffic with CLOCK_MONOTONIC.

pub mod broker;
pub mod bus;
pub mod certificates;
pub mod child;
pub mod clock;
pub mod config;
pub mod console;
pub mod daemon;
pub mod frame;
pub mod gpio_sim;
pub mod harness;
mod injection;
pub mod machine;
mod mounts;
pub mod notify;
pub mod observer;
pub mod pins;
pub mod port;
pub mod probe;
pub mod proxy;
pub mod pty;
mod readings;
pub mod rig_fault;
pub mod rogue_client;
pub mod speed;
mod supply;
mod table;
pub mod tap;
pub mod units;
mod virtual_bench;
pub mod watch;
pub mod wire;
pub mod workdir;
mod world;

pub use injection::wall_clock::library as wall_clock;
pub use table::{Setup, Virtual};
