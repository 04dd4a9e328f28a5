//! Dead atoms: what a new direction in the place of one would gain.
//!
//! At an atom that is zero or that no sample uses both residuals vanish, although a new direction d lowers plain NMF at once by up
//! to ½Σ_t((dᵀr_t)₊)²/‖d‖², with r_t the misfit of column t. The direction is the leading pair of R = Y − XA under the terms of both
//! factors, found by a few rounds of alternating minimization.

use crate::codes::Term;
use crate::plain;
use crate::problem::{Factors, Problem};
use crate::products::{Lanes, dot, gram};
use proxsplit::Elementary;
use proxsplit::linalg::vec::axpy;

/// A rank-one term d·vᵀ that lowers the objective.
pub(crate) struct Escape<T> {
    /// By how much.
    pub(crate) gain: f64,
    /// d
    pub(crate) atom: Vec<T>,
    /// v
    pub(crate) codes: Vec<T>,
}

/// Rounds of alternating minimization: enough for a direction that is worth having.
const ROUNDS: usize = 6;

/// Whether dead atoms are looked for after this pass: often at first, ever more rarely later, when penalties want them dead.
pub(crate) fn is_time_for(pass: u64) -> bool {
    pass.is_power_of_two()
}

/// How many atoms are zero or used by no sample.
pub(super) fn count<T: Lanes>(gx: &[T], ga: &[T], rank: usize) -> usize {
    let dead = |at: usize| gx[at] <= T::ZERO || ga[at] <= T::ZERO;
    (0..rank).filter(|k| dead(k * (rank + 1))).count()
}

/// The best direction that is cheap to find, if an atom is dead and codes are separable: codes that are tied together cannot be
/// changed one entry at a time.
pub(crate) fn escape<T: Lanes>(
    problem: Problem<'_, T>,
    factors: &Factors<T>,
    (gx, ga): (&[T], &[T]),
) -> Option<Escape<T>> {
    let (psi_x, psi_a) = problem.terms();
    let of_codes = psi_a.elementary?;
    if count(gx, ga, problem.rank) == 0 {
        return None;
    }
    let residual = Residual { problem, factors };
    let mut codes = vec![T::ONE; problem.data.cols()];
    let mut atom = vec![T::ZERO; problem.data.rows()];
    let mut found = None;
    for round in 0..ROUNDS {
        residual.with_rows(&mut atom, &codes);
        improve_atom(&psi_x, &mut atom, square_of(&codes), round == 0);
        residual.with_columns(&mut codes, &atom);
        let size = square_of(&atom);
        if size == 0.0 {
            break;
        }
        let gain = improve_codes(of_codes, &mut codes, size) - psi_x.value(&atom, 1);
        if square_of(&codes) == 0.0 {
            break;
        }
        found = (gain > 0.0).then_some(gain);
    }
    found.map(|gain| Escape { gain, atom, codes })
}

fn square_of<T: Lanes>(values: &[T]) -> f64 {
    dot(values, values)
}

/// d ← argmin ½‖R − dvᵀ‖² + ψ₀(d) from d = Rv; the first time only its direction counts, at norm 1.
fn improve_atom<T: Lanes>(psi: &Term<'_, T>, atom: &mut [T], size: f64, first: bool) {
    let scale = if first { square_of(atom).sqrt() } else { size };
    if scale <= 0.0 {
        return;
    }
    for value in &mut *atom {
        *value /= T::of(scale);
    }
    let step = if first { T::EPSILON } else { T::of(1.0 / size) };
    psi.prox.prox(atom, step);
}

/// v ← argmin ½‖R − dvᵀ‖² + Σψ(v_t) from v = dᵀR; returns what the objective falls by, but for ψ₀(d).
fn improve_codes<T: Lanes>(psi: Elementary, codes: &mut [T], size: f64) -> f64 {
    let mut gain = 0.0;
    for value in codes {
        let product = value.f64();
        let v = T::of(psi.prox(product / size, 1.0 / size));
        let at = v.f64();
        gain += at * product - 0.5 * at * at * size - psi.l1 * at.abs() - 0.5 * psi.sql2 * at * at;
        *value = v;
    }
    gain
}

/// R = Y − XA through the products of Y.
struct Residual<'a, T: Lanes> {
    problem: Problem<'a, T>,
    factors: &'a Factors<T>,
}

impl<T: Lanes> Residual<'_, T> {
    /// out ← Rv
    fn with_rows(&self, out: &mut [T], v: &[T]) {
        let rank = self.problem.rank;
        if self.problem.data.missing() > 0 {
            return self.formed(out, v, false);
        }
        self.problem.data.with_rows(out, v, 0..v.len());
        let weights = combine(&self.factors.a, v, rank);
        for (out, row) in out.iter_mut().zip(self.factors.x.chunks_exact(rank)) {
            *out -= T::of(dot(row, &weights));
        }
    }

    /// out ← dᵀR
    fn with_columns(&self, out: &mut [T], d: &[T]) {
        let rank = self.problem.rank;
        if self.problem.data.missing() > 0 {
            return self.formed(out, d, true);
        }
        self.problem.data.with_columns(out, d, 0..out.len());
        let weights = combine(&self.factors.x, d, rank);
        for (out, column) in out.iter_mut().zip(self.factors.a.chunks_exact(rank)) {
            *out -= T::of(dot(column, &weights));
        }
    }
}

impl<T: Lanes> Residual<'_, T> {
    /// The same where entries are missing: the products of XA would have to leave them out.
    fn formed(&self, out: &mut [T], vector: &[T], of_features: bool) {
        let sums = plain::residual_with(self.problem.data, self.factors, vector, of_features);
        for (out, sum) in out.iter_mut().zip(sums) {
            *out = T::of(sum);
        }
    }
}

/// F·v for a factor F of K rows.
fn combine<T: Lanes>(factor: &[T], v: &[T], rank: usize) -> Vec<T> {
    let mut sum = vec![T::ZERO; rank];
    for (column, &weight) in factor.chunks_exact(rank).zip(v) {
        axpy(weight, column, &mut sum);
    }
    sum
}

/// Puts the direction in the place of a dead atom; whether there was one.
pub(crate) fn replace<T: Lanes>(factors: &mut Factors<T>, escape: &Escape<T>) -> bool {
    let rank = factors.rank;
    let square = || vec![T::ZERO; rank * rank];
    let (mut gx, mut ga) = (square(), square());
    gram(&mut gx, &factors.x, rank);
    gram(&mut ga, &factors.a, rank);
    let dead = |k: &usize| gx[k * (rank + 1)] <= T::ZERO || ga[k * (rank + 1)] <= T::ZERO;
    let Some(k) = (0..rank).find(dead) else {
        return false;
    };
    for (x, &value) in factors.x.iter_mut().skip(k).step_by(rank).zip(&escape.atom) {
        *x = value;
    }
    for (a, &value) in factors
        .a
        .iter_mut()
        .skip(k)
        .step_by(rank)
        .zip(&escape.codes)
    {
        *a = value;
    }
    true
}
