//! Penalties, one file each: value, prox, class and formula.

mod l0;
mod l1;
pub(crate) mod separable;

pub use l0::L0;
pub use l1::{L1, WeightedL1};
