//! Kullback–Leibler by plain sums in `f64`: nothing here is shared with the sweeps.
//!
//! Every observed entry is formed, and no sum of them cancels. For sparse data, where that would take too long, only entries y > 0
//! need z: what is observed besides adds Σz, which the sums of the factors tell, with a bound on their rounding.

use super::{Lines, Plain, is_too_much, vec};
use crate::loss::Loss;
use crate::problem::Factors;
use crate::products::{Data, Lanes};
use proxsplit::data::Matrix;
use std::ops::Range;

/// Sums that are right up to this part of themselves need no second look.
const FINE: f64 = 1e-9;

/// The divergence and its slopes, and the sizes of Σ(y/z)·a and Σ(y/z)·x, which cancel in them at a solution.
pub(crate) fn divergence<T: Lanes>(
    data: &Data<'_, T>,
    factors: &Factors<T>,
) -> (Plain, (f64, f64)) {
    let rank = factors.rank;
    let lines = Lines::of(data, Loss::KullbackLeibler);
    let wide = |factor: &[T]| factor.iter().map(|v| v.f64()).collect::<Vec<_>>();
    let (x, a) = (wide(&factors.x), wide(&factors.a));
    let (along, own) = if lines.by_columns { (&x, &a) } else { (&a, &x) };
    let is_sparse = matches!(data.matrix(), Matrix::Sparse(_));
    if is_sparse && !lines.only_stored && lines.held_out.is_none() {
        let mut sums = Sums::new(along, own, rank);
        sums.expand(&lines);
        let found = sums.plain(lines.by_columns);
        if found.0.rounding <= FINE * found.0.misfit || is_too_much(data, rank) {
            return found;
        }
    }
    let mut sums = Sums::new(along, own, rank);
    sums.form(&lines);
    sums.plain(lines.by_columns)
}

/// Sums over the entries so far: along the lines, and of the lines themselves.
struct Sums<'a> {
    rank: usize,
    along: &'a [f64],
    own: &'a [f64],
    value: f64,
    /// Of what is added up in the value.
    size: f64,
    linear: [Vec<f64>; 2],
    pulls: [Vec<f64>; 2],
}

impl<'a> Sums<'a> {
    fn new(along: &'a [f64], own: &'a [f64], rank: usize) -> Self {
        let zeros = || [vec![0.0; along.len()], vec![0.0; own.len()]];
        Self {
            rank,
            along,
            own,
            value: 0.0,
            size: 0.0,
            linear: zeros(),
            pulls: zeros(),
        }
    }

    fn part(&self, at: usize) -> Range<usize> {
        at * self.rank..(at + 1) * self.rank
    }

    fn product(&self, line: usize, at: usize) -> f64 {
        vec::dot(&self.own[self.part(line)], &self.along[self.part(at)])
    }

    /// All observed entries.
    fn form(&mut self, lines: &Lines<'_>) {
        let mut entries = vec![0.0; lines.width];
        for line in 0..lines.count {
            lines.read(line, &mut entries);
            for (at, &y) in entries.iter().enumerate().filter(|(_, y)| !y.is_nan()) {
                let z = self.product(line, at);
                let entry = if y > 0.0 { of_entry(y, z) } else { z };
                self.value += entry;
                self.size += entry;
                self.count(line, at, 1.0);
                self.pull(line, at, y / z);
            }
        }
    }

    /// The entries y > 0, and the others by the sums of the factors; stored ones that are missing are taken off.
    fn expand(&mut self, lines: &Lines<'_>) {
        let all = |factor: &[f64]| {
            let mut sums = vec![0.0; self.rank];
            let add = |f: &[f64]| vec::axpy(1.0, f, &mut sums);
            factor.chunks_exact(self.rank).for_each(add);
            sums
        };
        self.linear = [
            all(self.own).repeat(self.along.len() / self.rank),
            all(self.along).repeat(self.own.len() / self.rank),
        ];
        for line in 0..lines.count {
            self.size += vec::dot(&self.linear[1][self.part(line)], &self.own[self.part(line)]);
            for (at, y) in lines.numbers(line) {
                if y.is_nan() {
                    self.count(line, at, -1.0);
                } else if y > 0.0 {
                    let z = self.product(line, at);
                    let entry = y * (y / z).ln() - y;
                    self.value += entry;
                    self.size += entry.abs() + y;
                    self.pull(line, at, y / z);
                }
            }
            self.value += vec::dot(&self.linear[1][self.part(line)], &self.own[self.part(line)]);
        }
    }

    /// An entry counts with this weight in Σz.
    fn count(&mut self, line: usize, at: usize, weight: f64) {
        let (line, at) = (self.part(line), self.part(at));
        vec::axpy(
            weight,
            &self.own[line.clone()],
            &mut self.linear[0][at.clone()],
        );
        vec::axpy(weight, &self.along[at], &mut self.linear[1][line]);
    }

    /// An entry y > 0 pulls by y/z.
    fn pull(&mut self, line: usize, at: usize, ratio: f64) {
        if ratio > 0.0 {
            let (line, at) = (self.part(line), self.part(at));
            vec::axpy(
                ratio,
                &self.own[line.clone()],
                &mut self.pulls[0][at.clone()],
            );
            vec::axpy(ratio, &self.along[at], &mut self.pulls[1][line]);
        }
    }

    fn plain(self, by_columns: bool) -> (Plain, (f64, f64)) {
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
            rounding: f64::EPSILON * (self.rank as f64 + 64.0) * self.size,
            slope_x: x.0,
            slope_a: a.0,
        };
        (plain, (x.1, a.1))
    }
}

/// y log(y/z) − y + z for y > 0, without cancellation where z is near y.
fn of_entry(y: f64, z: f64) -> f64 {
    let off = (z - y) / y;
    let log = if off.abs() < 0.5 {
        -off.ln_1p()
    } else {
        (y / z).ln()
    };
    y * (off + log)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Missing;
    use proxsplit::Error;
    use proxsplit::Mat;
    use proxsplit::data::{Dense, Elements, StorageOrder};

    /// A feature that is missing everywhere may be as large as it likes.
    #[test]
    fn what_is_missing_takes_no_digits_off_the_rest() -> Result<(), Error> {
        let z = |i: usize, t: usize| (1.0 + i as f64) * (2.0 + t as f64);
        let y: Vec<f64> = (0..12)
            .map(|at| match (at % 3, at / 3) {
                (0, _) => f64::NAN,
                (i, t) => z(i, t) * (1.0 + 1e-4),
            })
            .collect();
        let dense = Dense::new(3, 4, StorageOrder::ColumnMajor, Elements::F64(&y))?;
        let data = Data::<f64>::with_missing(dense.into(), 1.0, Missing::Nan)?;
        let x = Mat::from_fn(3, 1, |i, _| if i == 0 { 1e17 } else { 1.0 + i as f64 });
        let factors = Factors::new(&x, Mat::from_fn(1, 4, |_, t| 2.0 + t as f64))?;
        // y log(y/z) − y + z is ½(y − z)²/z for y near z.
        let sum: f64 = (1..3).flat_map(|i| (0..4).map(move |t| z(i, t))).sum();
        let (found, _) = divergence(&data, &factors);
        let expected = 0.5e-8 * sum;
        assert!((found.misfit / expected - 1.0).abs() < 1e-3);
        let slopes = crate::misfit::of(&data, 1, Loss::KullbackLeibler).slopes(&factors);
        assert!((slopes.misfit / found.misfit - 1.0).abs() < 1e-6);
        let off = slopes.a.iter().zip(&found.slope_a);
        assert!(off.clone().all(|(a, b)| (a - b).abs() < 1e-10), "{off:?}");
        Ok(())
    }
}
