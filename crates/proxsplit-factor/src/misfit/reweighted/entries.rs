//! The entries of every line of the data with their weights, read where they are stored; sparse data are sorted by both sides once.

use crate::Missing;
use crate::products::{Data, Lanes};
use proxsplit::data::{Dense, Element, Matrix, Sparse, StorageOrder};
use proxsplit::internal::dispatch;
use proxsplit::internal::scratch;

/// The columns or the rows of the data.
pub(super) struct Entries<'a, T> {
    source: Source<'a, T>,
    scale: f64,
    /// The weights of whole lines and along every line.
    lines: Vec<T>,
    along: Vec<T>,
    by_columns: bool,
}

enum Source<'a, T> {
    Dense(Dense<'a>, Option<Dense<'a>>),
    Sparse {
        stored: Stored<T>,
        /// Whether entries that are not stored are missing.
        only_stored: bool,
    },
}

/// Places, numbers and weights, line by line.
struct Stored<T> {
    starts: Vec<usize>,
    indices: Vec<u32>,
    numbers: Vec<T>,
    weights: Vec<T>,
}

/// The entries of a line.
pub(super) struct Line<'a, T> {
    /// Where they are; `None` if none is left out.
    indices: Option<&'a [u32]>,
    pub(super) y: &'a [T],
    /// 0 where an entry is missing.
    pub(super) weights: &'a mut [T],
}

impl<T: Lanes> Line<'_, T> {
    /// The column of F that entry p meets.
    pub(super) fn column<'f>(&self, factor: &'f [T], rank: usize, p: usize) -> &'f [T] {
        let at = self.indices.map_or(p, |indices| indices[p] as usize);
        &factor[at * rank..][..rank]
    }
}

impl<'a, T: Lanes> Entries<'a, T> {
    /// By columns and by rows.
    pub(super) fn both(data: &Data<'a, T>) -> [Self; 2] {
        [true, false].map(|by_columns| Self::new(data, by_columns))
    }

    fn new(data: &Data<'a, T>, by_columns: bool) -> Self {
        let weights = data.weights();
        let list = |weights: Option<&crate::weights::LineWeights<T>>, count: usize| {
            weights.map_or_else(|| vec![T::ONE; count], |w| w.weights.clone())
        };
        let (u, v) = (
            list(weights.features.as_ref(), data.rows()),
            list(weights.samples.as_ref(), data.cols()),
        );
        let (lines, along) = if by_columns { (v, u) } else { (u, v) };
        let source = match (data.matrix(), weights.entries) {
            (Matrix::Dense(dense), Some(Matrix::Dense(of))) => Source::Dense(dense, Some(of)),
            (Matrix::Dense(dense), _) => Source::Dense(dense, None),
            (Matrix::Sparse(sparse), of) => Source::Sparse {
                stored: Stored::new(sparse, of, by_columns),
                only_stored: data.missing_kind() == Missing::Unstored,
            },
        };
        Self {
            source,
            scale: data.scale(),
            lines,
            along,
            by_columns,
        }
    }

    /// How many lines there are.
    pub(super) fn count(&self) -> usize {
        self.lines.len()
    }

    /// Calls `work` with the entries of a line.
    pub(super) fn with_line<R>(&self, line: usize, work: impl FnOnce(Line<'_, T>) -> R) -> R {
        let length = match &self.source {
            Source::Sparse {
                stored,
                only_stored: true,
            } => stored.starts[line + 1] - stored.starts[line],
            _ => self.along.len(),
        };
        scratch::with(2 * length, |space: &mut [T]| {
            let (y, weights) = space.split_at_mut(length);
            let indices = self.read(line, y, weights);
            let inverse = T::of(1.0 / self.scale);
            for (p, (y, weight)) in y.iter_mut().zip(&mut *weights).enumerate() {
                let at = indices.map_or(p, |indices| indices[p] as usize);
                let is_missing = !y.is_finite();
                *weight *= if is_missing {
                    T::ZERO
                } else {
                    self.lines[line] * self.along[at]
                };
                *y = if is_missing { T::ZERO } else { *y * inverse };
            }
            work(Line {
                indices,
                y,
                weights,
            })
        })
    }

    /// Numbers and weights of entries as they are stored.
    fn read(&self, line: usize, y: &mut [T], weights: &mut [T]) -> Option<&[u32]> {
        match &self.source {
            Source::Dense(dense, of) => {
                read_line(*dense, (line, self.by_columns), y);
                match of {
                    None => weights.fill(T::ONE),
                    Some(of) => read_line(*of, (line, self.by_columns), weights),
                }
                None
            }
            Source::Sparse {
                stored,
                only_stored,
            } => {
                let part = stored.starts[line]..stored.starts[line + 1];
                let indices = &stored.indices[part.clone()];
                if *only_stored {
                    y.copy_from_slice(&stored.numbers[part.clone()]);
                    weights.copy_from_slice(&stored.weights[part]);
                    return Some(indices);
                }
                y.fill(T::ZERO);
                weights.fill(T::ONE);
                for (&at, &number) in indices.iter().zip(&stored.numbers[part]) {
                    y[at as usize] = number;
                }
                None
            }
        }
    }
}

/// out ← a column or a row of an array of any order.
fn read_line<T: Lanes>(dense: Dense<'_>, (line, is_column): (usize, bool), out: &mut [T]) {
    let is_along = (dense.order() == StorageOrder::ColumnMajor) == is_column;
    let (start, stride) = if is_along {
        (line * out.len(), 1)
    } else {
        (line, dense.elements().len() / out.len())
    };
    dispatch!(Elements: dense.elements() => values, {
        for (out, value) in out.iter_mut().zip(values[start..].iter().step_by(stride)) {
            *out = T::of(value.f64());
        }
    });
}

impl<T: Lanes> Stored<T> {
    fn new(sparse: Sparse<'_>, weights: Option<Matrix<'_>>, by_columns: bool) -> Self {
        let (starts, indices, elements) = (sparse.starts(), sparse.indices(), sparse.elements());
        let weight = |at: usize| match weights {
            Some(Matrix::Sparse(weights)) => weights.elements().get(at),
            _ => 1.0,
        };
        let is_along = (sparse.order() == StorageOrder::ColumnMajor) == by_columns;
        let lines = if by_columns {
            sparse.cols()
        } else {
            sparse.rows()
        };
        let stored = |line: usize| starts.get(line)..starts.get(line + 1);
        let mut triples = Vec::with_capacity(indices.len());
        for line in 0..starts.len() - 1 {
            triples.extend(stored(line).map(|at| {
                let index = indices.get(at);
                let (own, other) = if is_along {
                    (line, index)
                } else {
                    (index, line)
                };
                (own, other as u32, at)
            }));
        }
        // Stable, so that places along a line stay in order.
        triples.sort_by_key(|(own, ..)| *own);
        let mut counts = vec![0; lines + 1];
        for (own, ..) in &triples {
            counts[own + 1] += 1;
        }
        for line in 0..lines {
            counts[line + 1] += counts[line];
        }
        Self {
            starts: counts,
            indices: triples.iter().map(|(_, other, _)| *other).collect(),
            numbers: triples
                .iter()
                .map(|(.., at)| T::of(elements.get(*at)))
                .collect(),
            weights: triples.iter().map(|(.., at)| T::of(weight(*at))).collect(),
        }
    }
}
