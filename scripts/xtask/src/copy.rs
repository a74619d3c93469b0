//! A copy of the work tree with builds of its own, for sources that are wrong on purpose: cargo takes what two work trees built in one
//! directory for the same, and a defect must not get into anybody's build.

use crate::install::Installer;
use crate::repository::Repository;
use crate::shell::{command, locked, run};
use crate::workspace;
use anyhow::{Context, Result, bail, ensure};
use rustix::fs::FlockOperation;
use rustix::io::{FdFlags, fcntl_setfd};
use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::fs::{self, File};
use std::io::Write;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// What runs the pure suite: of the workspace, so that other people's crates have the features that they have in every other build.
pub(crate) const SUITE: [&str; 6] = ["test", "--locked", "--quiet", "--workspace", "--test", "scenarios"];

/// It has its directory for itself.
pub(crate) struct Copy {
    place: PathBuf,
    _lock: File,
}

impl Copy {
    /// What is in the work tree now, committed or not. Always in the same place, so that what did not change is not built again; a file
    /// that differs gets the time of now, so that cargo sees it.
    ///
    /// # Errors
    /// Another run of `door` works there.
    pub(crate) fn make(repository: &Repository, place: &Path, door: &str) -> Result<Self> {
        let tree = place.join("tree");
        fs::create_dir_all(&tree)?;
        let Some(lock) = locked(&place.join("lock"), FlockOperation::NonBlockingLockExclusive)? else {
            bail!("another {door} works in {}", place.display());
        };
        // Whatever works there keeps the lock, even if this program is killed.
        fcntl_setfd(&lock, FdFlags::empty())?;
        Installer::new(repository, false).packages(&["rsync"])?;
        let files = repository.files(&[])?;
        let listed = files.split(|byte| *byte == 0).filter(|file| !file.is_empty());
        prune(&tree, &listed.map(|file| tree.join(OsStr::from_bytes(file))).collect())?;
        let mut rsync = command("rsync", ["-rlpc", "--from0", "--delete-missing-args", "--files-from=-", "./"]);
        let mut copying = rsync.arg(&tree).stdin(Stdio::piped()).spawn()?;
        copying.stdin.take().context("rsync has an input")?.write_all(&files)?;
        ensure!(copying.wait()?.success(), "the work tree could not be copied to {}", tree.display());
        Ok(Self { place: place.canonicalize()?, _lock: lock })
    }

    /// Gives its builds, where there are none yet, other people's crates as the work tree's own has them, so that they are not
    /// compiled once more.
    ///
    /// # Errors
    /// rsync's.
    pub(crate) fn seed(&self, repository: &Repository) -> Result<()> {
        let (own, seeded) = (repository.target().join("debug"), self.builds().join("debug"));
        if seeded.exists() || !own.exists() {
            return Ok(());
        }
        fs::create_dir_all(&seeded)?;
        let ours = ["--exclude=*tumbler*", "--exclude=*switched*"];
        let libraries = ["--include=/deps/", "--include=/deps/lib*", "--include=/deps/*.d", "--exclude=/deps/*"];
        let rest = ["--include=/build/***", "--include=/.fingerprint/***", "--exclude=*"];
        let mut rsync = command("rsync", ["-a"].into_iter().chain(ours).chain(libraries).chain(rest));
        rsync.arg(own.join("")).arg(seeded.join(""));
        run(rsync)
    }

    /// Forgets what was built of the workspace itself.
    ///
    /// # Errors
    /// cargo's.
    pub(crate) fn clean(&self) -> Result<()> {
        let packages = workspace::packages(self.command::<&str>("cargo", []))?.into_iter();
        let packages = packages.map(|package| format!("--package={}", package.name));
        run(self.command("cargo", ["clean".into(), "--quiet".into()].into_iter().chain(packages)))?;
        let incremental = self.builds().join("debug/incremental");
        if incremental.exists() {
            fs::remove_dir_all(incremental)?;
        }
        Ok(())
    }

    pub(crate) fn tree(&self) -> PathBuf {
        self.place.join("tree")
    }

    /// Cargo's target directory for it.
    pub(crate) fn builds(&self) -> PathBuf {
        self.place.join("build")
    }

    /// A program in it, with its builds.
    pub(crate) fn command<A: AsRef<OsStr>>(&self, program: &str, arguments: impl IntoIterator<Item = A>) -> Command {
        let mut command = command(program, arguments);
        command.current_dir(self.tree()).env("CARGO_TARGET_DIR", self.builds());
        // Built again for each defect, also where the work tree's own builds are made but once (.ci/run).
        command.env("CARGO_INCREMENTAL", "1");
        // It lies within the repository, where git would take a patch for one of the top level, and skip it in silence.
        command.env("GIT_CEILING_DIRECTORIES", &self.place);
        command
    }
}

/// Removes what is not among these files, so that nothing is tested that is not in the work tree any more.
fn prune(dir: &Path, files: &BTreeSet<PathBuf>) -> Result<()> {
    for entry in fs::read_dir(dir)? {
        let path = entry?.path();
        if path.is_dir() && !path.is_symlink() {
            prune(&path, files)?;
        } else if !files.contains(&path) {
            fs::remove_file(path)?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_copy_is_had_by_one_program() {
        let dir = tempfile::tempdir().unwrap();
        let _held = locked(&dir.path().join("lock"), FlockOperation::NonBlockingLockExclusive).unwrap().unwrap();
        let repository = Repository::find().unwrap();
        let refused = Copy::make(&repository, dir.path(), "scripts/canary").err().unwrap().to_string();
        assert_eq!(refused, format!("another scripts/canary works in {}", dir.path().display()));
    }

    #[test]
    fn what_is_not_in_the_work_tree_any_more_goes() {
        let dir = tempfile::tempdir().unwrap();
        let [kept, gone] = ["kept", "gone"].map(|name| dir.path().join("below").join(name));
        fs::create_dir(dir.path().join("below")).unwrap();
        for file in [&kept, &gone] {
            fs::write(file, "").unwrap();
        }
        prune(dir.path(), &BTreeSet::from([kept.clone()])).unwrap();
        assert!(kept.exists() && !gone.exists());
    }
}
