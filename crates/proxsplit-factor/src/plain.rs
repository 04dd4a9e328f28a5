//! Misfit and slopes by plain sums over R = Y − XA in `f64`: shares nothing with the products of the solver.
//!
//! Solvers expand ½‖Y − XA‖² = ½‖Y‖² − ⟨Y, XA⟩ + ½‖XA‖², which is fast and loses all digits where the parts cancel. Here every
//! entry of R is formed. Only for sparse data, where R would be far larger than Y, the expansion is used in `f64`, with a
//! bound on its rounding.

pub(crate) mod counts;
mod entry;

use crate::loss::Loss;
use crate::outliers::Outlier;
use crate::problem::Factors;
use crate::products::{Data, Lanes};
use crate::rank::Speckle;
use entry::EntryLoss;
use proxsplit::data::{Dense, Element, Matrix, Sparse, StorageOrder};
use proxsplit::internal::dispatch;
use proxsplit::internal::linalg::vec;
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

/// The data line by line in the order of storage.
pub(crate) struct Lines<'a> {
    matrix: Matrix<'a>,
    scale: f64,
    /// Whether entries that are not stored are missing.
    only_stored: bool,
    /// Entries that are held out are missing, too.
    held_out: Option<Speckle>,
    by_columns: bool,
    loss: EntryLoss<'a>,
    /// How many lines.
    pub(crate) count: usize,
    /// The length of a line.
    pub(crate) width: usize,
}

impl<'a> Lines<'a> {
    pub(crate) fn of<T: Lanes>(data: &Data<'a, T>, loss: Loss) -> Self {
        let matrix = data.matrix();
        let order = match matrix {
            Matrix::Dense(dense) => dense.order(),
            Matrix::Sparse(sparse) => sparse.order(),
        };
        let by_columns = order == StorageOrder::ColumnMajor;
        let (rows, cols) = (data.rows(), data.cols());
        let (count, width) = if by_columns {
            (cols, rows)
        } else {
            (rows, cols)
        };
        Self {
            matrix,
            scale: data.scale(),
            only_stored: data.misses_unstored(),
            loss: EntryLoss::new(data, loss, by_columns),
            held_out: data.speckle(),
            by_columns,
            count,
            width,
        }
    }

    /// How many there are.
    pub(crate) fn count(&self) -> usize {
        self.count
    }

    /// Whether they are columns.
    pub(crate) fn by_columns(&self) -> bool {
        self.by_columns
    }

    /// The stored numbers of a line with their places.
    pub(crate) fn numbers(&self, line: usize) -> Vec<(usize, f64)> {
        let scaled = |(index, value): (usize, f64)| (index, value / self.scale);
        match self.matrix {
            Matrix::Dense(dense) => {
                let start = line * self.width;
                let entry = |i: usize| (i, dense.elements().get(start + i));
                (0..self.width).map(entry).map(scaled).collect()
            }
            Matrix::Sparse(sparse) => entries(sparse, line).map(scaled).collect(),
        }
    }

    /// The numbers of a line; missing ones are NaN.
    pub(crate) fn read(&self, line: usize, out: &mut [f64]) {
        match self.matrix {
            Matrix::Dense(dense) => read_dense(dense, line, out),
            Matrix::Sparse(sparse) => {
                out.fill(if self.only_stored { f64::NAN } else { 0.0 });
                for (index, value) in entries(sparse, line) {
                    out[index] = value;
                }
            }
        }
        for value in &mut *out {
            *value /= self.scale;
        }
        if let Some(speckle) = self.held_out {
            for (place, value) in out.iter_mut().enumerate() {
                let (row, column) = if self.by_columns {
                    (place, line)
                } else {
                    (line, place)
                };
                if speckle.holds_out(row, column) {
                    *value = f64::NAN;
                }
            }
        }
    }
}

impl Lines<'_> {
    /// Y − XA in a line; 0 where entries are missing. `along` has the rows of the factor along the line, `column` is the line's own.
    fn residual<T: Lanes>(&self, line: usize, (along, column): (&[f64], &[T]), out: &mut [f64]) {
        self.read(line, out);
        for (row, value) in along.chunks_exact(self.width).zip(column) {
            vec::axpy(-value.f64(), row, out);
        }
        for value in out {
            *value = if value.is_nan() { 0.0 } else { *value };
        }
    }

    /// How the residuals of a line pull on XA, and what they add to the misfit.
    fn pull(&self, line: usize, residual: &mut [f64]) -> f64 {
        if self.loss.is_plain() {
            0.5 * vec::dot(residual, residual)
        } else {
            self.loss.pull(line, residual)
        }
    }

    /// The misfit of XA = 0.
    pub(crate) fn value_at_zero(&self) -> f64 {
        let value = |line: usize| {
            let mut numbers = self.numbers(line);
            for (_, value) in &mut numbers {
                *value = if value.is_nan() { 0.0 } else { *value };
            }
            self.loss.of_stored(line, &numbers)
        };
        let parts: Vec<f64> = (0..self.count).into_par_iter().map(value).collect();
        parts.iter().sum()
    }

    /// The largest weight of an entry that is not missing.
    pub(crate) fn largest_weight(&self) -> f64 {
        let largest = |line| self.loss.largest_of_stored(line, &self.numbers(line));
        let lines = (0..self.count).into_par_iter();
        lines.map(largest).reduce(|| 0.0, f64::max)
    }
}

fn read_dense(dense: Dense<'_>, line: usize, out: &mut [f64]) {
    let start = line * out.len();
    dispatch!(Elements: dense.elements() => values, {
        for (out, value) in out.iter_mut().zip(&values[start..]) {
            *out = value.f64();
        }
    });
}

fn entries(sparse: Sparse<'_>, line: usize) -> impl Iterator<Item = (usize, f64)> {
    let (starts, indices, elements) = (sparse.starts(), sparse.indices(), sparse.elements());
    (starts.get(line)..starts.get(line + 1)).map(move |at| (indices.get(at), elements.get(at)))
}

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
    let (along, of_lines) = if lines.by_columns {
        (&factors.x, &factors.a)
    } else {
        (&factors.a, &factors.x)
    };
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
    let (along, of_lines) = if lines.by_columns {
        (&factors.x, &factors.a)
    } else {
        (&factors.a, &factors.x)
    };
    let along = rows_of(along, rank);
    let length = lines.count.div_ceil(TASKS).max(1);
    let shares: Vec<[Vec<f64>; 4]> = of_lines
        .par_chunks(length * rank)
        .enumerate()
        .map(|(task, factor)| squares_of_parts(&lines, (task * length, factor), (&along, rank)))
        .collect();
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

/// The K × n factor with its rows one after the other.
fn rows_of<T: Lanes>(factor: &[T], rank: usize) -> Vec<f64> {
    let n = factor.len() / rank;
    let mut rows = vec![0.0; factor.len()];
    for (t, column) in factor.chunks_exact(rank).enumerate() {
        for (k, value) in column.iter().enumerate() {
            rows[k * n + t] = value.f64();
        }
    }
    rows
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
    let (along, of_lines) = if lines.by_columns {
        (&factors.x, &factors.a)
    } else {
        (&factors.a, &factors.x)
    };
    let along = rows_of(along, rank);
    let length = lines.count.div_ceil(TASKS).max(1);
    let shares: Vec<Share> = of_lines
        .par_chunks(length * rank)
        .enumerate()
        .map(|(task, factor)| share(lines, (task * length, factor), (&along, rank), slopes))
        .collect();
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

/// Calls `visit` with every entry that is observed and has a weight, in the order of storage.
pub(crate) fn for_each_entry<T: Lanes>(
    (data, loss): (&Data<'_, T>, Loss),
    factors: &Factors<T>,
    mut visit: impl FnMut(Outlier),
) {
    let lines = Lines::of(data, loss);
    let rank = factors.rank;
    let (along, of_lines) = if lines.by_columns {
        (&factors.x, &factors.a)
    } else {
        (&factors.a, &factors.x)
    };
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
