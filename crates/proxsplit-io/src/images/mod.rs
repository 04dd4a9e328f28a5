//! Pictures: `.png`, `.pgm`, `.tif`, one by one, as the pages of a TIFF file, or as the files of a folder.
//!
//! A single picture is a matrix of its pixels. Of several, each becomes a column, its own columns one below the other.

mod grey;
mod pgm;
mod png;
mod tiff;

use crate::content::{Content, Labels};
use crate::error::{Error, Fault};
use crate::format::{FREE, Format};
use crate::values::Values;
use proxsplit::data::StorageOrder;
use std::path::{Path, PathBuf};

/// The most that deflate can expand its input; LZW stays below.
const EXPANSION: usize = 1032;

/// Grey pixels, row by row.
struct Picture {
    rows: usize,
    cols: usize,
    pixels: Values,
}

impl Picture {
    fn new(rows: usize, cols: usize, pixels: Values) -> Result<Self, Fault> {
        if rows.checked_mul(cols) != Some(pixels.elements().len()) {
            let cause = "the pixels are stored in a way that is not supported; save the picture as 8-bit or 16-bit grey";
            return Err(Fault::whole(cause));
        }
        Ok(Self { rows, cols, pixels })
    }
}

/// Bytes that a file of this size can hold when it is unpacked: more is not believed.
fn limit(size: usize) -> usize {
    size.saturating_mul(EXPANSION).saturating_add(FREE as usize)
}

/// Reads one file.
pub(crate) fn parse(bytes: &[u8]) -> Result<Content, Fault> {
    let pictures = pages(bytes)?;
    if pictures.len() > 1 {
        let mut stack = Stack::default();
        for picture in pictures {
            stack.push(picture)?;
        }
        return Ok(stack.content("pages of a TIFF file", None));
    }
    let Some(Picture { rows, cols, pixels }) = pictures.into_iter().next() else {
        return Err(Fault::whole("there is no picture in this file"));
    };
    Ok(Content {
        taken: "the pixels of one picture".to_owned(),
        ..Content::dense(rows, cols, StorageOrder::RowMajor, pixels)
    })
}

/// The pictures of a file, as its first bytes tell.
fn pages(bytes: &[u8]) -> Result<Vec<Picture>, Fault> {
    match bytes {
        [0x89, b'P', b'N', b'G', ..] => Ok(vec![png::read(bytes)?]),
        [b'P', b'2' | b'5', ..] => Ok(vec![pgm::read(bytes)?]),
        [b'I', b'I', ..] | [b'M', b'M', ..] => tiff::read(bytes),
        _ => Err(Fault::whole(
            "this is not a picture in PNG, PGM (P2 or P5) or TIFF, or it was cut off",
        )),
    }
}

/// The files of a folder that are pictures, by their names, in the order of these.
pub(crate) fn list(folder: &Path) -> Result<Vec<PathBuf>, Error> {
    let failed = |cause| Error::system("read", folder, cause);
    let mut files = Vec::new();
    for entry in std::fs::read_dir(folder).map_err(failed)? {
        let path = entry.map_err(failed)?.path();
        let end = path
            .extension()
            .map(|end| end.to_string_lossy().to_ascii_lowercase());
        let format = end.and_then(|end| end.parse::<Format>().ok());
        if format == Some(Format::Image) && path.is_file() {
            files.push(path);
        }
    }
    files.sort();
    Ok(files)
}

/// Reads the pictures of a folder, one column each.
pub(crate) fn folder(files: &[PathBuf]) -> Result<Content, Error> {
    let mut stack = Stack::default();
    let mut names = Vec::new();
    for file in files {
        let bytes = std::fs::read(file).map_err(|cause| Error::system("read", file, cause))?;
        let fault = |fault: Fault| fault.of(file);
        for picture in pages(&bytes).map_err(fault)? {
            stack.push(picture).map_err(fault)?;
            let stem = file.file_stem().unwrap_or_default();
            names.push(stem.to_string_lossy().into_owned());
        }
    }
    Ok(stack.content("pictures", Some(names)))
}

/// Pictures of one size and type, as columns.
#[derive(Default)]
struct Stack {
    size: (usize, usize),
    count: usize,
    values: Option<Values>,
}

impl Stack {
    fn push(&mut self, picture: Picture) -> Result<(), Fault> {
        let Picture { rows, cols, pixels } = picture;
        let size = (rows, cols);
        let same = match &mut self.values {
            None => {
                self.values = Some(transposed(&pixels, size));
                self.size = size;
                true
            }
            Some(_) if self.size != size => {
                let (r, c) = self.size;
                return Err(Fault::whole(format!(
                    "this picture has {rows} × {cols} pixels, those before it {r} × {c}; scale or crop them to one size"
                )));
            }
            Some(values) => values.append(transposed(&pixels, size)),
        };
        if !same {
            let cause = "the pixels of this picture have a different type from those before it; save all pictures with the same number of bits";
            return Err(Fault::whole(cause));
        }
        self.count += 1;
        Ok(())
    }

    fn content(self, what: &str, names: Option<Vec<String>>) -> Content {
        let (rows, cols) = self.size;
        let values = self.values.unwrap_or(Values::U8(Vec::new()));
        Content {
            labels: Labels {
                rows: None,
                columns: names,
            },
            image: Some(self.size),
            taken: format!("columns are {what} of {rows} × {cols} pixels, column by column"),
            ..Content::dense(rows * cols, self.count, StorageOrder::ColumnMajor, values)
        }
    }
}

/// Pixels column by column.
fn transposed(pixels: &Values, (rows, cols): (usize, usize)) -> Values {
    fn of<T: Copy>(pixels: &[T], rows: usize, cols: usize) -> Vec<T> {
        let column = |j: usize| (0..rows).map(move |i| pixels[i * cols + j]);
        (0..cols).flat_map(column).collect()
    }
    match pixels {
        Values::U8(values) => Values::U8(of(values, rows, cols)),
        Values::I16(values) => Values::I16(of(values, rows, cols)),
        Values::I32(values) => Values::I32(of(values, rows, cols)),
        Values::F32(values) => Values::F32(of(values, rows, cols)),
        Values::F64(values) => Values::F64(of(values, rows, cols)),
        Values::Mapped(_) => Values::F64(of(&pixels.to_f64(), rows, cols)),
    }
}
