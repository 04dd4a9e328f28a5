//! Operators made of operators: blocks, columns, rows, scaled, shifted, conjugate, with a set.

mod blocks;
mod but_last;
mod closure;
mod columns;
mod compose;
mod conjugate;
mod constrained;
mod dykstra;
mod envelope;
mod joint;
mod rows;
mod rule;
mod scaled;
mod shifted;

pub use blocks::Blocks;
pub use but_last::ButLast;
pub use closure::Closure;
pub use columns::Columns;
pub use conjugate::Conjugate;
pub use constrained::Constrained;
pub(crate) use constrained::NONCONVEX_RULES;
pub use dykstra::{Accuracy, Dykstra, Reached};
pub use envelope::Envelope;
pub use rows::Rows;
pub use rule::Rule;
pub use scaled::Scaled;
pub use shifted::Shifted;

use crate::linalg::vec::{distance, norm};
use crate::{Error, Prox, Real, scratch};

/// g(x), where a set counts as met if x lies within `tolerance`·‖x‖ of its projection on it.
///
/// A set tests its own constraint on a point of its own making. Where another operator has moved that point by a rounding
/// error or by the tolerance of an iteration, the distance to the set is the fair test.
fn value_near<T: Real>(g: &dyn Prox<T>, x: &[T], tolerance: f64) -> f64 {
    let value = g.value(x);
    if value < f64::INFINITY || !g.form().is_set() {
        return value;
    }
    scratch::with(x.len(), |p: &mut [T]| {
        p.copy_from_slice(x);
        g.prox(p, T::ONE);
        if distance(x, p) <= tolerance * norm(x) {
            0.0
        } else {
            value
        }
    })
}

/// The error of two disjoint parts of a vector, if both are known.
fn join_errors(a: Option<f64>, b: Option<f64>) -> Option<f64> {
    Some(a?.hypot(b?))
}

/// `Ok` if the prox of 0 is in the domain of g, a sum of terms that fit: otherwise the terms have no common point.
fn common_point<T: Real>(g: &dyn Prox<T>, len: usize) -> Result<(), Error> {
    let mut point = vec![T::ZERO; len];
    g.prox(&mut point, T::ONE);
    if g.value(&point) < f64::INFINITY {
        return Ok(());
    }
    Err(Error::Incompatible(format!(
        "the terms have no common point of length {len}: one of the constraints excludes the other"
    )))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::prox::L1;
    use crate::set::{LinfBall, NonNeg};
    use crate::{Smooth, prox};

    /// Terms that exist in `f32` only.
    fn l1() -> Box<dyn Prox<f32>> {
        Box::new(L1::new(0.5).unwrap())
    }

    #[test]
    fn terms_of_single_precision_need_no_double() {
        let y = [2.0f32, -0.25, -3.0];
        let shrunk = |x: [f32; 3]| x.map(|x| (x.abs() - 0.5).max(0.0).copysign(x));
        let mut x = y;
        let nonneg: Box<dyn Prox<f32>> = Box::new(NonNeg);
        Constrained::of(l1(), nonneg).unwrap().prox(&mut x, 1.0);
        assert_eq!(x, [1.5, 0.0, 0.0]);
        let mut x = y;
        Conjugate::of(l1()).unwrap().prox(&mut x, 1.0);
        assert_eq!(x, [0.5, -0.25, -0.5]);
        let mut slope = [0.0; 3];
        let envelope = Envelope::of(l1(), 1.0, 3).unwrap();
        envelope.gradient(&y, &mut slope);
        assert_eq!(slope, [0.5, -0.25, -0.5]);
        let mut x = y;
        let wide: Box<dyn Prox<f32>> = Box::new(LinfBall::new(9.0).unwrap());
        let reached = Dykstra::of(vec![l1(), wide]).unwrap().solve(&mut x, 1.0);
        assert!(reached.converged);
        assert_eq!(x, shrunk(y));
        let kinked: Box<dyn Prox<f32>> = Box::new(prox::L0::new(1.0).unwrap());
        assert!(Conjugate::of(kinked).is_err());
    }
}
