//! The little linear algebra that everything else needs.

pub mod dense;
mod simplex_threshold;
pub(crate) mod spectral;
mod tridiagonal;
pub mod vec;
pub(crate) mod vectorized;

pub use dense::Mat;
pub(crate) use simplex_threshold::{ball_cut, simplex_cut};
pub use simplex_threshold::{ball_threshold, simplex_threshold};
