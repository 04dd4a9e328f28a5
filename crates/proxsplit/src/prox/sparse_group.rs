//! g(x) = W1‖x‖₁ + W2 Σ_G ‖x_G‖₂ over disjoint groups.

use super::groups::Groups;
use super::l1::soft;
use super::l2::shorten;
use crate::dual;
use crate::error::{Error, nonnegative};
use crate::linalg::vec::{norm, norm_inf, norm1};
use crate::{Elementary, Form, Grouped, Prox, Real};

/// `sparse-group:W1,W2,S`, the sparse group lasso: soft thresholding by ηW1, then shortening of each group by ηW2.
/// Convex.
#[derive(Debug, Clone, PartialEq)]
pub struct SparseGroup {
    l1: f64,
    group: f64,
    groups: Groups,
}

impl SparseGroup {
    /// W1‖x‖₁ + W2 Σ_G ‖x_G‖₂ with W1, W2 ≥ 0.
    pub fn new(l1: f64, group: f64, groups: Groups) -> Result<Self, Error> {
        Ok(Self {
            l1: nonnegative("weight of the l1 norm", l1)?,
            group: nonnegative("weight of the groups", group)?,
            groups,
        })
    }

    /// W1
    pub fn l1_weight(&self) -> f64 {
        self.l1
    }

    /// W2
    pub fn group_weight(&self) -> f64 {
        self.group
    }

    /// The least t with ‖soft(s, tW1)‖₂ ≤ tW2. The difference of the two sides is convex and falls, so that Newton's method
    /// climbs to its root and never beyond.
    fn factor<T: Real>(&self, s: &[T]) -> f64 {
        let largest = dual::ratio(norm_inf(s), self.l1);
        if self.l1 == 0.0 || self.group == 0.0 {
            return largest.min(dual::ratio(norm(s), self.group));
        }
        let mut t = 0.0;
        loop {
            let cut = s.iter().map(|s| (s.abs().f64() - t * self.l1).max(0.0));
            let (sum, square) = cut.fold((0.0, 0.0), |(sum, square), c| (sum + c, square + c * c));
            let size = f64::sqrt(square);
            if size <= t * self.group {
                return t;
            }
            let next = t + (size - t * self.group) / (self.l1 * sum / size + self.group);
            // Nothing left but rounding; the last point is an ulp or so below the root.
            if next <= t * (1.0 + 2.0 * f64::EPSILON) {
                return (next * (1.0 + 4.0 * f64::EPSILON)).min(largest);
            }
            t = next;
        }
    }

    /// The groups G.
    pub fn groups(&self) -> &Groups {
        &self.groups
    }
}

impl<T: Real> Prox<T> for SparseGroup {
    fn value(&self, x: &[T]) -> f64 {
        self.l1 * norm1(x) + self.group * self.groups.sum(x, norm)
    }

    fn prox(&self, x: &mut [T], step: T) {
        let by = T::of(self.l1) * step;
        for t in x.iter_mut() {
            *t = soft(*t, by);
        }
        let by = self.group * step.f64();
        self.groups.update(x, |group| shorten(group, by));
    }

    fn conjugate(&self, s: &[T]) -> Option<f64> {
        self.polar(s).map(dual::indicator)
    }

    fn polar(&self, s: &[T]) -> Option<f64> {
        Some(self.groups.polar(s, |group| self.factor(group)))
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

impl<T: Real> Grouped<T> for SparseGroup {
    fn groups(&self) -> &Groups {
        &self.groups
    }

    fn value_of_group(&self, x: &[T]) -> f64 {
        self.l1 * norm1(x) + self.group * norm(x)
    }

    fn prox_of_group(&self, x: &mut [T], step: T) {
        for t in x.iter_mut() {
            *t = soft(*t, T::of(self.l1) * step);
        }
        shorten(x, self.group * step.f64());
    }

    fn outside(&self) -> Elementary {
        Elementary {
            l1: self.l1,
            ..Elementary::ZERO
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::{contract, extremes};

    #[test]
    fn keeps_the_contract() {
        for (l1, group, size, len) in [(0.5, 0.7, 3, 7), (0.0, 1.0, 2, 4), (1.0, 0.0, 2, 5)] {
            let g = SparseGroup::new(l1, group, Groups::of_size(size).unwrap()).unwrap();
            contract(&g, len);
            extremes(&g, len);
        }
        let lists = Groups::from_lists(&[vec![5, 0], vec![2, 3, 1]]).unwrap();
        contract(&SparseGroup::new(0.3, 0.8, lists).unwrap(), 6);
    }

    #[test]
    fn names_the_bad_weight() {
        let groups = Groups::of_size(2).unwrap();
        assert_eq!(
            SparseGroup::new(1.0, -1.0, groups).unwrap_err().to_string(),
            "weight of the groups = -1, but it must be finite and at least 0"
        );
    }
}
