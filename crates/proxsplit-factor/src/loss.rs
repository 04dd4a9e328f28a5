//! The losses, and what each asks of data and terms.

use crate::products::{Data, Lanes};
use proxsplit::Mat;
use proxsplit::data::{Matrix, StorageOrder};
use proxsplit::{Error, Kind, Prox};
use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;

/// How the misfit of Y and Z = XA is counted.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
#[non_exhaustive]
pub enum Loss {
    /// Σ (y − z)²/2
    #[default]
    Squared,
    /// Kullback–Leibler, Σ y log(y/z) − y + z: counts, spectra.
    KullbackLeibler,
    /// Σ h(y − z), h(r) = r²/2 up to the given bound and linear beyond: outliers.
    Huber(f64),
}

impl Loss {
    /// The names, in the order of their documentation.
    pub const NAMES: &'static [&'static str] = &["squared", "kl", "huber:D"];

    /// Whether it is the one that is meant if nothing is said.
    #[allow(clippy::trivially_copy_pass_by_ref)] // serde asks with a reference.
    pub(crate) fn is_usual(&self) -> bool {
        *self == Loss::default()
    }

    /// The |y − z| up to which it is a square.
    pub(crate) fn bound(self) -> f64 {
        match self {
            Loss::Huber(bound) => bound,
            Loss::Squared | Loss::KullbackLeibler => f64::INFINITY,
        }
    }

    /// h(r) of a loss that depends on r = y − z alone.
    pub(crate) fn of_residual(self, r: f64) -> f64 {
        let bound = self.bound();
        if r.abs() <= bound {
            0.5 * r * r
        } else {
            bound * (r.abs() - 0.5 * bound)
        }
    }

    /// Refuses data that the loss is not defined for.
    pub(crate) fn check_data<T: Lanes>(self, data: &Data<'_, T>) -> Result<(), Error> {
        if self != Loss::KullbackLeibler {
            return Ok(());
        }
        if data.is_weighted() {
            return Err(Error::Incompatible(
                "kl does not support weights: use squared or huber:D".into(),
            ));
        }
        match first_negative(data.matrix()) {
            None => Ok(()),
            Some((row, column, value)) => Err(Error::Incompatible(format!(
                "row {row}, column {column} of the data (counting from 0) is {value}, but kl needs nonnegative data: use squared"
            ))),
        }
    }

    /// Refuses graphs if the sub-problems of the loss cannot take them.
    pub(crate) fn check_graphs(self, are_there: bool) -> Result<(), Error> {
        if are_there && self == Loss::KullbackLeibler {
            return Err(Error::Incompatible(
                "kl does not support graphs: use squared or huber:D".into(),
            ));
        }
        Ok(())
    }

    /// Refuses given atoms that the loss cannot take.
    pub(crate) fn check_atoms<T: Lanes>(self, x: &Mat<T>) -> Result<(), Error> {
        match x.data().iter().position(|&value| value < T::ZERO) {
            Some(at) if self == Loss::KullbackLeibler => Err(Error::Incompatible(format!(
                "atom {} of X has a negative entry, but kl needs X >= 0",
                at / x.rows()
            ))),
            _ => Ok(()),
        }
    }

    /// Refuses a term of X or A that the sub-problems of the loss cannot take.
    pub(crate) fn check_term<T: Lanes>(self, of: &str, term: &dyn Prox<T>) -> Result<(), Error> {
        let is_simple = term.elementary().is_some_and(|term| term.lower >= 0.0);
        let radius = simplex_radius(term);
        if self != Loss::KullbackLeibler || is_simple || (of == "A" && radius.is_some()) {
            return Ok(());
        }
        let advice = match radius {
            Some(_) => {
                "a simplex is supported for A only; for X use nonneg and divide the atoms by their sums afterwards, which leaves XA as it is"
            }
            None => "use nonneg, box:L,U with L >= 0, or simplex:R for A",
        };
        Err(Error::Incompatible(format!(
            "kl needs {of} to be nonnegative and supports only the penalties l1, sql2 and elastic: {advice}"
        )))
    }
}

/// R, if the term is the simplex a ≥ 0, Σa = R, and nothing else.
pub(crate) fn simplex_radius<T: Lanes>(term: &dyn Prox<T>) -> Option<f64> {
    match term.form().kind {
        Kind::Sum {
            lower: 0.0,
            upper: f64::INFINITY,
            total,
        } if total > 0.0 => Some(total),
        _ => None,
    }
}

impl fmt::Display for Loss {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Loss::Squared => out.write_str("squared"),
            Loss::KullbackLeibler => out.write_str("kl"),
            Loss::Huber(bound) => write!(out, "huber:{bound}"),
        }
    }
}

impl FromStr for Loss {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self, Error> {
        match text {
            "squared" => return Ok(Loss::Squared),
            "kl" => return Ok(Loss::KullbackLeibler),
            _ => {}
        }
        let bound = text.strip_prefix("huber:").map(str::parse::<f64>);
        match bound {
            Some(Ok(bound)) if bound > 0.0 && bound.is_finite() => Ok(Loss::Huber(bound)),
            Some(_) => Err(Error::Incompatible(format!(
                "the loss '{text}' needs a number above 0, as in huber:0.1"
            ))),
            None => Err(Error::Incompatible(format!(
                "unknown loss '{text}': use {}",
                Self::NAMES.join(", ")
            ))),
        }
    }
}

impl TryFrom<String> for Loss {
    type Error = Error;

    fn try_from(text: String) -> Result<Self, Error> {
        text.parse()
    }
}

impl From<Loss> for String {
    fn from(loss: Loss) -> Self {
        loss.to_string()
    }
}

/// Row, column and value of the first negative entry.
fn first_negative(matrix: Matrix<'_>) -> Option<(usize, usize, f64)> {
    let (order, line, place, value) = match matrix {
        Matrix::Dense(dense) => {
            let at = dense.elements().first_negative()?;
            let width = match dense.order() {
                StorageOrder::ColumnMajor => dense.rows(),
                StorageOrder::RowMajor => dense.cols(),
            };
            (
                dense.order(),
                at / width,
                at % width,
                dense.elements().get(at),
            )
        }
        Matrix::Sparse(sparse) => {
            let at = sparse.elements().first_negative()?;
            let starts = sparse.starts();
            let line = (1..starts.len()).find(|&line| starts.get(line) > at)? - 1;
            let place = sparse.indices().get(at);
            (sparse.order(), line, place, sparse.elements().get(at))
        }
    };
    Some(match order {
        StorageOrder::ColumnMajor => (place, line, value),
        StorageOrder::RowMajor => (line, place, value),
    })
}
