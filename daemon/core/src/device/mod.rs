//! The table's devices, a part a file: each a small machine that turns raw signals into facts and decides nothing.

pub mod bus;
pub mod cam;
pub mod contact;
mod devices;
pub mod dome;
pub mod guard;
pub mod inputs;
pub mod key_switch;
pub mod lamps;
pub mod reader;
pub(crate) mod schedule;
pub mod temperature;
pub mod terminal;
pub mod tumbler;

pub(crate) use devices::Devices;
