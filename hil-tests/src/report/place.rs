//! Where the files of single cells lie in a directory of results.

use std::collections::BTreeSet;

/// Subdirectory of what belongs to single cells.
pub(super) const CELLS: &str = "cells";

/// The names of cells as those of files.
#[derive(Debug, Default)]
pub(super) struct FileNames(BTreeSet<String>);

impl FileNames {
    /// The cell's, or the first with a number after it that no other cell has: names may differ only in what a file's name cannot have.
    pub(super) fn unused(&mut self, cell: &str) -> String {
        let name = file_name(cell);
        let numbered = (2..).map(|number: u32| format!("{name}-{number}"));
        let free = std::iter::once(name.clone()).chain(numbered).find(|name| self.0.insert(name.clone()));
        free.unwrap_or_default()
    }
}

/// A cell's name as a file name: characters that are special to shells or file systems become `_`.
fn file_name(name: &str) -> String {
    name.chars().map(|c| if c.is_ascii_alphanumeric() || "-.+@".contains(c) { c } else { '_' }).collect()
}
