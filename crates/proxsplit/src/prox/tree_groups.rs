//! g(x) = Σ_G w_G‖x_G‖₂ over groups that form a forest: any two are disjoint or one contains the other.
//!
//! R. Jenatton, J. Mairal, G. Obozinski, F. Bach, "Proximal methods for hierarchical sparse coding", 2011: the prox of the
//! sum is the composition of the single ones, each group after all groups that it contains.

use super::groups::{flatten, gathered_norm, indices_fit, update_list};
use super::l2::shorten;
use crate::dual;
use crate::error::{Error, length, nonnegative};
use crate::linalg::vec::norm;
use crate::{Form, Prox, Real, scratch};

/// Tree-structured groups: each x_G is shortened by ηw_G, leaves first. Convex.
///
/// ```
/// use proxsplit::{Prox, prox::TreeGroups};
/// // The root holds entries 0, 1 and 2, its child only entry 2.
/// let g = TreeGroups::new(&[vec![0, 1, 2], vec![2]], &[1.0, 0.5])?;
/// let mut x = [3.0_f64, 4.0, 0.5];
/// g.prox(&mut x, 1.0);
/// assert!((x[0] - 2.4).abs() < 1e-12 && x[2] == 0.0);
/// # Ok::<(), proxsplit::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct TreeGroups {
    /// Ordered by size, so that every group comes after those inside it.
    starts: Vec<usize>,
    indices: Vec<usize>,
    weights: Vec<f64>,
}

impl TreeGroups {
    /// Σ_G w_G‖x_G‖₂ with a weight w_G ≥ 0 for every group. Any two groups are disjoint or nested.
    pub fn new(groups: &[Vec<usize>], weights: &[f64]) -> Result<Self, Error> {
        length("weights of the groups", weights, groups.len())?;
        for &w in weights {
            nonnegative("weight of a group", w)?;
        }
        flatten(groups)?;
        let mut order: Vec<usize> = (0..groups.len()).collect();
        order.sort_by_key(|&g| groups[g].len());
        refuse_overlaps(groups, &order)?;
        let sorted: Vec<Vec<usize>> = order.iter().map(|&g| groups[g].clone()).collect();
        let (starts, indices) = flatten(&sorted)?;
        Ok(Self {
            starts,
            indices,
            weights: order.iter().map(|&g| weights[g]).collect(),
        })
    }

    /// The groups with their weights, those inside another before it.
    pub fn groups(&self) -> impl Iterator<Item = (&[usize], f64)> {
        let lists = self.starts.windows(2).map(|s| &self.indices[s[0]..s[1]]);
        lists.zip(self.weights.iter().copied())
    }
}

/// Visits the groups from small to large and remembers for each index the last group that took it: the next group must
/// hold all of that group or nothing.
fn refuse_overlaps(groups: &[Vec<usize>], order: &[usize]) -> Result<(), Error> {
    const NOBODY: usize = usize::MAX;
    let len = groups.iter().flatten().max().map_or(0, |&index| index + 1);
    let mut owner = vec![NOBODY; len];
    let mut met = vec![0; groups.len()];
    for &g in order {
        for &index in groups[g].iter().filter(|&&index| owner[index] != NOBODY) {
            met[owner[index]] += 1;
        }
        for &index in &groups[g] {
            let before = std::mem::replace(&mut owner[index], g);
            if before == g {
                return Err(Error::Incompatible(format!(
                    "index {index} is in group {g} twice"
                )));
            }
            if before != NOBODY && met[before] < groups[before].len() {
                return Err(Error::Incompatible(format!(
                    "groups {before} and {g} overlap and neither contains the other, but the groups must form a tree"
                )));
            }
        }
    }
    Ok(())
}

impl<T: Real> Prox<T> for TreeGroups {
    fn value(&self, x: &[T]) -> f64 {
        self.groups()
            .map(|(list, weight)| weight * gathered_norm(x, list))
            .sum()
    }

    fn prox(&self, x: &mut [T], step: T) {
        scratch::with(x.len(), |gathered: &mut [T]| {
            for (list, weight) in self.groups() {
                let by = weight * step.f64();
                update_list(x, list, gathered, |group| shorten(group, by));
            }
        });
    }

    /// 0 where the prox of step 1 vanishes.
    fn conjugate(&self, s: &[T]) -> Option<f64> {
        Some(dual::cone(dual::vanishes(self, s, 1.0)))
    }

    fn polar(&self, s: &[T]) -> Option<f64> {
        let weights = self.weights.iter().filter(|&&w| w > 0.0);
        let least = weights.fold(f64::INFINITY, |least, &w| least.min(w));
        Some(dual::bisect(self, s, dual::ratio(norm(s), least)))
    }

    fn fits(&self, len: usize) -> Result<(), Error> {
        indices_fit(&self.indices, len)
    }

    fn form(&self) -> Form {
        Form::default().absolute().homogeneous()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::{contract, extremes};

    fn tree() -> (Vec<Vec<usize>>, Vec<f64>) {
        let groups = vec![
            vec![0, 1, 2, 3, 4],
            vec![1, 2],
            vec![2],
            vec![3, 4],
            vec![6, 5],
        ];
        (groups, vec![0.5, 0.4, 0.3, 0.6, 1.0])
    }

    #[test]
    fn keeps_the_contract() {
        let (groups, weights) = tree();
        let g = TreeGroups::new(&groups, &weights).unwrap();
        contract(&g, 8);
        extremes(&g, 8);
        contract(&TreeGroups::new(&groups, &[0.0; 5]).unwrap(), 7);
        contract(
            &TreeGroups::new(&[vec![1, 0], vec![0, 1]], &[0.3, 0.2]).unwrap(),
            2,
        );
    }

    /// Dykstra's splitting finds the prox of a sum from the single ones in any order.
    #[test]
    fn equals_dykstra_from_root_to_leaves() {
        let (groups, weights) = tree();
        let y = [0.9, -1.4, 2.0, 0.3, -0.8, 1.5, 0.2];
        let mut composed = y;
        TreeGroups::new(&groups, &weights)
            .unwrap()
            .prox(&mut composed, 0.8);
        let mut x = y;
        let mut corrections = vec![[0.0; 7]; groups.len()];
        for _ in 0..3000 {
            for (g, correction) in corrections.iter_mut().enumerate() {
                let before: [f64; 7] = std::array::from_fn(|i| x[i] + correction[i]);
                x = before;
                update_list(&mut x, &groups[g], &mut [0.0; 7], |group| {
                    shorten(group, 0.8 * weights[g]);
                });
                *correction = std::array::from_fn(|i| before[i] - x[i]);
            }
        }
        for (a, b) in composed.iter().zip(x) {
            assert!((a - b).abs() < 1e-9, "{composed:?} is not {x:?}");
        }
    }

    #[test]
    fn refuses_what_is_not_a_tree() {
        let message = |groups: &[Vec<usize>]| {
            let weights = vec![1.0; groups.len()];
            TreeGroups::new(groups, &weights).unwrap_err().to_string()
        };
        assert_eq!(
            message(&[vec![0, 1, 2], vec![2, 3]]),
            "groups 1 and 0 overlap and neither contains the other, but the groups must form a tree"
        );
        assert_eq!(message(&[vec![0, 0]]), "index 0 is in group 0 twice");
        assert_eq!(
            message(&[vec![]]),
            "group 0 is empty, but a group must have at least one index"
        );
        assert!(TreeGroups::new(&[vec![0]], &[-1.0]).is_err());
        assert!(TreeGroups::new(&[vec![0]], &[1.0, 1.0]).is_err());
    }
}
