//! Scalar losses ℓ(z, b) of a prediction z and a target b, one file each.

mod cauchy;
mod geman_mcclure;
mod huber;
mod logistic;
mod named;
mod sigmoid;
mod squared;

pub use cauchy::{Cauchy, CauchyLoss};
pub use geman_mcclure::{GemanMcClure, GemanMcClureLoss};
pub use huber::{HuberLoss, HuberRegression};
pub use logistic::{Logistic, LogisticLoss};
pub use named::{LOSSES, Named, Shape};
pub use sigmoid::{Sigmoid, SigmoidLoss};
pub use squared::{LeastSquares, SquaredLoss};

use crate::error::{Error, require};

/// A scalar loss ℓ(z, b), differentiable in the prediction z.
pub trait Loss: Send + Sync {
    /// ℓ(z, b) and ∂ℓ/∂z.
    fn at(&self, z: f64, b: f64) -> (f64, f64);

    /// ∂ℓ/∂z alone, where that is cheaper.
    fn slope(&self, z: f64, b: f64) -> f64 {
        self.at(z, b).1
    }

    /// A bound on |∂²ℓ/∂z²| over all z and b.
    fn curvature(&self) -> f64;

    /// The curvature of a parabola that models ℓ near z, above 0 and at most `curvature`: about |∂²ℓ/∂z²|, or that of a parabola
    /// which touches ℓ at z and is nowhere below it.
    fn bend(&self, _z: f64, _b: f64) -> f64 {
        self.curvature()
    }

    /// Whether ℓ falls towards its infimum, without reaching it, when z grows by a factor.
    fn escapes(&self, _z: f64, _b: f64) -> bool {
        false
    }

    /// Whether ℓ is convex in z.
    fn is_convex(&self) -> bool;

    /// ℓ*(u, b) = sup_z uz − ℓ(z, b), which may be +∞; `None` if it is not known.
    fn conjugate(&self, _u: f64, _b: f64) -> Option<f64> {
        None
    }

    /// Whether ℓ(z, b) = (z − b)²/2, so that sums over the rows follow from f and ∇f.
    fn is_squared(&self) -> bool {
        false
    }

    /// Whether ℓ ≥ 0 everywhere, as far as is known.
    fn is_nonnegative(&self) -> bool {
        false
    }

    /// `Ok` if the loss is defined for this target.
    fn accepts(&self, _b: f64) -> Result<(), Error> {
        Ok(())
    }
}

/// `Ok` for the labels of two classes.
fn label(b: f64) -> Result<(), Error> {
    require("label", b, b == 1.0 || b == -1.0, "-1 or 1").map(|_| ())
}
