//! How a vector is cut in groups: consecutive ones of one size, or disjoint lists of indices.

use crate::error::{Error, require};
use crate::{Real, scratch};

/// Disjoint groups of entries. Entries in no group are not penalized.
///
/// ```
/// use proxsplit::prox::Groups;
/// let pairs = Groups::of_size(2)?;
/// let lists = Groups::from_lists(&[vec![0, 3], vec![1]])?;
/// assert_eq!((pairs.size(), lists.size()), (Some(2), None));
/// # Ok::<(), proxsplit::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Groups {
    kind: Kind,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Kind {
    Size(usize),
    /// Group g has the entries `indices[starts[g]..starts[g + 1]]`.
    Lists {
        starts: Vec<usize>,
        indices: Vec<usize>,
    },
}

impl Groups {
    /// Consecutive groups of this size, at least 1; the last may be shorter.
    pub fn of_size(size: usize) -> Result<Self, Error> {
        require("group size", size as f64, size >= 1, "at least 1")?;
        Ok(Self {
            kind: Kind::Size(size),
        })
    }

    /// Groups by their indices, none empty and no index in two of them.
    pub fn from_lists(lists: &[Vec<usize>]) -> Result<Self, Error> {
        let (starts, indices) = flatten(lists)?;
        let mut sorted = indices.clone();
        sorted.sort_unstable();
        if let Some(twice) = sorted.windows(2).find(|pair| pair[0] == pair[1]) {
            let index = twice[0];
            return Err(Error::Incompatible(format!(
                "index {index} is in the groups twice, but groups must be disjoint"
            )));
        }
        Ok(Self {
            kind: Kind::Lists { starts, indices },
        })
    }

    /// The common size of consecutive groups; `None` for lists.
    pub fn size(&self) -> Option<usize> {
        match self.kind {
            Kind::Size(size) => Some(size),
            Kind::Lists { .. } => None,
        }
    }

    /// `Ok` if every index is below `len`.
    pub(crate) fn fits(&self, len: usize) -> Result<(), Error> {
        match &self.kind {
            Kind::Size(_) => Ok(()),
            Kind::Lists { indices, .. } => indices_fit(indices, len),
        }
    }

    /// The groups of a vector of length `len` as lists, one after the other, and where each starts; entries in no group come last,
    /// each for itself. Also how many true groups there are.
    pub(crate) fn lists(&self, len: usize) -> (Vec<usize>, Vec<usize>, usize) {
        match &self.kind {
            Kind::Size(size) => {
                let starts: Vec<usize> = (0..len).step_by(*size).chain([len]).collect();
                let count = starts.len() - 1;
                (starts, (0..len).collect(), count)
            }
            Kind::Lists { starts, indices } => {
                let (mut starts, mut all, count) =
                    (starts.clone(), indices.clone(), starts.len() - 1);
                let mut is_listed = vec![false; len];
                for &index in indices {
                    is_listed[index] = true;
                }
                for index in (0..len).filter(|&index| !is_listed[index]) {
                    all.push(index);
                    starts.push(all.len());
                }
                (starts, all, count)
            }
        }
    }

    /// Σ_G term(x_G)
    pub(crate) fn sum<T: Real>(&self, x: &[T], term: impl Fn(&[T]) -> f64) -> f64 {
        match &self.kind {
            Kind::Size(size) => x.chunks(*size).map(term).sum(),
            Kind::Lists { starts, indices } => scratch::with(x.len(), |gathered: &mut [T]| {
                let lists = starts.windows(2).map(|s| &indices[s[0]..s[1]]);
                lists.map(|list| term(gather(x, list, gathered))).sum()
            }),
        }
    }

    /// max_G factor(s_G); +∞ if s ≠ 0 at an entry in no group, where nothing is penalized.
    pub(crate) fn polar<T: Real>(&self, s: &[T], factor: impl Fn(&[T]) -> f64) -> f64 {
        match &self.kind {
            Kind::Size(size) => s.chunks(*size).map(factor).fold(0.0, f64::max),
            Kind::Lists { starts, indices } => scratch::with(s.len(), |gathered: &mut [T]| {
                gathered.copy_from_slice(s);
                for &index in indices {
                    gathered[index] = T::ZERO;
                }
                if gathered.iter().any(|&s| s != T::ZERO) {
                    return f64::INFINITY;
                }
                let lists = starts.windows(2).map(|g| &indices[g[0]..g[1]]);
                let factors = lists.map(|list| factor(gather(s, list, gathered)));
                factors.fold(0.0, f64::max)
            }),
        }
    }

    /// x_G ← change(x_G) for every group.
    pub(crate) fn update<T: Real>(&self, x: &mut [T], change: impl Fn(&mut [T])) {
        match &self.kind {
            Kind::Size(size) => x.chunks_mut(*size).for_each(change),
            Kind::Lists { starts, indices } => scratch::with(x.len(), |gathered: &mut [T]| {
                for list in starts.windows(2).map(|s| &indices[s[0]..s[1]]) {
                    update_list(x, list, gathered, &change);
                }
            }),
        }
    }
}

/// The lists one after the other, and where each starts. Refuses empty ones.
pub(crate) fn flatten(lists: &[Vec<usize>]) -> Result<(Vec<usize>, Vec<usize>), Error> {
    let mut starts = vec![0];
    for (g, list) in lists.iter().enumerate() {
        if list.is_empty() {
            return Err(Error::Incompatible(format!(
                "group {g} is empty, but a group must have at least one index"
            )));
        }
        starts.push(starts[g] + list.len());
    }
    Ok((starts, lists.concat()))
}

/// `Ok` if every index is below `len`.
pub(crate) fn indices_fit(indices: &[usize], len: usize) -> Result<(), Error> {
    match indices.iter().find(|&&index| index >= len) {
        None => Ok(()),
        Some(index) => Err(Error::Incompatible(format!(
            "a group has index {index}, but the vector has length {len}"
        ))),
    }
}

fn gather<'a, T: Real>(x: &[T], list: &[usize], into: &'a mut [T]) -> &'a mut [T] {
    for (g, &index) in into.iter_mut().zip(list) {
        *g = x[index];
    }
    &mut into[..list.len()]
}

/// x_list ← change(x_list)
pub(crate) fn update_list<T: Real>(
    x: &mut [T],
    list: &[usize],
    gathered: &mut [T],
    change: impl Fn(&mut [T]),
) {
    let gathered = gather(x, list, gathered);
    change(gathered);
    for (&g, &index) in gathered.iter().zip(list) {
        x[index] = g;
    }
}

/// ‖x_list‖₂
pub(crate) fn gathered_norm<T: Real>(x: &[T], list: &[usize]) -> f64 {
    scratch::with(list.len(), |gathered: &mut [T]| {
        crate::linalg::vec::norm(gather(x, list, gathered))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_and_sizes_agree() {
        let lists = Groups::from_lists(&[vec![4], vec![0, 1], vec![3, 2]]).unwrap();
        let pairs = Groups::of_size(2).unwrap();
        let y = [1.0, 2.0, 4.0, 8.0, 16.0];
        let largest = |x: &[f64]| x.iter().copied().fold(0.0, f64::max);
        assert_eq!(lists.sum(&y, largest), 26.0);
        assert_eq!(pairs.sum(&y, largest), 26.0);
        let fill = |x: &mut [f64]| x.fill(x.iter().sum());
        for groups in [lists, pairs] {
            let mut x = y;
            groups.update(&mut x, fill);
            assert_eq!(x, [3.0, 3.0, 12.0, 12.0, 16.0]);
        }
    }

    #[test]
    fn refuses_bad_groups() {
        let message = |lists: &[Vec<usize>]| Groups::from_lists(lists).unwrap_err().to_string();
        assert_eq!(
            Groups::of_size(0).unwrap_err().to_string(),
            "group size = 0, but it must be at least 1"
        );
        assert_eq!(
            message(&[vec![1], vec![]]),
            "group 1 is empty, but a group must have at least one index"
        );
        assert_eq!(
            message(&[vec![1, 2], vec![2, 3]]),
            "index 2 is in the groups twice, but groups must be disjoint"
        );
        assert_eq!(
            Groups::from_lists(&[vec![7]])
                .unwrap()
                .fits(7)
                .unwrap_err()
                .to_string(),
            "a group has index 7, but the vector has length 7"
        );
    }
}
