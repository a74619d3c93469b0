//! The floor: every table of a site at a glance, from what the broker keeps and what the tables tell. Read only: it
//! publishes nothing, and no table knows of it.
//!
//! [`model`] makes the picture from topics, payloads and the time, and touches nothing; [`feed`] is the line to the broker.

pub mod feed;
pub mod model;
mod name;
mod seen;
