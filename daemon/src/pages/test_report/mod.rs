//! Hardware tests for people: each measurement with its unit, limits and bar, and the report as a page with its plots. The
//! same for `tumblerctl test` and for the panel.

pub mod bar;
mod page;

pub use page::{Looks, STYLE, page, report, whole};
