//! The work tree, and the directories that belong to it.

use crate::shell::{cargo, command, output, run};
use anyhow::{Context, Result, ensure};
use sha2::{Digest, Sha256};
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::{env, fs};

/// Where lanes are told what others have made, so that they do not ask cargo for it, which locks its directories.
pub(crate) const MADE: &str = "TUMBLERD_MADE";

/// The work tree that this program was built from.
#[derive(Clone, Debug)]
pub(crate) struct Repository {
    root: PathBuf,
}

impl Repository {
    /// Where `cargo` says that the workspace is.
    ///
    /// # Errors
    /// Run from outside of a workspace, or without cargo.
    pub(crate) fn find() -> Result<Self> {
        let manifest = output(cargo(["locate-project", "--workspace", "--message-format", "plain"]))?;
        let root = Path::new(&manifest).parent().context("a manifest has a directory")?;
        env::set_current_dir(root)?;
        Ok(Self { root: root.into() })
    }

    pub(crate) fn root(&self) -> &Path {
        &self.root
    }

    /// Cargo's target directory.
    pub(crate) fn target(&self) -> PathBuf {
        env::var_os("CARGO_TARGET_DIR").map_or_else(|| self.root.join("target"), PathBuf::from)
    }

    /// Where tools and file systems are kept that are made once.
    pub(crate) fn cache(&self) -> PathBuf {
        let home = || env::var_os("HOME").map(|home| Path::new(&home).join(".cache"));
        let cache = env::var_os("XDG_CACHE_HOME").map(PathBuf::from).or_else(home).unwrap_or_else(env::temp_dir);
        cache.join("tumblerd")
    }

    /// The program `name` as it ships; [`Self::build_release`] makes it.
    pub(crate) fn release(&self, name: &str) -> PathBuf {
        self.target().join("release").join(name)
    }

    /// The rig's program; [`Self::build_rig`] makes it.
    pub(crate) fn rig(&self) -> PathBuf {
        self.target().join("debug/tumbler-hil")
    }

    /// Where the Debian package of a run lies, for all lanes that install it.
    pub(crate) fn packages(&self) -> PathBuf {
        self.target().join("ci-packages")
    }

    /// The Debian package there.
    ///
    /// # Errors
    /// There is none.
    pub(crate) fn package(&self) -> Result<PathBuf> {
        let mut files = fs::read_dir(self.packages())?.filter_map(Result::ok).map(|entry| entry.path());
        let deb = files.find(|file| file.extension().is_some_and(|extension| extension == "deb"));
        deb.with_context(|| format!("no Debian package in {}", self.packages().display()))
    }

    /// The daemon and tumblerctl as they ship.
    pub(crate) fn build_release(&self) -> Result<()> {
        if made("release") {
            return Ok(());
        }
        run(command("scripts/build-release", [""; 0]))
    }

    /// The rig, by the profile of the tests and as part of the workspace, with the daemon and tumblerctl beside it. A test is named so
    /// that cargo takes the tests' features, too, and finds everything compiled.
    pub(crate) fn build_rig(&self) -> Result<()> {
        if made("build") {
            return Ok(());
        }
        let programs = ["--bin", "tumblerd", "--bin", "tumblerctl", "--bin", "tumbler-hil", "--test", "program"];
        run(cargo(["build", "--locked", "--workspace"].into_iter().chain(programs)))
    }

    /// What git says.
    pub(crate) fn git<const N: usize>(&self, arguments: [&str; N]) -> Result<String> {
        output(command("git", arguments))
    }

    /// The files of the work tree, committed or not, below these paths, or all; after each of them a zero.
    pub(crate) fn files(&self, below: &[&str]) -> Result<Vec<u8>> {
        let fixed = ["ls-files", "-z", "--cached", "--others", "--exclude-standard", "--"];
        let listed = command("git", fixed.iter().chain(below)).output()?;
        ensure!(listed.status.success(), "git lists no files: {}", String::from_utf8_lossy(&listed.stderr));
        Ok(listed.stdout)
    }

    /// A hash of what is below these paths: that of what sha256sum says of them.
    pub(crate) fn hash(&self, below: &[&str]) -> Result<String> {
        let listed = self.files(below)?;
        let mut files: Vec<_> = listed.split(|byte| *byte == 0).collect();
        files.sort_unstable();
        let mut hash = Sha256::new();
        for file in files {
            // What is deleted is listed until that is committed.
            if let Ok(text) = fs::read(Path::new(OsStr::from_bytes(file))) {
                let text = hex::encode(Sha256::digest(text));
                hash.update([text.as_bytes(), b"  ", file, b"\n"].concat());
            }
        }
        Ok(hex::encode(hash.finalize()).chars().take(12).collect())
    }

    /// How many commits lead here: another number with each.
    pub(crate) fn height(&self) -> Result<u64> {
        Ok(self.git(["rev-list", "--count", "HEAD"])?.parse()?)
    }
}

/// Whether a lane of this run has made it.
fn made(lane: &str) -> bool {
    env::var(MADE).is_ok_and(|made| made.split(' ').any(|one| one == lane))
}
