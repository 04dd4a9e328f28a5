//! Proximal splitting for nonsmooth, nonconvex problems with inexact gradients.
//!
//! minimize Φ(x) = f(x) + g(x): f is differentiable and may be nonconvex, g has a cheap proximity operator and carries
//! penalties and constraints. There is one iteration, x⁺ = P_η^g(x − η·∇̃f(x)), and the gradient ∇̃f = ∇f − e may be
//! inexact with errors that never vanish. Every run ends with a [`Certificate`] that states how far it converged.
//!
//! | slot | choices |
//! |---|---|
//! | smooth term f | [`smooth`], or your own [`Smooth`] / [`FiniteSum`] |
//! | nonsmooth term g | [`prox`], [`set`], [`calculus`], a [`text`] form, or your own [`Prox`] |
//! | gradient source | [`gradient`]: exact, incremental pass, mini-batch, PAGE, SAGA, stale, single precision, injected error |
//! | step rule | [`step`]: constant, diminishing, given, guarded, backtracking, Barzilai–Borwein, adaptive |
//! | solver | [`Panoc`], [`WorkingSet`], [`Splitting`], [`IncrementalSplitting`], [`Sggd`] |
//! | stopping | [`run()`] with [`Stop`] and an [`Observer`] |
//!
//! Features, both on by default: `rayon` runs large sums and operators on all cores, `serde` writes and reads reports,
//! checkpoints and operators. Results have the same bits with and without `rayon`.

mod bound;
pub mod calculus;
pub mod certificate;
pub mod check;
mod class;
pub mod data;
mod dual;
mod elementary;
pub mod error;
mod form;
mod gap;
pub mod gradient;
pub mod ledger;
mod linalg;
mod names;
#[cfg(feature = "serde")]
mod number;
mod opaque;
pub mod order;
mod parallel;
pub mod path;
pub mod prox;
mod real;
pub mod run;
mod scratch;
pub mod set;
pub mod simd;
pub mod smooth;
pub mod solve;
pub mod step;
mod term;
pub mod text;

pub use certificate::{AtPoint, Certificate, Guarantee, OfMethod, Pair, Verdict};
pub use class::{Class, Lipschitz};
pub use data::Matrix;
pub use elementary::Elementary;
pub use error::Error;
pub use form::{Form, Kind};
pub use gap::{Gap, suboptimality};
pub use ledger::{Ledger, Level};
pub use linalg::Mat;
pub use real::Real;
pub use run::{Looks, Observer, Reason, Report, Row, Session, Stop, run};
pub use solve::{
    IncrementalSplitting, Panoc, Passes, Progress, Sggd, Solver, Splitting, WorkingSet,
};
pub use term::{FiniteSum, Grouped, Prox, Separable, Smooth};

/// Only for the other crates of this workspace; it changes without notice.
#[doc(hidden)]
pub mod internal {
    pub use crate::dispatch_stored as dispatch;

    pub mod linalg {
        pub use crate::linalg::{dense, simplex_threshold, vec};
    }
    #[cfg(feature = "rayon")]
    pub mod parallel {
        pub use crate::parallel::Each;
    }
    pub mod scratch {
        pub use crate::scratch::with;
    }
}

/// The code of the README and of the first page of the book runs as a test.
#[cfg(doctest)]
#[doc = include_str!("../../../README.md")]
#[doc = include_str!("../../../docs/src/index.md")]
struct Readme;
