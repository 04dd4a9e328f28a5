//! The little linear algebra that everything else needs.

pub mod dense;
mod simplex_threshold;
pub(crate) mod spectral;
mod tridiagonal;
pub mod vec;
pub(crate) mod vectorized;

pub use dense::Mat;
pub use simplex_threshold::simplex_threshold;
pub(crate) use simplex_threshold::{ball_cut, ball_threshold, simplex_cut};
