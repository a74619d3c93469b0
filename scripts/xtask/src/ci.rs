//! Everything that must hold before a change lands, and that nothing of it is left behind.

use crate::lanes::{LANES, Lane};
use crate::repository::Repository;
use crate::{play, say};
use anyhow::Result;
use rustix::process::{Pid, Signal, kill_process};
use std::path::Path;
use std::{fs, process};

/// In the environment of every process that a run starts, with another value each time.
const MARK: &str = "TUMBLERD_RUN";

/// Plays all lanes with a directory for temporary files of their own; whether they passed and left nothing.
///
/// # Errors
/// The lanes could not be played.
pub(crate) fn ci(repository: &Repository, yes: bool) -> Result<bool> {
    // Passable for others: the rig calls at a table's console from accounts of their own, and has its tables in here.
    let dir = tempfile::Builder::new().prefix("tumblerd-ci.").tempdir_in("/tmp")?;
    fs::set_permissions(dir.path(), std::os::unix::fs::PermissionsExt::from_mode(0o711))?;
    let mark = format!("ci-{}-{}", process::id(), dir.path().display());
    let status = || repository.git(["status", "--porcelain"]);
    let before = status()?;
    let all: Vec<&'static Lane> = LANES.iter().filter(|lane| lane.always).collect();
    let path = dir.path().display().to_string();
    let passed = play::play(repository, &all, yes, &[("TMPDIR", &path), (MARK, &mark)])?;

    let mut left = files(dir.path())?;
    let after = status()?;
    if after != before {
        left.push(format!("the run changed the work tree:\n{after}"));
    }
    left.extend(processes(&mark));
    say::heading("what is left behind");
    say::line(&if left.is_empty() { "nothing".into() } else { left.join("\n") });
    Ok(passed && left.is_empty())
}

fn files(dir: &Path) -> Result<Vec<String>> {
    let entries = fs::read_dir(dir)?.collect::<Result<Vec<_>, _>>()?;
    Ok(entries.iter().map(|entry| format!("a temporary file is left: {}", entry.path().display())).collect())
}

/// Processes with the mark, which are killed.
fn processes(mark: &str) -> Vec<String> {
    let marked = format!("{MARK}={mark}");
    let entries = fs::read_dir("/proc").into_iter().flatten().filter_map(Result::ok);
    let ids = entries.filter_map(|entry| entry.file_name().to_string_lossy().parse::<i32>().ok());
    let of_run = ids.filter(|id| {
        let environment = fs::read(format!("/proc/{id}/environ")).unwrap_or_default();
        environment.split(|byte| *byte == 0).any(|variable| variable == marked.as_bytes())
    });
    of_run
        .map(|id| {
            let line = fs::read_to_string(format!("/proc/{id}/cmdline")).unwrap_or_default().replace('\0', " ");
            if let Some(process) = Pid::from_raw(id) {
                let _ = kill_process(process, Signal::KILL);
            }
            format!("a process is left: {id} {line}")
        })
        .collect()
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
            std::thread::sleep(std::time::Duration::from_millis(10));
            processes("test-of-marks").pop()
        });
        assert!(found.unwrap().contains("sleep 60"));
        assert!(!child.wait().unwrap().success());
        assert!(processes("test-of-marks").is_empty());
    }

    #[test]
    fn a_file_that_is_left_is_told() {
        let dir = tempfile::tempdir().unwrap();
        assert!(files(dir.path()).unwrap().is_empty());
        fs::write(dir.path().join("left"), "").unwrap();
        assert!(files(dir.path()).unwrap().concat().ends_with("/left"));
    }
}
