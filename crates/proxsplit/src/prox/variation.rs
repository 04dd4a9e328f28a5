//! argmin_x ½‖x − y‖² + λ Σ|x_{i+1} − x_i| in linear time.
//!
//! x is the slope of the taut string: the shortest way from (0, 0) to (n, S_n) between the walls S_k ± λ, S_k = y_1 + … + y_k
//! (P. Davies, A. Kovac, "Local extremes, runs, strings and multiresolution", 2001). It can bend upwards only round the upper
//! wall, where y rises, and downwards only round the lower one, where y falls. At most places a few neighbours settle whether
//! it does; the others go through the search for the string. That search is what takes time, since no processor can
//! foresee its branches.

mod funnel;
mod screen;

use crate::linalg::vec::scale;
use crate::linalg::vectorized::vectorized;
use crate::{Real, scratch};
use funnel::Funnel;
use screen::{BLOCK, NEAR, REACH, Screen, Verdict};

/// Sums of n entries up to here do not overflow.
const LARGE: f64 = 1e280;

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
    let largest = low.abs().max(high.abs());
    if largest > LARGE / n as f64 && largest.is_finite() {
        let unit = 2f64.powi(100);
        scale(T::of(1.0 / unit), x);
        reduce_variation(x, radius / unit);
        return scale(T::of(unit), x);
    }
    // A large mean would take digits from the sums.
    let base = 0.5 * (low + high);
    scratch::with(4 * n, |memory: &mut [f64]| {
        vectorized(
            #[inline(always)]
            || pull(Funnel::new(x, (base, radius), memory), &Screen::new(radius)),
        );
    });
}

/// A place where the string may bend: how many entries of the block lie before it, and their sum.
#[derive(Clone, Copy, Default)]
struct Place {
    before: usize,
    sum: f64,
    verdict: Verdict,
}

/// Walks along y in blocks.
#[inline(always)]
fn pull<T: Real>(mut funnel: Funnel<T>, screen: &Screen) {
    let last = funnel.len() - 1;
    let mut near = [0.0; NEAR];
    let mut places = [Place::default(); BLOCK];
    funnel.read(0, &mut near[BLOCK + REACH - 1..]);
    for start in (0..last).step_by(BLOCK) {
        near.copy_within(BLOCK.., 0);
        funnel.read(start + REACH, &mut near[2 * REACH - 1..]);
        let mut verdicts = screen.judge(&near);
        let width = BLOCK.min(last - start);
        // Beyond the ends there is nothing to judge by.
        for (k, verdict) in verdicts[..width].iter_mut().enumerate() {
            if start + k + 1 < REACH || start + k + REACH > last {
                *verdict = verdict.open();
            }
        }
        let (mut count, mut sum) = (0, 0.0);
        for (k, &verdict) in verdicts[..width].iter().enumerate() {
            sum += near[REACH - 1 + k];
            places[count] = Place {
                before: k + 1,
                sum,
                verdict,
            };
            count += usize::from(verdict.may_bend());
        }
        let mut before = Place::default();
        for &place in &places[..count] {
            funnel.advance(place.sum - before.sum, place.before - before.before);
            if place.verdict.must_bend() {
                funnel.fix(place.verdict.wall());
            } else {
                funnel.bend(place.verdict.wall());
            }
            before = place;
        }
        funnel.advance(sum - before.sum, width - before.before);
    }
    funnel.end();
}

/// The least and the largest entry, in lanes so that it vectorizes.
fn range<T: Real>(x: &[T]) -> (f64, f64) {
    let (mut low, mut high) = ([x[0]; 8], [x[0]; 8]);
    let (blocks, rest) = x.as_chunks::<8>();
    for block in blocks {
        for (lane, &x) in block.iter().enumerate() {
            low[lane] = if x < low[lane] { x } else { low[lane] };
            high[lane] = if x > high[lane] { x } else { high[lane] };
        }
    }
    for &x in rest {
        low[0] = if x < low[0] { x } else { low[0] };
        high[0] = if x > high[0] { x } else { high[0] };
    }
    let least = low.into_iter().fold(f64::INFINITY, |a, b| a.min(b.f64()));
    let most = high
        .into_iter()
        .fold(f64::NEG_INFINITY, |a, b| a.max(b.f64()));
    (least, most)
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
