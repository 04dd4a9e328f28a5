//! A double-precision problem whose gradient is evaluated in single precision.

use super::GradientSource;
use crate::Smooth;
use crate::error::{Error, require};
use crate::ledger::{Level, Source};

/// ∇̃f(x) = ∇f₃₂(x rounded to `f32`), where f₃₂ is the same function on single-precision data.
pub struct SinglePrecision<'a> {
    f: &'a dyn Smooth<f32>,
    x: Vec<f32>,
    gradient: Vec<f32>,
}

crate::opaque!(SinglePrecision<'_>);

impl<'a> SinglePrecision<'a> {
    /// The single-precision twin of a function of `dim` variables.
    pub fn new(f: &'a dyn Smooth<f32>, dim: usize) -> Result<Self, Error> {
        let found = f.dim();
        require(
            "dimension of the f32 function",
            found as f64,
            found == dim,
            "the dimension of the f64 function",
        )?;
        Ok(Self {
            f,
            x: vec![0.0; dim],
            gradient: vec![0.0; dim],
        })
    }
}

impl GradientSource<f64> for SinglePrecision<'_> {
    fn estimate(&mut self, x: &[f64], _: f64, out: &mut [f64]) -> Level {
        for (narrow, &wide) in self.x.iter_mut().zip(x) {
            *narrow = wide as f32;
        }
        self.f.gradient(&self.x, &mut self.gradient);
        for (wide, &narrow) in out.iter_mut().zip(&self.gradient) {
            *wide = f64::from(narrow);
        }
        Level::Unknown
    }

    fn source(&self) -> Source {
        Source::Rounding
    }
}
