//! The working set: blocks of coordinates that are worked on, with copies of their columns.

use super::terms::Terms;
use crate::Real;
use crate::data::Columns;
use crate::linalg::vectorized::vectorized;
use crate::parallel::prelude::*;
use crate::smooth::Linear;

/// Rows that are one task.
const STRETCH: usize = 1024;

/// Blocks in the order in which they came; none ever leaves.
pub(super) struct Set<T> {
    pub(super) columns: Columns<T>,
    pub(super) blocks: Vec<usize>,
    pub(super) starts: Vec<usize>, // the first place of each block
    pub(super) places: Vec<usize>, // the entry of x at each place
    is_in: Vec<bool>,
    worst: Vec<(f64, usize)>,
}

impl<T: Real> Set<T> {
    pub(super) fn new(columns: Columns<T>, count: usize) -> Self {
        Self {
            columns,
            blocks: Vec::new(),
            starts: vec![0],
            places: Vec::new(),
            is_in: vec![false; count],
            worst: Vec::new(),
        }
    }

    /// How many coordinates there are.
    pub(super) fn len(&self) -> usize {
        self.places.len()
    }

    /// The places of a block, counted in the order of the set.
    pub(super) fn range(&self, b: usize) -> std::ops::Range<usize> {
        self.starts[b]..self.starts[b + 1]
    }

    /// Takes in the worst blocks, at most `most`, and all of infinite badness; 0 is not bad.
    pub(super) fn grow(
        &mut self,
        f: &dyn Linear<T>,
        terms: &Terms<'_, T>,
        most: usize,
        badness: impl Fn(usize) -> f64,
    ) {
        self.worst.clear();
        for block in (0..terms.count()).filter(|&block| !self.is_in[block]) {
            let bad = badness(block);
            if bad > 0.0 {
                self.worst.push((bad, block));
            }
        }
        let musts = self.worst.iter().filter(|bad| bad.0.is_infinite()).count();
        let most = most.max(musts);
        if self.worst.len() > most {
            let order =
                |a: &(f64, usize), b: &(f64, usize)| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1));
            self.worst.select_nth_unstable_by(most, order);
            self.worst.truncate(most);
        }
        // Neighbours stay neighbours, which is kinder to the memory that they come from.
        self.worst.sort_unstable_by_key(|bad| bad.1);
        let first = self.places.len();
        for &(_, block) in &self.worst {
            self.is_in[block] = true;
            self.blocks.push(block);
            self.places.extend_from_slice(terms.entries(block));
            self.starts.push(self.places.len());
        }
        if self.places.len() > first {
            f.pack(&self.places[first..], &mut self.columns);
        }
    }

    /// out ← Σ_k e_k d_k; returns how many entries were read.
    pub(super) fn apply(&self, e: &[f64], out: &mut [f64]) -> f64 {
        let used = || e.iter().enumerate().filter(|(_, e)| **e != 0.0);
        if let Some(columns) = self.columns.dense() {
            let rows = out.len();
            let parts = out.par_chunks_mut(STRETCH).enumerate();
            parts.each(&|(p, out)| {
                out.fill(0.0);
                vectorized(
                    #[inline(always)]
                    || {
                        for (k, &e) in used() {
                            let column = &columns[k * rows + p * STRETCH..][..out.len()];
                            for (out, d) in out.iter_mut().zip(column) {
                                *out += e * d.f64();
                            }
                        }
                    },
                );
            });
        } else {
            out.fill(0.0);
            used().for_each(|(k, &e)| self.columns.add(k, e, out));
        }
        used().map(|(k, _)| self.columns.stored(k)).sum::<usize>() as f64
    }
}
