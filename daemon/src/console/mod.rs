//! The console: a Unix socket on which people ask and command, one JSON object a line in each direction.
//! `daemon/docs/console.md` describes it; its types are in [`tumbler_core::wire::ask`].
//!
//! Who asks is found out from the kernel ([`credentials`]); the table decides what they may. Nothing here makes the control
//! loop wait: commands are handed in with a limit on their number and their pace, and answers come back on a channel
//! whose bound is never reached.

mod commands;
mod connection;
pub mod credentials;
mod lines;
mod listener;
mod places;
mod questions;
mod server;
mod shared;
mod watch;

pub use commands::{ANSWERS, CONNECTIONS, Commands, HandIn, Unanswered};
pub use listener::{BindError, bind};
pub use places::{KEPT, OF_STRANGERS, OF_UID};
pub use server::{Feeds, run};
