//! How far codes are from the exact ones.
//!
//! ‖a − a*‖ ≤ (1/L + 2/μ)·‖r‖, r the proximal residual of a code with step 1/L and μ the least eigenvalue of its G:
//! r + ∇(a⁺) − ∇(a) is a subgradient at a⁺ and no longer than 2‖r‖. L may be any bound on the largest eigenvalue.

use crate::codes::{Quadratic, gradient, largest_eigenvalue_bound};
use crate::products::{Lanes, Own};
use proxsplit::linalg::dense::{Mat, symmetric_eigenvalues};
use proxsplit::linalg::vec::distance_squared;
use proxsplit::{Class, Level, Prox, scratch};
use rayon::prelude::*;

/// Columns of which one task finds a part of the sum.
const PART: usize = 256;
/// How often a smaller μ is tried for a column with gaps.
const TRIES: usize = 5;

/// The μ of a column where none is proved, as a fraction of that of all entries: a rule of thumb.
const GUESS: f64 = 1e-3;

/// L and μ of the Gram matrix of all entries.
#[derive(Clone, Copy)]
struct Spectrum {
    bound: f64,
    least: f64,
    /// Below this an eigenvalue may be rounding.
    rounding: f64,
}

/// ‖A − A*‖: a bound, an estimate where a column with gaps has a singular Gram matrix, nothing if that of all entries is
/// singular or ψ is not convex.
pub(crate) fn to_exact<T: Lanes>(
    problem: Quadratic<'_, T>,
    codes: &[T],
    psi: &dyn Prox<T>,
) -> Level {
    let rank = problem.rank;
    if psi.class() != Class::Convex {
        return Level::Unknown;
    }
    let mat = Mat::from_fn(rank, rank, |i, j| problem.gram[i * rank + j].f64());
    let Some(eigenvalues) = symmetric_eigenvalues(&mat) else {
        return Level::Unknown;
    };
    let bound = largest_eigenvalue_bound(problem.gram, rank);
    let spectrum = Spectrum {
        bound,
        least: eigenvalues.into_iter().fold(f64::INFINITY, f64::min),
        rounding: 1e3 * T::EPSILON.f64() * bound,
    };
    if spectrum.least <= spectrum.rounding {
        return Level::Unknown;
    }
    match problem.own {
        None => Level::Bounded(with_one_gram(problem, codes, psi, spectrum)),
        Some(own) => with_own_grams((problem, own), codes, psi, spectrum),
    }
}

/// The residual of a column, by moving `slope` = Ga − c.
fn moved<T: Lanes>(slope: &mut [T], a: &[T], psi: &dyn Prox<T>, step: T) -> f64 {
    for (slope, &a) in slope.iter_mut().zip(a) {
        *slope = a - step * *slope;
    }
    psi.prox(slope, step);
    distance_squared(slope, a)
}

fn with_one_gram<T: Lanes>(
    problem: Quadratic<'_, T>,
    codes: &[T],
    psi: &dyn Prox<T>,
    Spectrum { bound, least, .. }: Spectrum,
) -> f64 {
    let (rank, step) = (problem.rank, T::of(1.0 / bound));
    let parts: Vec<f64> = codes
        .par_chunks(rank * PART)
        .zip(problem.linear.par_chunks(rank * PART))
        .map(|(codes, linear)| {
            let mut slope = vec![T::ZERO; rank];
            let mut sum = 0.0;
            for (a, c) in codes.chunks(rank).zip(linear.chunks(rank)) {
                gradient(problem.gram, a, c, &mut slope);
                sum += moved(&mut slope, a, psi, step);
            }
            sum
        })
        .collect();
    let residual = bound * parts.iter().sum::<f64>().sqrt();
    residual * (1.0 / bound + 2.0 / least)
}

/// The same with an L and a μ of its own for every column.
fn with_own_grams<T: Lanes>(
    (problem, own): (Quadratic<'_, T>, Own<'_, T>),
    codes: &[T],
    psi: &dyn Prox<T>,
    spectrum: Spectrum,
) -> Level {
    let rank = problem.rank;
    let columns: Vec<(f64, bool)> = codes
        .par_chunks(rank)
        .zip(problem.linear.par_chunks(rank))
        .enumerate()
        .with_min_len(8)
        .map(|(column, (a, c))| {
            scratch::with(rank * rank + rank, |space: &mut [T]| {
                let (gram, slope) = space.split_at_mut(rank * rank);
                own.gram(gram, problem.gram, column);
                gradient(gram, a, c, slope);
                let bound = match largest_eigenvalue_bound(gram, rank) {
                    0.0 => spectrum.bound,
                    bound => bound,
                };
                let square = moved(slope, a, psi, T::of(1.0 / bound));
                if square == 0.0 {
                    // A minimizer, though perhaps not the only one.
                    return (0.0, true);
                }
                let (least, is_proved) = least_eigenvalue(gram, spectrum);
                let factor = 1.0 + 2.0 * bound / least;
                (square * factor * factor, is_proved)
            })
        })
        .collect();
    let distance = columns.iter().map(|(square, _)| square).sum::<f64>().sqrt();
    if columns.iter().all(|(_, is_proved)| *is_proved) {
        Level::Bounded(distance)
    } else {
        Level::Estimated(distance)
    }
}

/// A number below the least eigenvalue of G_t, which is no larger than that of G or than any G_kk, and whether that is proved.
fn least_eigenvalue<T: Lanes>(gram: &[T], spectrum: Spectrum) -> (f64, bool) {
    let diagonal = gram.iter().step_by(gram.len().isqrt() + 1);
    let mut least = 0.5 * diagonal.fold(spectrum.least, |least, g| least.min(g.f64()));
    for _ in 0..TRIES {
        if least <= spectrum.rounding {
            break;
        }
        if is_above(gram, least) {
            return (least, true);
        }
        least *= 0.25;
    }
    (GUESS * spectrum.least, false)
}

/// Whether G − μ is positive definite: whether it has a Cholesky factor.
fn is_above<T: Lanes>(gram: &[T], least: f64) -> bool {
    let rank = gram.len().isqrt();
    scratch::with(rank * rank, |factor: &mut [f64]| {
        for i in 0..rank {
            for j in 0..=i {
                let mut sum = gram[i * rank + j].f64();
                for p in 0..j {
                    sum -= factor[i * rank + p] * factor[j * rank + p];
                }
                if i != j {
                    factor[i * rank + j] = sum / factor[j * rank + j];
                } else if sum > least {
                    factor[i * rank + i] = (sum - least).sqrt();
                } else {
                    return false;
                }
            }
        }
        true
    })
}

#[cfg(test)]
mod tests {
    use super::{least_eigenvalue, to_exact};
    use crate::codes::{Effort, Quadratic, Side, Term};
    use crate::products::{Data, gram};
    use crate::{Missing, distance::Spectrum};
    use proxsplit::data::{Dense, Elements, Order};
    use proxsplit::prox::NonNegL1;
    use proxsplit::{Level, linalg::vec::distance};

    #[test]
    fn the_bound_holds_with_gaps() {
        let (m, n, rank) = (30, 8, 3);
        let y: Vec<f64> = (0..m * n)
            .map(|at| {
                if at % 5 == at / m % 5 {
                    f64::NAN
                } else {
                    (at * at % 17) as f64
                }
            })
            .collect();
        let x: Vec<f64> = (0..m * rank)
            .map(|at| (at * 7 % 11) as f64 / 5.0 - 0.6)
            .collect();
        let dense = Dense::new(m, n, Order::ColumnMajor, Elements::F64(&y)).unwrap();
        let data = Data::<f64>::with_missing(dense.into(), 1.0, Missing::Nan).unwrap();
        let (mut gx, mut xy) = (vec![0.0; rank * rank], vec![0.0; rank * n]);
        gram(&mut gx, &x, rank);
        data.with_columns(&mut xy, &x, 0..n);
        let problem = Quadratic {
            gram: &gx,
            linear: &xy,
            rank,
            own: data.own_of_columns(&x, &(0..n)),
        };
        let psi = NonNegL1::new(0.5).unwrap();
        let after = |sweeps| {
            let mut codes = vec![1.0; rank * n];
            let effort = Effort {
                sweeps,
                tolerance: 0.0,
            };
            Term::new(&psi, Side::Codes).solve(problem, &mut codes, effort);
            codes
        };
        let exact = after(10_000);
        for sweeps in [0, 1, 4] {
            let codes = after(sweeps);
            let Level::Bounded(bound) = to_exact(problem, &codes, &psi) else {
                panic!("every column has full rank");
            };
            let true_distance = distance(&codes, &exact);
            assert!(true_distance <= bound && bound < 1e3 * true_distance.max(1e-9));
        }
    }

    #[test]
    fn a_singular_matrix_is_not_proved_to_be_regular() {
        let spectrum = Spectrum {
            bound: 4.0,
            least: 1.0,
            rounding: 1e-12,
        };
        assert_eq!(
            least_eigenvalue(&[2.0, 0.0, 0.0, 0.2], spectrum),
            (0.1, true)
        );
        for singular in [[1.0, 1.0, 1.0, 1.0], [1.0, 0.0, 0.0, 0.0]] {
            assert_eq!(least_eigenvalue(&singular, spectrum), (1e-3, false));
        }
    }
}
