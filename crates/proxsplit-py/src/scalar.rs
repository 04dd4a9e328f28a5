//! The two number types of a run.

use crate::operator::Both;
use proxsplit::{Prox, Real};
use proxsplit_factor::Lanes;

/// `f32` or `f64`, in Rust and in NumPy.
pub(crate) trait Scalar: Real + Lanes + numpy::Element {
    /// The operator for vectors of this type.
    fn operator(term: &dyn Both) -> &dyn Prox<Self>;
}

impl Scalar for f32 {
    fn operator(term: &dyn Both) -> &dyn Prox<f32> {
        term
    }
}

impl Scalar for f64 {
    fn operator(term: &dyn Both) -> &dyn Prox<f64> {
        term
    }
}
