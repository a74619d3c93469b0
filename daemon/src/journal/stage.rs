//! Where a table lies that is being taken over, inside the state directory that it is taken into.

use super::error::JournalError;
use super::places::{Places, make, put, sync};
use crate::file;
use std::fs::{self, File};
use std::io::Write;
use std::path::{Path, PathBuf};

/// Room that is left on the disk at least, so that the journal can be opened and written: its write-ahead log is one megabyte.
const ROOM: usize = 4 << 20;
/// What the stage has besides the table: its number, and what a journal needs to be opened.
const NUMBER: &str = "number";
const OWN: [&str; 3] = [NUMBER, "lock", "run"];

/// The stage.
#[derive(Debug)]
pub(super) struct Stage {
    dir: PathBuf,
    done: PathBuf,
}

impl Stage {
    /// An empty stage with this number, in place of one that was left.
    pub(super) fn begin(new: &Places, number: &str) -> Result<Self, JournalError> {
        let stage = Self { dir: new.stage(), done: new.dir.join("took-over") };
        for left in [&stage.done, &stage.dir] {
            remove(left, number)?;
        }
        make(&stage.dir).map_err(JournalError::io("create", &stage.dir))?;
        let path = stage.dir.join(NUMBER);
        put(&path, number).map_err(JournalError::io("write", &path))?;
        sync(&stage.dir)?;
        new.sync()?;
        Ok(stage)
    }

    /// Where the copy lies.
    pub(super) fn dir(&self) -> &Path {
        &self.dir
    }

    /// A run directory for whoever opens the copy, which has nothing of this board's own.
    pub(super) fn run_dir(&self) -> PathBuf {
        self.dir.join("run")
    }

    /// Copies what lies in the other state directory, durably, but for what belongs to that board alone. Gives what it left: links, and
    /// what is no file.
    pub(super) fn fill(&self, old: &Places) -> Result<Vec<String>, JournalError> {
        let mut left = Vec::new();
        copy(old, &old.dir, &self.dir, &mut left)?;
        let spare = self.dir.join("run.room");
        let written = File::create(&spare).and_then(|mut file| {
            file.write_all(&vec![0; ROOM])?;
            file.sync_all()
        });
        written.map_err(JournalError::io("keep 4 MB free beside", &self.dir))?;
        fs::remove_file(&spare).map_err(JournalError::io("remove", &spare))?;
        Ok(left)
    }

    /// Puts everything in its place. The stage goes last, and at once.
    pub(super) fn move_in(&self, new: &Places) -> Result<(), JournalError> {
        for entry in entries(&self.dir)? {
            let name = entry.file_name().unwrap_or_default();
            if OWN.iter().any(|own| name == *own) {
                continue;
            }
            let target = new.dir.join(name);
            // Of an attempt that was cut short.
            if target.is_dir() {
                fs::remove_dir_all(&target).map_err(JournalError::io("remove", &target))?;
            }
            fs::rename(&entry, &target).map_err(JournalError::io("rename", &entry))?;
        }
        new.sync()?;
        new.rename(&self.dir, &self.done)?;
        fs::remove_dir_all(&self.done).map_err(JournalError::io("remove", &self.done))
    }

    /// Nothing comes of it.
    pub(super) fn give_up(&self) -> Result<(), JournalError> {
        fs::remove_dir_all(&self.dir).map_err(JournalError::io("remove", &self.dir))
    }
}

/// The number of a stage in this directory, where there is one.
pub(super) fn number(stage: &Path) -> Option<String> {
    file::read_text(&stage.join(NUMBER), 64).ok()
}

/// Removes an earlier stage. Its number stays until the new one is written: without it nobody could finish.
fn remove(dir: &Path, number: &str) -> Result<(), JournalError> {
    if !dir.exists() {
        return Ok(());
    }
    let keep = self::number(dir).is_some_and(|kept| kept == number);
    for entry in entries(dir)? {
        if keep && entry.file_name().is_some_and(|name| name == NUMBER) {
            continue;
        }
        let removed =
            if entry.is_dir() && !entry.is_symlink() { fs::remove_dir_all(&entry) } else { fs::remove_file(&entry) };
        removed.map_err(JournalError::io("remove", &entry))?;
    }
    Ok(())
}

fn copy(old: &Places, from: &Path, to: &Path, left: &mut Vec<String>) -> Result<(), JournalError> {
    make(to).map_err(JournalError::io("create", to))?;
    for path in entries(from)? {
        if old.is_of_the_board(&path) {
            continue;
        }
        let target = to.join(path.file_name().unwrap_or_default());
        let kind = fs::symlink_metadata(&path).map_err(JournalError::io("look at", &path))?.file_type();
        if kind.is_dir() {
            copy(old, &path, &target, left)?;
        } else if kind.is_file() {
            let copied = file::open(&path).and_then(|mut source| {
                let mut target = File::create_new(&target)?;
                std::io::copy(&mut source, &mut target)?;
                target.sync_all()
            });
            copied.map_err(JournalError::io("copy", &path))?;
        } else {
            left.push(path.strip_prefix(&old.dir).unwrap_or(&path).to_string_lossy().into_owned());
        }
    }
    sync(to)
}

fn entries(dir: &Path) -> Result<Vec<PathBuf>, JournalError> {
    let list = || fs::read_dir(dir)?.map(|entry| entry.map(|entry| entry.path())).collect::<std::io::Result<Vec<_>>>();
    list().map_err(JournalError::io("list", dir))
}
