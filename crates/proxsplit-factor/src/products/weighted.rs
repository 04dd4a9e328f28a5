//! Data with weights. Those of features and of samples cost next to nothing: XᵀUY is a product with the columns of Xᵀ times their
//! weights, and XᵀUX the Gram matrix of XᵀU^½. Those of single entries are for the misfits that look at every entry.

use super::{Data, Lanes, gram};
use crate::plain::Lines;
use crate::weights::{LineWeights, Weights, check_entries};
use crate::{Loss, Missing};
use proxsplit::Error;
use proxsplit::data::Matrix;

/// What a matrix of data remembers of its weights.
#[derive(Debug)]
pub(crate) struct DataWeights<'a, T> {
    pub(crate) features: Option<LineWeights<T>>,
    pub(crate) samples: Option<LineWeights<T>>,
    pub(crate) entries: Option<Matrix<'a>>,
    /// The largest product of all three, if single entries have weights.
    largest: Option<f64>,
}

impl<T> DataWeights<'_, T> {
    pub(super) const NONE: Self = Self {
        features: None,
        samples: None,
        entries: None,
        largest: None,
    };
}

impl<'a, T: Lanes> Data<'a, T> {
    /// The same data with weights: the misfit is Σ w_it ℓ(y_it, z_it). Penalties keep their meaning.
    ///
    /// Refuses weights that are negative, not finite or all 0, and those that do not fit the data.
    pub fn with_weights(mut self, weights: Weights<'a>) -> Result<Self, Error> {
        let lines = |what, weights: Option<&[f64]>, count| {
            weights
                .map(|weights| LineWeights::new(what, weights, count))
                .transpose()
        };
        self.weights.features = lines("feature", weights.features, self.rows())?;
        self.weights.samples = lines("sample", weights.samples, self.cols())?;
        if let Some(entries) = weights.entries {
            check_entries(entries, self.matrix)?;
            if matches!(entries, Matrix::Sparse(_)) && self.missing != Missing::Unstored {
                return Err(Error::Incompatible(
                    "sparse weights have none for entries that are not stored: declare those entries as missing (unstored)".into(),
                ));
            }
            self.weights.entries = Some(entries);
            self.weights.largest = Some(Lines::of(&self, Loss::Squared).largest_weight());
        }
        if self.is_weighted() {
            self.square = 2.0 * Lines::of(&self, Loss::Squared).value_at_zero();
            if self.square == 0.0 || !self.square.is_finite() {
                return Err(Error::Incompatible(format!(
                    "½Σ w·y² is {}: the weights leave nothing to fit, or overflow in this precision; give weight to nonzero entries, or scale the weights",
                    0.5 * self.square
                )));
            }
        }
        Ok(self)
    }

    /// Whether entries have weights besides being missing or not.
    pub fn is_weighted(&self) -> bool {
        let DataWeights {
            features,
            samples,
            entries,
            ..
        } = &self.weights;
        features.is_some() || samples.is_some() || entries.is_some()
    }

    /// All weights.
    pub(crate) fn weights(&self) -> &DataWeights<'a, T> {
        &self.weights
    }

    /// The largest weight of features, which bounds the curvature of a row of X.
    pub(crate) fn largest_of_features(&self) -> f64 {
        self.weights.features.as_ref().map_or(1.0, |u| u.largest)
    }

    /// The largest weight of samples, which bounds the curvature of a code.
    pub(crate) fn largest_of_samples(&self) -> f64 {
        self.weights.samples.as_ref().map_or(1.0, |v| v.largest)
    }

    /// The largest weight of an entry.
    pub(crate) fn largest_weight(&self) -> f64 {
        let of_lines = self.largest_of_features() * self.largest_of_samples();
        self.weights.largest.unwrap_or(of_lines)
    }

    /// out (K × K) ← XᵀUX
    pub(crate) fn gram_of_atoms(&self, out: &mut [T], x: &[T], rank: usize) {
        self.with_rooted_atoms(x, rank, |x| gram(out, x, rank));
    }

    /// out (K × K) ← AVAᵀ for the codes of the samples from `first` on.
    pub(crate) fn gram_of_codes(&self, out: &mut [T], codes: &[T], (rank, first): (usize, usize)) {
        self.with_rooted_codes(codes, (rank, first), |codes| gram(out, codes, rank));
    }

    /// Calls `work` with XᵀU^½.
    pub(crate) fn with_rooted_atoms<R>(
        &self,
        x: &[T],
        rank: usize,
        work: impl FnOnce(&[T]) -> R,
    ) -> R {
        match &self.weights.features {
            None => work(x),
            Some(u) => u.with_rooted(x, (rank, 0), work),
        }
    }

    /// Calls `work` with AV^½ for the codes of the samples from `first` on.
    pub(crate) fn with_rooted_codes<R>(
        &self,
        codes: &[T],
        place: (usize, usize),
        work: impl FnOnce(&[T]) -> R,
    ) -> R {
        match &self.weights.samples {
            None => work(codes),
            Some(v) => v.with_rooted(codes, place, work),
        }
    }
}
