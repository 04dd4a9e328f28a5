//! How far XA is from Y: the slot of the loss. A misfit is one file, and one line in [`of`].
//!
//! Methods see the data through this trait alone: they improve codes, let the misfit see all codes, improve X for them, and ask for
//! the value. What a misfit keeps between these calls is its own affair, and so is where the columns are.

mod held_out;
mod kl;
mod observed;
mod reweighted;
pub(crate) mod rough;
mod squared;

use crate::codes::{Effort, Running, Term};
use crate::look::is_lost;
use crate::loss::Loss;
use crate::problem::Factors;
use crate::products::{Data, Lanes, times_plus};
use crate::weights::LineWeights;
use held_out::HeldOut;
use kl::KullbackLeibler;
use observed::Observed;
use proxsplit::certificate::Assumption;
use reweighted::Reweighted;
use std::ops::Range;

pub(crate) use squared::{Squared, scale_of_norms};

/// Differences of values below this multiple of the rounding of what cancels in them are none.
pub(crate) const ROUNDINGS: f64 = 16.0;

/// The rounding of a sum whose parts have this size. What is below 1/MAX has no digits in T.
pub(crate) fn rounding_of<T: Lanes>(parts: f64) -> f64 {
    ROUNDINGS * (T::EPSILON.f64() * parts + 1.0 / T::MAX.f64())
}

/// The misfit of a loss, by what is missing of the data and by their weights.
pub(crate) fn of<'a, T: Lanes>(
    data: &'a Data<'a, T>,
    rank: usize,
    loss: Loss,
) -> Box<dyn Misfit<T> + 'a> {
    match (loss, data.gaps()) {
        (Loss::Squared, _) if data.weights().entries.is_some() => {
            Box::new(Reweighted::new(data, rank, loss))
        }
        (Loss::Huber(_), _) => Box::new(Reweighted::new(data, rank, loss)),
        (Loss::Squared, None) => match data.held_out() {
            None => Box::new(Squared::new(data, rank)),
            Some(fold) => Box::new(HeldOut::new(Squared::new(data, rank), fold)),
        },
        (Loss::Squared, Some(gaps)) => Box::new(Observed::new(Squared::new(data, rank), gaps)),
        (Loss::KullbackLeibler, _) => Box::new(KullbackLeibler::new(data, rank)),
    }
}

/// A term Σ_t ℓ(y_t, Xa_t) of the objective. Factors are Xᵀ (K × m) and A (K × T).
pub(crate) trait Misfit<T: Lanes>: Send + Sync {
    /// Improves the codes of a range of columns for the given Xᵀ.
    fn solve_codes(
        &mut self,
        x: &[T],
        codes: &mut [T],
        range: Range<usize>,
        how: (&Term<'_, T>, Effort),
    );

    /// The codes of all columns for Xᵀ, as exact as can be.
    fn solve_codes_exactly(&mut self, x: &[T], codes: &mut [T], psi: &Term<'_, T>);

    /// The codes of a look, which begins near its end; its statements are about the codes that are found. The slopes that are asked for next
    /// are those of the same X.
    fn refine_codes(&mut self, x: &[T], codes: &mut [T], psi: &Term<'_, T>) {
        self.solve_codes_exactly(x, codes, psi);
    }

    /// What a look costs, in passes.
    fn look_cost(&self) -> f64 {
        1.0
    }

    /// Looks at the codes of all columns, which `solve_atoms` and `value` are then about.
    fn see(&mut self, codes: &[T]);

    /// Improves Xᵀ for the codes that were seen.
    fn solve_atoms(&mut self, x: &mut [T], codes: &[T], how: (&Term<'_, T>, Effort));

    /// Improves the codes of all columns for Xᵀ, lets them run ahead and sees those.
    fn advance_codes(&mut self, x: &[T], mut codes: Running<'_, T>, how: (&Term<'_, T>, Effort)) {
        if !self.walk_codes(x, &mut codes, how) {
            self.solve_codes(x, codes.new, codes.columns(), how);
            codes.run();
            self.stay_inside(codes.ahead, codes.new);
            self.see(codes.ahead);
        }
    }

    /// Improves Xᵀ for the codes that were seen, and lets it run ahead.
    fn advance_atoms(
        &mut self,
        mut x: Running<'_, T>,
        codes: &[T],
        how: (&Term<'_, T>, Effort),
    ) -> Advance {
        self.walk_atoms(&mut x, how).unwrap_or_else(|| {
            self.solve_atoms(x.new, codes, how);
            let moved = x.run();
            self.stay_inside(x.ahead, x.new);
            let misfit = self.value(x.new, codes);
            Advance { moved, misfit }
        })
    }

    /// Does all of `advance_codes` in fewer walks through memory, if it can; whether it did.
    fn walk_codes(
        &mut self,
        _x: &[T],
        _codes: &mut Running<'_, T>,
        _how: (&Term<'_, T>, Effort),
    ) -> bool {
        false
    }

    /// The same for Xᵀ.
    fn walk_atoms(
        &mut self,
        _x: &mut Running<'_, T>,
        _how: (&Term<'_, T>, Effort),
    ) -> Option<Advance> {
        None
    }

    /// The misfit of Xᵀ and the codes that were seen.
    fn value(&mut self, x: &[T], codes: &[T]) -> f64;

    /// The size of what cancels in a value at a good fit.
    fn size(&self) -> f64;

    /// The size of what cancelled in the value that was found last.
    fn parts(&self) -> f64;

    /// What rounding can do to the value that was found last.
    fn rounding(&self) -> f64 {
        rounding_of::<T>(self.parts())
    }

    /// Whether so much cancelled in the value that was found last that it tells nothing.
    fn is_lost(&self, value: f64) -> bool {
        is_lost::<T>(value, self.parts())
    }

    /// Goes over to the precision of T, if passes did with less.
    fn refine(&mut self) {}

    /// XᵀX and AAᵀ: of the X of the last value, and of the codes that were seen.
    fn grams(&mut self) -> &mut Grams<T>;

    /// The value and both slopes at a pair.
    fn slopes(&mut self, factors: &Factors<T>) -> Slopes<T>;

    /// A duality gap of one column under γ‖a‖₁ over a ≥ 0 for X ≥ 0, from (γ, Xᵀ1), its code and its slope; ∞ if none is known.
    fn orthant_gap(&self, column: usize, weights: (f64, &[f64]), code: &[T], slope: &[T]) -> f64;

    /// The number that XA must be multiplied by to fit best, over `length` columns here and there.
    fn best_scale(&self, factors: &Factors<T>, length: usize) -> f64;

    /// Whether a run can begin at these factors.
    fn admits(&mut self, _: &Factors<T>) -> bool {
        true
    }

    /// Moves a factor that runs ahead of `new` to where the misfit is finite.
    fn stay_inside(&self, _ahead: &mut [T], _new: &[T]) {}

    /// What the theorems about methods ask of the misfit, if it does not hold.
    fn assumption(&self) -> Option<Assumption> {
        None
    }

    /// The misfit and the slope of X, transposed, of a range of columns with their codes; asked of misfits without shares.
    fn slope_of(&mut self, _: &[T], _: &[T], _: Range<usize>, _slope: &mut [T]) -> f64 {
        f64::NAN
    }

    /// The misfit as a sum of shares of batches, if it is quadratic in X; methods that need it are refused for others.
    fn shares(&mut self) -> Option<&mut dyn Shares<T>>;
}

/// A misfit that is quadratic in X: the share of any columns is ½⟨X·H, X⟩ − ⟨AYᵀ, X⟩ with H = AAᵀ.
pub(crate) trait Shares<T: Lanes> {
    /// The share of a batch whose codes were solved last, at this Xᵀ; returns its misfit but for ½‖Y‖².
    fn share(&mut self, x: &[T], codes: &[T], range: Range<usize>, share: &mut Share<T>) -> f64;

    /// out ← out + what the slope of a batch lacks of H·X, as H also counts entries that are missing.
    fn add_lacking(&self, out: &mut [T], x: &[T], codes: (&[T], &Share<T>), range: Range<usize>);

    /// out ← AYᵀ of the codes of a range of columns.
    fn linear(&mut self, out: &mut [T], codes: &[T], range: Range<usize>);

    /// Sees `weight` times AYᵀ and AAᵀ in the place of those of all codes.
    fn see_sums(&mut self, ya: &[T], aa: &[T], weight: T);
}

/// What a batch adds to the slope and to the curvature of X: its slope is H·X − C.
pub(crate) struct Share<T> {
    /// H = AAᵀ
    pub(crate) curvature: Vec<T>,
    /// C, transposed: AYᵀ, with the fit at X in the place of what is missing.
    pub(crate) linear: Vec<T>,
}

impl<T: Lanes> Share<T> {
    pub(crate) fn new(rank: usize, rows: usize) -> Self {
        Self {
            curvature: vec![T::ZERO; rank * rank],
            linear: vec![T::ZERO; rank * rows],
        }
    }

    /// slope ← the slope at Xᵀ.
    pub(crate) fn slope(&self, slope: &mut [T], x: &[T]) {
        let rank = self.curvature.len().isqrt();
        let less = (-T::ONE, &*self.linear);
        times_plus(slope, (&self.curvature, x), less, rank);
    }

    /// With weights of features the slope of a row has its own, while the curvature, which rows share, has the largest.
    fn weigh(&mut self, x: &[T], features: Option<&LineWeights<T>>) {
        let Some(u) = features else { return };
        u.weigh(&mut self.linear, self.curvature.len().isqrt());
        let largest = T::of(u.largest);
        self.curvature.iter_mut().for_each(|h| *h *= largest);
        squared::add_unweighted(&mut self.linear, (x, &self.curvature), u);
    }
}

/// The Gram matrices of both factors.
pub(crate) struct Grams<T> {
    /// XᵀX
    pub(crate) x: Vec<T>,
    /// AAᵀ
    pub(crate) a: Vec<T>,
}

impl<T: Lanes> Grams<T> {
    fn new(rank: usize) -> Self {
        let zeros = vec![T::ZERO; rank * rank];
        Self {
            x: zeros.clone(),
            a: zeros,
        }
    }

    /// Σ |XᵀX|·|AAᵀ| over all entries.
    fn product(&self) -> f64 {
        let products = self.x.iter().zip(&self.a);
        products.map(|(x, a)| (x.f64() * a.f64()).abs()).sum()
    }
}

/// What is known of Xᵀ after it was improved.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Advance {
    /// The square of how far it moved.
    pub(crate) moved: f64,
    /// The misfit of it and the codes that ran ahead.
    pub(crate) misfit: f64,
}

/// What is true of a pair (X, A).
pub(crate) struct Slopes<T> {
    pub(crate) misfit: f64,
    /// The slope of X, transposed: K × m.
    pub(crate) x: Vec<T>,
    /// The slope of A, K × T.
    pub(crate) a: Vec<T>,
    /// The sizes of what cancels in the two.
    pub(crate) scales: (f64, f64),
    /// 1/L of the two; ∞ where the misfit does not curve.
    pub(crate) steps: (f64, f64),
}
