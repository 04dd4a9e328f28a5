//! A design matrix A with rows a_i, and one walk over its rows: z_i = ⟨a_i, x⟩, then out ← out + Σ_i w_i(z_i) a_i.
//!
//! The rows are walked in chunks small enough to be in the cache when they are needed the second time. Large matrices
//! are cut in panels that run in parallel, each with a sum of its own; panels and the order of their sums depend on the
//! shape only, hence the same bits for every number of threads.

use super::by_columns::Product;
use super::{Open, Picked, Rows, kernel};
use crate::data::{Columns, Elements, Matrix, StorageOrder, dispatch};
use crate::error::{Error, require};
use crate::parallel::prelude::*;
use crate::{Real, scratch};
use std::ops::Range;
use std::sync::{Mutex, OnceLock};

/// Most rows of a chunk.
pub(super) const CHUNK: usize = 256;
/// Entries of a chunk that the cache holds.
pub(super) const CACHED: usize = 1 << 15;
/// Fewest entries that are worth a task.
const TASK: usize = 1 << 15;
/// So many dense columns keep all threads busy.
const MANY: usize = 64;
/// Most panels.
const PANELS: usize = 32;

/// What becomes of some rows and their z_i: each is replaced by its w_i, and Σ v_i and Σ w_i are added to the totals. Called for a
/// chunk, so that only the loop within is compiled anew for every loss.
pub(super) type Visit<'a> = dyn Fn(Picked<'_>, &mut [f64], &mut (f64, f64)) + Sync + 'a;

/// The same rows in double precision and in the scalar of x.
type ForBothScalars<'a, T> = (Box<dyn Rows<f64> + 'a>, Box<dyn Rows<T> + 'a>);

/// A nonempty finite matrix, opened by rows.
pub(crate) struct Design<'a, T: Real> {
    rows: usize,
    cols: usize,
    pub(super) chunk: usize,
    /// Whether columns stand one after the other in memory.
    pub(super) by_column: bool,
    is_sparse: bool,
    matrix: Matrix<'a>,
    pub(super) elements: Elements<'a>,
    pub(super) squares: OnceLock<f64>,
    source: OnceLock<Box<dyn Rows<T> + 'a>>,
    /// The columns of a matrix that stands by columns, for both scalars of a sum.
    pub(super) columns: Option<ForBothScalars<'a, T>>,
    /// The last product of compressed columns.
    pub(super) latest: Mutex<Product<T>>,
}

impl<'a, T: Real> Design<'a, T> {
    /// A matrix whose numbers are all finite.
    pub(crate) fn new(matrix: Matrix<'a>) -> Result<Self, Error> {
        let design = Self::unseen(matrix)?;
        design.check_finite()?;
        Ok(design)
    }

    /// A matrix that nobody has looked at.
    pub(crate) fn unseen(matrix: Matrix<'a>) -> Result<Self, Error> {
        let (rows, cols) = (matrix.rows(), matrix.cols());
        require("rows", rows as f64, rows > 0, "at least 1")?;
        require("columns", cols as f64, cols > 0, "at least 1")?;
        let elements = match matrix {
            Matrix::Dense(dense) => dense.elements(),
            Matrix::Sparse(sparse) => sparse.elements(),
        };
        let by_column =
            matches!(matrix, Matrix::Dense(a) if a.order() == StorageOrder::ColumnMajor);
        let is_compressed =
            matches!(matrix, Matrix::Sparse(a) if a.order() == StorageOrder::ColumnMajor);
        let row_entries = (matrix.stored() / rows).max(1);
        let chunk = if by_column {
            CHUNK
        } else {
            (CACHED / row_entries).clamp(4, CHUNK)
        };
        Ok(Self {
            rows,
            cols,
            chunk,
            by_column,
            is_sparse: matches!(matrix, Matrix::Sparse(_)),
            matrix,
            elements,
            squares: OnceLock::new(),
            source: OnceLock::new(),
            columns: (is_compressed || by_column && cols >= MANY)
                .then(|| (f64::open(matrix.t()), T::open(matrix.t()))),
            latest: Mutex::default(),
        })
    }

    /// An error that names the first number that is not finite.
    pub(crate) fn check_finite(&self) -> Result<(), Error> {
        let can_fail = matches!(self.elements, Elements::F32(_) | Elements::F64(_));
        // Squares have a finite sum only if all numbers are finite, so that one look serves both; large ones need another.
        if !can_fail || self.sum_of_squares().is_finite() {
            return Ok(());
        }
        match self.matrix {
            Matrix::Dense(dense) => dense.check_finite(),
            Matrix::Sparse(sparse) => sparse.check_finite(),
        }
    }

    /// The rows, copied if they stand by compressed columns.
    pub(super) fn source(&self) -> &dyn Rows<T> {
        &**self.source.get_or_init(|| T::open(self.matrix))
    }

    pub(crate) fn rows(&self) -> usize {
        self.rows
    }

    pub(crate) fn cols(&self) -> usize {
        self.cols
    }

    pub(crate) fn is_sparse(&self) -> bool {
        self.is_sparse
    }

    /// Whether threads do not pay.
    pub(super) fn is_small(&self) -> bool {
        self.elements.len() < 2 * TASK
    }

    /// Every row.
    pub(crate) fn all(&self) -> Picked<'static> {
        Picked::Stretch {
            start: 0,
            len: self.rows,
        }
    }

    /// out_i ← ⟨a_i, x⟩ for all rows.
    pub(crate) fn apply(&self, x: &[T], out: &mut [T]) {
        let chunk_of = |(k, out): (usize, &mut [T])| {
            let mut z = [0.0; CHUNK];
            let z = &mut z[..out.len()];
            let rows = self.all().part(k * self.chunk, self.chunk);
            self.source().dots(rows, x, z);
            for (out, &z) in out.iter_mut().zip(&*z) {
                *out = T::of(z);
            }
        };
        if self.is_small() {
            out.chunks_mut(self.chunk).enumerate().for_each(chunk_of);
        } else {
            out.par_chunks_mut(self.chunk).enumerate().each(&chunk_of);
        }
    }

    /// z_k ← ⟨a_i, x⟩ for the k-th of these rows, on one thread.
    pub(crate) fn dots(&self, rows: Picked<'_>, x: &[T], z: &mut [f64]) {
        self.source().dots(rows, x, z);
    }

    /// out ← out + Σ_k w_k a_i over these rows, on one thread.
    pub(crate) fn add(&self, rows: Picked<'_>, w: &[f64], out: &mut [T]) {
        self.source().add(rows, w, out);
    }

    /// grad ← grad + Σ_i w_i a_i over the rows, where (v_i, w_i) = `visit(i, ⟨a_i, x⟩)`; returns Σ_i v_i and Σ_i w_i. Without a
    /// `grad` only these are summed, to the same bits.
    pub(crate) fn sweep<V>(
        &self,
        rows: Picked<'_>,
        x: &[T],
        grad: Option<&mut [T]>,
        visit: V,
    ) -> (f64, f64)
    where
        V: Fn(usize, f64) -> (f64, f64) + Sync,
    {
        self.sweep_chunks(rows, x, grad, &|part, z, totals| {
            for (z, i) in z.iter_mut().zip(part.iter()) {
                let (value, weight) = visit(i, *z);
                totals.0 += value;
                totals.1 += weight;
                *z = weight;
            }
        })
    }

    fn sweep_chunks(
        &self,
        rows: Picked<'_>,
        x: &[T],
        grad: Option<&mut [T]>,
        visit: &Visit<'_>,
    ) -> (f64, f64) {
        if let Some((columns, _)) = &self.columns
            && matches!(rows, Picked::Stretch { start: 0, len } if len == self.rows)
            && x.iter().filter(|x| **x != T::ZERO).count() <= self.cols / 4
        {
            return self.by_columns(&**columns, x, grad, visit);
        }
        let panel = self.panel(rows);
        match grad {
            None => self.values(rows, x, panel, visit),
            // So few entries that a sum on the side would cost more than they do.
            Some(grad) if self.source().stored(rows) <= 2 * self.cols => {
                self.walk(rows, x, visit, &mut |part, w| {
                    self.source().add(part, w, grad);
                })
            }
            Some(grad) => self.panels(rows, (x, grad), panel, visit),
        }
    }

    /// How many of these rows a panel has.
    pub(super) fn panel(&self, rows: Picked<'_>) -> usize {
        let stored = self.source().stored(rows);
        let panels = (stored / (8 * self.cols))
            .min(stored / TASK)
            .clamp(1, PANELS);
        let panel = rows.len().div_ceil(panels).max(1);
        if self.by_column {
            // Shorter runs of every column would not be read at memory speed.
            panel.next_multiple_of(self.chunk)
        } else {
            panel
        }
    }

    /// One panel: chunk by chunk the products, the visits, and what `add` does with the weights.
    fn walk(
        &self,
        rows: Picked<'_>,
        x: &[T],
        visit: &Visit<'_>,
        add: &mut dyn FnMut(Picked<'_>, &[f64]),
    ) -> (f64, f64) {
        let mut buffer = [0.0; CHUNK];
        let mut totals = (0.0, 0.0);
        for part in rows.parts(self.chunk) {
            let z = &mut buffer[..part.len()];
            self.source().dots(part, x, z);
            visit(part, z, &mut totals);
            add(part, z);
        }
        totals
    }

    fn values(&self, rows: Picked<'_>, x: &[T], panel: usize, visit: &Visit<'_>) -> (f64, f64) {
        let mut totals = [(0.0, 0.0); PANELS];
        let totals = &mut totals[..rows.len().div_ceil(panel)];
        let one = |(p, total): (usize, &mut (f64, f64))| {
            *total = self.walk(rows.part(p * panel, panel), x, visit, &mut |_, _| {});
        };
        if totals.len() == 1 {
            totals.iter_mut().enumerate().for_each(one);
        } else {
            totals.par_iter_mut().with_max_len(1).enumerate().each(&one);
        }
        sum(totals.iter().copied())
    }

    fn panels(
        &self,
        rows: Picked<'_>,
        (x, grad): (&[T], &mut [T]),
        panel: usize,
        visit: &Visit<'_>,
    ) -> (f64, f64) {
        // Each panel's sum, with its two totals in front.
        let width = self.cols + FRONT;
        let count = rows.len().div_ceil(panel);
        let one = |(p, slot): (usize, &mut [f64])| {
            let (totals, sum) = slot.split_at_mut(FRONT);
            sum.fill(0.0);
            (totals[0], totals[1]) =
                self.walk(rows.part(p * panel, panel), x, visit, &mut |part, w| {
                    self.source().add_wide(part, w, sum);
                });
        };
        scratch::with(count * width, |partial: &mut [f64]| {
            if count == 1 {
                one((0, partial));
            } else {
                partial
                    .par_chunks_mut(width)
                    .with_max_len(1)
                    .enumerate()
                    .each(&one);
            }
            merge(partial, width, grad);
            sum(partial.chunks(width).map(|slot| (slot[0], slot[1])))
        })
    }

    /// Room for some of its columns; `None` if their rows cannot be counted in 32 bits.
    pub(crate) fn columns(&self) -> Option<Columns<T>> {
        u32::try_from(self.rows).ok()?;
        Some(Columns::new(self.rows, self.is_sparse))
    }

    /// Copies some columns behind those that are there already.
    pub(crate) fn pack(&self, cols: &[usize], into: &mut Columns<T>) {
        match &self.columns {
            Some((_, columns)) if self.is_sparse => columns.pack_rows(cols, into),
            _ => self.source().pack(cols, into),
        }
    }

    /// ‖A‖²_F, which bounds ‖A‖².
    pub(crate) fn sum_of_squares(&self) -> f64 {
        *self.squares.get_or_init(|| squares_of(self.elements))
    }

    /// How many entries are stored.
    pub(crate) fn stored(&self) -> usize {
        self.elements.len()
    }

    /// Whether no entry is below 0.
    pub(crate) fn is_nonnegative(&self) -> bool {
        self.elements.first_negative().is_none()
    }

    /// ‖a_i‖² of the largest row.
    pub(crate) fn largest_row_squared(&self) -> f64 {
        let mut buffer = [0.0; CHUNK];
        let mut largest = 0.0_f64;
        for part in self.all().parts(CHUNK) {
            let norms = &mut buffer[..part.len()];
            self.source().norms_squared(part, norms);
            largest = norms.iter().fold(largest, |a, &b| a.max(b));
        }
        largest
    }

    /// The entries of a rectangle, one row after the other.
    pub(crate) fn tile(&self, rows: Range<usize>, cols: Range<usize>, out: &mut [f64]) {
        self.source().tile(rows, cols, out);
    }
}

/// Σ_k v_k², on all threads if there are many.
fn squares_of(elements: Elements<'_>) -> f64 {
    dispatch!(Elements: elements => values, {
        if values.len() <= TASK {
            return kernel::squares(values);
        }
        let parts = (0..values.len().div_ceil(TASK)).into_par_iter();
        let parts = parts.map_to_vec(&|k| {
            kernel::squares(&values[k * TASK..values.len().min((k + 1) * TASK)])
        });
        parts.iter().sum()
    })
}

/// The sums of pairs, one after the other.
pub(super) fn sum(pairs: impl Iterator<Item = (f64, f64)>) -> (f64, f64) {
    pairs.fold((0.0, 0.0), |sum, pair| (sum.0 + pair.0, sum.1 + pair.1))
}

/// Totals in front of a panel's sum.
pub(super) const FRONT: usize = 2;

/// grad_j ← grad_j + Σ_p partial_pj, panel after panel, where each panel of `width` numbers has its totals in front.
pub(super) fn merge<T: Real>(partial: &[f64], width: usize, grad: &mut [T]) {
    const BLOCK: usize = 4096;
    let block = |(k, grad): (usize, &mut [T])| {
        for (j, grad) in grad.iter_mut().enumerate() {
            let column = partial[FRONT + k * BLOCK + j..].iter().step_by(width);
            *grad += T::of(column.sum());
        }
    };
    if partial.len() < 2 * TASK {
        grad.chunks_mut(BLOCK).enumerate().for_each(block);
    } else {
        grad.par_chunks_mut(BLOCK).enumerate().each(&block);
    }
}
