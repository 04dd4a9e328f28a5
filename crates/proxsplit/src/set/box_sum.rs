//! A box cut by Σx = B.

use super::box_hyperplane::{check_reach, project, value};
use super::box_set::check_bounds;
use super::multiplier::Entry;
use crate::dual;
use crate::error::{Error, finite};
use crate::{Form, Kind, Prox, Real};

/// `box-sum:L,U,B`, the x with L ≤ x_i ≤ U and Σx = B: prox(x)_i = min(max(x_i − μ, L), U) with the μ that makes the sum B.
/// Convex.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct BoxSum {
    lower: f64,
    upper: f64,
    total: f64,
}

impl BoxSum {
    /// The set with L ≤ U, which may be infinite, and sum B. Whether B can be reached depends on the length of x.
    pub fn new(lower: f64, upper: f64, total: f64) -> Result<Self, Error> {
        check_bounds(lower, upper)?;
        Ok(Self {
            lower,
            upper,
            total: finite("total", total)?,
        })
    }

    /// L
    pub fn lower(&self) -> f64 {
        self.lower
    }

    /// U
    pub fn upper(&self) -> f64 {
        self.upper
    }

    /// B
    pub fn total(&self) -> f64 {
        self.total
    }

    #[inline(always)]
    fn entry(&self, y: f64) -> Entry {
        Entry {
            y,
            a: 1.0,
            lower: self.lower,
            upper: self.upper,
        }
    }
}

impl<T: Real> Prox<T> for BoxSum {
    fn value(&self, x: &[T]) -> f64 {
        value(x, |_, y| self.entry(y), self.total)
    }

    fn prox(&self, x: &mut [T], _: T) {
        project(x, |_, y| self.entry(y), self.total);
    }

    fn conjugate(&self, s: &[T]) -> Option<f64> {
        Some(super::knapsack::support::<T>(
            s.len(),
            |i| self.entry(s[i].f64()),
            self.total,
        ))
    }

    /// dom g* is a cone.
    fn polar(&self, s: &[T]) -> Option<f64> {
        self.conjugate(s)
            .map(|value| dual::cone(value < f64::INFINITY))
    }

    fn fits(&self, len: usize) -> Result<(), Error> {
        if len == 0 {
            return super::some_entry(len, self.total);
        }
        check_reach(len as f64 * self.lower, len as f64 * self.upper, self.total)
    }

    fn form(&self) -> Form {
        let &Self {
            lower,
            upper,
            total,
        } = self;
        Form::of(Kind::Sum {
            lower,
            upper,
            total,
        })
        .symmetric()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::{contract, vector};
    use crate::set::Simplex;
    use proptest::prelude::*;

    #[test]
    fn keeps_the_contract() {
        contract(&BoxSum::new(-0.5, 1.0, 0.7).unwrap(), 5);
        contract(
            &BoxSum::new(f64::NEG_INFINITY, f64::INFINITY, 2.0).unwrap(),
            3,
        );
        contract(&BoxSum::new(0.1, 0.1, 0.3).unwrap(), 3);
    }

    #[test]
    fn far_points_lose_no_digits_of_the_sum() {
        for far in [1.0, 1e3, 1e6] {
            let mut x: Vec<f64> = (0..8).map(|i| far * (1.0 + f64::from(i) / 7e3)).collect();
            BoxSum::new(-1.0, 0.232, 0.232).unwrap().prox(&mut x, 1.0);
            let excess = x.iter().sum::<f64>() - 0.232;
            assert!(excess.abs() < 5e-15, "{excess:e} from {far}");
        }
    }

    proptest! {
        #[test]
        fn without_an_upper_bound_it_is_the_simplex(y in vector(30)) {
            let (mut a, mut b) = (y.clone(), y);
            BoxSum::new(0.0, f64::INFINITY, 1.5).unwrap().prox(&mut a, 1.0);
            Simplex::new(1.5).unwrap().prox(&mut b, 1.0);
            for (a, b) in a.iter().zip(&b) {
                prop_assert!((a - b).abs() <= 1e-9, "{} {}", a, b);
            }
        }
    }

    /// Long vectors take another way, through a sample; also where the sample is not like the rest.
    #[test]
    fn long_vectors_meet_the_conditions() {
        for share in [0.001, 0.3, 0.9] {
            for period in [1, 7, 50, 30_000] {
                let y: Vec<f64> = (0..30_000)
                    .map(|i| (f64::from(i) * 0.7).sin() + f64::from(i % period))
                    .collect();
                let total = share * 30_000.0;
                let mut x = y.clone();
                BoxSum::new(0.0, 1.0, total).unwrap().prox(&mut x, 1.0);
                assert!((x.iter().sum::<f64>() - total).abs() < 1e-9 * total);
                // Some μ fits all: entries below 1 had to move by at most μ, those above 0 by at least μ.
                let moves = || y.iter().zip(&x).map(|(y, x)| (y - x, *x));
                let below = moves().filter(|(_, x)| *x < 1.0).map(|(m, _)| m);
                let above = moves().filter(|(_, x)| *x > 0.0).map(|(m, _)| m);
                let most = below.fold(f64::NEG_INFINITY, f64::max);
                let least = above.fold(f64::INFINITY, f64::min);
                assert!(most <= least + 1e-10, "{share}, {period}: {most} {least}");
            }
        }
    }

    #[test]
    fn refuses_the_impossible() {
        assert!(BoxSum::new(1.0, 0.0, 0.0).is_err());
        let set = BoxSum::new(0.0, 1.0, 2.5).unwrap();
        assert!(Prox::<f64>::fits(&set, 0).is_err());
        assert!(Prox::<f64>::fits(&set, 3).is_ok());
        assert_eq!(
            Prox::<f64>::fits(&set, 2).unwrap_err().to_string(),
            "no point between the bounds sums to 2.5: the sum can only be between 0 and 2"
        );
    }
}
