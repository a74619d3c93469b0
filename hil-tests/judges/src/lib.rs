//! Judges of a Tai-Sai table.
//!
//! They are written from the rules and from the published register map and message shapes; this crate does not depend on
//! `tumbler-core` and shares no table with it. They see what a stranger with probes could see, and the truth of the rig's twin.
//!
//! # How a rig feeds them
//! Build a [`Config`] (rule set, layout, the order of the lamps, what the rig can see), make a [`Panel`] with
//! [`Panel::for_table`], hand it every [`Observation`] in the order in which things happened, call [`Panel::finish`] at the end,
//! then read [`Panel::findings`] and [`Panel::exercised`].
//!
//! - *Wires*: at the beginning every level with `initial: true`, then every change in both directions. Input edges go in **before**
//!   they are handed to the table, outputs as the table drives them, so that the table's reaction stands right behind its cause.
//! - *Bus*: every transaction at its end, with the moment of its request; failed ones too, with what was to be written.
//! - *Records*: at the moment they become durable. A rig that can read the journal only later merges them by their own `at`.
//!   Both keep the order that matters: a record stands before whatever it permits.
//! - *MQTT*: every message on the table's topics, subscribed with retain-as-published.
//! - *People*: commands as [`Seen::ConsoleCommand`] before the table gets them; keys of the terminal as [`Truth::Pressed`] before the terminal
//!   tells them; answers, panel and log lines as [`Seen::Text`].
//! - *Truth*: every quarter turn of the shaft, motor power, dome, dice whenever they come to rest, lamps that shine, process and supply.
//!   What an injected fault breaks is told with [`Truth::Broken`] before it takes hold, and again when it is healed.
//!
//! Where a truth is never told, the rules that need it stay silent, and [`Panel::exercised`] shows zero for them.
//!
//! All times are nanoseconds on the clock that the journal's `at` is on.

pub mod areas;
mod commands;
pub mod config;
mod disturbances;
mod journal;
pub mod judge;
mod lamps;
mod latch;
mod malfunctions;
mod measurements;
mod messages;
mod motor;
pub mod observation;
mod panel;
mod progress;
pub mod record;
mod registers;
mod relay;
mod rounds;
pub mod scene;
mod secrecy;
mod status;
mod supervision;
mod truth;

pub use config::{BadConfig, Config, LampOrder, Limits};
pub use judge::{Findings, Judge, RowUse, Violation};
pub use observation::{BusKind, Key, Line, Observation, Outlet, Part, Seen, Trace, Transaction, Truth, Words};
pub use panel::{Exercise, Panel};
pub use record::Record;
pub use truth::{AllowedEnding, AllowedEndings, UNREACHABLE as UNREACHABLE_ROWS, rows as truth_table_rows};

#[cfg(test)]
mod script;
