//! Weights of entries, w_it = u_i·v_t·W_it: of features, of samples and of single entries. A weight of 0 is a missing entry.

use crate::products::Lanes;
use proxsplit::Error;
use proxsplit::data::{Matrix, StorageOrder};
use proxsplit::internal::scratch;

/// Weights that are at least 0; what is absent is 1.
#[derive(Debug, Clone, Copy, Default)]
pub struct Weights<'a> {
    /// u, one for every row of Y.
    pub features: Option<&'a [f64]>,
    /// v, one for every column of Y.
    pub samples: Option<&'a [f64]>,
    /// W: dense for dense data, or sparse with the pattern of sparse data, whose other entries then are missing.
    pub entries: Option<Matrix<'a>>,
}

/// The weights of all lines of one side, u or v.
#[derive(Debug)]
pub(crate) struct LineWeights<T> {
    pub(crate) weights: Vec<T>,
    roots: Vec<T>,
    pub(crate) largest: f64,
    has_zeros: bool,
}

impl<T: Lanes> LineWeights<T> {
    /// Refuses another number of weights, and weights that are negative, not finite, or all 0.
    pub(crate) fn new(what: &str, weights: &[f64], lines: usize) -> Result<Self, Error> {
        if weights.len() != lines {
            return Err(Error::Incompatible(format!(
                "there are {} weights of {what}s, but {lines} {what}s",
                weights.len()
            )));
        }
        let narrow: Vec<T> = weights.iter().map(|&w| T::of(w)).collect();
        for (at, (&given, weight)) in weights.iter().zip(&narrow).enumerate() {
            if !(given >= 0.0 && weight.is_finite()) {
                return Err(Error::Incompatible(format!(
                    "the weight of {what} {at} (counting from 0) is {given}, but it must be a finite number that is at least 0"
                )));
            }
        }
        let largest = narrow.iter().map(|w| w.f64()).fold(0.0, f64::max);
        if largest == 0.0 {
            return Err(Error::Incompatible(format!(
                "all weights of {what}s are 0: at least one must be positive"
            )));
        }
        Ok(Self {
            roots: narrow.iter().map(|w| w.sqrt()).collect(),
            has_zeros: narrow.contains(&T::ZERO),
            weights: narrow,
            largest,
        })
    }

    /// Calls `work` with the factor, its columns from line `first` on times their weights.
    pub(crate) fn with_weighted<R>(
        &self,
        factor: &[T],
        (rank, first): (usize, usize),
        work: impl FnOnce(&[T]) -> R,
    ) -> R {
        with_scaled(factor, rank, &self.weights[first..], work)
    }

    /// The same with the roots of the weights, for Gram matrices.
    pub(crate) fn with_rooted<R>(
        &self,
        factor: &[T],
        (rank, first): (usize, usize),
        work: impl FnOnce(&[T]) -> R,
    ) -> R {
        with_scaled(factor, rank, &self.roots[first..], work)
    }

    /// slope ← the weights of its columns times it.
    pub(crate) fn weigh(&self, slope: &mut [T], rank: usize) {
        self.weigh_from(slope, (rank, 0));
    }

    /// The same for the lines from `first` on.
    pub(crate) fn weigh_from(&self, slope: &mut [T], (rank, first): (usize, usize)) {
        let columns = slope.chunks_exact_mut(rank).zip(&self.weights[first..]);
        for (column, &weight) in columns {
            for value in column {
                *value *= weight;
            }
        }
    }

    /// Lines of weight 0 have no data.
    pub(crate) fn drop_unweighted(&self, linear: &mut [T], (rank, first): (usize, usize)) {
        if self.has_zeros {
            let lines = linear.chunks_exact_mut(rank).zip(&self.weights[first..]);
            let dropped = lines.filter(|(_, weight)| **weight == T::ZERO);
            dropped.for_each(|(line, _)| line.fill(T::ZERO));
        }
    }
}

fn with_scaled<T: Lanes, R>(
    factor: &[T],
    rank: usize,
    weights: &[T],
    work: impl FnOnce(&[T]) -> R,
) -> R {
    scratch::with(factor.len(), |scaled: &mut [T]| {
        let columns = scaled
            .chunks_exact_mut(rank)
            .zip(factor.chunks_exact(rank))
            .zip(weights);
        for ((scaled, column), &weight) in columns {
            for (scaled, &value) in scaled.iter_mut().zip(column) {
                *scaled = value * weight;
            }
        }
        work(scaled)
    })
}

/// Refuses weights of entries that are negative or not finite, of another shape, or of another pattern than the data.
pub(crate) fn check_entries(weights: Matrix<'_>, data: Matrix<'_>) -> Result<(), Error> {
    let (found, expected) = ((weights.rows(), weights.cols()), (data.rows(), data.cols()));
    if found != expected {
        return Err(Error::Incompatible(format!(
            "the weights are {} × {}, but the data are {} × {}: give one weight for every entry",
            found.0, found.1, expected.0, expected.1
        )));
    }
    let elements = match (weights, data) {
        (Matrix::Dense(dense), Matrix::Dense(_)) => dense.elements(),
        (Matrix::Sparse(sparse), Matrix::Sparse(of)) if same_pattern(sparse, of) => {
            sparse.elements()
        }
        (Matrix::Sparse(_), Matrix::Sparse(_)) => {
            return Err(Error::Incompatible(
                "the weights must be stored where the data are, in the same order, and nowhere else".into(),
            ));
        }
        (Matrix::Dense(_), Matrix::Sparse(_)) => {
            return Err(Error::Incompatible(
                "the weights are dense, but the data are sparse: give sparse weights with the data's pattern".into(),
            ));
        }
        (Matrix::Sparse(_), Matrix::Dense(_)) => {
            return Err(Error::Incompatible(
                "the weights are sparse, but the data are dense: give dense weights".into(),
            ));
        }
    };
    let bad = (0..elements.len()).find(|&at| {
        let weight = elements.get(at);
        !(weight >= 0.0 && weight.is_finite())
    });
    match bad {
        None => Ok(()),
        Some(at) => {
            let (row, column) = place(weights, at);
            Err(Error::Incompatible(format!(
                "the weight of row {row}, column {column} (counting from 0) is {}, but it must be a finite number that is at least 0",
                elements.get(at)
            )))
        }
    }
}

fn same_pattern(one: proxsplit::data::Sparse<'_>, other: proxsplit::data::Sparse<'_>) -> bool {
    let (lines, stored) = (one.starts().len(), one.indices().len());
    one.order() == other.order()
        && lines == other.starts().len()
        && stored == other.indices().len()
        && (0..lines).all(|at| one.starts().get(at) == other.starts().get(at))
        && (0..stored).all(|at| one.indices().get(at) == other.indices().get(at))
}

/// Row and column of a stored number.
pub(crate) fn place(matrix: Matrix<'_>, at: usize) -> (usize, usize) {
    let (order, line, across) = match matrix {
        Matrix::Dense(dense) => {
            let width = match dense.order() {
                StorageOrder::ColumnMajor => dense.rows(),
                StorageOrder::RowMajor => dense.cols(),
            };
            (dense.order(), at / width, at % width)
        }
        Matrix::Sparse(sparse) => {
            let starts = sparse.starts();
            let line = (1..starts.len()).find(|&line| starts.get(line) > at);
            (
                sparse.order(),
                line.map_or(0, |line| line - 1),
                sparse.indices().get(at),
            )
        }
    };
    match order {
        StorageOrder::ColumnMajor => (across, line),
        StorageOrder::RowMajor => (line, across),
    }
}
