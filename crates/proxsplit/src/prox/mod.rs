//! Penalties, one file each: value, prox, class and formula.

#[cfg(test)]
pub(crate) mod brute;
mod capped_l1;
mod elastic_net;
mod entropy;
mod group_l2;
mod group_linf;
mod groups;
mod huber;
mod kullback_leibler;
mod l0;
mod l1;
mod l2;
mod linf;
mod log_sum;
mod lp;
mod mcp;
mod nonneg_l1;
mod scad;
pub(crate) mod separable;
mod sparse_group;
mod squared_l2;
mod tree_groups;
mod wright_omega;
mod zero;

pub use capped_l1::CappedL1;
pub use elastic_net::ElasticNet;
pub use entropy::Entropy;
pub use group_l2::GroupL2;
pub use group_linf::GroupLinf;
pub use groups::Groups;
pub use huber::Huber;
pub use kullback_leibler::KullbackLeibler;
pub use l0::L0;
pub use l1::{L1, WeightedL1};
pub use l2::L2;
pub use linf::Linf;
pub use log_sum::LogSum;
pub use lp::{Lp, Power};
pub use mcp::Mcp;
pub use nonneg_l1::NonNegL1;
pub use scad::Scad;
pub use sparse_group::SparseGroup;
pub use squared_l2::SquaredL2;
pub use tree_groups::TreeGroups;
pub use zero::Zero;
