//! Why a bench cannot break something.

use crate::{EnvironmentFault, Trouble};

/// This machine lacks what it takes.
pub(super) fn not_here(what: &str, remedy: &str) -> Trouble {
    Trouble::NotHere(format!("this machine gives the rig no {what}: {remedy}"))
}

/// The bench lacks it.
pub(super) fn no_means(fault: EnvironmentFault) -> Trouble {
    Trouble::NotHere(format!("the virtual bench has no means for {fault:?}"))
}
