//! Smooth terms f, one file each.

pub mod lipschitz;
