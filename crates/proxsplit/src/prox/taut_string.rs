//! argmin_x ½‖x − y‖² + λ Σ|x_{i+1} − x_i| in linear time.
//!
//! The solution is the slope of the shortest path (the taut string) through the tube of radius λ round the partial sums of y,
//! tied at both ends. P. Davies, A. Kovac, "Local extremes, runs, strings and multiresolution", 2001. Both walls of the
//! tube are kept as the convex hulls seen from the last knot of the string, as lists of segments that merge like pools of
//! adjacent violators; each segment enters and leaves once, whatever y is. Segments know their sums and not their place,
//! so no long partial sum loses digits.

use crate::{Real, scratch};

/// A stretch of a wall: how far it rises, and over how many points.
#[derive(Clone, Copy)]
struct Segment {
    rise: f64,
    length: f64,
}

impl Segment {
    #[inline(always)]
    fn slope(self) -> f64 {
        self.rise / self.length
    }

    /// Whether the slope is at least that of `other`, without a division.
    #[inline(always)]
    fn is_as_steep_as(self, other: Segment) -> bool {
        self.rise * other.length >= other.rise * self.length
    }
}

/// One wall of the tube from the last knot on: segments of increasing slope. The lower wall is kept mirrored.
///
/// Rises and lengths alternate in `segments`.
struct Wall<'a> {
    segments: &'a mut [[f64; 2]],
    first: usize,
    end: usize,
}

impl Wall<'_> {
    #[inline(always)]
    fn get(&self, k: usize) -> Segment {
        let [rise, length] = self.segments[k];
        Segment { rise, length }
    }

    #[inline(always)]
    fn set(&mut self, k: usize, segment: Segment) {
        self.segments[k] = [segment.rise, segment.length];
    }

    /// Adds a step of the wall and merges segments until the slopes increase.
    #[inline(always)]
    fn push(&mut self, rise: f64) {
        let mut new = Segment { rise, length: 1.0 };
        while self.end > self.first && self.get(self.end - 1).is_as_steep_as(new) {
            self.end -= 1;
            let last = self.get(self.end);
            new.rise += last.rise;
            new.length += last.length;
        }
        if self.end == self.first {
            (self.first, self.end) = (0, 0);
        }
        self.set(self.end, new);
        self.end += 1;
    }

    #[inline(always)]
    fn is_straight(&self) -> bool {
        self.end - self.first == 1
    }
}

/// Whether the walls, one of them mirrored, leave no straight way between their first segments.
#[inline(always)]
fn cross(a: &Wall, b: &Wall) -> bool {
    let (a, b) = (a.get(a.first), b.get(b.first));
    a.rise * b.length + b.rise * a.length < 0.0
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
        let mut straight = outer.get(outer.first);
        while cross(inner, outer) && !inner.is_straight() {
            let knot = inner.get(inner.first);
            self.append(knot.length as usize, sign * knot.slope());
            straight.rise += knot.rise;
            straight.length -= knot.length;
            outer.set(outer.first, straight);
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
    scratch::with(4 * n, |buffer: &mut [f64]| {
        let (segments, _) = buffer.as_chunks_mut::<2>();
        let (upper, lower) = segments.split_at_mut(n);
        let wall = |segments| Wall {
            segments,
            first: 0,
            end: 0,
        };
        pull(Path { x, done: 0 }, wall(upper), wall(lower), radius);
    });
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
        if cross(&upper, &lower) {
            if lower.is_straight() {
                path.bend(&mut upper, &mut lower, 1.0);
            } else {
                path.bend(&mut lower, &mut upper, -1.0);
            }
        }
    }
    let rest = path.x.len() - path.done;
    let rise: f64 = (upper.first..upper.end).map(|k| upper.get(k).rise).sum();
    path.append(rest, rise / rest as f64);
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
