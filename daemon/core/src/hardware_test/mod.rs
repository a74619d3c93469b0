//! Hardware tests: what a technician measures in maintenance, with the supervisor's key.
//!
//! A test is a run of the table's own steps ([`crate::table`]) under all guards; a [`Probe`] watches it and measures. Every
//! quantity has its unit, its limits with their source, and what to do ([`Quantity`]); the worst of them is the verdict.

mod buttons;
mod contact;
mod dome;
mod fieldbus;
mod gauge;
mod limits;
mod measurement;
mod probe;
mod quantity;
mod report;
mod spin;
mod test;

pub use buttons::Buttons;
pub use contact::Contact;
pub use dome::Dome;
pub use fieldbus::{Keys, LampMap, TRANSACTIONS, Traffic};
pub use gauge::{Loop, READINGS, Settling, Thermometer};
pub use limits::{Limits, Verdict};
pub use measurement::Measurement;
pub use probe::{Probe, Signal};
pub use quantity::Quantity;
pub use report::{Plots, Report, Wave};
pub use spin::Spin;
pub use test::HardwareTest;
