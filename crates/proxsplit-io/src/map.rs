//! A memory-mapped file seen as numbers.

use crate::values::Kind;
use memmap2::Mmap;
use proxsplit::data::{Element, Elements};
use std::fs::File;

/// A file in memory, as the system pages it in.
#[allow(
    unsafe_code,
    reason = "mapping a file has no safe form: the file must not be changed by others while it is used"
)]
pub(crate) fn map(file: &File) -> std::io::Result<Mmap> {
    // SAFETY: the map is read-only and private to this process. Another process that writes to the file while it is
    // mapped changes the numbers under us, and one that shortens it kills the program: the crate's documentation says so.
    // Every bit pattern is a valid number of every stored type.
    unsafe { Mmap::map(file) }
}

/// The numbers of a memory-mapped file, from some byte to its end.
#[derive(Debug)]
pub(crate) struct Mapped {
    map: Mmap,
    offset: usize,
    kind: Kind,
}

impl Mapped {
    /// The numbers from byte `offset` on; `None` unless they begin and end at the borders of numbers.
    pub(crate) fn new(map: Mmap, offset: usize, kind: Kind) -> Option<Self> {
        let length = map.len().checked_sub(offset)?;
        // Maps begin at a page, so that the offset alone decides on alignment.
        let fits = offset.is_multiple_of(kind.size()) && length.is_multiple_of(kind.size());
        fits.then_some(Self { map, offset, kind })
    }

    pub(crate) fn elements(&self) -> Elements<'_> {
        let bytes = &self.map[self.offset..];
        match self.kind {
            Kind::U8 => u8::elements(bytes),
            Kind::I16 => i16::elements(bytemuck::cast_slice(bytes)),
            Kind::I32 => i32::elements(bytemuck::cast_slice(bytes)),
            Kind::F32 => f32::elements(bytemuck::cast_slice(bytes)),
            Kind::F64 => f64::elements(bytemuck::cast_slice(bytes)),
        }
    }
}
