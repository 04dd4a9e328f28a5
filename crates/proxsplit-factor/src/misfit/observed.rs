//! ½Σ(y_it − x_i·a_t)² over the observed entries: every column and every row has a Gram matrix of its own.
//!
//! Products read missing entries as 0, so XᵀY and AYᵀ are right as they are; what lacks of the curvature is added to them.

use super::squared::{Squared, add_unweighted, best_scale, exactly};
use super::{Grams, Misfit, Share, Shares, Slopes};
use crate::codes::{Effort, OwnGrams, Quadratic, Term};
use crate::loss::Loss;
use crate::plain;
use crate::problem::Factors;
use crate::products::{Gaps, Lanes};
use crate::weights::LineWeights;
use proxsplit::internal::linalg::vec::axpy;
use proxsplit::internal::scratch;
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
        let (data, rank) = (self.squared.data, self.squared.rank);
        data.with_rooted_atoms(x, rank, |rooted| {
            let own = self.gaps.of_columns(rooted, &range);
            let problem = Quadratic {
                own: Some(&own),
                ..self.squared.of_codes(x, range)
            };
            psi.solve(problem, codes, effort);
        });
    }

    fn solve_codes_exactly(&mut self, x: &[T], codes: &mut [T], psi: &Term<'_, T>) {
        let (data, rank, all) = (self.squared.data, self.squared.rank, self.all());
        data.with_rooted_atoms(x, rank, |rooted| {
            let own = self.gaps.of_columns(rooted, &all);
            let problem = Quadratic {
                own: Some(&own),
                ..self.squared.of_codes(x, all)
            };
            exactly(problem, codes, psi);
        });
    }

    fn see(&mut self, codes: &[T]) {
        self.squared.see(codes);
    }

    fn solve_atoms(&mut self, x: &mut [T], codes: &[T], (psi, effort): (&Term<'_, T>, Effort)) {
        let (data, rank) = (self.squared.data, self.squared.rank);
        data.with_rooted_codes(codes, (rank, 0), |rooted| {
            let own = self.gaps.of_rows(rooted, self.all());
            let problem = Quadratic {
                own: Some(&own),
                ..self.squared.of_atoms()
            };
            psi.solve(problem, x, effort);
        });
    }

    fn value(&mut self, x: &[T], codes: &[T]) -> f64 {
        let (data, rank) = (self.squared.data, self.squared.rank);
        data.gram_of_atoms(&mut self.squared.grams.x, x, rank);
        let square = self.square((x, &self.squared.grams.x), codes, &self.all());
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
        let (data, rank) = (self.squared.data, self.squared.rank);
        let scales = self.squared.scales(factors);
        let (x, a, all) = (&factors.x, &factors.a, self.all());
        let Squared { xy, ya, grams, .. } = &mut self.squared;
        data.with_rooted_atoms(x, rank, |rooted| {
            let own = self.gaps.of_columns(rooted, &all);
            add_weighed(xy, data.weights().samples.as_ref(), rank, |out| {
                own.add_lacking(out, &grams.x, a);
            });
        });
        data.with_rooted_codes(a, (rank, 0), |rooted| {
            let own = self.gaps.of_rows(rooted, all);
            add_weighed(ya, data.weights().features.as_ref(), rank, |out| {
                own.add_lacking(out, &grams.a, x);
            });
        });
        let misfit = plain::sums((data, Loss::Squared), factors, false).misfit;
        self.squared.slopes_for(factors, misfit, scales)
    }

    /// The vector 1 of the shift would have to be one of observed entries, another one in every column.
    fn orthant_gap(&self, _: usize, _: (f64, &[f64]), _: &[T], _: &[T]) -> f64 {
        f64::INFINITY
    }

    fn best_scale(&self, factors: &Factors<T>, length: usize) -> f64 {
        let x = &factors.x;
        best_scale(self.squared.data, factors, length, |gx, codes, _, run| {
            self.square((x, gx), codes, &run)
        })
    }

    fn shares(&mut self) -> Option<&mut dyn Shares<T>> {
        Some(self)
    }
}

impl<T: Lanes> Observed<'_, T> {
    /// Σ w(x_i·a_t)² over the observed entries of a range of columns.
    fn square(&self, (x, gx): (&[T], &[T]), codes: &[T], range: &Range<usize>) -> f64 {
        let (data, rank) = (self.squared.data, self.squared.rank);
        data.with_rooted_atoms(x, rank, |x| {
            data.with_rooted_codes(codes, (rank, range.start), |codes| {
                self.gaps.square((x, gx), codes, range)
            })
        })
    }
}

/// out ← out + the weights of its columns times what `add` adds.
fn add_weighed<T: Lanes>(
    out: &mut [T],
    weights: Option<&LineWeights<T>>,
    rank: usize,
    add: impl FnOnce(&mut [T]),
) {
    let Some(weights) = weights else {
        return add(out);
    };
    scratch::with(out.len(), |lacking: &mut [T]| {
        lacking.fill(T::ZERO);
        add(lacking);
        weights.weigh(lacking, rank);
        axpy(T::ONE, lacking, out);
    });
}

impl<T: Lanes> Shares<T> for Observed<'_, T> {
    fn share(&mut self, x: &[T], codes: &[T], range: Range<usize>, share: &mut Share<T>) -> f64 {
        let (data, rank, first) = (self.squared.data, self.squared.rank, range.start);
        data.gram_of_codes(&mut share.curvature, codes, (rank, first));
        data.with_rows(&mut share.linear, codes, range.clone());
        data.with_rooted_codes(codes, (rank, first), |rooted| {
            let rows = self.gaps.of_rows(rooted, range.clone());
            rows.add_lacking(&mut share.linear, &share.curvature, x);
        });
        share.weigh(x, data.weights().features.as_ref());
        let square = self.square((x, &self.squared.grams.x), codes, &range);
        0.5 * square - self.squared.cross_of_codes(codes, first)
    }

    /// The curvature of the share has the largest weight u of features: (uG − u_iG_i)x = (u − u_i)Gx + u_i(G − G_i)x.
    fn add_lacking(
        &self,
        out: &mut [T],
        x: &[T],
        (codes, share): (&[T], &Share<T>),
        range: Range<usize>,
    ) {
        let (data, rank) = (self.squared.data, self.squared.rank);
        let features = data.weights().features.as_ref();
        if let Some(u) = features {
            add_unweighted(out, (x, &share.curvature), u);
        }
        let largest = T::of(data.largest_of_features());
        data.with_rooted_codes(codes, (rank, range.start), |rooted| {
            let rows = self.gaps.of_rows(rooted, range);
            scratch::with(rank * rank, |gram: &mut [T]| {
                for (gram, &curvature) in gram.iter_mut().zip(&share.curvature) {
                    *gram = curvature / largest;
                }
                add_weighed(out, features, rank, |out| rows.add_lacking(out, gram, x));
            });
        });
    }

    fn linear(&mut self, out: &mut [T], codes: &[T], range: Range<usize>) {
        self.squared.linear(out, codes, range);
    }

    fn see_sums(&mut self, ya: &[T], aa: &[T], weight: T) {
        self.squared.see_sums(ya, aa, weight);
    }
}
