//! L-BFGS: the last pairs (s, y) of moves and changes of a gradient, and the direction that they make.
//!
//! J. Nocedal, Updating quasi-Newton matrices with limited storage, 1980.

use crate::Real;
use crate::linalg::vec;

/// Pairs that are remembered.
pub(super) const PAIRS: usize = 10;

/// A pair whose curvature ⟨s, y⟩/‖s‖² is below this fraction of ‖y‖/‖s‖ says nothing that can be trusted.
const LEAST_CURVATURE: f64 = 1e-10;

/// The last pairs, in a ring.
pub(super) struct Memory<T> {
    moves: Vec<T>,   // s, one after the other
    changes: Vec<T>, // y
    dim: usize,
    count: usize, // pairs that are there
    next: usize,  // where the next one goes
}

impl<T: Real> Memory<T> {
    pub(super) fn new(dim: usize) -> Self {
        Self {
            moves: vec![T::ZERO; PAIRS * dim],
            changes: vec![T::ZERO; PAIRS * dim],
            dim,
            count: 0,
            next: 0,
        }
    }

    pub(super) fn clear(&mut self) {
        self.count = 0;
    }

    /// Adds the pair of the move from `from` to `to`, if f curves upwards there. `change` is y, entry by entry.
    pub(super) fn learn(&mut self, (from, to): (&[T], &[T]), change: impl Fn(usize) -> T) {
        let (mut product, mut moved, mut changed) = (0.0, 0.0, 0.0);
        for (i, (to, from)) in to.iter().zip(from).enumerate() {
            let (s, y) = (to.f64() - from.f64(), change(i).f64());
            product += s * y;
            moved += s * s;
            changed += y * y;
        }
        if !(product > LEAST_CURVATURE * (moved * changed).sqrt() && product.is_finite()) {
            return;
        }
        let range = self.next * self.dim..(self.next + 1) * self.dim;
        let moves = self.moves[range.clone()].iter_mut();
        for (i, (s, y)) in moves.zip(&mut self.changes[range]).enumerate() {
            (*s, *y) = (to[i] - from[i], change(i));
        }
        self.next = (self.next + 1) % PAIRS;
        self.count = (self.count + 1).min(PAIRS);
    }

    /// q ← Hq, where H is the inverse Hessian as far as the pairs tell; without pairs H = `first`.
    pub(super) fn apply(&self, q: &mut [T], first: f64) {
        let mut weights = [0.0; PAIRS];
        let mut scale = first;
        for (age, weight) in weights[..self.count].iter_mut().enumerate() {
            let (s, y) = self.pair(age);
            let product = vec::dot(s, y);
            if age == 0 {
                scale = product / vec::dot(y, y);
            }
            *weight = vec::dot(s, q) / product;
            vec::axpy(T::of(-*weight), y, q);
        }
        vec::scale(T::of(scale), q);
        for (age, weight) in weights[..self.count].iter().enumerate().rev() {
            let (s, y) = self.pair(age);
            let back = vec::dot(y, q) / vec::dot(s, y);
            vec::axpy(T::of(weight - back), s, q);
        }
    }

    /// How many pairs there are.
    pub(super) fn count(&self) -> usize {
        self.count
    }

    /// A pair (s, y); the newest has age 0.
    pub(super) fn pair(&self, age: usize) -> (&[T], &[T]) {
        let at = (self.next + PAIRS - 1 - age) % PAIRS;
        let range = at * self.dim..(at + 1) * self.dim;
        (&self.moves[range.clone()], &self.changes[range])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// With as many conjugate moves as entries, the direction is Newton's.
    #[test]
    fn pairs_of_a_quadratic_give_its_inverse() {
        let h = [[4.0, 1.0], [1.0, 3.0]];
        let times = |x: &[f64]| h.map(|row: [f64; 2]| row.iter().zip(x).map(|(a, b)| a * b).sum());
        let mut memory = Memory::new(2);
        for to in [[1.0, 0.0], [-0.25, 1.0]] {
            let change: [f64; 2] = times(&to);
            memory.learn((&[0.0; 2], &to), |i| change[i]);
        }
        let wanted = [0.7, -0.3];
        let mut q: [f64; 2] = times(&wanted);
        memory.apply(&mut q, 1.0);
        for (found, wanted) in q.iter().zip(wanted) {
            assert!((found - wanted).abs() < 1e-12, "{q:?}");
        }
        // A move along which f curves downwards is not learned.
        memory.learn((&[0.0; 2], &[0.0, 1.0]), |i| [0.0, -1.0][i]);
        assert_eq!(memory.count(), 2);
        memory.clear();
        memory.apply(&mut q, 0.5);
        assert!((q[0] - 0.35).abs() < 1e-12);
    }
}
