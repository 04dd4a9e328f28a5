//! The positive parts of the leading singular pairs.
//!
//! Borrowed: C. Boutsidis, E. Gallopoulos, SVD based initialization: a head start for nonnegative matrix factorization, 2008;
//! the pairs by N. Halko, P. Martinsson, J. Tropp, Finding structure with randomness, 2011.

use super::columns::{MOST, leading};
use crate::problem::{Factors, Problem};
use crate::products::{Lanes, gram, times};
use proxsplit::internal::linalg::dense::{View, eigenvalues};
use proxsplit::internal::parallel::Each;
use rand::RngExt;
use rand_pcg::Pcg64;
use rayon::prelude::*;

/// Extra directions and power iterations of the randomized SVD.
pub(crate) const EXTRA: usize = 8;
pub(crate) const POWERS: usize = 2;
/// Power iterations that follow directions from few columns. Without one, such starts lead to worse minima (Visium counts: by 0.25 %).
const REFINEMENTS: usize = 1;

/// Columns or numbers that one task looks at.
const CHUNK: usize = 4096;

/// Leading left directions of Y as rows (l × m), orthonormal, and Q·Y (l × T).
fn range_of<T: Lanes>(problem: Problem<'_, T>, random: &mut Pcg64) -> (usize, Vec<T>, Vec<T>) {
    let (m, n) = (problem.data.rows(), problem.data.cols());
    // Where there are few columns, all of them are as cheap, and sparse data start as dense ones do.
    if n > MOST
        && let Some((l, q)) = leading(problem, random)
    {
        let mut b = vec![T::ZERO; l * n];
        problem.data.with_columns(&mut b, &q, 0..n);
        return iterate(problem, REFINEMENTS, (q, b));
    }
    let l = (problem.rank + EXTRA).min(m).min(n);
    let q = vec![T::ZERO; l * m];
    iterate(problem, POWERS + 1, (q, signs(l * n, random)))
}

/// Power iterations on Q·Y; what Q was before them does not matter.
fn iterate<T: Lanes>(
    problem: Problem<'_, T>,
    powers: usize,
    (mut q, mut b): (Vec<T>, Vec<T>),
) -> (usize, Vec<T>, Vec<T>) {
    let n = problem.data.cols();
    let l = b.len() / n;
    let mut room = q.clone();
    for power in 1..=powers {
        tame(&mut b);
        problem.data.with_rows(&mut q, &b, 0..n);
        // Between powers it is enough that no direction is lost.
        for _ in 0..if power < powers { 1 } else { 2 } {
            orthonormalize(&mut q, &mut room, l);
        }
        problem.data.with_columns(&mut b, &q, 0..n);
    }
    (l, q, b)
}

/// Random signs, 64 from every draw.
pub(super) fn signs<T: Lanes>(count: usize, random: &mut Pcg64) -> Vec<T> {
    let mut signs = vec![T::ONE; count];
    for some in signs.chunks_mut(64) {
        let bits: u64 = random.random();
        for (bit, sign) in some.iter_mut().enumerate() {
            if (bits >> bit) & 1 == 1 {
                *sign = -T::ONE;
            }
        }
    }
    signs
}

/// Numbers whose products over- or underflow in no precision.
const TAME: std::ops::Range<f64> = 1e-8..1e8;

/// Divides large or small numbers by a power of four near the largest, which rounds nothing, not even in square roots; by which.
fn tame<T: Lanes>(numbers: &mut [T]) -> f64 {
    let largest = numbers
        .par_chunks(CHUNK)
        .map(|some| {
            some.iter()
                .fold(0.0, |most: f64, x| most.max(x.abs().f64()))
        })
        .reduce(|| 0.0, f64::max);
    if largest == 0.0 || !largest.is_finite() || TAME.contains(&largest) {
        return 1.0;
    }
    let size = 4f64.powi((0.5 * largest.log2()).floor() as i32);
    numbers.par_chunks_mut(CHUNK).each(&|some| {
        for x in some {
            *x = T::of(x.f64() / size);
        }
    });
    size
}

/// Makes the rows of an l × n matrix orthonormal through the eigenvectors of its Gram matrix, up to the square of its condition; rows
/// without a direction of their own become zero.
pub(crate) fn orthonormalize<T: Lanes>(rows: &mut Vec<T>, room: &mut Vec<T>, l: usize) {
    tame(rows);
    let mut g = vec![T::ZERO; l * l];
    gram(&mut g, rows, l);
    let Some((values, vectors)) = eigen(&g, l) else {
        return;
    };
    let largest = values.last().copied().unwrap_or(T::ZERO);
    let floor = largest * T::of(l as f64) * T::EPSILON;
    // Rows k of V diag(1/√λ) Vᵀ would keep the order; Vᵀ alone is enough here.
    let mut map = vec![T::ZERO; l * l];
    for k in 0..l {
        let size = if values[k] > floor {
            T::ONE / values[k].sqrt()
        } else {
            T::ZERO
        };
        for j in 0..l {
            map[j * l + k] = size * vectors[k * l + j];
        }
    }
    times(room, &map, rows, l);
    std::mem::swap(rows, room);
}

/// Eigenvalues in increasing order, and eigenvectors as columns.
pub(crate) fn eigen<T: Lanes>(g: &[T], l: usize) -> Option<(Vec<T>, Vec<T>)> {
    let (mut values, mut vectors) = (vec![T::ZERO; l], vec![T::ZERO; l * l]);
    eigenvalues(View::new(g, l, l), &mut values, Some(&mut vectors)).then_some((values, vectors))
}

/// √σ times the larger of the two positive parts of every leading singular pair.
pub(super) fn positive_parts<T: Lanes>(problem: Problem<'_, T>, random: &mut Pcg64) -> Factors<T> {
    let rank = problem.rank;
    let (l, mut q, mut b) = range_of(problem, random);
    let root = tame(&mut b).sqrt();
    let mut g = vec![T::ZERO; l * l];
    gram(&mut g, &b, l);
    let mut values = vec![T::ZERO; l];
    if let Some((found, vectors)) = eigen(&g, l) {
        values = found;
        let mut map = vec![T::ZERO; l * l];
        for k in 0..l {
            for j in 0..l {
                map[j * l + k] = vectors[k * l + j];
            }
        }
        for rows in [&mut q, &mut b] {
            let mut turned = vec![T::ZERO; rows.len()];
            times(&mut turned, &map, rows, l);
            *rows = turned;
        }
    }
    let sizes = (sizes(&q, l), sizes(&b, l));
    let mut weights = vec![(0.0, 0.0); rank];
    for (k, weight) in weights.iter_mut().enumerate().take(l) {
        let row = l - 1 - k;
        let sigma = values[row].max(T::ZERO).sqrt().f64();
        let (x, a) = larger_part(sizes.0[row], sizes.1[row], sigma);
        *weight = (root * x, root * a);
    }
    let part = |rows: &[T], weight: fn(&(f64, f64)) -> f64| {
        let mut factor = vec![T::ZERO; rows.len() / l * rank];
        let columns = factor.par_chunks_exact_mut(rank);
        columns.zip(rows.par_chunks_exact(l)).each(&|(out, row)| {
            // The largest values come last.
            for ((out, row), pair) in out.iter_mut().zip(row.iter().rev()).zip(&weights) {
                *out = T::of((weight(pair) * row.f64()).max(0.0));
            }
        });
        factor
    };
    Factors {
        rank,
        x: part(&q, |weights| weights.0),
        a: part(&b, |weights| weights.1),
    }
}

/// The norms of the positive and of the negative part of every row of an l × n matrix.
pub(crate) fn sizes<T: Lanes>(rows: &[T], l: usize) -> Vec<[f64; 2]> {
    let squares = rows.par_chunks(l * CHUNK).map_to_vec(&|columns| {
        let mut squares = vec![[0.0; 2]; l];
        for column in columns.chunks_exact(l) {
            for (squares, value) in squares.iter_mut().zip(column) {
                let value = value.f64();
                squares[usize::from(value < 0.0)] += value * value;
            }
        }
        squares
    });
    let mut total = vec![[0.0; 2]; l];
    for part in squares {
        for (total, part) in total.iter_mut().zip(part) {
            total[0] += part[0];
            total[1] += part[1];
        }
    }
    total.iter().map(|two| two.map(f64::sqrt)).collect()
}

/// What the two vectors of a pair are multiplied by, given the norms of their parts: the sign tells whose positive parts are larger. The
/// second one carries the singular value.
pub(crate) fn larger_part(u: [f64; 2], v: [f64; 2], sigma: f64) -> (f64, f64) {
    let (sign, u, v) = if u[0] * v[0] >= u[1] * v[1] {
        (1.0, u[0], v[0])
    } else {
        (-1.0, u[1], v[1])
    };
    if u * v * sigma <= 0.0 {
        return (0.0, 0.0);
    }
    let root = (u * v).sqrt();
    (sign * root / u, sign * root / v)
}
