//! Codes of new samples for atoms that are fixed.

use crate::codes::{Side, TOUCH, Term};
use crate::loss::Loss;
use crate::misfit::{self, Misfit};
use crate::problem::Factors;
use crate::products::{Data, Lanes};
use proxsplit::Mat;
use proxsplit::{Error, Prox};

/// argmin_a ℓ(y_t, Xa) + ψ(a) for every column of the data: A, K×T.
pub fn encode<T: Lanes>(
    data: &Data<'_, T>,
    loss: Loss,
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
    loss.check_data(data)?;
    loss.check_term("A", codes)?;
    loss.check_atoms(x)?;
    let mut factors = Factors {
        rank,
        x: x.transposed().into_data(),
        a: vec![T::ZERO; rank * data.cols()],
    };
    let psi = Term::new(codes, Side::Codes);
    let mut misfit = misfit::of(data, rank, loss);
    if loss == Loss::KullbackLeibler {
        begin_inside(&mut factors, &*misfit, &psi);
    } else {
        psi.project(&mut factors.a, rank, T::ONE);
    }
    misfit.solve_codes_exactly(&factors.x, &mut factors.a, &psi);
    Mat::new(rank, data.cols(), factors.a)
}

/// Codes that are positive and of the right size: no method leaves a point where XA is 0 and the data are not.
fn begin_inside<T: Lanes>(factors: &mut Factors<T>, misfit: &dyn Misfit<T>, psi: &Term<'_, T>) {
    factors.a.fill(T::ONE);
    let scale = T::of(misfit.best_scale(factors, usize::MAX));
    if scale.is_finite() {
        factors.a.fill(scale);
    }
    psi.project(&mut factors.a, factors.rank, T::of(TOUCH));
}
