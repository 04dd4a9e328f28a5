//! Which rank? The error on entries that were held out of the fit, for one rank after the other.
//!
//! The entries are divided into folds by a [speckled mask](speckle), and every fold is fitted without its entries at every rank, each
//! rank from the factors of the one below; a fold that is fitted much worse than the others is tried again from other starts. A rank too small leaves structure in the held-out error, one too large noise: the
//! least mean error, and the smallest rank that is within one standard error of it, is the answer. (S. Wold, Cross-validatory
//! estimation of the number of components in factor and principal components models, 1978; A. Owen, P. Perry,
//! Bi-cross-validation of the SVD and the nonnegative matrix factorization, 2009.) Fits of all data from several
//! starts tell beside it how stable the atoms are.

mod choice;
mod fold;
mod plan;
mod row;
mod search;
mod speckle;
mod state;
#[cfg(test)]
mod tests;
mod warm;

pub use choice::Choice;
pub use plan::RankPlan;
pub use row::RankRow;
pub use search::{Fit, FitKind, RankSearch, Searched};
pub(crate) use speckle::Speckle;
