//! The specification of a Tai-Sai table.
//!
//! It is written from the rule texts, the published register maps and the message schemas. This crate does not depend on
//! `tumbler-core` and shares no data with it. It sees what a stranger with probes could see, and what the rig's twin knows.
//!
//! `specification` holds the table to its sections, each of which names the clauses and the promises of the pages that it goes by.
//! Judges stand in for some of them where a bench is late. `scene` is the picture that all of them share, and `panel` runs them.
//!
//! # How a rig feeds them
//! Build a [`Config`] (rule set, layout, the order of the lamps, what the rig can see), make a [`Panel`] with
//! [`Panel::for_table`], hand it every [`Observation`] in the order in which things happened, call [`Panel::finish`] at the end,
//! then read [`Panel::findings`] and [`Panel::exercised`].
//!
//! - *Wires*: first every level with `initial: true`, then every change in both directions. Report an input edge **before** the
//!   table gets it, and an output when the table drives it, so that a reaction directly follows its cause.
//! - *Bus*: every transaction at its end, with the time of its request. Failed ones too, with what was to be written.
//! - *Records*: when they become durable. A rig that can read the journal only later merges them by their own `at`. Both ways keep
//!   the order that matters: a record precedes whatever it permits.
//! - *MQTT*: every message on the table's topics, subscribed to with retain-as-published.
//! - *People*: commands as [`Seen::ConsoleCommand`] before the table gets them, keys of the terminal as [`Truth::Pressed`] before the
//!   terminal reports them, and answers, panel and log lines as [`Seen::Text`].
//! - *Truth*: every quarter turn of the shaft, motor power, the dome, the dice whenever they come to rest, the lamps that shine, the
//!   process and the supply. What an injected fault breaks is reported with [`Truth::Broken`] before it takes effect, and again when it
//!   is healed.
//!
//! Rules that need a truth which is never reported stay silent, and [`Panel::exercised`] shows zero for them.
//!
//! All times are in nanoseconds, on the clock of the journal's `at`.

pub mod areas;
pub mod config;
mod journal;
pub mod judge;
mod lamps;
mod latch;
mod ledger;
mod measurements;
mod messages;
mod motor;
pub mod observation;
mod panel;
mod past;
pub mod record;
mod registers;
mod relay;
mod rounds;
mod rule;
pub mod scene;
mod secrecy;
mod section;
mod sections;
mod specification;
mod status;
mod supervision;
mod truth;

pub use config::{BadConfig, Config, LampOrder, Limits};
pub use judge::{Findings, Judge, RowUse, Violation};
pub use observation::{BusKind, Key, Line, Observation, Outlet, Part, Seen, Trace, Transaction, Truth, Words};
pub use panel::{Exercise, Panel};
pub use record::Record;
pub use rule::{Coverage, Rule, Uses};
pub use truth::{AllowedEnding, AllowedEndings, UNREACHABLE_ROWS, rows as truth_table_rows};

#[cfg(test)]
mod script;
