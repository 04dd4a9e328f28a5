//! g(x) = Σ_i W₁|x_i| + (W₂/2)x_i² over l ≤ x_i ≤ u: the terms that whole loops can be specialized for.

use crate::Real;

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
    #[inline]
    pub fn prox(self, t: f64, step: f64) -> f64 {
        // A step that has overflowed, of which a run is told by what is not a number.
        if !step.is_finite() {
            return f64::NAN;
        }
        let width = self.l1 * step;
        let shrunk = t - t.clamp(-width, width);
        // A division would take longer than all the rest, and mostly it is by 1.
        let scaled = if self.sql2 == 0.0 {
            shrunk
        } else {
            shrunk / (1.0 + self.sql2 * step)
        };
        scaled.max(self.lower).min(self.upper)
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

    /// Σ_i of the conjugates, where every entry has this term.
    pub(crate) fn conjugate_of_all<T: Real>(self, s: &[T]) -> f64 {
        // Within the weight all of them are 0, if 0 is allowed: what a look at a scaled dual point finds.
        let allows_zero = self.lower <= 0.0 && self.upper >= 0.0;
        if allows_zero && s.iter().all(|s| s.f64().abs() <= self.l1) {
            return 0.0;
        }
        let mut total = 0.0;
        for s in s {
            total += self.conjugate(s.f64());
            if total == f64::INFINITY {
                break;
            }
        }
        total
    }

    /// max_i of the gauges, where every entry has this term: that of the largest s_i or that of the least.
    pub(crate) fn polar_of_all<T: Real>(self, s: &[T]) -> f64 {
        let ends = s.iter().fold((0.0, 0.0), |(low, high): (f64, f64), s| {
            (low.min(s.f64()), high.max(s.f64()))
        });
        self.polar(ends.0).max(self.polar(ends.1))
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

    #[test]
    fn sums_over_all_entries_are_those_of_single_ones() {
        let term = |l1, sql2, lower, upper| Elementary {
            l1,
            sql2,
            lower,
            upper,
        };
        let all = f64::INFINITY;
        let terms = [
            term(1.0, 0.0, -all, all),
            term(0.5, 0.0, 0.0, all),
            term(0.5, 2.0, -all, all),
            term(0.0, 0.0, -1.0, 2.0),
            term(1.0, 0.0, 1.0, 2.0),
        ];
        for s in [[0.2, -0.3, 0.0], [2.0, -0.3, 1.5], [-2.0, -0.1, -0.5]] {
            for term in terms {
                let sum: f64 = s.iter().map(|&s| term.conjugate(s)).sum();
                assert_eq!(term.conjugate_of_all(&s), sum, "{term:?}");
                let largest = s.iter().fold(0.0, |a: f64, &s| a.max(term.polar(s)));
                assert_eq!(term.polar_of_all(&s), largest, "{term:?}");
            }
        }
    }
}
