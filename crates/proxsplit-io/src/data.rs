//! A data matrix from a file.

use crate::content::{Content, Labels};
use crate::digest::{examine, type_name};
use crate::error::{Error, Fault};
use crate::format::{Format, Source};
use crate::nan::Nan;
use crate::reading::Reading;
use crate::values::Values;
use crate::{csv, mtx, npy, npz, stream, tenx};
use proxsplit::data::{Matrix, StorageOrder};
use std::path::Path;
use std::{fs, io};

/// A matrix that was read from a file (or is mapped to it) and owns its numbers; [`Data::matrix`] lends them.
#[derive(Debug)]
pub struct Data {
    content: Content,
    digest: String,
}

impl Data {
    /// Reads a file or folder; its name tells the format ([`Format`]). `-` is the standard input.
    ///
    /// Pipes, and files whose name tells nothing, are known by their first bytes.
    ///
    /// Of an `.npz` with several arrays, `file.npz:key` chooses one. All numbers are looked at once: NaN and infinity are
    /// refused with their position.
    pub fn open(path: impl AsRef<Path>) -> Result<Self, Error> {
        Self::open_with(path, Nan::REFUSED)
    }

    /// The same for a file in which entries may be missing.
    pub fn open_with(path: impl AsRef<Path>, nan: Nan) -> Result<Self, Error> {
        Self::read(path, &Reading::with_nan(nan))
    }

    /// The same with choices about the format and its details.
    pub fn read(path: impl AsRef<Path>, reading: &Reading) -> Result<Self, Error> {
        let (path, nan) = (path.as_ref(), reading.nan);
        if path.is_dir() {
            let content = Self::folder(path, nan)?;
            return Self::examined(content, nan).map_err(|fault| fault.of(path));
        }
        if path == Path::new("-") {
            let name = Path::new("standard input");
            let content = stream::read(Box::new(io::stdin().lock()), reading.format, reading);
            let data = content.and_then(|content| Self::examined(content, nan));
            return data.map_err(|fault| fault.of(name));
        }
        let source = Source::of(path).map_err(|fault| fault.of(path))?;
        let content = Self::file(&source, reading)?;
        Self::examined(content, nan).map_err(|fault| fault.of(source.file))
    }

    fn folder(path: &Path, nan: Nan) -> Result<Content, Error> {
        #[cfg(feature = "images")]
        if !tenx::is_at(path) {
            let pictures = crate::images::list(path)?;
            if !pictures.is_empty() {
                return crate::images::folder(&pictures);
            }
        }
        tenx::read(path, nan)
    }

    fn file(source: &Source<'_>, reading: &Reading) -> Result<Content, Error> {
        let file = source.file;
        let fault = |fault: Fault| fault.of(file);
        let failed = |cause| Error::system("read", file, cause);
        let regular = fs::metadata(file).map_err(failed)?.is_file();
        let format = reading.format.or(source.format);
        if let Some(format) = format {
            reading.check(format).map_err(fault)?;
        }
        match format.filter(|_| regular) {
            Some(Format::Npy) => npy::open(file),
            Some(Format::Npz) => npz::open(file, source.key),
            #[cfg(feature = "hdf5")]
            Some(Format::Hdf5) => crate::hdf5::open(file, reading.layer.as_deref()).map_err(fault),
            #[cfg(feature = "parquet")]
            Some(Format::Parquet) => crate::parquet::open(file, reading),
            Some(Format::Mtx) if reading.format.is_none() => {
                mtx::read(source.text()?, reading.nan).map_err(fault)
            }
            Some(format @ (Format::Csv | Format::Tsv)) if reading.format.is_none() => {
                csv::read(source.text()?, format, reading).map_err(fault)
            }
            _ => {
                let opened = Box::new(fs::File::open(file).map_err(failed)?);
                stream::read(opened, format, reading).map_err(fault)
            }
        }
    }

    /// Reads from memory, as it would from a file of this format (not compressed).
    pub fn from_bytes(format: Format, bytes: &[u8]) -> Result<Self, Error> {
        Self::parse(format, bytes, &Reading::default())
    }

    /// The same with choices about the details.
    pub fn parse(format: Format, bytes: &[u8], reading: &Reading) -> Result<Self, Error> {
        let nan = reading.nan;
        let content = reading.check(format).and_then(|()| match format {
            Format::Npy => npy::parse(bytes),
            Format::Npz => npz::parse(io::Cursor::new(bytes), None),
            Format::Mtx => mtx::read(Box::new(bytes), nan),
            Format::Csv | Format::Tsv => csv::read(Box::new(bytes), format, reading),
            #[cfg(feature = "hdf5")]
            Format::Hdf5 => crate::hdf5::parse(bytes.to_vec(), reading.layer.as_deref()),
            #[cfg(not(feature = "hdf5"))]
            Format::Hdf5 => Err(Fault::whole(Format::NO_HDF5)),
            #[cfg(feature = "parquet")]
            Format::Parquet => crate::parquet::parse(bytes.to_vec(), reading),
            #[cfg(not(feature = "parquet"))]
            Format::Parquet => Err(Fault::whole(Format::NO_PARQUET)),
            #[cfg(feature = "images")]
            Format::Image => crate::images::parse(bytes),
            #[cfg(not(feature = "images"))]
            Format::Image => Err(Fault::whole(Format::NO_IMAGES)),
        });
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

    /// Height and width of the pictures, where every column is one, its own columns one below the other.
    pub fn image(&self) -> Option<(usize, usize)> {
        self.content.image
    }

    /// 128 bits of XXH3 over shape, storage, number type and the whole content, as hexadecimal.
    ///
    /// It tells different data apart; it is no defence against someone who wants two files to collide.
    pub fn digest(&self) -> &str {
        &self.digest
    }

    /// One line for people: shape, storage, type, and what of a table was taken for what.
    pub fn describe(&self) -> String {
        let content = &self.content;
        let elements = content.values.elements();
        let (rows, cols) = (content.rows, content.cols);
        let name = type_name(elements);
        let storage = match (&content.pattern, content.order) {
            (None, StorageOrder::RowMajor) => "dense, row-major".to_owned(),
            (None, StorageOrder::ColumnMajor) => "dense, column-major".to_owned(),
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
        let taken = match content.taken.as_str() {
            "" => String::new(),
            taken => format!("; {taken}"),
        };
        format!("{rows} × {cols} {name}, {storage}{mapped}{taken}")
    }
}
