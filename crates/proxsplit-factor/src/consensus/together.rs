//! Which samples stay together: the consensus matrix of several runs.
//!
//! Borrowed: J. Brunet, P. Tamayo, T. Golub, J. Mesirov, Metagenes and molecular pattern discovery using matrix factorization, 2004.
//! A run puts every sample to the atom with the largest part in it; the consensus of two samples is the share of the runs
//! that put them together.

use super::cophenetic::cophenetic;
use crate::problem::Factors;
use crate::products::Lanes;
use proxsplit::internal::linalg::vec::norm;

/// Samples that are compared at most, evenly spaced.
const MOST: usize = 300;

/// The cophenetic correlation: of 1 − consensus with the heights at which average linkage joins the samples. It is 1 if the runs
/// agree on all pairs.
pub(super) fn cophenetic_correlation<T: Lanes>(runs: &[Factors<T>]) -> f64 {
    let samples = runs[0].a.len() / runs[0].rank;
    let every = samples.div_ceil(MOST);
    let labels: Vec<Vec<usize>> = runs.iter().map(|run| labels(run, every)).collect();
    let n = labels[0].len();
    let distance = |i: usize, j: usize| {
        let apart = labels.iter().filter(|of_run| of_run[i] != of_run[j]);
        apart.count() as f64 / labels.len() as f64
    };
    let distances: Vec<f64> = (0..n * n).map(|at| distance(at / n, at % n)).collect();
    let heights = cophenetic(&distances, n);
    let pairs = (0..n).flat_map(|i| (0..i).map(move |j| i * n + j));
    correlation(pairs.map(|at| (distances[at], heights[at])))
}

/// The atom with the largest part in every sample.
fn labels<T: Lanes>(run: &Factors<T>, every: usize) -> Vec<usize> {
    let sizes: Vec<f64> = (0..run.rank).map(|k| norm(&run.atom(k))).collect();
    let codes = run.a.chunks_exact(run.rank).step_by(every);
    codes
        .map(|code| {
            let parts = code
                .iter()
                .zip(&sizes)
                .map(|(a, size)| a.f64().abs() * size);
            let largest = parts
                .enumerate()
                .max_by(|a, b| a.1.total_cmp(&b.1).then(b.0.cmp(&a.0)));
            largest.map_or(0, |(k, _)| k)
        })
        .collect()
}

/// Pearson's correlation; 1 where one of the two does not vary, because nothing contradicts.
fn correlation(pairs: impl Iterator<Item = (f64, f64)> + Clone) -> f64 {
    let count = pairs.clone().count() as f64;
    let (sum_x, sum_y) = pairs
        .clone()
        .fold((0.0, 0.0), |(x, y), pair| (x + pair.0, y + pair.1));
    let (mean_x, mean_y) = (sum_x / count, sum_y / count);
    let (mut xx, mut xy, mut yy) = (0.0, 0.0, 0.0);
    for (x, y) in pairs {
        let (x, y) = (x - mean_x, y - mean_y);
        (xx, xy, yy) = (xx + x * x, xy + x * y, yy + y * y);
    }
    if xx > 0.0 && yy > 0.0 {
        xy / (xx * yy).sqrt()
    } else {
        1.0
    }
}
