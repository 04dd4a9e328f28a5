//! Products with a sparse matrix, gathered line by line: out_l ← Σ_i M_il · f_i over the entries of line l.
//!
//! Both products of a pass gather, each from the order whose lines are its columns of the result; the order that is not
//! stored is built once at set-up. On a web graph this is several times faster than scattering, and it needs no locks:
//! every column of the result belongs to one task, so the bits do not depend on the number of threads.

use super::lanes::{Lanes, Number};
use proxsplit::data::{Element, Elements, Index, Indices, Order, Sparse, dispatch};
use pulp::Arch;
use rayon::prelude::*;
use std::ops::Range;

/// Entries that one task gathers, about.
const PANEL: usize = 1 << 14;

/// A sparse matrix by lines.
#[derive(Debug)]
pub(crate) struct Lines<'a, T> {
    starts: Vec<usize>,
    entries: Entries<'a, T>,
}

#[derive(Debug)]
enum Entries<'a, T> {
    Stored(Indices<'a>, Elements<'a>),
    Built(Vec<u32>, Vec<T>),
    /// All values are 1, and none is read.
    StoredOnes(Indices<'a>, Vec<One>),
    BuiltOnes(Vec<u32>, Vec<One>),
}

/// A value that takes no room.
#[derive(Debug, Clone, Copy)]
struct One;

impl<T: Lanes> Number<T> for One {
    #[inline(always)]
    fn number(self) -> T {
        T::ONE
    }
}

impl<'a, T: Lanes> Lines<'a, T> {
    /// The matrix by columns and by rows: one as it is stored, one built.
    pub(crate) fn both(sparse: Sparse<'a>) -> [Self; 2] {
        let starts: Vec<usize> =
            dispatch!(Indices: sparse.starts() => starts, starts.iter().map(|s| s.at()).collect());
        let indices = sparse.indices();
        let is_pattern =
            dispatch!(Elements: sparse.elements() => values, values.iter().all(|v| v.f64() == 1.0));
        let width = match sparse.order() {
            Order::ColumnMajor => sparse.rows(),
            Order::RowMajor => sparse.cols(),
        };
        let ones = || vec![One; indices.len()];
        let flipped = dispatch!(Indices: indices => indices, if is_pattern {
            let (starts, indices, ones) = flip(&starts, indices, &ones(), width, |one| one);
            Self { starts, entries: Entries::BuiltOnes(indices, ones) }
        } else {
            let (starts, indices, values) = dispatch!(Elements: sparse.elements() => values,
                flip(&starts, indices, values, width, T::widen));
            Self { starts, entries: Entries::Built(indices, values) }
        });
        let entries = if is_pattern {
            Entries::StoredOnes(indices, ones())
        } else {
            Entries::Stored(indices, sparse.elements())
        };
        let stored = Self { starts, entries };
        match sparse.order() {
            Order::ColumnMajor => [stored, flipped],
            Order::RowMajor => [flipped, stored],
        }
    }

    /// out (K × lines) ← weight · Σ_i M_il f_i for the lines of `range`.
    pub(crate) fn gather(&self, out: &mut [T], f: &[T], range: Range<usize>, weight: T) {
        match &self.entries {
            Entries::Stored(indices, elements) => dispatch!(Indices: *indices => indices,
                dispatch!(Elements: *elements => elements, self.panels(out, f, range, weight, (indices, elements)))),
            Entries::StoredOnes(indices, ones) => {
                dispatch!(Indices: *indices => indices, self.panels(out, f, range, weight, (indices, ones)));
            }
            Entries::Built(indices, values) => {
                self.panels(out, f, range, weight, (indices, values));
            }
            Entries::BuiltOnes(indices, ones) => {
                self.panels(out, f, range, weight, (indices, ones));
            }
        }
    }

    fn panels<I: Place, E: Number<T>>(
        &self,
        out: &mut [T],
        f: &[T],
        range: Range<usize>,
        weight: T,
        (indices, elements): (&[I], &[E]),
    ) {
        if range.is_empty() {
            return;
        }
        let rank = out.len() / range.len();
        let mut tasks = Vec::new();
        let (mut rest, mut first) = (out, range.start);
        while first < range.end {
            let full = self.starts[first] + PANEL;
            let more = self.starts[first + 1..=range.end].partition_point(|&s| s <= full);
            let lines = first..first + more.clamp(1, 4096);
            let (panel, others) = rest.split_at_mut(lines.len() * rank);
            tasks.push((lines.clone(), panel));
            (rest, first) = (others, lines.end);
        }
        tasks.into_par_iter().for_each(|(lines, out)| {
            Arch::new().dispatch(|| {
                for (line, out) in lines.zip(out.chunks_exact_mut(rank)) {
                    let entries = self.starts[line]..self.starts[line + 1];
                    let entries = (&indices[entries.clone()], &elements[entries]);
                    gather_line(out, f, weight, entries);
                }
            });
        });
    }

    /// out (K × width) ← out + weight · Σ_l f_l M_l for the lines of `range`; on the calling thread.
    pub(crate) fn scatter(&self, out: &mut [T], f: &[T], range: Range<usize>, weight: T) {
        match &self.entries {
            Entries::Stored(indices, elements) => dispatch!(Indices: *indices => indices,
                dispatch!(Elements: *elements => elements, self.scatter_lines(out, f, range, weight, (indices, elements)))),
            Entries::StoredOnes(indices, ones) => {
                dispatch!(Indices: *indices => indices, self.scatter_lines(out, f, range, weight, (indices, ones)));
            }
            Entries::Built(indices, values) => {
                self.scatter_lines(out, f, range, weight, (indices, values));
            }
            Entries::BuiltOnes(indices, ones) => {
                self.scatter_lines(out, f, range, weight, (indices, ones));
            }
        }
    }

    fn scatter_lines<I: Place, E: Number<T>>(
        &self,
        out: &mut [T],
        f: &[T],
        range: Range<usize>,
        weight: T,
        (indices, elements): (&[I], &[E]),
    ) {
        let rank = f.len() / range.len().max(1);
        for (line, f) in range.zip(f.chunks_exact(rank)) {
            for at in self.starts[line]..self.starts[line + 1] {
                let value = weight * elements[at].number();
                let out = &mut out[indices[at].place() * rank..][..rank];
                for (out, &f) in out.iter_mut().zip(f) {
                    *out += value * f;
                }
            }
        }
    }
}

#[inline(always)]
fn gather_line<T: Lanes, I: Place, E: Number<T>>(
    out: &mut [T],
    f: &[T],
    weight: T,
    entries: (&[I], &[E]),
) {
    let rank = out.len();
    let mut at = 0;
    while at < rank {
        at += match rank - at {
            16.. => gather_some::<T, I, E, 16>(out, f, weight, entries, at),
            12.. => gather_some::<T, I, E, 12>(out, f, weight, entries, at),
            8.. => gather_some::<T, I, E, 8>(out, f, weight, entries, at),
            4.. => gather_some::<T, I, E, 4>(out, f, weight, entries, at),
            2.. => gather_some::<T, I, E, 2>(out, f, weight, entries, at),
            _ => gather_some::<T, I, E, 1>(out, f, weight, entries, at),
        };
    }
}

/// B entries of the column at once, in registers.
#[inline(always)]
fn gather_some<T: Lanes, I: Place, E: Number<T>, const B: usize>(
    out: &mut [T],
    f: &[T],
    weight: T,
    (indices, elements): (&[I], &[E]),
    at: usize,
) -> usize {
    let rank = out.len();
    let mut sum = [T::ZERO; B];
    for (index, value) in indices.iter().zip(elements) {
        let f = &f[index.place() * rank + at..][..B];
        let value = value.number();
        for b in 0..B {
            sum[b] += value * f[b];
        }
    }
    for b in 0..B {
        out[at + b] = weight * sum[b];
    }
    B
}

/// A stored or built index.
trait Place: Copy + Send + Sync {
    fn place(self) -> usize;
}
impl Place for i32 {
    #[inline(always)]
    fn place(self) -> usize {
        self.at()
    }
}
impl Place for i64 {
    #[inline(always)]
    fn place(self) -> usize {
        self.at()
    }
}
impl Place for u32 {
    #[inline(always)]
    fn place(self) -> usize {
        self as usize
    }
}

/// Starts, indices and values of the other order, by a counting sort.
fn flip<V: Copy, E: Copy, I: Index>(
    starts: &[usize],
    indices: &[I],
    elements: &[E],
    width: usize,
    widen: impl Fn(E) -> V,
) -> (Vec<usize>, Vec<u32>, Vec<V>) {
    let mut next = vec![0; width + 1];
    for index in indices {
        next[index.at() + 1] += 1;
    }
    for l in 0..width {
        next[l + 1] += next[l];
    }
    let flipped = next.clone();
    let mut lines = vec![0; indices.len()];
    // Every place is written once; until then it holds the value of its own number.
    let mut values: Vec<V> = elements.iter().map(|&e| widen(e)).collect();
    for (line, pair) in starts.windows(2).enumerate() {
        for at in pair[0]..pair[1] {
            let to = &mut next[indices[at].at()];
            lines[*to] = line as u32;
            values[*to] = widen(elements[at]);
            *to += 1;
        }
    }
    (flipped, lines, values)
}
