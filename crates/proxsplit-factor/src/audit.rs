//! What is true of the factors of any program, by plain sums: nothing here is shared with a solver.

use crate::balance::{Balance, Scales, Size, sizes};
use crate::look::{self, Search};
use crate::loss::Loss;
use crate::membership::{Outside, settle};
use crate::plain;
use crate::problem::{Factors, Problem};
use crate::products::{Lanes, gram};
use proxsplit::Error;
use proxsplit::linalg::vec::norm;
use serde::Serialize;

/// What is true of given factors.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Audit {
    /// ½‖Y − XA‖² + ψ₀(X) + ψ(A) with A as given; infinite if a factor lies outside its set.
    pub objective: f64,
    /// ½‖Y − XA‖²
    pub misfit: f64,
    /// The misfit is right up to this.
    pub misfit_rounding: f64,
    /// ‖Y − XA‖/‖Y‖
    pub relative_error: f64,
    /// The objective with the best A for this X.
    pub best_objective: f64,
    /// ‖X − P_η(X − η(XA − Y)Aᵀ)‖/η with η = 1/‖AAᵀ‖.
    pub residual_x: f64,
    /// ‖A − P_η(A − ηXᵀ(XA − Y))‖/η with η = 1/‖XᵀX‖.
    pub residual_a: f64,
    /// ‖YAᵀ‖, the size that `residual_x` is compared with.
    pub scale_x: f64,
    /// ‖XᵀY‖, the size that `residual_a` is compared with.
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
    if problem.loss != Loss::Squared {
        return Err(Error::Incompatible(
            "plain sums are there for the squared loss only".into(),
        ));
    }
    let (atoms, codes) = problem.terms();
    // Misfit and slopes are those of the numbers as they are given, penalties those of what they were before a file rounded them.
    let found = plain::sums(problem.data, factors, true);
    let mut factors = factors.clone();
    let inside =
        settle(&atoms, &mut factors.x, rank).and_then(|()| settle(&codes, &mut factors.a, rank));
    let outside = inside.err();
    let narrow = |slope: &[f64]| slope.iter().map(|&s| T::of(s)).collect::<Vec<T>>();
    let (slope_x, slope_a) = (narrow(&found.slope_x), narrow(&found.slope_a));
    let square = || vec![T::ZERO; rank * rank];
    let (mut gx, mut ga) = (square(), square());
    gram(&mut gx, &factors.x, rank);
    gram(&mut ga, &factors.a, rank);
    let step = |gram: &[T]| 1.0 / look::largest_eigenvalue(gram, rank);
    let (residual_x, _) = atoms.residual(&factors.x, &slope_x, (rank, step(&ga)));
    let (residual_a, _) = codes.residual(&factors.a, &slope_a, (rank, step(&gx)));
    let penalties = match outside {
        None => atoms.value(&factors.x, rank) + codes.value(&factors.a, rank),
        Some(_) => f64::INFINITY,
    };
    let (objective, total) = (found.misfit + penalties, problem.data.square());
    let mut misfit = problem.misfit();
    let best = look::with_best_codes(problem, &mut *misfit, factors.clone());
    let escape = look::escape(problem, &factors, (&gx, &ga), Search::Thorough);
    let (x, a) = (sizes(&factors.x, rank), sizes(&factors.a, rank));
    let balance = Balance::of(&atoms, &codes);
    Ok(Audit {
        objective,
        misfit: found.misfit,
        misfit_rounding: found.rounding,
        relative_error: if total > 0.0 {
            (2.0 * found.misfit / total).sqrt()
        } else {
            0.0
        },
        // Where rounding is all that is left, the codes that were given may be the better ones.
        best_objective: best.at.objective.min(objective),
        residual_x,
        residual_a,
        scale_x: data_with(&found.slope_x, &ga, &factors.x, rank),
        scale_a: data_with(&found.slope_a, &gx, &factors.a, rank),
        sparsity_x: zeros(&x, factors.x.len()),
        sparsity_a: zeros(&a, factors.a.len()),
        dead_atoms: (0..rank)
            .filter(|&k| x[k].is_dead() || a[k].is_dead())
            .collect(),
        escape: look::gain(problem, escape.as_ref()),
        outside,
        scale_is_degenerate: balance == Balance::Degenerate,
        balance_gain: balance_gain(problem, &factors, balance, penalties),
    })
}

/// ‖G·F − slope‖, which is ‖YAᵀ‖ or ‖XᵀY‖ where no entry is missing.
fn data_with<T: Lanes>(slope: &[f64], gram: &[T], factor: &[T], rank: usize) -> f64 {
    let mut product = vec![T::ZERO; factor.len()];
    crate::products::times(&mut product, gram, factor, rank);
    let parts: Vec<f64> = product
        .iter()
        .zip(slope)
        .map(|(p, s)| p.f64() - s)
        .collect();
    norm(&parts)
}

fn zeros(sizes: &[Size], all: usize) -> f64 {
    1.0 - sizes.iter().map(|s| s.nonzeros).sum::<f64>() / all as f64
}

fn balance_gain<T: Lanes>(
    problem: Problem<'_, T>,
    factors: &Factors<T>,
    balance: Balance,
    penalties: f64,
) -> f64 {
    let (atoms, codes) = problem.terms();
    let mut scales = Scales::new(problem.rank);
    let is_optimal = matches!(balance, Balance::Optimal(..));
    if !(penalties.is_finite() && is_optimal && balance.find(&mut scales, factors)) {
        return 0.0;
    }
    let mut better = factors.clone();
    better.scale(&scales);
    let after = atoms.value(&better.x, problem.rank) + codes.value(&better.a, problem.rank);
    (penalties - after).max(0.0)
}
