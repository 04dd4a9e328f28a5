//! g(x) = W Σ_G ‖x_G‖₂ over disjoint groups.

use super::groups::Groups;
use super::l2::shorten;
use crate::dual;
use crate::error::{Error, nonnegative};
use crate::linalg::vec::norm;
use crate::{Form, Grouped, Prox, Real};

/// `group-l2:W,S`, the group lasso: prox(x)_G = max(1 − ηW/‖x_G‖₂, 0)·x_G. Convex.
#[derive(Debug, Clone, PartialEq)]
pub struct GroupL2 {
    weight: f64,
    groups: Groups,
}

impl GroupL2 {
    /// W Σ_G ‖x_G‖₂ with W ≥ 0.
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

impl<T: Real> Prox<T> for GroupL2 {
    fn value(&self, x: &[T]) -> f64 {
        self.weight * self.groups.sum(x, norm)
    }

    fn prox(&self, x: &mut [T], step: T) {
        let by = self.weight * step.f64();
        self.groups.update(x, |group| shorten(group, by));
    }

    fn conjugate(&self, s: &[T]) -> Option<f64> {
        self.polar(s).map(dual::indicator)
    }

    fn polar(&self, s: &[T]) -> Option<f64> {
        Some(
            self.groups
                .polar(s, |group| dual::ratio(norm(group), self.weight)),
        )
    }

    fn fits(&self, len: usize) -> Result<(), Error> {
        self.groups.fits(len)
    }

    fn grouped(&self) -> Option<&dyn Grouped<T>> {
        Some(self)
    }

    fn form(&self) -> Form {
        Form::default().absolute().homogeneous()
    }
}

impl<T: Real> Grouped<T> for GroupL2 {
    fn groups(&self) -> &Groups {
        &self.groups
    }

    fn value_of_group(&self, x: &[T]) -> f64 {
        self.weight * norm(x)
    }

    fn prox_of_group(&self, x: &mut [T], step: T) {
        shorten(x, self.weight * step.f64());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::{contract, extremes};

    #[test]
    fn keeps_the_contract() {
        for (weight, size, len) in [(0.7, 3, 7), (0.0, 2, 4), (1.0, 1, 3), (2.0, 9, 4)] {
            let g = GroupL2::new(weight, Groups::of_size(size).unwrap()).unwrap();
            contract(&g, len);
            extremes(&g, len);
        }
        let lists = Groups::from_lists(&[vec![5, 0], vec![2, 3, 1]]).unwrap();
        contract(&GroupL2::new(0.8, lists).unwrap(), 6);
    }

    #[test]
    fn refuses_bad_input() {
        let lists = Groups::from_lists(&[vec![5, 0]]).unwrap();
        assert!(GroupL2::new(-1.0, lists.clone()).is_err());
        assert!(Prox::<f64>::fits(&GroupL2::new(1.0, lists).unwrap(), 5).is_err());
    }
}
