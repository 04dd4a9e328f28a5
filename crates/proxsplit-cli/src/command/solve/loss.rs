//! The losses by name.

use crate::nearest::did_you_mean;
use proxsplit::smooth::LinearModel;
use proxsplit::smooth::loss::{
    CauchyLoss, GemanMcClureLoss, HuberLoss, LogisticLoss, Loss, SigmoidLoss, SquaredLoss,
};
use proxsplit::{Error, FiniteSum, Matrix};
use std::fmt;
use std::str::FromStr;

/// Names of the losses with their meaning, for `proxsplit list`.
pub(crate) const LOSSES: [(&str, &str); 6] = [
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
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Choice {
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

/// The name without its parameter.
fn head(text: &str) -> &str {
    text.split(':').next().unwrap_or(text)
}

impl FromStr for Kind {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (name, number) = match text.split_once(':') {
            None => (text, None),
            Some((name, number)) => (name, Some(number)),
        };
        let parameter = match number {
            None => Ok(1.0),
            Some(number) => number
                .parse()
                .map_err(|_| format!("'{number}' is not a number")),
        };
        let plain = |loss| match number {
            None => Ok(loss),
            Some(_) => Err(format!("the loss {name} has no parameter")),
        };
        let refused = |error: Error| error.to_string();
        match name {
            "least-squares" => plain(Kind::Squared(SquaredLoss)),
            "logistic" => plain(Kind::Logistic(LogisticLoss)),
            "sigmoid" => plain(Kind::Sigmoid(SigmoidLoss)),
            "huber" => Ok(Kind::Huber(HuberLoss::new(parameter?).map_err(refused)?)),
            "cauchy" => Ok(Kind::Cauchy(CauchyLoss::new(parameter?).map_err(refused)?)),
            "geman-mcclure" => Ok(Kind::GemanMcClure(
                GemanMcClureLoss::new(parameter?).map_err(refused)?,
            )),
            _ => Err(format!(
                "unknown loss '{name}': use one of {}{}",
                LOSSES.map(|(name, _)| name).join(", "),
                did_you_mean(name, LOSSES.map(|(name, _)| head(name)))
            )),
        }
    }
}

impl FromStr for Choice {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (text, kind) = (text.to_owned(), text.parse()?);
        Ok(Self { text, kind })
    }
}

impl fmt::Display for Choice {
    fn fmt(&self, out: &mut fmt::Formatter) -> fmt::Result {
        out.write_str(&self.text)
    }
}

impl Choice {
    /// The sum of the loss over the rows of the data, or the mean.
    pub(crate) fn model<'a>(
        &self,
        data: Matrix<'a>,
        targets: &[f64],
        mean: bool,
    ) -> Result<Box<dyn FiniteSum + 'a>, Error> {
        fn boxed<'a>(
            data: Matrix<'a>,
            targets: &[f64],
            mean: bool,
            loss: impl Loss + 'a,
        ) -> Result<Box<dyn FiniteSum + 'a>, Error> {
            let model = LinearModel::with_loss(data, targets, loss)?;
            Ok(if mean {
                Box::new(model.averaged())
            } else {
                Box::new(model)
            })
        }
        match self.kind {
            Kind::Squared(loss) => boxed(data, targets, mean, loss),
            Kind::Logistic(loss) => boxed(data, targets, mean, loss),
            Kind::Huber(loss) => boxed(data, targets, mean, loss),
            Kind::Sigmoid(loss) => boxed(data, targets, mean, loss),
            Kind::Cauchy(loss) => boxed(data, targets, mean, loss),
            Kind::GemanMcClure(loss) => boxed(data, targets, mean, loss),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_listed_loss_can_be_read_with_and_without_its_parameter() {
        for (text, _) in LOSSES {
            let name = head(text);
            let default = name.parse::<Choice>().unwrap();
            let with_number = format!("{name}:1").parse::<Choice>();
            if text.contains(':') {
                assert_eq!(with_number.unwrap().kind, default.kind);
            } else {
                assert!(with_number.is_err(), "{name}");
            }
        }
        for text in ["", "hinge", "huber:", "huber:-1", "cauchy:x", "huber:inf"] {
            assert!(text.parse::<Choice>().is_err(), "{text}");
        }
    }
}
