//! The tests of `tumblerctl`, in one program. A new file is named here.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    missing_docs,
    reason = "a test may fail loudly"
)]
#![allow(dead_code, reason = "what tests share, here and elsewhere; not all of it is needed here")]

mod console;
mod offline;
mod tables;

#[path = "../../tests/common/authority.rs"]
mod authority;
#[path = "../../tests/common/broker.rs"]
mod broker;
#[path = "../../tests/common/consumer.rs"]
mod consumer;
#[path = "../../tests/common/contract.rs"]
mod contract;
#[path = "../../tests/common/in_memory.rs"]
mod in_memory;
#[path = "../../tests/common/old.rs"]
mod old;
#[path = "../../tests/running/bench.rs"]
mod place;
#[path = "../../tests/common/subscriber.rs"]
mod subscriber;
#[path = "../../tests/common/table.rs"]
mod table;
#[path = "../../tests/common/wait.rs"]
mod wait;
