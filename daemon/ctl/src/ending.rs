//! How a command ended, and the exit code that says so.

use std::process::ExitCode;
use tumblerd::pages::standing::Grade;

/// How a command ended when nothing was in its way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Ended {
    /// Done: exit code 0.
    Done,
    /// Refused, or what was looked at is wrong; the reason has been said: exit code 1.
    Refused,
    /// Done, and what was looked at is near its limits: exit code 3.
    Marginal,
    /// Looked at for a monitor: exit code 0 to 3, as Nagios has them.
    Watched(Grade),
}

/// The exit code for this ending; says on standard error what was in the way.
pub(crate) fn code(ended: anyhow::Result<Ended>) -> ExitCode {
    match ended {
        Ok(Ended::Done) => ExitCode::SUCCESS,
        Ok(Ended::Refused) => ExitCode::from(1),
        Ok(Ended::Marginal) => ExitCode::from(3),
        Ok(Ended::Watched(grade)) => ExitCode::from(grade as u8),
        // A closed pipe, as after `head`, is not an error.
        Err(error) if is_broken_pipe(&error) => ExitCode::SUCCESS,
        Err(error) => {
            crate::say::complain(&format!("{error:#}"));
            ExitCode::from(2)
        }
    }
}

/// Ends a look for a monitor: one line on standard output, also where nothing could be looked at, which is critical.
///
/// # Errors
/// If standard output is gone.
pub(crate) fn watched(looked: anyhow::Result<(Grade, String)>) -> anyhow::Result<Ended> {
    let (grade, line) = looked.unwrap_or_else(|error| (Grade::Critical, format!("CRITICAL: {error:#}")));
    crate::say::raw(&line)?;
    Ok(Ended::Watched(grade))
}

fn is_broken_pipe(error: &anyhow::Error) -> bool {
    error.chain().filter_map(|e| e.downcast_ref::<std::io::Error>()).any(|e| e.kind() == std::io::ErrorKind::BrokenPipe)
}
