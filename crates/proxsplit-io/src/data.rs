//! A data matrix from a file.

use crate::content::{Content, Labels};
use crate::digest::{examine, type_name};
use crate::error::{Error, Fault};
use crate::format::{Format, Source};
use crate::nan::Nan;
use crate::values::Values;
use crate::{csv, mtx, npy, npz, tenx};
use proxsplit::data::{Matrix, Order};
use std::path::Path;

/// A matrix that was read from a file (or is mapped to it) and owns its numbers; [`Data::matrix`] lends them.
#[derive(Debug)]
pub struct Data {
    content: Content,
    digest: String,
}

impl Data {
    /// Reads a file or folder; its name tells the format ([`Format`]).
    ///
    /// Of an `.npz` with several arrays, `file.npz:key` chooses one. All numbers are looked at once: NaN and infinity are
    /// refused with their position.
    pub fn open(path: impl AsRef<Path>) -> Result<Self, Error> {
        Self::open_with(path, Nan::REFUSED)
    }

    /// The same for a file in which entries may be missing.
    pub fn open_with(path: impl AsRef<Path>, nan: Nan) -> Result<Self, Error> {
        let path = path.as_ref();
        if path.is_dir() {
            let content = tenx::read(path, nan)?;
            return Self::examined(content, nan).map_err(|fault| fault.of(path));
        }
        let source = Source::of(path).map_err(|fault| fault.of(path))?;
        let file = source.file;
        let (format, fault) = (source.format, |fault: Fault| fault.of(file));
        let content = match format {
            Format::Npy => npy::open(file)?,
            Format::Npz => npz::open(file, source.key)?,
            Format::Mtx => mtx::read(source.text()?, nan).map_err(fault)?,
            Format::Csv | Format::Tsv => csv::read(source.text()?, format, nan).map_err(fault)?,
        };
        Self::examined(content, nan).map_err(fault)
    }

    /// Reads from memory, as it would from a file of this format (not compressed).
    pub fn from_bytes(format: Format, bytes: &[u8]) -> Result<Self, Error> {
        let nan = Nan::REFUSED;
        let content = match format {
            Format::Npy => npy::parse(bytes),
            Format::Npz => npz::parse(std::io::Cursor::new(bytes), None),
            Format::Mtx => mtx::read(Box::new(bytes), nan),
            Format::Csv | Format::Tsv => csv::read(Box::new(bytes), format, nan),
        };
        content
            .and_then(|content| Self::examined(content, nan))
            .map_err(|fault| fault.of(Path::new("(memory)")))
    }

    fn examined(content: Content, nan: Nan) -> Result<Self, Fault> {
        content.check()?;
        let digest = examine(&content, nan)?;
        Ok(Self { content, digest })
    }

    /// A view of the matrix. For sparse data this costs a pass over the indices: ask once, not in a loop.
    ///
    /// # Panics
    /// Never: the same view was made when the data was read.
    pub fn matrix(&self) -> Matrix<'_> {
        self.content.view().expect("checked when it was read")
    }

    /// Names of rows and columns, where the file has them.
    pub fn labels(&self) -> &Labels {
        &self.content.labels
    }

    /// 128 bits of XXH3 over shape, storage, number type and the whole content, as hexadecimal.
    ///
    /// It tells different data apart; it is no defence against someone who wants two files to collide.
    pub fn digest(&self) -> &str {
        &self.digest
    }

    /// One line for people: shape, storage, type.
    pub fn describe(&self) -> String {
        let content = &self.content;
        let elements = content.values.elements();
        let (rows, cols) = (content.rows, content.cols);
        let name = type_name(elements);
        let storage = match (&content.pattern, content.order) {
            (None, Order::RowMajor) => "dense, row-major".to_owned(),
            (None, Order::ColumnMajor) => "dense, column-major".to_owned(),
            (Some(_), _) => {
                let (stored, all) = (elements.len(), rows as f64 * cols as f64);
                let percent = 100.0 * stored as f64 / all;
                format!("sparse, {stored} entries ({percent:.3}%)")
            }
        };
        let mapped = match content.values {
            Values::Mapped(_) => ", memory-mapped",
            _ => "",
        };
        format!("{rows} × {cols} {name}, {storage}{mapped}")
    }
}
