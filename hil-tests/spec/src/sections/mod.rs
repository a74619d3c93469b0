//! The sections of the specification, one a file, each under the diagram of what it follows.

mod bell;
mod bus;
mod command;
mod dice;
mod display;
mod entry;
mod hardware;
mod journal;
mod key;
mod keys;
mod lamps;
mod latches;
mod moments;
mod motor;
mod opening;
mod permission;
mod round;
mod sign;
mod signs;
mod spin;

use crate::measurements::Measurements;
use crate::messages::Messages;
use crate::relay::Relay;
use crate::scene::{press, run};
use crate::secrecy::Secrecy;
use crate::section::Section;
use crate::status::Status;
use crate::truth::TruthTable;

/// Those that do not need every observation at its own moment.
pub(crate) fn late() -> Vec<Box<dyn Section>> {
    vec![
        Box::<Measurements>::default(),
        Box::<Messages>::default(),
        Box::<Relay>::default(),
        Box::<Secrecy>::default(),
        Box::<Status>::default(),
        Box::<TruthTable>::default(),
    ]
}

/// All of them, in the order in which they are asked.
pub(crate) fn all() -> Vec<Box<dyn Section>> {
    let exact: Vec<Box<dyn Section>> = vec![
        Box::<bell::Bell>::default(),
        Box::<bus::Bus>::default(),
        Box::<command::Command>::default(),
        Box::<dice::Dice>::default(),
        Box::<display::Display>::default(),
        Box::<entry::Entry>::default(),
        Box::<hardware::Hardware>::default(),
        Box::<journal::Journal>::default(),
        Box::<key::Key>::default(),
        Box::<lamps::Lamps>::default(),
        Box::<latches::Latches>::default(),
        Box::<motor::Motor>::default(),
        Box::<opening::Opening>::default(),
        Box::<permission::Permission>::default(),
        Box::<round::Rounds>::default(),
        Box::<sign::Sign>::default(),
        Box::<spin::Spin>::default(),
    ];
    exact.into_iter().chain(late()).collect()
}
