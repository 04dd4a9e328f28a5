//! The native module `proxsplit._proxsplit`: conversion between NumPy and the Rust crates, nothing else.
//!
//! Mathematics belongs to the Rust crates, what users see to the Python package; functions here take flat, checked arrays and
//! return plain dictionaries.

// PyO3 extracts arguments as owned values.
#![allow(clippy::needless_pass_by_value)]

mod array;
mod atoms;
mod callable;
mod encode;
mod error;
mod factor;
mod linear;
mod minimize;
mod operator;
mod pool;
mod rank;
mod report;
mod scalar;
mod shards;
mod threads;
mod watch;

/// The native part of the package `proxsplit`.
#[pyo3::pymodule]
mod _proxsplit {
    #[pymodule_export]
    use crate::atoms::update_atoms;
    #[pymodule_export]
    use crate::encode::{audit, encode};
    #[pymodule_export]
    use crate::factor::{choices, factorize};
    #[pymodule_export]
    use crate::linear::{linear, losses, path_factors};
    #[pymodule_export]
    use crate::minimize::minimize;
    #[pymodule_export]
    use crate::operator::{Term, catalogue};
    #[pymodule_export]
    use crate::rank::{consensus, select_rank};
    #[pymodule_export]
    use crate::shards::{Shard, factorize_shards};
}
