//! Optimal control of the Poisson equation, with gradients from conjugate gradients that stop early.
//!
//! minimize ½‖Sx − d‖² + (κ/2)‖x‖² + W‖x‖₁ over |x| ≤ 20, S = λA⁻¹: a sparse heat source x whose temperature Sx is d. A is the Laplacian
//! on a grid, λ its smallest eigenvalue, so that ‖S‖ = 1. The gradient S(Sx − d) + κx needs two solves with A. Stopped at residuals r and s
//! of the equations, it is off by at most (‖r‖ + ‖s‖)/λ. A run with a fixed inner accuracy ends at its floor, or works more than it needs
//! to; told what it can afford, it does neither.
//!
//! `cargo run --release -p proxsplit --example early_stopped`
#![allow(clippy::print_stdout)]

use proxsplit::smooth::FnInexact;
use proxsplit::text::Operator;
use proxsplit::{Error, Lipschitz, Report, Splitting, Stop, run};
use std::f64::consts::PI;
use std::sync::{Mutex, PoisonError};

const SIDE: usize = 40;
const RIDGE: f64 = 1e-2; // κ

/// out ← Ax, differences of neighbours on the unit square, 0 outside.
fn laplacian(x: &[f64], out: &mut [f64]) {
    let scale = ((SIDE + 1) * (SIDE + 1)) as f64;
    let at = |i: usize, j: usize| x[i * SIDE + j];
    for i in 0..SIDE {
        for j in 0..SIDE {
            let mut sum = 4.0 * at(i, j);
            sum -= if i > 0 { at(i - 1, j) } else { 0.0 };
            sum -= if i + 1 < SIDE { at(i + 1, j) } else { 0.0 };
            sum -= if j > 0 { at(i, j - 1) } else { 0.0 };
            sum -= if j + 1 < SIDE { at(i, j + 1) } else { 0.0 };
            out[i * SIDE + j] = scale * sum;
        }
    }
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// Improves u until ‖b − Au‖ ≤ `enough`; the norm that was reached, and the number of steps.
fn conjugate_gradients(b: &[f64], u: &mut [f64], enough: f64) -> (f64, usize) {
    let mut r = vec![0.0; u.len()];
    laplacian(u, &mut r);
    r.iter_mut().zip(b).for_each(|(r, b)| *r = b - *r);
    let (mut p, mut ap) = (r.clone(), r.clone());
    let mut square = dot(&r, &r);
    let mut steps = 0;
    while square.sqrt() > enough && steps < 1000 {
        laplacian(&p, &mut ap);
        let alpha = square / dot(&p, &ap);
        u.iter_mut().zip(&p).for_each(|(u, p)| *u += alpha * p);
        r.iter_mut().zip(&ap).for_each(|(r, ap)| *r -= alpha * ap);
        let next = dot(&r, &r);
        p.iter_mut()
            .zip(&r)
            .for_each(|(p, r)| *p = r + next / square * *p);
        square = next;
        steps += 1;
    }
    // The residual that is carried along drifts from the true one.
    laplacian(u, &mut r);
    let true_square: f64 = r.iter().zip(b).map(|(r, b)| (b - r) * (b - r)).sum();
    (true_square.sqrt(), steps)
}

/// The solutions of the last gradient, where the next solves begin, and all steps so far.
struct Inner {
    state: Vec<f64>,   // u ≈ Sx
    adjoint: Vec<f64>, // p ≈ S(u − d)
    steps: usize,
}

/// λ
fn least_eigenvalue() -> f64 {
    8.0 * ((SIDE + 1) as f64 * (0.5 * PI / (SIDE + 1) as f64).sin()).powi(2)
}

/// How a run went.
#[derive(Debug)]
pub(crate) struct Outcome {
    /// Steps of conjugate gradients, in all.
    pub(crate) steps: usize,
    /// What the run says.
    pub(crate) report: Report,
}

/// Runs with inner solves whose error is at most `accuracy(what the run can afford)`.
pub(crate) fn solve(
    target: &[f64],
    accuracy: impl Fn(f64) -> f64 + Send + Sync,
) -> Result<Outcome, Error> {
    let (lambda, size) = (least_eigenvalue(), target.len());
    let inner = Mutex::new(Inner {
        state: vec![0.0; size],
        adjoint: vec![0.0; size],
        steps: 0,
    });
    let f = FnInexact::new(size, |x: &[f64], afforded: f64, grad: &mut [f64]| {
        let mut inner = inner.lock().unwrap_or_else(PoisonError::into_inner);
        let enough = 0.5 * lambda * accuracy(afforded);
        let Inner {
            state,
            adjoint,
            steps,
        } = &mut *inner;
        let scaled: Vec<f64> = x.iter().map(|x| lambda * x).collect();
        let (r, first) = conjugate_gradients(&scaled, state, enough);
        let misfit: Vec<f64> = state.iter().zip(target).map(|(u, d)| u - d).collect();
        let scaled: Vec<f64> = misfit.iter().map(|m| lambda * m).collect();
        let (s, second) = conjugate_gradients(&scaled, adjoint, enough);
        *steps += first + second;
        for ((grad, p), x) in grad.iter_mut().zip(&*adjoint).zip(x) {
            *grad = p + RIDGE * x;
        }
        let value = 0.5 * (dot(&misfit, &misfit) + RIDGE * dot(x, x));
        (value, (r + s) / lambda)
    })?
    .lipschitz(Lipschitz::Known(1.0 + RIDGE))
    .convex();
    let g: Operator = "l1:5e-4+box:-20,20".parse()?;
    let mut solver = Splitting::new(&f, &g, &vec![0.0; size])?;
    let stop = Stop {
        relative: 1e-4,
        residual: 0.0,
        passes: 2000.0,
        ..Stop::default()
    };
    let report = run(&mut solver, &stop, ());
    let steps = inner.lock().unwrap_or_else(PoisonError::into_inner).steps;
    Ok(Outcome { steps, report })
}

/// The temperature of two sources.
pub(crate) fn temperature() -> Vec<f64> {
    let mut source = vec![0.0; SIDE * SIDE];
    source[(SIDE / 4) * SIDE + SIDE / 3] = 20.0;
    source[(3 * SIDE / 4) * SIDE + SIDE / 2] = -15.0;
    for x in &mut source {
        *x *= least_eigenvalue();
    }
    let mut target = vec![0.0; SIDE * SIDE];
    conjugate_gradients(&source, &mut target, 1e-12);
    target
}

fn show(accuracy: &str, outcome: &Outcome) {
    let Outcome { steps, report } = outcome;
    let gradients = report.trace.len();
    let words = report.certificate.words();
    println!("{accuracy:>11} {steps:8} {gradients:10}   {words}");
}

fn main() -> Result<(), Error> {
    let target = temperature();
    println!("inner error     steps   gradients   outcome");
    for fixed in [1e-2, 1e-4, 1e-6, 1e-10] {
        show(&format!("{fixed:.0e}"), &solve(&target, |_| fixed)?);
    }
    // The first gradient may be anything to the run, but tolerances are relative to its size.
    show(
        "as afforded",
        &solve(&target, |afforded| afforded.min(0.1))?,
    );
    Ok(())
}
