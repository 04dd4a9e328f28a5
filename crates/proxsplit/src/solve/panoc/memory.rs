//! L-BFGS: the last pairs (s, y) of moves and changes of a gradient, and the direction that they make.
//!
//! J. Nocedal, Updating quasi-Newton matrices with limited storage, 1980; on some of the entries as in A. Pas, M. Schuurmans and
//! P. Patrinos, Alpaqa: a matrix-free solver for nonlinear MPC and large-scale nonconvex optimization, 2022.

use crate::Real;

/// Pairs that are remembered.
const PAIRS: usize = 10;

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

/// A pair as it is used for one direction.
#[derive(Clone, Copy, Default)]
struct Used {
    at: usize,
    product: f64, // ⟨s, y⟩ over the free entries
    weight: f64,  // α of the two loops
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

    /// q ← Hq over the free entries, where H is the inverse Hessian as far as the pairs tell; without pairs H = `first`. The other
    /// entries of q must be 0, and stay so.
    pub(super) fn apply(&self, q: &mut [T], free: &[bool], first: f64) {
        let mut used = [Used::default(); PAIRS];
        let mut length = 0;
        let mut scale = first;
        for back in 1..=self.count {
            let at = (self.next + PAIRS - back) % PAIRS;
            let (s, y) = self.pair(at);
            let (product, changed, moved) = products(s, y, free);
            if product <= LEAST_CURVATURE * (changed * moved).sqrt() {
                continue;
            }
            if length == 0 {
                scale = product / changed;
            }
            let weight = masked_dot(s, q, free) / product;
            add(q, -weight, y, free);
            used[length] = Used {
                at,
                product,
                weight,
            };
            length += 1;
        }
        for value in q.iter_mut() {
            *value *= T::of(scale);
        }
        for pair in used[..length].iter().rev() {
            let (s, y) = self.pair(pair.at);
            let weight = masked_dot(y, q, free) / pair.product;
            add(q, pair.weight - weight, s, free);
        }
    }

    fn pair(&self, at: usize) -> (&[T], &[T]) {
        let range = at * self.dim..(at + 1) * self.dim;
        (&self.moves[range.clone()], &self.changes[range])
    }
}

/// ⟨s, y⟩, ‖y‖² and ‖s‖² over the free entries.
fn products<T: Real>(s: &[T], y: &[T], free: &[bool]) -> (f64, f64, f64) {
    let mut sums = (0.0, 0.0, 0.0);
    for ((s, y), _) in s.iter().zip(y).zip(free).filter(|(_, free)| **free) {
        let (s, y) = (s.f64(), y.f64());
        sums.0 += s * y;
        sums.1 += y * y;
        sums.2 += s * s;
    }
    sums
}

fn masked_dot<T: Real>(a: &[T], b: &[T], free: &[bool]) -> f64 {
    let pairs = a.iter().zip(b).zip(free).filter(|(_, free)| **free);
    pairs.map(|((a, b), _)| a.f64() * b.f64()).sum()
}

/// q ← q + weight·v over the free entries.
fn add<T: Real>(q: &mut [T], weight: f64, v: &[T], free: &[bool]) {
    for ((q, &v), _) in q.iter_mut().zip(v).zip(free).filter(|(_, free)| **free) {
        *q += T::of(weight) * v;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// With as many pairs as free entries of a quadratic, the direction is Newton's.
    #[test]
    fn pairs_of_a_quadratic_give_its_inverse_on_the_free_entries() {
        let h = [[4.0, 1.0, 0.5], [1.0, 3.0, 0.0], [0.5, 0.0, 2.0]];
        let times = |x: &[f64]| h.map(|row: [f64; 3]| row.iter().zip(x).map(|(a, b)| a * b).sum());
        let mut memory = Memory::new(3);
        // Moves that are conjugate: there the pairs do not disturb each other.
        for (from, to) in [([0.0; 3], [1.0, 0.0, 0.0]), ([0.0; 3], [-0.25, 1.0, 0.0])] {
            let change: [f64; 3] = times(&to);
            memory.learn((&from, &to), |i| change[i]);
        }
        let free = [true, true, false];
        let wanted = [0.7, -0.3, 0.0];
        let g: [f64; 3] = times(&wanted);
        let mut q = [g[0], g[1], 0.0];
        memory.apply(&mut q, &free, 1.0);
        for (found, wanted) in q.iter().zip(wanted) {
            assert!((found - wanted).abs() < 1e-12, "{q:?}");
        }
        // A move along which f curves downwards is not learned.
        memory.learn((&[0.0; 3], &[0.0, 0.0, 1.0]), |i| [0.0, 0.0, -1.0][i]);
        assert_eq!(memory.count, 2);
        memory.clear();
        memory.apply(&mut q, &free, 0.5);
        assert!((q[0] - 0.35).abs() < 1e-12);
    }
}
