//! ψ(x) on {l ≤ x ≤ u, aᵀx = b}, for every elementwise separable convex ψ.

use super::BoxHyperplane;
use crate::error::Error;
use crate::linalg::simplex_cut;
use crate::{Class, Prox, Real, Separable};

/// ψ plus a [`BoxHyperplane`]: prox(x)_i = P_η^{ψ_i + box}(x_i − νηa_i) with the multiplier ν of aᵀx = b. Convex.
///
/// The total aᵀx falls monotonically in ν, so ν is bracketed and then found by the secant method with bisection as safeguard.
/// A total that the bounds allow but the domain of ψ does not (a negative sum with the entropy) cannot be told in
/// advance; the value of the result is then +∞.
#[derive(Debug, Clone, PartialEq)]
pub struct BoxHyperplaneWith<P> {
    set: BoxHyperplane,
    psi: P,
}

/// x = x(low) + share·(x(high) − x(low))
struct Multiplier {
    low: f64,
    high: f64,
    share: f64,
}

impl<P: Prox<f64>> BoxHyperplaneWith<P> {
    pub(super) fn new(set: BoxHyperplane, psi: P) -> Result<Self, Error> {
        if psi.separable().is_none() || psi.class() != Class::Convex {
            let cause = "the term on a box with a hyperplane must be separable and convex";
            return Err(Error::Incompatible(cause.into()));
        }
        psi.fits(set.normal().len())?;
        Ok(Self { set, psi })
    }
}

/// x ← P_η of ψ with aᵀx = b and bounds, where `entry` gives a_i and the bounds of x_i.
#[inline(always)]
pub(crate) fn prox_on<T: Real, G: Separable<T> + ?Sized>(
    psi: &G,
    entry: impl Fn(usize) -> (f64, (T, T)),
    total: f64,
    x: &mut [T],
    step: T,
) {
    if let Some(weight) = ridge_on_simplex(psi, &entry, x.len()) {
        let share = 1.0 / (1.0 + step.f64() * weight);
        for x in &mut *x {
            *x = T::of(share * x.f64());
        }
        let cut = simplex_cut(x, total);
        for x in x {
            *x = T::of(cut.excess(x.f64()));
        }
        return;
    }
    let at = |i: usize, y: T, nu: f64| {
        let (a, bounds) = entry(i);
        let moved = T::of(y.f64() - nu * step.f64() * a);
        (a, psi.prox_between(i, moved, step, bounds).f64())
    };
    // aᵀx(ν) − b, and the size of the numbers in it.
    let excess = |nu: f64| {
        let products = x.iter().enumerate().map(|(i, &y)| {
            let (a, z) = at(i, y, nu);
            a * z
        });
        products.fold((-total, total.abs()), |(sum, size), p| {
            (sum + p, size + p.abs())
        })
    };
    let squares: f64 = (0..x.len()).map(|i| entry(i).0.powi(2)).sum();
    let guess = 1.0 / (step.f64() * squares.max(f64::MIN_POSITIVE));
    let nu = root(excess, guess);
    for (i, x) in x.iter_mut().enumerate() {
        let ((_, low), (_, high)) = (at(i, *x, nu.low), at(i, *x, nu.high));
        *x = T::of(low + nu.share * (high - low));
    }
}

/// W, if every ψ_i is γ|x| + (W/2)x² and the set is a simplex. γ|x| adds up to a constant there, but as a shift by ηγ in every
/// entry, against which the multiplier must be found, it takes all digits of x away where ηγ is large.
fn ridge_on_simplex<T: Real, G: Separable<T> + ?Sized>(
    psi: &G,
    entry: impl Fn(usize) -> (f64, (T, T)),
    len: usize,
) -> Option<f64> {
    let first = (len > 0).then(|| psi.entry(0))??;
    let is_simplex = |i: usize| entry(i) == (1.0, (T::ZERO, T::INFINITY));
    let is_everywhere = first.lower <= 0.0 && first.upper == f64::INFINITY;
    let is_alike = |i: usize| is_simplex(i) && psi.entry(i) == Some(first);
    (is_everywhere && (0..len).all(is_alike)).then_some(first.sql2)
}

/// The root of a nonincreasing function, given with the size of its terms; `guess` is the size of the first step from 0.
fn root(excess: impl Fn(f64) -> (f64, f64), guess: f64) -> Multiplier {
    let exactly = |low| Multiplier {
        low,
        high: low,
        share: 0.0,
    };
    let vanishes = |(value, scale): (f64, f64)| value.abs() <= 4.0 * f64::EPSILON * scale;
    let start = excess(0.0);
    if vanishes(start) {
        return exactly(0.0);
    }
    let (mut near, mut far) = ((0.0, start.0), (guess * start.0, 0.0));
    for _ in 0..200 {
        let found = excess(far.0);
        far.1 = found.0;
        if vanishes(found) {
            return exactly(far.0);
        }
        if (far.1 > 0.0) != (near.1 > 0.0) {
            break;
        }
        (near, far) = (far, (2.0 * far.0, 0.0));
    }
    let (mut low, mut high) = if near.1 > 0.0 {
        (near, far)
    } else {
        (far, near)
    };
    let mut halve = false;
    for _ in 0..200 {
        let width = high.0 - low.0;
        let secant = low.0 + width * (low.1 / (low.1 - high.1));
        let middle = low.0 + 0.5 * width;
        let next = if halve { middle } else { secant };
        if !(low.0 < next && next < high.0) {
            if halve {
                break;
            }
            halve = true;
            continue;
        }
        let found = excess(next);
        if vanishes(found) {
            return exactly(next);
        }
        if found.0 > 0.0 {
            low = (next, found.0);
        } else {
            high = (next, found.0);
        }
        // A secant step that keeps more than half of the bracket is followed by a bisection.
        halve = !halve && high.0 - low.0 > 0.5 * width;
    }
    let share = low.1 / (low.1 - high.1);
    Multiplier {
        low: low.0,
        high: high.0,
        share: if share.is_finite() { share } else { 0.0 },
    }
}

impl<T: Real, P: Separable<T>> Prox<T> for BoxHyperplaneWith<P> {
    fn value(&self, x: &[T]) -> f64 {
        self.set.value(x) + self.psi.value(x)
    }

    fn prox(&self, x: &mut [T], step: T) {
        let entry = |i| (self.set.normal()[i], self.set.bounds(i));
        prox_on(&self.psi, entry, self.set.total(), x, step);
    }

    fn fits(&self, len: usize) -> Result<(), Error> {
        Prox::<T>::fits(&self.set, len)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::{contract, vector};
    use crate::prox::{ElasticNet, Entropy, L1, Zero};
    use proptest::prelude::*;

    fn set() -> BoxHyperplane {
        let (lower, upper) = (
            vec![-1.0, 0.0, f64::NEG_INFINITY, 0.2],
            vec![2.0, 1.0, 5.0, f64::INFINITY],
        );
        BoxHyperplane::new(lower, upper, vec![1.0, -2.0, 0.5, 1.0], 0.6).unwrap()
    }

    #[test]
    fn keeps_the_contract() {
        contract(&set().with(L1::new(0.7).unwrap()).unwrap(), 4);
        contract(&set().with(ElasticNet::new(0.3, 2.0).unwrap()).unwrap(), 4);
        let simplex = BoxHyperplane::new(vec![0.0; 5], vec![0.5; 5], vec![1.0; 5], 1.0).unwrap();
        contract(&simplex.with(Entropy::new(0.5).unwrap()).unwrap(), 5);
    }

    proptest! {
        #[test]
        fn with_nothing_it_is_the_projection(y in vector(4), step in 0.01..10.0f64) {
            let (mut a, mut b) = (y.clone(), y);
            set().prox(&mut a, step);
            set().with(Zero).unwrap().prox(&mut b, step);
            for (a, b) in a.iter().zip(&b) {
                prop_assert!((a - b).abs() <= 1e-9, "{} {}", a, b);
            }
        }
    }

    #[test]
    fn a_long_step_leaves_the_simplex_its_digits() {
        // ηγ = 4.5: the shift of ℓ1 is 10¹⁵ times as large as x.
        let (y, total) = ([3e-16, 9e-16, -1e-16, 8e-16], 1.8e-15);
        let (lower, upper) = (vec![0.0; 4], vec![f64::INFINITY; 4]);
        let simplex = BoxHyperplane::new(lower, upper, vec![1.0; 4], total).unwrap();
        for weight in [0.0, 3e-15] {
            let step = 2e15;
            let psi = ElasticNet::new(2.25e-15, weight).unwrap();
            let mut x = y;
            simplex.clone().with(psi).unwrap().prox(&mut x, step);
            assert!((x.iter().sum::<f64>() - total).abs() <= 1e-14 * total);
            // Optimal: (1 + ηW)x − y is the same for all x > 0, and no less for the others.
            let slope = |i: usize| (1.0 + step * weight) * x[i] - y[i];
            for i in 0..4 {
                let differs = slope(i) - slope(1);
                assert!(
                    differs.abs() <= 1e-28 || (x[i] == 0.0 && differs > 0.0),
                    "{x:?}"
                );
            }
        }
    }

    #[test]
    fn refuses_what_is_not_convex() {
        assert!(set().with(crate::prox::L0::new(1.0).unwrap()).is_err());
        assert!(set().with(crate::prox::L2::new(1.0).unwrap()).is_err());
    }
}
