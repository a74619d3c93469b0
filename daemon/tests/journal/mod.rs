//! The journal on real SQLite files in temporary directories: appending, opening, damage, crashes, full and failing disks.

mod append;
mod bench;
mod chain;
mod child;
mod common;
mod crash;
mod damage;
mod disk;
mod heads;
mod identity;
mod permission;
mod reading;
mod takeover;
