//! Recordings of raw inputs: the ring that the control loop writes, and the replay of one.

mod file;
pub mod recorder;
pub mod replay;
