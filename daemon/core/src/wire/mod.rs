//! Formats that strangers speak. Their bytes are pinned in `fixtures/wire/`; a change here is a change of a contract.

pub mod ask;
pub mod chain;
pub mod console;
pub mod lines;
pub mod recording;
pub mod registers;
pub mod replay;
pub mod topics;
pub mod unique;
pub mod wires;
