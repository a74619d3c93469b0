//! `tumblerctl` with real tables and real brokers: daemons, mosquitto processes, and a floor of many tables.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test ends with the first thing that is wrong"
)]
#![allow(dead_code, reason = "what the daemon's own tests share; not all of it is needed here")]

mod daemon;
mod floor;

#[path = "../../../tests/common/authority.rs"]
mod authority;
#[path = "../../../tests/common/broker.rs"]
mod broker;
#[path = "../../../tests/common/consumer.rs"]
mod consumer;
#[path = "../../../tests/common/contract.rs"]
mod contract;
#[path = "../../../tests/common/old.rs"]
mod old;
#[path = "../../../tests/running/bench.rs"]
mod place;
#[path = "../../../tests/common/subscriber.rs"]
mod subscriber;
#[path = "../../../tests/common/wait.rs"]
mod wait;
