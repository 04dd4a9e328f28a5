//! ½‖Y − XA‖² = ½‖Y‖² − ⟨AYᵀ, Xᵀ⟩ + ½⟨XᵀX, AAᵀ⟩, through the two products of Y and the two Gram matrices.
//!
//! With weights u_i of features and v_t of samples these are XᵀUY, AVYᵀ, XᵀUX and AVAᵀ, which cost no more; the problem of a row of X
//! and of a code has its weight before it.

use super::{Advance, Grams, Misfit, Share, Shares, Slopes};
use crate::codes::{Effort, Quadratic, Running, Sums, Sweeps, Term, Whose, active_set, walk};
use crate::look::{is_lost, reference_step};
use crate::loss::Loss;
use crate::plain;
use crate::problem::Factors;
use crate::products::{Data, Lanes, dot, multiple, times};
use crate::weights::LineWeights;
use crate::work::NEARLY_EXACT;
use proxsplit::Elementary;
use proxsplit::internal::linalg::vec::{axpy, norm};
use proxsplit::internal::scratch;
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

pub(crate) struct Squared<'a, T: Lanes> {
    pub(super) data: &'a Data<'a, T>,
    pub(super) rank: usize,
    /// XᵀY, as far as codes were solved.
    pub(crate) xy: Vec<T>,
    /// AYᵀ of the codes that were seen.
    pub(crate) ya: Vec<T>,
    pub(super) grams: Grams<T>,
    /// Whether `xy` is that of all columns and of the X that is looked at.
    is_looking: bool,
    /// XᵀU1 of the last slopes, for gaps; without weights the look knows it.
    sums: Vec<f64>,
}

impl<'a, T: Lanes> Squared<'a, T> {
    pub(crate) fn new(data: &'a Data<'a, T>, rank: usize) -> Self {
        Self {
            data,
            rank,
            xy: vec![T::ZERO; rank * data.cols()],
            ya: vec![T::ZERO; rank * data.rows()],
            grams: Grams::new(rank),
            is_looking: false,
            sums: Vec::new(),
        }
    }

    /// Where the columns of a range are in a factor.
    pub(super) fn part(&self, range: &Range<usize>) -> Range<usize> {
        range.start * self.rank..range.end * self.rank
    }

    /// The problem of the codes of a range of columns, by products with Y.
    pub(super) fn of_codes(&mut self, x: &[T], range: Range<usize>) -> Quadratic<'_, T> {
        let part = self.part(&range);
        self.is_looking = false;
        let xy = &mut self.xy[part];
        // First what reads X from first to last: a sparse product that found it in memory alone would wait for it line by line.
        self.data.gram_of_atoms(&mut self.grams.x, x, self.rank);
        self.data.with_columns(xy, x, range.clone());
        let samples = self.data.weights().samples.as_ref();
        if let Some(v) = samples {
            v.drop_unweighted(xy, (self.rank, range.start));
        }
        Quadratic {
            gram: &self.grams.x,
            linear: xy,
            rank: self.rank,
            own: None,
            weights: samples.map(|v| &v.weights[range]),
        }
    }

    /// The problem of X for the codes that were seen.
    pub(super) fn of_atoms(&self) -> Quadratic<'_, T> {
        Quadratic {
            gram: &self.grams.a,
            linear: &self.ya,
            rank: self.rank,
            own: None,
            weights: self.data.weights().features.as_ref().map(|u| &*u.weights),
        }
    }

    /// What is swept of a term, and from which coordinate on, if its factor is improved in walks.
    fn walks(&self, psi: &Term<'_, T>) -> Option<(Elementary, usize)> {
        psi.swept().filter(|_| !self.data.is_weighted())
    }

    /// The value, if Σ(XA)² over the entries that count is `square`.
    pub(super) fn value_for(&self, x: &[T], square: f64) -> f64 {
        self.value_of(self.cross(x), square)
    }

    /// The same from ⟨AYᵀ, Xᵀ⟩.
    fn value_of(&self, cross: f64, square: f64) -> f64 {
        (self.size() - cross + 0.5 * square).max(0.0)
    }

    /// ⟨AYᵀ, Xᵀ⟩
    fn cross(&self, x: &[T]) -> f64 {
        match &self.data.weights().features {
            None => dot(x, &self.ya),
            Some(u) => u.with_weighted(x, (self.rank, 0), |x| dot(x, &self.ya)),
        }
    }

    /// ⟨XᵀY, A⟩ over the codes of the samples from `first` on.
    pub(super) fn cross_of_codes(&self, codes: &[T], first: usize) -> f64 {
        let xy = &self.xy[first * self.rank..][..codes.len()];
        match &self.data.weights().samples {
            None => dot(xy, codes),
            Some(v) => v.with_weighted(codes, (self.rank, first), |codes| dot(xy, codes)),
        }
    }

    /// All products at a pair.
    pub(super) fn multiply(&mut self, factors: &Factors<T>) {
        let (data, rank) = (self.data, self.rank);
        data.gram_of_atoms(&mut self.grams.x, &factors.x, rank);
        data.gram_of_codes(&mut self.grams.a, &factors.a, (rank, 0));
        let all = 0..data.cols();
        if !std::mem::take(&mut self.is_looking) {
            data.with_columns(&mut self.xy, &factors.x, all.clone());
        }
        data.with_rows(&mut self.ya, &factors.a, all);
        if let Some(u) = &data.weights().features {
            self.sums = u.with_weighted(&factors.x, (rank, 0), |x| row_sums(x, rank));
        }
    }

    /// AYᵀ and XᵀY with the weights of their columns, as they stand in the slopes.
    fn weigh(&mut self) {
        if let Some(u) = &self.data.weights().features {
            u.weigh(&mut self.ya, self.rank);
        }
        if let Some(v) = &self.data.weights().samples {
            v.weigh(&mut self.xy, self.rank);
        }
    }

    /// The sizes of AYᵀ and XᵀY, which cancel in the slopes; weighs both.
    pub(super) fn scales(&mut self, factors: &Factors<T>) -> (f64, f64) {
        self.weigh();
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
        let weights = self.data.weights();
        let step = |gram: &[T], largest: f64| reference_step(gram, self.rank, largest);
        Slopes {
            misfit,
            x: slope(
                ga,
                (&factors.x, weights.features.as_ref()),
                &self.ya,
                self.rank,
            ),
            a: slope(
                gx,
                (&factors.a, weights.samples.as_ref()),
                &self.xy,
                self.rank,
            ),
            scales,
            steps: (
                step(ga, self.data.largest_of_features()),
                step(gx, self.data.largest_of_samples()),
            ),
        }
    }

    /// The value through the products; by plain sums where these cancel so far that less than half of the digits are left.
    fn careful_value(&self, factors: &Factors<T>) -> f64 {
        let Grams { x: gx, a: ga } = &self.grams;
        let size = self.grams.product();
        let cross = self.cross_of_codes(&factors.a, 0);
        let misfit = self.size() - cross + 0.5 * dot(gx, ga);
        if is_lost::<T>(misfit, self.size() + cross.abs() + size) {
            plain::sums((self.data, Loss::Squared), factors, false).misfit
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

    fn refine_codes(&mut self, x: &[T], codes: &mut [T], psi: &Term<'_, T>) {
        self.solve_codes_exactly(x, codes, psi);
        // What `of_codes` leaves of samples without weight is not what a look is about.
        self.is_looking = self.data.weights().samples.is_none();
    }

    fn see(&mut self, codes: &[T]) {
        // In this order for the reason that `of_codes` gives.
        self.data
            .gram_of_codes(&mut self.grams.a, codes, (self.rank, 0));
        self.data
            .with_rows(&mut self.ya, codes, 0..self.data.cols());
    }

    fn solve_atoms(&mut self, x: &mut [T], _: &[T], (psi, effort): (&Term<'_, T>, Effort)) {
        psi.solve(self.of_atoms(), x, effort);
    }

    fn walk_codes(
        &mut self,
        x: &[T],
        codes: &mut Running<'_, T>,
        (psi, effort): (&Term<'_, T>, Effort),
    ) -> bool {
        let Some(term) = self.walks(psi) else {
            return false;
        };
        self.of_codes(x, codes.columns());
        let Grams { x: gx, a: ga } = &mut self.grams;
        Sweeps::with((gx, self.rank), term, effort, |sweeps| {
            walk(sweeps, &self.xy, codes, (ga, Whose::Ahead))
        });
        self.data
            .with_rows(&mut self.ya, codes.ahead, codes.columns());
        true
    }

    fn walk_atoms(
        &mut self,
        x: &mut Running<'_, T>,
        (psi, effort): (&Term<'_, T>, Effort),
    ) -> Option<Advance> {
        let term = self.walks(psi)?;
        let Grams { x: gx, a: ga } = &mut self.grams;
        let Sums { moved, cross } = Sweeps::with((ga, self.rank), term, effort, |sweeps| {
            walk(sweeps, &self.ya, x, (gx, Whose::New))
        });
        let square = dot(gx, ga);
        Some(Advance {
            moved,
            misfit: self.value_of(cross, square),
        })
    }

    fn value(&mut self, x: &[T], _: &[T]) -> f64 {
        self.data.gram_of_atoms(&mut self.grams.x, x, self.rank);
        self.value_for(x, dot(&self.grams.x, &self.grams.a))
    }

    fn parts(&self) -> f64 {
        self.size() + self.grams.product()
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
        let scales = self.scales(factors);
        self.slopes_for(factors, misfit, scales)
    }

    /// With r = y − Xa, c = Xᵀr and s = max(0, max_k (c_k − γ)/σ_k), the dual point r − s·1 gives ½ms² + Σ_k a_k(γ − c_k + sσ_k).
    /// With weights U of features σ = XᵀU1 and ΣU stands for m; with a weight v of the sample c is −slope/v, and γ counts γ/v.
    fn orthant_gap(&self, t: usize, (weight, sums): (f64, &[f64]), a: &[T], slope: &[T]) -> f64 {
        let weights = self.data.weights();
        let (sums, length) = match &weights.features {
            None => (sums, self.data.rows() as f64),
            Some(u) => (&*self.sums, u.weights.iter().map(|u| u.f64()).sum()),
        };
        let v = weights.samples.as_ref().map_or(1.0, |v| v.weights[t].f64());
        if v == 0.0 {
            return weight * a.iter().map(|a| a.f64()).sum::<f64>();
        }
        let mut shift = 0.0_f64;
        for (&sum, slope) in sums.iter().zip(slope) {
            let excess = (-slope.f64() - weight) / v;
            if excess > 0.0 && sum > 0.0 {
                shift = shift.max(excess / sum);
            }
        }
        let mut gap = 0.5 * v * length * shift * shift;
        for ((a, slope), &sum) in a.iter().zip(slope).zip(sums) {
            gap += a.f64() * (weight + slope.f64() + v * shift * sum);
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
        let first = range.start;
        self.data
            .gram_of_codes(&mut share.curvature, codes, (self.rank, first));
        self.data.with_rows(&mut share.linear, codes, range);
        let square = dot(&self.grams.x, &share.curvature);
        share.weigh(x, self.data.weights().features.as_ref());
        0.5 * square - self.cross_of_codes(codes, first)
    }

    fn add_lacking(&self, out: &mut [T], x: &[T], (_, share): (&[T], &Share<T>), _: Range<usize>) {
        if let Some(u) = &self.data.weights().features {
            add_unweighted(out, (x, &share.curvature), u);
        }
    }

    fn linear(&mut self, out: &mut [T], codes: &[T], range: Range<usize>) {
        self.data.with_rows(out, codes, range);
    }

    fn see_sums(&mut self, ya: &[T], aa: &[T], weight: T) {
        multiple(&mut self.ya, weight, ya);
        multiple(&mut self.grams.a, weight, aa);
    }
}

/// Codes as exact as can be: by the active set where they are a ≥ 0, else by sweeps until nothing moves.
pub(super) fn exactly<T: Lanes>(problem: Quadratic<'_, T>, codes: &mut [T], psi: &Term<'_, T>) {
    let over_orthant = psi
        .elementary
        .filter(|e| e.lower == 0.0 && e.upper == f64::INFINITY && psi.graph().is_none());
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
    data.gram_of_atoms(&mut grams.x, &factors.x, rank);
    let mut xy = vec![T::ZERO; rank * length];
    let (mut cross, mut squares) = (0.0, 0.0);
    for start in (0..n).step_by(n.div_ceil(RUNS).max(length)) {
        let run = start..n.min(start + length);
        let codes = &factors.a[rank * run.start..rank * run.end];
        let xy = &mut xy[..codes.len()];
        data.with_columns(xy, &factors.x, run.clone());
        data.gram_of_codes(&mut grams.a, codes, (rank, run.start));
        if let Some(v) = &data.weights().samples {
            v.weigh_from(xy, (rank, run.start));
        }
        cross += dot(xy, codes);
        squares += square(&grams.x, codes, &grams.a, run);
    }
    cross / squares
}

/// Σ of every row of a K × n matrix.
fn row_sums<T: Lanes>(factor: &[T], rank: usize) -> Vec<f64> {
    let mut sums = vec![0.0; rank];
    for column in factor.chunks_exact(rank) {
        for (sum, value) in sums.iter_mut().zip(column) {
            *sum += value.f64();
        }
    }
    sums
}

/// out_i ← out_i + (1 − u_i/u)·(H·X)_i with the largest weight u, whose curvature H has.
pub(super) fn add_unweighted<T: Lanes>(
    out: &mut [T],
    (x, curvature): (&[T], &[T]),
    u: &LineWeights<T>,
) {
    let rank = curvature.len().isqrt();
    scratch::with(x.len(), |product: &mut [T]| {
        times(product, curvature, x, rank);
        let rows = out.chunks_exact_mut(rank).zip(product.chunks_exact(rank));
        for ((out, product), &weight) in rows.zip(&u.weights) {
            axpy(T::of(1.0 - weight.f64() / u.largest), product, out);
        }
    });
}

/// W∘(G·F) − C with the weights W of columns.
fn slope<T: Lanes>(
    gram: &[T],
    (factor, weights): (&[T], Option<&LineWeights<T>>),
    linear: &[T],
    rank: usize,
) -> Vec<T> {
    let mut slope = vec![T::ZERO; factor.len()];
    times(&mut slope, gram, factor, rank);
    if let Some(weights) = weights {
        weights.weigh(&mut slope, rank);
    }
    axpy(-T::ONE, linear, &mut slope);
    slope
}

/// ‖C‖, the size of what cancels in the slope of a factor F; where nothing is left of the other factor, a trace of ‖Y‖²/‖F‖, which
/// it is about at a good fit. A small F is no such fit: what ‖C‖ would be for two factors of one size is the limit.
fn scale_of<T: Lanes>(linear: &[T], factor: &[T], square: f64) -> f64 {
    scale_of_norms(norm(linear), norm(factor), square)
}

/// The same from ‖C‖ and ‖F‖.
pub(crate) fn scale_of_norms(linear: f64, factor: f64, square: f64) -> f64 {
    let typical = square / factor;
    let trace = if typical.is_finite() {
        TRACE * typical.min(square.powf(0.75))
    } else {
        0.0
    };
    linear.max(trace)
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
