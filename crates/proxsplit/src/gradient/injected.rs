//! The exact gradient plus an error of a given norm, for tests and studies.

use super::GradientSource;
use crate::error::{Error, nonnegative};
use crate::ledger::{Level, Source};
use crate::linalg::vec::{axpy, norm};
use crate::{Real, Smooth};
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64;

/// The direction of the injected error.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Shape {
    /// The same random direction in every iteration.
    Bias,
    /// A new random direction in every iteration.
    Random,
    /// e_i has the sign of ∇f(x)_i, so that ∇̃f is too short in every entry.
    Adversarial,
}

/// ∇̃f(x) = ∇f(x) − e with ‖e‖ = level.
pub struct Injected<'a, T: Real = f64> {
    f: &'a dyn Smooth<T>,
    level: f64,
    shape: Shape,
    random: Pcg64,
    error: Vec<T>,
}

crate::opaque!(Injected<'_, T>, T: Real);

impl<'a, T: Real> Injected<'a, T> {
    /// An error of norm `level` ≥ 0 on top of the exact gradient of `f`.
    pub fn new(f: &'a dyn Smooth<T>, level: f64, shape: Shape, seed: u64) -> Result<Self, Error> {
        let level = nonnegative("error level", level)?;
        let mut injected = Self {
            f,
            level,
            shape,
            random: Pcg64::seed_from_u64(seed),
            error: vec![T::ZERO; f.dim()],
        };
        injected.draw();
        Ok(injected)
    }

    fn draw(&mut self) {
        for e in &mut self.error {
            *e = T::of(self.random.random_range(-1.0..1.0));
        }
        self.normalize();
    }

    fn normalize(&mut self) {
        let size = norm(&self.error);
        if size > 0.0 {
            crate::linalg::vec::scale(T::of(self.level / size), &mut self.error);
        }
    }
}

impl<T: Real> GradientSource<T> for Injected<'_, T> {
    fn estimate(&mut self, x: &[T], _: f64, out: &mut [T]) -> Level {
        self.f.gradient(x, out);
        match self.shape {
            Shape::Bias => {}
            Shape::Random => self.draw(),
            Shape::Adversarial => {
                for (e, &g) in self.error.iter_mut().zip(&*out) {
                    *e = if g < T::ZERO { -T::ONE } else { T::ONE };
                }
                self.normalize();
            }
        }
        axpy(-T::ONE, &self.error, out);
        Level::Measured(norm(&self.error))
    }

    fn source(&self) -> Source {
        Source::Injected
    }
}
