//! The start of a run: random factors of the right size, or the positive parts of the leading singular pairs.
//!
//! Borrowed: C. Boutsidis, E. Gallopoulos, SVD based initialization: a head start for nonnegative matrix factorization, 2008;
//! the pairs by N. Halko, P. Martinsson, J. Tropp, Finding structure with randomness, 2011.

use crate::codes::{Side, Term};
use crate::problem::{Factors, Problem};
use crate::products::{Lanes, dot, gram};
use crate::settings::Init;
use crate::work::scale_rows;
use proxsplit::linalg::dense::{View, eigenvalues};
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64;

/// Extra directions and power iterations of the randomized SVD.
const EXTRA: usize = 8;
const POWERS: usize = 2;

/// The start that was asked for, inside the sets of both factors.
pub(crate) fn start<T: Lanes>(problem: Problem<'_, T>, init: Init, seed: u64) -> Factors<T> {
    let mut random = Pcg64::seed_from_u64(seed);
    let mut factors = match init.settled(problem) {
        Init::Random | Init::Auto => uniform(problem, &mut random),
        Init::Nndsvd | Init::Nndsvda | Init::Nndsvdar => {
            let mut factors = positive_parts(problem, &mut random);
            fill(&mut factors, problem, init, &mut random);
            factors
        }
    };
    let rank = problem.rank;
    Term::new(problem.atoms, Side::Atoms).project(&mut factors.x, rank, T::EPSILON);
    Term::new(problem.codes, Side::Codes).project(&mut factors.a, rank, T::EPSILON);
    rescale(&mut factors, problem);
    factors
}

impl Init {
    /// What `Auto` stands for. On sparse data a few atoms are few clusters among very many: random starts need long to find
    /// them and often end at worse ones, while singular vectors cost no more than a few passes.
    pub(crate) fn settled<T: Lanes>(self, problem: Problem<'_, T>) -> Self {
        let is_nonnegative =
            |term: &dyn proxsplit::Prox<T>| term.elementary().is_some_and(|e| e.lower >= 0.0);
        match self {
            Init::Auto
                if problem.data.is_sparse()
                    && is_nonnegative(problem.atoms)
                    && is_nonnegative(problem.codes) =>
            {
                Init::Nndsvd
            }
            Init::Auto => Init::Random,
            init => init,
        }
    }
}

fn uniform<T: Lanes>(problem: Problem<'_, T>, random: &mut Pcg64) -> Factors<T> {
    let mut draw = |count: usize| -> Vec<T> {
        (0..count)
            .map(|_| T::of(random.random_range(0.0..1.0)))
            .collect()
    };
    Factors {
        rank: problem.rank,
        x: draw(problem.rank * problem.data.rows()),
        a: draw(problem.rank * problem.data.cols()),
    }
}

/// Multiplies both factors so that ‖Y − XA‖ is least: α = ⟨XᵀY, A⟩ / ⟨XᵀX, AAᵀ⟩. Sets may hold X back; codes are solved anyway.
fn rescale<T: Lanes>(factors: &mut Factors<T>, problem: Problem<'_, T>) {
    let rank = problem.rank;
    let mut xy = vec![T::ZERO; factors.a.len()];
    problem
        .data
        .with_columns(&mut xy, &factors.x, 0..problem.data.cols());
    let (mut gx, mut ga) = (vec![T::ZERO; rank * rank], vec![T::ZERO; rank * rank]);
    gram(&mut gx, &factors.x, rank);
    gram(&mut ga, &factors.a, rank);
    let alpha = dot(&xy, &factors.a) / dot(&gx, &ga);
    if alpha.is_finite() && alpha > 0.0 {
        let elementary =
            |e: Option<proxsplit::Elementary>| e.is_some_and(|e| e.upper == f64::INFINITY);
        let root = vec![T::of(alpha.sqrt()); rank];
        if elementary(problem.atoms.elementary()) {
            scale_rows(&mut factors.x, &root);
        }
        if elementary(problem.codes.elementary()) {
            scale_rows(&mut factors.a, &root);
        }
    }
}

/// Leading left directions of Y as rows (l × m), orthonormal, and Q·Y (l × T).
fn range_of<T: Lanes>(problem: Problem<'_, T>, random: &mut Pcg64) -> (usize, Vec<T>, Vec<T>) {
    let (m, n) = (problem.data.rows(), problem.data.cols());
    let l = (problem.rank + EXTRA).min(m).min(n);
    let mut q = vec![T::ZERO; l * m];
    let mut b: Vec<T> = (0..l * n)
        .map(|_| T::of(random.random_range(-1.0..1.0)))
        .collect();
    for _ in 0..=POWERS {
        problem.data.with_rows(&mut q, &b, 0..n);
        orthonormalize(&mut q, l);
        problem.data.with_columns(&mut b, &q, 0..n);
    }
    (l, q, b)
}

/// Makes the rows of an l × n matrix orthonormal through the eigenvectors of its Gram matrix, twice for accuracy; rows
/// without a direction of their own become zero.
fn orthonormalize<T: Lanes>(rows: &mut [T], l: usize) {
    for _ in 0..2 {
        let mut g = vec![T::ZERO; l * l];
        gram(&mut g, rows, l);
        let Some((values, vectors)) = eigen(&g, l) else {
            return;
        };
        let largest = values.last().copied().unwrap_or(T::ZERO);
        let floor = largest * T::of(l as f64) * T::EPSILON;
        // Rows k of V diag(1/√λ) Vᵀ would keep the order; Vᵀ alone is enough here.
        let mut map = vec![T::ZERO; l * l];
        for k in 0..l {
            let size = if values[k] > floor {
                T::ONE / values[k].sqrt()
            } else {
                T::ZERO
            };
            for j in 0..l {
                map[j * l + k] = size * vectors[k * l + j];
            }
        }
        apply(&map, rows, l);
    }
}

/// Eigenvalues in increasing order, and eigenvectors as columns.
fn eigen<T: Lanes>(g: &[T], l: usize) -> Option<(Vec<T>, Vec<T>)> {
    let (mut values, mut vectors) = (vec![T::ZERO; l], vec![T::ZERO; l * l]);
    eigenvalues(View::new(g, l, l), &mut values, Some(&mut vectors)).then_some((values, vectors))
}

/// rows ← map·rows
fn apply<T: Lanes>(map: &[T], rows: &mut [T], l: usize) {
    let copy = rows.to_vec();
    crate::incremental::times(rows, map, &copy, l);
}

/// √σ times the larger of the two positive parts of every leading singular pair.
fn positive_parts<T: Lanes>(problem: Problem<'_, T>, random: &mut Pcg64) -> Factors<T> {
    let rank = problem.rank;
    let (l, mut q, mut b) = range_of(problem, random);
    let mut g = vec![T::ZERO; l * l];
    gram(&mut g, &b, l);
    let mut values = vec![T::ZERO; l];
    if let Some((found, vectors)) = eigen(&g, l) {
        values = found;
        let mut map = vec![T::ZERO; l * l];
        for k in 0..l {
            for j in 0..l {
                map[j * l + k] = vectors[k * l + j];
            }
        }
        apply(&map, &mut q, l);
        apply(&map, &mut b, l);
    }
    let mut factors = Factors {
        rank,
        x: vec![T::ZERO; rank * problem.data.rows()],
        a: vec![T::ZERO; rank * problem.data.cols()],
    };
    for k in 0..rank.min(l) {
        let row = l - 1 - k;
        let sigma = values[row].max(T::ZERO).sqrt();
        let u: Vec<f64> = q.iter().skip(row).step_by(l).map(|v| v.f64()).collect();
        let v: Vec<f64> = b.iter().skip(row).step_by(l).map(|v| v.f64()).collect();
        let (sign, weight) = larger_part(&u, &v, sigma.f64());
        for (x, u) in factors.x.iter_mut().skip(k).step_by(rank).zip(&u) {
            *x = T::of((sign * u).max(0.0) * weight.0);
        }
        for (a, v) in factors.a.iter_mut().skip(k).step_by(rank).zip(&v) {
            *a = T::of((sign * v).max(0.0) * weight.1);
        }
    }
    factors
}

/// The sign of the pair whose positive parts are larger, and their weights. `v` carries the singular value.
fn larger_part(u: &[f64], v: &[f64], sigma: f64) -> (f64, (f64, f64)) {
    let norm = |values: &[f64], sign: f64| {
        let squares = values.iter().map(|v| (sign * v).max(0.0).powi(2));
        squares.sum::<f64>().sqrt()
    };
    let sizes = [1.0, -1.0].map(|sign| (sign, norm(u, sign), norm(v, sign)));
    let best = if sizes[0].1 * sizes[0].2 >= sizes[1].1 * sizes[1].2 {
        sizes[0]
    } else {
        sizes[1]
    };
    let (sign, u, v) = best;
    if u * v * sigma <= 0.0 {
        return (1.0, (0.0, 0.0));
    }
    let root = (u * v).sqrt();
    (sign, (root / u, root / v))
}

/// What stands where the positive parts left zeros.
fn fill<T: Lanes>(
    factors: &mut Factors<T>,
    problem: Problem<'_, T>,
    init: Init,
    random: &mut Pcg64,
) {
    let count = (problem.data.rows() * problem.data.cols()) as f64;
    let mean = (problem.data.square() / count).sqrt();
    for value in factors.x.iter_mut().chain(&mut factors.a) {
        if *value <= T::ZERO {
            *value = match init {
                Init::Nndsvda => T::of(mean),
                Init::Nndsvdar => T::of(mean * random.random_range(0.0..0.01)),
                Init::Auto | Init::Nndsvd | Init::Random => T::ZERO,
            };
        }
    }
}
