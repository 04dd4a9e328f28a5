//! Proximal splitting for nonsmooth, nonconvex problems with inexact gradients.
//!
//! minimize Φ(x) = f(x) + g(x): f is differentiable and may be nonconvex, g has a cheap proximity operator.

pub mod calculus;
pub mod check;
mod class;
pub mod data;

pub mod error;
mod form;
pub mod linalg;
pub mod prox;
mod real;
pub mod scratch;
pub mod set;
pub mod smooth;
mod term;
pub mod text;

pub use class::{Class, Lipschitz};
pub use error::Error;
pub use form::{Form, Kind};
pub use real::Real;
pub use term::{FiniteSum, Prox, Separable, Smooth};
