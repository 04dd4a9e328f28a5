//! The loops over the entries of lines, for every type of index and value.

use super::Product;
use crate::products::lanes::{Lanes, Number};
use crate::products::prefetch::prefetch;
use proxsplit::data::Index;
use proxsplit::simd;

/// Entries and lines that one task gathers, about.
const TASK: usize = 1 << 14;

/// out (K × lines) ← weight · Σ_i M_il f_i for the lines of the range, on all threads.
pub(super) fn gather<T: Lanes, I: Place, E: Number<T>>(
    product: Product<'_, T>,
    starts: &[usize],
    (indices, elements): (&[I], &[E]),
) {
    in_halves(product, (starts, TASK), &|product| {
        let Product {
            out,
            f,
            range,
            weight,
        } = product;
        let rank = out.len() / range.len().max(1);
        // What is not inlined does not get the wide instructions.
        simd::arch().dispatch(
            #[inline(always)]
            || {
                // What follows the entries of a line is asked for while they are added.
                let lines = range.map(|line| Entries {
                    indices: &indices[starts[line]..starts[line + 1]],
                    elements: &elements[starts[line]..starts[line + 1]],
                    coming: &indices[starts[line]..],
                });
                for (entries, out) in lines.zip(out.chunks_exact_mut(rank.max(1))) {
                    gather_line(out, f, weight, entries);
                }
            },
        );
    });
}

/// Cuts a product in halves of about equal work until each has no more than `size` entries and lines, about, and is a task.
///
/// A line is never cut, so the bits do not depend on where the halves end.
pub(super) fn in_halves<T: Lanes>(
    product: Product<'_, T>,
    (starts, size): (&[usize], usize),
    task: &(dyn Fn(Product<'_, T>) + Sync),
) {
    let Product {
        out,
        f,
        range,
        weight,
    } = product;
    let work = |line: usize| starts[line] + line;
    if range.len() <= 1 || work(range.end) - work(range.start) <= size {
        return task(Product {
            out,
            f,
            range,
            weight,
        });
    }
    let half = work(range.start).midpoint(work(range.end));
    let middle = first_at_least(range.start + 1..range.end - 1, half, work);
    let (left, right) = out.split_at_mut((middle - range.start) * (out.len() / range.len()));
    let part = |out, range| Product {
        out,
        f,
        range,
        weight,
    };
    let (left, right) = (
        part(left, range.start..middle),
        part(right, middle..range.end),
    );
    rayon::join(
        || in_halves(left, (starts, size), task),
        || in_halves(right, (starts, size), task),
    );
}

/// The first line of the range whose work reaches `target`, or the end; `work` grows with the line.
fn first_at_least(
    range: std::ops::Range<usize>,
    target: usize,
    work: impl Fn(usize) -> usize,
) -> usize {
    let (mut low, mut high) = (range.start, range.end);
    while low < high {
        let middle = low.midpoint(high);
        if work(middle) < target {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    low
}

/// out (K × width) ← out + weight · Σ_l f_l M_l for the lines of the range.
pub(super) fn scatter<T: Lanes, I: Place, E: Number<T>>(
    product: Product<'_, T>,
    starts: &[usize],
    (indices, elements): (&[I], &[E]),
) {
    let Product {
        out,
        f,
        range,
        weight,
    } = product;
    let rank = f.len() / range.len().max(1);
    for (line, f) in range.zip(f.chunks_exact(rank.max(1))) {
        for at in starts[line]..starts[line + 1] {
            let value = weight * elements[at].number();
            let out = &mut out[indices[at].place() * rank..][..rank];
            for (out, &f) in out.iter_mut().zip(f) {
                *out += value * f;
            }
        }
    }
}

/// The entries of a line.
#[derive(Clone, Copy)]
struct Entries<'a, I, E> {
    indices: &'a [I],
    elements: &'a [E],
    /// The indices and all that follow.
    coming: &'a [I],
}

impl<'a, I: Place, E: Copy> Entries<'a, I, E> {
    /// Places and values; asks the cache for `more` numbers from a place of F on, some time before they are needed.
    #[inline(always)]
    fn each<T: Lanes>(
        self,
        (f, rank): (&'a [T], usize),
        (at, more): (usize, usize),
    ) -> impl Iterator<Item = (usize, E)> + 'a {
        let coming = self.coming.get(AHEAD..).unwrap_or_default();
        let entries = self.indices.iter().zip(self.elements).enumerate();
        entries.map(move |(number, (index, &value))| {
            if let Some(next) = coming.get(number) {
                let first = next.place() * rank + at;
                for number in (0..more).step_by(64 / size_of::<T>()) {
                    prefetch(f, first + number);
                }
            }
            (index.place(), value)
        })
    }
}

/// Entries between the one that is added and the one whose row of F is asked for.
const AHEAD: usize = 48;

/// A line in blocks of coordinates whose sums stay in registers: of 32, and what is left in one of its size or in two that overlap, so that
/// it needs no further loop over the entries.
#[inline(always)]
fn gather_line<T: Lanes, I: Place, E: Number<T>>(
    out: &mut [T],
    f: &[T],
    weight: T,
    entries: Entries<'_, I, E>,
) {
    let rank = out.len();
    let mut at = 0;
    while at < rank {
        let f = (f, rank);
        let left = rank - at;
        let block = &mut out[at..][..left.min(32)];
        let (first, last) = (at, |size| at + left - size);
        match left {
            32.. => gather_blocks::<T, I, E, 32, 1>(block, f, weight, entries, [first]),
            24 => gather_blocks::<T, I, E, 24, 1>(block, f, weight, entries, [first]),
            20 => gather_blocks::<T, I, E, 20, 1>(block, f, weight, entries, [first]),
            17.. => gather_blocks::<T, I, E, 16, 2>(block, f, weight, entries, [first, last(16)]),
            16 => gather_blocks::<T, I, E, 16, 1>(block, f, weight, entries, [first]),
            12 => gather_blocks::<T, I, E, 12, 1>(block, f, weight, entries, [first]),
            9.. => gather_blocks::<T, I, E, 8, 2>(block, f, weight, entries, [first, last(8)]),
            8 => gather_blocks::<T, I, E, 8, 1>(block, f, weight, entries, [first]),
            5.. => gather_blocks::<T, I, E, 4, 2>(block, f, weight, entries, [first, last(4)]),
            4 => gather_blocks::<T, I, E, 4, 1>(block, f, weight, entries, [first]),
            3 => gather_blocks::<T, I, E, 2, 2>(block, f, weight, entries, [first, last(2)]),
            2 => gather_blocks::<T, I, E, 2, 1>(block, f, weight, entries, [first]),
            _ => gather_blocks::<T, I, E, 1, 1>(block, f, weight, entries, [first]),
        }
        at += block.len();
    }
}

/// N blocks of B coordinates, which begin at `places`; `out` begins with the first of them.
#[inline(always)]
fn gather_blocks<T: Lanes, I: Place, E: Number<T>, const B: usize, const N: usize>(
    out: &mut [T],
    (f, rank): (&[T], usize),
    weight: T,
    entries: Entries<'_, I, E>,
    places: [usize; N],
) {
    let mut sums = [[T::ZERO; B]; N];
    for (place, value) in entries.each((f, rank), (places[0], out.len())) {
        let f = &f[place * rank..][..rank];
        let value = value.number();
        for (sum, at) in sums.iter_mut().zip(places) {
            let f = &f[at..][..B];
            for b in 0..B {
                sum[b] += value * f[b];
            }
        }
    }
    for (sum, at) in sums.iter().zip(places) {
        for (out, &sum) in out[at - places[0]..].iter_mut().zip(sum) {
            *out = weight * sum;
        }
    }
}

/// A stored or built index.
pub(super) trait Place: Copy + Send + Sync {
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
