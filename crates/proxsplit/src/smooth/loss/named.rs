//! The losses by name.

use super::{
    CauchyLoss, GemanMcClureLoss, HuberLoss, LogisticLoss, Loss, SigmoidLoss, SquaredLoss,
};
use crate::data::Matrix;
use crate::smooth::{Linear, LinearModel};
use crate::{Error, Real};
use std::fmt;
use std::str::FromStr;

/// Names of the losses with their meaning.
pub const LOSSES: [(&str, &str); 6] = [
    ("least-squares", "Σ (aᵀx − b)²/2"),
    ("logistic", "Σ log(1 + exp(−b·aᵀx)), targets b = ±1"),
    (
        "huber:D",
        "Σ r²/2 for |r| ≤ D, else D|r| − D²/2, r = aᵀx − b; D = 1 by default",
    ),
    ("sigmoid", "Σ 1/(1 + exp(b·aᵀx)), targets b = ±1, nonconvex"),
    (
        "cauchy:C",
        "Σ (C²/2)·log(1 + (r/C)²), nonconvex; C = 1 by default",
    ),
    (
        "geman-mcclure:C",
        "Σ (r²/2)/(1 + r²/C²), nonconvex; C = 1 by default",
    ),
];

/// A loss with its parameter, and the text that named it.
///
/// ```
/// use proxsplit::smooth::loss::Named;
/// let loss: Named = "huber:1.5".parse()?;
/// assert_eq!(loss.to_string(), "huber:1.5");
/// assert!("hinge".parse::<Named>().is_err());
/// # Ok::<(), proxsplit::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Named {
    text: String,
    kind: Kind,
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum Kind {
    Squared(SquaredLoss),
    Logistic(LogisticLoss),
    Huber(HuberLoss),
    Sigmoid(SigmoidLoss),
    Cauchy(CauchyLoss),
    GemanMcClure(GemanMcClureLoss),
}

/// What a model has besides its loss, data and targets.
#[derive(Debug, Clone, Copy, Default)]
pub struct Shape<'a> {
    /// Whether the mean stands in place of the sum.
    pub mean: bool,
    /// Whether x has an intercept at its end.
    pub intercept: bool,
    /// A weight for every row.
    pub weights: Option<&'a [f64]>,
}

impl FromStr for Kind {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self, Error> {
        let (name, number) = match text.split_once(':') {
            None => (text, None),
            Some((name, number)) => (name, Some(number)),
        };
        let parameter = match number {
            None => Ok(1.0),
            Some(number) => number.parse().map_err(|_| {
                Error::Incompatible(format!(
                    "the parameter of the loss {name} is '{number}', but it must be a number"
                ))
            }),
        };
        let plain = |loss| match number {
            None => Ok(loss),
            Some(_) => Err(Error::Incompatible(format!(
                "the loss {name} takes no parameter: write {name} alone"
            ))),
        };
        match name {
            "least-squares" => plain(Kind::Squared(SquaredLoss)),
            "logistic" => plain(Kind::Logistic(LogisticLoss)),
            "sigmoid" => plain(Kind::Sigmoid(SigmoidLoss)),
            "huber" => Ok(Kind::Huber(HuberLoss::new(parameter?)?)),
            "cauchy" => Ok(Kind::Cauchy(CauchyLoss::new(parameter?)?)),
            "geman-mcclure" => Ok(Kind::GemanMcClure(GemanMcClureLoss::new(parameter?)?)),
            _ => Err(Error::Incompatible(format!(
                "unknown loss '{name}': use one of {}",
                LOSSES.map(|(name, _)| name).join(", ")
            ))),
        }
    }
}

impl FromStr for Named {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self, Error> {
        let (text, kind) = (text.to_owned(), text.parse()?);
        Ok(Self { text, kind })
    }
}

impl fmt::Display for Named {
    fn fmt(&self, out: &mut fmt::Formatter) -> fmt::Result {
        out.write_str(&self.text)
    }
}

impl Named {
    /// The loss of a linear model on these data.
    pub fn model<'a, T: Real>(
        &self,
        data: Matrix<'a>,
        targets: &[T],
        shape: Shape<'_>,
    ) -> Result<Box<dyn Linear<T> + 'a>, Error> {
        match self.kind {
            Kind::Squared(loss) => boxed(data, targets, shape, loss),
            Kind::Logistic(loss) => boxed(data, targets, shape, loss),
            Kind::Huber(loss) => boxed(data, targets, shape, loss),
            Kind::Sigmoid(loss) => boxed(data, targets, shape, loss),
            Kind::Cauchy(loss) => boxed(data, targets, shape, loss),
            Kind::GemanMcClure(loss) => boxed(data, targets, shape, loss),
        }
    }

    /// Whether targets are the labels ±1.
    pub fn has_labels(&self) -> bool {
        matches!(self.kind, Kind::Logistic(_) | Kind::Sigmoid(_))
    }
}

fn boxed<'a, T: Real>(
    data: Matrix<'a>,
    targets: &[T],
    shape: Shape<'_>,
    loss: impl Loss + 'a,
) -> Result<Box<dyn Linear<T> + 'a>, Error> {
    let mut model = LinearModel::with_loss(data, targets, loss)?;
    if shape.mean {
        model = model.averaged();
    }
    if let Some(weights) = shape.weights {
        model = model.weighted(weights)?;
    }
    Ok(if shape.intercept {
        Box::new(model.with_intercept())
    } else {
        Box::new(model)
    })
}
