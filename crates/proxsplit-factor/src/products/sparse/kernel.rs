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
        at += match rank - at {
            32.. => gather_some::<T, I, E, 32>(out, f, weight, entries, at),
            24.. => gather_some::<T, I, E, 24>(out, f, weight, entries, at),
            20.. => gather_some::<T, I, E, 20>(out, f, weight, entries, at),
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
    entries: Entries<'_, I, E>,
    at: usize,
) -> usize {
    let rank = out.len();
    let mut sum = [T::ZERO; B];
    for (place, value) in entries.each((f, rank), (at, B)) {
        let f = &f[place * rank + at..][..B];
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
