//! Products with a sparse matrix, gathered line by line: out_l ← Σ_i M_il · f_i over the entries of line l.
//!
//! Both products of a whole pass gather, each from the order whose lines are its columns of the result; the order that is not
//! stored is built once at set-up. Every column of the result belongs to one task, which needs no locks, and the bits do not
//! depend on the number of threads. A gather waits for rows of F, which lie anywhere: the processor is asked for each some
//! entries before it is added. With four numbers a row, as for graphs, the loop itself counts: `few` has another one.
//!
//! One order would be enough if the other product were scattered, to the same bits: a task owns a block of the result and looks
//! in every line for its part. That was measured, and dropped: even on one thread and in one block scattering is slower
//! (`products 434818 434818 4 ones row f64` prints both), because each entry waits for what an earlier one has written;
//! and with more blocks every line is searched by every task, and lines of a web graph have eight entries.

mod chosen;
mod few;
mod kernel;

pub(crate) use chosen::Chosen;

use super::lanes::{FEW, Lanes, Number};
use crate::rank::Speckle;
use few::Ends;
use kernel::Place;
use proxsplit::data::{Element, Elements, Index, Indices, Sparse, StorageOrder};
use proxsplit::internal::dispatch;
use proxsplit::internal::parallel::Each;
use rayon::prelude::*;
use std::ops::Range;
use std::sync::OnceLock;

/// A sparse matrix by lines.
#[derive(Debug)]
pub(crate) struct Lines<'a, T> {
    starts: Vec<usize>,
    entries: Entries<'a, T>,
    /// Where lines end, once a product of few coordinates has asked.
    ends: OnceLock<Ends>,
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
    fn new(starts: Vec<usize>, entries: Entries<'a, T>) -> Self {
        let ends = OnceLock::new();
        Self {
            starts,
            entries,
            ends,
        }
    }

    /// The matrix by columns and by rows: one as it is stored, one built.
    pub(crate) fn both(sparse: Sparse<'a>) -> [Self; 2] {
        let starts: Vec<usize> =
            dispatch!(Indices: sparse.starts() => starts, starts.iter().map(|s| s.at()).collect());
        let indices = sparse.indices();
        let is_pattern =
            dispatch!(Elements: sparse.elements() => values, values.iter().all(|v| v.f64() == 1.0));
        let width = match sparse.order() {
            StorageOrder::ColumnMajor => sparse.rows(),
            StorageOrder::RowMajor => sparse.cols(),
        };
        let ones = || vec![One; indices.len()];
        let flipped = dispatch!(Indices: indices => indices, if is_pattern {
            let (starts, indices, ones) = flip(&starts, indices, &ones(), width, |one| one);
            Self::new(starts, Entries::BuiltOnes(indices, ones))
        } else {
            let (starts, indices, values) = dispatch!(Elements: sparse.elements() => values,
                flip(&starts, indices, values, width, |value| read::<T, _>(value)));
            Self::new(starts, Entries::Built(indices, values))
        });
        let entries = if is_pattern {
            Entries::StoredOnes(indices, ones())
        } else if sparse.elements().first_non_finite().is_some() {
            // Missing entries are read as 0, which the stored numbers do not say.
            let indices = dispatch!(Indices: indices => indices, indices.iter().map(|i| i.at() as u32).collect());
            let values = dispatch!(Elements: sparse.elements() => values, values.iter().map(|&v| read(v)).collect());
            Entries::Built(indices, values)
        } else {
            Entries::Stored(indices, sparse.elements())
        };
        let stored = Self::new(starts, entries);
        match sparse.order() {
            StorageOrder::ColumnMajor => [stored, flipped],
            StorageOrder::RowMajor => [flipped, stored],
        }
    }

    /// The same with 0 for stored entries that are held out.
    pub(crate) fn without(sparse: Sparse<'a>, speckle: Speckle) -> [Self; 2] {
        let starts: Vec<usize> =
            dispatch!(Indices: sparse.starts() => starts, starts.iter().map(|s| s.at()).collect());
        let indices: Vec<u32> = dispatch!(Indices: sparse.indices() => indices,
            indices.iter().map(|i| i.at() as u32).collect());
        let mut values: Vec<T> = dispatch!(Elements: sparse.elements() => values,
            values.iter().map(|&v| read(v)).collect());
        let width = match sparse.order() {
            StorageOrder::ColumnMajor => sparse.rows(),
            StorageOrder::RowMajor => sparse.cols(),
        };
        for (line, pair) in starts.windows(2).enumerate() {
            for at in pair[0]..pair[1] {
                let (row, column) = match sparse.order() {
                    StorageOrder::ColumnMajor => (indices[at] as usize, line),
                    StorageOrder::RowMajor => (line, indices[at] as usize),
                };
                if speckle.holds_out(row, column) {
                    values[at] = T::ZERO;
                }
            }
        }
        let (flipped, lines, numbers) = flip(&starts, &indices, &values, width, |value| value);
        let flipped = Self::new(flipped, Entries::Built(lines, numbers));
        let stored = Self::new(starts, Entries::Built(indices, values));
        match sparse.order() {
            StorageOrder::ColumnMajor => [stored, flipped],
            StorageOrder::RowMajor => [flipped, stored],
        }
    }

    /// out (K × lines) ← weight · Σ_i M_il f_i for the lines of `range`.
    pub(crate) fn gather(&self, product: Product<'_, T>) {
        self.multiply(product, Way::Gather);
    }

    /// out (K × width) ← out + weight · Σ_l f_l M_l for the lines of `range`; on the calling thread.
    pub(crate) fn scatter(&self, product: Product<'_, T>) {
        self.multiply(product, Way::Scatter);
    }

    fn multiply(&self, product: Product<'_, T>, way: Way) {
        match &self.entries {
            Entries::Stored(indices, elements) => dispatch!(Indices: *indices => indices,
                dispatch!(Elements: *elements => elements, self.typed(product, way, (indices, elements)))),
            Entries::StoredOnes(indices, ones) => {
                dispatch!(Indices: *indices => indices, self.typed(product, way, (indices, ones)));
            }
            Entries::Built(indices, values) => self.typed(product, way, (indices, values)),
            Entries::BuiltOnes(indices, ones) => self.typed(product, way, (indices, ones)),
        }
    }

    fn typed<I: Place, E: Number<T>>(
        &self,
        product: Product<'_, T>,
        way: Way,
        entries: (&[I], &[E]),
    ) {
        match way {
            Way::Gather if product.out.len() == FEW * product.range.len() => {
                let ends = self.ends.get_or_init(|| Ends::of(&self.starts));
                few::gather(product, (&self.starts, ends), entries);
            }
            Way::Gather => kernel::gather(product, &self.starts, entries),
            Way::Scatter => kernel::scatter(product, &self.starts, entries),
        }
    }
}

/// A stored number; 0 if it is NaN, which stands for a missing entry.
fn read<T: Lanes, E: Element>(stored: E) -> T {
    let value = T::widen(stored);
    if value.is_finite() { value } else { T::ZERO }
}

/// What is multiplied: F with the lines of `range`, times `weight`.
pub(crate) struct Product<'a, T> {
    pub(crate) out: &'a mut [T],
    pub(crate) f: &'a [T],
    pub(crate) range: Range<usize>,
    pub(crate) weight: T,
}

#[derive(Clone, Copy)]
enum Way {
    Gather,
    Scatter,
}

/// Starts, indices and values of the other order, by a counting sort.
fn flip<V: Copy + Send, E: Copy + Sync, I: Place>(
    starts: &[usize],
    indices: &[I],
    elements: &[E],
    width: usize,
    widen: impl Fn(E) -> V + Sync,
) -> (Vec<usize>, Vec<u32>, Vec<V>) {
    let mut flipped = vec![0; width + 1];
    for index in indices {
        flipped[index.place() + 1] += 1;
    }
    for l in 0..width {
        flipped[l + 1] += flipped[l];
    }
    let mut lines = vec![0; indices.len()];
    // Every place is written once; until then it holds the value of its own number.
    let mut values: Vec<V> = elements.iter().map(|&e| widen(e)).collect();
    // Every task looks at all entries and writes those of its own lines.
    let tasks = cut(
        &flipped,
        (&mut lines, &mut values),
        rayon::current_num_threads(),
    );
    tasks.into_par_iter().each(&|task| {
        let mut next: Vec<usize> = flipped[task.range.clone()].to_vec();
        let first = flipped[task.range.start];
        for (line, pair) in starts.windows(2).enumerate() {
            for at in pair[0]..pair[1] {
                let place = indices[at].place().wrapping_sub(task.range.start);
                if let Some(to) = next.get_mut(place) {
                    task.lines[*to - first] = line as u32;
                    task.values[*to - first] = widen(elements[at]);
                    *to += 1;
                }
            }
        }
    });
    (flipped, lines, values)
}

/// Some lines of the other order, and where their entries go.
struct Flip<'a, V> {
    range: Range<usize>,
    lines: &'a mut [u32],
    values: &'a mut [V],
}

/// All lines in `count` parts with about equally many entries.
fn cut<'a, V>(
    starts: &[usize],
    (mut lines, mut values): (&'a mut [u32], &'a mut [V]),
    count: usize,
) -> Vec<Flip<'a, V>> {
    let (width, all) = (starts.len() - 1, lines.len());
    let (mut tasks, mut line) = (Vec::with_capacity(count), 0);
    for part in 1..=count {
        // The last part also has the lines without entries at the end.
        let enough = starts.partition_point(|&start| start < all * part / count);
        let end = if part == count { width } else { enough };
        let range = line..end.clamp(line, width);
        let entries = starts[range.end] - starts[range.start];
        let (head, tail) = lines.split_at_mut(entries);
        let (front, back) = values.split_at_mut(entries);
        (lines, values, line) = (tail, back, range.end);
        tasks.push(Flip {
            range,
            lines: head,
            values: front,
        });
    }
    tasks
}
