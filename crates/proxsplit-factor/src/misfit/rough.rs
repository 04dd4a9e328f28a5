//! ½‖Y − XA‖² with products and sweeps in single precision: for the first passes of a run in double precision.
//!
//! Early passes lower the objective by far more than single precision rounds it, and cost less than in double precision. A
//! method goes over to double precision with [`Misfit::refine`] once a pass gains no more than rounding. Statements about a point,
//! which are made by looks, are computed in double precision throughout.

#[cfg(test)]
mod tests;

use super::squared::Squared;
use super::{Grams, Misfit, Share, Shares, Slopes, rounding_of};
use crate::balance::sizes;
use crate::codes::{Effort, Quadratic, Term};
use crate::look::is_lost;
use crate::problem::{Factors, Problem};
use crate::products::{Data, Lanes, PART, dot, multiple};
use crate::work::Work;
use proxsplit::Real;
use proxsplit::internal::parallel::Each;
use rayon::prelude::*;
use std::ops::Range;

/// Data with fewer entries gain nothing: their products take less time than what surrounds them.
const FEW: usize = 1 << 16;
/// Typical entries of the data, and squared norms of atoms and codes at the start. Then the other factor is at most 1e12·√m, and a Gram
/// matrix 1e24·m·n, which single precision holds.
const TYPICAL: Range<f64> = 1e-6..1e6;
const SQUARES: Range<f64> = 1e-12..1e12;

/// Whether the first passes of a run may be in single precision.
pub(crate) fn is_worthwhile<T: Lanes>(work: &Work<'_, T>) -> bool {
    let (data, rank) = (work.problem.data, work.problem.rank);
    let count = data.rows() * data.cols();
    let typical = (data.square() / count as f64).sqrt();
    let are_safe = |factor: &[T]| {
        let mut sizes = sizes(factor, rank).into_iter();
        sizes.all(|size| size.is_dead() || SQUARES.contains(&size.square))
    };
    let Factors { x, a, .. } = &work.factors;
    work.rescales && count >= FEW && TYPICAL.contains(&typical) && are_safe(x) && are_safe(a)
}

pub(crate) struct Rough<'a, T: Lanes> {
    exact: Squared<'a, T>,
    /// What passes work with until the misfit is refined.
    short: Option<Short<'a, T::Short>>,
    /// Those of the last pass, or of the last look.
    grams: Grams<T>,
}

/// The data, the factors and their products in single precision.
struct Short<'a, T: Lanes> {
    data: Data<'a, T>,
    x: Vec<T>,
    codes: Vec<T>,
    /// XᵀY, as far as codes were solved.
    xy: Vec<T>,
    /// AYᵀ of the codes that were seen.
    ya: Vec<T>,
    grams: Grams<T>,
}

impl<'a, T: Lanes> Rough<'a, T> {
    /// `None` unless T is longer than single precision, the data are dense and complete and their entries count alike, and both
    /// terms are elementary.
    pub(crate) fn new(problem: Problem<'a, T>) -> Option<Self> {
        let (data, rank) = (problem.data, problem.rank);
        let has_terms = problem.atoms.elementary().is_some()
            && problem.codes.elementary().is_some()
            && problem.fixed.count() == 0
            && !problem.graphs.are_there();
        let is_shorter = size_of::<T::Short>() < size_of::<T>();
        if !(is_shorter && has_terms && problem.loss.is_usual()) {
            return None;
        }
        let zeros = |lines: usize| vec![T::Short::ZERO; rank * lines];
        let short = Short {
            data: data.shortened()?,
            x: zeros(data.rows()),
            codes: zeros(data.cols()),
            xy: zeros(data.cols()),
            ya: zeros(data.rows()),
            grams: Grams::new(rank),
        };
        Some(Self {
            exact: Squared::new(data, rank),
            short: Some(short),
            grams: Grams::new(rank),
        })
    }
}

impl<T: Lanes> Misfit<T> for Rough<'_, T> {
    fn solve_codes(
        &mut self,
        x: &[T],
        codes: &mut [T],
        range: Range<usize>,
        (psi, effort): (&Term<'_, T>, Effort),
    ) {
        let Some(short) = &mut self.short else {
            return self.exact.solve_codes(x, codes, range, (psi, effort));
        };
        let rank = self.exact.rank;
        let part = self.exact.part(&range);
        convert(&mut short.x, x);
        let linear = &mut short.xy[part.clone()];
        short.data.with_columns(linear, &short.x, range);
        short.data.gram_of_atoms(&mut short.grams.x, &short.x, rank);
        let problem = quadratic(&short.grams.x, linear, rank);
        solve(psi, problem, (codes, &mut short.codes[part]), effort);
    }

    fn solve_codes_exactly(&mut self, x: &[T], codes: &mut [T], psi: &Term<'_, T>) {
        self.exact.solve_codes_exactly(x, codes, psi);
    }

    fn refine_codes(&mut self, x: &[T], codes: &mut [T], psi: &Term<'_, T>) {
        self.exact.refine_codes(x, codes, psi);
    }

    fn see(&mut self, codes: &[T]) {
        let Some(short) = &mut self.short else {
            return self.exact.see(codes);
        };
        let place = (self.exact.rank, 0);
        convert(&mut short.codes, codes);
        let all = 0..short.data.cols();
        short.data.with_rows(&mut short.ya, &short.codes, all);
        short
            .data
            .gram_of_codes(&mut short.grams.a, &short.codes, place);
        convert(&mut self.grams.a, &short.grams.a);
    }

    fn solve_atoms(&mut self, x: &mut [T], codes: &[T], (psi, effort): (&Term<'_, T>, Effort)) {
        let Some(short) = &mut self.short else {
            return self.exact.solve_atoms(x, codes, (psi, effort));
        };
        let problem = quadratic(&short.grams.a, &short.ya, self.exact.rank);
        solve(psi, problem, (x, &mut short.x), effort);
    }

    fn value(&mut self, x: &[T], codes: &[T]) -> f64 {
        let Some(short) = &mut self.short else {
            return self.exact.value(x, codes);
        };
        convert(&mut short.x, x);
        short
            .data
            .gram_of_atoms(&mut short.grams.x, &short.x, self.exact.rank);
        convert(&mut self.grams.x, &short.grams.x);
        let square = dot(&short.grams.x, &short.grams.a);
        (self.exact.size() - dot(&short.x, &short.ya) + 0.5 * square).max(0.0)
    }

    fn size(&self) -> f64 {
        self.exact.size()
    }

    fn parts(&self) -> f64 {
        match &self.short {
            Some(_) => self.size() + self.grams.product(),
            None => self.exact.parts(),
        }
    }

    fn rounding(&self) -> f64 {
        match &self.short {
            Some(_) => rounding_of::<T::Short>(self.parts()),
            None => self.exact.rounding(),
        }
    }

    fn is_lost(&self, value: f64) -> bool {
        match &self.short {
            Some(_) => is_lost::<T::Short>(value, self.parts()),
            None => self.exact.is_lost(value),
        }
    }

    fn refine(&mut self) {
        self.short = None;
    }

    fn grams(&mut self) -> &mut Grams<T> {
        match &self.short {
            Some(_) => &mut self.grams,
            None => self.exact.grams(),
        }
    }

    fn slopes(&mut self, factors: &Factors<T>) -> Slopes<T> {
        let slopes = self.exact.slopes(factors);
        let Grams { x, a } = self.exact.grams();
        self.grams.x.copy_from_slice(x);
        self.grams.a.copy_from_slice(a);
        slopes
    }

    fn orthant_gap(&self, column: usize, weights: (f64, &[f64]), code: &[T], slope: &[T]) -> f64 {
        self.exact.orthant_gap(column, weights, code, slope)
    }

    fn best_scale(&self, factors: &Factors<T>, length: usize) -> f64 {
        self.exact.best_scale(factors, length)
    }

    fn shares(&mut self) -> Option<&mut dyn Shares<T>> {
        Some(self)
    }
}

impl<T: Lanes> Shares<T> for Rough<'_, T> {
    fn share(&mut self, x: &[T], codes: &[T], range: Range<usize>, share: &mut Share<T>) -> f64 {
        if self.short.is_some() {
            self.exact.of_codes(x, range.clone());
        }
        self.exact.share(x, codes, range, share)
    }

    fn add_lacking(&self, out: &mut [T], x: &[T], codes: (&[T], &Share<T>), range: Range<usize>) {
        self.exact.add_lacking(out, x, codes, range);
    }

    fn linear(&mut self, out: &mut [T], codes: &[T], range: Range<usize>) {
        let Some(short) = &mut self.short else {
            return self.exact.linear(out, codes, range);
        };
        let codes_of_range = &mut short.codes[..codes.len()];
        convert(codes_of_range, codes);
        short.data.with_rows(&mut short.ya, codes_of_range, range);
        convert(out, &short.ya);
    }

    fn see_sums(&mut self, ya: &[T], aa: &[T], weight: T) {
        let Some(short) = &mut self.short else {
            return self.exact.see_sums(ya, aa, weight);
        };
        multiple(&mut self.grams.a, weight, aa);
        convert(&mut short.grams.a, &self.grams.a);
        convert_with(&mut short.ya, ya, |sum| weight.f64() * sum);
    }
}

fn quadratic<'q, T>(gram: &'q [T], linear: &'q [T], rank: usize) -> Quadratic<'q, T> {
    Quadratic {
        gram,
        linear,
        rank,
        own: None,
        weights: None,
    }
}

/// Improves a factor in single precision. Its bounds are met in the precision of T: those of single precision are rounded.
fn solve<T: Lanes>(
    psi: &Term<'_, T>,
    problem: Quadratic<'_, T::Short>,
    (factor, short): (&mut [T], &mut [T::Short]),
    effort: Effort,
) {
    let Some(term) = psi.elementary else { return };
    convert(short, factor);
    Term::of_elementary(term, psi.side()).solve(problem, short, effort);
    convert_with(factor, short, |value| value.max(term.lower).min(term.upper));
}

/// out ← from, in another precision.
fn convert<T: Lanes, U: Lanes>(out: &mut [U], from: &[T]) {
    convert_with(out, from, |value| value);
}

/// out ← map(from), in another precision.
fn convert_with<T: Lanes, U: Lanes>(out: &mut [U], from: &[T], map: impl Fn(f64) -> f64 + Sync) {
    let parts = out.par_chunks_mut(PART).zip(from.par_chunks(PART));
    parts.each(&|(out, from)| {
        for (out, from) in out.iter_mut().zip(from) {
            *out = U::of(map(from.f64()));
        }
    });
}
