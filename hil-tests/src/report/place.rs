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

/// Most bytes of a file's name; file systems take 255, and a number and an ending come behind it.
const LONGEST: usize = 200;

/// A cell's name as a file name, or its beginning: characters that are special to shells or file systems become `_`.
fn file_name(name: &str) -> String {
    name.chars().take(LONGEST).map(|c| if c.is_ascii_alphanumeric() || "-.+@".contains(c) { c } else { '_' }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_are_too_long_for_a_file_or_alike_in_one_are_told_apart() {
        let (mut names, long) = (FileNames::default(), "é".repeat(250));
        let given: Vec<String> = [long.clone() + "::a", long + "::b", "a b".into(), "a/b".into()]
            .iter()
            .map(|cell| names.unused(cell))
            .collect();
        assert_eq!(given[2..], ["a_b", "a_b-2"]);
        assert!(given[0] != given[1] && given.iter().all(|name| name.len() < 230), "{given:?}");
    }
}
