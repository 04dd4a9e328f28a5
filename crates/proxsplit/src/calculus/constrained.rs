//! ψ + φ, mostly a penalty with a constraint set, by the rule that its parts allow.

use super::compose::{self, Ordered};
use super::rule::{Facts, Rule, find};
use super::{dykstra, joint, value_near};
use crate::dual;
use crate::error::Error;
use crate::prox::separable::clamp;
use crate::{Class, Elementary, Form, Kind, Prox, Real, Separable};

/// What can be computed with nonconvex terms, for messages.
pub(crate) const NONCONVEX_RULES: &str = "Supported: a separable term with a box; one that depends on |x| with nonneg; a cone \
    with an l2-ball; sparse-ball with l1, l2, linf, their balls or a simplex; sphere with l1 or nonneg; any with sql2";

/// A term with a constraint set, or any two terms.
///
/// "Project, then prox" is right for some pairs and wrong for others, so operators declare their [`Form`], and the pair
/// is computed by the [`Rule`] that follows from it. Several sets: nest, `Constrained::new(Constrained::new(ψ, A)?, B)?`.
///
/// ```
/// use proxsplit::{Prox, calculus::{Constrained, Rule, Shifted}, prox::L1, set::NonNeg};
/// // |x − 1| on x ≥ 0, where projecting first would give 1.
/// let g = Constrained::new(Shifted::new(L1::new(1.0)?, vec![1.0])?, NonNeg)?;
/// assert_eq!(g.rule(), Rule::Clamp);
/// let mut x = [-1.0];
/// g.prox(&mut x, 1.0);
/// assert_eq!(x, [0.0]);
/// # Ok::<(), proxsplit::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Constrained<P, S> {
    psi: P,
    set: S,
    rule: Rule,
    /// Whether the rule takes the set for its ψ.
    swapped: bool,
}

impl<P: Prox<f64>, S: Prox<f64>> Constrained<P, S> {
    /// ψ plus the indicator of a set, or another term. An error if one is nonconvex and there is no rule for the pair.
    pub fn new(psi: P, set: S) -> Result<Self, Error> {
        Self::of::<f64>(psi, set)
    }
}

impl<P, S> Constrained<P, S> {
    /// The same for terms of another scalar, `Constrained::of::<f32>(ψ, set)`, which need not be terms of `f64` too.
    pub fn of<T: Real>(psi: P, set: S) -> Result<Self, Error>
    where
        P: Prox<T>,
        S: Prox<T>,
    {
        let facts = (Facts::of::<T>(&psi), Facts::of::<T>(&set));
        let Some((rule, swapped)) = find(facts.0, facts.1) else {
            return Err(Error::Incompatible(format!(
                "one of the two terms is not convex, and no rule combines them. {NONCONVEX_RULES}"
            )));
        };
        Ok(Self {
            psi,
            set,
            rule,
            swapped,
        })
    }

    /// How the prox is computed.
    pub fn rule(&self) -> Rule {
        self.rule
    }

    /// The two terms in the order of the rule.
    fn parts<T: Real>(&self) -> Ordered<'_, T>
    where
        P: Prox<T>,
        S: Prox<T>,
    {
        if self.swapped {
            (&self.set, &self.psi)
        } else {
            (&self.psi, &self.set)
        }
    }

    /// Membership is tested as exactly as the rule computes.
    fn tolerance<T: Real>(&self) -> f64 {
        match self.rule {
            Rule::Dykstra => dykstra::Limits::default().nearness::<T>(),
            _ => 8.0 * T::EPSILON.f64(),
        }
    }
}

impl<T: Real, P: Prox<T>, S: Prox<T>> Prox<T> for Constrained<P, S> {
    fn value(&self, x: &[T]) -> f64 {
        let tolerance = self.tolerance::<T>();
        value_near(&self.psi, x, tolerance) + value_near(&self.set, x, tolerance)
    }

    fn prox(&self, x: &mut [T], step: T) {
        compose::prox(self.rule, self.parts(), x, step);
    }

    fn prox_with_error(&self, x: &mut [T], step: T) -> Option<f64> {
        compose::prox(self.rule, self.parts(), x, step)
    }

    fn conjugate(&self, s: &[T]) -> Option<f64> {
        joint::conjugate(self.rule, self.parts(), s).or_else(|| dual::entries(self.separable()?, s))
    }

    fn polar(&self, s: &[T]) -> Option<f64> {
        joint::polar(self.rule, self.parts(), s)
            .or_else(|| dual::gauge_of_entries(self.separable()?, s))
    }

    fn class(&self) -> Class {
        let (psi, phi) = self.parts::<T>();
        match (psi.class(), phi.form().kind) {
            (Class::WeaklyConvex { modulus }, Kind::Ridge { weight }) if modulus <= weight => {
                Class::Convex
            }
            (Class::WeaklyConvex { modulus }, Kind::Ridge { weight }) => Class::WeaklyConvex {
                modulus: modulus - weight,
            },
            (class, _) => class.and(phi.class()),
        }
    }

    /// Also checks that the two have a common point.
    fn fits(&self, len: usize) -> Result<(), Error> {
        self.psi.fits(len)?;
        self.set.fits(len)?;
        super::common_point(self, len)
    }

    fn separable(&self) -> Option<&dyn Separable<T>> {
        let (psi, phi) = self.parts::<T>();
        let entries = psi.separable().is_some() && phi.separable().is_some();
        let scalar = matches!(
            self.rule,
            Rule::Alone | Rule::Ridge | Rule::Clamp | Rule::Between
        );
        (scalar && entries).then_some(self)
    }

    fn elementary(&self) -> Option<Elementary> {
        Some(self.psi.elementary()?.and(self.set.elementary()?))
    }

    fn form(&self) -> Form {
        let (psi, phi) = self.parts::<T>();
        let mut form = psi.form().and(phi.form());
        if self.rule == Rule::SeparableLast {
            form.clamps = true;
        }
        if let (
            true,
            Kind::Sum {
                lower,
                upper,
                total,
            },
        ) = (psi.form().is_box(), phi.form().kind)
            && psi.form().symmetric
            && let Some(psi) = psi.separable()
        {
            let (least, most) = compose::bounds(psi, 0);
            form.kind = Kind::Sum {
                lower: lower.max(least.f64()),
                upper: upper.min(most.f64()),
                total,
            };
        }
        form
    }
}

impl<T: Real, P: Prox<T>, S: Prox<T>> Separable<T> for Constrained<P, S> {
    fn value_at(&self, i: usize, t: T) -> f64 {
        let at =
            |term: Option<&dyn Separable<T>>| term.map_or(f64::NAN, |term| term.value_at(i, t));
        at(self.psi.separable()) + at(self.set.separable())
    }

    fn entry(&self, i: usize) -> Option<Elementary> {
        let [psi, set] = [self.psi.separable()?, self.set.separable()?].map(|term| term.entry(i));
        Some(psi?.and(set?))
    }

    fn prox_between(&self, i: usize, t: T, step: T, (lower, upper): (T, T)) -> T {
        let (psi, phi) = self.parts::<T>();
        let (Some(psi), Some(entry)) = (psi.separable(), phi.separable()) else {
            return t;
        };
        match (self.rule, phi.form().kind) {
            (Rule::Ridge, Kind::Ridge { weight }) => {
                let share = T::ONE / (T::ONE + step * T::of(weight));
                psi.prox_between(i, t * share, step * share, (lower, upper))
            }
            (Rule::Alone, _) => psi.prox_between(i, t, step, (lower, upper)),
            _ => {
                let (least, most) = compose::bounds(entry, i);
                let narrowed = (clamp(least, (lower, upper)), clamp(most, (lower, upper)));
                psi.prox_between(i, t, step, narrowed)
            }
        }
    }
}

#[cfg(test)]
#[path = "constrained_tests.rs"]
mod tests;
