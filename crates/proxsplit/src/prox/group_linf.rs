//! g(x) = W Σ_G ‖x_G‖_∞ over disjoint groups.

use super::groups::Groups;
use super::linf::cut_peaks;
use crate::dual;
use crate::error::{Error, nonnegative};
use crate::linalg::vec::{norm_inf, norm1};
use crate::{Form, Prox, Real};

/// `group-linf:W,S`: the prox of the ℓ∞ norm, [`Linf`](super::Linf), on every group. Convex.
#[derive(Debug, Clone, PartialEq)]
pub struct GroupLinf {
    weight: f64,
    groups: Groups,
}

impl GroupLinf {
    /// W Σ_G ‖x_G‖_∞ with W ≥ 0.
    pub fn new(weight: f64, groups: Groups) -> Result<Self, Error> {
        Ok(Self {
            weight: nonnegative("weight", weight)?,
            groups,
        })
    }

    /// W
    pub fn weight(&self) -> f64 {
        self.weight
    }

    /// The groups G.
    pub fn groups(&self) -> &Groups {
        &self.groups
    }
}

impl<T: Real> Prox<T> for GroupLinf {
    fn value(&self, x: &[T]) -> f64 {
        self.weight * self.groups.sum(x, norm_inf)
    }

    fn prox(&self, x: &mut [T], step: T) {
        let by = self.weight * step.f64();
        self.groups.update(x, |group| cut_peaks(group, by));
    }

    fn conjugate(&self, s: &[T]) -> Option<f64> {
        self.polar(s).map(dual::indicator)
    }

    fn polar(&self, s: &[T]) -> Option<f64> {
        Some(
            self.groups
                .polar(s, |group| dual::ratio(norm1(group), self.weight)),
        )
    }

    fn fits(&self, len: usize) -> Result<(), Error> {
        self.groups.fits(len)
    }

    fn form(&self) -> Form {
        Form::default().absolute().homogeneous()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::{contract, extremes};

    #[test]
    fn keeps_the_contract() {
        for (weight, size, len) in [(0.7, 3, 7), (0.0, 2, 4), (1.0, 1, 3), (2.0, 9, 4)] {
            let g = GroupLinf::new(weight, Groups::of_size(size).unwrap()).unwrap();
            contract(&g, len);
            extremes(&g, len);
        }
        let lists = Groups::from_lists(&[vec![5, 0], vec![2, 3, 1]]).unwrap();
        contract(&GroupLinf::new(0.8, lists).unwrap(), 6);
    }

    #[test]
    fn refuses_a_bad_weight() {
        assert!(GroupLinf::new(-1.0, Groups::of_size(1).unwrap()).is_err());
    }
}
