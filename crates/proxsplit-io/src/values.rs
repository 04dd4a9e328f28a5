//! Numbers with their owner: a vector or a memory-mapped file.

use crate::map::Mapped;
use proxsplit::data::{Element, Elements};

/// The stored number types.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    U8,
    I16,
    I32,
    F32,
    F64,
}

impl Kind {
    /// Bytes of one number.
    pub(crate) fn size(self) -> usize {
        match self {
            Kind::U8 => 1,
            Kind::I16 => 2,
            Kind::I32 | Kind::F32 => 4,
            Kind::F64 => 8,
        }
    }

    /// The smallest type that holds all of them exactly, where only integers are narrowed.
    fn smallest(values: impl Iterator<Item = f64>) -> Self {
        let (mut low, mut high) = (0.0_f64, 0.0_f64);
        for value in values {
            if value.trunc() != value {
                return Kind::F64;
            }
            low = low.min(value);
            high = high.max(value);
        }
        let fits = |min: f64, max: f64| low >= min && high <= max;
        if fits(0.0, f64::from(u8::MAX)) {
            Kind::U8
        } else if fits(f64::from(i16::MIN), f64::from(i16::MAX)) {
            Kind::I16
        } else if fits(f64::from(i32::MIN), f64::from(i32::MAX)) {
            Kind::I32
        } else {
            Kind::F64
        }
    }
}

/// An integer as `f64`, if it is one of those that `f64` holds without gaps.
pub(crate) fn exact(value: i64) -> Option<f64> {
    const LARGEST: i64 = 1 << 53;
    let holds = (-LARGEST..=LARGEST).contains(&value);
    holds.then_some(value as f64)
}

/// Numbers of one type.
#[derive(Debug)]
pub(crate) enum Values {
    U8(Vec<u8>),
    I16(Vec<i16>),
    I32(Vec<i32>),
    F32(Vec<f32>),
    F64(Vec<f64>),
    Mapped(Mapped),
}

impl Values {
    /// The numbers, in the smallest type that holds them exactly.
    pub(crate) fn smallest(values: impl Iterator<Item = f64> + Clone) -> Self {
        match Kind::smallest(values.clone()) {
            Kind::U8 => Values::U8(values.map(|v| v as u8).collect()),
            Kind::I16 => Values::I16(values.map(|v| v as i16).collect()),
            Kind::I32 => Values::I32(values.map(|v| v as i32).collect()),
            Kind::F32 | Kind::F64 => Values::F64(values.collect()),
        }
    }

    /// The same for a vector, which is kept if it cannot be narrowed.
    pub(crate) fn narrow(values: Vec<f64>) -> Self {
        if Kind::smallest(values.iter().copied()) == Kind::F64 {
            Values::F64(values)
        } else {
            Self::smallest(values.iter().copied())
        }
    }

    pub(crate) fn elements(&self) -> Elements<'_> {
        match self {
            Values::U8(values) => u8::elements(values),
            Values::I16(values) => i16::elements(values),
            Values::I32(values) => i32::elements(values),
            Values::F32(values) => f32::elements(values),
            Values::F64(values) => f64::elements(values),
            Values::Mapped(mapped) => mapped.elements(),
        }
    }

    /// Puts numbers of the same type behind these; `false` if the type is another.
    #[cfg(feature = "images")]
    pub(crate) fn append(&mut self, others: Self) -> bool {
        match (self, others) {
            (Values::U8(all), Values::U8(more)) => all.extend(more),
            (Values::I16(all), Values::I16(more)) => all.extend(more),
            (Values::I32(all), Values::I32(more)) => all.extend(more),
            (Values::F32(all), Values::F32(more)) => all.extend(more),
            (Values::F64(all), Values::F64(more)) => all.extend(more),
            _ => return false,
        }
        true
    }

    /// A copy as `f64`.
    pub(crate) fn to_f64(&self) -> Vec<f64> {
        proxsplit::internal::dispatch!(Elements: self.elements() => values, values.iter().map(|v| v.f64()).collect())
    }
}

/// The bytes of some numbers.
pub(crate) fn bytes(elements: Elements<'_>) -> &[u8] {
    proxsplit::internal::dispatch!(Elements: elements => values, bytemuck::cast_slice(values))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn narrowing_loses_nothing(values in prop::collection::vec(prop_oneof![
            -300.0..300.0_f64, (-300_i32..300).prop_map(f64::from), (-70_000_i32..70_000).prop_map(f64::from),
            any::<i32>().prop_map(f64::from), (0_u8..).prop_map(f64::from),
        ], 0..6)) {
            prop_assert_eq!(Values::narrow(values.clone()).to_f64(), values);
        }
    }

    #[test]
    fn narrowing_picks_the_smallest_integer_type() {
        let kind = |values: &[f64]| Kind::smallest(values.iter().copied());
        assert_eq!(kind(&[0.0, 255.0]), Kind::U8);
        assert_eq!(kind(&[0.0, 256.0]), Kind::I16);
        assert_eq!(kind(&[-1.0]), Kind::I16);
        assert_eq!(kind(&[32768.0]), Kind::I32);
        assert_eq!(kind(&[2_147_483_648.0]), Kind::F64);
        assert_eq!(kind(&[0.5]), Kind::F64);
    }
}
