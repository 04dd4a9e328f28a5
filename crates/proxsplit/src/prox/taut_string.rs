//! argmin_x ½‖x − y‖² + λ Σ|x_{i+1} − x_i| in linear time.
//!
//! The solution is the slope of the shortest path (the taut string) through the tube of radius λ round the partial sums of y,
//! tied at both ends. P. Davies, A. Kovac, "Local extremes, runs, strings and multiresolution", 2001. Both walls of the
//! tube are kept as the convex hulls seen from the last knot of the string, as lists of segments that merge like pools of
//! adjacent violators; each segment enters and leaves once, whatever y is. Segments know their sums and not their place,
//! so no long partial sum loses digits.

use crate::{Real, scratch};

/// One wall of the tube from the last knot on: segments of increasing slope. The lower wall is kept mirrored.
struct Wall<'a> {
    sums: &'a mut [f64],
    slopes: &'a mut [f64],
    lengths: &'a mut [usize],
    first: usize,
    end: usize,
}

impl Wall<'_> {
    /// Adds a step of the wall and merges segments until the slopes increase.
    #[inline(always)]
    fn push(&mut self, rise: f64) {
        let (mut sum, mut slope, mut length) = (rise, rise, 1);
        while self.end > self.first && self.slopes[self.end - 1] >= slope {
            self.end -= 1;
            sum += self.sums[self.end];
            length += self.lengths[self.end];
            slope = sum / length as f64;
        }
        if self.end == self.first {
            (self.first, self.end) = (0, 0);
        }
        self.sums[self.end] = sum;
        self.slopes[self.end] = slope;
        self.lengths[self.end] = length;
        self.end += 1;
    }

    #[inline(always)]
    fn slope(&self) -> f64 {
        self.slopes[self.first]
    }

    #[inline(always)]
    fn is_straight(&self) -> bool {
        self.end - self.first == 1
    }
}

/// The part of the solution that is known.
struct Path<'a, T> {
    x: &'a mut [T],
    done: usize,
}

impl<T: Real> Path<'_, T> {
    /// The string follows `inner`, the wall in its way, as long as `outer`, now straight, presses it there.
    #[inline(always)]
    fn bend(&mut self, inner: &mut Wall, outer: &mut Wall, sign: f64) {
        while inner.slope() + outer.slope() < 0.0 && !inner.is_straight() {
            let (k, o) = (inner.first, outer.first);
            self.append(inner.lengths[k], sign * inner.slopes[k]);
            outer.sums[o] += inner.sums[k];
            outer.lengths[o] -= inner.lengths[k];
            outer.slopes[o] = outer.sums[o] / outer.lengths[o] as f64;
            inner.first += 1;
        }
    }

    #[inline(always)]
    fn append(&mut self, length: usize, slope: f64) {
        self.x[self.done..self.done + length].fill(T::of(slope));
        self.done += length;
    }
}

/// x ← argmin_z ½‖z − x‖² + `radius`·Σ|z_{i+1} − z_i|
pub(crate) fn taut_string<T: Real>(x: &mut [T], radius: f64) {
    let n = x.len();
    if n < 2 || radius == 0.0 {
        return;
    }
    let (low, high) = range(x);
    // A tube so wide that the string is straight; the sums below would only drown in it.
    if radius >= n as f64 * (high - low) {
        let base = x[0].f64();
        let mean = base + x.iter().map(|x| x.f64() - base).sum::<f64>() / n as f64;
        return x.fill(T::of(mean));
    }
    scratch::with(4 * n, |floats: &mut [f64]| {
        scratch::with(2 * n, |lengths: &mut [usize]| {
            let (upper_floats, lower_floats) = floats.split_at_mut(2 * n);
            let (upper_lengths, lower_lengths) = lengths.split_at_mut(n);
            let upper = wall(upper_floats, upper_lengths);
            let lower = wall(lower_floats, lower_lengths);
            pull(Path { x, done: 0 }, upper, lower, radius);
        });
    });
}

fn wall<'a>(floats: &'a mut [f64], lengths: &'a mut [usize]) -> Wall<'a> {
    let (sums, slopes) = floats.split_at_mut(lengths.len());
    Wall {
        sums,
        slopes,
        lengths,
        first: 0,
        end: 0,
    }
}

fn pull<T: Real>(mut path: Path<'_, T>, mut upper: Wall, mut lower: Wall, radius: f64) {
    let last = path.x.len() - 1;
    for i in 0..=last {
        let y = path.x[i].f64();
        // The tube opens after the first point and closes at the last.
        let widening = if i == 0 {
            radius
        } else if i == last {
            -radius
        } else {
            0.0
        };
        upper.push(widening + y);
        lower.push(widening - y);
        if upper.slope() + lower.slope() < 0.0 {
            if lower.is_straight() {
                path.bend(&mut upper, &mut lower, 1.0);
            } else {
                path.bend(&mut lower, &mut upper, -1.0);
            }
        }
    }
    let rest = path.x.len() - path.done;
    let sum: f64 = upper.sums[upper.first..upper.end].iter().sum();
    path.append(rest, sum / rest as f64);
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

    proptest! {
        #[test]
        fn equals_the_dual_solution(
            y in prop::collection::vec(prop_oneof![-3.0..3.0f64, (-3i32..4).prop_map(f64::from)], 1..12),
            log_radius in -2.0..1.5f64,
        ) {
            let radius = 10f64.powf(log_radius);
            let expected = by_dual(&y, radius);
            let mut x = y.clone();
            taut_string(&mut x, radius);
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
            taut_string(&mut x, radius);
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
