//! g as a sum over blocks of entries: single ones, or groups.

use crate::{Elementary, Grouped, Prox, Real, Separable, scratch};

/// The blocks of g.
pub(super) struct Terms<'a, T: Real> {
    kind: Kind<'a, T>,
    starts: Option<Vec<usize>>, // where each block begins in `indices`, unless it is a single entry
    indices: Vec<usize>,
}

enum Kind<'a, T: Real> {
    /// Every entry has the same elementary term.
    Alike(Elementary),
    Entries(&'a dyn Separable<T>),
    /// Groups, so many of them, and then entries in no group.
    Groups(&'a dyn Grouped<T>, usize, Elementary),
}

impl<'a, T: Real> Terms<'a, T> {
    /// The blocks of g on vectors of length `len`; `None` if g is no such sum.
    pub(super) fn new(g: &'a dyn Prox<T>, len: usize) -> Option<Self> {
        let (kind, starts, indices) = if let Some(separable) = g.separable() {
            let kind = match g.elementary() {
                Some(alike) => Kind::Alike(alike),
                None => Kind::Entries(separable),
            };
            (kind, None, (0..len).collect())
        } else {
            let grouped = g.grouped()?;
            let (starts, indices, count) = grouped.groups().lists(len);
            let kind = Kind::Groups(grouped, count, grouped.outside());
            (kind, Some(starts), indices)
        };
        Some(Self {
            kind,
            starts,
            indices,
        })
    }

    /// The term of a block as four numbers, if it is that simple.
    #[inline]
    pub(super) fn elementary(&self, block: usize) -> Option<Elementary> {
        match &self.kind {
            Kind::Alike(term) => Some(*term),
            Kind::Entries(g) => g.entry(block),
            Kind::Groups(_, count, outside) => (block >= *count).then_some(*outside),
        }
    }

    /// Whether the blocks are the same entries.
    pub(super) fn has_blocks_of(&self, other: &Self) -> bool {
        self.starts == other.starts && self.indices == other.indices
    }

    /// How many blocks there are.
    pub(super) fn count(&self) -> usize {
        let starts = self.starts.as_ref();
        starts.map_or(self.indices.len(), |starts| starts.len() - 1)
    }

    /// The entries of a block.
    pub(super) fn entries(&self, block: usize) -> &[usize] {
        match &self.starts {
            Some(starts) => &self.indices[starts[block]..starts[block + 1]],
            None => &self.indices[block..=block],
        }
    }

    /// The value of a block at y.
    pub(super) fn value(&self, block: usize, y: &[f64]) -> f64 {
        if let Some(term) = self.elementary(block) {
            return term.value(y[0]);
        }
        match &self.kind {
            Kind::Alike(term) => term.value(y[0]),
            Kind::Entries(g) => g.value_at(block, T::of(y[0])),
            Kind::Groups(g, ..) => scratch::with(y.len(), |x: &mut [T]| {
                round(y, x);
                g.value_of_group(x)
            }),
        }
    }

    /// y ← P_η(y) of a block.
    pub(super) fn prox(&self, block: usize, y: &mut [f64], step: f64) {
        if let Some(term) = self.elementary(block) {
            y[0] = term.prox(y[0], step);
            return;
        }
        match &self.kind {
            Kind::Alike(term) => y[0] = term.prox(y[0], step),
            Kind::Entries(g) => {
                let everywhere = (-T::INFINITY, T::INFINITY);
                let z = g.prox_between(block, T::of(y[0]), longest(step), everywhere);
                y[0] = z.f64();
            }
            Kind::Groups(g, ..) => scratch::with(y.len(), |x: &mut [T]| {
                round(y, x);
                g.prox_of_group(x, longest(step));
                for (y, x) in y.iter_mut().zip(x) {
                    *y = x.f64();
                }
            }),
        }
    }

    /// The nearest point of the domain, where that is an interval; else the point itself.
    pub(super) fn inside(&self, block: usize, y: &mut [f64]) {
        if let Some(term) = self.elementary(block) {
            y[0] = y[0].max(term.lower).min(term.upper);
        }
    }
}

fn round<T: Real>(y: &[f64], x: &mut [T]) {
    for (x, &y) in x.iter_mut().zip(y) {
        *x = T::of(y);
    }
}

/// A step that is finite in both precisions.
fn longest<T: Real>(step: f64) -> T {
    T::of(step.min(1e30))
}
