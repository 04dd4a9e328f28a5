//! The convex conjugate g*(x) = sup_z ⟨x, z⟩ − g(z).

use crate::error::Error;
use crate::linalg::vec::{distance, dot, norm, scale};
use crate::prox::separable::clamp;
use crate::set::{inside, tolerance};
use crate::{Class, Form, Kind, Prox, Real, Separable, scratch};

/// The conjugate of a convex operator. Its prox is Moreau's identity, P_η^{g*}(x) = x − η·P_{1/η}^g(x/η), exact wherever
/// the prox of g is.
///
/// Its value has no closed form in general. For a homogeneous g (a norm, a cone) g* is the indicator of a set, the prox
/// projects on that set, and x belongs to it if it is its own projection within rounding. Otherwise
/// v(t) = ⟨x, z⟩ − g(z) at z = P_t^g(tx) grows with t towards g*(x), from below; t grows until v settles to 9 digits (5 in
/// `f32`) or as far as the precision goes; if it still grows like t then, the value is +∞.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Conjugate<P> {
    of: P,
}

impl<P: Prox<f64>> Conjugate<P> {
    /// The conjugate of a convex term.
    pub fn new(of: P) -> Result<Self, Error> {
        Self::of::<f64>(of)
    }
}

impl<P> Conjugate<P> {
    /// The same for a term of another scalar, `Conjugate::of::<f32>(g)`.
    pub fn of<T: Real>(of: P) -> Result<Self, Error>
    where
        P: Prox<T>,
    {
        if of.class() != Class::Convex {
            return Err(Error::Incompatible(
                "the conjugate of a nonconvex term does not determine the term: use a convex one"
                    .into(),
            ));
        }
        Ok(Self { of })
    }

    /// x ← x − η·P_{1/η}^g(x/η), and the bound on its error.
    fn moreau<T: Real>(&self, x: &mut [T], step: T) -> Option<f64>
    where
        P: Prox<T>,
    {
        scratch::with(x.len(), |z: &mut [T]| {
            z.copy_from_slice(x);
            scale(T::ONE / step, z);
            let error = self.of.prox_with_error(z, T::ONE / step);
            for (x, &mut z) in x.iter_mut().zip(z) {
                *x -= step * z;
            }
            Some(step.f64() * error?)
        })
    }

    /// lim v(t), see above.
    fn supremum<T: Real>(&self, x: &[T], z: &mut [T]) -> f64
    where
        P: Prox<T>,
    {
        let (mut last, mut value, mut t) = (0.0, f64::NEG_INFINITY, 1.0);
        while t < 0.1 / T::EPSILON.f64() {
            for (z, &x) in z.iter_mut().zip(x) {
                *z = T::of(t) * x;
            }
            self.of.prox(z, T::of(t));
            let size = dot(x, z);
            (last, value) = (value, size - self.of.value(z));
            if (value - last).abs() <= tolerance::<T>() * (size.abs() + value.abs()) {
                return value;
            }
            t *= 8.0;
        }
        // Where the supremum is not attained because there is none, v grows in proportion to t.
        if value > 4.0 * last {
            f64::INFINITY
        } else {
            value
        }
    }
}

impl<T: Real, P: Prox<T>> Prox<T> for Conjugate<P> {
    fn value(&self, x: &[T]) -> f64 {
        scratch::with(x.len(), |z: &mut [T]| {
            if !self.of.form().homogeneous {
                return self.supremum(x, z);
            }
            z.copy_from_slice(x);
            self.prox(z, T::ONE);
            inside::<T>(distance(x, z), norm(x))
        })
    }

    fn prox(&self, x: &mut [T], step: T) {
        self.prox_with_error(x, step);
    }

    fn prox_with_error(&self, x: &mut [T], step: T) -> Option<f64> {
        if self.of.form().homogeneous {
            // A projection, the same for every step; doing it twice restores the digits that a subtraction loses.
            let errors = [self.moreau(x, T::ONE), self.moreau(x, T::ONE)];
            return Some(errors[0]? + errors[1]?);
        }
        self.moreau(x, step)
    }

    /// g** = g, since g is convex.
    fn conjugate(&self, s: &[T]) -> Option<f64> {
        Some(self.of.value(s))
    }

    fn polar(&self, _: &[T]) -> Option<f64> {
        None
    }

    fn fits(&self, len: usize) -> Result<(), Error> {
        self.of.fits(len)
    }

    fn separable(&self) -> Option<&dyn Separable<T>> {
        self.of.separable().map(|_| self as &dyn Separable<T>)
    }

    fn form(&self) -> Form {
        let form = self.of.form();
        Form {
            kind: if form.homogeneous {
                Kind::Set
            } else {
                Kind::Penalty
            },
            absolute: form.absolute,
            homogeneous: form.is_set(),
            symmetric: form.symmetric,
            ordered: false,
            clamps: false,
        }
    }
}

impl<T: Real, P: Prox<T>> Separable<T> for Conjugate<P> {
    /// By the same search as the value of a vector, on one entry.
    fn value_at(&self, i: usize, x: T) -> f64 {
        let Some(of) = self.of.separable() else {
            return f64::NAN;
        };
        let entry = |x: &[T]| of.value_at(i, x[0]);
        let prox = |x: &mut [T], step| {
            x[0] = of.prox_between(i, x[0], step, (-T::INFINITY, T::INFINITY));
        };
        let scalar = Conjugate {
            of: Entry {
                value: entry,
                prox,
                form: self.of.form(),
            },
        };
        scalar.value(&[x])
    }

    fn prox_between(&self, i: usize, t: T, step: T, bounds: (T, T)) -> T {
        let everywhere = (-T::INFINITY, T::INFINITY);
        let Some(of) = self.of.separable() else {
            return t;
        };
        let moreau =
            |t: T, step: T| t - step * of.prox_between(i, t / step, T::ONE / step, everywhere);
        let free = if self.of.form().homogeneous {
            moreau(moreau(t, T::ONE), T::ONE)
        } else {
            moreau(t, step)
        };
        clamp(free, bounds)
    }
}

/// One entry of a separable operator, as an operator on vectors of length 1.
struct Entry<V, P> {
    value: V,
    prox: P,
    form: Form,
}

impl<T: Real, V, P> Prox<T> for Entry<V, P>
where
    V: Fn(&[T]) -> f64 + Send + Sync,
    P: Fn(&mut [T], T) + Send + Sync,
{
    fn value(&self, x: &[T]) -> f64 {
        (self.value)(x)
    }

    fn prox(&self, x: &mut [T], step: T) {
        (self.prox)(x, step);
    }

    fn form(&self) -> Form {
        self.form
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::contract;
    use crate::prox::{L1, SquaredL2};
    use crate::set::{BoxSet, LinfBall, NonNeg, Simplex};

    fn conjugate<P: Prox<f64>>(of: P) -> Conjugate<P> {
        Conjugate::new(of).unwrap()
    }

    #[test]
    fn keeps_the_contract() {
        contract(&conjugate(L1::new(0.7).unwrap()), 4);
        contract(&conjugate(NonNeg), 3);
        contract(&conjugate(SquaredL2::new(2.0).unwrap()), 3);
    }

    #[test]
    fn known_pairs_have_their_values() {
        let close = |found: f64, expected: f64| {
            assert!((found - expected).abs() < 1e-7, "{found} is not {expected}");
        };
        let x = [0.5, -2.0, 1.25];
        close(conjugate(Simplex::new(3.0).unwrap()).value(&x), 3.0 * 1.25);
        close(
            conjugate(BoxSet::new(-1.0, 2.0).unwrap()).value(&x),
            1.0 + 2.0 + 2.5,
        );
        close(conjugate(LinfBall::new(2.0).unwrap()).value(&x), 7.5);
        close(
            conjugate(SquaredL2::new(2.0).unwrap()).value(&x),
            (0.25 + 4.0 + 1.5625) / 4.0,
        );
        assert_eq!(conjugate(L1::new(2.0).unwrap()).value(&x), 0.0);
        assert_eq!(conjugate(L1::new(1.9).unwrap()).value(&x), f64::INFINITY);
        assert_eq!(
            conjugate(BoxSet::new(0.0, f64::INFINITY).unwrap()).value(&x),
            f64::INFINITY
        );
    }

    #[test]
    fn the_conjugate_of_the_l1_norm_is_the_linf_ball() {
        let y = [3.0, -0.5, 0.9];
        let (mut a, mut b) = (y, y);
        conjugate(L1::new(0.8).unwrap()).prox(&mut a, 0.3);
        LinfBall::new(0.8).unwrap().prox(&mut b, 0.3);
        assert!(distance(&a, &b) < 1e-15);
    }

    #[test]
    fn refuses_nonconvex_terms() {
        assert!(Conjugate::new(crate::prox::L0::new(1.0).unwrap()).is_err());
    }
}
