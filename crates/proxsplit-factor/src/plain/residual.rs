//! What is asked of R = Y − XA itself, which is formed line by line.

use super::lines::{Lines, rows_of};
use super::{TASKS, is_too_much};
use crate::loss::Loss;
use crate::outliers::Outlier;
use crate::problem::Factors;
use crate::products::{Data, Lanes};
use proxsplit::internal::linalg::vec;
use proxsplit::internal::parallel::Each;
use rayon::prelude::*;

/// Rv, or dᵀR for a vector of features, by residuals that are formed line by line; R is 0 where entries are missing, and what the
/// others pull with their weights.
pub(crate) fn residual_with<T: Lanes>(
    (data, loss): (&Data<'_, T>, Loss),
    factors: &Factors<T>,
    vector: &[T],
    of_features: bool,
) -> Vec<f64> {
    let lines = Lines::of(data, loss);
    let rank = factors.rank;
    let (along, of_lines) = lines.sides(factors);
    let along = rows_of(along, rank);
    let is_along = of_features == lines.by_columns;
    let mut out = vec![0.0; if is_along { lines.count } else { lines.width }];
    let mut residual = vec![0.0; lines.width];
    for (line, column) in of_lines.chunks_exact(rank).enumerate() {
        lines.residual(line, (&along, column), &mut residual);
        lines.pull(line, &mut residual);
        if is_along {
            out[line] = vec::dot_with(&residual, vector);
        } else {
            vec::axpy(vector[line].f64(), &residual, &mut out);
        }
    }
    out
}

/// The lines of R = Y − XA whose positive, and whose negative entries have the largest sum of squares.
pub(crate) struct Worst {
    pub(crate) samples: [usize; 2],
    pub(crate) features: [usize; 2],
}

/// Forms R once; `None` where that would be too much work.
pub(crate) fn worst_lines<T: Lanes>(
    (data, loss): (&Data<'_, T>, Loss),
    factors: &Factors<T>,
) -> Option<Worst> {
    let rank = factors.rank;
    if is_too_much(data, rank) {
        return None;
    }
    let lines = Lines::of(data, loss);
    let (along, of_lines) = lines.sides(factors);
    let along = rows_of(along, rank);
    let length = lines.count.div_ceil(TASKS).max(1);
    let tasks = of_lines.par_chunks(length * rank).enumerate();
    let shares = tasks.map_to_vec(&|(task, factor)| {
        squares_of_parts(&lines, (task * length, factor), (&along, rank))
    });
    let mut across = [vec![0.0; lines.width], vec![0.0; lines.width]];
    let mut own = [Vec::new(), Vec::new()];
    for [positive, negative, positive_across, negative_across] in shares {
        own[0].extend(positive);
        own[1].extend(negative);
        vec::axpy(1.0, &positive_across, &mut across[0]);
        vec::axpy(1.0, &negative_across, &mut across[1]);
    }
    let (own, across) = (
        own.map(|sums| largest(&sums)),
        across.map(|sums| largest(&sums)),
    );
    let (samples, features) = if lines.by_columns {
        (own, across)
    } else {
        (across, own)
    };
    Some(Worst { samples, features })
}

fn largest(sums: &[f64]) -> usize {
    let all = sums.iter().enumerate();
    all.max_by(|a, b| a.1.total_cmp(b.1))
        .map_or(0, |(at, _)| at)
}

/// Σ of the squares of positive and of negative entries, of every line from `first` on and across these lines.
fn squares_of_parts<T: Lanes>(
    lines: &Lines<'_>,
    (first, factor): (usize, &[T]),
    (along, rank): (&[f64], usize),
) -> [Vec<f64>; 4] {
    let zeros = || vec![0.0; lines.width];
    let (mut residual, mut across) = (zeros(), [zeros(), zeros()]);
    let mut own = [Vec::new(), Vec::new()];
    for (line, column) in (first..).zip(factor.chunks_exact(rank)) {
        lines.residual(line, (along, column), &mut residual);
        lines.pull(line, &mut residual);
        let mut sums = [0.0; 2];
        for (at, &value) in residual.iter().enumerate() {
            let part = usize::from(value < 0.0);
            sums[part] += value * value;
            across[part][at] += value * value;
        }
        own[0].push(sums[0]);
        own[1].push(sums[1]);
    }
    let ([positive, negative], [positive_across, negative_across]) = (own, across);
    [positive, negative, positive_across, negative_across]
}

/// Calls `visit` with every entry that is observed and has a weight, in the order of storage.
pub(crate) fn for_each_entry<T: Lanes>(
    (data, loss): (&Data<'_, T>, Loss),
    factors: &Factors<T>,
    mut visit: impl FnMut(Outlier),
) {
    let lines = Lines::of(data, loss);
    let rank = factors.rank;
    let (along, of_lines) = lines.sides(factors);
    let along = rows_of(along, rank);
    let (mut numbers, mut fits) = (vec![0.0; lines.width], vec![0.0; lines.width]);
    for (line, column) in of_lines.chunks_exact(rank).enumerate() {
        lines.read(line, &mut numbers);
        fits.fill(0.0);
        for (row, value) in along.chunks_exact(lines.width).zip(column) {
            vec::axpy(value.f64(), row, &mut fits);
        }
        let weights = lines.loss.weights(line, lines.width);
        let counted = |at: &usize| !numbers[*at].is_nan() && weights[*at] > 0.0;
        for at in (0..lines.width).filter(counted) {
            let (row, column) = if lines.by_columns {
                (at, line)
            } else {
                (line, at)
            };
            visit(Outlier {
                row,
                column,
                value: numbers[at],
                fit: fits[at],
            });
        }
    }
}
