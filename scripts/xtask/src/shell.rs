//! Other programs: run them, and say which one failed.

use anyhow::{Context, Result, bail};
use rustix::fs::{FlockOperation, flock};
use rustix::io::Errno;
use std::ffi::OsStr;
use std::fmt;
use std::fs::File;
use std::io::{Read, Seek};
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::{Command, Stdio};

/// The exit code of a check that could check nothing, as test programs have it that are skipped.
pub(crate) const NOT_CHECKED: u8 = 77;

/// Nothing was found wrong, because nothing could be checked.
#[derive(Clone, Copy, Debug)]
pub(crate) struct NotChecked;

impl fmt::Display for NotChecked {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("not checked: what the check needs cannot be reached from here")
    }
}

impl std::error::Error for NotChecked {}

/// A program with its arguments.
pub(crate) fn command<A: AsRef<OsStr>>(program: &str, arguments: impl IntoIterator<Item = A>) -> Command {
    let mut command = Command::new(program);
    command.args(arguments);
    command
}

/// Cargo with these arguments.
pub(crate) fn cargo<A: AsRef<OsStr>>(arguments: impl IntoIterator<Item = A>) -> Command {
    command("cargo", arguments)
}

/// A program and its first arguments, for people.
fn told(command: &Command) -> String {
    let words = std::iter::once(command.get_program()).chain(command.get_args().take(4));
    words.map(|word| word.to_string_lossy()).collect::<Vec<_>>().join(" ")
}

/// Runs it, with this program's own output.
///
/// # Errors
/// It could not be started, or ended with something else than 0.
pub(crate) fn run(mut command: Command) -> Result<()> {
    let status = command.status().with_context(|| format!("`{}` cannot be started", told(&command)))?;
    if status.code() == Some(NOT_CHECKED.into()) {
        return Err(NotChecked.into());
    }
    if !status.success() {
        bail!("`{}` ended with {status}", told(&command));
    }
    Ok(())
}

/// Runs it and gives what it said on standard output, without the last line's end.
///
/// # Errors
/// As of [`run`].
pub(crate) fn output(mut command: Command) -> Result<String> {
    let said =
        command.stderr(Stdio::inherit()).output().with_context(|| format!("`{}` cannot be started", told(&command)))?;
    if !said.status.success() {
        bail!("`{}` ended with {}", told(&command), said.status);
    }
    Ok(String::from_utf8_lossy(&said.stdout).trim_end_matches('\n').into())
}

/// Runs it and gives how it ended, as a shell tells it, and all that it said, in the order in which it said it.
///
/// # Errors
/// It could not be started.
pub(crate) fn quietly(mut command: Command) -> Result<(i32, String)> {
    let log = tempfile::tempfile()?;
    command.stdout(log.try_clone()?).stderr(log.try_clone()?);
    let status = command.status().with_context(|| format!("`{}` cannot be started", told(&command)))?;
    let signal = status.signal().unwrap_or_default();
    Ok((status.code().unwrap_or(128 + signal), whole(log)?))
}

/// All that was written to a log.
///
/// # Errors
/// It cannot be read.
pub(crate) fn whole(mut log: File) -> Result<String> {
    let mut said = Vec::new();
    log.rewind()?;
    log.read_to_end(&mut said)?;
    Ok(String::from_utf8_lossy(&said).trim_end().into())
}

/// A file that one program at a time can have; nothing if another has it, and nobody is to wait.
///
/// # Errors
/// There can be no such file.
pub(crate) fn locked(path: &Path, how: FlockOperation) -> Result<Option<File>> {
    let file = File::create(path).with_context(|| format!("{} cannot be made", path.display()))?;
    match flock(&file, how) {
        Ok(()) => Ok(Some(file)),
        Err(Errno::WOULDBLOCK) => Ok(None),
        Err(why) => Err(why.into()),
    }
}

/// Whether it is there and ends well; what it says goes nowhere.
pub(crate) fn succeeds(mut command: Command) -> bool {
    command
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .is_ok_and(|status| status.success())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_outputs_are_told_in_their_order() {
        let said = quietly(command("sh", ["-c", "echo one; echo two >&2; echo three; exit 3"])).unwrap();
        assert_eq!(said, (3, "one\ntwo\nthree".into()));
        assert_eq!(quietly(command("sh", ["-c", "kill -KILL $$"])).unwrap().0, 137);
    }
}
