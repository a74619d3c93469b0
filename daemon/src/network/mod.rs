//! The seam between the two processes: the one that drives the table, which has no network, and the one that speaks to the network,
//! which has no table.
//!
//! ```text
//! tumblerd (control)          net.sock, JSON lines          tumblerd net
//!   gate  ── table as it is, durable records, keys, answers ──>  link ── relay ──> broker
//!         <── acknowledgements, a technician's commands ───────       └─ panel <── browsers
//! ```
//! The control process takes the other one for hostile: whoever breaks into it through a browser or a broker speaks here. So what it
//! can say is little and bounded ([`messages`]): no supervisor's command has a form there, nothing that it asks is kept waiting in
//! memory without a bound, and whoever says what is not understood is hung up on. Nothing here makes the control loop or the journal
//! wait.

pub(crate) mod account;
mod allowance;
mod door;
pub mod gate;
mod lines;
pub mod link;
pub mod messages;
