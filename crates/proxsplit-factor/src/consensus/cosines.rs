//! Cosines between the atoms of two runs.

use super::best_matching;
use crate::problem::Factors;
use crate::products::Lanes;
use proxsplit::internal::linalg::vec::dot;

/// The atoms of a run, one after the other, each of norm 1 or zero.
pub(super) struct Atoms {
    rank: usize,
    atoms: Vec<f64>,
}

impl Atoms {
    pub(super) fn of<T: Lanes>(factors: &Factors<T>) -> Self {
        let atoms = (0..factors.rank).flat_map(|k| {
            let atom: Vec<f64> = factors
                .atom(k)
                .into_iter()
                .map(proxsplit::Real::f64)
                .collect();
            let norm = proxsplit::internal::linalg::vec::norm(&atom);
            let scale = if norm > 0.0 { 1.0 / norm } else { 0.0 };
            atom.into_iter().map(move |v| v * scale)
        });
        Self {
            rank: factors.rank,
            atoms: atoms.collect(),
        }
    }

    /// The length of an atom.
    pub(super) fn length(&self) -> usize {
        self.atoms.len() / self.rank
    }

    pub(super) fn atom(&self, k: usize) -> &[f64] {
        &self.atoms[k * self.length()..(k + 1) * self.length()]
    }

    /// For every atom of another run its partner here, in the matching with the largest sum of cosines, and their cosine.
    pub(super) fn partners_of(&self, other: &Self) -> Vec<(usize, f64)> {
        let table: Vec<f64> = (0..self.rank * self.rank)
            .map(|at| cosine(other.atom(at / self.rank), self.atom(at % self.rank)))
            .collect();
        let matching = best_matching(&table, self.rank);
        let pairs = matching.into_iter().enumerate();
        pairs
            .map(|(k, partner)| (partner, table[k * self.rank + partner]))
            .collect()
    }
}

/// |⟨u, v⟩| of unit vectors: an atom and its negative are one.
pub(super) fn cosine(u: &[f64], v: &[f64]) -> f64 {
    dot(u, v).abs().min(1.0)
}
