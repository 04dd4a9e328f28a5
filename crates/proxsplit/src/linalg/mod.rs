//! The little linear algebra that everything else needs.

pub mod dense;
pub mod vec;

pub use dense::Mat;
