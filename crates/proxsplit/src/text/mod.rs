//! The text forms of operators: `l1:0.1+nonneg`, read and printed.
//!
//! A form is `name:argument,argument`; `+` joins a penalty with sets, and spaces are ignored. Command line, Python and
//! files use the same forms. [`catalogue`] lists them all.
//!
//! ```
//! use proxsplit::{Prox, text::Operator};
//! let g: Operator = "l1: 0.1 + nonneg".parse()?;
//! assert_eq!(g.to_string(), "l1:0.1+nonneg");
//! let mut x = [2.0, -3.0];
//! g.prox(&mut x, 1.0);
//! assert_eq!(x, [1.9, 0.0]);
//! let wrong = "gruop-l2:1,4".parse::<Operator>().unwrap_err().to_string();
//! assert_eq!(wrong, "cannot read operator 'gruop-l2:1,4': there is no operator 'gruop-l2'; did you mean 'group-l2'?");
//! # Ok::<(), proxsplit::Error>(())
//! ```

mod argument;
mod catalogue;
mod join;
mod operator;
mod penalties;
mod sets;

pub use argument::Argument;
pub use catalogue::{Entry, Role, catalogue};
pub use operator::Operator;

#[cfg(test)]
mod tests;
