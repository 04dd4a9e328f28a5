//! Some rows of a matrix.

/// A stretch of rows, or a list of them in any order and with repetitions.
#[derive(Debug, Clone, Copy)]
pub enum Picked<'a> {
    /// Rows `start .. start + len`.
    Stretch { start: usize, len: usize },
    /// These rows.
    Listed(&'a [usize]),
}

impl<'a> Picked<'a> {
    /// These rows; seen as a stretch if they follow one another, which is faster and gives the same bits as a stretch.
    pub(crate) fn list(list: &'a [usize]) -> Self {
        match list {
            [start, ..] if list.iter().enumerate().all(|(k, &i)| i == start + k) => {
                Picked::Stretch {
                    start: *start,
                    len: list.len(),
                }
            }
            _ => Picked::Listed(list),
        }
    }

    pub(crate) fn len(self) -> usize {
        match self {
            Picked::Stretch { len, .. } => len,
            Picked::Listed(list) => list.len(),
        }
    }

    /// The row at place `k`.
    #[inline(always)]
    pub(crate) fn at(self, k: usize) -> usize {
        match self {
            Picked::Stretch { start, .. } => start + k,
            Picked::Listed(list) => list[k],
        }
    }

    pub(crate) fn iter(self) -> impl Iterator<Item = usize> + 'a {
        (0..self.len()).map(move |k| self.at(k))
    }

    /// The rows at the places `from ..`, at most `most` of them.
    pub(crate) fn part(self, from: usize, most: usize) -> Picked<'a> {
        let len = most.min(self.len() - from);
        match self {
            Picked::Stretch { start, .. } => Picked::Stretch {
                start: start + from,
                len,
            },
            Picked::Listed(list) => Picked::Listed(&list[from..from + len]),
        }
    }

    /// Consecutive parts of `size` rows; the last may be shorter.
    pub(crate) fn parts(self, size: usize) -> impl Iterator<Item = Picked<'a>> {
        (0..self.len())
            .step_by(size)
            .map(move |from| self.part(from, size))
    }
}
