//! Paths: one problem for a falling list of weights, each run warm from the last.
//!
//! ```
//! use proxsplit::data::{Dense, Elements, StorageOrder};
//! use proxsplit::{Prox, Row, Stop, path, smooth::LeastSquares, text::Operator};
//! use std::ops::ControlFlow;
//! let a = Dense::new(2, 2, StorageOrder::RowMajor, Elements::F64(&[1.0, 0.0, 0.0, 2.0]))?;
//! let f = LeastSquares::new(a, &[3.0, 0.5])?;
//! let penalty: Operator = "l1:1".parse()?;
//! // Aᵀb = (3, 1): 0 is the minimizer while the weight is at least 3, and the second entry stays 0 while it is at least 1.
//! let factors = path::factors(&f, &penalty, 5, 0.1)?;
//! assert!((factors[0] - 3.0).abs() < 1e-9 && (factors[4] - 0.3).abs() < 1e-9);
//! let terms: Vec<Operator> = factors.iter().map(|&t| penalty.weighted(t)).collect::<Result<_, _>>()?;
//! let mut nonzeros = Vec::new();
//! let terms = terms.iter().map(|g| g as &dyn Prox);
//! let go_on = |_: &Row| ControlFlow::Continue(());
//! path::follow(&f, terms, &[0.0; 2], &Stop::default(), go_on, |x, report| {
//!     assert!(report.converged());
//!     nonzeros.push(x.iter().filter(|x| **x != 0.0).count());
//!     ControlFlow::Continue(())
//! })?;
//! assert_eq!(nonzeros, [0, 1, 2, 2, 2]);
//! # Ok::<(), proxsplit::Error>(())
//! ```

use crate::error::{Error, require};
use crate::smooth::Linear;
use crate::text::Operator;
use crate::{Panoc, Prox, Real, Report, Row, Smooth, Stop, WorkingSet, run};
use std::ops::ControlFlow;

/// `count` factors of a penalty's weights, evenly spaced in the logarithm: from the least one with which 0 is stationary down to
/// `ratio` of it. An error if 0 never is, as for `sql2`, or always.
pub fn factors<T: Real>(
    f: &dyn Smooth<T>,
    penalty: &Operator,
    count: usize,
    ratio: f64,
) -> Result<Vec<f64>, Error>
where
    Operator: Prox<T>,
{
    require("path", count as f64, count > 0, "at least 1")?;
    require(
        "ratio",
        ratio,
        ratio > 0.0 && ratio < 1.0,
        "between 0 and 1",
    )?;
    let largest = largest(f, penalty)?;
    let steps = count.saturating_sub(1).max(1) as f64;
    let factor = |k: usize| largest * ratio.powf(k as f64 / steps);
    Ok((0..count).map(factor).collect())
}

/// The least factor with which 0 is stationary, by bisection.
fn largest<T: Real>(f: &dyn Smooth<T>, penalty: &Operator) -> Result<f64, Error>
where
    Operator: Prox<T>,
{
    let zero = vec![T::ZERO; f.dim()];
    let (mut gradient, mut point) = (zero.clone(), zero.clone());
    f.gradient(&zero, &mut gradient);
    let size = crate::linalg::vec::norm_inf(&gradient);
    // Short enough for the prox of every penalty to have one value.
    let step = if size > 0.0 { 1e-3 / size } else { 1.0 };
    let mut is_stationary = |factor: f64| -> Result<bool, Error> {
        for (p, g) in point.iter_mut().zip(&gradient) {
            *p = T::of(-step * g.f64());
        }
        penalty.weighted(factor)?.prox(&mut point, T::of(step));
        Ok(point.iter().all(|&p| p == T::ZERO))
    };
    let refuse = |what: &str| {
        Error::Incompatible(format!(
            "a path starts at the smallest weight for which x = 0 is a solution, but with {penalty} {what}: solve for single weights instead"
        ))
    };
    let (mut low, mut high) = (size * 1e-12, size * 1e12);
    if size == 0.0 || is_stationary(low)? {
        return Err(refuse("x = 0 is a solution for every weight"));
    }
    if !is_stationary(high)? {
        return Err(refuse("x = 0 is never a solution"));
    }
    while high > low * (1.0 + 1e-12) {
        let middle = (low * high).sqrt();
        if middle <= low || middle >= high {
            break;
        }
        if is_stationary(middle)? {
            high = middle;
        } else {
            low = middle;
        }
    }
    Ok(high)
}

/// Minimizes f + g for one g after the other, each from the result of the last one, and hands every x and report to `each`, which may
/// end the path; `watch` sees every look and may interrupt a run. Working sets keep their columns from one g to the next.
pub fn follow<'a, T: Real>(
    f: &'a dyn Linear<T>,
    terms: impl IntoIterator<Item = &'a dyn Prox<T>>,
    start: &[T],
    stop: &Stop,
    mut watch: impl FnMut(&Row) -> ControlFlow<()>,
    mut each: impl FnMut(&[T], Report) -> ControlFlow<()>,
) -> Result<(), Error> {
    let mut x = start.to_vec();
    let mut last: Option<WorkingSet<'a, T>> = None;
    for g in terms {
        let flow = if WorkingSet::suits(g, x.len()) {
            let mut solver = match last.take() {
                Some(solver) => solver.with_term(g)?,
                None => WorkingSet::new(f, g, &x)?,
            };
            let report = run(&mut solver, stop, &mut watch);
            x.copy_from_slice(solver.x());
            last = Some(solver);
            each(&x, report)
        } else {
            let mut solver = Panoc::new(f, g, &x)?;
            let report = run(&mut solver, stop, &mut watch);
            x = solver.into_x();
            each(&x, report)
        };
        if flow.is_break() {
            break;
        }
    }
    Ok(())
}
