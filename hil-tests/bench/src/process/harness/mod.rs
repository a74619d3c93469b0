//! Bench `pi`: a second Raspberry Pi at the table's header, pin to pin.
//!
//! ```text
//!   the table's machine                                     the second Pi
//! twin ─ bench ═ virtual wire ═ link (ssh) ═══════════ `tumbler-hil wires` ─ gpiocdev ─ rig's pins
//!              daemon (backend cdev) ─ table's pins ════ harness of wires ═══════════════════╯
//! ```
//!
//! The bench runs on the daemon's machine, because faults of process, disk, clock and network must be injected there. Another machine
//! drives and reads the table's pins: its clock and processor serve only the rig, and its kernel timestamps every edge. The same code
//! runs at both ends of two chips that one kernel simulates (`chip_pair`).

pub mod check;
pub mod chip_pair;
pub mod end;
pub mod link;
pub mod serve;
pub mod wiring;
