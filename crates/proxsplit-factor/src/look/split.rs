//! An atom that stands for two, split with the help of a dead one.
//!
//! Under penalties an atom that mixes two true ones can be a local minimum in which no third one gains: both of the two would have
//! to change at once. The leading pair (u, v) of R tells which samples want more of one and less of the other: the atom that
//! overlaps most with it is split by the sign of v, and both parts are improved in turn.

use super::rank_one::{NEAR, Pair, Pairs};
use super::residual::Residual;
use crate::problem::{Factors, Problem};
use crate::products::Lanes;

/// Rounds over both parts.
const ROUNDS: usize = 12;
/// A gain below this many units of rounding of what it is the difference of is none: atoms can be far larger than their sum.
const UNITS: f64 = 64.0;

/// Two rank-one terms for atom k and for a dead one.
pub(super) struct Split<T> {
    pub(super) gain: f64,
    pub(super) atom: usize,
    pub(super) parts: [Pair<T>; 2],
}

/// Splits the atom that overlaps most with R's leading pair, whose codes are `leading`; `place` is the dead one.
pub(super) fn split<T: Lanes>(
    problem: Problem<'_, T>,
    factors: &Factors<T>,
    leading: &[T],
    place: usize,
) -> Option<Split<T>> {
    let k = mixed(problem, factors, leading)?;
    let (atom, codes) = (factors.atom(k), factors.codes(k));
    let part = |is_positive: bool| {
        let kept = codes.iter().zip(leading).map(|(&code, &v)| {
            if (v > T::ZERO) == is_positive {
                code
            } else {
                T::ZERO
            }
        });
        Pair {
            value: 0.0,
            atom: atom.clone(),
            codes: kept.collect(),
        }
    };
    let mut without = factors.clone();
    without.set(k, None);
    let before = {
        let dead = Residual { problem, factors };
        let alone = Residual {
            problem,
            factors: &without,
        };
        Pairs::new(&alone, k)?.value_of(&atom, &codes) + Pairs::new(&dead, place)?.penalty_at()
    };
    without.set(place, None);
    let places = [k, place];
    let mut parts = [part(true), part(false)];
    for _ in 0..ROUNDS {
        for own in 0..2 {
            let mut others = without.clone();
            let other = &parts[1 - own];
            others.set(places[1 - own], Some((&other.atom, &other.codes)));
            let residual = Residual {
                problem,
                factors: &others,
            };
            Pairs::new(&residual, places[own])?.improve(&mut parts[own], &NEAR)?;
        }
    }
    let residual = Residual {
        problem,
        factors: &without,
    };
    let first = Pairs::new(&residual, k)?.value_of(&parts[0].atom, &parts[0].codes);
    // The second part was improved last, with the first in place.
    let second = parts[1].value;
    let gain = before - first - second;
    let rounding = UNITS * T::EPSILON.f64() * (before.abs() + first.abs() + second.abs());
    (gain > rounding && gain.is_finite()).then_some(Split {
        gain,
        atom: k,
        parts,
    })
}

/// argmax_k (|x_k|ᵀ|u|)(|a_k|ᵀ|v|)/(‖x_k‖‖a_k‖)
fn mixed<T: Lanes>(problem: Problem<'_, T>, factors: &Factors<T>, leading: &[T]) -> Option<usize> {
    let mut u = vec![T::ZERO; problem.data.rows()];
    Residual { problem, factors }.with_rows(&mut u, leading);
    let overlap = |factor: &[T], with: &[T]| {
        let products = factor.iter().zip(with);
        let sum: f64 = products.map(|(f, w)| (f.f64() * w.f64()).abs()).sum();
        sum / proxsplit::internal::linalg::vec::norm(factor)
    };
    let overlaps = (problem.fixed.count()..problem.rank).map(|k| {
        let both = overlap(&factors.atom(k), &u) * overlap(&factors.codes(k), leading);
        (k, both)
    });
    let alive = overlaps.filter(|(_, overlap)| *overlap > 0.0);
    alive.max_by(|a, b| a.1.total_cmp(&b.1)).map(|(k, _)| k)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plain;
    use crate::products::Data;
    use proxsplit::Error;
    use proxsplit::Mat;
    use proxsplit::data::{Dense, Elements, StorageOrder};
    use proxsplit::prox::NonNegL1;

    /// Two atoms that overlap, and one factor that is their mean: the gain is what the objective falls by.
    #[test]
    fn tells_what_splitting_gains() -> Result<(), Error> {
        let (m, n) = (10, 12);
        let x = |i: usize| [f64::from(u8::from(i < 6)), f64::from(u8::from(i > 3)) * 1.5];
        let a = |t: usize| [f64::from(u8::from(t < 8)), f64::from(u8::from(t > 4))];
        let y: Vec<f64> = (0..m * n)
            .map(|at| {
                let (x, a) = (x(at % m), a(at / m));
                x[0] * a[0] + x[1] * a[1]
            })
            .collect();
        let dense = Dense::new(m, n, StorageOrder::ColumnMajor, Elements::F64(&y))?;
        let data = Data::new(dense.into(), 1.0)?;
        let l1 = NonNegL1::new(0.05)?;
        let problem = Problem::new(&data, 2, &l1, &l1)?;
        let mean = |pair: [f64; 2]| [0.5 * (pair[0] + pair[1]), 0.0];
        let atoms = Mat::from_fn(m, 2, |i, k| mean(x(i))[k]);
        let mut factors = Factors::new(&atoms, Mat::from_fn(2, n, |k, t| mean(a(t))[k]))?;
        let objective = |factors: &Factors<f64>| {
            let (of_x, of_a) = problem.terms();
            let misfit = plain::sums((&data, problem.loss), factors, false).misfit;
            misfit + of_x.value(&factors.x, 2) + of_a.value(&factors.a, 2)
        };
        let residual = Residual {
            problem,
            factors: &factors,
        };
        let (leading, _) = residual.leading_codes();
        let before = objective(&factors);
        let split = split(problem, &factors, &leading, 1).expect("the mean is worse than the two");
        for (place, pair) in [split.atom, 1].into_iter().zip(&split.parts) {
            factors.set(place, Some((&pair.atom, &pair.codes)));
        }
        let gained = before - objective(&factors);
        assert!((split.gain - gained).abs() <= 1e-9 * before, "{gained}");
        assert!(gained > 0.9 * before * 0.5, "{gained} of {before}");
        Ok(())
    }

    /// Two atoms that cancel but for rounding, and nothing to fit: no part of them gains.
    #[test]
    fn gains_nothing_from_rounding() -> Result<(), Error> {
        let (m, n) = (6, 9);
        let y = vec![0.0; m * n];
        let dense = Dense::new(m, n, StorageOrder::ColumnMajor, Elements::F64(&y))?;
        let data = Data::new(dense.into(), 1.0)?;
        let (simplex, free) = (proxsplit::set::Simplex::new(1.0)?, proxsplit::prox::Zero);
        let problem = Problem::new(&data, 3, &simplex, &free)?;
        let atoms = Mat::from_fn(m, 3, |i, _| f64::from(u8::from(i == 2)));
        let codes = Mat::from_fn(3, n, |k, t| {
            let code = 1.0 / (1.0 + t as f64);
            [code, -code * (1.0 + f64::EPSILON), 0.0][k]
        });
        let factors = Factors::new(&atoms, codes)?;
        let residual = Residual {
            problem,
            factors: &factors,
        };
        let (leading, _) = residual.leading_codes();
        assert!(split(problem, &factors, &leading, 2).is_none());
        Ok(())
    }
}
