//! The relay against real brokers: mosquitto processes of the test's own, some behind a tap that can also cut the line.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test ends with the first thing that is wrong"
)]

mod bench;
mod broker;
mod contract;
mod daemon;
mod delivery;
mod floor;
mod hostile;
mod retained;
mod subscriber;
mod tap;
mod tls;
mod trouble;

#[path = "../running/bench.rs"]
#[allow(dead_code, unreachable_pub, reason = "the bench of the tests next door; not all of it is needed here")]
mod place;

#[path = "../common/chained.rs"]
mod chained;
#[path = "../common/consumer.rs"]
mod consumer;
#[path = "../common/old.rs"]
mod old;
#[path = "../common/table.rs"]
mod table;
