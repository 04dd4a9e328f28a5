//! What a point must meet to be called stationary: the one place where a tolerance is compared with anything.

use super::AtPoint;

/// The tolerances of a run and the objective that it began with.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Standard {
    /// The residual that is asked for …
    pub residual: f64,
    /// … plus this fraction of the scale of the residual.
    pub relative: f64,
    /// The relative suboptimality that is asked for, if any.
    pub gap: Option<f64>,
    /// Φ at the first look.
    pub start_objective: f64,
}

/// Objectives that differ by less than this, relatively, count as equal.
const SAME: f64 = 1e-9;

/// Why a point whose residual is within the tolerance is not called stationary.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub enum Obstacle {
    /// x is not finite, or outside the domain of g.
    Unsound,
    /// Φ(x) is above Φ at the start.
    AboveStart,
    /// The prox is a stopped iteration, and how far it is off is unknown or too much.
    ProxError,
    /// The gradient is inexact, and by how much is unknown or too much.
    GradientError,
    /// A single step would lower the objective by much.
    Fall(f64),
    /// The duality gap allows an objective far above the minimum.
    Gap(f64),
    /// A dead atom can be replaced at a gain.
    Escape(f64),
}

impl Standard {
    /// The residual up to which a point counts as stationary: never below rounding, and 0 if nothing was asked for.
    pub fn tolerance(&self, at: &AtPoint) -> f64 {
        match self.residual + self.relative * at.scale {
            0.0 if self.relative == 0.0 => 0.0,
            asked => asked.max(at.rounding),
        }
    }

    /// Whether the point is called stationary.
    pub fn is_stationary(&self, at: &AtPoint) -> bool {
        at.residual <= self.tolerance(at) && self.obstacle(at).is_none()
    }

    /// Whether the objective is proved to be within the relative gap that was asked for.
    pub fn is_optimal(&self, at: &AtPoint) -> bool {
        let close = |asked: f64, gap: f64| gap <= asked * (at.objective.abs() - gap).max(0.0);
        let zero = |gap: f64| gap <= f64::EPSILON * self.start_objective.abs();
        at.is_sound()
            && self
                .gap
                .zip(at.gap)
                .is_some_and(|(asked, gap)| close(asked, gap) || zero(gap))
    }

    /// What stands against a point, whatever its residual.
    ///
    /// A small residual does not bound the objective of an ill-conditioned convex problem: nonnegative least squares can have a
    /// residual of 10⁻³ of its start at many times the minimum. So where a gap is known, it must be small, too: at most √t of
    /// the objective for a residual of t of its scale, or t^{3/2} of the start's objective where the minimum is 0. The same holds for
    /// what a single step gains: a g that is steep beside ∇f can be far above its least value at a distance that is small beside η.
    pub fn obstacle(&self, at: &AtPoint) -> Option<Obstacle> {
        let tolerance = self.tolerance(at);
        // A tolerance above the scale, which may be 0, is met by anything.
        let fraction = if tolerance < at.scale {
            tolerance / at.scale
        } else {
            f64::from(tolerance > 0.0)
        };
        let (now, start) = (at.objective.abs(), self.start_objective.abs());
        if !at.is_sound() {
            return Some(Obstacle::Unsound);
        }
        if at.objective > self.start_objective + SAME * now.max(start) {
            return Some(Obstacle::AboveStart);
        }
        if at.residual + at.prox_error.unwrap_or(f64::INFINITY) > tolerance.max(at.residual) {
            return Some(Obstacle::ProxError);
        }
        if at.stationarity() > tolerance.max(at.residual) {
            return Some(Obstacle::GradientError);
        }
        let enough = fraction.sqrt() * now + fraction.powf(1.5) * start;
        if let Some(fall) = at.fall.filter(|fall| *fall > enough) {
            return Some(Obstacle::Fall(fall));
        }
        if let Some(gap) = at.gap.filter(|gap| *gap > enough) {
            return Some(Obstacle::Gap(gap));
        }
        at.pair
            .filter(|pair| pair.dead_atoms > 0)
            .and_then(|pair| Some((pair.escape?, fraction * (now + fraction * pair.size))))
            .filter(|(gain, enough)| gain > enough)
            .map(|(gain, _)| Obstacle::Escape(gain))
    }
}

#[cfg(test)]
mod tests;
