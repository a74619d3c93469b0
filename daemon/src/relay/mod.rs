//! The relay: tells a broker (MQTT 5) what the table does. Outbound only: it subscribes to nothing, and a broker that
//! sends it a message all the same loses the connection.
//!
//! What goes where is in [`tumbler_core::wire::topics`]; how it goes:
//!
//! - **`event`, QoS 1.** The journal is the outbox: records are read after the last acknowledged one, at most
//!   [`ledger::WINDOW`] are in flight, and one counts as sent once the broker has acknowledged it and all before it. A new
//!   connection starts again after the last acknowledged record, so a consumer may see records twice (same stream, same
//!   `seq`), and never misses one. A record that is too long for the broker, or that it refuses
//!   for good, is told in short form, with its place in the chain. Where the topic is denied, the cursor stays.
//! - **`status`, `state`, `lamps`, `fault/<code>`, retained, QoS 1.** One message a topic in flight; what changes meanwhile
//!   is told once, in its newest form. At every connection all of them are told again, faults that are not latched deleted.
//!   A topic that the broker refuses is named, and tried again now and then; the others go on.
//! - **`keypad`, QoS 0.** Kept for no one: what cannot be sent at once is dropped, oldest first, and counted.
//!
//! Connections are rumqttc's; pauses between them, the watchdog and all accounts are kept here, because rumqttc reconnects
//! without a pause, forgets unacknowledged messages and does not notice a connection that is stuck in a write.

mod connection;
mod expiry;
mod handshake;
mod identity;
mod keys;
pub mod ledger;
mod options;
mod outbox;
mod reader;
mod refusals;
mod retained;
mod runner;
mod session;
#[cfg(test)]
pub(crate) mod testing;
mod timing;
mod trouble;

pub use identity::Identity;
pub use options::{
    Names, SYSTEM_AUTHORITIES, Settings, Tls, check_authorities, check_certificate, check_key, check_password,
};
pub use outbox::Outbox;
pub use runner::{Feeds, run};
pub use timing::{FIRST_PAUSE, STEADY, Timing};
pub use trouble::Trouble;
