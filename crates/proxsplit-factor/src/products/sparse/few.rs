//! The gather for few coordinates: entry after entry, without a loop over lines.
//!
//! With four numbers to add, an entry costs less than a wrong guess where its line ends, and where lines are short and of every length
//! such guesses are many. So nothing is guessed: after every entry the sum is written to where its line is, and a flag tells
//! whether a new line, and a new sum, begins. Two runs of lines are added in turns, since a sum waits for the one before it.

use super::Product;
use super::kernel::{Place, in_halves};
use crate::products::lanes::{FEW, Lanes, Number};
use crate::products::prefetch::prefetch;
use proxsplit::simd;
use std::ops::Range;

/// Entries of a run between the one that is added and the one whose row of F is asked for: those of both runs fill half of a small
/// first-level cache.
const AHEAD: usize = 128;
/// Entries and lines that one task gathers, about: enough that it does not matter what finding its borders costs.
const TASK: usize = 1 << 16;

/// Whether an entry is the last of its line.
#[derive(Debug)]
pub(super) struct Ends(Vec<bool>);

impl Ends {
    pub(super) fn of(starts: &[usize]) -> Self {
        let mut ends = vec![false; starts.last().copied().unwrap_or(0)];
        for pair in starts.windows(2).filter(|pair| pair[0] < pair[1]) {
            ends[pair[1] - 1] = true;
        }
        Self(ends)
    }
}

/// out (4 × lines) ← weight · Σ_i M_il f_i for the lines of the range, on all threads.
pub(super) fn gather<T: Lanes, I: Place, E: Number<T>>(
    product: Product<'_, T>,
    (starts, ends): (&[usize], &Ends),
    entries: (&[I], &[E]),
) {
    in_halves(product, (starts, TASK), &|product| {
        simd::arch().dispatch(
            #[inline(always)]
            || gather_two(product, (starts, ends), entries),
        );
    });
}

/// Two runs of lines with about equally many entries in turns.
#[inline(always)]
fn gather_two<T: Lanes, I: Place, E: Number<T>>(
    product: Product<'_, T>,
    (starts, ends): (&[usize], &Ends),
    (indices, elements): (&[I], &[E]),
) {
    let Product {
        out,
        f,
        range,
        weight,
    } = product;
    let (out, rows) = (out.as_chunks_mut().0, f.as_chunks().0);
    let half = starts[range.start].midpoint(starts[range.end]);
    let middle = range.start + starts[range.clone()].partition_point(|&start| start < half);
    let lines = [range.start..middle, middle..range.end];
    let [one, two] = lines
        .each_ref()
        .map(|lines| starts[lines.start]..starts[lines.end]);
    let mut runs = lines.map(|lines| Run {
        to: lines.start - range.start,
        sum: [T::ZERO; FEW],
        lines,
    });
    // The last entries have none that far ahead of them.
    let both = one
        .len()
        .min(two.len())
        .min(indices.len().saturating_sub(two.start + AHEAD));
    let [first, second] = &mut runs;
    let left = Part::new(ends, (indices, elements), one.start, both);
    let right = Part::new(ends, (indices, elements), two.start, both);
    for at in 0..both {
        prefetch(rows, left.coming[at].place());
        first.add(
            out,
            &rows[left.indices[at].place()],
            left.elements[at],
            left.ends[at],
        );
        prefetch(rows, right.coming[at].place());
        second.add(
            out,
            &rows[right.indices[at].place()],
            right.elements[at],
            right.ends[at],
        );
    }
    for (run, entries) in runs.iter_mut().zip([one, two]) {
        for at in entries.start + both..entries.end {
            run.add(out, &rows[indices[at].place()], elements[at], ends.0[at]);
        }
    }
    for run in runs {
        run.spread(out, starts, range.start);
    }
    if weight != T::ONE {
        for number in out.as_flattened_mut() {
            *number *= weight;
        }
    }
}

/// So many entries of a run.
struct Part<'a, I, E> {
    ends: &'a [bool],
    indices: &'a [I],
    /// What is some entries further.
    coming: &'a [I],
    elements: &'a [E],
}

impl<'a, I, E> Part<'a, I, E> {
    #[inline(always)]
    fn new(
        ends: &'a Ends,
        (indices, elements): (&'a [I], &'a [E]),
        from: usize,
        count: usize,
    ) -> Self {
        Self {
            ends: &ends.0[from..][..count],
            indices: &indices[from..][..count],
            coming: &indices.get(from + AHEAD..).unwrap_or_default()[..count],
            elements: &elements[from..][..count],
        }
    }
}

/// Some lines, as far as their entries were added.
struct Run<T> {
    lines: Range<usize>,
    /// Where the sum is written.
    to: usize,
    sum: [T; FEW],
}

impl<T: Lanes> Run<T> {
    #[inline(always)]
    fn add<E: Number<T>>(&mut self, out: &mut [[T; FEW]], row: &[T; FEW], value: E, is_end: bool) {
        let value = value.number();
        for (sum, &f) in self.sum.iter_mut().zip(row) {
            *sum += value * f;
        }
        out[self.to] = self.sum;
        self.sum = T::unless(is_end, self.sum);
        self.to += usize::from(is_end);
    }

    /// Lines without entries were left out: brings the sums to their places in what begins with line `first`.
    fn spread(self, out: &mut [[T; FEW]], starts: &[usize], first: usize) {
        let mut from = self.to + first;
        if from == self.lines.end {
            return;
        }
        for line in self.lines.rev() {
            out[line - first] = if starts[line] < starts[line + 1] {
                from -= 1;
                out[from - first]
            } else {
                [T::ZERO; FEW]
            };
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::cast_possible_wrap)]

    use crate::products::lanes::{FEW, Lanes};
    use crate::products::same_bits::everywhere;
    use crate::products::sparse::{Lines, Product};
    use proxsplit::data::{Elements, Indices, Sparse, StorageOrder};
    use rand::{RngExt, SeedableRng};
    use rand_pcg::Pcg64;

    /// Starts and places of so many entries in lines of every length, many of them without entries.
    fn draw(lines: usize, width: usize) -> (Vec<i64>, Vec<i32>) {
        let mut random = Pcg64::seed_from_u64(lines as u64);
        let (mut starts, mut places) = (vec![0], Vec::new());
        for line in 0..lines {
            let count = match random.random_range(0..10) {
                0..4 => 0,
                4..9 => random.random_range(1..30),
                // A line that is most of its task.
                _ if line % 997 == 0 => width,
                _ => 1,
            };
            let mut drawn: Vec<i32> = (0..count)
                .map(|_| random.random_range(0..width as i32))
                .collect();
            drawn.sort_unstable();
            drawn.dedup();
            places.extend(drawn);
            starts.push(places.len() as i64);
        }
        (starts, places)
    }

    /// All lines, and some of them, against sums line by line: the same bits.
    fn adds_line_by_line<T: Lanes>(
        shape: (usize, usize),
        elements: impl Fn(usize) -> Vec<f32>,
        weight: T,
    ) {
        let (starts, places) = draw(shape.0, shape.1);
        let elements = elements(places.len());
        let sparse = Sparse::new(
            shape,
            StorageOrder::RowMajor,
            Indices::I64(&starts),
            Indices::I32(&places),
            Elements::F32(&elements),
        );
        let [_, rows] = Lines::<T>::both(sparse.unwrap());
        let f = crate::products::tests::draw::<T>(FEW * shape.1);
        for range in [0..shape.0, shape.0 / 3..shape.0 - 1, 5..6, 7..7] {
            let mut plain = vec![T::ZERO; FEW * range.len()];
            for (out, line) in plain.chunks_exact_mut(FEW).zip(range.clone()) {
                for at in starts[line] as usize..starts[line + 1] as usize {
                    let column = &f[FEW * places[at] as usize..][..FEW];
                    for (out, &f) in out.iter_mut().zip(column) {
                        *out += T::widen(elements[at]) * f;
                    }
                }
                for out in out {
                    *out *= weight;
                }
            }
            everywhere(&format!("{shape:?} {range:?}"), || {
                let mut out = vec![T::ONE; FEW * range.len()];
                let (f, range) = (&*f, range.clone());
                rows.gather(Product {
                    out: &mut out,
                    f,
                    range,
                    weight,
                });
                assert!(out == plain);
                out
            });
        }
    }

    #[test]
    fn few_coordinates_are_added_line_by_line() {
        let ones = |count: usize| vec![1.0; count];
        let numbers = |count: usize| (0..count).map(|at| (at % 9) as f32 - 4.0).collect();
        for shape in [(9, 5), (60, 1000), (30_000, 12_000)] {
            adds_line_by_line::<f64>(shape, ones, 1.0);
            adds_line_by_line::<f32>(shape, numbers, 0.3);
        }
    }
}
