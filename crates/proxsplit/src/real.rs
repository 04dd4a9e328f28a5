//! The two scalar types, `f32` and `f64`.

use crate::data::rows::Open;
use crate::linalg::dense::Field;
use crate::scratch::Pooled;
use std::fmt::{Debug, Display};
use std::ops::{Add, AddAssign, Div, DivAssign, Mul, MulAssign, Neg, Sub, SubAssign};

mod sealed {
    /// What the crate itself needs of a scalar. No other type can have it, since its name cannot be reached.
    pub trait Sealed: super::Field + super::Pooled + super::Open {}
    impl Sealed for f32 {}
    impl Sealed for f64 {}
}

/// A floating-point scalar: `f32` or `f64`, and nothing else.
///
/// Vectors are slices of it. Numbers *about* a run (objective, residual, step) are always `f64`, and long sums are
/// accumulated in `f64`, whatever the scalar of the vectors.
pub trait Real:
    sealed::Sealed
    + Copy
    + Default
    + Debug
    + Display
    + PartialEq
    + PartialOrd
    + Send
    + Sync
    + 'static
    + Add<Output = Self>
    + Sub<Output = Self>
    + Mul<Output = Self>
    + Div<Output = Self>
    + Neg<Output = Self>
    + AddAssign
    + SubAssign
    + MulAssign
    + DivAssign
{
    /// 0
    const ZERO: Self;
    /// 1
    const ONE: Self;
    /// +∞
    const INFINITY: Self;
    /// The distance from 1 to the next larger number.
    const EPSILON: Self;
    /// The largest finite number.
    const MAX: Self;

    /// The nearest scalar to `value`.
    fn of(value: f64) -> Self;
    /// This number as `f64`, without loss.
    fn f64(self) -> f64;
    /// |self|
    #[must_use]
    fn abs(self) -> Self;
    /// √self
    #[must_use]
    fn sqrt(self) -> Self;
    /// The larger of the two; the other one if one is NaN.
    #[must_use]
    fn max(self, other: Self) -> Self;
    /// The smaller of the two; the other one if one is NaN.
    #[must_use]
    fn min(self, other: Self) -> Self;
    /// Neither infinite nor NaN.
    fn is_finite(self) -> bool;
}

macro_rules! real {
    ($scalar:ident) => {
        impl Real for $scalar {
            const ZERO: Self = 0.0;
            const ONE: Self = 1.0;
            const INFINITY: Self = Self::INFINITY;
            const EPSILON: Self = Self::EPSILON;
            const MAX: Self = Self::MAX;

            #[inline(always)]
            fn of(value: f64) -> Self {
                value as Self
            }
            #[inline(always)]
            fn f64(self) -> f64 {
                f64::from(self)
            }
            #[inline(always)]
            fn abs(self) -> Self {
                $scalar::abs(self)
            }
            #[inline(always)]
            fn sqrt(self) -> Self {
                $scalar::sqrt(self)
            }
            #[inline(always)]
            fn max(self, other: Self) -> Self {
                $scalar::max(self, other)
            }
            #[inline(always)]
            fn min(self, other: Self) -> Self {
                $scalar::min(self, other)
            }
            #[inline(always)]
            fn is_finite(self) -> bool {
                $scalar::is_finite(self)
            }
        }
    };
}

real!(f32);
real!(f64);
