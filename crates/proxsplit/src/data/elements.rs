//! Slices of numbers whose type is known at run time only.

use crate::parallel::prelude::*;

/// A stored number type.
pub trait Element: Copy + Send + Sync + 'static {
    /// The number as `f64`, exactly.
    fn f64(self) -> f64;
    /// The number as `f32`, rounded where it must be.
    fn f32(self) -> f32;
    /// A slice of this type as [`Elements`].
    fn elements(values: &[Self]) -> Elements<'_>;
}

/// A stored index type.
pub trait Index: Copy + Send + Sync + 'static {
    /// The index as `usize`; views check on construction that none is negative.
    fn at(self) -> usize;
    /// The stored form of an index that fits.
    fn of(index: usize) -> Self;
}

macro_rules! element {
    ($($stored:ty: $variant:ident),*) => {$(
        #[allow(clippy::cast_lossless)]
        impl Element for $stored {
            #[inline(always)]
            fn f64(self) -> f64 {
                self as f64
            }
            #[inline(always)]
            fn f32(self) -> f32 {
                self as f32
            }
            fn elements(values: &[Self]) -> Elements<'_> {
                Elements::$variant(values)
            }
        }
    )*};
}
element!(u8: U8, i16: I16, i32: I32, f32: F32, f64: F64);

macro_rules! index {
    ($($stored:ty),*) => {$(
        impl Index for $stored {
            #[inline(always)]
            fn at(self) -> usize {
                self as usize
            }
            #[inline(always)]
            #[allow(clippy::cast_possible_wrap)]
            fn of(index: usize) -> Self {
                index as $stored
            }
        }
    )*};
}
index!(i32, i64);

/// Numbers in one of the stored types.
#[derive(Debug, Clone, Copy)]
#[allow(missing_docs)]
pub enum Elements<'a> {
    U8(&'a [u8]),
    I16(&'a [i16]),
    I32(&'a [i32]),
    F32(&'a [f32]),
    F64(&'a [f64]),
}

/// Indices in one of the stored types.
#[derive(Debug, Clone, Copy)]
#[allow(missing_docs)]
pub enum Indices<'a> {
    I32(&'a [i32]),
    I64(&'a [i64]),
}

/// Evaluates an expression with a slice of the type that is there: `dispatch!(Elements: e => values, work(values))`.
#[macro_export]
#[doc(hidden)]
macro_rules! dispatch_stored {
    (Elements: $elements:expr => $slice:ident, $work:expr) => {
        match $elements {
            $crate::data::Elements::U8($slice) => $work,
            $crate::data::Elements::I16($slice) => $work,
            $crate::data::Elements::I32($slice) => $work,
            $crate::data::Elements::F32($slice) => $work,
            $crate::data::Elements::F64($slice) => $work,
        }
    };
    (Indices: $indices:expr => $slice:ident, $work:expr) => {
        match $indices {
            $crate::data::Indices::I32($slice) => $work,
            $crate::data::Indices::I64($slice) => $work,
        }
    };
}
pub(crate) use crate::dispatch_stored as dispatch;

macro_rules! from_slice {
    ($($stored:ty => $variant:ident),*) => {$(
        impl<'a> From<&'a [$stored]> for Elements<'a> {
            fn from(values: &'a [$stored]) -> Self {
                Elements::$variant(values)
            }
        }
    )*};
}
from_slice!(u8 => U8, i16 => I16, i32 => I32, f32 => F32, f64 => F64);

impl Elements<'_> {
    /// How many there are.
    pub fn len(&self) -> usize {
        dispatch!(Elements: self => values, values.len())
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Number `i` as `f64`.
    pub fn get(&self, i: usize) -> f64 {
        dispatch!(Elements: self => values, values[i].f64())
    }

    /// Position of the first NaN or infinity.
    pub fn first_non_finite(&self) -> Option<usize> {
        match self {
            Elements::F32(values) => first_where(values, |v| !v.is_finite()),
            Elements::F64(values) => first_where(values, |v| !v.is_finite()),
            _ => None,
        }
    }

    /// Position of the first infinity.
    pub fn first_infinite(&self) -> Option<usize> {
        match self {
            Elements::F32(values) => first_where(values, f32::is_infinite),
            Elements::F64(values) => first_where(values, f64::is_infinite),
            _ => None,
        }
    }

    /// Position of the first number below 0.
    pub fn first_negative(&self) -> Option<usize> {
        dispatch!(Elements: self => values, first_where(values, |v| v.f64() < 0.0))
    }
}

/// Numbers that are looked at together.
const PART: usize = 1 << 15;

/// Position of the first number for which `is_found`, on all threads.
pub(crate) fn first_where<T: Copy + Sync>(
    values: &[T],
    is_found: impl Fn(T) -> bool + Sync,
) -> Option<usize> {
    // A fold over a part vectorizes; an early exit would not.
    let within = |k: usize| {
        let part = &values[k * PART..values.len().min((k + 1) * PART)];
        let is_there = part.iter().fold(false, |any, &v| any | is_found(v));
        let at = is_there.then(|| part.iter().position(|&v| is_found(v)));
        at.flatten().map(|at| k * PART + at)
    };
    if values.len() <= PART {
        return within(0);
    }
    let parts = 0..values.len().div_ceil(PART);
    parts.into_par_iter().first_found(&within)
}

impl Indices<'_> {
    /// How many there are.
    pub fn len(&self) -> usize {
        dispatch!(Indices: self => indices, indices.len())
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Index `i`; negative ones come out as huge numbers.
    pub fn get(&self, i: usize) -> usize {
        dispatch!(Indices: self => indices, indices[i].at())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_of_several_is_found_in_any_part() {
        let mut values = vec![1.0; 3 * PART + 7];
        assert_eq!(Elements::F64(&values).first_non_finite(), None);
        for at in [3 * PART + 6, 2 * PART, PART + 3, PART - 1, 0] {
            values[at] = f64::NAN;
            assert_eq!(Elements::F64(&values).first_non_finite(), Some(at));
            assert_eq!(Elements::F64(&values).first_infinite(), None);
        }
        values[PART] = f64::NEG_INFINITY;
        assert_eq!(Elements::F64(&values).first_infinite(), Some(PART));
        assert_eq!(Elements::F64(&values).first_negative(), Some(PART));
        assert_eq!(Elements::U8(&[]).first_negative(), None);
    }
}
