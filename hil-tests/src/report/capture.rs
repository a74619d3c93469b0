//! Everything that was observed in a cell, for diagrams and value change dumps.

use crate::scenario::timeline::Mark;
use tumbler_spec::Observation;

/// Everything that was observed in a cell. About a hundred bytes per observation and a thousand observations per second of
/// table time, so it is kept only until it is written to a file.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Capture {
    /// What the judges were told, in order.
    pub seen: Vec<Observation>,
    /// The phases that the table said it was in, with the beginning of each in nanoseconds of table time.
    pub phases: Vec<(u64, String)>,
    /// What was broken and mended.
    pub marks: Vec<Mark>,
    /// When it ended, in nanoseconds of table time.
    pub end_ns: u64,
}
