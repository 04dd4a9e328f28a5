//! Proximal splitting for nonsmooth, nonconvex problems with inexact gradients.
//!
//! minimize Φ(x) = f(x) + g(x): f is differentiable and may be nonconvex, g has a cheap proximity operator and carries
//! penalties and constraints. There is one iteration, x⁺ = P_η^g(x − η·∇̃f(x)), and the gradient ∇̃f = ∇f − e may be
//! inexact with errors that never vanish. Every run ends with a [`Certificate`] that says what was reached.
//!
//! | slot | choices |
//! |---|---|
//! | smooth term f | [`smooth`], or your own [`Smooth`] / [`FiniteSum`] |
//! | nonsmooth term g | [`prox`], [`set`], [`calculus`], a [`text`] form, or your own [`Prox`] |
//! | gradient source | [`gradient`]: exact, incremental pass, mini-batch, PAGE, SAGA, stale, single precision, injected error |
//! | step rule | [`step`]: constant, diminishing, given, guarded, backtracking, Barzilai–Borwein, adaptive |
//! | solver | [`Panoc`], [`WorkingSet`], [`Splitting`], [`IncrementalSplitting`], [`Sggd`] |
//! | stopping | [`run()`] with [`Stop`] and an [`Observer`] |

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
pub mod linalg;
mod names;
mod number;
pub mod order;
pub mod path;
pub mod prox;
mod real;
pub mod run;
pub mod scratch;
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
pub use real::Real;
pub use run::{Looks, Observer, Reason, Report, Row, Session, Stop, run};
pub use solve::{
    IncrementalSplitting, Panoc, Passes, Progress, Sggd, Solver, Splitting, WorkingSet,
};
pub use term::{FiniteSum, Grouped, Prox, Separable, Smooth};

/// The code of the README runs as a test.
#[cfg(doctest)]
#[doc = include_str!("../../../README.md")]
struct Readme;
