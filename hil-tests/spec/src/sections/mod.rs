//! The sections of the specification, one a file, each under the diagram of what it follows.

mod bell;

use crate::specification::Section;

/// All of them, in the order in which they are asked.
pub(crate) fn all() -> Vec<Box<dyn Section>> {
    vec![Box::<bell::Bell>::default()]
}
