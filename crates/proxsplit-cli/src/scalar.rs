//! The number types of factors.

use proxsplit::Prox;
use proxsplit::data::Element;
use proxsplit::text::Operator;
use proxsplit_factor::Lanes;
use proxsplit_io::Array;

/// A number type that factors and files know.
pub(crate) trait Scalar: Lanes + Element {
    /// An operator that acts on this type.
    fn term(operator: &Operator) -> &dyn Prox<Self>;
    /// Numbers for a checkpoint.
    fn pack(numbers: Vec<Self>) -> Array<'static>;
    /// Numbers of a checkpoint, if they have this type.
    fn unpack(array: Array<'static>) -> Option<Vec<Self>>;
}

macro_rules! scalar {
    ($($number:ty),*) => {$(
        impl Scalar for $number {
            fn term(operator: &Operator) -> &dyn Prox<Self> {
                operator
            }
            fn pack(numbers: Vec<Self>) -> Array<'static> {
                numbers.into()
            }
            fn unpack(array: Array<'static>) -> Option<Vec<Self>> {
                array.try_into().ok()
            }
        }
    )*};
}
scalar!(f32, f64);
