//! What several runs from different starts agree on: atoms that come back, and samples that stay together.

mod cophenetic;
mod cosines;
mod matching;
mod together;

use crate::problem::Factors;
use crate::products::Lanes;
use cosines::Atoms;
use matching::best_matching;
use proxsplit::Mat;
use proxsplit::{Error, error};
use serde::{Deserialize, Serialize};

/// Atoms of two runs with at least this cosine are the same.
pub const ALIKE: f64 = 0.9;

/// How an atom of the best run fared in the others.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct ReturnedAtom {
    /// The runs that have it, the best one included: those with an atom of cosine [`ALIKE`] or more.
    pub runs: usize,
    /// The mean cosine with its partners in the other runs.
    pub cosine: f64,
    /// The run of the medoid: of this atom and its partners, the one that is nearest to all.
    pub medoid: usize,
}

/// What several runs agree on.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Consensus {
    /// The objective of every run.
    pub objectives: Vec<f64>,
    /// The run with the least objective.
    pub best: usize,
    /// The atoms of the best run, in its order.
    pub atoms: Vec<ReturnedAtom>,
    /// The mean cosine of matched atoms over all pairs of runs; 1 if all runs found the same.
    pub cosine: f64,
    /// How well the samples fall into groups that every run finds: the cophenetic correlation of the consensus matrix.
    pub cophenetic: f64,
}

impl Consensus {
    /// Compares the factors of at least two runs of one problem; with it come the medoid atoms, m×K, each of norm 1.
    pub fn of<T: Lanes>(
        runs: &[Factors<T>],
        objectives: &[f64],
    ) -> Result<(Self, Mat<f64>), Error> {
        let count = runs.len();
        error::require(
            "runs",
            count as f64,
            count >= 2,
            "at least 2 to be compared",
        )?;
        let same = |run: &Factors<T>| (run.rank, run.x.len(), run.a.len());
        let odd = runs.iter().find(|run| same(run) != same(&runs[0]));
        if let Some(odd) = odd {
            return Err(Error::Shape {
                what: "factors of a run",
                expected: runs[0].x.len(),
                found: odd.x.len(),
            });
        }
        if objectives.len() != count {
            return Err(Error::Shape {
                what: "objectives",
                expected: count,
                found: objectives.len(),
            });
        }
        let least = objectives.iter().enumerate();
        let best = least
            .min_by(|a, b| a.1.total_cmp(b.1))
            .map_or(0, |(at, _)| at);
        let atoms: Vec<Atoms> = runs.iter().map(Atoms::of).collect();
        let partners: Vec<Vec<(usize, f64)>> = atoms
            .iter()
            .map(|of_run| of_run.partners_of(&atoms[best]))
            .collect();
        let (found, medoids) = (0..runs[0].rank)
            .map(|k| returned(&atoms, &partners, best, k))
            .collect::<(Vec<_>, Vec<_>)>();
        let medoids = Mat::new(atoms[best].length(), runs[0].rank, medoids.concat())?;
        let consensus = Self {
            objectives: objectives.to_vec(),
            best,
            atoms: found,
            cosine: mean_cosine(&atoms),
            cophenetic: together::cophenetic_correlation(runs),
        };
        Ok((consensus, medoids))
    }
}

/// The mean cosine of matched atoms over all pairs of runs.
fn mean_cosine(atoms: &[Atoms]) -> f64 {
    let pairs = (0..atoms.len()).flat_map(|i| (0..i).map(move |j| (i, j)));
    let cosines: Vec<f64> = pairs
        .flat_map(|(i, j)| atoms[i].partners_of(&atoms[j]))
        .map(|(_, cosine)| cosine)
        .collect();
    cosines.iter().sum::<f64>() / cosines.len() as f64
}

/// How atom k of the best run fared, and its medoid.
fn returned(
    atoms: &[Atoms],
    partners: &[Vec<(usize, f64)>],
    best: usize,
    k: usize,
) -> (ReturnedAtom, Vec<f64>) {
    let family: Vec<&[f64]> = atoms
        .iter()
        .zip(partners)
        .map(|(of_run, partners)| of_run.atom(partners[k].0))
        .collect();
    let kinship = |run: usize| -> f64 {
        let own = family[run];
        family.iter().map(|other| cosines::cosine(own, other)).sum()
    };
    let sums: Vec<f64> = (0..family.len()).map(kinship).collect();
    let medoid = (0..sums.len())
        .max_by(|&a, &b| sums[a].total_cmp(&sums[b]).then(b.cmp(&a)))
        .unwrap_or(best);
    let others = || (0..family.len()).filter(|&run| run != best);
    let cosine = |run: usize| partners[run][k].1;
    let atom = ReturnedAtom {
        runs: 1 + others().filter(|&run| cosine(run) >= ALIKE).count(),
        cosine: others().map(cosine).sum::<f64>() / (family.len() - 1) as f64,
        medoid,
    };
    (atom, family[medoid].to_vec())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn factors(x: &[f64], a: &[f64]) -> Factors<f64> {
        let x = Mat::new(3, 2, x.to_vec()).unwrap();
        Factors::new(&x, Mat::new(2, a.len() / 2, a.to_vec()).unwrap()).unwrap()
    }

    #[test]
    fn atoms_are_found_again_under_any_order_and_scale() {
        let codes = [1.0, 0.0, 0.0, 1.0, 1.0, 0.1, 0.2, 1.0];
        let swapped = [0.0, 1.0, 1.0, 0.0, 0.1, 1.0, 1.0, 0.2];
        let runs = [
            factors(&[1.0, 0.0, 0.0, 0.0, 1.0, 0.0], &codes),
            factors(&[0.0, 5.0, 0.0, 3.0, 0.0, 0.0], &swapped),
            factors(&[1.0, 0.0, 0.0, 0.0, 0.0, 1.0], &codes),
        ];
        let (found, medoids) = Consensus::of(&runs, &[2.0, 1.0, 3.0]).unwrap();
        assert_eq!(found.best, 1);
        // Atom 0 of the best run, e₂, is missing in the third run; atom 1, e₁, is in all.
        assert_eq!((found.atoms[0].runs, found.atoms[1].runs), (2, 3));
        assert_eq!((found.atoms[0].cosine, found.atoms[1].cosine), (0.5, 1.0));
        assert_eq!(medoids.col(0), [0.0, 1.0, 0.0]);
        assert_eq!(medoids.col(1), [1.0, 0.0, 0.0]);
        assert!((found.cosine - (2.0 + 1.0 + 1.0) / 6.0).abs() < 1e-15);
        assert!((found.cophenetic - 1.0).abs() < 1e-12);
    }

    #[test]
    fn one_run_or_runs_of_two_shapes_are_refused() {
        let one = factors(&[1.0; 6], &[1.0; 4]);
        assert!(Consensus::of(std::slice::from_ref(&one), &[1.0]).is_err());
        let other = factors(&[1.0; 6], &[1.0; 6]);
        assert!(Consensus::of(&[one.clone(), other], &[1.0, 1.0]).is_err());
        assert!(Consensus::of(&[one.clone(), one], &[1.0]).is_err());
    }
}
