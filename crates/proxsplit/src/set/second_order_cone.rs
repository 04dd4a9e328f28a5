//! The second-order cone.

use super::inside;
use crate::dual;
use crate::linalg::vec::norm;
use crate::{Error, Form, Kind, Prox, Real};

/// `soc`, the (t, z) with ‖z‖₂ ≤ t, t first: prox(t, z) = ½(1 + t/‖z‖)(‖z‖, z) if |t| < ‖z‖, (t, z) if ‖z‖ ≤ t, else 0.
/// Convex.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct SecondOrderCone;

impl<T: Real> Prox<T> for SecondOrderCone {
    fn value(&self, x: &[T]) -> f64 {
        let Some((t, z)) = x.split_first() else {
            return 0.0;
        };
        let (t, size) = (t.f64(), norm(z));
        inside::<T>(size - t, size + t.abs())
    }

    fn prox(&self, x: &mut [T], _: T) {
        let Some((first, z)) = x.split_first_mut() else {
            return;
        };
        let (t, size) = (first.f64(), norm(z));
        if size <= t {
            return;
        }
        let height = (0.5 * (t + size)).max(0.0);
        *first = T::of(height);
        for z in z {
            // Divided first: height/‖z‖ can underflow.
            *z = if height > 0.0 {
                T::of(z.f64() / size * height)
            } else {
                T::ZERO
            };
        }
    }

    /// 0 on the polar cone ‖z‖ ≤ −t, up to the rounding of s.
    fn conjugate(&self, s: &[T]) -> Option<f64> {
        let Some((t, z)) = s.split_first() else {
            return Some(0.0);
        };
        Some(dual::cone(
            norm(z) + t.f64() <= dual::rounding::<T>(norm(s)),
        ))
    }

    fn polar(&self, s: &[T]) -> Option<f64> {
        self.conjugate(s)
    }

    fn fits(&self, len: usize) -> Result<(), Error> {
        if len > 0 {
            return Ok(());
        }
        let empty = "a vector (t, z) in the second-order cone needs at least one entry, t";
        Err(Error::Incompatible(empty.into()))
    }

    fn form(&self) -> Form {
        Form::of(Kind::Set).homogeneous()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::contract;

    #[test]
    fn keeps_the_contract() {
        contract(&SecondOrderCone, 1);
        contract(&SecondOrderCone, 4);
    }

    #[test]
    fn inside_beyond_and_between() {
        for (y, expected) in [
            ([6.0, 3.0, 4.0], [6.0, 3.0, 4.0]),
            ([-6.0, 3.0, 4.0], [0.0, 0.0, 0.0]),
            ([0.0, 3.0, 4.0], [2.5, 1.5, 2.0]),
            ([0.0, 3e200, 4e200], [2.5e200, 1.5e200, 2e200]),
            ([-1.0, 0.0, 0.0], [0.0, 0.0, 0.0]),
        ] {
            let mut x = y;
            SecondOrderCone.prox(&mut x, 1.0);
            assert!(
                x.iter()
                    .zip(expected)
                    .all(|(x, e)| (x - e).abs() <= 1e-15 * e.abs()),
                "{x:?}"
            );
        }
        assert!(Prox::<f64>::fits(&SecondOrderCone, 0).is_err());
    }
}
