//! The journal on real SQLite files in temporary directories: appending, opening, damage, crashes, full and failing disks.

mod append;
mod common;
mod damage;
mod permission;
mod reading;
