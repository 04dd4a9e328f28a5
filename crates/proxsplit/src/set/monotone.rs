//! Nondecreasing vectors: isotonic regression.
//!
//! Pool adjacent violators (M. Ayer and others, "An empirical distribution function for sampling with incomplete
//! information", 1955): a stack of blocks with increasing means; a new entry that is below the last mean is merged with
//! it. Every entry is pushed once and merged at most once, so the time is linear.

use crate::dual;
use crate::linalg::vec::{norm_inf, norm1};
use crate::scratch;
use crate::{Form, Kind, Prox, Real};

/// `monotone`, the x with x₁ ≤ x₂ ≤ …: entries that are out of order are replaced by the mean of their block. Convex.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Monotone;

impl<T: Real> Prox<T> for Monotone {
    fn value(&self, x: &[T]) -> f64 {
        if x.windows(2).all(|pair| pair[0] <= pair[1]) {
            0.0
        } else {
            f64::INFINITY
        }
    }

    fn prox(&self, x: &mut [T], _: T) {
        // Sums are compared by products, which must not overflow.
        let unit = if norm_inf(x) > 1e250 { 1e-50 } else { 1.0 };
        scratch::with(2 * x.len(), |memory: &mut [f64]| {
            let (sums, counts) = memory.split_at_mut(x.len());
            let blocks = pool(x, unit, sums, counts);
            let (mut start, mut last) = (0, f64::NEG_INFINITY);
            for (&sum, &count) in sums.iter().zip(&*counts).take(blocks) {
                // The products round differently: the maximum keeps the order.
                last = last.max(sum / count / unit);
                let end = start + count as usize;
                x[start..end].fill(T::of(last));
                start = end;
            }
        });
    }

    /// 0 on the polar cone: sums s_1 + … + s_k ≥ 0, that of all entries 0, up to the rounding of s.
    fn conjugate(&self, s: &[T]) -> Option<f64> {
        let slack = dual::rounding::<T>(norm1(s));
        let (mut sum, mut least) = (0.0, 0.0f64);
        for s in s {
            sum += s.f64();
            least = least.min(sum);
        }
        Some(dual::cone(least >= -slack && sum <= slack))
    }

    fn polar(&self, s: &[T]) -> Option<f64> {
        self.conjugate(s)
    }

    fn form(&self) -> Form {
        Form::of(Kind::Set).homogeneous().ordered()
    }
}

/// The sums of the blocks, whose means increase, and their lengths; returns how many there are. No division is needed to
/// compare two means.
fn pool<T: Real>(x: &[T], unit: f64, sums: &mut [f64], counts: &mut [f64]) -> usize {
    let mut blocks = 0;
    for x in x {
        let (mut sum, mut count) = (x.f64() * unit, 1.0);
        while blocks > 0 && sums[blocks - 1] * count > sum * counts[blocks - 1] {
            blocks -= 1;
            sum += sums[blocks];
            count += counts[blocks];
        }
        sums[blocks] = sum;
        counts[blocks] = count;
        blocks += 1;
    }
    blocks
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::{contract, vector};
    use proptest::prelude::*;

    #[test]
    fn keeps_the_contract() {
        contract(&Monotone, 1);
        contract(&Monotone, 7);
    }

    #[test]
    fn huge_entries_do_not_overflow() {
        let mut x = [1e308, 0.0, -1e308, 1.5e308];
        Monotone.prox(&mut x, 1.0);
        assert!(x[..3].iter().all(|x| x.abs() < 1e293), "{x:?}");
        assert!((x[3] / 1.5e308 - 1.0).abs() < 1e-15);
    }

    /// x_i = max_{j ≤ i} min_{k ≥ i} mean(y_j..y_k)
    fn by_minmax(y: &[f64]) -> Vec<f64> {
        let mean = |j: usize, k: usize| y[j..=k].iter().sum::<f64>() / (k - j + 1) as f64;
        let least = |i, j| {
            (i..y.len())
                .map(|k| mean(j, k))
                .fold(f64::INFINITY, f64::min)
        };
        (0..y.len())
            .map(|i| {
                (0..=i)
                    .map(|j| least(i, j))
                    .fold(f64::NEG_INFINITY, f64::max)
            })
            .collect()
    }

    proptest! {
        #[test]
        fn is_the_minmax_formula(y in vector(25)) {
            let mut x = y.clone();
            Monotone.prox(&mut x, 1.0);
            for (x, expected) in x.iter().zip(by_minmax(&y)) {
                prop_assert!((x - expected).abs() <= 1e-12 * (1e-3 + expected.abs()), "{} {}", x, expected);
            }
            prop_assert_eq!(Monotone.value(&x), 0.0);
        }
    }
}
