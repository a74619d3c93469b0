//! How a command ended, and the exit code that says so.

use std::process::ExitCode;

/// How a command ended when nothing was in its way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Ended {
    /// Done: exit code 0.
    Done,
    /// Refused, or what was looked at is wrong; the reason has been said: exit code 1.
    Refused,
    /// Done, and what was looked at is near its limits: exit code 3.
    Marginal,
}

/// The exit code for this ending; says on standard error what was in the way.
pub(crate) fn code(ended: anyhow::Result<Ended>) -> ExitCode {
    match ended {
        Ok(Ended::Done) => ExitCode::SUCCESS,
        Ok(Ended::Refused) => ExitCode::from(1),
        Ok(Ended::Marginal) => ExitCode::from(3),
        // A closed pipe, as after `head`, is not an error.
        Err(error) if is_broken_pipe(&error) => ExitCode::SUCCESS,
        Err(error) => {
            crate::say::complain(&format!("{error:#}"));
            ExitCode::from(2)
        }
    }
}

fn is_broken_pipe(error: &anyhow::Error) -> bool {
    error.chain().filter_map(|e| e.downcast_ref::<std::io::Error>()).any(|e| e.kind() == std::io::ErrorKind::BrokenPipe)
}
