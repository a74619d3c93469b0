//! The seam between what drives the table and what speaks to the network: what the panel is told, and what it can ask.

pub mod messages;
