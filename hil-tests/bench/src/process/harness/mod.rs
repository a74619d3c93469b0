//! Bench `pi`: a second Raspberry Pi at the table's header, pin to pin.
//!
//! ```text
//!   the table's machine                                     the second Pi
//! twin ─ bench ═ virtual wire ═ link (ssh) ═══════════ `tumbler-hil wires` ─ gpiocdev ─ rig's pins
//!              daemon (backend cdev) ─ table's pins ════ harness of wires ═══════════════════╯
//! ```
//!
//! The bench runs beside the daemon, as what it breaks there (process, disk, clock, network) has to be broken where it is. What
//! drives and reads the table's pins is another machine: its clock and its processor are nobody's but the rig's, and its kernel
//! stamps every edge. The same code stands at both ends of two chips that one kernel simulates (`chip_pair`).

pub mod check;
pub mod chip_pair;
pub mod end;
pub mod link;
pub mod serve;
pub mod wiring;
