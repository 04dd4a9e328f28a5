//! Smooth terms f, one file each: losses of a linear model, quadratics, and functions of your own.
//!
//! | term | f(x) | convex |
//! |---|---|---|
//! | [`LeastSquares`] | Σ_i (a_iᵀx − b_i)²/2 | yes |
//! | [`Logistic`] | Σ_i log(1 + exp(−b_i a_iᵀx)), b_i = ±1 | yes |
//! | [`HuberRegression`] | Σ_i h(a_iᵀx − b_i), h(r) = r²/2 if \|r\| ≤ δ, else δ\|r\| − δ²/2 | yes |
//! | [`Sigmoid`] | Σ_i 1/(1 + exp(b_i a_iᵀx)), b_i = ±1 | no |
//! | [`Cauchy`] | Σ_i (c²/2) log(1 + (r_i/c)²), r_i = a_iᵀx − b_i | no |
//! | [`GemanMcClure`] | Σ_i (r_i²/2)/(1 + r_i²/c²) | no |
//! | [`Quadratic`] | xᵀQx/2 + cᵀx | if Q ⪰ 0 |
//! | [`FnSmooth`], [`FnSum`], [`FnInexact`] | closures | as you say |
//!
//! The first six are a [`LinearModel`] with a scalar [`Loss`]: a new one is one small file.

mod closure;
mod inexact;
mod linear;
mod linear_model;
pub mod lipschitz;
pub mod loss;
mod origin;
mod quadratic;
mod spectrum;

pub use closure::{FnSmooth, FnSum};
pub use inexact::FnInexact;
pub use linear::Linear;
pub use linear_model::LinearModel;
pub use loss::{Cauchy, GemanMcClure, HuberRegression, LeastSquares, Logistic, Loss, Sigmoid};
pub use quadratic::Quadratic;
