//! Atoms that no sample uses, or that are zero, are drawn anew; their codes are zero, so the product does not change.

use crate::balance::sizes;
use crate::products::Lanes;
use crate::work::Work;
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64;

/// Passes after which a dead atom stays dead: by then the penalties want it so, or the rank is too large.
const LAST_PASS: u64 = 10;

/// Draws dead atoms from the stream of (seed, pass, atom); returns whether there were any.
pub(crate) fn revive<T: Lanes>(work: &mut Work<'_, T>) -> bool {
    let rank = work.problem.rank;
    // Grams tell at no cost when every atom lives.
    let lives = |gram: &[T]| gram.iter().step_by(rank + 1).all(|&g| g > T::ZERO);
    if work.memory.pass > LAST_PASS || (lives(&work.gx) && lives(&work.ga)) {
        return false;
    }
    let (x, a) = (sizes(&work.factors.x, rank), sizes(&work.factors.a, rank));
    let living: Vec<f64> = x.iter().filter(|x| !x.is_dead()).map(|x| x.sum).collect();
    let dead: Vec<usize> = (0..rank)
        .filter(|&k| x[k].is_dead() || a[k].is_dead())
        .collect();
    if dead.is_empty() {
        return false;
    }
    let rows = work.problem.data.rows();
    let size = match living.len() {
        0 => 1.0,
        n => 2.0 * living.iter().sum::<f64>() / (n * rows) as f64,
    };
    for &k in &dead {
        let key =
            work.seed ^ (work.memory.pass << 32) ^ (k as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        let mut random = Pcg64::seed_from_u64(key);
        for x in work.factors.x.iter_mut().skip(k).step_by(rank) {
            *x = T::of(size * random.random_range(0.0..1.0));
        }
        for a in work.factors.a.iter_mut().skip(k).step_by(rank) {
            *a = T::ZERO;
        }
    }
    let tiny = T::EPSILON;
    work.atoms.project(&mut work.factors.x, rank, tiny);
    work.memory.revived += dead.len() as u64;
    true
}
