//! Generated data with known structure: `swimmer`, `rand:MxN`, `planted:MxNxK[,noise,density]`, `webgraph:MxN,nnz`.

use proxsplit::data::{Dense, Elements, Indices, Matrix, Order, Sparse};
use proxsplit::{Error, error};
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64;

/// A generated matrix, which owns its numbers.
#[derive(Debug, Clone, PartialEq)]
pub struct Generated {
    rows: usize,
    cols: usize,
    storage: Storage,
}

#[derive(Debug, Clone, PartialEq)]
enum Storage {
    /// By columns.
    Dense(Vec<f64>),
    /// By rows: starts and indices of ones.
    Pattern(Vec<i64>, Vec<i32>, Vec<u8>),
}

/// The largest number of entries that is generated.
const LIMIT: usize = 1 << 32;

impl Generated {
    /// Reads a text form; `None` if it names no generated data.
    pub fn parse(text: &str, seed: u64) -> Option<Result<Self, Error>> {
        let (name, arguments) = text.split_once(':').unwrap_or((text, ""));
        let (shape, numbers) = arguments.split_once(',').unwrap_or((arguments, ""));
        let shape: Option<Vec<usize>> = shape.split('x').map(|n| n.trim().parse().ok()).collect();
        let shape = shape.unwrap_or_default();
        let numbers: Option<Vec<f64>> = match numbers {
            "" => Some(Vec::new()),
            list => list.split(',').map(|n| n.trim().parse().ok()).collect(),
        };
        let bad = |form: &str| {
            Err(Error::Incompatible(format!(
                "cannot read '{text}': the form is {form}"
            )))
        };
        let numbers = numbers.unwrap_or_else(|| vec![f64::NAN; 9]);
        Some(match (name, &shape[..], &numbers[..]) {
            ("swimmer", _, _) if arguments.is_empty() => Ok(swimmer()),
            ("swimmer", _, _) => bad("swimmer"),
            ("rand", &[m, n], []) => uniform(m, n, seed),
            ("rand", _, _) => bad("rand:ROWSxCOLUMNS"),
            ("planted", &[m, n, k], []) => planted((m, n, k), (0.0, 0.5), seed),
            ("planted", &[m, n, k], &[noise]) => planted((m, n, k), (noise, 0.5), seed),
            ("planted", &[m, n, k], &[noise, density]) => {
                planted((m, n, k), (noise, density), seed)
            }
            ("planted", _, _) => bad("planted:ROWSxCOLUMNSxRANK[,NOISE[,DENSITY]]"),
            ("webgraph", &[m, n], &[stored]) => webgraph((m, n), stored, seed),
            ("webgraph", _, _) => bad("webgraph:ROWSxCOLUMNS,ENTRIES"),
            _ => return None,
        })
    }

    /// A view.
    pub fn matrix(&self) -> Result<Matrix<'_>, Error> {
        match &self.storage {
            Storage::Dense(values) => {
                let elements = Elements::F64(values);
                Ok(Dense::new(self.rows, self.cols, Order::ColumnMajor, elements)?.into())
            }
            Storage::Pattern(starts, indices, ones) => Ok(Sparse::new(
                (self.rows, self.cols),
                Order::RowMajor,
                Indices::I64(starts),
                Indices::I32(indices),
                Elements::U8(ones),
            )?
            .into()),
        }
    }
}

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
fn uniform(m: usize, n: usize, seed: u64) -> Result<Generated, Error> {
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
fn planted(
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
            proxsplit::linalg::vec::axpy(a, x, y);
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

/// Ones at places whose rows and columns follow power laws.
fn webgraph((m, n): (usize, usize), stored: f64, seed: u64) -> Result<Generated, Error> {
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

/// A pixel next to the torso, and the four directions of the limb that begins there.
type Limb = ((i32, i32), [(i32, i32); 4]);

/// 256 pictures of 32×32: a torso and four limbs, each limb in one of four positions; 17 parts in all.
fn swimmer() -> Generated {
    const SIDE: usize = 32;
    let limbs: [Limb; 4] = [
        ((10, 14), [(-1, -1), (-1, 0), (0, -1), (1, -1)]),
        ((10, 17), [(-1, 1), (-1, 0), (0, 1), (1, 1)]),
        ((21, 14), [(1, -1), (1, 0), (0, -1), (-1, -1)]),
        ((21, 17), [(1, 1), (1, 0), (0, 1), (-1, 1)]),
    ];
    let mut values = vec![0.0; SIDE * SIDE * 256];
    for (picture, image) in values.chunks_mut(SIDE * SIDE).enumerate() {
        for row in 10..=21 {
            image[row + SIDE * 15] = 1.0;
            image[row + SIDE * 16] = 1.0;
        }
        for (limb, &((row, col), directions)) in limbs.iter().enumerate() {
            let (down, right) = directions[picture >> (2 * limb) & 3];
            for step in 1..=6 {
                image[(row + step * down) as usize + SIDE * (col + step * right) as usize] = 1.0;
            }
        }
    }
    Generated {
        rows: SIDE * SIDE,
        cols: 256,
        storage: Storage::Dense(values),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn made(text: &str) -> Generated {
        Generated::parse(text, 3).unwrap().unwrap()
    }

    #[test]
    fn shapes_and_counts_are_as_asked() {
        let graph = made("webgraph:500x700,2000");
        let matrix = graph.matrix().unwrap();
        assert_eq!(
            (matrix.rows(), matrix.cols(), matrix.stored()),
            (500, 700, 2000)
        );
        assert_eq!(made("rand:3x4").matrix().unwrap().stored(), 12);
        assert_eq!(made("planted:5x6x2,0.1"), made("planted:5x6x2,0.1,0.5"));
        assert!(Generated::parse("data.npy", 0).is_none());
        for bad in [
            "rand:3",
            "rand:0x4",
            "planted:3x3x4",
            "webgraph:9x9",
            "rand:ax3",
            "planted:3x3x1,x",
            "swimmer:2",
        ] {
            assert!(Generated::parse(bad, 0).unwrap().is_err(), "{bad}");
        }
    }

    #[test]
    fn parts_of_the_swimmer_share_no_pixel_and_all_pictures_differ() {
        let Storage::Dense(values) = swimmer().storage else {
            panic!("swimmer is dense")
        };
        let pictures: std::collections::HashSet<Vec<u8>> = values
            .chunks(1024)
            .map(|p| p.iter().map(|&v| v as u8).collect())
            .collect();
        assert_eq!(pictures.len(), 256);
        // No two parts share a pixel: 24 of the torso and 6 of each limb in every picture.
        assert!(values.chunks(1024).all(|p| p.iter().sum::<f64>() == 48.0));
    }
}
