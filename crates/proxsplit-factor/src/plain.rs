//! Misfit and slopes by plain sums over R = Y − XA in `f64`: shares nothing with the products of the solver.
//!
//! Solvers expand ½‖Y − XA‖² = ½‖Y‖² − ⟨Y, XA⟩ + ½‖XA‖², which is fast and loses all digits where the parts cancel. Here every
//! entry of R is formed. Only for sparse data, where R would be far larger than Y, the expansion is used in `f64`, with a
//! bound on its rounding.

pub(crate) mod counts;
mod entry;
mod lines;
mod residual;

pub(crate) use lines::Lines;
pub(crate) use residual::{for_each_entry, residual_with, worst_lines};

use crate::loss::Loss;
use crate::problem::Factors;
use crate::products::{Data, Lanes};
use lines::{entries, rows_of};
use proxsplit::data::{Matrix, Sparse};
use proxsplit::internal::linalg::vec;
use proxsplit::internal::parallel::Each;
use rayon::prelude::*;

/// What plain sums find.
pub(crate) struct Plain {
    /// ½‖Y − XA‖², or Σ w·ρ(y − z)
    pub(crate) misfit: f64,
    /// The misfit is right up to this.
    pub(crate) rounding: f64,
    /// (XA − Y)Aᵀ, transposed: K × m.
    pub(crate) slope_x: Vec<f64>,
    /// Xᵀ(XA − Y), K × T.
    pub(crate) slope_a: Vec<f64>,
}

/// Sparse data of more multiplications than this are expanded.
const TOO_MANY: f64 = 4e9;
/// Tasks, each with sums of its own: fixed, so that results do not depend on the number of threads.
const TASKS: usize = 8;

/// Sums over all observed entries; slopes only if they are asked for.
pub(crate) fn sums<T: Lanes>(
    (data, loss): (&Data<'_, T>, Loss),
    factors: &Factors<T>,
    slopes: bool,
) -> Plain {
    let lines = Lines::of(data, loss);
    let has_own_weights = data.weights().entries.is_some();
    let is_squared = loss == Loss::Squared && data.missing() == 0 && !has_own_weights;
    match data.matrix() {
        Matrix::Sparse(sparse) if is_squared && is_too_much(data, factors.rank) => {
            expanded(&lines, sparse, factors, slopes)
        }
        _ => formed(&lines, factors, slopes),
    }
}

/// Whether forming all entries of XA would take too long.
pub(crate) fn is_too_much<T: Lanes>(data: &Data<'_, T>, rank: usize) -> bool {
    data.rows() as f64 * data.cols() as f64 * rank as f64 > TOO_MANY
}

/// The sums of some lines.
struct Share {
    misfit: f64,
    /// Of the lines: K × lines.
    own: Vec<f64>,
    /// Across the lines: K rows of their width.
    across: Vec<f64>,
}

fn formed<T: Lanes>(lines: &Lines<'_>, factors: &Factors<T>, slopes: bool) -> Plain {
    let rank = factors.rank;
    let (along, of_lines) = lines.sides(factors);
    let along = rows_of(along, rank);
    let length = lines.count.div_ceil(TASKS).max(1);
    let tasks = of_lines.par_chunks(length * rank).enumerate();
    let shares = tasks.map_to_vec(&|(task, factor)| {
        share(lines, (task * length, factor), (&along, rank), slopes)
    });
    let misfit = shares.iter().map(|share| share.misfit).sum();
    let mut across = vec![0.0; if slopes { along.len() } else { 0 }];
    for share in &shares {
        vec::axpy(1.0, &share.across, &mut across);
    }
    let own: Vec<f64> = shares.into_iter().flat_map(|share| share.own).collect();
    let width = lines.width;
    let across = (0..across.len())
        .map(|at| across[at % rank * width + at / rank])
        .collect();
    let (slope_x, slope_a) = if lines.by_columns {
        (across, own)
    } else {
        (own, across)
    };
    // Sums of squares have no cancellation.
    let rounding = f64::EPSILON * (rank as f64 + 64.0) * misfit;
    Plain {
        misfit,
        rounding,
        slope_x,
        slope_a,
    }
}

/// The sums of the lines from `first` on, whose factor is `factor`.
fn share<T: Lanes>(
    lines: &Lines<'_>,
    (first, factor): (usize, &[T]),
    (along, rank): (&[f64], usize),
    slopes: bool,
) -> Share {
    let width = lines.width;
    let mut residual = vec![0.0; width];
    let mut sums = Share {
        misfit: 0.0,
        own: Vec::with_capacity(if slopes { factor.len() } else { 0 }),
        across: vec![0.0; if slopes { along.len() } else { 0 }],
    };
    for (line, column) in (first..).zip(factor.chunks_exact(rank)) {
        lines.residual(line, (along, column), &mut residual);
        sums.misfit += lines.pull(line, &mut residual);
        if slopes {
            for (k, row) in along.chunks_exact(width).enumerate() {
                sums.own.push(-vec::dot(&residual, row));
                let across = &mut sums.across[k * width..(k + 1) * width];
                vec::axpy(-column[k].f64(), &residual, across);
            }
        }
    }
    sums
}

/// ½‖Y‖² − ⟨Y, XA⟩ + ½⟨XᵀX, AAᵀ⟩ over the stored entries, in `f64`.
fn expanded<T: Lanes>(
    lines: &Lines<'_>,
    sparse: Sparse<'_>,
    factors: &Factors<T>,
    slopes: bool,
) -> Plain {
    let rank = factors.rank;
    let wide = |factor: &[T]| factor.iter().map(|v| v.f64()).collect::<Vec<_>>();
    let (x, a) = (wide(&factors.x), wide(&factors.a));
    let (along, own) = if lines.by_columns { (&x, &a) } else { (&a, &x) };
    let weight = |line: usize, at: usize| lines.loss.of_line(line) * lines.loss.along(at);
    let (mut square, mut cross) = (0.0, 0.0);
    let (mut of_along, mut of_own) = (vec![0.0; along.len()], vec![0.0; own.len()]);
    for line in 0..lines.count {
        let column = &own[line * rank..(line + 1) * rank];
        for (index, value) in entries(sparse, line) {
            let (y, other) = (
                value / lines.scale,
                &along[index * rank..(index + 1) * rank],
            );
            let pull = weight(line, index) * y;
            square += pull * y;
            cross += pull * vec::dot(column, other);
            if slopes {
                vec::axpy(
                    -pull,
                    column,
                    &mut of_along[index * rank..(index + 1) * rank],
                );
                vec::axpy(-pull, other, &mut of_own[line * rank..(line + 1) * rank]);
            }
        }
    }
    let (of_line, of_place) = (|l| lines.loss.of_line(l), |i| lines.loss.along(i));
    let (of_x, of_a): (&dyn Fn(usize) -> f64, &dyn Fn(usize) -> f64) = if lines.by_columns {
        (&of_place, &of_line)
    } else {
        (&of_line, &of_place)
    };
    let (gx, ga) = (gram(&x, rank, of_x), gram(&a, rank, of_a));
    let product = vec::dot(&gx, &ga);
    let (mut slope_x, mut slope_a) = if lines.by_columns {
        (of_along, of_own)
    } else {
        (of_own, of_along)
    };
    if slopes {
        add_product(&mut slope_x, &ga, (&x, rank), of_x);
        add_product(&mut slope_a, &gx, (&a, rank), of_a);
    }
    // Each of the three sums is a sum of at most this many rounded numbers of its own size or less.
    let count = (sparse.stored() + x.len() + a.len()) as f64;
    let size = 0.5 * square + cross.abs() + 0.5 * product.abs();
    Plain {
        misfit: (0.5 * square - cross + 0.5 * product).max(0.0),
        rounding: f64::EPSILON * count.sqrt() * size,
        slope_x,
        slope_a,
    }
}

fn gram(factor: &[f64], rank: usize, weight: impl Fn(usize) -> f64) -> Vec<f64> {
    let mut sum = vec![0.0; rank * rank];
    for (at, column) in factor.chunks_exact(rank).enumerate() {
        for (row, &value) in sum.chunks_exact_mut(rank).zip(column) {
            vec::axpy(weight(at) * value, column, row);
        }
    }
    sum
}

/// out ← out + G·F, columns times their weights
fn add_product(
    out: &mut [f64],
    gram: &[f64],
    (factor, rank): (&[f64], usize),
    weight: impl Fn(usize) -> f64,
) {
    let columns = out.chunks_exact_mut(rank).zip(factor.chunks_exact(rank));
    for (at, (out, column)) in columns.enumerate() {
        for (out, row) in out.iter_mut().zip(gram.chunks_exact(rank)) {
            *out += weight(at) * vec::dot(row, column);
        }
    }
}
