//! A folder as the 10x Genomics software writes it: `matrix.mtx`, `features.tsv` (or `genes.tsv`), `barcodes.tsv`, each
//! perhaps with `.gz`. Rows are features, columns are cells or spots.

use crate::content::{Content, Labels};
use crate::error::{Error, Fault};
use crate::format::open_text;
use crate::mtx;
use crate::nan::Nan;
use crate::text::Lines;
use std::path::{Path, PathBuf};

/// Whether a folder has a matrix of this kind.
#[cfg(feature = "images")]
pub(crate) fn is_at(folder: &Path) -> bool {
    find(folder, &["matrix.mtx"]).is_some()
}

pub(crate) fn read(folder: &Path, nan: Nan) -> Result<Content, Error> {
    let matrix = find(folder, &["matrix.mtx"]).ok_or_else(|| {
        let cause = "the folder has neither matrix.mtx or matrix.mtx.gz, as 10x software writes it, nor pictures (.png, .pgm, .tif)";
        Fault::whole(cause).of(folder)
    })?;
    let content = mtx::read(open(&matrix)?, nan).map_err(|fault| fault.of(&matrix))?;
    let labels = Labels {
        // Identifier, name, type: people know a gene by its name.
        rows: labels(find(folder, &["features.tsv", "genes.tsv"]), 1)?,
        columns: labels(find(folder, &["barcodes.tsv"]), 0)?,
    };
    Ok(Content { labels, ..content })
}

/// The first of these files that is there, plain or packed.
fn find(folder: &Path, names: &[&str]) -> Option<PathBuf> {
    names
        .iter()
        .flat_map(|name| [folder.join(name), folder.join(format!("{name}.gz"))])
        .find(|path| path.is_file())
}

fn open(path: &Path) -> Result<crate::format::Text<'static>, Error> {
    open_text(path, path.extension().is_some_and(|end| end == "gz"))
}

/// One cell of each line; the first where there are fewer.
fn labels(path: Option<PathBuf>, column: usize) -> Result<Option<Vec<String>>, Error> {
    let Some(path) = path else {
        return Ok(None);
    };
    let mut lines = Lines::new(open(&path)?);
    let mut labels = Vec::new();
    while let Some(line) = lines.next().map_err(|fault| fault.of(&path))? {
        let line = String::from_utf8_lossy(line);
        let cell = line.split('\t').nth(column);
        let label = cell.or_else(|| line.split('\t').next()).unwrap_or_default();
        labels.push(label.trim().to_owned());
    }
    Ok(Some(labels))
}
