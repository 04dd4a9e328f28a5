//! The sorted ℓ1 norm Σ_i w_i|x|_(i), |x|_(1) ≥ |x|_(2) ≥ …, w_1 ≥ w_2 ≥ … ≥ 0: value and prox for any rule of weights.
//!
//! M. Bogdan, E. van den Berg, C. Sabatti, W. Su, E. Candès, "SLOPE: adaptive variable selection via convex optimization",
//! 2015: sort, subtract the weights, pool adjacent violators, cut at zero, undo the sorting.

use super::radix;
use crate::{Real, scratch};

/// Σ_k weight(k)·|x|_(k), k = 0, 1, …
pub(crate) fn value<T: Real>(x: &[T], weight: impl Fn(usize) -> f64) -> f64 {
    scratch::with(x.len(), |keys: &mut [u64]| {
        for (key, x) in keys.iter_mut().zip(x) {
            *key = bits(*x);
        }
        keys.sort_unstable();
        let sorted = keys.iter().rev().map(|&key| f64::from_bits(key));
        sorted.enumerate().map(|(k, size)| weight(k) * size).sum()
    })
}

/// The dual norm, max_k (|s|_(0) + … + |s|_(k))/(weight(0) + … + weight(k)).
pub(crate) fn polar<T: Real>(s: &[T], weight: impl Fn(usize) -> f64) -> f64 {
    scratch::with(s.len(), |keys: &mut [u64]| {
        for (key, s) in keys.iter_mut().zip(s) {
            *key = bits(*s);
        }
        keys.sort_unstable();
        let (mut sizes, mut weights, mut largest) = (0.0, 0.0, 0.0f64);
        for (k, &key) in keys.iter().rev().enumerate() {
            sizes += f64::from_bits(key);
            weights += weight(k);
            largest = largest.max(crate::dual::ratio(sizes, weights));
        }
        largest
    })
}

/// x ← prox, where `weight(k)` is the nonincreasing weight of the entry of rank k, the step included.
pub(crate) fn prox<T: Real>(x: &mut [T], weight: impl Fn(usize) -> f64) {
    let Some(last) = x.len().checked_sub(1) else {
        return;
    };
    scratch::with(2 * x.len(), |keys: &mut [u64]| {
        // Entries below the least weight go to zero wherever they stand in the order: they need no sorting.
        let index_bits = usize::BITS - last.leading_zeros();
        let (keys, spare) = keys.split_at_mut(x.len());
        let count = select(x, keys, weight(last), index_bits);
        let keys = sort(x, &mut keys[..count], &mut spare[..count], index_bits);
        pool(x, keys, low_bits(index_bits), weight);
    });
}

/// The order of nonnegative numbers is the order of their bits.
#[inline(always)]
fn bits<T: Real>(x: T) -> u64 {
    x.abs().f64().to_bits()
}

fn low_bits(count: u32) -> u64 {
    (1 << count) - 1
}

/// Zeroes the entries with |x_i| ≤ `least` and gives the others a key: the leading bits of |x_i|, then i.
fn select<T: Real>(x: &mut [T], keys: &mut [u64], least: f64, index_bits: u32) -> usize {
    let mut count = 0;
    for (i, x) in x.iter_mut().enumerate() {
        let keep = x.abs().f64() > least;
        keys[count] = (bits(*x) << 1) & !low_bits(index_bits) | i as u64;
        count += usize::from(keep);
        *x = if keep { *x } else { T::ZERO };
    }
    count
}

/// Below so many keys, comparing them is faster.
const MANY: usize = 4096;

/// The keys in the order of |x_i|. The bits that were not sorted by matter only among keys that are equal in the others.
fn sort<'a, T: Real>(
    x: &[T],
    keys: &'a mut [u64],
    spare: &'a mut [u64],
    index_bits: u32,
) -> &'a mut [u64] {
    let (keys, ignored) = if keys.len() < MANY {
        keys.sort_unstable();
        (keys, index_bits)
    } else {
        (
            radix::sort(keys, spare),
            index_bits.max(u64::BITS - radix::LEADING),
        )
    };
    let size = |key: u64| bits(x[(key & low_bits(index_bits)) as usize]);
    for equal in keys.chunk_by_mut(|a, b| a >> ignored == b >> ignored) {
        if equal.len() > 1 {
            equal.sort_unstable_by_key(|&key| size(key));
        }
    }
    keys
}

/// Pools adjacent violators of |x|_(k) − weight(k), from the largest down, and writes the means back.
fn pool<T: Real>(x: &mut [T], keys: &[u64], index: u64, weight: impl Fn(usize) -> f64) {
    let count = keys.len();
    let place = |k: usize| (keys[count - 1 - k] & index) as usize;
    scratch::with(2 * count, |floats: &mut [f64]| {
        scratch::with(count, |ends: &mut [usize]| {
            let (sums, means) = floats.split_at_mut(count);
            let mut pools = 0;
            for k in 0..count {
                let mut sum = x[place(k)].abs().f64() - weight(k);
                let mut mean = sum;
                while pools > 0 && means[pools - 1] < mean {
                    pools -= 1;
                    sum += sums[pools];
                    let start = if pools > 0 { ends[pools - 1] } else { 0 };
                    mean = sum / (k + 1 - start) as f64;
                }
                (sums[pools], means[pools], ends[pools]) = (sum, mean, k + 1);
                pools += 1;
            }
            let mut start = 0;
            for (&mean, &end) in means.iter().zip(ends.iter()).take(pools) {
                let size = T::of(mean.max(0.0));
                for k in start..end {
                    let x = &mut x[place(k)];
                    *x = if *x < T::ZERO { -size } else { size };
                }
                start = end;
            }
        });
    });
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// The smallest of the largest means, from the definition of isotonic regression; O(n³).
    fn naive(y: &[f64], weights: &[f64]) -> Vec<f64> {
        let mut order: Vec<usize> = (0..y.len()).collect();
        order.sort_by(|&a, &b| y[b].abs().total_cmp(&y[a].abs()));
        let d: Vec<f64> = order
            .iter()
            .zip(weights)
            .map(|(&i, w)| y[i].abs() - w)
            .collect();
        let mean = |a: usize, b: usize| d[a..b].iter().sum::<f64>() / (b - a) as f64;
        let mut x = vec![0.0; y.len()];
        for (k, &i) in order.iter().enumerate() {
            let largest = |a: usize| {
                (k + 1..=d.len())
                    .map(|b| mean(a, b))
                    .fold(f64::MIN, f64::max)
            };
            let fitted = (0..=k).map(largest).fold(f64::MAX, f64::min);
            x[i] = fitted.max(0.0).copysign(y[i]);
        }
        x
    }

    proptest! {
        #[test]
        fn equals_the_naive_one(y in crate::check::vector(9), mut w in prop::collection::vec(0.0..2.0f64, 9)) {
            w.sort_by(|a, b| b.total_cmp(a));
            let mut x = y.clone();
            prox(&mut x, |k| w[k]);
            let size = y.iter().fold(1.0f64, |size, y| size.max(y.abs()));
            for (x, e) in x.iter().zip(naive(&y, &w)) {
                prop_assert!((x - e).abs() <= 1e-14 * size, "{} is not {}", x, e);
            }
        }

        /// Entries that differ only in the bits which the keys leave out are still sorted.
        #[test]
        fn close_entries_are_sorted(offsets in prop::collection::vec(0u64..200, 300), copies in 1usize..20) {
            let offsets = offsets.repeat(copies);
            let y: Vec<f64> = offsets.iter().map(|&o| f64::from_bits(1f64.to_bits() + o)).collect();
            let mut x = y.clone();
            prox(&mut x, |_| 0.0);
            prop_assert_eq!(x, y);
        }
    }
}
