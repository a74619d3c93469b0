//! Everything that was seen in a cell, as diagrams and value change dumps want it.

use crate::scenario::timeline::Mark;
use tumbler_judges::Observation;

/// Everything that was seen in a cell. Some hundred bytes an observation, some thousand observations a second of table
/// time: kept only until it is written down.
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
