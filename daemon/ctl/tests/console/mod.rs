//! The console as its clients see it: the real `tumblerctl` and raw sockets against a stub of the table.

mod bounds;
mod called_off;
mod commands;
mod hardware_test;
mod questions;
mod reset;
mod stub;
mod terminal;
mod wires;
