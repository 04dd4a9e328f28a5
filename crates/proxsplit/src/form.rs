//! What operators declare of their form, so that sums of them can be computed exactly.

/// The form of a term g, declared by its author and used by [`calculus`](crate::calculus) to join it with other terms.
///
/// The default claims nothing, and is right for every term. A claim opens the exact rules that need it:
///
/// ```
/// use proxsplit::{Form, Prox, prox::L1, set::NonNeg};
/// let l1 = Prox::<f64>::form(&L1::new(1.0)?);
/// assert_eq!(l1, Form::default().absolute().homogeneous().symmetric());
/// assert!(Prox::<f64>::form(&NonNeg).is_box());
/// # Ok::<(), proxsplit::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Default)]
#[allow(clippy::struct_excessive_bools)] // Independent facts, each with a name.
pub struct Form {
    /// The well-known function or set that this is, if it is one.
    pub kind: Kind,
    /// g(x) depends on |x| only, and does not decrease when an |x_i| grows. For such terms: project on x ≥ 0 first.
    pub absolute: bool,
    /// g(cx) = c·g(x) for every c > 0. A set is then a cone.
    pub homogeneous: bool,
    /// g does not depend on the order of the entries. A separable g has then the same g_i for every entry.
    pub symmetric: bool,
    /// ∂g(x) ⊆ ∂g(Tx) for every nondecreasing T that acts alike on all entries, as for Σ|x_i − x_j| over any pairs. For
    /// such terms: prox of a symmetric separable convex h last.
    pub ordered: bool,
    /// The prox over a box with equal bounds is the clamped prox: true for an ordered term plus a separable one.
    pub clamps: bool,
}

/// Functions and sets that have rules of their own.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
#[non_exhaustive]
pub enum Kind {
    /// Some function.
    #[default]
    Penalty,
    /// g = 0
    Zero,
    /// g(x) = (weight/2)‖x‖²
    Ridge {
        /// At least 0.
        weight: f64,
    },
    /// The indicator of some set.
    Set,
    /// x ≥ 0
    NonNeg,
    /// l_i ≤ x_i ≤ u_i; separable. Equal bounds for all entries if it is symmetric.
    Box,
    /// ‖x‖₂ ≤ radius
    Ball {
        /// At least 0.
        radius: f64,
    },
    /// ‖x‖₂ = radius
    Sphere {
        /// At least 0.
        radius: f64,
    },
    /// lower ≤ x ≤ upper, Σ_i x_i = total
    Sum {
        /// The lower bound of every entry; may be −∞.
        lower: f64,
        /// The upper bound of every entry; may be +∞.
        upper: f64,
        /// The sum.
        total: f64,
    },
    /// At most `count` nonzeros.
    Sparse {
        /// How many.
        count: usize,
    },
}

impl Form {
    /// The form of this kind, with no claim yet.
    pub const fn of(kind: Kind) -> Form {
        Form {
            kind,
            absolute: false,
            homogeneous: false,
            symmetric: false,
            ordered: false,
            clamps: false,
        }
    }

    /// Claims [`Form::absolute`].
    #[must_use]
    pub const fn absolute(self) -> Form {
        Form {
            absolute: true,
            ..self
        }
    }

    /// Claims [`Form::homogeneous`].
    #[must_use]
    pub const fn homogeneous(self) -> Form {
        Form {
            homogeneous: true,
            ..self
        }
    }

    /// Claims [`Form::symmetric`].
    #[must_use]
    pub const fn symmetric(self) -> Form {
        Form {
            symmetric: true,
            ..self
        }
    }

    /// Claims [`Form::ordered`], and with it [`Form::clamps`].
    #[must_use]
    pub const fn ordered(self) -> Form {
        Form {
            ordered: true,
            clamps: true,
            ..self
        }
    }

    /// Claims [`Form::clamps`].
    #[must_use]
    pub const fn clamps(self) -> Form {
        Form {
            clamps: true,
            ..self
        }
    }

    /// Whether g is the indicator of a set.
    pub fn is_set(&self) -> bool {
        !matches!(self.kind, Kind::Penalty | Kind::Zero | Kind::Ridge { .. })
    }

    /// Whether g is the indicator of a box.
    pub fn is_box(&self) -> bool {
        matches!(self.kind, Kind::Box | Kind::NonNeg)
    }

    /// What stays true of a sum of two terms, whatever they are.
    #[must_use]
    pub fn and(self, other: Form) -> Form {
        let kind = match (self.kind, other.kind) {
            (Kind::Zero, kind) | (kind, Kind::Zero) => kind,
            (Kind::Ridge { weight: a }, Kind::Ridge { weight: b }) => Kind::Ridge { weight: a + b },
            _ if self.is_box() && other.is_box() => Kind::Box,
            _ if self.is_set() && other.is_set() => Kind::Set,
            _ => Kind::Penalty,
        };
        Form {
            kind,
            absolute: self.absolute && other.absolute,
            homogeneous: self.homogeneous && other.homogeneous,
            symmetric: self.symmetric && other.symmetric,
            ordered: self.ordered && other.ordered,
            clamps: self.ordered && other.ordered,
        }
    }
}
