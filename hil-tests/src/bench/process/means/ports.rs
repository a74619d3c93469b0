//! The serial port and the wires.

use super::{Virtual, no_means};
use crate::bench::{Outside, Trouble};

pub(super) fn disturb(_table: &mut Virtual, outside: Outside) -> Result<(), Trouble> {
    Err(no_means(outside))
}

pub(super) fn restore(_table: &mut Virtual, outside: Outside) -> Result<(), Trouble> {
    Err(no_means(outside))
}
