//! Affine sets Ax = b.

use super::{clear_rounding, inside};
use crate::dual;
use crate::error::{Error, all_finite, length};
use crate::linalg::Mat;
use crate::linalg::vec::{axpy, dot, dot_with, norm, scale};
use crate::scratch;
use crate::{Form, Kind, Prox, Real};

/// The x with Ax = b, for A of full row rank: prox(x) = x − Q(Qᵀx − c), where the columns of Q are an orthonormal basis of
/// the rows of A, and Qᵀx = c says the same as Ax = b. Convex.
#[derive(Debug, Clone, PartialEq)]
pub struct AffineSet {
    basis: Mat<f64>,
    offset: Vec<f64>,
}

/// Rows that are closer than this to the span of the others, relative to their size, count as dependent.
const DEPENDENT: f64 = 1e-12;

impl AffineSet {
    /// The set with m×n matrix A, whose rows must be independent, and b of length m.
    pub fn new(a: &Mat<f64>, b: &[f64]) -> Result<Self, Error> {
        length("b", b, a.rows())?;
        all_finite("A", a.data())?;
        all_finite("b", b)?;
        let mut basis = a.transposed();
        let mut offset = b.to_vec();
        for row in 0..a.rows() {
            orthonormalize(&mut basis, &mut offset, row)?;
        }
        Ok(Self { basis, offset })
    }

    /// max |Qᵀx − c|, and the size of the numbers in it.
    fn violation<T: Real>(&self, x: &[T]) -> (f64, f64) {
        let largest = (0..self.offset.len())
            .map(|j| (dot_with(self.basis.col(j), x) - self.offset[j]).abs())
            .fold(0.0, f64::max);
        (largest, norm(x) + norm(&self.offset))
    }
}

/// Gram–Schmidt: makes one column orthonormal to those before it, and its offset with it. Done twice, because once loses
/// orthogonality when the column is nearly dependent, and twice does not (W. Kahan, B. Parlett: "twice is enough").
fn orthonormalize(basis: &mut Mat<f64>, offset: &mut [f64], row: usize) -> Result<(), Error> {
    let before = norm(basis.col(row));
    let size_of_offset = offset[row].abs() + before * norm(&offset[..row]);
    let mut column = basis.col(row).to_vec();
    for _ in 0..2 {
        for earlier in 0..row {
            let along = dot(basis.col(earlier), &column);
            axpy(-along, basis.col(earlier), &mut column);
            offset[row] -= along * offset[earlier];
        }
    }
    let after = norm(&column);
    if after <= DEPENDENT * before {
        let feasible = offset[row].abs() <= 1e-9 * size_of_offset;
        return Err(Error::Incompatible(format!(
            "row {row} of A depends on the rows before it, and its equation {}",
            if feasible {
                "follows from theirs: drop it"
            } else {
                "contradicts theirs: Ax = b has no solution"
            }
        )));
    }
    scale(1.0 / after, &mut column);
    offset[row] /= after;
    basis.col_mut(row).copy_from_slice(&column);
    Ok(())
}

impl<T: Real> Prox<T> for AffineSet {
    fn value(&self, x: &[T]) -> f64 {
        let (violation, scale) = self.violation(x);
        inside::<T>(violation, scale)
    }

    fn prox(&self, x: &mut [T], _: T) {
        let before = norm(x);
        scratch::with(x.len(), |point: &mut [f64]| {
            for (point, x) in point.iter_mut().zip(&*x) {
                *point = x.f64();
            }
            // The second round removes the rounding of the first, which counts when x was far away.
            for _ in 0..2 {
                for (j, &offset) in self.offset.iter().enumerate() {
                    let column = self.basis.col(j);
                    axpy(offset - dot(column, point), column, point);
                }
            }
            for (x, &point) in x.iter_mut().zip(&*point) {
                *x = T::of(point);
            }
        });
        if self.offset.iter().all(|&c| c == 0.0) {
            clear_rounding(x, before);
        }
    }

    /// ⟨c, Qᵀs⟩ for s in the span of the rows, elsewhere +∞; in the span up to the rounding of s.
    fn conjugate(&self, s: &[T]) -> Option<f64> {
        scratch::with(s.len(), |rest: &mut [f64]| {
            for (rest, s) in rest.iter_mut().zip(s) {
                *rest = s.f64();
            }
            let mut value = 0.0;
            for (j, &offset) in self.offset.iter().enumerate() {
                let along = dot(self.basis.col(j), rest);
                axpy(-along, self.basis.col(j), rest);
                value += along * offset;
            }
            let inside = norm(rest) <= dual::rounding::<T>(norm(s));
            Some(if inside { value } else { f64::INFINITY })
        })
    }

    /// dom g* is a cone.
    fn polar(&self, s: &[T]) -> Option<f64> {
        self.conjugate(s)
            .map(|value| dual::cone(value < f64::INFINITY))
    }

    fn fits(&self, len: usize) -> Result<(), Error> {
        if len == self.basis.rows() {
            return Ok(());
        }
        Err(Error::Shape {
            what: "x, one entry for each column of A,",
            expected: self.basis.rows(),
            found: len,
        })
    }

    fn form(&self) -> Form {
        Form::of(Kind::Set)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::contract;

    fn rows(rows: usize, cols: usize, row_major: &[f64]) -> Mat<f64> {
        Mat::from_fn(rows, cols, |i, j| row_major[i * cols + j])
    }

    #[test]
    fn keeps_the_contract() {
        let a = rows(2, 4, &[1.0, 2.0, 0.0, -1.0, 3.0, 0.5, 1.0, 1.0]);
        contract(&AffineSet::new(&a, &[1.0, -2.0]).unwrap(), 4);
        // Nearly dependent rows, and as many rows as unknowns.
        let a = rows(2, 2, &[1.0, 1.0, 1.0, 1.0 + 1e-7]);
        contract(&AffineSet::new(&a, &[1.0, 1.0]).unwrap(), 2);
        contract(&AffineSet::new(&Mat::zeros(0, 3), &[]).unwrap(), 3);
    }

    #[test]
    fn the_step_is_normal_to_the_set() {
        let a = rows(2, 3, &[1.0, 2.0, 3.0, -1.0, 0.0, 5.0]);
        let set = AffineSet::new(&a, &[6.0, 4.0]).unwrap();
        let mut x = [10.0, -3.0, 4.0];
        set.prox(&mut x, 1.0);
        assert!((x[0] + 2.0 * x[1] + 3.0 * x[2] - 6.0).abs() < 1e-13);
        assert!((-x[0] + 5.0 * x[2] - 4.0).abs() < 1e-13);
        // (10, −8, 2) spans the null space of A.
        let moved = [x[0] - 10.0, x[1] + 3.0, x[2] - 4.0];
        assert!(dot(&moved, &[10.0, -8.0, 2.0]).abs() < 1e-12);
    }

    #[test]
    fn refuses_dependent_rows() {
        let a = rows(2, 2, &[1.0, 1.0, 2.0, 2.0]);
        assert_eq!(
            AffineSet::new(&a, &[1.0, 2.0]).unwrap_err().to_string(),
            "row 1 of A depends on the rows before it, and its equation follows from theirs: drop it"
        );
        let contradiction = AffineSet::new(&a, &[1.0, 3.0]).unwrap_err().to_string();
        assert!(contradiction.ends_with("contradicts theirs: Ax = b has no solution"));
        assert!(AffineSet::new(&rows(1, 2, &[0.0, 0.0]), &[1.0]).is_err());
        assert!(AffineSet::new(&rows(3, 2, &[1.0, 0.0, 0.0, 1.0, 1.0, 2.0]), &[0.0; 3]).is_err());
        assert!(AffineSet::new(&a, &[1.0]).is_err());
    }

    #[test]
    fn the_support_function_is_finite_in_the_span_of_the_rows() {
        // x + y + z = 2 and x − z = 1: every point has product 2·2 + 3·1 with 2(1, 1, 1) + 3(1, 0, −1).
        let a = Mat::from_fn(2, 3, |i, j| [[1.0, 1.0, 1.0], [1.0, 0.0, -1.0]][i][j]);
        let set = AffineSet::new(&a, &[2.0, 1.0]).unwrap();
        let value = set.conjugate(&[5.0, 2.0, -1.0]).unwrap();
        assert!((value - 7.0).abs() < 1e-13);
        assert_eq!(set.conjugate(&[5.0, 2.1, -1.0]), Some(f64::INFINITY));
    }
}
