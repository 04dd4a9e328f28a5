//! Which format a file has, and the stream of a text file, unpacked if it is gzip.

use crate::error::{Error, Fault};
use flate2::read::MultiGzDecoder;
use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

/// A file format, known by its extension; the text formats also with `.gz` behind it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
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
}

const KNOWN: &str =
    "use .npy, .npz, .mtx, .csv, .tsv (the last three also with .gz) or a folder with matrix.mtx";

/// A stream of text.
pub(crate) type Text<'a> = Box<dyn Read + 'a>;

/// A file, its format, and which of its arrays is meant.
pub(crate) struct Source<'a> {
    pub(crate) file: &'a Path,
    pub(crate) format: Format,
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
        let format = match stem.rsplit_once('.').map(|(_, extension)| extension) {
            Some("npy") => Format::Npy,
            Some("npz") => Format::Npz,
            Some("mtx") => Format::Mtx,
            Some("csv") => Format::Csv,
            Some("tsv") => Format::Tsv,
            _ => {
                return Err(Fault::whole(format!(
                    "the name does not tell a known format; {KNOWN}"
                )));
            }
        };
        if gzip && matches!(format, Format::Npy | Format::Npz) {
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
fn split_key(path: &Path) -> (&Path, Option<&str>) {
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
    let size = file.metadata().map_err(failed)?.len();
    let mut magic = Vec::with_capacity(2);
    file.by_ref()
        .take(2)
        .read_to_end(&mut magic)
        .map_err(failed)?;
    let is_gzip = magic == [0x1f, 0x8b];
    let whole = io::Cursor::new(magic).chain(file);
    match (gzip, is_gzip) {
        (true, true) => Ok(Box::new(Bounded::new(MultiGzDecoder::new(whole), size))),
        (false, false) => Ok(Box::new(whole)),
        (true, false) => {
            Err(Fault::whole("the name ends in .gz but this is no gzip file; rename it").of(path))
        }
        (false, true) => Err(Fault::whole("this is a gzip file; add .gz to its name").of(path)),
    }
}

/// Text that may be unpacked beside a multiple of the packed size. Real matrices stay far below.
const FREE: u64 = 16 << 20;
/// Times that text may be larger than its packed form. The worst that gzip can do is 1032.
const EXPANSION: u64 = 256;

/// An unpacked stream that ends with an error when it becomes implausibly larger than the packed one.
struct Bounded<R> {
    inner: R,
    left: u64,
}

impl<R: Read> Bounded<R> {
    fn new(inner: R, packed: u64) -> Self {
        let left = packed.saturating_mul(EXPANSION).saturating_add(FREE);
        Self { inner, left }
    }
}

impl<R: Read> Read for Bounded<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.inner.read(buffer)?;
        self.left = self.left.checked_sub(read as u64).ok_or_else(|| {
            let cause = format!(
                "the unpacked text is more than {EXPANSION} times as long as the gzip file; if this is meant, unpack it first"
            );
            io::Error::new(io::ErrorKind::InvalidData, cause)
        })?;
        Ok(read)
    }
}
