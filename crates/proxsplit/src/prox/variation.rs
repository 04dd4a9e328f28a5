//! argmin_x ½‖x − y‖² + λ Σ|x_{i+1} − x_i| in linear time.
//!
//! N. Johnson, "A dynamic programming algorithm for the fused lasso and L0-segmentation", 2013. Let F_i(t) be the derivative of
//! the least objective of the first i entries that ends in x_i = t. It increases, and F_{i+1}(t) = t − y_{i+1} + min(max(F_i(t),
//! −λ), λ): piecewise linear, kept as the list of its knots. A step drops the knots where F leaves [−λ, λ] and adds one
//! at each end, so each knot enters and leaves once, whatever y is. The last entry is the root of the last F, and going back
//! x_i = min(max(x_{i+1}, l_i), u_i), where F_i(l_i) = −λ and F_i(u_i) = λ.

use crate::{Real, scratch};

/// Sums of n entries up to here do not overflow.
const LARGE: f64 = 1e280;

/// A place where F bends, by how much its slope changes there, and by how much its value at t = 0 on the line.
type Knot = [f64; 3];

/// A straight piece of F, level + slope·t.
#[derive(Clone, Copy)]
struct Line {
    slope: f64,
    level: f64,
}

impl Line {
    #[inline(always)]
    fn at(self, t: f64) -> f64 {
        self.slope * t + self.level
    }

    #[inline(always)]
    fn root(self) -> f64 {
        -self.level / self.slope
    }

    #[inline(always)]
    fn bend(self, [_, slope, level]: Knot, sign: f64) -> Self {
        Self {
            slope: self.slope + sign * slope,
            level: self.level + sign * level,
        }
    }

    #[inline(always)]
    fn knot(self, t: f64, sign: f64) -> Knot {
        [t, sign * self.slope, sign * self.level]
    }
}

/// The knots of min(max(F, −λ), λ), in order.
struct Knots<'a> {
    list: &'a mut [Knot],
    first: usize,
    end: usize,
}

impl Knots<'_> {
    /// Drops the knots where the function, which starts as `line` on the left, is below 0; returns the line that crosses 0.
    #[inline(always)]
    fn enter(&mut self, mut line: Line) -> Line {
        while self.first < self.end {
            let knot = self.list[self.first];
            if line.at(knot[0]) >= 0.0 {
                break;
            }
            line = line.bend(knot, 1.0);
            self.first += 1;
        }
        line
    }

    /// The same from the right, where the function is above 0.
    #[inline(always)]
    fn leave(&mut self, mut line: Line) -> Line {
        while self.first < self.end {
            let knot = self.list[self.end - 1];
            if line.at(knot[0]) <= 0.0 {
                break;
            }
            line = line.bend(knot, -1.0);
            self.end -= 1;
        }
        line
    }

    /// Adds t − y and clips; returns (l, u). `slack` is λ for the first entry, before which nothing was clipped, and then 0:
    /// the function is told from −λ on the left and from λ on the right, so that λ does not add up.
    #[inline(always)]
    fn step(&mut self, y: f64, slack: f64) -> (f64, f64) {
        let line = |level| Line { slope: 1.0, level };
        let entering = self.enter(line(slack - y));
        let leaving = self.leave(line(-slack - y));
        let (l, u) = (entering.root(), leaving.root());
        self.first -= 1;
        self.list[self.first] = entering.knot(l, 1.0);
        self.list[self.end] = leaving.knot(u, -1.0);
        self.end += 1;
        (l, u)
    }
}

/// x ← argmin_z ½‖z − x‖² + `radius`·Σ|z_{i+1} − z_i|
pub(crate) fn reduce_variation<T: Real>(x: &mut [T], radius: f64) {
    let n = x.len();
    if n < 2 || radius == 0.0 {
        return;
    }
    let (low, high) = range(x);
    // So strong that the result is constant; the sums below would only drown in the radius.
    if radius >= n as f64 * (high - low) {
        let base = x[0].f64();
        let mean = base + x.iter().map(|x| x.f64() - base).sum::<f64>() / n as f64;
        return x.fill(T::of(mean));
    }
    let unit = if low.abs().max(high.abs()) > LARGE / n as f64 {
        1e-30
    } else {
        1.0
    };
    scratch::with(8 * n, |buffer: &mut [f64]| {
        let (knots, bounds) = buffer.split_at_mut(6 * n);
        let knots = Knots {
            list: knots.as_chunks_mut().0,
            first: n,
            end: n,
        };
        solve(x, (radius, unit), knots, bounds.as_chunks_mut().0);
    });
}

/// Forward through F, back through x. `unit` scales x where its sums would overflow.
fn solve<T: Real>(
    x: &mut [T],
    (radius, unit): (f64, f64),
    mut knots: Knots,
    bounds: &mut [[f64; 2]],
) {
    let (last, radius) = (x.len() - 1, radius * unit);
    let mut slack = radius;
    for (x, bounds) in x[..last].iter().zip(&mut *bounds) {
        let (l, u) = knots.step(x.f64() * unit, slack);
        *bounds = [l, u];
        slack = 0.0;
    }
    let line = Line {
        slope: 1.0,
        level: -radius - x[last].f64() * unit,
    };
    let mut t = knots.enter(line).root();
    x[last] = T::of(t / unit);
    for (x, &[l, u]) in x[..last].iter_mut().zip(&*bounds).rev() {
        t = if t < l { l } else { t };
        t = if t > u { u } else { t };
        *x = T::of(t / unit);
    }
}

fn range<T: Real>(x: &[T]) -> (f64, f64) {
    let (mut low, mut high) = (x[0], x[0]);
    for &x in x {
        low = if x < low { x } else { low };
        high = if x > high { x } else { high };
    }
    (low.f64(), high.f64())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// The dual by cyclic coordinate minimization: x = y − Dᵀu, |u_i| ≤ λ.
    fn by_dual(y: &[f64], radius: f64) -> Vec<f64> {
        let mut x = y.to_vec();
        let mut u = vec![0.0; y.len() - 1];
        for _ in 0..20_000 {
            let mut moved = 0.0f64;
            for i in 0..u.len() {
                let new = f64::clamp(u[i] + 0.5 * (x[i + 1] - x[i]), -radius, radius);
                let change = new - u[i];
                x[i] += change;
                x[i + 1] -= change;
                u[i] = new;
                moved = moved.max(change.abs());
            }
            if moved < 1e-15 {
                break;
            }
        }
        x
    }

    #[test]
    fn huge_entries_do_not_overflow() {
        let small = [1.0, 1.5, 1.4, -1.0, -1.2, 0.3];
        let mut huge = small.map(|y| 1e308 * y / 1.5);
        let mut x = small;
        reduce_variation(&mut x, 0.25);
        reduce_variation(&mut huge, 0.25e308 / 1.5);
        for (x, huge) in x.iter().zip(huge) {
            assert!((huge / 1e308 * 1.5 - x).abs() < 1e-14, "{huge} is not {x}");
        }
    }

    proptest! {
        #[test]
        fn equals_the_dual_solution(
            y in prop::collection::vec(prop_oneof![-3.0..3.0f64, (-3i32..4).prop_map(f64::from)], 1..12),
            log_radius in -2.0..1.5f64,
        ) {
            let radius = 10f64.powf(log_radius);
            let expected = by_dual(&y, radius);
            let mut x = y.clone();
            reduce_variation(&mut x, radius);
            for (x, e) in x.iter().zip(&expected) {
                prop_assert!((x - e).abs() < 1e-11, "{:?}, {}: {:?} is not {:?}", y, radius, x, expected);
            }
        }

        /// Optimality from the definition on long vectors: u_k = Σ_{i≤k}(y_i − x_i) stays in the tube, ends at 0, and is ±λ
        /// where x jumps.
        #[test]
        fn long_vectors_are_optimal(seed in any::<u64>(), log_radius in -2.0..3.0f64, drift in 0.0..1.0f64) {
            use rand::{RngExt, SeedableRng};
            let mut random = rand_pcg::Pcg64::seed_from_u64(seed);
            let radius = 10f64.powf(log_radius);
            let mut level = 0.0;
            let y: Vec<f64> = (0..3000).map(|_| {
                level += drift * random.random_range(-1.0..1.0);
                level + random.random_range(-1.0..1.0)
            }).collect();
            let mut x = y.clone();
            reduce_variation(&mut x, radius);
            let mut u = 0.0;
            for i in 0..x.len() {
                u += y[i] - x[i];
                prop_assert!(u.abs() <= radius + 1e-9);
                if i + 1 < x.len() && x[i + 1] != x[i] {
                    let wall = radius.copysign(x[i] - x[i + 1]);
                    prop_assert!((u - wall).abs() < 1e-9, "at {}: {} is not {}", i, u, wall);
                }
            }
            prop_assert!(u.abs() < 1e-9);
        }
    }
}
