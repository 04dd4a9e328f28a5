//! The two factors as the command line sees them, and what can be said of them by looking.

use crate::record::Sparsity;
use proxsplit::Mat;
use proxsplit::data::Element;

/// X: features × K, A: K × samples.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Factors {
    pub(crate) x: Mat<f64>,
    pub(crate) a: Mat<f64>,
}

/// What can be said of one atom k, the pair of column x_k and row a_k.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Atom {
    /// Its place in X, from 0.
    pub(crate) index: usize,
    /// ‖x_k‖·‖a_k‖, the size of its part of XA.
    pub(crate) size: f64,
    /// Shares of zeros in x_k and in a_k.
    pub(crate) zeros: Sparsity,
}

impl Factors {
    /// All atoms, the largest first.
    pub(crate) fn atoms(&self) -> Vec<Atom> {
        let (rank, samples) = (self.x.cols(), self.a.cols());
        let mut energy = vec![0.0; rank];
        let mut zeros = vec![0_usize; rank];
        for code in self.a.data().chunks_exact(rank) {
            for ((energy, zeros), a) in energy.iter_mut().zip(&mut zeros).zip(code) {
                *energy += a * a;
                *zeros += usize::from(*a == 0.0);
            }
        }
        let mut atoms: Vec<Atom> = (0..rank)
            .map(|index| {
                let x = self.x.col(index);
                let norm = x.iter().map(|v| v * v).sum::<f64>();
                Atom {
                    index,
                    size: (norm * energy[index]).sqrt(),
                    zeros: Sparsity {
                        x: share_of_zeros(x),
                        a: zeros[index] as f64 / samples as f64,
                    },
                }
            })
            .collect();
        atoms.sort_by(|a, b| b.size.total_cmp(&a.size));
        atoms
    }
}

/// The share of exact zeros.
pub(crate) fn share_of_zeros<T: Element>(values: &[T]) -> f64 {
    let zeros = values.iter().filter(|v| v.f64() == 0.0).count();
    zeros as f64 / values.len().max(1) as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn atoms_are_ordered_by_their_part_of_the_product() {
        let factors = Factors {
            x: Mat::new(2, 2, vec![3.0, 4.0, 0.0, 1.0]).unwrap(),
            a: Mat::new(2, 3, vec![1.0, 0.0, 0.0, 10.0, 0.0, 0.0]).unwrap(),
        };
        let atoms = factors.atoms();
        assert_eq!((atoms[0].index, atoms[0].size), (1, 10.0));
        assert_eq!((atoms[1].index, atoms[1].size), (0, 5.0));
        assert_eq!(
            atoms[0].zeros,
            Sparsity {
                x: 0.5,
                a: 2.0 / 3.0
            }
        );
    }
}
