//! Nondecreasing vectors: isotonic regression.
//!
//! Pool adjacent violators (M. Ayer and others, "An empirical distribution function for sampling with incomplete
//! information", 1955): a stack of blocks with increasing means; a new entry that is below the last mean is merged with
//! it. Every entry is pushed once and merged at most once, so the time is linear.

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
        scratch::with(x.len(), |means: &mut [f64]| {
            scratch::with(x.len(), |ends: &mut [usize]| {
                let blocks = pool(x, means, ends);
                let mut start = 0;
                for (&mean, &end) in means.iter().zip(&*ends).take(blocks) {
                    x[start..end].fill(T::of(mean));
                    start = end;
                }
            });
        });
    }

    fn form(&self) -> Form {
        Form::of(Kind::Set).homogeneous().ordered()
    }
}

/// The means of the blocks, increasing, and where each ends; returns how many there are.
fn pool<T: Real>(x: &[T], means: &mut [f64], ends: &mut [usize]) -> usize {
    let mut blocks = 0;
    for (i, &x) in x.iter().enumerate() {
        let (mut mean, mut start) = (x.f64(), i);
        while blocks > 0 && means[blocks - 1] > mean {
            blocks -= 1;
            let before = if blocks > 0 { ends[blocks - 1] } else { 0 };
            let (old, new) = ((start - before) as f64, (i + 1 - start) as f64);
            mean = (old * means[blocks] + new * mean) / (old + new);
            start = before;
        }
        means[blocks] = mean;
        ends[blocks] = i + 1;
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
