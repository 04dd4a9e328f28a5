//! Vector registers of either precision: the few operations that the kernels need.

use proxsplit::Real;
use proxsplit::data::{Element, Elements};
use pulp::Simd;

/// The rank of graphs and of other data whose lines have few entries: there what is done for a column costs more than its arithmetic, so
/// that gathers, Gram matrices and sweeps have loops of their own.
pub(crate) const FEW: usize = 4;

/// A stored number that can be read as `T`.
pub trait Number<T>: Copy + Send + Sync {
    /// The number as `T`.
    fn number(self) -> T;
}

impl<T: Registers, E: Element> Number<T> for E {
    #[inline(always)]
    fn number(self) -> T {
        T::widen(self)
    }
}

/// The scalar of a factorization: `f32` or `f64`, and nothing else.
pub trait Lanes: Real + Registers {
    /// The precision that the first passes of a run can do with.
    #[doc(hidden)]
    type Short: Lanes;
}
impl Lanes for f32 {
    type Short = f32;
}
impl Lanes for f64 {
    type Short = f32;
}

/// A scalar with vector registers. Its name cannot be reached from outside, and so pulp's traits stay inside.
pub trait Registers: Real + Number<Self> {
    /// One register.
    type Vector<S: Simd>: Copy;

    /// How many scalars a register holds.
    fn count<S: Simd>() -> usize;

    /// All lanes equal.
    fn splat<S: Simd>(simd: S, value: Self) -> Self::Vector<S>;

    /// a·b + c
    fn mul_add<S: Simd>(
        simd: S,
        a: Self::Vector<S>,
        b: Self::Vector<S>,
        c: Self::Vector<S>,
    ) -> Self::Vector<S>;

    /// a·b
    fn times<S: Simd>(simd: S, a: Self::Vector<S>, b: Self::Vector<S>) -> Self::Vector<S>;

    /// a + b
    fn plus<S: Simd>(simd: S, a: Self::Vector<S>, b: Self::Vector<S>) -> Self::Vector<S>;

    /// a − b
    fn minus<S: Simd>(simd: S, a: Self::Vector<S>, b: Self::Vector<S>) -> Self::Vector<S>;

    /// min(max(a, lower), upper)
    fn clamp<S: Simd>(
        simd: S,
        a: Self::Vector<S>,
        bounds: (Self::Vector<S>, Self::Vector<S>),
    ) -> Self::Vector<S>;

    /// Columns of `FEW` numbers in as many registers, one column after the other, as one register for every coordinate. Which lane a
    /// column comes to depends on the machine.
    fn turn<S: Simd>(simd: S, columns: [Self::Vector<S>; FEW]) -> [Self::Vector<S>; FEW];

    /// The columns again.
    fn turn_back<S: Simd>(simd: S, rows: [Self::Vector<S>; FEW]) -> [Self::Vector<S>; FEW];

    /// The numbers, or zeros if `gone`; without a branch.
    fn unless(gone: bool, numbers: [Self; FEW]) -> [Self; FEW];

    /// A stored number.
    fn widen<E: Element>(stored: E) -> Self;

    /// The stored numbers themselves, if they are of this type.
    fn same(elements: Elements<'_>) -> Option<&[Self]>;

    /// The numbers as stored ones.
    fn stored(numbers: &[Self]) -> Elements<'_>;

    /// The slice as registers; a remainder is left out.
    fn registers<S: Simd>(slice: &[Self]) -> &[Self::Vector<S>];

    /// The slice as registers; a remainder is left out.
    fn registers_mut<S: Simd>(slice: &mut [Self]) -> &mut [Self::Vector<S>];
}

macro_rules! lanes {
    ($scalar:ident, $bits:ident, $vector:ident, $elements:ident, $count:ident, [$splat:ident, $mul_add:ident, $mul:ident, $add:ident, $sub:ident,
     $max:ident, $min:ident, $turn:ident, $turn_back:ident, $as:ident, $as_mut:ident]) => {
        impl Registers for $scalar {
            type Vector<S: Simd> = S::$vector;

            #[inline(always)]
            fn count<S: Simd>() -> usize {
                S::$count
            }
            #[inline(always)]
            fn splat<S: Simd>(simd: S, value: Self) -> S::$vector {
                simd.$splat(value)
            }
            #[inline(always)]
            fn mul_add<S: Simd>(
                simd: S,
                a: S::$vector,
                b: S::$vector,
                c: S::$vector,
            ) -> S::$vector {
                simd.$mul_add(a, b, c)
            }
            #[inline(always)]
            fn times<S: Simd>(simd: S, a: S::$vector, b: S::$vector) -> S::$vector {
                simd.$mul(a, b)
            }
            #[inline(always)]
            fn plus<S: Simd>(simd: S, a: S::$vector, b: S::$vector) -> S::$vector {
                simd.$add(a, b)
            }
            #[inline(always)]
            fn minus<S: Simd>(simd: S, a: S::$vector, b: S::$vector) -> S::$vector {
                simd.$sub(a, b)
            }
            #[inline(always)]
            fn clamp<S: Simd>(
                simd: S,
                a: S::$vector,
                (lower, upper): (S::$vector, S::$vector),
            ) -> S::$vector {
                simd.$min(simd.$max(a, lower), upper)
            }
            #[inline(always)]
            fn turn<S: Simd>(simd: S, columns: [S::$vector; FEW]) -> [S::$vector; FEW] {
                simd.$turn(columns)
            }
            #[inline(always)]
            fn turn_back<S: Simd>(simd: S, rows: [S::$vector; FEW]) -> [S::$vector; FEW] {
                simd.$turn_back(rows)
            }
            #[inline(always)]
            fn unless(gone: bool, numbers: [Self; FEW]) -> [Self; FEW] {
                const MASKS: [[$bits; FEW]; 2] = [[$bits::MAX; FEW], [0; FEW]];
                let mask = &MASKS[usize::from(gone)];
                std::array::from_fn(|n| $scalar::from_bits(numbers[n].to_bits() & mask[n]))
            }
            #[inline(always)]
            fn widen<E: Element>(stored: E) -> Self {
                stored.$scalar()
            }
            fn same(elements: Elements<'_>) -> Option<&[Self]> {
                match elements {
                    Elements::$elements(values) => Some(values),
                    _ => None,
                }
            }
            fn stored(numbers: &[Self]) -> Elements<'_> {
                Elements::$elements(numbers)
            }
            #[inline(always)]
            fn registers<S: Simd>(slice: &[Self]) -> &[S::$vector] {
                S::$as(slice).0
            }
            #[inline(always)]
            fn registers_mut<S: Simd>(slice: &mut [Self]) -> &mut [S::$vector] {
                S::$as_mut(slice).0
            }
        }
    };
}

#[rustfmt::skip]
lanes!(f32, u32, f32s, F32, F32_LANES, [splat_f32s, mul_add_f32s, mul_f32s, add_f32s, sub_f32s, max_f32s, min_f32s,
    deinterleave_shfl_f32s, interleave_shfl_f32s, as_simd_f32s, as_mut_simd_f32s]);
#[rustfmt::skip]
lanes!(f64, u64, f64s, F64, F64_LANES, [splat_f64s, mul_add_f64s, mul_f64s, add_f64s, sub_f64s, max_f64s, min_f64s,
    deinterleave_shfl_f64s, interleave_shfl_f64s, as_simd_f64s, as_mut_simd_f64s]);
