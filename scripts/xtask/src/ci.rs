//! Everything that must hold before a change lands, and that nothing of it is left behind.

use crate::guard::{Ended, guarded};
use crate::lanes::{LANES, Plays};
use crate::repository::Repository;
use crate::say;
use anyhow::Result;

/// Plays all lanes; whether they passed and left nothing.
///
/// # Errors
/// The lanes could not be played.
pub(crate) fn ci(repository: &Repository, yes: bool) -> Result<bool> {
    let status = || repository.git(["status", "--porcelain"]);
    let before = status()?;
    let Ended { passed, mut left } = guarded("ci", ["test"].into_iter().chain(yes.then_some("--yes")))?;
    let after = status()?;
    if after != before {
        left.push(format!("the run changed the work tree:\n{after}"));
    }
    let named =
        LANES.iter().filter(|lane| lane.plays == Plays::Named).map(|lane| lane.name).collect::<Vec<_>>().join(", ");
    say::line(&format!("lanes that were NOT played, as they play only where they are named: {named}"));
    say::heading("what is left behind");
    say::line(&if left.is_empty() { "nothing".into() } else { left.join("\n") });
    Ok(passed && left.is_empty())
}
