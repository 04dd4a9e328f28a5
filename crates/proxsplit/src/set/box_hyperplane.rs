//! A box cut by a hyperplane, {l ≤ x ≤ u, aᵀx = b}.

use super::box_hyperplane_with::BoxHyperplaneWith;
use super::box_set::check_bounds;
use super::multiplier::{Entry, multiplier};
use super::{clear_rounding, inside};
use crate::dual;
use crate::error::{Error, all_finite, finite, length};
use crate::linalg::vec::norm;
use crate::{Form, Kind, Prox, Real};

/// The x with l ≤ x ≤ u and aᵀx = b: prox(x)_i = min(max(x_i − μa_i, l_i), u_i) with the μ that satisfies the equation, found
/// exactly in expected linear time. Convex.
///
/// ```
/// use proxsplit::{Prox, set::BoxHyperplane};
/// // Budget shares between 0 and 0.6, at prices 1, 1 and 2.
/// let budget = BoxHyperplane::new(vec![0.0; 3], vec![0.6; 3], vec![1.0, 1.0, 2.0], 1.0)?;
/// let mut x = [0.9_f64, 0.5, 0.1];
/// budget.prox(&mut x, 1.0);
/// assert!((x[0] + x[1] + 2.0 * x[2] - 1.0).abs() < 1e-15);
/// # Ok::<(), proxsplit::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct BoxHyperplane {
    lower: Vec<f64>,
    upper: Vec<f64>,
    normal: Vec<f64>,
    total: f64,
}

impl BoxHyperplane {
    /// The set with bounds l ≤ u, which may be infinite, normal a and total b.
    pub fn new(
        lower: Vec<f64>,
        upper: Vec<f64>,
        normal: Vec<f64>,
        total: f64,
    ) -> Result<Self, Error> {
        length("upper bounds", &upper, lower.len())?;
        length("normal", &normal, lower.len())?;
        all_finite("normal", &normal)?;
        finite("b", total)?;
        let mut bounds = lower.iter().zip(&upper);
        bounds.try_for_each(|(&l, &u)| check_bounds(l, u))?;
        let set = Self {
            lower,
            upper,
            normal,
            total,
        };
        let ranges = (0..set.normal.len()).map(|i| set.entry(i, 0.0).range());
        let (most, least) =
            ranges.fold((0.0, 0.0), |sum, range| (sum.0 + range.0, sum.1 + range.1));
        check_reach(least, most, total)?;
        Ok(set)
    }

    /// The same set together with an elementwise separable convex ψ.
    pub fn with<P: Prox<f64>>(self, psi: P) -> Result<BoxHyperplaneWith<P>, Error> {
        BoxHyperplaneWith::new(self, psi)
    }

    #[inline(always)]
    fn entry(&self, i: usize, y: f64) -> Entry {
        Entry {
            y,
            a: self.normal[i],
            lower: self.lower[i],
            upper: self.upper[i],
        }
    }

    /// The bounds of entry i.
    pub(super) fn bounds<T: Real>(&self, i: usize) -> (T, T) {
        (T::of(self.lower[i]), T::of(self.upper[i]))
    }

    pub(super) fn normal(&self) -> &[f64] {
        &self.normal
    }

    pub(super) fn total(&self) -> f64 {
        self.total
    }
}

/// `Ok` if b lies between the least and the most that aᵀx can be, up to rounding.
pub(super) fn check_reach(least: f64, most: f64, total: f64) -> Result<(), Error> {
    let slack = |end: f64| {
        if end.is_finite() {
            1e-9 * (end.abs() + total.abs())
        } else {
            0.0
        }
    };
    if least - slack(least) <= total && total <= most + slack(most) {
        return Ok(());
    }
    Err(Error::Incompatible(format!(
        "no point between the bounds sums to {total}: the sum can only be between {least} and {most}"
    )))
}

/// x ← the projection on {l ≤ x ≤ u, aᵀx = b}.
pub(super) fn project<T: Real>(x: &mut [T], entry: impl Fn(usize, f64) -> Entry, total: f64) {
    let before = norm(x);
    // A second round removes the rounding of the first, which counts when x was far away.
    let rounding = 4.0 * T::EPSILON.f64() * (x.len() as f64).sqrt();
    for _ in 0..2 {
        let by = multiplier(x.len(), |i| entry(i, x[i].f64()), total);
        for (i, x) in x.iter_mut().enumerate() {
            *x = T::of(entry(i, x.f64()).at(by));
        }
        let (excess, scale) = excess(x, &entry, total);
        if excess.abs() <= rounding * scale {
            return;
        }
    }
    if total == 0.0 && (0..x.len()).all(|i| entry(i, 0.0).at(0.0) == 0.0) {
        clear_rounding(x, before);
    }
}

/// aᵀx − b, and the size of the numbers in it.
fn excess<T: Real>(x: &[T], entry: impl Fn(usize, f64) -> Entry, total: f64) -> (f64, f64) {
    let products = x.iter().enumerate().map(|(i, x)| entry(i, 0.0).a * x.f64());
    products.fold((-total, total.abs()), |(sum, size), p| {
        (sum + p, size + p.abs())
    })
}

/// 0 if x lies in {l ≤ x ≤ u, aᵀx = b}, else +∞.
pub(super) fn value<T: Real>(x: &[T], entry: impl Fn(usize, f64) -> Entry, total: f64) -> f64 {
    let between = |(i, &x): (usize, &T)| {
        let entry = entry(i, 0.0);
        T::of(entry.lower) <= x && x <= T::of(entry.upper)
    };
    if !x.iter().enumerate().all(between) {
        return f64::INFINITY;
    }
    let (excess, scale) = excess(x, entry, total);
    inside::<T>(excess.abs(), scale)
}

impl<T: Real> Prox<T> for BoxHyperplane {
    fn value(&self, x: &[T]) -> f64 {
        value(x, |i, y| self.entry(i, y), self.total)
    }

    fn prox(&self, x: &mut [T], _: T) {
        project(x, |i, y| self.entry(i, y), self.total);
    }

    fn conjugate(&self, s: &[T]) -> Option<f64> {
        Some(super::knapsack::support::<T>(
            s.len(),
            |i| self.entry(i, s[i].f64()),
            self.total,
        ))
    }

    /// dom g* is a cone.
    fn polar(&self, s: &[T]) -> Option<f64> {
        self.conjugate(s)
            .map(|value| dual::cone(value < f64::INFINITY))
    }

    fn fits(&self, len: usize) -> Result<(), Error> {
        length("normal", &self.normal, len)
    }

    fn form(&self) -> Form {
        Form::of(Kind::Set)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::{contract, vector};
    use proptest::prelude::*;

    #[test]
    fn keeps_the_contract() {
        let infinite = f64::INFINITY;
        let new = |l, u, a, b| BoxHyperplane::new(l, u, a, b).unwrap();
        let lower = vec![0.0, -1.0, -infinite, 0.5];
        let upper = vec![1.0, 2.0, 3.0, infinite];
        contract(
            &new(lower.clone(), upper, vec![1.0, -2.0, 0.5, 0.0], 0.3),
            4,
        );
        contract(
            &new(lower, vec![infinite; 4], vec![-1.0, 3.0, 1e-3, 2.0], -7.0),
            4,
        );
        contract(&new(vec![0.1; 10], vec![0.1; 10], vec![1.0; 10], 1.0), 10);
        contract(&new(vec![], vec![], vec![], 0.0), 0);
    }

    /// The projection by bisection in the multiplier.
    fn by_bisection(set: &BoxHyperplane, y: &[f64]) -> Vec<f64> {
        let at = |m: f64| -> Vec<f64> { (0..y.len()).map(|i| set.entry(i, y[i]).at(m)).collect() };
        let (mut low, mut high) = (-1e12, 1e12);
        for _ in 0..300 {
            let middle: f64 = 0.5 * (low + high);
            let sum: f64 = at(middle).iter().zip(&set.normal).map(|(x, a)| x * a).sum();
            if sum > set.total {
                low = middle;
            } else {
                high = middle;
            }
        }
        at(0.5 * (low + high))
    }

    proptest! {
        #[test]
        fn is_what_bisection_finds(y in vector(12), a in vector(12), l in vector(12), share in 0.0..1.0f64) {
            let a: Vec<f64> = a.iter().map(|a| a.clamp(-3.0, 3.0)).collect();
            let l: Vec<f64> = l.iter().map(|l| l.clamp(-3.0, 3.0)).collect();
            let u: Vec<f64> = l.iter().zip(&a).map(|(l, a)| l + a.abs()).collect();
            let total = a.iter().zip(l.iter().zip(&u)).map(|(a, (l, u))| a * (l + share * (u - l))).sum();
            let set = BoxHyperplane::new(l, u, a, total).unwrap();
            let mut x = y.clone();
            set.prox(&mut x, 1.0);
            for (x, expected) in x.iter().zip(by_bisection(&set, &y)) {
                prop_assert!((x - expected).abs() <= 1e-8, "{} {}", x, expected);
            }
        }
    }

    #[test]
    fn refuses_the_impossible() {
        let new = |l: f64, u: f64, a: f64, b: f64| {
            BoxHyperplane::new(vec![l; 2], vec![u; 2], vec![a; 2], b)
        };
        assert_eq!(
            new(0.0, 1.0, 1.0, 3.0).unwrap_err().to_string(),
            "no point between the bounds sums to 3: the sum can only be between 0 and 2"
        );
        assert!(new(0.0, f64::INFINITY, -1.0, 1.0).is_err());
        assert!(new(1.0, 0.0, 1.0, 1.0).is_err());
        assert!(new(0.0, 1.0, 0.0, 1.0).is_err());
        assert!(new(0.0, 1.0, f64::NAN, 1.0).is_err());
        assert!(BoxHyperplane::new(vec![0.0], vec![1.0], vec![], 0.0).is_err());
    }

    /// Against the best corner or edge point of a small set, listed by hand: one entry is between its bounds, the others at them.
    #[test]
    fn the_support_function_is_the_best_corner() {
        let (lower, upper) = (vec![-1.0, 0.0, 0.5], vec![2.0, 1.0, 3.0]);
        let normal = [1.0, -2.0, 0.5];
        let set = BoxHyperplane::new(lower.clone(), upper.clone(), normal.to_vec(), 0.6).unwrap();
        for seed in 0..50 {
            let s: Vec<f64> = (0..3).map(|i| f64::from(7 * seed + i).sin()).collect();
            let mut best = f64::NEG_INFINITY;
            for corner in 0..8 {
                for free in 0..3 {
                    let side = |i: usize| {
                        if corner >> i & 1 == 0 {
                            lower[i]
                        } else {
                            upper[i]
                        }
                    };
                    let mut z = [side(0), side(1), side(2)];
                    z[free] = 0.0;
                    z[free] = (0.6 - z.iter().zip(&normal).map(|(z, a)| z * a).sum::<f64>())
                        / normal[free];
                    if lower[free] <= z[free] && z[free] <= upper[free] {
                        best = best.max(z.iter().zip(&s).map(|(z, s)| z * s).sum());
                    }
                }
            }
            assert!((set.conjugate(&s).unwrap() - best).abs() < 1e-12);
        }
    }
}
