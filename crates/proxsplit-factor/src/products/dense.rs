//! out ← F·M for a dense M in either order and any stored type, in fixed slabs of rows or in panels of columns.
//!
//! A panel of the result belongs to one task, which adds the rows from first to last: its width, which follows the number of
//! threads, does not change a bit. The few columns of a mini-batch are no work for many threads, and in tall data every panel would
//! read a long F anew: there threads share the rows, in slabs that depend on the shape only, and the slabs' sums are added in order.

use super::kernel::{Block, accumulate, padded, unpad};
use super::lanes::Lanes;
use super::prefetch::prefetch;
use proxsplit::data::{Dense, Element, StorageOrder};
use proxsplit::internal::dispatch;
use proxsplit::internal::linalg::vec::axpy;
use proxsplit::internal::parallel::Each;
use proxsplit::internal::scratch;
use proxsplit::simd;
use pulp::{Simd, WithSimd};
use rayon::prelude::*;
use std::ops::Range;

/// Rows of a window that is cut in slabs: at least this.
const MANY: usize = 512;
/// Its columns: fewer than the first number, or no more than its rows divided by the second.
const FEW: usize = 768;
const TALL: usize = 8;
/// Rows of a slab, about, and the most slabs: each one's sums are set to 0 and added up, which takes time beside few rows.
const SLAB: usize = 512;
const SLABS: usize = 8;
/// Rows of a slab that are read at a time, which every stretch of the kernel divides.
const STRETCH: usize = 512;
/// Columns of a panel are a multiple of this, which every tile of the kernel divides.
const STEP: usize = 24;
/// Columns that one kernel call reads in place: with the kernel's rows they stay in the second-level cache.
const IN_PLACE: usize = 96;
/// Rows and columns that are copied at once, from columns and from rows: long runs of memory, and the copy stays in the cache.
const FROM_COLUMNS: (usize, usize) = (256, 192);
const FROM_ROWS: (usize, usize) = (64, 384);
/// Bytes of a line up to which the processor does not see the next one coming in time, so that it must be asked for, and how many lines
/// before it is copied.
const SHORT: usize = 512;
const AHEAD: usize = 32;
/// Bytes of row-major data that all panels read before the next ones: what one sweep keeps in memory.
const CHUNK: usize = 256 << 20;

/// A window of a dense matrix.
#[derive(Clone)]
pub(crate) struct Window<'a> {
    pub(crate) dense: Dense<'a>,
    pub(crate) rows: Range<usize>,
    pub(crate) cols: Range<usize>,
    /// Whether there are NaN, which are read as 0.
    pub(crate) has_nan: bool,
}

impl Window<'_> {
    /// These rows only, with their part of F.
    fn part<'f, T>(&self, f: &'f [T], rank: usize, rows: Range<usize>) -> (Self, &'f [T]) {
        let f = &f[(rows.start - self.rows.start) * rank..][..rows.len() * rank];
        let part = Self {
            rows,
            ..self.clone()
        };
        (part, f)
    }
}

/// out (K × cols) ← weight · F (K × rows) · M over the window.
pub(crate) fn product<T: Lanes>(out: &mut [T], f: &[T], rank: usize, m: &Window<'_>, weight: T) {
    let is_tall = m.rows.len() >= TALL * m.cols.len();
    if m.rows.len() >= MANY && (m.cols.len() < FEW || is_tall) {
        in_slabs(out, f, rank, m, weight);
    } else {
        in_chunks(out, f, rank, m, weight);
    }
}

/// Every task sums all columns over some of the rows.
fn in_slabs<T: Lanes>(out: &mut [T], f: &[T], rank: usize, m: &Window<'_>, weight: T) {
    let slabs = (m.rows.len() / SLAB).clamp(2, SLABS);
    let height = m.rows.len().div_ceil(slabs);
    let ld = padded::<T>(rank);
    let size = ld * m.cols.len();
    // Two tasks for each thread: where there are fewer slabs, their columns are shared, which does not change a bit.
    let parts = (2 * rayon::current_num_threads()).div_ceil(slabs);
    let width = m.cols.len().div_ceil(parts).next_multiple_of(STEP);
    scratch::with(slabs * size, |sums: &mut [T]| {
        let tasks = sums.par_chunks_mut(size).enumerate();
        tasks.with_max_len(1).each(&|(slab, sums)| {
            let start = (m.rows.start + slab * height).min(m.rows.end);
            let end = m.rows.end.min(start + height);
            let panels = sums.par_chunks_mut(ld * width).enumerate();
            panels.with_max_len(1).each(&|(panel, sum)| {
                sum.fill(T::ZERO);
                // All columns of some rows before the next ones: these, and their part of F, are then read from memory once.
                for first in (start..end).step_by(STRETCH) {
                    let rows = first..end.min(first + STRETCH);
                    let (part, f) = m.part(f, rank, rows);
                    panel_sum(sum, f, rank, &part, m.cols.start + panel * width);
                }
            });
        });
        let sums = &*sums;
        let panels = out.par_chunks_mut(rank * IN_PLACE).enumerate();
        panels.each(&|(panel, out)| {
            let (start, length) = (panel * IN_PLACE * ld, out.len() / rank * ld);
            scratch::with(length, |total: &mut [T]| {
                total.copy_from_slice(&sums[start..][..length]);
                for slab in 1..slabs {
                    axpy(T::ONE, &sums[slab * size + start..][..length], total);
                }
                unpad(out, total, rank, weight, false);
            });
        });
    });
}

/// Reads row-major data that are larger than a chunk in one sweep from top to bottom, other data at once.
fn in_chunks<T: Lanes>(out: &mut [T], f: &[T], rank: usize, m: &Window<'_>, weight: T) {
    let height = match m.dense.order() {
        StorageOrder::ColumnMajor => m.rows.len(),
        StorageOrder::RowMajor => (CHUNK / (8 * m.dense.cols())).max(64),
    };
    let width = panel_width(m.cols.len(), m.dense.order());
    let mut start = m.rows.start;
    while start < m.rows.end || start == m.rows.start {
        let rows = start..m.rows.end.min(start + height.max(1));
        let next = rows.end.max(start + 1);
        let (part, f) = m.part(f, rank, rows);
        let panels = out.par_chunks_mut(rank * width).enumerate();
        panels.with_max_len(1).each(&|(panel, out)| {
            scratch::with(out.len() / rank * padded::<T>(rank), |sum: &mut [T]| {
                sum.fill(T::ZERO);
                panel_sum(sum, f, rank, &part, m.cols.start + panel * width);
                unpad(out, sum, rank, weight, start > m.rows.start);
            });
        });
        start = next;
    }
}

/// Columns of a panel: as many as are copied at once, but a few panels for each thread.
fn panel_width(cols: usize, order: StorageOrder) -> usize {
    let widest = match order {
        StorageOrder::ColumnMajor => FROM_COLUMNS.1,
        StorageOrder::RowMajor => FROM_ROWS.1,
    };
    let threads = rayon::current_num_threads();
    let panels = cols
        .div_ceil(widest)
        .max(2 * threads)
        .next_multiple_of(threads);
    cols.div_ceil(panels).next_multiple_of(STEP)
}

/// sum (ld × panel) ← sum + F·M for the columns from `first`.
fn panel_sum<T: Lanes>(sum: &mut [T], f: &[T], rank: usize, m: &Window<'_>, first: usize) {
    let height = m.dense.rows();
    let ld = padded::<T>(rank);
    let whole = (T::same(m.dense.elements()), m.dense.order(), m.has_nan);
    let (Some(data), StorageOrder::ColumnMajor, false) = whole else {
        dispatch!(Elements: m.dense.elements() => data, copied(sum, f, rank, (m, first), data));
        return;
    };
    for (k, sum) in sum.chunks_mut(ld * IN_PLACE).enumerate() {
        let block = Block {
            data: &data[m.rows.start + (first + k * IN_PLACE) * height..],
            rows: m.rows.len(),
            cols: sum.len() / ld,
            row: 1,
            col: height,
        };
        accumulate(sum, f, block, rank);
    }
}

/// The same for blocks that are copied to `T` first.
fn copied<T: Lanes, E: Element>(
    sum: &mut [T],
    f: &[T],
    rank: usize,
    (m, first): (&Window<'_>, usize),
    data: &[E],
) {
    let ld = padded::<T>(rank);
    let by_columns = m.dense.order() == StorageOrder::ColumnMajor;
    let (height, width) = if by_columns { FROM_COLUMNS } else { FROM_ROWS };
    scratch::with(height * width, |buffer: &mut [T]| {
        for (k, sum) in sum.chunks_mut(ld * width).enumerate() {
            let (first, cols) = (first + k * width, sum.len() / ld);
            for start in m.rows.clone().step_by(height) {
                let rows = height.min(m.rows.end - start);
                let (run, lines, stride, origin) = if by_columns {
                    (rows, cols, m.dense.rows(), start + first * m.dense.rows())
                } else {
                    (cols, rows, m.dense.cols(), start * m.dense.cols() + first)
                };
                // Lines of the copy begin at cache lines.
                let line = padded::<T>(run);
                let buffer = &mut buffer[..line * lines];
                simd::arch().dispatch(Copied {
                    wide: (buffer, line),
                    stored: (&data[origin..], stride),
                    run,
                    has_nan: m.has_nan,
                });
                let (row, col) = if by_columns { (1, line) } else { (line, 1) };
                let block = Block {
                    data: buffer,
                    rows,
                    cols,
                    row,
                    col,
                };
                accumulate(sum, &f[(start - m.rows.start) * rank..], block, rank);
            }
        }
    });
}

/// Lines of numbers that are copied to `T`. No closure: one that is not inlined would lose the instructions of this machine.
struct Copied<'a, T, E> {
    /// Where lines go, and how far apart they start.
    wide: (&'a mut [T], usize),
    /// Where they come from, and how far apart they start there.
    stored: (&'a [E], usize),
    /// Numbers of a line.
    run: usize,
    has_nan: bool,
}

impl<T: Lanes, E: Element> WithSimd for Copied<'_, T, E> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) {
        let ((wide, line), (stored, stride)) = (self.wide, self.stored);
        for (place, wide) in wide.chunks_exact_mut(line).enumerate() {
            let wide = &mut wide[..self.run];
            if self.run * size_of::<E>() <= SHORT {
                let coming = (place + AHEAD) * stride;
                for at in (0..self.run).step_by(64 / size_of::<E>()) {
                    prefetch(stored, coming + at);
                }
            }
            for (wide, &stored) in wide.iter_mut().zip(&stored[place * stride..][..self.run]) {
                *wide = T::widen(stored);
            }
            if self.has_nan {
                zero_nan(wide);
            }
        }
    }
}

/// Infinity was refused: what is not finite is missing.
#[inline(always)]
fn zero_nan<T: Lanes>(numbers: &mut [T]) {
    for number in numbers {
        if !number.is_finite() {
            *number = T::ZERO;
        }
    }
}
