//! The relay against real brokers: mosquitto processes of the test's own, some behind a tap that can also cut the line.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test ends with the first thing that is wrong"
)]

mod bench;
mod delivery;
mod hostile;
mod retained;
mod tap;
mod tls;
mod trouble;

#[path = "../common/authority.rs"]
mod authority;
#[path = "../common/broker.rs"]
mod broker;
#[path = "../common/chained.rs"]
mod chained;
#[path = "../common/consumer.rs"]
mod consumer;
#[path = "../common/contract.rs"]
mod contract;
#[path = "../common/subscriber.rs"]
mod subscriber;
#[path = "../common/table.rs"]
mod table;
#[path = "../common/wait.rs"]
mod wait;
