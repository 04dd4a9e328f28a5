//! Dead atoms under Kullback–Leibler: what the line of Y that fits worst would gain in the place of one.
//!
//! z + s·y in the place of z along one line lowers its divergence by Σ y log(1 + s·y/z) − s·Σy, for s up to where the slope
//! Σy − Σ y²/(z + s·y) vanishes. The slope is concave in s, so that Newton steps from 0 come up to its root from below.

use super::dead::Escape;
use super::rank_one::Pairs;
use super::residual::Residual;
use crate::plain::Lines;
use crate::products::Lanes;
use proxsplit::internal::linalg::vec::dot;

/// Newton steps: each at least doubles what is far from the root.
const STEPS: usize = 40;

/// The entries y > 0 of a line with their z.
type Entries = Vec<(usize, f64, f64)>;

impl<T: Lanes> Residual<'_, T> {
    /// The best line in the place of a dead atom.
    pub(super) fn along_a_line(&self, place: usize) -> Option<Escape<T>> {
        let lines = Lines::of(self.problem.data, self.problem.loss);
        let best = (0..lines.count())
            .map(|line| (line, promise(&self.entries(&lines, line))))
            .filter(|(_, promise)| promise.is_finite() && *promise > 0.0)
            .max_by(|a, b| a.1.total_cmp(&b.1));
        let (line, _) = best?;
        let entries = self.entries(&lines, line);
        let s = best_share(&entries);
        let gain = |&(_, y, z): &(usize, f64, f64)| y * (s * y / z).ln_1p() - s * y;
        let fit: f64 = entries.iter().map(gain).sum();
        let (rows, cols) = (self.problem.data.rows(), self.problem.data.cols());
        let (mut atom, mut codes) = (vec![T::ZERO; rows], vec![T::ZERO; cols]);
        let (along, across) = if lines.by_columns() {
            (&mut atom, &mut codes)
        } else {
            (&mut codes, &mut atom)
        };
        for (index, y, _) in entries {
            along[index] = T::of(y);
        }
        across[line] = T::of(s);
        let pairs = Pairs::new(self, place)?;
        let pair = pairs.at_best_scale(&atom, &codes, fit)?;
        let gain = pairs.penalty_at() - pair.value;
        (gain > 0.0 && gain.is_finite()).then(|| Escape {
            gain,
            terms: vec![(place, pair)],
        })
    }

    fn entries(&self, lines: &Lines<'_>, line: usize) -> Entries {
        let rank = self.problem.rank;
        let (x, a) = (&self.factors.x, &self.factors.a);
        let (along, own) = if lines.by_columns() { (x, a) } else { (a, x) };
        let own = &own[line * rank..][..rank];
        let positive = lines.numbers(line).into_iter().filter(|(_, y)| *y > 0.0);
        let with_z = positive.map(|(i, y)| (i, y, dot(&along[i * rank..][..rank], own)));
        with_z.collect()
    }
}

/// Slope and curvature at s.
fn derivatives(entries: &Entries, s: f64) -> (f64, f64) {
    entries
        .iter()
        .fold((0.0, 0.0), |(slope, curvature), &(_, y, z)| {
            let ratio = y / (z + s * y);
            (slope + y - y * ratio, curvature + y * ratio * ratio)
        })
}

/// About what a line gains: half the square of its slope over its curvature, if the slope is one downhill.
fn promise(entries: &Entries) -> f64 {
    let (slope, curvature) = derivatives(entries, 0.0);
    if slope < 0.0 {
        0.5 * slope * slope / curvature
    } else {
        0.0
    }
}

fn best_share(entries: &Entries) -> f64 {
    let mut s = 0.0;
    for _ in 0..STEPS {
        let (slope, curvature) = derivatives(entries, s);
        if slope >= 0.0 {
            break;
        }
        s -= slope / curvature;
    }
    s
}
