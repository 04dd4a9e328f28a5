//! g(x) = Σ_i W₁|x_i| + (W₂/2)x_i² over l ≤ x_i ≤ u: the terms that whole loops can be specialized for.

/// The numbers of such a term. Its prox is shrink, scale and clamp: clamp(soft(t, ηW₁)/(1 + ηW₂), l, u).
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Elementary {
    /// W₁ ≥ 0
    pub l1: f64,
    /// W₂ ≥ 0
    pub sql2: f64,
    /// l, perhaps −∞
    pub lower: f64,
    /// u, perhaps +∞
    pub upper: f64,
}

impl Elementary {
    /// g = 0
    pub const ZERO: Self = Self {
        l1: 0.0,
        sql2: 0.0,
        lower: f64::NEG_INFINITY,
        upper: f64::INFINITY,
    };

    /// The prox of one entry.
    pub fn prox(self, t: f64, step: f64) -> f64 {
        // A step that has overflowed, of which a run is told by what is not a number.
        if !step.is_finite() {
            return f64::NAN;
        }
        let width = self.l1 * step;
        let shrunk = t - t.clamp(-width, width);
        (shrunk / (1.0 + self.sql2 * step))
            .max(self.lower)
            .min(self.upper)
    }

    /// The value of one entry.
    pub fn value(self, t: f64) -> f64 {
        if t < self.lower || t > self.upper {
            return f64::INFINITY;
        }
        self.l1 * t.abs() + 0.5 * self.sql2 * t * t
    }

    /// The conjugate of one entry, sup_z sz − W₁|z| − (W₂/2)z² over l ≤ z ≤ u.
    pub fn conjugate(self, s: f64) -> f64 {
        let excess = s - s.clamp(-self.l1, self.l1);
        let z = if excess == 0.0 {
            0.0
        } else if self.sql2 > 0.0 {
            excess / self.sql2
        } else {
            // Linear beyond 0, so that the supremum is at a bound.
            excess * f64::INFINITY
        };
        let z = z.max(self.lower).min(self.upper);
        if z.is_infinite() {
            return f64::INFINITY;
        }
        s * z - self.l1 * z.abs() - 0.5 * self.sql2 * z * z
    }

    /// inf {t ≥ 0 : s ∈ t·dom g*}, the factor by which the domain of the conjugate must grow to reach s.
    pub fn polar(self, s: f64) -> f64 {
        let towards = if s > 0.0 { self.upper } else { -self.lower };
        if s == 0.0 || self.sql2 > 0.0 || towards < f64::INFINITY {
            return 0.0;
        }
        s.abs() / self.l1
    }

    /// The sum of two such terms: weights add up, bounds intersect.
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        Self {
            l1: self.l1 + other.l1,
            sql2: self.sql2 + other.sql2,
            lower: self.lower.max(other.lower),
            upper: self.upper.min(other.upper),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Elementary;

    #[test]
    fn a_step_that_overflowed_is_told_and_does_not_panic() {
        let free = Elementary::ZERO;
        let (l1, sql2) = (
            Elementary { l1: 1.0, ..free },
            Elementary { sql2: 1.0, ..free },
        );
        for term in [free, l1, sql2] {
            assert!(term.prox(1.0, f64::INFINITY).is_nan(), "{term:?}");
        }
    }
}
