//! g(x) = W Σ_i |x_{i+1} − x_i|, the total variation of a signal.

use super::variation::reduce_variation;
use crate::dual;
use crate::error::{Error, nonnegative};
use crate::linalg::vec::norm1;
use crate::{Form, Prox, Real};

/// `tv1d:W`, total variation: the prox is piecewise constant, exact, and takes linear time. Convex.
///
/// ```
/// use proxsplit::{Prox, prox::Tv1d};
/// let mut x = [0.0_f64, 0.2, 3.0, 3.2];
/// Tv1d::new(0.3)?.prox(&mut x, 1.0);
/// assert!((x[0] - 0.25).abs() < 1e-12 && x[0] == x[1]);
/// # Ok::<(), proxsplit::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Tv1d {
    weight: f64,
}

impl Tv1d {
    /// W Σ |x_{i+1} − x_i| with W ≥ 0.
    pub fn new(weight: f64) -> Result<Self, Error> {
        Ok(Self {
            weight: nonnegative("weight", weight)?,
        })
    }

    /// W
    pub fn weight(&self) -> f64 {
        self.weight
    }
}

/// Σ_i |x_{i+1} − x_i|
pub(crate) fn variation<T: Real>(x: &[T]) -> f64 {
    x.windows(2)
        .map(|pair| (pair[1].f64() - pair[0].f64()).abs())
        .sum()
}

/// max_k |s_1 + … + s_k|, the largest flow from one entry to the next that makes s; +∞ if s does not sum to 0, which is
/// tested up to the rounding of s.
pub(crate) fn flow<T: Real>(s: &[T]) -> f64 {
    let (mut sum, mut largest) = (0.0, 0.0f64);
    for s in s.split_last().map_or(s, |(_, before)| before) {
        sum += s.f64();
        largest = largest.max(sum.abs());
    }
    let total = sum + s.last().map_or(0.0, |s| s.f64());
    if total.abs() <= dual::rounding::<T>(norm1(s)) {
        largest
    } else {
        f64::INFINITY
    }
}

impl<T: Real> Prox<T> for Tv1d {
    fn value(&self, x: &[T]) -> f64 {
        self.weight * variation(x)
    }

    fn prox(&self, x: &mut [T], step: T) {
        reduce_variation(x, self.weight * step.f64());
    }

    fn conjugate(&self, s: &[T]) -> Option<f64> {
        self.polar(s).map(dual::indicator)
    }

    fn polar(&self, s: &[T]) -> Option<f64> {
        Some(dual::ratio(flow(s), self.weight))
    }

    fn form(&self) -> Form {
        Form::default().homogeneous().ordered()
    }
}

#[cfg(test)]
mod tests {
    use super::Tv1d;
    use crate::check::{contract, extremes};

    #[test]
    fn keeps_the_contract() {
        for (weight, len) in [(0.0, 3), (0.7, 1), (0.7, 2), (0.3, 8), (0.9, 9), (1e6, 5)] {
            contract(&Tv1d::new(weight).unwrap(), len);
            extremes(&Tv1d::new(weight).unwrap(), len);
        }
    }

    #[test]
    fn refuses_a_bad_weight() {
        assert!(Tv1d::new(-1.0).is_err());
    }
}
