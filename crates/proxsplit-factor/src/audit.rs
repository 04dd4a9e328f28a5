//! What is true of the factors of any program, by plain sums: misfit and slopes share nothing with a solver.

use crate::balance::{Balance, Scales, Size, sizes};
use crate::codes::Term;
use crate::look::{self, Search};
use crate::loss::Loss;
use crate::membership::{Outside, settle};
use crate::misfit::Slopes;
use crate::plain::{self, Plain};
use crate::problem::{Factors, Problem};
use crate::products::{Lanes, gram};
use proxsplit::Error;
use proxsplit::internal::linalg::vec::norm;
use serde::Serialize;

/// What is true of given factors.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Audit {
    /// The misfit + ψ₀(X) + ψ(A) with A as given; infinite if a factor lies outside its set.
    pub objective: f64,
    /// ½‖Y − XA‖², or Σ w·ℓ(y, z) with weights or another loss.
    pub misfit: f64,
    /// The misfit is right up to this.
    pub misfit_rounding: f64,
    /// ‖Y − XA‖/‖Y‖: the root of the misfit over that of XA = 0; for kl the divergence as a fraction of Σy.
    pub relative_error: f64,
    /// The objective with the best A for this X.
    pub best_objective: f64,
    /// ‖X − P_η(X − η(XA − Y)Aᵀ)‖/η with η = 1/‖AAᵀ‖; for kl with its slope, and η = ‖X‖/scale.
    pub residual_x: f64,
    /// ‖A − P_η(A − ηXᵀ(XA − Y))‖/η with η = 1/‖XᵀX‖; for kl with its slope, and η = ‖A‖/scale.
    pub residual_a: f64,
    /// ‖YAᵀ‖, the size that `residual_x` is compared with; for kl y/z stands for y.
    pub scale_x: f64,
    /// ‖XᵀY‖, the size that `residual_a` is compared with; for kl y/z stands for y.
    pub scale_a: f64,
    /// The share of zeros in X.
    pub sparsity_x: f64,
    /// The share of zeros in A.
    pub sparsity_a: f64,
    /// Atoms that are zero or that no sample uses.
    pub dead_atoms: Vec<usize>,
    /// What replacing a dead atom would gain at least: 0 if a search has found nothing, which proves nothing; `None` if codes are
    /// tied together, so that there was none.
    pub escape: Option<f64>,
    /// The first vector that is outside its set by more than rounding of single precision.
    pub outside: Option<Outside>,
    /// Whether one penalty can be made as small as one likes by moving scale to the other factor.
    pub scale_is_degenerate: bool,
    /// How much the objective falls when each pair x_k, a_k gets its best scale.
    pub balance_gain: f64,
}

/// Looks at factors of any origin.
pub fn audit<T: Lanes>(problem: Problem<'_, T>, factors: &Factors<T>) -> Result<Audit, Error> {
    let rank = problem.rank;
    problem.fits(factors)?;
    if let Some(atom) = problem.fixed.first_other(&factors.x, rank) {
        return Err(Error::Incompatible(format!(
            "atom {atom} of X (counting from 0) differs from the given fixed atom"
        )));
    }
    let (atoms, codes) = problem.terms();
    // Misfit and slopes are those of the numbers as they are given, penalties those of what they were before a file rounded them.
    let found = Sums::of(problem, factors);
    let mut factors = factors.clone();
    let inside =
        settle(&atoms, &mut factors.x, rank).and_then(|()| settle(&codes, &mut factors.a, rank));
    let outside = inside.err();
    let (residual_x, residual_a) = found.residuals(problem, &factors);
    let square = || vec![T::ZERO; rank * rank];
    let (mut gx, mut ga) = (square(), square());
    gram(&mut gx, &factors.x, rank);
    gram(&mut ga, &factors.a, rank);
    let penalties = match outside {
        None => atoms.value(&factors.x, rank) + codes.value(&factors.a, rank),
        Some(_) => f64::INFINITY,
    };
    let objective = found.plain.misfit + penalties;
    let mut misfit = problem.misfit();
    let best = look::with_best_codes(problem, &mut *misfit, factors.clone());
    let escape = look::escape(problem, &factors, (&gx, &ga), Search::Thorough);
    let (x, a) = (sizes(&factors.x, rank), sizes(&factors.a, rank));
    let balance = Balance::of(&atoms, &codes);
    Ok(Audit {
        objective,
        misfit: found.plain.misfit,
        misfit_rounding: found.plain.rounding,
        relative_error: found.relative_error,
        // Where rounding is all that is left, the codes that were given may be the better ones.
        best_objective: best.at.objective.min(objective),
        residual_x,
        residual_a,
        scale_x: found.scales.0.max(atoms.scale_of_graph(&factors.x, rank)),
        scale_a: found.scales.1.max(codes.scale_of_graph(&factors.a, rank)),
        sparsity_x: zeros(&x, factors.x.len()),
        sparsity_a: zeros(&a, factors.a.len()),
        dead_atoms: (atoms.first()..rank)
            .filter(|&k| x[k].is_dead() || a[k].is_dead())
            .collect(),
        escape: look::gain(problem, escape.as_ref()),
        outside,
        scale_is_degenerate: balance == Balance::Degenerate && atoms.first() < rank,
        balance_gain: balance_gain(problem, &factors, balance, penalties),
    })
}

/// What plain sums tell, by the loss.
struct Sums {
    plain: Plain,
    /// The sizes of what cancels in the slopes.
    scales: (f64, f64),
    /// The steps of the residuals.
    steps: (f64, f64),
    relative_error: f64,
}

impl Sums {
    fn of<T: Lanes>(problem: Problem<'_, T>, factors: &Factors<T>) -> Self {
        if problem.loss == Loss::KullbackLeibler {
            return Self::divergence(problem, factors);
        }
        let plain = plain::sums((problem.data, problem.loss), factors, true);
        let mut misfit = problem.misfit();
        let Slopes { scales, steps, .. } = misfit.slopes(factors);
        Self {
            relative_error: share(plain.misfit, misfit.size()).sqrt(),
            plain,
            scales,
            steps,
        }
    }

    fn divergence<T: Lanes>(problem: Problem<'_, T>, factors: &Factors<T>) -> Self {
        let (plain, scales) = plain::counts::divergence(problem.data, factors);
        let step = |factor: &[T], scale: f64| {
            Some(norm(factor) / scale).filter(|s| s.is_finite() && *s > 0.0)
        };
        Self {
            steps: (
                step(&factors.x, scales.0).unwrap_or(1.0),
                step(&factors.a, scales.1).unwrap_or(1.0),
            ),
            relative_error: share(plain.misfit, problem.misfit().size()),
            plain,
            scales,
        }
    }

    /// ‖F − P_η(F − η·slope)‖/η of both factors.
    fn residuals<T: Lanes>(&self, problem: Problem<'_, T>, factors: &Factors<T>) -> (f64, f64) {
        let (atoms, codes) = problem.terms();
        let narrow = |slope: &[f64]| slope.iter().map(|&s| T::of(s)).collect::<Vec<T>>();
        let residual = |term: &Term<'_, T>, factor: &[T], slope: &[f64], step: f64| {
            let mut slope = narrow(slope);
            let step = term.add_graph(&mut slope, factor, (problem.rank, step));
            term.residual(factor, &slope, (problem.rank, step)).0
        };
        (
            residual(&atoms, &factors.x, &self.plain.slope_x, self.steps.0),
            residual(&codes, &factors.a, &self.plain.slope_a, self.steps.1),
        )
    }
}

/// part/whole, 0 of nothing.
fn share(part: f64, whole: f64) -> f64 {
    if whole > 0.0 { part / whole } else { 0.0 }
}

fn zeros(sizes: &[Size], all: usize) -> f64 {
    1.0 - sizes.iter().map(|s| s.nonzeros).sum::<f64>() / all as f64
}

fn balance_gain<T: Lanes>(
    problem: Problem<'_, T>,
    factors: &Factors<T>,
    balance: Balance<'_, T>,
    penalties: f64,
) -> f64 {
    let (atoms, codes) = problem.terms();
    let mut scales = Scales::new(problem.rank, problem.fixed.count());
    let is_optimal = matches!(balance, Balance::Optimal(..));
    if !(penalties.is_finite() && is_optimal && balance.find(&mut scales, factors)) {
        return 0.0;
    }
    let mut better = factors.clone();
    better.scale(&scales);
    let after = atoms.value(&better.x, problem.rank) + codes.value(&better.a, problem.rank);
    (penalties - after).max(0.0)
}
