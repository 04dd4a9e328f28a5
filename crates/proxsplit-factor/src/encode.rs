//! Codes of new samples for atoms that are fixed, and the audit of given factors.

use crate::balance::{Balance, Scales, sizes};
use crate::codes::{Side, Term};
use crate::measure;
use crate::problem::{Factors, Problem};
use crate::products::{Data, Lanes, distance_squared, dot, gram};
use proxsplit::linalg::Mat;
use proxsplit::{Error, Prox};
use serde::Serialize;

/// argmin_a ½‖y_t − Xa‖² + ψ(a) for every column of the data: A, K×T.
pub fn encode<T: Lanes>(
    data: &Data<'_, T>,
    x: &Mat<T>,
    codes: &dyn Prox<T>,
) -> Result<Mat<T>, Error> {
    let rank = x.cols();
    proxsplit::error::require("atoms", rank as f64, rank > 0, "at least 1")?;
    if x.rows() != data.rows() {
        return Err(Error::Shape {
            what: "atoms",
            expected: data.rows(),
            found: x.rows(),
        });
    }
    proxsplit::error::all_finite("X", x.data())?;
    codes.fits(rank)?;
    let mut a = vec![T::ZERO; rank * data.cols()];
    Term::new(codes, Side::Codes).project(&mut a, rank, T::ONE);
    measure::solve_codes(data, x.transposed().data(), &mut a, codes);
    Mat::new(rank, data.cols(), a)
}

/// What is true of given factors.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Audit {
    /// ½‖Y − XA‖² + ψ₀(X) + ψ(A) with A as given; infinite if a factor lies outside its set.
    pub objective: f64,
    /// ½‖Y − XA‖²
    pub misfit: f64,
    /// ‖Y − XA‖/‖Y‖
    pub relative_error: f64,
    /// φ(X): the objective with the best A for this X.
    pub best_objective: f64,
    /// ‖ρ(X)‖ of φ with step 1.
    pub residual_x: f64,
    /// ‖ρ_η(X)‖ of φ with η = 1/L.
    pub scaled_residual_x: f64,
    /// ‖A − P_1(A − XᵀXA + XᵀY)‖ for A as given.
    pub residual_a: f64,
    /// The share of zeros in X.
    pub sparsity_x: f64,
    /// The share of zeros in A.
    pub sparsity_a: f64,
    /// Atoms that are zero or that no sample uses.
    pub dead_atoms: Vec<usize>,
    /// Whether one penalty can be made as small as one likes by moving scale to the other factor.
    pub scale_is_degenerate: bool,
    /// How much the objective falls when each pair x_k, a_k gets its best scale.
    pub balance_gain: f64,
}

/// Looks at factors of any origin.
pub fn audit<T: Lanes>(problem: Problem<'_, T>, factors: &Factors<T>) -> Result<Audit, Error> {
    let (rank, n) = (problem.rank, problem.data.cols());
    problem.fits(factors)?;
    let (atoms, codes) = problem.terms();
    let mut xy = vec![T::ZERO; factors.a.len()];
    problem.data.with_columns(&mut xy, &factors.x, 0..n);
    let (mut gx, mut ga) = (vec![T::ZERO; rank * rank], vec![T::ZERO; rank * rank]);
    gram(&mut gx, &factors.x, rank);
    gram(&mut ga, &factors.a, rank);
    let (data, square) = (problem.data, problem.data.square());
    let product = data.observed_square((&factors.x, &gx), (&factors.a, &ga), &(0..n));
    let misfit = (0.5 * square - dot(&xy, &factors.a) + 0.5 * product).max(0.0);
    let penalties = atoms.value(&factors.x, rank) + codes.value(&factors.a, rank);

    data.fill_columns(&mut xy, (&factors.x, &gx), &factors.a, &(0..n));
    let mut moved = vec![T::ZERO; factors.a.len()];
    crate::incremental::times(&mut moved, &gx, &factors.a, rank);
    for ((moved, &xy), &a) in moved.iter_mut().zip(&xy).zip(&factors.a) {
        *moved = a - (*moved - xy);
    }
    codes.project(&mut moved, rank, T::ONE);
    let residual_a = distance_squared(&moved, &factors.a).sqrt();

    let balance = Balance::of(&atoms, &codes);
    let mut scales = Scales::new(rank);
    let balanced = if let Balance::Optimal(..) = balance
        && balance.find(&mut scales, factors)
    {
        let mut better = factors.clone();
        better.scale(&scales);
        atoms.value(&better.x, rank) + codes.value(&better.a, rank)
    } else {
        penalties
    };
    let found = measure::at(problem, &factors.x, factors.a.clone());
    let (x, a) = (sizes(&factors.x, rank), sizes(&factors.a, rank));
    let zeros = |sizes: &[crate::balance::Size], all: usize| {
        1.0 - sizes.iter().map(|s| s.nonzeros).sum::<f64>() / all as f64
    };
    Ok(Audit {
        objective: misfit + penalties,
        misfit,
        relative_error: if square > 0.0 {
            (2.0 * misfit / square).sqrt()
        } else {
            0.0
        },
        best_objective: found.measure.objective,
        residual_x: found.measure.residual,
        scaled_residual_x: found.measure.scaled_residual,
        residual_a,
        sparsity_x: zeros(&x, factors.x.len()),
        sparsity_a: zeros(&a, factors.a.len()),
        dead_atoms: (0..rank)
            .filter(|&k| x[k].is_dead() || a[k].is_dead())
            .collect(),
        scale_is_degenerate: balance == Balance::Degenerate,
        balance_gain: if penalties.is_finite() {
            (penalties - balanced).max(0.0)
        } else {
            0.0
        },
    })
}
