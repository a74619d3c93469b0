//! The whole behaviour of a Tai-Sai (Sic Bo) table as a pure state machine.
//!
//! Time is an argument; there is no clock, file, socket, thread or random number in here. Without the standard library the compiler
//! knows of none, and a test holds the manifest to its few dependencies.
//! The shell hands in [`input::Stamped`] inputs and carries out [`effect::Effect`]s; whatever is decided replays
//! from its recorded inputs, bit for bit.
#![no_std]

extern crate alloc;

mod access;
pub mod context;
pub mod device;
pub mod effect;
mod every;
pub mod hardware_test;
pub mod input;
pub mod latch;
pub mod ledger;
pub mod line;
mod obstacle;
pub mod outbox;
pub mod prompt;
mod proof;
pub mod record;
pub mod refusal;
pub mod round;
pub mod rules;
pub mod sequence;
pub mod service;
pub mod settings;
pub mod snapshot;
pub mod table;
pub mod text;
pub mod timer;
pub mod units;
pub mod wall;
pub mod wire;

/// What the standard library's prelude has and that of `core` has not.
mod prelude {
    pub(crate) use alloc::borrow::ToOwned;
    pub(crate) use alloc::boxed::Box;
    pub(crate) use alloc::string::{String, ToString};
    pub(crate) use alloc::vec::Vec;
    pub(crate) use alloc::{format, vec};
}
