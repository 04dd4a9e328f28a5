//! Anderson extrapolation: from a few points of an iteration, the combination whose step is shortest.
//!
//! Q. Bertrand, M. Massias, Anderson acceleration of coordinate descent, 2021.

use std::array::from_fn;

/// Steps that are combined.
pub(super) const DEPTH: usize = 5;

/// The last points, one after the other.
#[derive(Default)]
pub(super) struct Anderson {
    points: Vec<f64>,
    size: usize,
    count: usize,
}

impl Anderson {
    /// Begins again with points of this length.
    pub(super) fn restart(&mut self, point: &[f64]) {
        self.size = point.len();
        self.points.resize((DEPTH + 1) * self.size, 0.0);
        self.count = 0;
        self.push(point);
    }

    pub(super) fn push(&mut self, point: &[f64]) {
        if self.count <= DEPTH {
            self.points[self.count * self.size..][..self.size].copy_from_slice(point);
            self.count += 1;
        }
    }

    fn point(&self, i: usize) -> &[f64] {
        &self.points[i * self.size..(i + 1) * self.size]
    }

    /// out ← Σ c_i y_i over the last points, with Σ c_i = 1 and ‖Σ c_i(y_i − y_{i−1})‖ least; false if there is none.
    pub(super) fn extrapolate(&self, out: &mut [f64]) -> bool {
        if self.count <= DEPTH {
            return false;
        }
        // Sums in the same order for (i, j) and (j, i): symmetric to the last bit.
        let product = |i, j| {
            let (a, b) = (self.points_of(i), self.points_of(j));
            a.zip(b)
                .map(|((a, before), (b, earlier))| (a - before) * (b - earlier))
                .sum()
        };
        let products = from_fn(|i| from_fn(|j| product(i, j)));
        let Some(shares) = shares(products) else {
            return false;
        };
        out.fill(0.0);
        for (i, share) in shares.iter().enumerate() {
            for (out, y) in out.iter_mut().zip(self.point(i + 1)) {
                *out += share * y;
            }
        }
        out.iter().all(|y| y.is_finite())
    }

    /// Pairs of a point and the one before it.
    fn points_of(&self, i: usize) -> impl Iterator<Item = (&f64, &f64)> {
        self.point(i + 1).iter().zip(self.point(i))
    }
}

/// The c with Σ c_i = 1 that is least in a matrix, by elimination on one that is a little larger.
fn shares(mut a: [[f64; DEPTH]; DEPTH]) -> Option<[f64; DEPTH]> {
    let trace: f64 = (0..DEPTH).map(|i| a[i][i]).sum();
    if !(trace > 0.0 && trace.is_finite()) {
        return None;
    }
    let mut c = [1.0; DEPTH];
    for (i, row) in a.iter_mut().enumerate() {
        row[i] += 1e-14 * trace;
    }
    for i in 0..DEPTH {
        for j in i + 1..DEPTH {
            let (pivot, factor) = (a[i], a[j][i] / a[i][i]);
            for (entry, above) in a[j].iter_mut().zip(pivot).skip(i) {
                *entry -= factor * above;
            }
            c[j] -= factor * c[i];
        }
    }
    for i in (0..DEPTH).rev() {
        let known: f64 = (i + 1..DEPTH).map(|k| a[i][k] * c[k]).sum();
        c[i] = (c[i] - known) / a[i][i];
    }
    let total: f64 = c.iter().sum();
    let shares = c.map(|c| c / total);
    shares.iter().all(|c| c.is_finite()).then_some(shares)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_linear_iteration_on_few_numbers_is_finished_at_once() {
        // y ← My + b with fixed point (1, −2, 3).
        let next = |y: [f64; 3]| {
            let d = [y[0] - 1.0, y[1] + 2.0, y[2] - 3.0];
            [
                1.0 + 0.9 * d[0] + 0.1 * d[1],
                -2.0 + 0.5 * d[1] - 0.2 * d[2],
                3.0 + 0.8 * d[2],
            ]
        };
        let (mut memory, mut y, mut out) = (Anderson::default(), [0.0; 3], [0.0; 3]);
        memory.restart(&y);
        for _ in 0..DEPTH {
            assert!(!memory.extrapolate(&mut out));
            y = next(y);
            memory.push(&y);
        }
        assert!(memory.extrapolate(&mut out));
        for (out, fixed) in out.iter().zip([1.0, -2.0, 3.0]) {
            assert!((out - fixed).abs() < 1e-5, "{out} is not {fixed}");
        }
    }
}
