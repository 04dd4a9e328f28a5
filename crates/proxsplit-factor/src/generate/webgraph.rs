//! A sparse pattern like the links of a web: few lines have most of the entries.

use super::{Generated, Storage};
use proxsplit::{Error, error};
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64;

/// Ones at places whose rows and columns follow power laws.
pub(super) fn webgraph((m, n): (usize, usize), stored: f64, seed: u64) -> Result<Generated, Error> {
    let small = m > 0 && n > 0 && m < 1 << 31 && n < 1 << 31;
    error::require(
        "rows and columns",
        m.max(n) as f64,
        small,
        "between 1 and 2³¹",
    )?;
    let fits = stored >= 1.0 && stored.fract() == 0.0 && stored <= 0.25 * m as f64 * n as f64;
    error::require(
        "entries",
        stored,
        fits,
        "a whole number, at most a quarter of rows times columns",
    )?;
    let stored = stored as usize;
    let mut random = Pcg64::seed_from_u64(seed);
    let mut places: Vec<u64> = Vec::with_capacity(stored + stored / 4);
    while places.len() < stored {
        for _ in 0..(stored - places.len()) + 16 {
            let mut draw = |count: usize| {
                let u: f64 = random.random_range(0.0..1.0);
                let rank = (u * u * u.sqrt() * count as f64) as u64;
                // Spreads the popular lines over the matrix: a map that is one to one when the count is prime to it.
                (rank * 2_147_483_647) % count as u64
            };
            let (row, col) = (draw(m), draw(n));
            places.push(row << 32 | col);
        }
        places.sort_unstable();
        places.dedup();
    }
    // Drops the surplus at random places.
    while places.len() > stored {
        let at = random.random_range(0..places.len());
        places.remove(at);
    }
    let mut starts = vec![0_i64; m + 1];
    for place in &places {
        starts[(place >> 32) as usize + 1] += 1;
    }
    for row in 0..m {
        starts[row + 1] += starts[row];
    }
    let indices = places
        .iter()
        .map(|place| (place & 0xffff_ffff) as i32)
        .collect();
    Ok(Generated {
        rows: m,
        cols: n,
        storage: Storage::Pattern(starts, indices, vec![1; stored]),
    })
}
