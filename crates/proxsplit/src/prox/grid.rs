//! Pictures as vectors, and what the iterative proxes of 2-D total variation share.

use crate::error::{Error, positive, require};
use crate::linalg::vec::norm;
use crate::{Real, scratch};

/// A picture of rows × cols pixels, column by column.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Grid {
    pub(crate) rows: usize,
    pub(crate) cols: usize,
}

impl Grid {
    pub(crate) fn new(rows: usize, cols: usize) -> Result<Self, Error> {
        require("rows", rows as f64, rows >= 1, "at least 1")?;
        require("cols", cols as f64, cols >= 1, "at least 1")?;
        let fits = rows.checked_mul(cols).is_some();
        require(
            "rows × cols",
            rows as f64 * cols as f64,
            fits,
            "a number of pixels that memory can hold",
        )?;
        Ok(Self { rows, cols })
    }

    pub(crate) fn len(self) -> usize {
        self.rows * self.cols
    }

    pub(crate) fn fits(self, found: usize) -> Result<(), Error> {
        let expected = self.len();
        if found == expected {
            return Ok(());
        }
        let what = "picture";
        Err(Error::Shape {
            what,
            expected,
            found,
        })
    }
}

/// When an iteration may stop: at ‖x − x*‖ ≤ tolerance·‖y − mean y‖, proved by the duality gap, or after so many rounds.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Accuracy {
    tolerance: f64,
    pub(crate) rounds: usize,
}

impl Accuracy {
    pub(crate) fn new(tolerance: f64, rounds: usize) -> Result<Self, Error> {
        positive("tolerance", tolerance)?;
        require("rounds", rounds as f64, rounds >= 1, "at least 1")?;
        Ok(Self { tolerance, rounds })
    }

    /// The distance from the exact prox at which the iteration may stop, for y of mean 0.
    pub(crate) fn target(self, y: &[f64]) -> f64 {
        self.tolerance * norm(y)
    }
}

/// The objective ½‖x − y‖² + … is 1-strongly convex, so a duality gap bounds the distance from its minimizer. `size` is that
/// of the numbers which cancel in the gap: it is not known better than to their rounding.
pub(crate) fn distance_bound(gap: f64, size: f64) -> f64 {
    (2.0 * (gap.max(0.0) + rounding(size))).sqrt()
}

/// What rounding can make of a gap between numbers of this size; below it, more rounds gain nothing.
pub(crate) fn rounding(size: f64) -> f64 {
    2.0 * f64::EPSILON * size
}

/// Calls `solve(x, y, radius)` for the picture in double precision, whatever `T` is, and stores the x that it leaves.
///
/// The mean is taken off and the rest divided by its largest entry, so that no digit is lost to a bright background and no
/// square overflows; the distance that `solve` returns is multiplied back.
pub(crate) fn in_double<T: Real>(
    x: &mut [T],
    radius: f64,
    solve: impl FnOnce(&mut [f64], &[f64], f64) -> f64,
) -> f64 {
    let n = x.len() as f64;
    let base = x.first().map_or(0.0, |x| x.f64());
    let mean = base + x.iter().map(|x| (x.f64() - base) / n).sum::<f64>();
    let size = x.iter().fold(0.0f64, |s, x| s.max((x.f64() - mean).abs()));
    if radius == 0.0 || size == 0.0 {
        return 0.0;
    }
    // No flow along a path through all pixels exceeds 2n·size, so that the solution is constant.
    if radius >= 4.0 * n * size {
        x.fill(T::of(mean));
        return 0.0;
    }
    scratch::with(2 * x.len(), |double: &mut [f64]| {
        let (solution, y) = double.split_at_mut(x.len());
        for (y, x) in y.iter_mut().zip(x.iter()) {
            *y = (x.f64() - mean) / size;
        }
        let distance = solve(solution, y, radius / size);
        for (x, s) in x.iter_mut().zip(solution) {
            *x = T::of(mean + *s * size);
        }
        // The result is rounded to T, and so was what was computed of it.
        distance * size + T::EPSILON.f64() * norm(x)
    })
}

/// Nesterov's momentum, with the restart of B. O'Donoghue and E. Candès, "Adaptive restart for accelerated gradient
/// schemes", 2015.
#[derive(Default)]
pub(crate) struct Momentum {
    rounds: f64,
}

impl Momentum {
    /// How far to go beyond the new point; not at all when the last step was uphill.
    pub(crate) fn next(&mut self, uphill: bool) -> f64 {
        if uphill {
            self.rounds = 0.0;
            return 0.0;
        }
        self.rounds += 1.0;
        (self.rounds - 1.0) / (self.rounds + 2.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn refuses_bad_shapes_and_accuracies() {
        assert_eq!(
            Grid::new(0, 3).unwrap_err().to_string(),
            "rows = 0, but it must be at least 1"
        );
        assert!(Grid::new(1, 0).is_err());
        assert!(Grid::new(usize::MAX, 2).is_err());
        assert_eq!(
            Grid::new(2, 3).unwrap().fits(5).unwrap_err().to_string(),
            "picture has length 5, expected 6"
        );
        assert!(Accuracy::new(0.0, 10).is_err());
        assert!(Accuracy::new(1e-6, 0).is_err());
    }
}
