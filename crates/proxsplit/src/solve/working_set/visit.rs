//! A visit to a block: its coordinates go to the minimum of q + g along them, or a part of the way beyond.
//!
//! Sweeps that go beyond minima (successive over-relaxation) need fewer visits where plain ones only creep. D. M. Young,
//! Iterative methods for solving partial difference equations of elliptic type, 1954.

use super::coordinates::Coordinates;
use super::quadratic::Quadratic;
use super::set::Set;
use super::terms::Terms;
use crate::{Elementary, Real};

impl Coordinates {
    /// y_b ← P_{1/h}(y_b − ∇_b q/h), or `beyond` that; (h‖Δy_b‖)².
    #[inline(always)]
    pub(super) fn visit<T: Real>(
        &mut self,
        q: &mut impl Quadratic,
        terms: &Terms<'_, T>,
        set: &Set<T>,
        (b, beyond): (usize, f64),
    ) -> f64 {
        match terms.elementary(set.blocks[b]) {
            Some(term) => self.visit_entry(q, term, (b, set.starts[b]), beyond),
            None => self.visit_block(q, terms, set, b),
        }
    }

    /// While y keeps its sign, q + g is a parabola along a coordinate: it falls anywhere between y and twice the way to its minimum.
    #[inline(always)]
    fn visit_entry(
        &mut self,
        q: &mut impl Quadratic,
        term: Elementary,
        (b, k): (usize, usize),
        beyond: f64,
    ) -> f64 {
        let (y, step) = (self.y[k], self.steps[b]);
        let mut next = term.prox(y - step * q.slope(k), step);
        if beyond > 1.0 && next * y > 0.0 {
            let far = y + beyond * (next - y);
            if far * y > 0.0 && far > term.lower && far < term.upper {
                next = far;
            }
        }
        let delta = next - y;
        if delta == 0.0 || !delta.is_finite() {
            return 0.0;
        }
        q.shift(k, delta);
        self.y[k] = next;
        (self.curvature[b] * delta).powi(2)
    }

    fn visit_block<T: Real>(
        &mut self,
        q: &mut impl Quadratic,
        terms: &Terms<'_, T>,
        set: &Set<T>,
        b: usize,
    ) -> f64 {
        let (range, h) = (set.range(b), self.curvature[b]);
        let trial = &mut self.trial[range.clone()];
        for (k, trial) in range.clone().zip(trial.iter_mut()) {
            *trial = self.y[k] - q.slope(k) / h;
        }
        terms.prox(set.blocks[b], trial, 1.0 / h);
        let mut moved = 0.0;
        for k in range {
            let delta = self.trial[k] - self.y[k];
            if delta != 0.0 && delta.is_finite() {
                q.shift(k, delta);
                self.y[k] = self.trial[k];
                moved += delta * delta;
            }
        }
        h * h * moved
    }
}
