//! Which format a file has, and the stream of a text file, unpacked if it is gzip.

use crate::error::{Error, Fault};
use flate2::read::MultiGzDecoder;
use std::cell::Cell;
use std::fs::File;
use std::io::{self, Read};
use std::path::Path;
use std::rc::Rc;
use std::str::FromStr;

/// A file format, known by its extension; the text formats also with `.gz` behind it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Format {
    /// `.npy`: one NumPy array.
    Npy,
    /// `.npz`: NumPy arrays, or a matrix of `scipy.sparse.save_npz`.
    Npz,
    /// `.mtx`: Matrix Market.
    Mtx,
    /// `.csv`: cells between commas.
    Csv,
    /// `.tsv`: cells between tabulators.
    Tsv,
    /// `.h5ad` of anndata, or `.h5` of the 10x software. Needs the feature `hdf5`.
    Hdf5,
    /// `.parquet`: a table, column by column. Needs the feature `parquet`.
    Parquet,
    /// `.png`, `.pgm` or `.tif`: pictures. Needs the feature `images`.
    Image,
}

impl Format {
    /// The names that `from_str` knows.
    pub const NAMES: [&str; 12] = [
        "npy", "npz", "mtx", "csv", "tsv", "h5ad", "h5", "parquet", "png", "pgm", "tif", "tiff",
    ];
    pub(crate) const ADVICE: &str = "use .npy, .npz, .mtx, .csv, .tsv (the last three also with .gz), .h5ad, .h5, .parquet, .png, .pgm, .tif or a folder with matrix.mtx or with pictures, or name the format with --format";
    #[cfg(not(feature = "hdf5"))]
    pub(crate) const NO_HDF5: &str =
        "this program was built without HDF5; build it with the feature hdf5, or export the matrix";
    #[cfg(not(feature = "parquet"))]
    pub(crate) const NO_PARQUET: &str = "this program was built without parquet; build it with that feature (cargo install --path crates/proxsplit-cli --features parquet), or save the table as .csv or .npy";
    #[cfg(not(feature = "images"))]
    pub(crate) const NO_IMAGES: &str = "this program was built without pictures; build it with the feature images, or save them as an .npy array";

    fn is_text(self) -> bool {
        matches!(self, Format::Mtx | Format::Csv | Format::Tsv)
    }
}

impl FromStr for Format {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, String> {
        Ok(match name {
            "npy" => Format::Npy,
            "npz" => Format::Npz,
            "mtx" => Format::Mtx,
            "csv" => Format::Csv,
            "tsv" => Format::Tsv,
            "h5ad" | "h5" => Format::Hdf5,
            "parquet" => Format::Parquet,
            "png" | "pgm" | "tif" | "tiff" => Format::Image,
            _ => {
                let known = Format::NAMES.join(", ");
                return Err(format!(
                    "'{name}' is not a known format; use one of {known}"
                ));
            }
        })
    }
}

/// A stream of text.
pub(crate) type Text<'a> = Box<dyn Read + 'a>;

/// A file, its format if the name tells it, and which of its arrays is meant.
pub(crate) struct Source<'a> {
    pub(crate) file: &'a Path,
    pub(crate) format: Option<Format>,
    pub(crate) key: Option<&'a str>,
    gzip: bool,
}

impl<'a> Source<'a> {
    pub(crate) fn of(path: &'a Path) -> Result<Self, Fault> {
        let (file, key) = split_key(path);
        let name = file
            .file_name()
            .map(|name| name.to_string_lossy().to_ascii_lowercase())
            .unwrap_or_default();
        let (stem, gzip) = match name.strip_suffix(".gz") {
            Some(stem) => (stem, true),
            None => (name.as_str(), false),
        };
        let extension = stem.rsplit_once('.').map(|(_, extension)| extension);
        let format = extension.and_then(|extension| extension.parse::<Format>().ok());
        if gzip && format.is_some_and(|format| !format.is_text()) {
            return Err(Fault::whole("unpack this file first (gunzip)"));
        }
        Ok(Self {
            file,
            format,
            key,
            gzip,
        })
    }

    /// The file as text.
    pub(crate) fn text(&self) -> Result<Text<'static>, Error> {
        open_text(self.file, self.gzip)
    }
}

/// Splits `file.npz:key`, unless there is a file of that whole name.
pub(crate) fn split_key(path: &Path) -> (&Path, Option<&str>) {
    match path.to_str().and_then(|text| text.rsplit_once(".npz:")) {
        Some((stem, key)) if !path.exists() => {
            let whole = path.to_str().unwrap_or_default();
            (Path::new(&whole[..stem.len() + 4]), Some(key))
        }
        _ => (path, None),
    }
}

/// Opens a text file; whether it is gzip must agree with its name.
pub(crate) fn open_text(path: &Path, gzip: bool) -> Result<Text<'static>, Error> {
    let failed = |cause| Error::system("read", path, cause);
    let mut file = File::open(path).map_err(failed)?;
    let mut magic = Vec::with_capacity(2);
    file.by_ref()
        .take(2)
        .read_to_end(&mut magic)
        .map_err(failed)?;
    let is_gzip = magic == [0x1f, 0x8b];
    let whole = io::Cursor::new(magic).chain(file);
    match (gzip, is_gzip) {
        (true, true) => Ok(unpacked(Box::new(whole))),
        (false, false) => Ok(Box::new(whole)),
        (true, false) => Err(Fault::whole(
            "the name ends in .gz but this is not a gzip file; rename it",
        )
        .of(path)),
        (false, true) => Err(Fault::whole("this is a gzip file; add .gz to its name").of(path)),
    }
}

/// Text that may be unpacked beside a multiple of the packed size. Real matrices stay far below.
pub(crate) const FREE: u64 = 16 << 20;
/// Times that text may be larger than its packed form. The worst that gzip can do is 1032.
pub(crate) const EXPANSION: u64 = 256;

/// The content of a gzip stream. It ends with an error when it becomes implausibly larger than what was read for it.
pub(crate) fn unpacked(packed: Text<'_>) -> Text<'_> {
    let count = Rc::new(Cell::new(0));
    let packed = Counted {
        inner: packed,
        count: count.clone(),
    };
    Box::new(Bounded {
        inner: MultiGzDecoder::new(packed),
        packed: count,
        unpacked: 0,
    })
}

/// Counts the bytes that go through.
struct Counted<R> {
    inner: R,
    count: Rc<Cell<u64>>,
}

impl<R: Read> Read for Counted<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.inner.read(buffer)?;
        self.count.set(self.count.get() + read as u64);
        Ok(read)
    }
}

struct Bounded<R> {
    inner: R,
    packed: Rc<Cell<u64>>,
    unpacked: u64,
}

impl<R: Read> Read for Bounded<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.inner.read(buffer)?;
        self.unpacked += read as u64;
        let limit = self
            .packed
            .get()
            .saturating_mul(EXPANSION)
            .saturating_add(FREE);
        if self.unpacked > limit {
            let cause = format!(
                "the uncompressed text is more than {EXPANSION} times as long as the gzip file; if this is intended, unpack it first"
            );
            return Err(io::Error::new(io::ErrorKind::InvalidData, cause));
        }
        Ok(read)
    }
}
