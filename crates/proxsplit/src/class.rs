//! What is known of the terms of a problem: the convexity of g, the Lipschitz constant of ∇f.

/// How far a term is from convex.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(rename_all = "kebab-case")
)]
pub enum Class {
    /// Convex: the prox is single-valued and nonexpansive for every step.
    Convex,
    /// g + (modulus/2)‖·‖² is convex: the prox is single-valued for steps below 1/modulus.
    WeaklyConvex {
        /// The least such modulus.
        modulus: f64,
    },
    /// Neither: the prox may be set-valued, and any minimizer is returned.
    Nonconvex,
}

impl Class {
    /// The class of a sum (or of a separable sum) of two terms.
    #[must_use]
    pub fn and(self, other: Class) -> Class {
        match (self, other) {
            (Class::Convex, c) | (c, Class::Convex) => c,
            (Class::WeaklyConvex { modulus: a }, Class::WeaklyConvex { modulus: b }) => {
                Class::WeaklyConvex { modulus: a + b }
            }
            _ => Class::Nonconvex,
        }
    }

    /// Steps below this keep the prox single-valued.
    pub fn step_limit(self) -> f64 {
        match self {
            Class::WeaklyConvex { modulus } if modulus > 0.0 => 1.0 / modulus,
            _ => f64::INFINITY,
        }
    }
}

/// What is known of the Lipschitz constant L of a gradient.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(rename_all = "kebab-case")
)]
#[non_exhaustive]
pub enum Lipschitz {
    /// An upper bound that holds everywhere.
    Known(f64),
    /// Observed on some points; the true constant may be larger.
    Estimated(f64),
    /// Nothing.
    Unknown,
}

impl Lipschitz {
    /// The number, known or estimated.
    pub fn value(self) -> Option<f64> {
        match self {
            Lipschitz::Known(l) | Lipschitz::Estimated(l) => Some(l),
            Lipschitz::Unknown => None,
        }
    }

    /// The same knowledge of a bound that is larger by so much.
    #[must_use]
    pub fn plus(self, more: f64) -> Lipschitz {
        match self {
            Lipschitz::Known(l) => Lipschitz::Known(l + more),
            Lipschitz::Estimated(l) => Lipschitz::Estimated(l + more),
            Lipschitz::Unknown => Lipschitz::Unknown,
        }
    }

    /// The same knowledge about c·f.
    #[must_use]
    pub fn scaled(self, factor: f64) -> Lipschitz {
        match self {
            Lipschitz::Known(l) => Lipschitz::Known(l * factor.abs()),
            Lipschitz::Estimated(l) => Lipschitz::Estimated(l * factor.abs()),
            Lipschitz::Unknown => Lipschitz::Unknown,
        }
    }
}
