//! What the pages of the daemon's panel and of `tumblerctl` have in common.

pub mod bands;
pub mod standing;
pub mod test_report;
pub mod web;
