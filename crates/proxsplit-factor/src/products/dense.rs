//! out ← F·M for a dense M in either order and any stored type, in fixed panels of columns or slabs of rows.
//!
//! A panel of the result belongs to one task and is summed in fixed blocks; the few columns of a mini-batch are no work for
//! many threads, so that these share the rows, and their sums are added in order. Either way the bits do not depend on the
//! number of threads. Blocks that are not columns of `T` already, or have missing entries, are copied into a small buffer.

use super::kernel::{Block, accumulate, padded};
use super::lanes::Lanes;
use proxsplit::data::{Dense, Element, Order, dispatch};
use proxsplit::linalg::vec::axpy;
use proxsplit::scratch;
use rayon::prelude::*;
use std::ops::Range;

/// Columns of a panel: a multiple of every tile of the kernel.
const PANEL: usize = 96;
/// Slabs of a window with fewer panels than this.
const SLABS: usize = 8;
/// Rows of a block that is read in place, by columns.
const TALL: usize = 2048;
/// Rows of a block that is widened or read by rows: with its panel it fits in the second-level cache.
const SHORT: usize = 64;
/// Bytes of row-major data that all panels read before the next ones: what one sweep keeps in memory.
const CHUNK: usize = 256 << 20;

/// A window of a dense matrix, times 1/scale.
#[derive(Clone)]
pub(crate) struct Window<'a> {
    pub(crate) dense: Dense<'a>,
    pub(crate) rows: Range<usize>,
    pub(crate) cols: Range<usize>,
    /// Whether there are NaN, which are read as 0.
    pub(crate) has_nan: bool,
}

/// out (K × cols) ← weight · F (K × rows) · M over the window.
pub(crate) fn product<T: Lanes>(out: &mut [T], f: &[T], rank: usize, m: &Window<'_>, weight: T) {
    let ld = padded::<T>(rank);
    let in_parts = if m.cols.len() < SLABS * PANEL && m.rows.len() >= SLABS * SHORT {
        in_slabs
    } else {
        in_chunks
    };
    if ld == rank {
        return in_parts(out, f, (rank, ld), m, weight);
    }
    scratch::with(ld * m.rows.len(), |wide: &mut [T]| {
        for (wide, f) in wide.chunks_exact_mut(ld).zip(f.chunks_exact(rank)) {
            wide[..rank].copy_from_slice(f);
            wide[rank..].fill(T::ZERO);
        }
        in_parts(out, wide, (rank, ld), m, weight);
    });
}

/// Every task sums all columns over some of the rows.
fn in_slabs<T: Lanes>(
    out: &mut [T],
    f: &[T],
    (rank, ld): (usize, usize),
    m: &Window<'_>,
    weight: T,
) {
    let height = m.rows.len().div_ceil(SLABS);
    let size = ld * m.cols.len();
    scratch::with(SLABS * size, |sums: &mut [T]| {
        sums.par_chunks_mut(size)
            .enumerate()
            .for_each(|(slab, sum)| {
                let start = (m.rows.start + slab * height).min(m.rows.end);
                let part = Window {
                    rows: start..m.rows.end.min(start + height),
                    ..m.clone()
                };
                sum.fill(T::ZERO);
                let f = &f[(start - m.rows.start) * ld..];
                panel_sum(sum, f, ld, &part, m.cols.start);
            });
        let (total, others) = sums.split_at_mut(size);
        for sum in others.chunks_exact(size) {
            axpy(T::ONE, sum, total);
        }
        write(out, total, (rank, ld), weight, false);
    });
}

/// Reads row-major data that are larger than a chunk in one sweep from top to bottom, other data at once.
fn in_chunks<T: Lanes>(
    out: &mut [T],
    f: &[T],
    (rank, ld): (usize, usize),
    m: &Window<'_>,
    weight: T,
) {
    let height = match m.dense.order() {
        Order::ColumnMajor => m.rows.len(),
        Order::RowMajor => (CHUNK / (8 * m.dense.cols())).max(SHORT),
    };
    let mut start = m.rows.start;
    while start < m.rows.end || start == m.rows.start {
        let rows = start..m.rows.end.min(start + height.max(1));
        let f = &f[(start - m.rows.start) * ld..];
        let part = Window {
            rows: rows.clone(),
            ..m.clone()
        };
        let add = start > m.rows.start;
        out.par_chunks_mut(rank * PANEL)
            .enumerate()
            .for_each(|(panel, out)| {
                scratch::with(out.len() / rank * ld, |sum: &mut [T]| {
                    sum.fill(T::ZERO);
                    let first = m.cols.start + panel * PANEL;
                    panel_sum(sum, f, ld, &part, first);
                    write(out, sum, (rank, ld), weight, add);
                });
            });
        start = rows.end.max(start + 1);
    }
}

fn write<T: Lanes>(out: &mut [T], sum: &[T], (rank, ld): (usize, usize), weight: T, add: bool) {
    for (out, sum) in out.chunks_exact_mut(rank).zip(sum.chunks_exact(ld)) {
        for (out, &sum) in out.iter_mut().zip(sum) {
            *out = if add {
                *out + weight * sum
            } else {
                weight * sum
            };
        }
    }
}

/// sum (ld × panel) ← sum + F·M for the columns from `first`.
fn panel_sum<T: Lanes>(sum: &mut [T], f: &[T], ld: usize, m: &Window<'_>, first: usize) {
    let cols = sum.len() / ld;
    if let (Some(data), Order::ColumnMajor, false) =
        (T::same(m.dense.elements()), m.dense.order(), m.has_nan)
    {
        let height = m.dense.rows();
        for start in m.rows.clone().step_by(TALL) {
            let rows = TALL.min(m.rows.end - start);
            let block = Block {
                data: &data[start + first * height..],
                rows,
                cols,
                row: 1,
                col: height,
            };
            accumulate(sum, &f[(start - m.rows.start) * ld..], block, ld);
        }
        return;
    }
    dispatch!(Elements: m.dense.elements() => data, widened(sum, f, ld, (m, first), data));
}

/// The same for blocks that are copied to `T` first.
fn widened<T: Lanes, E: Element>(
    sum: &mut [T],
    f: &[T],
    ld: usize,
    (m, first): (&Window<'_>, usize),
    data: &[E],
) {
    let cols = sum.len() / ld;
    let by_columns = m.dense.order() == Order::ColumnMajor;
    let short = if by_columns { 4 * SHORT } else { SHORT };
    scratch::with(short * cols, |buffer: &mut [T]| {
        for start in m.rows.clone().step_by(short) {
            let rows = short.min(m.rows.end - start);
            let (run, lines, stride, origin) = if by_columns {
                (rows, cols, m.dense.rows(), start + first * m.dense.rows())
            } else {
                (cols, rows, m.dense.cols(), start * m.dense.cols() + first)
            };
            for (line, buffer) in buffer[..run * lines].chunks_exact_mut(run).enumerate() {
                for (wide, &stored) in buffer.iter_mut().zip(&data[origin + line * stride..]) {
                    *wide = T::widen(stored);
                }
                if m.has_nan {
                    zero_nan(buffer);
                }
            }
            let (row, col) = if by_columns { (1, run) } else { (run, 1) };
            let block = Block {
                data: buffer,
                rows,
                cols,
                row,
                col,
            };
            accumulate(sum, &f[(start - m.rows.start) * ld..], block, ld);
        }
    });
}

/// Infinity was refused: what is not finite is missing.
fn zero_nan<T: Lanes>(numbers: &mut [T]) {
    for number in numbers {
        if !number.is_finite() {
            *number = T::ZERO;
        }
    }
}
