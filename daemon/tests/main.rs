//! The daemon's tests, in one program: what they share is compiled once, and everything that the daemon needs is linked once. A new
//! file is named here.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    missing_docs,
    reason = "a test may fail loudly"
)]
#![allow(dead_code, reason = "what tests share, here and elsewhere; not all of it is needed here")]

mod config;
mod contract_doc;
mod hardware_tests_doc;
mod journal;
mod links;
mod messages;
mod pages;
mod panel;
mod relay;
mod running;
mod wiring_doc;

#[path = "common/authority.rs"]
mod authority;
#[path = "common/broker.rs"]
mod broker;
#[path = "common/chained.rs"]
mod chained;
#[path = "common/consumer.rs"]
mod consumer;
#[path = "common/contract.rs"]
mod contract;
#[path = "common/in_memory.rs"]
mod in_memory;
#[path = "common/old.rs"]
mod old;
#[path = "common/subscriber.rs"]
mod subscriber;
#[path = "common/table.rs"]
mod table;
#[path = "common/wait.rs"]
mod wait;
