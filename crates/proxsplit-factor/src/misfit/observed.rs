//! ½Σ(y_it − x_i·a_t)² over the observed entries: every column and every row has a Gram matrix of its own.
//!
//! Products read missing entries as 0, so XᵀY and AYᵀ are right as they are; what lacks of the curvature is added to them.

use super::squared::{Squared, best_scale, exactly};
use super::{Grams, Misfit, Share, Shares, Slopes};
use crate::codes::{Effort, Quadratic, Term};
use crate::plain;
use crate::problem::Factors;
use crate::products::{Gaps, Lanes, dot, gram};
use std::ops::Range;

pub(super) struct Observed<'a, T: Lanes> {
    squared: Squared<'a, T>,
    gaps: &'a Gaps,
}

impl<'a, T: Lanes> Observed<'a, T> {
    pub(super) fn new(squared: Squared<'a, T>, gaps: &'a Gaps) -> Self {
        Self { squared, gaps }
    }

    fn all(&self) -> Range<usize> {
        0..self.squared.data.cols()
    }
}

impl<T: Lanes> Misfit<T> for Observed<'_, T> {
    fn solve_codes(
        &mut self,
        x: &[T],
        codes: &mut [T],
        range: Range<usize>,
        (psi, effort): (&Term<'_, T>, Effort),
    ) {
        let problem = Quadratic {
            own: Some(self.gaps.of_columns(x, &range)),
            ..self.squared.of_codes(x, range)
        };
        psi.solve(problem, codes, effort);
    }

    fn solve_codes_exactly(&mut self, x: &[T], codes: &mut [T], psi: &Term<'_, T>) {
        let all = self.all();
        let problem = Quadratic {
            own: Some(self.gaps.of_columns(x, &all)),
            ..self.squared.of_codes(x, all)
        };
        exactly(problem, codes, psi);
    }

    fn see(&mut self, codes: &[T]) {
        self.squared.see(codes);
    }

    fn solve_atoms(&mut self, x: &mut [T], codes: &[T], (psi, effort): (&Term<'_, T>, Effort)) {
        let problem = Quadratic {
            own: Some(self.gaps.of_rows(codes, self.all())),
            ..self.squared.of_atoms()
        };
        psi.solve(problem, x, effort);
    }

    fn value(&mut self, x: &[T], codes: &[T]) -> f64 {
        gram(&mut self.squared.grams.x, x, self.squared.rank);
        let gx = &self.squared.grams.x;
        let square = self.gaps.square((x, gx), codes, &self.all());
        self.squared.value_for(x, square)
    }

    fn parts(&self) -> f64 {
        self.squared.parts()
    }

    fn size(&self) -> f64 {
        self.squared.size()
    }

    fn grams(&mut self) -> &mut Grams<T> {
        self.squared.grams()
    }

    /// The value is found by plain sums: what is missing of ‖XA‖² is a difference itself.
    fn slopes(&mut self, factors: &Factors<T>) -> Slopes<T> {
        self.squared.multiply(factors);
        let scales = self.squared.scales(factors);
        let (x, a, all) = (&factors.x, &factors.a, self.all());
        let Squared { xy, ya, grams, .. } = &mut self.squared;
        self.gaps.of_columns(x, &all).add_lacking(xy, &grams.x, a);
        self.gaps.of_rows(a, all).add_lacking(ya, &grams.a, x);
        let misfit = plain::sums(self.squared.data, factors, false).misfit;
        self.squared.slopes_for(factors, misfit, scales)
    }

    /// The vector 1 of the shift would have to be one of observed entries, another one in every column.
    fn orthant_gap(&self, _: usize, _: (f64, &[f64]), _: &[T], _: &[T]) -> f64 {
        f64::INFINITY
    }

    fn best_scale(&self, factors: &Factors<T>, length: usize) -> f64 {
        let x = &factors.x;
        best_scale(self.squared.data, factors, length, |gx, codes, _, run| {
            self.gaps.square((x, gx), codes, &run)
        })
    }

    fn shares(&mut self) -> Option<&mut dyn Shares<T>> {
        Some(self)
    }
}

impl<T: Lanes> Shares<T> for Observed<'_, T> {
    fn share(&mut self, x: &[T], codes: &[T], range: Range<usize>, share: &mut Share<T>) -> f64 {
        let Squared {
            data,
            rank,
            xy,
            ya,
            grams,
        } = &mut self.squared;
        gram(&mut share.curvature, codes, *rank);
        data.with_rows(ya, codes, range.clone());
        let rows = self.gaps.of_rows(codes, range.clone());
        rows.add_lacking(ya, &share.curvature, x);
        share.meet(x, ya);
        let square = self.gaps.square((x, &grams.x), codes, &range);
        0.5 * square - dot(&xy[range.start * *rank..range.end * *rank], codes)
    }

    fn add_lacking(
        &self,
        out: &mut [T],
        x: &[T],
        (codes, share): (&[T], &Share<T>),
        range: Range<usize>,
    ) {
        let rows = self.gaps.of_rows(codes, range);
        rows.add_lacking(out, &share.curvature, x);
    }

    fn see_sums(&mut self, ya: &[T], aa: &[T], weight: T) {
        self.squared.see_sums(ya, aa, weight);
    }
}
