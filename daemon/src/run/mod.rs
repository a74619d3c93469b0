//! What runs the table: the control loop on its thread, its inbox and clock, and what systemd and watchers hear of it.

pub mod backoff;
pub mod clock;
pub mod control;
pub mod inbox;
pub mod meters;
pub mod notify;
pub mod realtime;
pub(crate) mod stop;
pub mod supervise;
pub mod trace;
pub mod wires;
