//! Sorting many keys by their leading bits, in a few passes over memory and without comparisons.

use crate::scratch;

/// Bits that a pass looks at, so that the places it writes to stay in the cache.
const DIGIT: u32 = 11;
const PASSES: u32 = 3;

/// The leading bits that decide the order.
pub(super) const LEADING: u32 = DIGIT * PASSES;

const BUCKETS: usize = 1 << DIGIT;

/// The keys in the order of their `LEADING` bits, in one of the two buffers; `spare` is of the same length.
pub(super) fn sort<'a>(keys: &'a mut [u64], spare: &'a mut [u64]) -> &'a mut [u64] {
    scratch::with(PASSES as usize * BUCKETS, |counts: &mut [usize]| {
        counts.fill(0);
        let counts = counts.as_chunks_mut::<BUCKETS>().0;
        for &key in &*keys {
            for (pass, counts) in (0..).zip(&mut *counts) {
                counts[digit(key, pass)] += 1;
            }
        }
        let (mut from, mut to) = (keys, spare);
        for (pass, counts) in (0..).zip(counts) {
            distribute(from, to, counts, pass);
            std::mem::swap(&mut from, &mut to);
        }
        from
    })
}

#[inline(always)]
fn digit(key: u64, pass: u32) -> usize {
    (key >> (u64::BITS - LEADING + DIGIT * pass)) as usize % BUCKETS
}

/// One pass, given how many keys each bucket gets.
fn distribute(from: &[u64], to: &mut [u64], counts: &mut [usize; BUCKETS], pass: u32) {
    // Where the next key of each bucket goes.
    let mut next = 0;
    for count in &mut *counts {
        next += std::mem::replace(count, next);
    }
    for &key in from {
        let place = &mut counts[digit(key, pass)];
        to[*place] = key;
        *place += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn leading_bits_are_sorted_and_no_key_is_lost() {
        let mut keys: Vec<u64> = (0..5000u64)
            .map(|i| i.wrapping_mul(0x9e37_79b9_7f4a_7c15))
            .chain([0, u64::MAX, u64::MAX, 1 << 63])
            .collect();
        let mut expected = keys.clone();
        expected.sort_by_key(|key| key >> (64 - LEADING));
        let mut spare = vec![0; keys.len()];
        assert_eq!(sort(&mut keys, &mut spare), expected);
    }
}
