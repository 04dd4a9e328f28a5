//! Where a quasi-Newton step goes from x.
//!
//! If g is simple entry by entry (weights of |x| and x²/2, bounds), Φ is smooth as far as the next bound or kink of |x|: there L-BFGS
//! makes a quadratic model of it, which is minimized between them. For every other g it is L-BFGS on the residual (x − x̄)/γ, whose zeros
//! are the fixed points of the plain step.

use super::memory::Memory;
use super::model::{Bounded, Model};
use crate::linalg::vec;
use crate::solve::point::Point;
use crate::{Elementary, Prox, Real};

/// A point with its gradient and its plain step.
pub(super) struct Here<'a, T> {
    pub(super) x: &'a [T],
    pub(super) gradient: &'a [T],
    pub(super) plain: &'a [T],
}

/// g entry by entry.
enum Entries {
    Same(Elementary),
    Each(Vec<Elementary>),
}

impl Entries {
    fn of<T: Real>(g: &dyn Prox<T>, dim: usize) -> Option<Self> {
        if let Some(all) = g.elementary() {
            return Some(Self::Same(all));
        }
        let g = g.separable()?;
        let each: Option<Vec<_>> = (0..dim).map(|i| g.entry(i)).collect();
        each.map(Self::Each)
    }

    fn at(&self, i: usize) -> Elementary {
        match self {
            Self::Same(all) => *all,
            Self::Each(each) => each[i],
        }
    }
}

pub(super) struct Direction<T> {
    entries: Option<Entries>,
    memory: Memory<T>,
    model: Model<T>,
    near: Bounded,  // Φ near x, if g is simple
    target: Vec<T>, // where the whole step ends
    slope: f64,     // of Φ at x along the way there
}

impl<T: Real> Direction<T> {
    pub(super) fn new(g: &dyn Prox<T>, dim: usize) -> Self {
        let entries = Entries::of(g, dim);
        let modelled = if entries.is_some() { dim } else { 0 };
        Self {
            entries,
            memory: Memory::new(dim),
            model: Model::new(modelled),
            near: Bounded::new(modelled),
            target: vec![T::ZERO; dim],
            slope: 0.0,
        }
    }

    /// Whether all steps stay in the domain of g.
    pub(super) fn stays_inside(&self) -> bool {
        self.entries.is_some()
    }

    /// How many lengths are worth a try.
    pub(super) fn tries(&self) -> u32 {
        if self.entries.is_some() { 8 } else { 5 }
    }

    /// Finds where to go from x, given x̄ for γ = `step`.
    pub(super) fn find(&mut self, point: &Point<'_, T>, plain: &[T], step: f64) {
        let (x, gradient) = (&point.x[..], &point.gradient[..]);
        if let Some(entries) = &self.entries {
            self.near.set(entries, &Here { x, gradient, plain });
            if self.memory.count() == 0 {
                self.target.copy_from_slice(plain);
            } else {
                self.model.fit(&self.memory);
                let out = &mut self.target;
                self.model.minimize(&self.memory, x, &self.near, out);
            }
            self.slope = self.near.slope(x, &self.target);
        } else {
            self.follow_residual(x, plain, step);
        }
        if !vec::is_finite(&self.target) || self.entries.is_some() && self.slope >= 0.0 {
            self.memory.clear();
            self.target.copy_from_slice(plain);
        }
    }

    fn follow_residual(&mut self, x: &[T], plain: &[T], step: f64) {
        for ((q, &x), &p) in self.target.iter_mut().zip(x).zip(plain) {
            *q = (x - p) / T::of(step);
        }
        self.memory.apply(&mut self.target, step);
        for (q, &x) in self.target.iter_mut().zip(x) {
            *q = x - *q;
        }
    }

    /// A part τ of the way from x, or for g that are not simple from x̄.
    pub(super) fn go(&self, x: &[T], plain: &[T], tau: f64, out: &mut [T]) {
        if tau == 1.0 {
            out.copy_from_slice(&self.target);
            return;
        }
        let from = if self.entries.is_some() { x } else { plain };
        for ((out, &from), &to) in out.iter_mut().zip(from).zip(&self.target) {
            *out = from + T::of(tau) * (to - from);
        }
    }

    /// The τ to try after one that has changed Φ by `rise`: where the parabola through both ends is least, or half of it.
    pub(super) fn shorter(&self, tau: f64, rise: f64) -> f64 {
        if self.entries.is_none() {
            return 0.5 * tau;
        }
        let bend = rise - tau * self.slope;
        let least = -0.5 * tau * tau * self.slope / bend;
        // In this order NaN is the least.
        least.max(0.1 * tau).min(0.5 * tau)
    }

    /// Remembers what a move has shown.
    pub(super) fn learn(&mut self, old: &Here<'_, T>, new: &Here<'_, T>, step: f64) {
        let eta = T::of(step);
        let moved = (old.x, new.x);
        match &self.entries {
            Some(entries) => self.memory.learn(moved, |i| {
                let bend = T::of(entries.at(i).sql2) * (new.x[i] - old.x[i]);
                new.gradient[i] - old.gradient[i] + bend
            }),
            None => self.memory.learn(moved, |i| {
                ((new.x[i] - new.plain[i]) - (old.x[i] - old.plain[i])) / eta
            }),
        }
    }

    /// γ has changed, and with it the residual that the pairs may be about.
    pub(super) fn forget_residuals(&mut self) {
        if self.entries.is_none() {
            self.memory.clear();
        }
    }
}

impl Bounded {
    fn new(dim: usize) -> Self {
        Self {
            slopes: vec![0.0; dim],
            low: vec![0.0; dim],
            high: vec![0.0; dim],
        }
    }

    /// Φ where it is smooth: between the bounds, and on the side of the kink of |x| where x is, or where x̄ goes if x is on the kink.
    fn set<T: Real>(&mut self, entries: &Entries, here: &Here<'_, T>) {
        for (i, x) in here.x.iter().enumerate() {
            let (g, x, plain) = (entries.at(i), x.f64(), here.plain[i].f64());
            self.slopes[i] = here.gradient[i].f64() + g.sql2 * x;
            (self.low[i], self.high[i]) = (g.lower, g.upper);
            if g.l1 == 0.0 {
                continue;
            }
            let side = if x == 0.0 { plain } else { x };
            if side > 0.0 {
                self.slopes[i] += g.l1;
                self.low[i] = g.lower.max(0.0);
            } else if side < 0.0 {
                self.slopes[i] -= g.l1;
                self.high[i] = g.upper.min(0.0);
            } else {
                (self.slopes[i], self.low[i], self.high[i]) = (0.0, 0.0, 0.0);
            }
        }
    }

    /// ⟨c, to − x⟩
    fn slope<T: Real>(&self, x: &[T], to: &[T]) -> f64 {
        let moves = to.iter().zip(x).map(|(to, x)| to.f64() - x.f64());
        moves.zip(&self.slopes).map(|(d, c)| d * c).sum()
    }
}
