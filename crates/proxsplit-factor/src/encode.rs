//! Codes of new samples for atoms that are fixed.

use crate::codes::{Side, Term};
use crate::misfit;
use crate::products::{Data, Lanes};
use proxsplit::linalg::Mat;
use proxsplit::{Error, Prox};

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
    let psi = Term::new(codes, Side::Codes);
    psi.project(&mut a, rank, T::ONE);
    misfit::of(data, rank).solve_codes_exactly(x.transposed().data(), &mut a, &psi);
    Mat::new(rank, data.cols(), a)
}
