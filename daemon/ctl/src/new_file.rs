//! A file that a command writes: made before anything moves, and never over another one, which may be a table's journal.

use anyhow::Context as _;
use std::fs::File;
use std::io::Write;
use std::path::{Path, PathBuf};

/// Makes a file of this name, where there is none.
///
/// # Errors
/// There is something of this name, or the system refuses.
pub(crate) fn create(path: &Path) -> anyhow::Result<File> {
    File::create_new(path).with_context(|| {
        format!(
            "{} cannot be made; what exists is not overwritten, so name another file. May this account write there?",
            path.display()
        )
    })
}

/// A file that was made and is still empty; gone again if nothing is written.
#[derive(Debug)]
pub(crate) struct NewFile {
    path: PathBuf,
    file: Option<File>,
}

impl NewFile {
    /// Makes it.
    ///
    /// # Errors
    /// There is something of this name, or the system refuses.
    pub(crate) fn make(path: &Path) -> anyhow::Result<Self> {
        Ok(Self { path: path.to_owned(), file: Some(create(path)?) })
    }

    /// Writes all of it.
    ///
    /// # Errors
    /// The system refuses.
    pub(crate) fn write(mut self, text: &str) -> anyhow::Result<()> {
        let written = self.file.as_mut().map_or(Ok(()), |file| file.write_all(text.as_bytes()));
        written.with_context(|| format!("{} cannot be written; is there room?", self.path.display()))?;
        self.file = None;
        Ok(())
    }
}

impl Drop for NewFile {
    fn drop(&mut self) {
        if self.file.is_some() {
            // An empty file that stays does no harm.
            let _ = std::fs::remove_file(&self.path);
        }
    }
}
