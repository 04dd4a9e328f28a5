//! The Moreau envelope of g: e(x) = min_z g(z) + ‖z − x‖²/2η, a smooth lower bound of g.

use crate::error::{Error, positive};
use crate::linalg::vec::distance_squared;
use crate::{Class, Lipschitz, Prox, Real, Smooth, scratch};

/// A nonsmooth term made smooth: ∇e(x) = (x − P_η^g(x))/η.
///
/// For convex g the envelope is convex and its gradient has the Lipschitz constant 1/η. For weakly convex g with modulus m
/// and η < 1/m it is max(1/η, m/(1 − ηm)). For other nonconvex g the envelope has kinks, and is refused.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Envelope<P> {
    of: P,
    step: f64,
    dim: usize,
}

impl<P: Prox<f64>> Envelope<P> {
    /// The envelope of `of` with η = `step` > 0, on vectors of length `dim`.
    pub fn new(of: P, step: f64, dim: usize) -> Result<Self, Error> {
        Self::of::<f64>(of, step, dim)
    }
}

impl<P> Envelope<P> {
    /// The same for a term of another scalar, `Envelope::of::<f32>(g, step, dim)`.
    pub fn of<T: Real>(of: P, step: f64, dim: usize) -> Result<Self, Error>
    where
        P: Prox<T>,
    {
        positive("step", step)?;
        of.fits(dim)?;
        let limit = of.class().step_limit();
        if of.class() == Class::Nonconvex {
            return Err(Error::Incompatible(
                "the envelope of a nonconvex term is not smooth: use a convex or weakly convex one"
                    .into(),
            ));
        }
        if step >= limit {
            return Err(Error::Incompatible(format!(
                "step = {step}, but it must be less than 1/modulus = {limit} for the envelope of this weakly convex term"
            )));
        }
        Ok(Self { of, step, dim })
    }
}

impl<T: Real, P: Prox<T>> Smooth<T> for Envelope<P> {
    fn dim(&self) -> usize {
        self.dim
    }

    fn gradient(&self, x: &[T], grad: &mut [T]) -> f64 {
        grad.copy_from_slice(x);
        self.of.prox(grad, T::of(self.step));
        let value = self.of.value(grad) + distance_squared(x, grad) / (2.0 * self.step);
        for (grad, &x) in grad.iter_mut().zip(x) {
            *grad = (x - *grad) / T::of(self.step);
        }
        value
    }

    fn value(&self, x: &[T]) -> f64 {
        scratch::with(x.len(), |p: &mut [T]| {
            p.copy_from_slice(x);
            self.of.prox(p, T::of(self.step));
            self.of.value(p) + distance_squared(x, p) / (2.0 * self.step)
        })
    }

    fn lipschitz(&self) -> Lipschitz {
        let modulus = match self.of.class() {
            Class::WeaklyConvex { modulus } => modulus,
            _ => 0.0,
        };
        Lipschitz::Known((1.0 / self.step).max(modulus / (1.0 - self.step * modulus)))
    }

    fn is_convex(&self) -> bool {
        self.of.class() == Class::Convex
    }

    /// The least value of g, which its envelope shares.
    fn lower_bound(&self) -> Option<f64> {
        let supremum = scratch::with(self.dim, |zero: &mut [T]| {
            zero.fill(T::ZERO);
            self.of.conjugate(zero)
        })?;
        supremum.is_finite().then_some(-supremum)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::prox::{L0, L1};
    use crate::set::NonNeg;

    #[test]
    fn the_envelope_of_l1_is_huber() {
        let g = Envelope::new(L1::new(2.0).unwrap(), 0.5, 3).unwrap();
        let (x, mut grad) = ([0.4, -3.0, 1.0], [0.0; 3]);
        let value = g.gradient(&x, &mut grad);
        let huber = |t: f64| {
            if t.abs() <= 1.0 {
                t * t
            } else {
                2.0 * t.abs() - 1.0
            }
        };
        assert!((value - x.map(huber).iter().sum::<f64>()).abs() < 1e-14);
        assert_eq!(grad, [0.8, -2.0, 2.0]);
        assert_eq!(Smooth::<f64>::lipschitz(&g), Lipschitz::Known(2.0));
        assert_eq!(Smooth::<f64>::lower_bound(&g), Some(0.0));
    }

    #[test]
    fn the_envelope_of_a_set_is_half_the_squared_distance() {
        let g = Envelope::new(NonNeg, 1.0, 2).unwrap();
        assert_eq!(Smooth::<f64>::value(&g, &[-2.0, 1.0]), 2.0);
    }

    #[test]
    fn refuses_kinks() {
        assert!(Envelope::new(L0::new(1.0).unwrap(), 1.0, 2).is_err());
        assert!(Envelope::new(NonNeg, 0.0, 2).is_err());
    }
}
