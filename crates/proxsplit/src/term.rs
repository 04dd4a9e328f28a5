//! The roles in a problem: f is [`Smooth`] (and perhaps a [`FiniteSum`]), g has a [`Prox`].
//!
//! All traits are dyn-safe and work on slices: a solver keeps `&dyn` references, one virtual call a pass and not an
//! element, so that its type stays short.

use crate::prox::Groups;
use crate::smooth::Linear;
use crate::{Class, Elementary, Form, Lipschitz, Real};

/// A term g with a cheap proximity operator. Values are +∞ outside the domain.
///
/// ```
/// use proxsplit::{Prox, prox::L1};
/// let g = L1::new(0.5)?;
/// let mut x = [2.0, -0.25, -1.0];
/// g.prox(&mut x, 1.0);
/// assert_eq!(x, [1.5, 0.0, -0.5]);
/// assert_eq!(Prox::<f64>::value(&g, &x), 1.0);
/// # Ok::<(), proxsplit::Error>(())
/// ```
pub trait Prox<T: Real = f64>: Send + Sync {
    /// g(x)
    fn value(&self, x: &[T]) -> f64;

    /// x ← P_η^g(x) = argmin_z g(z) + ‖z − x‖²/2η, where η = `step` > 0.
    fn prox(&self, x: &mut [T], step: T);

    /// The same, and a proved bound on the distance between the result and the exact point: 0 for closed forms and other
    /// direct methods, which are exact but for rounding, more where an iteration was stopped, `None` where nothing is known.
    fn prox_with_error(&self, x: &mut [T], step: T) -> Option<f64> {
        self.prox(x, step);
        Some(0.0)
    }

    /// g*(s) = sup_z ⟨s, z⟩ − g(z), which may be +∞; for a set its support function. `None` if g is not convex, or if nobody
    /// has worked it out. The least value of g is −g*(0).
    ///
    /// Where g* is finite on a small domain (a ball of the dual norm, a subspace, a cone), a vector that belongs to it but for
    /// rounding mostly has g*(s) = +∞: divide it by [`polar`](Prox::polar) first. Subspaces and cones, which no division
    /// reaches, forgive 32 units in the last place of the size of s.
    fn conjugate(&self, s: &[T]) -> Option<f64> {
        crate::dual::entries(self.separable()?, s)
    }

    /// inf {t ≥ 0 : s ∈ t·dom g*}, the factor that brings s into the domain of the conjugate: the dual norm if g is a norm, 0
    /// if g* is finite everywhere, +∞ if no factor helps, as for s ≰ 0 and the orthant. `None` if it is not known.
    fn polar(&self, s: &[T]) -> Option<f64> {
        crate::dual::gauge_of_entries(self.separable()?, s)
    }

    /// Convex, weakly convex or nonconvex: it limits the step and decides what a certificate may claim.
    fn class(&self) -> Class {
        Class::Convex
    }

    /// `Ok` if the operator can act on vectors of this length.
    fn fits(&self, _len: usize) -> Result<(), crate::Error> {
        Ok(())
    }

    /// The same operator entry by entry, if it is separable.
    fn separable(&self) -> Option<&dyn Separable<T>> {
        None
    }

    /// The same operator group by group, if it is a sum over disjoint groups of entries.
    fn grouped(&self) -> Option<&dyn Grouped<T>> {
        None
    }

    /// What is known of its form, so that it can be joined with other terms; nothing if nothing is declared.
    fn form(&self) -> Form {
        Form::default()
    }

    /// The same operator as four numbers, if it is that simple: loops over many vectors use it in place of calls.
    fn elementary(&self) -> Option<Elementary> {
        None
    }
}

/// A term g(x) = Σ_i g_i(x_i).
pub trait Separable<T: Real = f64>: Prox<T> {
    /// g_i(t)
    fn value_at(&self, i: usize, t: T) -> f64;

    /// argmin_z g_i(z) + (z − t)²/2η over l ≤ z ≤ u.
    ///
    /// For convex g_i this is the unconstrained minimizer moved to the nearer bound; nonconvex terms must look at
    /// the ends and at every stationary point between them.
    fn prox_between(&self, i: usize, t: T, step: T, bounds: (T, T)) -> T;

    /// g_i as four numbers, if it is that simple.
    fn entry(&self, _: usize) -> Option<Elementary> {
        self.elementary()
    }

    /// x ← prox with a step of its own for every entry.
    fn prox_diagonal(&self, x: &mut [T], steps: &[T]) {
        let everywhere = (-T::INFINITY, T::INFINITY);
        for (i, (x, &step)) in x.iter_mut().zip(steps).enumerate() {
            *x = self.prox_between(i, *x, step, everywhere);
        }
    }
}

/// A term g(x) = Σ_G ψ(x_G) over disjoint groups, and something elementary for entries in no group.
pub trait Grouped<T: Real = f64>: Prox<T> {
    /// The groups G.
    fn groups(&self) -> &Groups;

    /// ψ(x_G)
    fn value_of_group(&self, x: &[T]) -> f64;

    /// x_G ← P_η^ψ(x_G)
    fn prox_of_group(&self, x: &mut [T], step: T);

    /// The term of an entry in no group.
    fn outside(&self) -> Elementary {
        Elementary::ZERO
    }
}

/// A differentiable term f, convex or not.
pub trait Smooth<T: Real = f64>: Send + Sync {
    /// The length of x.
    fn dim(&self) -> usize;

    /// grad ← ∇f(x); returns f(x), a by-product of the gradient.
    fn gradient(&self, x: &[T], grad: &mut [T]) -> f64;

    /// grad ← ∇f(x) − e; returns f(x) and a proved bound on ‖e‖: NaN if there is none, 0 for gradients that are exact but for rounding.
    ///
    /// For gradients of early-stopped inner solves, see [`is_exact`](Smooth::is_exact). `accuracy` is a wish, the error that the run can
    /// afford at this point: a smaller one gains nothing, and a larger one may be the floor at which it ends.
    fn gradient_within(&self, x: &[T], _accuracy: f64, grad: &mut [T]) -> (f64, f64) {
        (self.gradient(x, grad), 0.0)
    }

    /// Whether all gradients are exact but for rounding. Where they are not, [`Splitting`](crate::Splitting) asks for
    /// [`gradient_within`](Smooth::gradient_within), and its certificate says what the errors may do.
    fn is_exact(&self) -> bool {
        true
    }

    /// f(x) alone, where that is cheaper.
    fn value(&self, x: &[T]) -> f64 {
        crate::scratch::with(x.len(), |grad| self.gradient(x, grad))
    }

    /// What is known of L, ‖∇f(x) − ∇f(y)‖ ≤ L‖x − y‖.
    fn lipschitz(&self) -> Lipschitz {
        Lipschitz::Unknown
    }

    /// Whether f is convex, as far as is known.
    fn is_convex(&self) -> bool {
        false
    }

    /// A number that f never falls below, if one is known.
    fn lower_bound(&self) -> Option<f64> {
        None
    }

    /// Whether f falls along the ray from 0 through x towards an infimum that no point reaches, as a logistic loss does if x separates the
    /// labels. It may cost a pass.
    fn falls_forever(&self, _x: &[T]) -> bool {
        false
    }

    /// ‖∇f(0)‖, the size of what cancels in ∇f at a solution: a gradient is small only beside it. `None` if it is 0 or not
    /// known.
    fn cancelling(&self) -> Option<f64> {
        None
    }

    /// F*(α∇F(Dx)) where f(x) = F(Dx), α = `scale` in 0..=1: the dual value at the gradient at x, scaled. `value` and
    /// `gradient` are those of f at x. For α = 1 it is ⟨∇f(x), x⟩ − f(x) for every convex f; for other α `None` unless f knows
    /// its F.
    fn dual_value(&self, x: &[T], value: f64, gradient: &[T], scale: f64) -> Option<f64> {
        let known = self.is_convex() && scale == 1.0;
        known.then(|| crate::linalg::vec::dot(gradient, x) - value)
    }

    /// A bound on Φ(x) − min Φ for Φ = f + W Σ_i x_i on x ≥ 0, where no scaled dual point is feasible: the one that is moved
    /// along (1, …, 1) until it is. Loose; `None` unless f is a least-squares term with a nonnegative matrix.
    fn shifted_gap(&self, _x: &[T], _gradient: &[T], _weight: f64) -> Option<f64> {
        None
    }
}

/// f = Σ_t f_t over t = 0..T, for incremental methods.
pub trait FiniteSum<T: Real = f64>: Smooth<T> {
    /// The number of terms T.
    fn terms(&self) -> usize;

    /// grad ← grad + Σ_{t ∈ batch} ∇f_t(x); returns Σ_{t ∈ batch} f_t(x).
    fn add_gradient(&self, batch: &[usize], x: &[T], grad: &mut [T]) -> f64;

    /// What is known of max_t L_t, the constant of the single terms (L in the lemma "Incrementality error").
    fn term_lipschitz(&self) -> Lipschitz {
        Lipschitz::Unknown
    }

    /// The same sum as a linear model, f_t(x) = φ_t(a_tᵀx), if it is one: of such a gradient one number has to be remembered.
    fn linear(&self) -> Option<&dyn Linear<T>> {
        None
    }
}

/// Pointers to an operator are operators.
macro_rules! pointer {
    ($($pointer:ty),*) => {$(
        impl<T: Real, P: Prox<T> + ?Sized> Prox<T> for $pointer {
            fn value(&self, x: &[T]) -> f64 {
                (**self).value(x)
            }
            fn prox(&self, x: &mut [T], step: T) {
                (**self).prox(x, step);
            }
            fn prox_with_error(&self, x: &mut [T], step: T) -> Option<f64> {
                (**self).prox_with_error(x, step)
            }
            fn conjugate(&self, s: &[T]) -> Option<f64> {
                (**self).conjugate(s)
            }
            fn polar(&self, s: &[T]) -> Option<f64> {
                (**self).polar(s)
            }
            fn class(&self) -> Class {
                (**self).class()
            }
            fn fits(&self, len: usize) -> Result<(), crate::Error> {
                (**self).fits(len)
            }
            fn separable(&self) -> Option<&dyn Separable<T>> {
                (**self).separable()
            }
            fn grouped(&self) -> Option<&dyn Grouped<T>> {
                (**self).grouped()
            }
            fn form(&self) -> Form {
                (**self).form()
            }
            fn elementary(&self) -> Option<Elementary> {
                (**self).elementary()
            }
        }
    )*};
}
pointer!(Box<P>, std::sync::Arc<P>, &P);
