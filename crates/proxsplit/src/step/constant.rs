//! η_k = η.

use super::StepRule;
use crate::Lipschitz;
use crate::error::{Error, positive};

/// The same step in every iteration.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Constant {
    step: f64,
    lipschitz: Lipschitz,
}

impl Constant {
    /// η = 1, for when nothing is known.
    pub const UNIT: Self = Self {
        step: 1.0,
        lipschitz: Lipschitz::Unknown,
    };

    /// η > 0 as given.
    pub fn new(step: f64) -> Result<Self, Error> {
        Ok(Self {
            step: positive("step", step)?,
            lipschitz: Lipschitz::Unknown,
        })
    }

    /// min(1, 1/L), the middle of the step range 0 < η < 2/L, eq. 38 of the paper. `None` if nothing is known of L.
    pub fn within(lipschitz: Lipschitz) -> Option<Self> {
        let l = lipschitz.value().filter(|l| l.is_finite())?;
        let step = if l > 1.0 { 1.0 / l } else { 1.0 };
        Some(Self { step, lipschitz })
    }
}

impl StepRule for Constant {
    fn scheduled(&self, _: u64) -> Option<f64> {
        Some(self.step)
    }

    fn lipschitz(&self) -> Lipschitz {
        self.lipschitz
    }
}
