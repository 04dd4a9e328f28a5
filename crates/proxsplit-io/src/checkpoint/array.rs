//! Arrays of a checkpoint, kept bit by bit.

use crate::error::Fault;
use crate::npy::{self, Header};
use std::borrow::Cow;
use std::io::Read;

/// Numbers of a checkpoint, borrowed for saving and owned after loading.
#[derive(Debug, Clone, PartialEq)]
#[allow(missing_docs)]
#[non_exhaustive]
pub enum Array<'a> {
    U8(Cow<'a, [u8]>),
    U32(Cow<'a, [u32]>),
    U64(Cow<'a, [u64]>),
    F32(Cow<'a, [f32]>),
    F64(Cow<'a, [f64]>),
}

macro_rules! conversions {
    ($($number:ty: $variant:ident),*) => {$(
        impl<'a> From<&'a [$number]> for Array<'a> {
            fn from(numbers: &'a [$number]) -> Self {
                Array::$variant(Cow::Borrowed(numbers))
            }
        }
        impl From<Vec<$number>> for Array<'static> {
            fn from(numbers: Vec<$number>) -> Self {
                Array::$variant(Cow::Owned(numbers))
            }
        }
        impl<'a> TryFrom<Array<'a>> for Vec<$number> {
            /// The array itself, if it has another type.
            type Error = Array<'a>;
            fn try_from(array: Array<'a>) -> Result<Self, Array<'a>> {
                match array {
                    Array::$variant(numbers) => Ok(numbers.into_owned()),
                    other => Err(other),
                }
            }
        }
    )*};
}
conversions!(u8: U8, u32: U32, u64: U64, f32: F32, f64: F64);

impl Array<'_> {
    /// Its type as NumPy writes it, its length, its bytes.
    pub(super) fn parts(&self) -> (&'static str, usize, &[u8]) {
        match self {
            Array::U8(numbers) => ("|u1", numbers.len(), numbers),
            Array::U32(numbers) => ("<u4", numbers.len(), bytemuck::cast_slice(numbers)),
            Array::U64(numbers) => ("<u8", numbers.len(), bytemuck::cast_slice(numbers)),
            Array::F32(numbers) => ("<f4", numbers.len(), bytemuck::cast_slice(numbers)),
            Array::F64(numbers) => ("<f8", numbers.len(), bytemuck::cast_slice(numbers)),
        }
    }

    pub(super) fn read(header: &Header, source: &mut dyn Read) -> Result<Array<'static>, Fault> {
        let descr = header.descr;
        let (count, _) = header.size()?;
        Ok(match (descr.big_endian, descr.letter, descr.size) {
            (false, b'u', 1) => npy::numbers::<u8>(source, count)?.into(),
            (false, b'u', 4) => npy::numbers::<u32>(source, count)?.into(),
            (false, b'u', 8) => npy::numbers::<u64>(source, count)?.into(),
            (false, b'f', 4) => npy::numbers::<f32>(source, count)?.into(),
            (false, b'f', 8) => npy::numbers::<f64>(source, count)?.into(),
            _ => return Err(Fault::whole("checkpoints have no arrays of this type")),
        })
    }
}
