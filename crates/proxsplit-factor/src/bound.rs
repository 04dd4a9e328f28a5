//! A bound for every factorization of the rank: ½‖Y − XA‖² ≥ ½Σ_{i>K} σ_i(Y)², and no term is below its least value.
//!
//! σ_i² are the eigenvalues of YYᵀ or YᵀY, whichever is smaller. Iterative singular values would only give an estimate: they come
//! out too small, and the bound too large.

use crate::loss::Loss;
use crate::plain::Lines;
use crate::problem::Problem;
use crate::products::{Data, Lanes};
use proxsplit::Mat;
use proxsplit::Prox;
use proxsplit::internal::linalg::dense::{View, multiply, symmetric_eigenvalues};
use rayon::prelude::*;

/// The longest of the shorter sides for which the bound is computed.
const LONGEST: usize = 1024;
/// Tasks, each with a sum of its own: fixed, so that the bound does not depend on the number of threads.
const TASKS: usize = 4;
/// Numbers of a panel.
const PANEL: usize = 1 << 20;

/// The eigenvalues of YYᵀ or YᵀY.
pub(crate) struct Spectrum {
    /// In increasing order.
    values: Vec<f64>,
    /// Far above what sums and eigenvalues lose.
    margin: f64,
}

impl Spectrum {
    /// `None` if entries are missing or have weights, or if the shorter side is too long.
    pub(crate) fn of<T: Lanes>(data: &Data<'_, T>) -> Option<Self> {
        let (m, n) = (data.rows() as f64, data.cols() as f64);
        let side = data.rows().min(data.cols());
        if data.missing() > 0 || data.is_weighted() || side > LONGEST {
            return None;
        }
        let lines = Lines::of(data, Loss::Squared);
        let gram = if lines.width == side {
            across(&lines)
        } else {
            along(&lines)
        };
        let trace: f64 = (0..side).map(|i| gram.col(i)[i]).sum();
        let s = side as f64;
        Some(Self {
            values: symmetric_eigenvalues(&gram)?,
            margin: f64::EPSILON * (s + (m * n / s).sqrt()) * trace,
        })
    }

    /// The bound for a problem of these data, if its loss is squared.
    pub(crate) fn bound<T: Lanes>(&self, problem: Problem<'_, T>) -> Option<f64> {
        let (data, rank) = (problem.data, problem.rank);
        let side = self.values.len();
        if problem.loss != Loss::Squared || side <= rank {
            return None;
        }
        let terms = least(problem.atoms, data.rows())? * (rank - problem.fixed.count()) as f64
            + least(problem.codes, rank)? * data.cols() as f64;
        let tail: f64 = self.values[..side - rank].iter().sum();
        let bound = 0.5 * (tail - self.margin).max(0.0) + terms;
        (bound > 0.0 && bound.is_finite()).then_some(bound)
    }
}

/// The bound, if the loss is squared, all entries are known and count alike, and it costs no more than `passes` passes.
pub(crate) fn of<T: Lanes>(problem: Problem<'_, T>, passes: f64) -> Option<f64> {
    let (data, rank) = (problem.data, problem.rank);
    let (m, n) = (data.rows() as f64, data.cols() as f64);
    let side = data.rows().min(data.cols());
    // A product of YYᵀ and the eigenvalues, beside two products of a pass.
    let s = side as f64;
    let cost = s * m * n + 10.0 * s * s * s;
    let is_cheap = cost <= 4.0 * rank as f64 * m * n * passes;
    if !is_cheap || problem.loss != Loss::Squared || side <= rank {
        return None;
    }
    least(problem.atoms, data.rows())?;
    Spectrum::of(data)?.bound(problem)
}

/// The least value of a term.
fn least<T: Lanes>(term: &dyn Prox<T>, len: usize) -> Option<f64> {
    let least = -term.conjugate(&vec![T::ZERO; len])?;
    least.is_finite().then_some(least)
}

/// Σ yyᵀ over the lines.
fn across(lines: &Lines<'_>) -> Mat<f64> {
    let side = lines.width;
    let length = lines.count.div_ceil(TASKS);
    let shares: Vec<Mat<f64>> = (0..TASKS)
        .into_par_iter()
        .map(|task| {
            let end = lines.count.min((task + 1) * length);
            let mut sum = Mat::zeros(side, side);
            for first in (task * length..end).step_by(PANEL / side) {
                let panel = read(lines, first, end.min(first + PANEL / side));
                let panel = View::new(&panel, side, panel.len() / side);
                multiply(sum.data_mut(), panel, panel.t(), true);
            }
            sum
        })
        .collect();
    Mat::from_fn(side, side, |i, j| shares.iter().map(|g| g.col(j)[i]).sum())
}

/// ⟨yᵢ, yⱼ⟩ for all pairs of lines, panel by panel; only the lower triangle.
fn along(lines: &Lines<'_>) -> Mat<f64> {
    let (side, width) = (lines.count, lines.width);
    let step = (PANEL / width).max(1);
    let starts: Vec<usize> = (0..side).step_by(step).collect();
    let ends = |first: usize| side.min(first + step);
    let mut gram = Mat::zeros(side, side);
    for &column in &starts {
        let right = read(lines, column, ends(column));
        let right = View::new(&right, width, ends(column) - column);
        let blocks: Vec<(usize, Vec<f64>)> = starts
            .par_iter()
            .filter(|row| **row >= column)
            .map(|&row| {
                let left = read(lines, row, ends(row));
                let left = View::new(&left, width, ends(row) - row);
                let mut block = vec![0.0; (ends(row) - row) * (ends(column) - column)];
                multiply(&mut block, left.t(), right, false);
                (row, block)
            })
            .collect();
        for (row, block) in blocks {
            let rows = ends(row) - row;
            for (j, values) in block.chunks_exact(rows).enumerate() {
                gram.col_mut(column + j)[row..row + rows].copy_from_slice(values);
            }
        }
    }
    gram
}

/// Some lines, one after the other.
fn read(lines: &Lines<'_>, first: usize, end: usize) -> Vec<f64> {
    let mut panel = vec![0.0; (end - first) * lines.width];
    for (line, out) in (first..end).zip(panel.chunks_exact_mut(lines.width)) {
        lines.read(line, out);
    }
    panel
}
