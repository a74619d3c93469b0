//! The evidence of cells that did not pass, as files that other programs take along: the dump of the wires, the cell's part of the
//! page, and the end of the daemon's log.

use super::page::{self, CellOnPage};
use super::place::{CELLS, FileNames};
use super::results::{Cell, Results};
use anyhow::Context;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// A file beside the results.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Attachment {
    /// What it shows.
    pub name: &'static str,
    /// Its place in the directory of the results.
    pub path: PathBuf,
    /// Its media type.
    pub kind: &'static str,
}

/// The evidence of all cells, by the numbers of their run and of themselves in it.
#[derive(Clone, Debug, Default)]
pub struct Evidence(pub(super) BTreeMap<(usize, usize), Vec<Attachment>>);

impl Evidence {
    /// Writes what the results hold of it into their directory, where the dumps are already.
    ///
    /// # Errors
    /// A file cannot be written.
    pub fn write(results: &Results, directory: &Path) -> anyhow::Result<Self> {
        std::fs::create_dir_all(directory.join(CELLS)).with_context(|| format!("make {}", directory.display()))?;
        of_each(results, &mut FileNames::default(), directory).map(Self)
    }

    /// That of one cell.
    #[must_use]
    pub fn of(&self, cell: (usize, usize)) -> &[Attachment] {
        self.0.get(&cell).map_or(&[], Vec::as_slice)
    }
}

/// Writes that of each of these cells, whose dumps are there already. `names` are those of the cells before them.
pub(super) fn of_each(
    results: &Results,
    names: &mut FileNames,
    directory: &Path,
) -> anyhow::Result<BTreeMap<(usize, usize), Vec<Attachment>>> {
    let cells = page::cells_of(results).into_iter();
    cells.map(|on_page| Ok((on_page.place, of_cell(&on_page, names, directory)?))).collect()
}

fn of_cell(on_page: &CellOnPage<'_>, names: &mut FileNames, directory: &Path) -> anyhow::Result<Vec<Attachment>> {
    let Cell { vcd, log, .. } = on_page.cell;
    let mut files = Vec::new();
    if let Some(vcd) = vcd {
        files.push(Attachment { name: "wires", path: vcd.clone(), kind: "application/octet-stream" });
    }
    if on_page.cell.fails() {
        let name = names.unused(&on_page.cell.name);
        let mut keep = |what, ending: &str, kind, text: &str| {
            let path = Path::new(CELLS).join(format!("{name}.{ending}"));
            let place = directory.join(&path);
            std::fs::write(&place, text).with_context(|| format!("write {}", place.display()))?;
            files.push(Attachment { name: what, path, kind });
            anyhow::Ok(())
        };
        keep("cell", "html", "text/html", &page::of_cell(on_page))?;
        if !log.is_empty() {
            keep("log", "log", "text/plain", log)?;
        }
    }
    Ok(files)
}
