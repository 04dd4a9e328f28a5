//! ½‖Y − XA‖² = ½‖Y‖² − ⟨AYᵀ, Xᵀ⟩ + ½⟨XᵀX, AAᵀ⟩, through the two products of Y and the two Gram matrices.

use super::{Grams, Misfit, Share, Shares, Slopes};
use crate::codes::{Effort, Quadratic, Term, active_set};
use crate::look::{is_lost, largest_eigenvalue};
use crate::plain;
use crate::problem::Factors;
use crate::products::{Data, Lanes, dot, gram, times};
use crate::work::NEARLY_EXACT;
use proxsplit::linalg::vec::{axpy, norm};
use std::ops::Range;

/// Sweeps until rounding stops them.
const EXACT: Effort = Effort {
    sweeps: 1000,
    tolerance: 1e-7,
};
/// The least scale of a slope, as a fraction of its typical size.
const TRACE: f64 = 1e-14;
/// Runs of consecutive samples that tell the scale of the data as well as a whole product would.
const RUNS: usize = 4;

pub(super) struct Squared<'a, T: Lanes> {
    pub(super) data: &'a Data<'a, T>,
    pub(super) rank: usize,
    /// XᵀY, as far as codes were solved.
    pub(super) xy: Vec<T>,
    /// AYᵀ of the codes that were seen.
    pub(super) ya: Vec<T>,
    pub(super) grams: Grams<T>,
}

impl<'a, T: Lanes> Squared<'a, T> {
    pub(super) fn new(data: &'a Data<'a, T>, rank: usize) -> Self {
        Self {
            data,
            rank,
            xy: vec![T::ZERO; rank * data.cols()],
            ya: vec![T::ZERO; rank * data.rows()],
            grams: Grams::new(rank),
        }
    }

    /// Where the columns of a range are in a factor.
    pub(super) fn part(&self, range: &Range<usize>) -> Range<usize> {
        range.start * self.rank..range.end * self.rank
    }

    /// The problem of the codes of a range of columns, by products with Y.
    pub(super) fn of_codes(&mut self, x: &[T], range: Range<usize>) -> Quadratic<'_, T> {
        let part = self.part(&range);
        self.data.with_columns(&mut self.xy[part.clone()], x, range);
        gram(&mut self.grams.x, x, self.rank);
        Quadratic {
            gram: &self.grams.x,
            linear: &self.xy[part],
            rank: self.rank,
            own: None,
        }
    }

    /// The problem of X for the codes that were seen.
    pub(super) fn of_atoms(&self) -> Quadratic<'_, T> {
        Quadratic {
            gram: &self.grams.a,
            linear: &self.ya,
            rank: self.rank,
            own: None,
        }
    }

    /// The value, if Σ(XA)² over the entries that count is `square`.
    pub(super) fn value_for(&self, x: &[T], square: f64) -> f64 {
        (self.size() - dot(x, &self.ya) + 0.5 * square).max(0.0)
    }

    /// All products at a pair.
    pub(super) fn multiply(&mut self, factors: &Factors<T>) {
        gram(&mut self.grams.x, &factors.x, self.rank);
        gram(&mut self.grams.a, &factors.a, self.rank);
        let all = 0..self.data.cols();
        self.data
            .with_columns(&mut self.xy, &factors.x, all.clone());
        self.data.with_rows(&mut self.ya, &factors.a, all);
    }

    /// The sizes of AYᵀ and XᵀY, which cancel in the slopes.
    pub(super) fn scales(&self, factors: &Factors<T>) -> (f64, f64) {
        let square = self.data.square();
        (
            scale_of(&self.ya, &factors.x, square),
            scale_of(&self.xy, &factors.a, square),
        )
    }

    /// The slopes by the products that are there.
    pub(super) fn slopes_for(
        &self,
        factors: &Factors<T>,
        misfit: f64,
        scales: (f64, f64),
    ) -> Slopes<T> {
        let Grams { x: gx, a: ga } = &self.grams;
        let step = |gram: &[T]| 1.0 / largest_eigenvalue(gram, self.rank);
        Slopes {
            misfit,
            x: slope(ga, &factors.x, &self.ya, self.rank),
            a: slope(gx, &factors.a, &self.xy, self.rank),
            scales,
            steps: (step(ga), step(gx)),
        }
    }

    /// The value through the products; by plain sums where these cancel so far that less than half of the digits are left.
    fn careful_value(&self, factors: &Factors<T>) -> f64 {
        let Grams { x: gx, a: ga } = &self.grams;
        let products = gx.iter().zip(ga).map(|(x, a)| x.f64() * a.f64());
        let size = products.map(f64::abs).sum::<f64>();
        let cross = dot(&self.xy, &factors.a);
        let misfit = self.size() - cross + 0.5 * dot(gx, ga);
        if is_lost::<T>(misfit, self.size() + cross.abs() + size) {
            plain::sums(self.data, factors, false).misfit
        } else {
            misfit
        }
    }
}

impl<T: Lanes> Misfit<T> for Squared<'_, T> {
    fn solve_codes(
        &mut self,
        x: &[T],
        codes: &mut [T],
        range: Range<usize>,
        (psi, effort): (&Term<'_, T>, Effort),
    ) {
        psi.solve(self.of_codes(x, range), codes, effort);
    }

    fn solve_codes_exactly(&mut self, x: &[T], codes: &mut [T], psi: &Term<'_, T>) {
        let all = 0..self.data.cols();
        exactly(self.of_codes(x, all), codes, psi);
    }

    fn see(&mut self, codes: &[T]) {
        self.data
            .with_rows(&mut self.ya, codes, 0..self.data.cols());
        gram(&mut self.grams.a, codes, self.rank);
    }

    fn solve_atoms(&mut self, x: &mut [T], _: &[T], (psi, effort): (&Term<'_, T>, Effort)) {
        psi.solve(self.of_atoms(), x, effort);
    }

    fn value(&mut self, x: &[T], _: &[T]) -> f64 {
        gram(&mut self.grams.x, x, self.rank);
        self.value_for(x, dot(&self.grams.x, &self.grams.a))
    }

    fn parts(&self) -> f64 {
        let products = self.grams.x.iter().zip(&self.grams.a);
        let size: f64 = products.map(|(x, a)| (x.f64() * a.f64()).abs()).sum();
        self.size() + size
    }

    fn size(&self) -> f64 {
        0.5 * self.data.square()
    }

    fn grams(&mut self) -> &mut Grams<T> {
        &mut self.grams
    }

    fn slopes(&mut self, factors: &Factors<T>) -> Slopes<T> {
        self.multiply(factors);
        let misfit = self.careful_value(factors);
        self.slopes_for(factors, misfit, self.scales(factors))
    }

    /// With r = y − Xa, c = Xᵀr and s = max(0, max_k (c_k − γ)/σ_k), the dual point r − s·1 gives ½ms² + Σ_k a_k(γ − c_k + sσ_k).
    fn orthant_gap(&self, _: usize, (weight, sums): (f64, &[f64]), a: &[T], slope: &[T]) -> f64 {
        let mut shift = 0.0_f64;
        for (&sum, slope) in sums.iter().zip(slope) {
            let excess = -slope.f64() - weight;
            if excess > 0.0 && sum > 0.0 {
                shift = shift.max(excess / sum);
            }
        }
        let mut gap = 0.5 * self.data.rows() as f64 * shift * shift;
        for ((a, slope), &sum) in a.iter().zip(slope).zip(sums) {
            gap += a.f64() * (weight + slope.f64() + shift * sum);
        }
        gap.max(0.0)
    }

    fn best_scale(&self, factors: &Factors<T>, length: usize) -> f64 {
        best_scale(self.data, factors, length, |gx, _, ga, _| dot(gx, ga))
    }

    fn shares(&mut self) -> Option<&mut dyn Shares<T>> {
        Some(self)
    }
}

impl<T: Lanes> Shares<T> for Squared<'_, T> {
    fn share(&mut self, x: &[T], codes: &[T], range: Range<usize>, share: &mut Share<T>) -> f64 {
        let part = self.part(&range);
        gram(&mut share.curvature, codes, self.rank);
        self.data.with_rows(&mut self.ya, codes, range);
        share.meet(x, &self.ya);
        0.5 * dot(&self.grams.x, &share.curvature) - dot(&self.xy[part], codes)
    }

    fn add_lacking(&self, _: &mut [T], _: &[T], _: (&[T], &Share<T>), _: Range<usize>) {}

    fn see_sums(&mut self, ya: &[T], aa: &[T], weight: T) {
        let seen = self.ya.iter_mut().chain(&mut self.grams.a);
        for (seen, &sum) in seen.zip(ya.iter().chain(aa)) {
            *seen = weight * sum;
        }
    }
}

/// Codes as exact as can be: by the active set where they are a ≥ 0, else by sweeps until nothing moves.
pub(super) fn exactly<T: Lanes>(problem: Quadratic<'_, T>, codes: &mut [T], psi: &Term<'_, T>) {
    let over_orthant = psi
        .elementary
        .filter(|e| e.lower == 0.0 && e.upper == f64::INFINITY);
    let is_exact = over_orthant.is_some_and(|elementary| {
        // The active set wants a good support only.
        psi.solve(problem, codes, NEARLY_EXACT);
        active_set::polish(problem, codes, elementary)
    });
    if !is_exact {
        psi.solve(problem, codes, EXACT);
    }
}

/// α = ⟨XᵀY, A⟩ / Σ(XA)² over runs of samples; `square` finds the second sum from XᵀX, the codes of a run and their Gram matrix.
pub(super) fn best_scale<T: Lanes>(
    data: &Data<'_, T>,
    factors: &Factors<T>,
    length: usize,
    square: impl Fn(&[T], &[T], &[T], Range<usize>) -> f64,
) -> f64 {
    let (rank, n) = (factors.rank, data.cols());
    let mut grams = Grams::new(rank);
    gram(&mut grams.x, &factors.x, rank);
    let mut xy = vec![T::ZERO; rank * length];
    let (mut cross, mut squares) = (0.0, 0.0);
    for start in (0..n).step_by(n.div_ceil(RUNS).max(length)) {
        let run = start..n.min(start + length);
        let codes = &factors.a[rank * run.start..rank * run.end];
        let xy = &mut xy[..codes.len()];
        data.with_columns(xy, &factors.x, run.clone());
        gram(&mut grams.a, codes, rank);
        cross += dot(xy, codes);
        squares += square(&grams.x, codes, &grams.a, run);
    }
    cross / squares
}

/// G·F − C
fn slope<T: Lanes>(gram: &[T], factor: &[T], linear: &[T], rank: usize) -> Vec<T> {
    let mut slope = vec![T::ZERO; factor.len()];
    times(&mut slope, gram, factor, rank);
    axpy(-T::ONE, linear, &mut slope);
    slope
}

/// ‖C‖, the size of what cancels in the slope of a factor F; where nothing is left of the other factor, a trace of ‖Y‖²/‖F‖, which
/// it is about at a good fit. A small F is no such fit: what ‖C‖ would be for two factors of one size is the limit.
fn scale_of<T: Lanes>(linear: &[T], factor: &[T], square: f64) -> f64 {
    let typical = square / norm(factor);
    let trace = if typical.is_finite() {
        TRACE * typical.min(square.powf(0.75))
    } else {
        0.0
    };
    norm(linear).max(trace)
}

#[cfg(test)]
mod tests {
    /// Residuals are relative to what cancels: a factor that is far too small does not make them smaller.
    #[test]
    fn a_small_factor_is_no_excuse() {
        let scale = |linear: f64, factor: f64| super::scale_of(&[linear], &[factor], 1.0);
        assert_eq!(scale(1.0, 1e-60), 1.0);
        assert_eq!(scale(1e-20, 10.0), 1e-15);
        assert_eq!(scale(0.0, 0.0), 0.0);
    }
}
