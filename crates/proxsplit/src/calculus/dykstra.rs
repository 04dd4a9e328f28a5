//! Dykstra splitting (eq.57, eq.58), here for two or more convex terms: the prox of g = Σ_i ψ_i from the proxes of the ψ_i.
//!
//! P. Combettes, J.-C. Pesquet, *Proximal splitting methods in signal processing*, 2011; R. Dykstra, *An algorithm for
//! restricted least squares regression*, 1983. It is block coordinate ascent on the dual
//! max_p −Σψ_i*(p_i) − ‖Σηp_i − y‖²/2η: each step makes e_i = P_η^{ψ_i}(x + ηp_i), the new x, with p_i ∈ ∂ψ_i(e_i).

mod iteration;

pub use iteration::{Accuracy, Reached};
pub(super) use iteration::{Limits, solve};

use crate::error::{Error, positive};
use crate::{Class, Form, Prox, Real};

/// A sum of convex terms whose prox is found by iteration.
///
/// ```
/// use proxsplit::{Prox, calculus::Dykstra, prox::L1, set::NonNeg};
/// let terms: Vec<Box<dyn Prox>> = vec![Box::new(L1::new(1.0)?), Box::new(NonNeg)];
/// let mut x = [3.0, -2.0];
/// let reached = Dykstra::new(terms)?.solve(&mut x, 1.0);
/// assert!(reached.converged);
/// assert_eq!(x, [2.0, 0.0]);
/// # Ok::<(), proxsplit::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Dykstra<P> {
    terms: Vec<P>,
    limits: Limits,
}

impl<P: Prox<f64>> Dykstra<P> {
    /// The sum of these terms, all convex. Terms whose constraints must hold exactly come last.
    pub fn new(terms: Vec<P>) -> Result<Self, Error> {
        Self::of::<f64>(terms)
    }
}

impl<P> Dykstra<P> {
    /// The same for terms of another scalar, `Dykstra::of::<f32>(terms)`.
    pub fn of<T: Real>(terms: Vec<P>) -> Result<Self, Error>
    where
        P: Prox<T>,
    {
        if let Some(index) = terms.iter().position(|t| t.class() != Class::Convex) {
            return Err(Error::Incompatible(format!(
                "term {index} is not convex: Dykstra splitting is for convex terms"
            )));
        }
        Ok(Self {
            terms,
            limits: Limits::default(),
        })
    }

    /// Stops at this accuracy relative to the size of the vectors (default 1e-8), or after so many rounds (default 2000).
    pub fn until(mut self, tolerance: f64, rounds: usize) -> Result<Self, Error> {
        let tolerance = positive("tolerance", tolerance)?;
        self.limits = Limits { tolerance, rounds };
        Ok(self)
    }

    /// x ← P_η^g(x), and how well it did.
    pub fn solve<T: Real>(&self, x: &mut [T], step: T) -> Reached
    where
        P: Prox<T>,
    {
        solve(self.terms.len(), |i| &self.terms[i], x, step, self.limits)
    }
}

impl<T: Real, P: Prox<T>> Prox<T> for Dykstra<P> {
    /// Sets count as met within the tolerance.
    fn value(&self, x: &[T]) -> f64 {
        let values = self.terms.iter();
        values
            .map(|term| super::value_near(term, x, self.limits.nearness::<T>()))
            .sum()
    }

    fn prox(&self, x: &mut [T], step: T) {
        self.solve(x, step);
    }

    fn prox_with_error(&self, x: &mut [T], step: T) -> Option<f64> {
        self.solve(x, step).error()
    }

    /// Also checks that the terms have a common point.
    fn fits(&self, len: usize) -> Result<(), Error> {
        self.terms.iter().try_for_each(|term| term.fits(len))?;
        super::common_point(self, len)
    }

    fn form(&self) -> Form {
        let forms = self.terms.iter().map(Prox::form);
        forms.reduce(Form::and).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests;
