//! The journal's records as people and brokers read them: as messages, page by page, in words, and added up to rounds.

pub mod events;
pub mod records;
pub mod rounds;
pub mod wording;
