//! Where a quasi-Newton step goes from x.
//!
//! If g is simple entry by entry (weights of |x| and x²/2, bounds), the entries that the plain step puts on a bound or on the kink of |x|
//! stay there, and on the others Φ is smooth: L-BFGS on its gradient, moved back to the bound or the kink that it would cross.
//! For every other g it is L-BFGS on the residual (x − x̄)/γ, whose zeros are the fixed points of the plain step.

use super::memory::Memory;
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
    free: Vec<bool>,
    q: Vec<T>, // the whole step is x − q
}

impl<T: Real> Direction<T> {
    pub(super) fn new(g: &dyn Prox<T>, dim: usize) -> Self {
        Self {
            entries: Entries::of(g, dim),
            memory: Memory::new(dim),
            free: vec![true; dim],
            q: vec![T::ZERO; dim],
        }
    }

    /// Whether all steps stay in the domain of g.
    pub(super) fn stays_inside(&self) -> bool {
        self.entries.is_some()
    }

    /// Finds where to go from x, given x̄ for γ = `step`.
    pub(super) fn find(&mut self, point: &Point<'_, T>, plain: &[T], step: f64) {
        let (x, gradient) = (&point.x, &point.gradient);
        match &self.entries {
            Some(entries) => {
                for (i, q) in self.q.iter_mut().enumerate() {
                    let slope = slope(entries.at(i), x[i].f64(), gradient[i].f64(), step);
                    self.free[i] = slope.is_some();
                    *q = T::of(slope.unwrap_or(0.0));
                }
            }
            None => {
                for ((q, &x), &p) in self.q.iter_mut().zip(x).zip(plain) {
                    *q = (x - p) / T::of(step);
                }
            }
        }
        self.memory.apply(&mut self.q, &self.free, step);
        if !vec::is_finite(&self.q) {
            self.memory.clear();
            for ((q, &x), &p) in self.q.iter_mut().zip(x).zip(plain) {
                *q = x - p;
            }
        }
    }

    /// Entry by entry x − τq, bent back at bounds and kinks; for other g the way from x̄ to x − q.
    pub(super) fn go(&self, x: &[T], plain: &[T], tau: f64, out: &mut [T]) {
        let tau = T::of(tau);
        for (i, out) in out.iter_mut().enumerate() {
            *out = match &self.entries {
                _ if !self.free[i] => plain[i],
                Some(entries) => bounded(entries.at(i), x[i] - tau * self.q[i], plain[i]),
                None => plain[i] + tau * (x[i] - self.q[i] - plain[i]),
            };
        }
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

/// The slope of Φ in an entry that the plain step leaves where Φ is smooth; `None` if it ends on a bound or a kink.
fn slope(g: Elementary, x: f64, gradient: f64, step: f64) -> Option<f64> {
    let forward = x - step * gradient;
    let shrunk = forward - forward.clamp(-g.l1 * step, g.l1 * step);
    let plain = shrunk / (1.0 + g.sql2 * step);
    let inside = g.lower < plain && plain < g.upper;
    let smooth = g.l1 == 0.0 || shrunk != 0.0;
    let kink = if g.l1 == 0.0 {
        0.0
    } else {
        g.l1 * shrunk.signum()
    };
    (inside && smooth).then_some(gradient + g.sql2 * x + kink)
}

/// An entry of the step, no farther than the bound or the kink that it would cross on its way from the side of x̄.
fn bounded<T: Real>(g: Elementary, target: T, plain: T) -> T {
    let value = target.f64();
    if g.l1 > 0.0 && value * plain.f64() < 0.0 {
        return T::ZERO;
    }
    if value <= g.lower {
        T::of(g.lower)
    } else if value >= g.upper {
        T::of(g.upper)
    } else {
        target
    }
}
