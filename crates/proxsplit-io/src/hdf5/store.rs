//! Arrays, names and attributes of an HDF5 file, with its errors in words.

use crate::compress::{canonical, check_indices, check_shape, check_starts};
use crate::content::{Content, Pattern};
use crate::error::{Fault, Place};
use crate::format::{EXPANSION, FREE};
use crate::npy::{self, Descr, Header};
use crate::values::Values;
use hdf5_reader::{Datatype, FilterRegistry, Hdf5File, OpenOptions};
use proxsplit::data::StorageOrder;

/// What a file of this size may ask for.
pub(super) fn limits(size: u64) -> OpenOptions {
    let bytes = size.saturating_mul(EXPANSION).saturating_add(FREE) as usize;
    let mut filters = FilterRegistry::new();
    filters.register(super::lzf::ID, Box::new(super::lzf::filter));
    OpenOptions::default()
        .with_max_read_bytes(bytes)
        .with_max_chunk_bytes(bytes.min(hdf5_reader::DEFAULT_MAX_CHUNK_BYTES))
        // Every array is read once.
        .with_chunk_cache_bytes(0)
        .with_filter_registry(filters)
}

pub(super) struct Store(Hdf5File);

impl Store {
    pub(super) fn new(file: hdf5_reader::error::Result<Hdf5File>) -> Result<Self, Fault> {
        file.map(Self).map_err(|cause| {
            Fault::whole(format!(
                "this is not an HDF5 file, or it was cut off or damaged: {cause}"
            ))
        })
    }

    /// Names of the groups and of the arrays in a group.
    pub(super) fn members(&self, group: &str) -> Result<(Vec<String>, Vec<String>), Fault> {
        let members = match group {
            "/" => self.0.root_group(),
            path => self.0.group(path),
        }
        .and_then(|group| group.member_names());
        members.map_err(|cause| fault(group, &cause))
    }

    /// Shape and numbers of an array.
    pub(super) fn array(&self, path: &str) -> Result<(Vec<usize>, Values), Fault> {
        let (header, values) = self.header_and_values(path)?;
        Ok((header.shape, values))
    }

    fn header_and_values(&self, path: &str) -> Result<(Header, Values), Fault> {
        let array = self.0.dataset(path).map_err(|cause| fault(path, &cause))?;
        let header = Header {
            descr: descr(array.dtype()).map_err(|cause| wrong(path, cause))?,
            order: StorageOrder::RowMajor,
            shape: array.shape().iter().map(|&axis| axis as usize).collect(),
            offset: 0,
        };
        let bytes = array
            .read_native_bytes()
            .map_err(|cause| fault(path, &cause))?;
        let values = npy::values(&header, &mut &bytes[..]).map_err(|fault| fault.in_array(path))?;
        Ok((header, values))
    }

    /// The whole numbers of an array.
    pub(super) fn integers(&self, path: &str) -> Result<Vec<i64>, Fault> {
        let (header, values) = self.header_and_values(path)?;
        if !matches!(header.descr.letter, b'i' | b'u') {
            return Err(wrong(path, "these must be whole numbers"));
        }
        Ok(values.to_f64().into_iter().map(|v| v as i64).collect())
    }

    /// The texts of an array.
    pub(super) fn texts(&self, path: &str) -> Result<Vec<String>, Fault> {
        let array = self.0.dataset(path).map_err(|cause| fault(path, &cause))?;
        if let Datatype::FixedPoint { .. } = array.dtype() {
            return Ok(self.integers(path)?.iter().map(i64::to_string).collect());
        }
        array.read_strings().map_err(|cause| fault(path, &cause))
    }

    /// A text that is attached to a group.
    pub(super) fn text_of(&self, group: &str, name: &str) -> Option<String> {
        let group = self.0.group(group).ok()?;
        group.attribute(name).ok()?.read_string().ok()
    }

    /// Two sizes that are attached to a group.
    pub(super) fn shape_of(&self, group: &str, name: &str) -> Option<(usize, usize)> {
        let attribute = self.0.group(group).ok()?.attribute(name).ok()?;
        let sizes = attribute.read_1d::<i64>().or_else(|_| {
            attribute
                .read_1d::<i32>()
                .map(|sizes| sizes.into_iter().map(i64::from).collect::<Vec<i64>>())
        });
        pair(&sizes.ok()?)
    }

    /// The compressed sparse matrix whose `data`, `indices` and `indptr` are in a group.
    pub(super) fn sparse(
        &self,
        group: &str,
        (rows, cols): (usize, usize),
        order: StorageOrder,
    ) -> Result<Content, Fault> {
        let path = |name: &str| format!("{group}/{name}");
        let (_, values) = self.array(&path("data"))?;
        let stored = values.elements().len();
        check_shape(rows, cols, stored)?;
        let (lines, width) = match order {
            StorageOrder::RowMajor => (rows, cols),
            StorageOrder::ColumnMajor => (cols, rows),
        };
        let indices = self.integers(&path("indices"))?;
        // What does not fit becomes negative and is refused.
        let indices: Vec<i32> = indices
            .into_iter()
            .map(|index| i32::try_from(index).unwrap_or(-1))
            .collect();
        let refused = |name: &str, cause: String| wrong(&path(name), cause);
        check_indices(&indices, stored, width).map_err(|cause| refused("indices", cause))?;
        let starts = self.integers(&path("indptr"))?;
        check_starts(&starts, lines, stored).map_err(|cause| refused("indptr", cause))?;
        let pattern = Pattern { starts, indices };
        Ok(canonical((rows, cols), order, pattern, values))
    }
}

/// Rows and columns.
pub(super) fn pair(sizes: &[i64]) -> Option<(usize, usize)> {
    match *sizes {
        [rows, cols] => Some((usize::try_from(rows).ok()?, usize::try_from(cols).ok()?)),
        _ => None,
    }
}

/// The number type in NumPy's terms; what is read is in the order of this machine.
fn descr(kind: &Datatype) -> Result<Descr, String> {
    let (letter, size) = match kind {
        Datatype::FixedPoint { size, signed, .. } => (if *signed { b'i' } else { b'u' }, *size),
        Datatype::FloatingPoint { size, .. } => (b'f', *size),
        // The truth values of h5py.
        Datatype::Enum { base, .. } if matches!(**base, Datatype::FixedPoint { size: 1, .. }) => {
            (b'b', 1)
        }
        _ => return Err("the array does not hold numbers".to_owned()),
    };
    match (letter, size) {
        (b'i' | b'u', 1 | 2 | 4 | 8) | (b'f', 2 | 4 | 8) | (b'b', 1) => Ok(Descr {
            big_endian: false,
            letter,
            size: size.into(),
        }),
        _ => Err(format!("numbers of {size} bytes are not supported")),
    }
}

pub(super) fn wrong(path: &str, cause: impl Into<String>) -> Fault {
    Fault::new(Place::Array(path.to_owned()), cause)
}

fn fault(path: &str, cause: &hdf5_reader::error::Error) -> Fault {
    wrong(path, format!("cannot be read: {cause}"))
}
