//! Faults of the rig itself. The product is not to blame for them: the verdict is INVALID, with exit code 2.

use std::path::{Path, PathBuf};
use std::time::Duration;

/// A fault of the rig or of the machine it runs on.
#[derive(Debug, thiserror::Error)]
pub enum RigFault {
    /// The table is at fault, and not the rig.
    #[error(transparent)]
    Table(#[from] tumbler_spec::BadConfig),
    /// A file, socket or device could not be used.
    #[error("{doing} {path}: {source}")]
    File {
        /// What was tried, such as "create the directory".
        doing: &'static str,
        /// On what.
        path: PathBuf,
        /// The system's answer.
        source: std::io::Error,
    },
    /// The operating system refused something that has no path.
    #[error("{doing}: {source}")]
    System {
        /// What was tried.
        doing: &'static str,
        /// The system's answer.
        source: std::io::Error,
    },
    /// A program that the bench needs could not be started.
    #[error("start {program}: {source}; {remedy}")]
    Spawn {
        /// The program.
        program: PathBuf,
        /// The system's answer.
        source: std::io::Error,
        /// What to do.
        remedy: &'static str,
    },
    /// An event did not happen in time.
    #[error("waited {} ms for {what}; {hint}", after.as_millis())]
    Late {
        /// What was waited for.
        what: String,
        /// For how long.
        after: Duration,
        /// Where to look.
        hint: String,
    },
    /// A peer violated its protocol.
    #[error("{peer} said `{said}`: {why}")]
    Protocol {
        /// Who.
        peer: &'static str,
        /// The words, shortened.
        said: String,
        /// What is wrong with them.
        why: String,
    },
    /// Ctrl-C.
    #[error("interrupted")]
    Interrupted,
    /// Anything else.
    #[error("{0}")]
    Other(String),
}

impl RigFault {
    /// For `map_err` on file operations.
    pub fn file<'p>(doing: &'static str, path: &'p Path) -> impl FnOnce(std::io::Error) -> Self + use<'p> {
        move |source| Self::File { doing, path: path.to_owned(), source }
    }
    /// For `map_err` on system calls without a path.
    pub fn system<E: Into<std::io::Error>>(doing: &'static str) -> impl FnOnce(E) -> Self {
        move |source| Self::System { doing, source: source.into() }
    }
}

/// What a peer said, short enough for a message.
#[must_use]
pub fn shortened(said: &[u8]) -> String {
    const KEPT: usize = 120;
    let text = String::from_utf8_lossy(said.get(..KEPT).unwrap_or(said)).into_owned();
    if said.len() > KEPT { format!("{text}…") } else { text }
}
