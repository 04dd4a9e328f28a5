//! Kullback–Leibler by plain sums in `f64`: nothing here is shared with the sweeps.
//!
//! Only entries y > 0 need z; what is observed besides adds Σz, which the sums of the factors tell.

use super::{Lines, Plain, vec};
use crate::problem::Factors;
use crate::products::{Data, Lanes};

/// The divergence and its slopes, and the sizes of Σ(y/z)·a and Σ(y/z)·x, which cancel in them at a solution.
pub(crate) fn divergence<T: Lanes>(
    data: &Data<'_, T>,
    factors: &Factors<T>,
) -> (Plain, (f64, f64)) {
    let rank = factors.rank;
    let lines = Lines::of(data);
    let wide = |factor: &[T]| factor.iter().map(|v| v.f64()).collect::<Vec<_>>();
    let (x, a) = (wide(&factors.x), wide(&factors.a));
    let (along, own) = if lines.by_columns { (&x, &a) } else { (&a, &x) };
    let all = |factor: &[f64]| {
        let mut sums = vec![0.0; rank];
        let add = |f: &[f64]| vec::axpy(1.0, f, &mut sums);
        factor.chunks_exact(rank).for_each(add);
        sums
    };
    // Without missing entries every line meets all of the other factor.
    let (of_along, of_own) = if lines.only_stored {
        (vec![0.0; rank], vec![0.0; rank])
    } else {
        (all(along), all(own))
    };
    let mut sums = Sums {
        value: 0.0,
        size: 0.0,
        linear: [
            of_own.repeat(along.len() / rank),
            of_along.repeat(own.len() / rank),
        ],
        pulls: [vec![0.0; along.len()], vec![0.0; own.len()]],
    };
    for line in 0..lines.count {
        let own = &own[line * rank..][..rank];
        let part = line * rank..(line + 1) * rank;
        for (index, y) in lines.numbers(line) {
            sums.add(
                (y, lines.only_stored),
                (&along[index * rank..][..rank], index),
                (own, &part),
            );
        }
        let observed = vec::dot(&sums.linear[1][part], own);
        sums.value += observed;
        sums.size += observed;
    }
    sums.plain(lines.by_columns, rank)
}

/// Sums over the entries so far: along the lines, and of the lines themselves.
struct Sums {
    value: f64,
    size: f64,
    linear: [Vec<f64>; 2],
    pulls: [Vec<f64>; 2],
}

impl Sums {
    /// One stored entry: y > 0 pulls, what is missing does not count, and where only stored entries do, each adds its z.
    fn add(
        &mut self,
        (y, only_stored): (f64, bool),
        (along, index): (&[f64], usize),
        (own, part): (&[f64], &std::ops::Range<usize>),
    ) {
        let places = index * own.len()..(index + 1) * own.len();
        let weight = match (y.is_nan(), only_stored) {
            (true, false) => -1.0,
            (false, true) => 1.0,
            _ => 0.0,
        };
        vec::axpy(weight, own, &mut self.linear[0][places.clone()]);
        vec::axpy(weight, along, &mut self.linear[1][part.clone()]);
        if y > 0.0 {
            let z = vec::dot(own, along);
            let entry = y * (y / z).ln() - y;
            self.value += entry;
            self.size += entry.abs() + y;
            vec::axpy(y / z, own, &mut self.pulls[0][places]);
            vec::axpy(y / z, along, &mut self.pulls[1][part.clone()]);
        }
    }

    fn plain(self, by_columns: bool, rank: usize) -> (Plain, (f64, f64)) {
        let slope = |linear: &[f64], pulls: &[f64]| -> Vec<f64> {
            linear.iter().zip(pulls).map(|(l, p)| l - p).collect()
        };
        let [along, own] = [0, 1].map(|side| {
            let (linear, pulls) = (&self.linear[side], &self.pulls[side]);
            (slope(linear, pulls), vec::norm(pulls))
        });
        let (x, a) = if by_columns {
            (along, own)
        } else {
            (own, along)
        };
        let plain = Plain {
            misfit: self.value.max(0.0),
            rounding: f64::EPSILON * (rank as f64 + 64.0) * self.size,
            slope_x: x.0,
            slope_a: a.0,
        };
        (plain, (x.1, a.1))
    }
}
