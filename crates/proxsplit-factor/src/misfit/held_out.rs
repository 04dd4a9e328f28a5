//! ½Σ(y_it − x_i·a_t)² over all entries but a held-out fold, by filling that fold with x_i·a_t before every solve.
//!
//! The filled misfit is no less than this one and touches it at the current factors, so that what lowers the one lowers the other. It
//! is complete: all columns share XᵀX. A solve of the filled problem is not one of this problem, but the error shrinks by about
//! the held-out share with every filling.

use super::squared::Squared;
use super::{Grams, Misfit, Shares, Slopes};
use crate::codes::{Effort, Quadratic, Term};
use crate::problem::Factors;
use crate::products::{HeldOut as Fold, Lanes, distance_squared, dot, gram};
use crate::work::NEARLY_EXACT;
use proxsplit::internal::scratch;
use std::ops::Range;

/// Fillings of codes that are to be exact at most, and the share of the first move that counts as none.
const FILLINGS: usize = 8;
const STILL: f64 = 1e-3;

pub(super) struct HeldOut<'a, T: Lanes> {
    squared: Squared<'a, T>,
    fold: Fold<'a, T>,
    /// ‖Y‖² as products read it.
    square: f64,
    /// Room for AYᵀ of the filled Y.
    filled: Vec<T>,
    /// Σ(y − z)² over all entries but for the fold's part, when the value was found last.
    parts: f64,
}

impl<'a, T: Lanes> HeldOut<'a, T> {
    pub(super) fn new(squared: Squared<'a, T>, fold: Fold<'a, T>) -> Self {
        Self {
            square: squared.data.square_as_read(),
            filled: squared.ya.clone(),
            squared,
            fold,
            parts: 0.0,
        }
    }

    /// The value by the products that are there.
    fn value_by_products(&mut self, x: &[T], codes: &[T]) -> f64 {
        let Squared { ya, grams, .. } = &self.squared;
        let product = dot(&grams.x, &grams.a);
        let held_out = self.fold.square((x, codes));
        self.parts = 0.5 * (self.square + product.abs() + held_out);
        (0.5 * (self.square + product - held_out) - dot(x, ya)).max(0.0)
    }
}

impl<T: Lanes> Misfit<T> for HeldOut<'_, T> {
    fn solve_codes(
        &mut self,
        x: &[T],
        codes: &mut [T],
        range: Range<usize>,
        (psi, effort): (&Term<'_, T>, Effort),
    ) {
        let (rank, first) = (self.squared.rank, range.start);
        let part = self.squared.part(&range);
        self.squared.of_codes(x, range);
        let Squared { xy, grams, .. } = &mut self.squared;
        let linear = &mut xy[part];
        self.fold.take_from_columns(linear, x, (x, codes), first);
        let problem = Quadratic {
            gram: &grams.x,
            linear,
            rank,
            own: None,
            weights: None,
        };
        psi.solve(problem, codes, effort);
    }

    fn solve_codes_exactly(&mut self, x: &[T], codes: &mut [T], psi: &Term<'_, T>) {
        let all = 0..self.squared.data.cols();
        self.squared.of_codes(x, all);
        let Squared {
            xy, grams, rank, ..
        } = &self.squared;
        scratch::with(2 * xy.len(), |space: &mut [T]| {
            let (linear, before) = space.split_at_mut(xy.len());
            let mut first = 0.0;
            for filling in 0..FILLINGS {
                before.copy_from_slice(codes);
                linear.copy_from_slice(xy);
                self.fold.take_from_columns(linear, x, (x, codes), 0);
                let problem = Quadratic {
                    gram: &grams.x,
                    linear,
                    rank: *rank,
                    own: None,
                    weights: None,
                };
                psi.solve(problem, codes, NEARLY_EXACT);
                let moved = distance_squared(codes, before);
                if filling == 0 {
                    first = moved;
                }
                if moved <= STILL * STILL * first {
                    break;
                }
            }
        });
    }

    fn see(&mut self, codes: &[T]) {
        self.squared.see(codes);
    }

    fn solve_atoms(&mut self, x: &mut [T], codes: &[T], (psi, effort): (&Term<'_, T>, Effort)) {
        let Squared {
            ya, grams, rank, ..
        } = &self.squared;
        self.filled.copy_from_slice(ya);
        self.fold
            .take_from_rows(&mut self.filled, codes, (x, codes));
        let problem = Quadratic {
            gram: &grams.a,
            linear: &self.filled,
            rank: *rank,
            own: None,
            weights: None,
        };
        psi.solve(problem, x, effort);
    }

    fn value(&mut self, x: &[T], codes: &[T]) -> f64 {
        gram(&mut self.squared.grams.x, x, self.squared.rank);
        self.value_by_products(x, codes)
    }

    fn parts(&self) -> f64 {
        self.parts.max(self.size())
    }

    fn size(&self) -> f64 {
        self.squared.size()
    }

    fn grams(&mut self) -> &mut Grams<T> {
        self.squared.grams()
    }

    fn slopes(&mut self, factors: &Factors<T>) -> Slopes<T> {
        self.squared.multiply(factors);
        let (x, a) = (&factors.x, &factors.a);
        let misfit = self.value_by_products(x, a);
        let Squared { xy, ya, .. } = &mut self.squared;
        self.fold.take_from_columns(xy, x, (x, a), 0);
        self.fold.take_from_rows(ya, a, (x, a));
        let scales = self.squared.scales(factors);
        self.squared.slopes_for(factors, misfit, scales)
    }

    /// The vector 1 of the shift would have to be one of observed entries, another one in every column.
    fn orthant_gap(&self, _: usize, _: (f64, &[f64]), _: &[T], _: &[T]) -> f64 {
        f64::INFINITY
    }

    /// The size of a start, and nothing else, is read from all entries.
    fn best_scale(&self, factors: &Factors<T>, length: usize) -> f64 {
        self.squared.best_scale(factors, length)
    }

    fn shares(&mut self) -> Option<&mut dyn Shares<T>> {
        None
    }
}

#[cfg(test)]
mod tests {
    use crate::Generated;
    use crate::loss::Loss;
    use crate::plain;
    use crate::problem::Problem;
    use crate::products::Data;
    use crate::rank::Speckle;
    use crate::settings::Init;
    use crate::work::{NEARLY_EXACT, Work};
    use proxsplit::set::NonNeg;

    /// Value and slopes against plain sums, which form Y − XA entry by entry; and no half-step raises the objective.
    #[test]
    fn it_is_the_misfit_of_what_is_left() {
        for text in ["planted:50x70x3,0.2", "webgraph:60x80,900"] {
            let generated = Generated::parse(text, 2).unwrap().unwrap();
            let data = Data::<f64>::new(generated.matrix().unwrap(), 1.5).unwrap();
            let train = data.without(Speckle::new(1, 0, (2, 7))).unwrap();
            let problem = Problem::new(&train, 4, &NonNeg, &NonNeg).unwrap();
            let misfit = problem.misfit();
            let start = crate::init::start(problem, &*misfit, (Init::Random, 3)).unwrap();
            let mut work = Work::new(problem, misfit, start);
            let mut last = f64::INFINITY;
            for pass in 0..30 {
                let x = work.factors.x.clone();
                work.solve_codes(&x, 0..train.cols(), NEARLY_EXACT);
                let a = work.factors.a.clone();
                work.misfit.see(&a);
                for atoms_too in [false, true] {
                    if atoms_too {
                        work.solve_atoms(&a, NEARLY_EXACT);
                    }
                    let now = work.objective_for(&a);
                    assert!(now <= last + 1e-9, "{text}, pass {pass}: {last} to {now}");
                    last = now;
                }
            }
            let expected = plain::sums((&train, Loss::Squared), &work.factors, true);
            assert!(
                (last - expected.misfit).abs() <= 1e-9 * expected.misfit,
                "{text}"
            );
            let slopes = work.misfit.slopes(&work.factors);
            assert!((slopes.misfit - expected.misfit).abs() <= 1e-9 * expected.misfit);
            let found = slopes.x.iter().chain(&slopes.a);
            let plain = expected.slope_x.iter().chain(&expected.slope_a);
            let size = slopes.scales.0.max(slopes.scales.1);
            for (found, plain) in found.zip(plain) {
                assert!(
                    (found - plain).abs() <= 1e-11 * size,
                    "{text}: {found}, not {plain}"
                );
            }
            let (_, psi) = problem.terms();
            let x = work.factors.x.clone();
            work.misfit
                .solve_codes_exactly(&x, &mut work.factors.a, &psi);
            let slopes = work.misfit.slopes(&work.factors);
            let (residual, _) = psi.residual(&work.factors.a, &slopes.a, (4, slopes.steps.1));
            assert!(
                residual <= 1e-3 * slopes.scales.1,
                "{text}: {residual} of {}",
                slopes.scales.1
            );
        }
    }
}
