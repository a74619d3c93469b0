//! Runs of which nothing is left behind, however they end: processes carry a mark, and temporary files lie in one directory.

use crate::shell;
use anyhow::{Context, Result, bail};
use rustix::process::{Pid, Signal, kill_process};
use signal_hook::consts::{SIGCHLD, SIGHUP, SIGINT, SIGTERM};
use signal_hook::iterator::Signals;
use signal_hook::low_level::emulate_default_handler;
use std::ffi::OsStr;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::time::{Duration, Instant};
use std::{env, fs, process, thread};

/// In the environment of every process that a run starts, with another value each time.
const MARK: &str = "TUMBLERD_RUN";
/// How long processes may take to put their things away.
const GRACE: Duration = Duration::from_secs(15);

/// How a run ended.
pub(crate) struct Ended {
    pub(crate) passed: bool,
    /// Files and processes that were still there. They are gone now.
    pub(crate) left: Vec<String>,
}

/// Whether this process is within such a run.
pub(crate) fn is_guarded() -> bool {
    env::var_os(MARK).is_some()
}

/// This program with these arguments, in a process of its own. A signal that asks this one to end ends all that it started first.
///
/// # Errors
/// It could not be started, or what it started does not end.
pub(crate) fn guarded<A: AsRef<OsStr>>(name: &str, arguments: impl IntoIterator<Item = A>) -> Result<Ended> {
    let mut signals = Signals::new([SIGCHLD, SIGHUP, SIGINT, SIGTERM])?;
    // Passable for others: the rig calls at a table's console from accounts of their own, and has its tables in here.
    let dir = tempfile::Builder::new().prefix(&format!("tumblerd-{name}.")).tempdir_in("/tmp")?;
    fs::set_permissions(dir.path(), fs::Permissions::from_mode(0o711))?;
    let mark = format!("{name}-{}-{}", process::id(), dir.path().display());
    let mut run =
        shell::command(env::current_exe()?.to_str().context("this program has a name of letters")?, arguments);
    let mut run = run.env("TMPDIR", dir.path()).env(MARK, &mark).spawn()?;
    let signal = loop {
        if let Some(status) = run.try_wait()? {
            let mut left = files(dir.path())?;
            left.extend(marked(&mark).map(|(id, line)| format!("a process is left: {id} {line}")));
            end(&mark);
            return Ok(Ended { passed: status.success(), left });
        }
        if let Some(signal) = signals.wait().find(|signal| *signal != SIGCHLD) {
            break signal;
        }
    };
    end(&mark);
    run.wait()?;
    dir.close()?;
    emulate_default_handler(signal)?;
    bail!("signal {signal} was to end this program")
}

fn files(dir: &Path) -> Result<Vec<String>> {
    let entries = fs::read_dir(dir)?.collect::<Result<Vec<_>, _>>()?;
    Ok(entries.iter().map(|entry| format!("a temporary file is left: {}", entry.path().display())).collect())
}

/// Processes with the mark, and their command lines.
fn marked(mark: &str) -> impl Iterator<Item = (i32, String)> {
    let marked = format!("{MARK}={mark}");
    let entries = fs::read_dir("/proc").into_iter().flatten().filter_map(Result::ok);
    let ids = entries.filter_map(|entry| entry.file_name().to_string_lossy().parse::<i32>().ok());
    let of_run = ids.filter(move |id| {
        let environment = fs::read(format!("/proc/{id}/environ")).unwrap_or_default();
        environment.split(|byte| *byte == 0).any(|variable| variable == marked.as_bytes())
    });
    of_run.map(|id| {
        let line = fs::read_to_string(format!("/proc/{id}/cmdline")).unwrap_or_default();
        (id, line.replace('\0', " ").trim_end().into())
    })
}

/// Ends the processes with the mark: first they are asked, which gives scripts the time to put their things away.
fn end(mark: &str) {
    let began = Instant::now();
    let mut asked = Vec::new();
    // What does not end even so sleeps in the kernel, and nothing helps.
    while began.elapsed() < GRACE * 2 {
        let left: Vec<_> = marked(mark).filter_map(|(id, _)| Pid::from_raw(id)).collect();
        if left.is_empty() {
            return;
        }
        for process in left {
            if began.elapsed() > GRACE {
                let _ = kill_process(process, Signal::KILL);
            } else if !asked.contains(&process) {
                asked.push(process);
                let _ = kill_process(process, Signal::TERM);
            }
        }
        thread::sleep(Duration::from_millis(50));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::process::Command;

    #[test]
    fn a_process_with_the_mark_is_found_and_ended() {
        let mut child = Command::new("sleep").arg("60").env(MARK, "test-of-marks").spawn().unwrap();
        // Until it is another program, it has this one's environment.
        let found = (0..200).find_map(|_| {
            thread::sleep(Duration::from_millis(10));
            marked("test-of-marks").next()
        });
        assert_eq!(found.unwrap().1, "sleep 60");
        end("test-of-marks");
        assert!(!child.wait().unwrap().success());
        assert!(marked("test-of-marks").next().is_none());
    }

    #[test]
    fn a_file_that_is_left_is_told() {
        let dir = tempfile::tempdir().unwrap();
        assert!(files(dir.path()).unwrap().is_empty());
        fs::write(dir.path().join("left"), "").unwrap();
        assert!(files(dir.path()).unwrap().concat().ends_with("/left"));
    }
}
