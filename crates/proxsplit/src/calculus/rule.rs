//! Which rule gives the prox of a sum of two terms.

use crate::{Class, Form, Kind, Prox, Real};
use std::fmt;

/// How the prox of ψ + φ is computed. All but [`Rule::Dykstra`] are exact.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Rule {
    /// φ = 0.
    Alone,
    /// φ = (w/2)‖x‖²: P_η(y) = P_{η'}^ψ(y·η'/η) with η' = η/(1 + ηw), by completing the square.
    Ridge,
    /// ψ separable and convex, φ a box: prox, then clamp.
    Clamp,
    /// ψ separable, φ a box: the scalar prox of every entry between its bounds.
    Between,
    /// ψ absolute, φ the orthant: clamp, then prox. Entries of y below 0 are best at 0, and ψ does not push others there.
    ProjectFirst,
    /// ψ depends on the order of the entries (TV, monotone), φ is separable and the same for all: prox of ψ, then of φ, since
    /// the second does not change the order. (Y. Yu, *On decomposing the proximal map*, 2013.)
    SeparableLast,
    /// ψ homogeneous, φ an ℓ2 ball: prox, then shrink. The best direction does not depend on the length allowed.
    Shrink,
    /// ψ convex, φ an ℓ2 ball: the ridge rule with the multiplier of ‖x‖ ≤ R, a monotone scalar equation.
    BallMultiplier,
    /// ψ homogeneous and separable, φ a sphere: prox, then stretch; the best single entry if the prox is 0.
    Stretch,
    /// ψ separable and convex, φ = {l ≤ x ≤ u, Σx = b}: eq.56, a monotone scalar equation for the multiplier of the sum.
    SumMultiplier,
    /// ψ absolute and symmetric, or a sphere, φ at most K nonzeros: the K largest |y_i|, then prox. (A. Beck, N. Hallak, *On the
    /// minimization over sparse symmetric sets*, 2016.)
    LargestFirst,
    /// A simplex and at most K nonzeros: the K largest y_i on the simplex. (A. Kyrillidis and others, *Sparse projections
    /// onto the simplex*, 2013.)
    SparseSimplex,
    /// ψ = Σ w_i|x_i|, φ convex and absolute: prox of ψ, then of φ. The second keeps signs and zeros, so that every slope of ψ at its
    /// argument is one at its result.
    SoftFirst,
    /// Both convex, nothing else known: Dykstra splitting to a tolerance.
    Dykstra,
}

impl Rule {
    /// Whether the result is the exact prox, up to rounding.
    pub fn is_exact(self) -> bool {
        self != Rule::Dykstra
    }
}

impl fmt::Display for Rule {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(match self {
            Rule::Alone => "one term is zero",
            Rule::Ridge => "prox with a shorter step, by completing the square",
            Rule::Clamp => "prox, then clamp to the box",
            Rule::Between => "scalar prox between the bounds",
            Rule::ProjectFirst => "project on the orthant, then prox",
            Rule::SeparableLast => "prox, then the separable term",
            Rule::Shrink => "prox, then shrink to the ball",
            Rule::BallMultiplier => "scalar equation for the multiplier of the ball",
            Rule::Stretch => "prox, then stretch to the sphere",
            Rule::SumMultiplier => "scalar equation for the multiplier of the sum",
            Rule::LargestFirst => "keep the largest entries, then prox",
            Rule::SparseSimplex => "project the largest entries on the simplex",
            Rule::SoftFirst => "soft threshold, then prox",
            Rule::Dykstra => "Dykstra splitting to a tolerance",
        })
    }
}

/// What a rule depends on.
#[derive(Clone, Copy)]
pub(super) struct Facts {
    form: Form,
    convex: bool,
    separable: bool,
}

impl Facts {
    pub(super) fn of<T: Real>(term: &dyn Prox<T>) -> Self {
        Self {
            form: term.form(),
            convex: term.class() == Class::Convex,
            separable: term.separable().is_some(),
        }
    }
}

/// The rule for two terms, and whether they trade places in it.
pub(super) fn find(a: Facts, b: Facts) -> Option<(Rule, bool)> {
    exact(a, b)
        .map(|rule| (rule, false))
        .or_else(|| exact(b, a).map(|rule| (rule, true)))
        // Separable constraints are tested exactly, so they come last, where they hold exactly.
        .or_else(|| (a.convex && b.convex).then_some((Rule::Dykstra, a.separable)))
}

/// The exact rule for ψ = a and φ = b.
fn exact(a: Facts, b: Facts) -> Option<Rule> {
    let uniform = b.separable && b.form.symmetric && b.convex;
    let simplex = matches!(a.form.kind, Kind::Sum { lower, upper, .. }
        if lower == 0.0 && upper == f64::INFINITY);
    // Separable and homogeneous terms of |x| are these.
    let weighted_l1 = a.separable && a.convex && a.form.absolute && a.form.homogeneous;
    let sphere = matches!(a.form.kind, Kind::Sphere { .. });
    Some(match b.form.kind {
        Kind::Zero => Rule::Alone,
        Kind::Ridge { .. } => Rule::Ridge,
        _ if b.form.is_box() && a.separable && a.convex => Rule::Clamp,
        _ if b.form.is_box() && a.separable => Rule::Between,
        Kind::NonNeg if a.form.absolute => Rule::ProjectFirst,
        _ if a.form.ordered && a.convex && uniform => Rule::SeparableLast,
        _ if a.form.clamps && a.convex && uniform && b.form.is_box() => Rule::SeparableLast,
        Kind::Ball { .. } if a.form.homogeneous => Rule::Shrink,
        Kind::Ball { .. } if a.convex => Rule::BallMultiplier,
        Kind::Sphere { .. } if a.form.homogeneous && a.separable => Rule::Stretch,
        Kind::Sum { .. } if a.separable && a.convex => Rule::SumMultiplier,
        Kind::Sparse { .. } if a.form.absolute && a.form.symmetric => Rule::LargestFirst,
        Kind::Sparse { .. } if sphere => Rule::LargestFirst,
        Kind::Sparse { .. } if simplex => Rule::SparseSimplex,
        _ if weighted_l1 && b.form.absolute && b.convex => Rule::SoftFirst,
        _ => return None,
    })
}
