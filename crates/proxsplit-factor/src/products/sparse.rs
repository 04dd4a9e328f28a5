//! Products with a sparse matrix, gathered line by line: out_l ← Σ_i M_il · f_i over the entries of line l.
//!
//! Both products of a pass gather, each from the order whose lines are its columns of the result; the order that is not
//! stored is built once at set-up. On a web graph this is several times faster than scattering, and it needs no locks:
//! every column of the result belongs to one task, so the bits do not depend on the number of threads.

use super::lanes::{Lanes, Number};
use proxsplit::data::{Element, Elements, Index, Indices, Sparse, dispatch};
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
}

impl<'a, T: Lanes> Lines<'a, T> {
    /// The lines as they are stored.
    pub(crate) fn stored(sparse: Sparse<'a>) -> Self {
        let starts =
            dispatch!(Indices: sparse.starts() => starts, starts.iter().map(|s| s.at()).collect());
        Self {
            starts,
            entries: Entries::Stored(sparse.indices(), sparse.elements()),
        }
    }

    /// The same matrix with `width` lines, one for every index.
    pub(crate) fn flipped(sparse: Sparse<'a>, width: usize) -> Self {
        let lines = Self::stored(sparse);
        let (starts, indices, values) = dispatch!(Indices: sparse.indices() => indices,
            dispatch!(Elements: sparse.elements() => elements, flip(&lines.starts, indices, elements, width)));
        Self {
            starts,
            entries: Entries::Built(indices, values),
        }
    }

    /// out (K × lines) ← weight · Σ_i M_il f_i for the lines of `range`.
    pub(crate) fn gather(&self, out: &mut [T], f: &[T], range: Range<usize>, weight: T) {
        match &self.entries {
            Entries::Stored(indices, elements) => dispatch!(Indices: *indices => indices,
                dispatch!(Elements: *elements => elements, self.panels(out, f, range, weight, (indices, elements)))),
            Entries::Built(indices, values) => {
                self.panels(out, f, range, weight, (indices, values));
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
            Entries::Built(indices, values) => {
                self.scatter_lines(out, f, range, weight, (indices, values));
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

/// The three arrays of the other order.
type Flipped<T> = (Vec<usize>, Vec<u32>, Vec<T>);

/// Counting sort by index.
fn flip<T: Lanes, I: Index, E: Element>(
    starts: &[usize],
    indices: &[I],
    elements: &[E],
    width: usize,
) -> Flipped<T> {
    let mut next = vec![0; width + 1];
    for index in indices {
        next[index.at() + 1] += 1;
    }
    for l in 0..width {
        next[l + 1] += next[l];
    }
    let flipped_starts = next.clone();
    let (mut lines, mut values) = (vec![0; indices.len()], vec![T::ZERO; indices.len()]);
    for (line, pair) in starts.windows(2).enumerate() {
        for at in pair[0]..pair[1] {
            let to = &mut next[indices[at].at()];
            lines[*to] = line as u32;
            values[*to] = T::widen(elements[at]);
            *to += 1;
        }
    }
    (flipped_starts, lines, values)
}
