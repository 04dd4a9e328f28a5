//! Dead atoms: what a new direction in the place of one would gain.
//!
//! At an atom that is zero or that no sample uses both residuals vanish, although a new direction d lowers plain NMF at once by up
//! to ½Σ_t((dᵀr_t)₊)²/‖d‖², with r_t the misfit of column t. The direction is the leading pair of R = Y − XA under the terms of both
//! factors, found by a few rounds of alternating minimization.

use crate::codes::{TOUCH, Term};
use crate::loss::Loss;
use crate::plain;
use crate::problem::{Factors, Problem};
use crate::products::{Lanes, dot};
use proxsplit::linalg::vec::axpy;

/// A rank-one term d·vᵀ that lowers the objective in the place of a dead atom.
pub(crate) struct Escape<T> {
    /// By how much.
    pub(crate) gain: f64,
    /// The dead atom.
    place: usize,
    /// d
    atom: Vec<T>,
    /// v
    codes: Vec<T>,
}

/// Rounds of alternating minimization, and of the power method before them: enough for a direction that is worth having.
const ROUNDS: usize = 4;
/// Decades by which the scale of d is tried up and down: a penalty on one factor alone can be moved away.
const DECADES: i32 = 6;

/// Whether dead atoms are looked for after this pass: often at first, ever more rarely later, when penalties want them dead.
pub(crate) fn is_time_for(pass: u64) -> bool {
    pass.is_power_of_two()
}

fn is_dead<T: Lanes>(gx: &[T], ga: &[T], rank: usize, k: usize) -> bool {
    let at = k * (rank + 1);
    gx[at] <= T::ZERO || ga[at] <= T::ZERO
}

/// How many atoms are zero or used by no sample.
pub(super) fn count<T: Lanes>(gx: &[T], ga: &[T], rank: usize) -> usize {
    (0..rank).filter(|&k| is_dead(gx, ga, rank, k)).count()
}

/// The best direction that is cheap to find, if an atom is dead and codes are separable: codes that are tied together cannot be
/// changed one entry at a time.
pub(crate) fn escape<T: Lanes>(
    problem: Problem<'_, T>,
    factors: &Factors<T>,
    (gx, ga): (&[T], &[T]),
) -> Option<Escape<T>> {
    let rank = problem.rank;
    let place = (0..rank).find(|&k| is_dead(gx, ga, rank, k))?;
    problem.codes.separable()?;
    let residual = Residual { problem, factors };
    if problem.loss == Loss::KullbackLeibler {
        return residual.along_a_line(place);
    }
    let leading = residual.leading_codes();
    let found = starts(leading).into_iter();
    let found = found.filter_map(|codes| residual.alternate(place, codes));
    found.max_by(|a, b| a.gain.total_cmp(&b.gain))
}

/// Codes to begin with: the leading ones of both signs, and for local fits the sample that has most of them, alone, and all alike.
fn starts<T: Lanes>(leading: Vec<T>) -> [Vec<T>; 4] {
    let opposite = leading.iter().map(|&v| -v).collect();
    let sizes = leading.iter().map(|v| v.f64().abs()).enumerate();
    let most = sizes
        .max_by(|a, b| a.1.total_cmp(&b.1))
        .map_or(0, |(t, _)| t);
    let mut alone = vec![T::ZERO; leading.len()];
    alone[most] = T::ONE;
    let alike = vec![T::ONE; leading.len()];
    [leading, opposite, alone, alike]
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
    let step = if first {
        T::of(TOUCH)
    } else {
        T::of(1.0 / size)
    };
    psi.prox.prox(atom, step);
}

/// v ← argmin ½‖R − dvᵀ‖² + Σψ(v_t) from v = dᵀR; returns what the misfit falls by. `None` if nothing is left.
fn improve_codes<T: Lanes>(
    psi: &Term<'_, T>,
    place: usize,
    codes: &mut [T],
    size: f64,
) -> Option<f64> {
    let term = psi.prox.separable()?;
    if size <= 0.0 || !size.is_finite() {
        return None;
    }
    let (step, everywhere) = (T::of(1.0 / size), (-T::INFINITY, T::INFINITY));
    let mut fit = 0.0;
    for value in codes {
        let product = value.f64();
        *value = term.prox_between(place, T::of(product / size), step, everywhere);
        fit += value.f64() * (product - 0.5 * value.f64() * size);
    }
    (fit > 0.0).then_some(fit)
}

/// R = Y − XA through the products of Y.
pub(super) struct Residual<'a, T: Lanes> {
    pub(super) problem: Problem<'a, T>,
    pub(super) factors: &'a Factors<T>,
}

impl<T: Lanes> Residual<'_, T> {
    /// About the leading right singular vector of R.
    fn leading_codes(&self) -> Vec<T> {
        let mut codes = vec![T::ONE; self.problem.data.cols()];
        let mut atom = vec![T::ZERO; self.problem.data.rows()];
        for _ in 0..ROUNDS {
            self.with_rows(&mut atom, &codes);
            self.with_columns(&mut codes, &atom);
            let size = square_of(&codes).sqrt();
            if size > 0.0 && size.is_finite() {
                for v in &mut codes {
                    *v /= T::of(size);
                }
            }
        }
        codes
    }

    /// Alternating minimization over d and v from v = `codes`, in the place of a dead atom.
    fn alternate(&self, place: usize, mut codes: Vec<T>) -> Option<Escape<T>> {
        let (psi_x, psi_a) = self.problem.terms();
        let mut atom = vec![T::ZERO; self.problem.data.rows()];
        let mut fit = 0.0;
        for round in 0..ROUNDS {
            self.with_rows(&mut atom, &codes);
            improve_atom(&psi_x, &mut atom, square_of(&codes), round == 0);
            let size = square_of(&atom);
            self.with_columns(&mut codes, &atom);
            fit = improve_codes(&psi_a, place, &mut codes, size)?;
        }
        self.with_best_scale(place, (atom, codes), fit)
    }

    /// d·vᵀ, which lowers the misfit by `fit`, at the scale that costs least, if it then gains anything.
    pub(super) fn with_best_scale(
        &self,
        place: usize,
        (mut atom, mut codes): (Vec<T>, Vec<T>),
        fit: f64,
    ) -> Option<Escape<T>> {
        let before = self.penalty_at(place);
        let (scale, after) = self.best_scale(place, &atom, &codes)?;
        let (up, down) = (T::of(scale), T::of(1.0 / scale));
        for d in &mut atom {
            *d *= up;
        }
        for v in &mut codes {
            *v *= down;
        }
        let gain = fit + before - after;
        (gain > 0.0 && gain.is_finite()).then_some(Escape {
            gain,
            place,
            atom,
            codes,
        })
    }

    /// ψ₀(x_k) + Σψ(a_kt) of the atom as it is.
    fn penalty_at(&self, place: usize) -> f64 {
        let rank = self.problem.rank;
        let row = |factor: &[T]| factor.iter().skip(place).step_by(rank).copied().collect();
        let (x, a): (Vec<T>, Vec<T>) = (row(&self.factors.x), row(&self.factors.a));
        self.penalty(place, &x, &a)
    }

    fn penalty(&self, place: usize, atom: &[T], codes: &[T]) -> f64 {
        let of_codes = self
            .problem
            .codes
            .separable()
            .map_or(f64::INFINITY, |term| {
                codes.iter().map(|&v| term.value_at(place, v)).sum()
            });
        self.problem.atoms.value(atom) + of_codes
    }

    /// The s for which d·s and v/s cost least, and what they cost; `None` if no s is feasible.
    fn best_scale(&self, place: usize, atom: &[T], codes: &[T]) -> Option<(f64, f64)> {
        let scaled =
            |values: &[T], s: f64| values.iter().map(|&v| v * T::of(s)).collect::<Vec<T>>();
        let costs = (-DECADES..=DECADES).map(|decade| {
            let s = 10f64.powi(decade);
            (
                s,
                self.penalty(place, &scaled(atom, s), &scaled(codes, 1.0 / s)),
            )
        });
        costs.filter(|(_, cost)| cost.is_finite()).min_by(|a, b| {
            a.1.total_cmp(&b.1)
                .then(a.0.ln().abs().total_cmp(&b.0.ln().abs()))
        })
    }

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

/// Puts the direction in the place of its dead atom.
pub(crate) fn replace<T: Lanes>(factors: &mut Factors<T>, escape: &Escape<T>) {
    let (rank, k) = (factors.rank, escape.place);
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
}
