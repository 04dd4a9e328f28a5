//! The point of a solver, and what is true there by the exact gradient.

use super::Measure;
use crate::error::{Error, all_finite, length};
use crate::linalg::vec;
use crate::{Prox, Real, Smooth};

/// x with f, g and the exact gradient.
pub(super) struct Point<'a, T: Real> {
    pub(super) f: &'a dyn Smooth<T>,
    pub(super) g: &'a dyn Prox<T>,
    pub(super) x: Vec<T>,
    pub(super) gradient: Vec<T>,   // ∇f(x), as long as the value is there
    pub(super) value: Option<f64>, // f(x)
    probe: Vec<T>,                 // the prox point of a residual
}

impl<'a, T: Real> Point<'a, T> {
    /// A copy of `start`, moved into the domain of g if it lies outside.
    pub(super) fn new(
        f: &'a dyn Smooth<T>,
        g: &'a dyn Prox<T>,
        start: &[T],
    ) -> Result<Self, Error> {
        length("start", start, f.dim())?;
        all_finite("start", start)?;
        g.fits(start.len())?;
        let mut x = start.to_vec();
        if g.value(&x).is_infinite() {
            g.prox(&mut x, T::ONE);
        }
        let (gradient, probe) = (vec![T::ZERO; x.len()], vec![T::ZERO; x.len()]);
        Ok(Self {
            f,
            g,
            x,
            gradient,
            value: None,
            probe,
        })
    }

    /// f(x) and, in `gradient`, ∇f(x); costs nothing if they are there already.
    pub(super) fn evaluate(&mut self) -> f64 {
        match self.value {
            Some(value) => value,
            None => *self
                .value
                .insert(self.f.gradient(&self.x, &mut self.gradient)),
        }
    }

    /// Φ(x) and both residuals.
    pub(super) fn measure(&mut self, step: f64) -> Measure {
        let objective = self.evaluate() + self.g.value(&self.x);
        Measure {
            objective,
            residual: self.residual(1.0),
            scaled_residual: self.residual(step),
        }
    }

    /// ‖x − P_η(x − η∇f(x))‖/η
    fn residual(&mut self, step: f64) -> f64 {
        let eta = T::of(step);
        for ((p, &x), &g) in self.probe.iter_mut().zip(&self.x).zip(&self.gradient) {
            *p = x - eta * g;
        }
        self.g.prox(&mut self.probe, eta);
        vec::distance(&self.x, &self.probe) / step
    }
}
