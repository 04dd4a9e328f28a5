//! Dykstra splitting (eq.57, eq.58), here for two or more convex terms: the prox of g = Σ_i ψ_i from the proxes of the ψ_i.
//!
//! P. Combettes, J.-C. Pesquet, *Proximal splitting methods in signal processing*, 2011; R. Dykstra, *An algorithm for
//! restricted least squares regression*, 1983. It is block coordinate ascent on the dual
//! max_p −Σψ_i*(p_i) − ‖Σηp_i − y‖²/2η: each step makes e_i = P_η^{ψ_i}(x + ηp_i), the new x, with p_i ∈ ∂ψ_i(e_i).
//!
//! Since p_i is a subgradient at e_i, ψ_i*(p_i) = ⟨p_i, e_i⟩ − ψ_i(e_i) is known without an oracle for ψ_i*, and so is the gap
//! Σ_i ψ_i(x) − ψ_i(e_i) − ⟨p_i, x − e_i⟩. Primal and dual are both strongly convex in x, hence ‖x − x*‖² ≤ η·gap.

use crate::error::{Error, positive};
use crate::linalg::vec::{distance, norm};
use crate::{Class, Form, Prox, Real, scratch};

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

/// When to stop.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Limits {
    /// Accuracy to reach, relative to the size of the vectors.
    pub(super) tolerance: f64,
    pub(super) rounds: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            tolerance: 1e-8,
            rounds: 2000,
        }
    }
}

/// How far an iteration came.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Reached {
    /// Rounds over all terms.
    pub rounds: usize,
    /// The accuracy of the result.
    pub accuracy: Accuracy,
    /// Whether that is the tolerance asked for, or all that the precision of the numbers allows.
    pub converged: bool,
}

/// What is known of the result x.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Accuracy {
    /// ‖x − x*‖ is at most this, by the duality gap; sets count as met within the tolerance.
    Distance(f64),
    /// x is outside the domain of some term, so that there is no gap; this bounds its distance to every domain. It says
    /// nothing of the distance to x*, and if the domains have no common point it does not go to 0.
    Infeasibility(f64),
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

impl Reached {
    /// A bound on the distance to the exact point; +∞ if none is known.
    pub fn error(&self) -> f64 {
        match self.accuracy {
            Accuracy::Distance(bound) => bound,
            Accuracy::Infeasibility(_) => f64::INFINITY,
        }
    }
}

/// The iteration on terms 0..count.
pub(super) fn solve<'a, T: Real>(
    count: usize,
    term: impl Fn(usize) -> &'a dyn Prox<T>,
    x: &mut [T],
    step: T,
    limits: Limits,
) -> Reached {
    let n = x.len();
    let size = norm(x);
    scratch::with(2 * count * n, |buffer: &mut [T]| {
        let (moved, points) = buffer.split_at_mut(count * n);
        moved.fill(T::ZERO);
        let mut reached = Reached {
            rounds: 0,
            accuracy: Accuracy::Infeasibility(f64::INFINITY),
            converged: n == 0 || count == 0,
        };
        while !reached.converged && reached.rounds < limits.rounds.max(1) {
            for i in 0..count {
                let here = i * n..(i + 1) * n;
                advance(
                    term(i),
                    x,
                    &mut moved[here.clone()],
                    &mut points[here],
                    step,
                );
            }
            let scale = size.max(norm(x));
            let span = points
                .chunks_exact(n)
                .fold(0.0, |span: f64, point| span.max(distance(x, point)));
            let gap = (0..count)
                .map(|i| {
                    let here = i * n..(i + 1) * n;
                    let tolerance = limits.tolerance;
                    slack(
                        term(i),
                        x,
                        (&moved[here.clone()], &points[here]),
                        step,
                        tolerance,
                    )
                })
                .sum::<f64>();
            reached.rounds += 1;
            reached.accuracy = if gap.is_finite() {
                Accuracy::Distance(gap.sqrt())
            } else {
                Accuracy::Infeasibility(span)
            };
            // Once nothing moves but rounding, the bound is as good as it gets.
            reached.converged = reached.error() <= limits.tolerance * scale
                || span <= 4.0 * T::EPSILON.f64() * scale;
        }
        if reached.rounds == 0 {
            reached.accuracy = Accuracy::Distance(0.0);
        }
        reached
    })
}

/// e ← P(x + q), q ← x + q − e, x ← e, where q = ηp.
fn advance<T: Real>(term: &dyn Prox<T>, x: &mut [T], moved: &mut [T], point: &mut [T], step: T) {
    for ((point, moved), &x) in point.iter_mut().zip(&mut *moved).zip(&*x) {
        *moved += x;
        *point = *moved;
    }
    term.prox(point, step);
    for ((x, moved), &point) in x.iter_mut().zip(moved).zip(&*point) {
        *moved -= point;
        *x = point;
    }
}

/// η(ψ(x) − ψ(e)) − ⟨q, x − e⟩, one term of η·gap; not negative but for rounding.
fn slack<T: Real>(
    term: &dyn Prox<T>,
    x: &[T],
    (moved, point): (&[T], &[T]),
    step: T,
    tolerance: f64,
) -> f64 {
    let rise = super::value_near(term, x, tolerance) - term.value(point);
    let linear: f64 = (0..x.len())
        .map(|i| moved[i].f64() * (x[i].f64() - point[i].f64()))
        .sum();
    (step.f64() * rise - linear).abs()
}

impl<T: Real, P: Prox<T>> Prox<T> for Dykstra<P> {
    /// Sets count as met within the tolerance.
    fn value(&self, x: &[T]) -> f64 {
        let values = self.terms.iter();
        values
            .map(|term| super::value_near(term, x, self.limits.tolerance))
            .sum()
    }

    fn prox(&self, x: &mut [T], step: T) {
        self.solve(x, step);
    }

    fn prox_with_error(&self, x: &mut [T], step: T) -> f64 {
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
mod tests {
    use super::*;
    use crate::check::contract;
    use crate::prox::{L1, L2};
    use crate::set::{L2Ball, NonNeg, Simplex};

    fn terms(list: Vec<Box<dyn Prox>>) -> Dykstra<Box<dyn Prox>> {
        Dykstra::new(list).unwrap()
    }

    #[test]
    fn keeps_the_contract() {
        let l1 = |w| L1::new(w).unwrap();
        contract(&Dykstra::new(vec![l1(0.3), l1(0.5), l1(0.0)]).unwrap(), 4);
    }

    /// prox of ‖x‖₂ + ‖x‖₁ is known: soft thresholding, then shrinking.
    #[test]
    fn the_accuracy_bounds_the_true_distance() {
        let (l1, l2) = (L1::new(0.4).unwrap(), L2::new(0.9).unwrap());
        let y: Vec<f64> = (0..30).map(|i| 2.0 * f64::from(i).sin()).collect();
        let mut exact = y.clone();
        l1.prox(&mut exact, 1.0);
        l2.prox(&mut exact, 1.0);
        for rounds in 1..20 {
            let both = terms(vec![Box::new(l1), Box::new(l2)])
                .until(1e-15, rounds)
                .unwrap();
            let mut x = y.clone();
            let Accuracy::Distance(bound) = both.solve(&mut x, 1.0).accuracy else {
                panic!("both terms are finite everywhere");
            };
            assert!(distance(&x, &exact) <= bound + 1e-14);
        }
    }

    #[test]
    fn three_sets_meet() {
        let sets = terms(vec![
            Box::new(L2Ball::new(0.7).unwrap()),
            Box::new(Simplex::new(1.0).unwrap()),
            Box::new(NonNeg),
        ]);
        let mut x = [2.0, 0.3, -1.0, 0.1];
        let reached = sets.solve(&mut x, 1.0);
        assert!(reached.converged, "{reached:?}");
        assert!((norm(&x) - 0.7).abs() < 1e-7);
        crate::check::prox_at(&sets, &[2.0, 0.3, -1.0, 0.1], 1.0, 3).unwrap();
    }

    #[test]
    fn sets_without_a_common_point_are_told() {
        let sets = terms(vec![
            Box::new(L2Ball::new(0.1).unwrap()),
            Box::new(Simplex::new(1.0).unwrap()),
        ]);
        let sets = sets.until(1e-8, 50).unwrap();
        let reached = sets.solve(&mut [1.0, 2.0], 1.0);
        assert!(!reached.converged);
        assert!(Prox::<f64>::fits(&sets, 2).is_err());
        let Accuracy::Infeasibility(distance) = reached.accuracy else {
            panic!("there is no feasible point");
        };
        assert!(distance > 0.5);
    }

    #[test]
    fn refuses_nonconvex_terms() {
        let l0 = crate::prox::L0::new(1.0).unwrap();
        assert_eq!(
            Dykstra::new(vec![l0]).unwrap_err().to_string(),
            "term 0 is not convex: Dykstra splitting is for convex terms"
        );
    }
}
