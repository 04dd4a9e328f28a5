//! The header of an `.npy` file: `\x93NUMPY`, version, length, and a Python dictionary with type, order and shape.
//!
//! "A Simple File Format for NumPy Arrays", NumPy Enhancement Proposal 1, 2007; versions 1 to 3.

use super::descr::Descr;
use crate::error::{Fault, Place};
use proxsplit::data::StorageOrder;
use std::io::Read;

/// NumPy itself refuses headers above 10000 characters.
const LONGEST: usize = 1 << 16;

#[derive(Debug)]
pub(crate) struct Header {
    pub(crate) descr: Descr,
    pub(crate) order: StorageOrder,
    pub(crate) shape: Vec<usize>,
    /// Where the numbers begin.
    pub(crate) offset: usize,
}

impl Header {
    pub(crate) fn read(source: &mut dyn Read) -> Result<Self, Fault> {
        let mut start = [0; 8];
        source.read_exact(&mut start)?;
        if &start[..6] != b"\x93NUMPY" {
            return Err(Fault::new(
                Place::Byte(0),
                "this is not an .npy file: it does not begin with \\x93NUMPY",
            ));
        }
        let (length, offset) = match start[6] {
            1 => (usize::from(u16::from_le_bytes(array(source)?)), 10),
            2 | 3 => (u32::from_le_bytes(array(source)?) as usize, 12),
            version => {
                return Err(Fault::new(
                    Place::Byte(6),
                    format!("unknown .npy version {version}; save the array again with np.save"),
                ));
            }
        };
        if length > LONGEST {
            return Err(wrong(format!(
                "its length of {length} bytes is not plausible"
            )));
        }
        let mut text = vec![0; length];
        source.read_exact(&mut text)?;
        let text = String::from_utf8(text).map_err(|_| wrong("it is not text"))?;
        Ok(Self {
            descr: Descr::parse(descr(&text)?)?,
            order: order(&text)?,
            shape: shape(&text)?,
            offset: offset + length,
        })
    }

    /// Number of entries and bytes of the array.
    pub(crate) fn size(&self) -> Result<(usize, usize), Fault> {
        let sizes = || {
            let count = self
                .shape
                .iter()
                .try_fold(1_usize, |n, &d| n.checked_mul(d))?;
            Some((count, count.checked_mul(self.descr.size)?))
        };
        sizes().ok_or_else(|| wrong(format!("the shape {:?} is too large", self.shape)))
    }

    /// Rows and columns; one axis is a single column.
    pub(crate) fn matrix(&self) -> Result<(usize, usize), Fault> {
        match self.shape[..] {
            [rows] => Ok((rows, 1)),
            [rows, cols] => Ok((rows, cols)),
            _ => Err(Fault::whole(format!(
                "the array has {} axes (shape {:?}); a matrix has 2, a column 1: reshape it",
                self.shape.len(),
                self.shape
            ))),
        }
    }
}

fn array<const N: usize>(source: &mut dyn Read) -> Result<[u8; N], Fault> {
    let mut bytes = [0; N];
    source.read_exact(&mut bytes)?;
    Ok(bytes)
}

fn wrong(cause: impl AsRef<str>) -> Fault {
    Fault::new(
        Place::Byte(8),
        format!("the .npy header is damaged: {}", cause.as_ref()),
    )
}

/// What stands behind `'key':`.
fn field<'a>(text: &'a str, key: &str) -> Result<&'a str, Fault> {
    text.split_once(&format!("'{key}':"))
        .map(|(_, rest)| rest.trim_start())
        .ok_or_else(|| wrong(format!("'{key}' is missing")))
}

fn descr(text: &str) -> Result<&str, Fault> {
    let rest = field(text, "descr")?;
    if rest.starts_with('[') {
        return Err(Fault::whole(
            "the array has named fields; save one plain array of numbers",
        ));
    }
    rest.strip_prefix('\'')
        .and_then(|rest| rest.split_once('\''))
        .map(|(descr, _)| descr)
        .ok_or_else(|| wrong("'descr' is not text"))
}

fn order(text: &str) -> Result<StorageOrder, Fault> {
    let rest = field(text, "fortran_order")?;
    if rest.starts_with("True") {
        Ok(StorageOrder::ColumnMajor)
    } else if rest.starts_with("False") {
        Ok(StorageOrder::RowMajor)
    } else {
        Err(wrong("'fortran_order' is neither True nor False"))
    }
}

fn shape(text: &str) -> Result<Vec<usize>, Fault> {
    let inner = field(text, "shape")?
        .strip_prefix('(')
        .and_then(|rest| rest.split_once(')'))
        .map(|(inner, _)| inner.trim().trim_end_matches(','))
        .ok_or_else(|| wrong("'shape' is not a tuple"))?;
    if inner.is_empty() {
        return Ok(Vec::new());
    }
    inner
        .split(',')
        .map(|axis| axis.trim().parse())
        .collect::<Result<_, _>>()
        .map_err(|_| wrong(format!("the shape ({inner}) is not a list of sizes")))
}
