//! Dense random data: uniform, or a planted factorization with noise.

use super::{Generated, Storage};
use proxsplit::{Error, error};
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64;

/// The largest number of entries that is generated.
const LIMIT: usize = 1 << 32;

fn check(m: usize, n: usize) -> Result<(), Error> {
    let count = m.saturating_mul(n);
    let fits = count > 0 && count <= LIMIT;
    error::require(
        "rows times columns",
        count as f64,
        fits,
        "between 1 and 2³²",
    )
    .map(|_| ())
}

/// Uniform entries between 0 and 1.
pub(super) fn uniform(m: usize, n: usize, seed: u64) -> Result<Generated, Error> {
    check(m, n)?;
    let mut random = Pcg64::seed_from_u64(seed);
    let values = (0..m * n).map(|_| random.random_range(0.0..1.0)).collect();
    Ok(Generated {
        rows: m,
        cols: n,
        storage: Storage::Dense(values),
    })
}

/// Y = XA + noise, with X and A uniform where a share `density` of their entries is not zero.
pub(super) fn planted(
    (m, n, k): (usize, usize, usize),
    (noise, density): (f64, f64),
    seed: u64,
) -> Result<Generated, Error> {
    check(m, n)?;
    error::require(
        "rank",
        k as f64,
        k > 0 && k <= m.min(n),
        "at least 1 and at most both sides",
    )?;
    error::nonnegative("noise", noise)?;
    error::require(
        "density",
        density,
        density > 0.0 && density <= 1.0,
        "in (0, 1]",
    )?;
    let mut random = Pcg64::seed_from_u64(seed);
    let mut sparse = |count: usize| -> Vec<f64> {
        (0..count)
            .map(|_| (random.random_range(0.0..1.0), random.random_range(0.1..1.0)))
            .map(|(keep, value)| if keep < density { value } else { 0.0 })
            .collect()
    };
    let (x, a) = (sparse(m * k), sparse(k * n));
    let mut values = vec![0.0; m * n];
    for (y, a) in values.chunks_mut(m).zip(a.chunks(k)) {
        for (x, &a) in x.chunks(m).zip(a) {
            proxsplit::internal::linalg::vec::axpy(a, x, y);
        }
        for y in y {
            *y += noise * random.random_range(-1.0..1.0);
        }
    }
    Ok(Generated {
        rows: m,
        cols: n,
        storage: Storage::Dense(values),
    })
}
