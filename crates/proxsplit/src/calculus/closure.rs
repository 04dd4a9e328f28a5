//! Operators of your own, from two functions.

use crate::{Class, Form, Prox, Real, scratch};

/// An operator from a value and a prox in `f64`; for `f32` vectors it converts.
///
/// ```
/// use proxsplit::{Class, Prox, calculus::Closure};
/// // g(x) = ‖x‖² / 2
/// let g = Closure::new(
///     |x: &[f64]| x.iter().map(|x| x * x).sum::<f64>() / 2.0,
///     |x: &mut [f64], step| x.iter_mut().for_each(|x| *x /= 1.0 + step),
///     Class::Convex,
/// );
/// let mut x = [4.0_f32];
/// g.prox(&mut x, 1.0);
/// assert_eq!(x, [2.0]);
/// ```
#[derive(Debug, Clone, Copy)]
pub struct Closure<V, P> {
    value: V,
    prox: P,
    class: Class,
    form: Form,
}

impl<V, P> Closure<V, P>
where
    V: Fn(&[f64]) -> f64 + Send + Sync,
    P: Fn(&mut [f64], f64) + Send + Sync,
{
    /// An operator of this class. That the three belong together can be tested with [`check`](crate::check).
    pub fn new(value: V, prox: P, class: Class) -> Self {
        Self {
            value,
            prox,
            class,
            form: Form::default(),
        }
    }

    /// Declares its form, so that it can be joined with other terms exactly.
    #[must_use]
    pub fn with_form(self, form: Form) -> Self {
        Self { form, ..self }
    }
}

impl<T: Real, V, P> Prox<T> for Closure<V, P>
where
    V: Fn(&[f64]) -> f64 + Send + Sync,
    P: Fn(&mut [f64], f64) + Send + Sync,
{
    fn value(&self, x: &[T]) -> f64 {
        scratch::with(x.len(), |double| {
            widen(x, double);
            (self.value)(double)
        })
    }

    fn prox(&self, x: &mut [T], step: T) {
        scratch::with(x.len(), |double| {
            widen(x, double);
            (self.prox)(double, step.f64());
            for (x, &mut d) in x.iter_mut().zip(double) {
                *x = T::of(d);
            }
        });
    }

    fn class(&self) -> Class {
        self.class
    }

    fn form(&self) -> Form {
        self.form
    }
}

fn widen<T: Real>(x: &[T], double: &mut [f64]) {
    for (d, &x) in double.iter_mut().zip(x) {
        *d = x.f64();
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::linalg::vec::{norm_inf, sum};
    use crate::{Kind, check::contract};

    /// The set Σx = 0, an operator whose prox mixes all entries.
    pub(in crate::calculus) fn sums_to_zero() -> impl Prox<f64> + Prox<f32> {
        let inside = |x: &[f64]| {
            if sum(x).abs() <= 1e-5 * norm_inf(x) * x.len() as f64 {
                0.0
            } else {
                f64::INFINITY
            }
        };
        let centre = |x: &mut [f64], _: f64| {
            let mean = sum(x) / x.len() as f64;
            for x in x {
                *x -= mean;
            }
        };
        Closure::new(inside, centre, Class::Convex).with_form(Form::of(Kind::Set).homogeneous())
    }

    #[test]
    fn keeps_the_contract() {
        let ridge = Closure::new(
            |x: &[f64]| x.iter().map(|x| x * x).sum::<f64>() / 2.0,
            |x: &mut [f64], step| x.iter_mut().for_each(|x| *x /= 1.0 + step),
            Class::Convex,
        );
        contract(&ridge, 4);
    }
}
