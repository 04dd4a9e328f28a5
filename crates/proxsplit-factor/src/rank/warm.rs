//! The start of a rank: the factors of the rank below, and random atoms that no sample uses yet.

use crate::codes::TOUCH;
use crate::init;
use crate::problem::{Factors, Problem};
use crate::products::Lanes;
use crate::settings::Init;
use proxsplit::Error;

/// Factors of the problem's rank from those of a smaller one.
pub(super) fn start<T: Lanes>(
    problem: Problem<'_, T>,
    below: &Factors<T>,
    seed: u64,
) -> Result<Factors<T>, Error> {
    let mut factors = init::start(problem, &*problem.misfit(), (Init::Random, seed))?;
    for k in 0..problem.rank {
        if k < below.rank {
            factors.set(k, Some((&below.atom(k), &below.codes(k))));
        } else {
            let unused = vec![T::ZERO; problem.data.cols()];
            factors.set(k, Some((&factors.atom(k), &unused)));
        }
    }
    let (_, codes) = problem.terms();
    codes.project(&mut factors.a, problem.rank, T::of(TOUCH));
    Ok(factors)
}
