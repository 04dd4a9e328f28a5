//! Everything that a pass asks of the misfit, beside the same in double precision.

use super::Rough;
use crate::misfit::Misfit;
use crate::misfit::squared::Squared;
use crate::products::Data;
use crate::work::NEARLY_EXACT;
use crate::{Factors, Problem};
use proxsplit::data::{Dense, Elements, StorageOrder};
use proxsplit::prox::NonNegL1;
use proxsplit::{Error, Mat};

const M: usize = 90;
const N: usize = 70;
const RANK: usize = 5;

fn assert_near(found: &[f64], expected: &[f64], what: &str) {
    let size = expected.iter().fold(0.0_f64, |most, v| most.max(v.abs()));
    for (at, (found, expected)) in found.iter().zip(expected).enumerate() {
        let difference = (found - expected).abs();
        assert!(
            difference <= 1e-4 * size,
            "{what} {at}: {found}, {expected}"
        );
    }
}

#[test]
fn it_is_the_squared_misfit_but_for_rounding() -> Result<(), Error> {
    let entry = |i: usize, t: usize| ((i * 31 + t * 17 + i * t) % 23) as f64 / 7.0;
    let y: Vec<f64> = (0..M * N).map(|at| entry(at % M, at / M)).collect();
    let dense = Dense::new(M, N, StorageOrder::ColumnMajor, Elements::F64(&y))?;
    let data = Data::<f64>::new(dense.into(), 2.0)?;
    let l1 = NonNegL1::new(0.1)?;
    let problem = Problem::new(&data, RANK, &l1, &l1)?;
    let (atoms, codes) = problem.terms();
    let start = Factors::new(
        &Mat::from_fn(M, RANK, |i, k| entry(i, k + 1)),
        Mat::from_fn(RANK, N, entry),
    )?;
    let run = |misfit: &mut dyn Misfit<f64>| {
        let Factors { mut x, mut a, .. } = start.clone();
        let range = 20..50;
        let part = range.start * RANK..range.end * RANK;
        let mut found: Vec<(&str, Vec<f64>)> = Vec::new();
        misfit.solve_codes(
            &x,
            &mut a[part.clone()],
            range.clone(),
            (&codes, NEARLY_EXACT),
        );
        misfit.solve_codes(&x, &mut a, 0..N, (&codes, NEARLY_EXACT));
        found.push(("codes", a.clone()));
        misfit.see(&a);
        found.push(("AAᵀ", misfit.grams().a.clone()));
        misfit.solve_atoms(&mut x, &a, (&atoms, NEARLY_EXACT));
        found.push(("atoms", x.clone()));
        found.push(("value", vec![misfit.value(&x, &a)]));
        found.push(("XᵀX", misfit.grams().x.clone()));
        let mut linear = vec![0.0; x.len()];
        let aa = misfit.grams().a.clone();
        if let Some(shares) = misfit.shares() {
            shares.linear(&mut linear, &a[part], range);
            shares.see_sums(&linear, &aa, 0.5);
        }
        found.push(("AYᵀ of some", linear));
        misfit.solve_atoms(&mut x, &a, (&atoms, NEARLY_EXACT));
        found.push(("atoms of some", x));
        found
    };
    let rough = Rough::new(problem);
    assert!(rough.is_some(), "these terms and data allow it");
    let expected = run(&mut Squared::new(&data, RANK));
    if let Some(mut rough) = rough {
        for ((name, found), (_, expected)) in run(&mut rough).iter().zip(&expected) {
            assert_near(found, expected, name);
        }
        rough.refine();
        for ((name, found), (_, expected)) in run(&mut rough).iter().zip(&expected) {
            assert!(found == expected, "{name} after refining");
        }
    }
    Ok(())
}

/// A look is about its own point, and in double precision.
#[test]
fn slopes_are_exact() -> Result<(), Error> {
    let y: Vec<f64> = (0..M * N).map(|at| (at % 11) as f64).collect();
    let dense = Dense::new(M, N, StorageOrder::RowMajor, Elements::F64(&y))?;
    let data = Data::<f64>::new(dense.into(), 1.0)?;
    let l1 = NonNegL1::new(0.1)?;
    let problem = Problem::new(&data, RANK, &l1, &l1)?;
    let factors = Factors::new(
        &Mat::from_fn(M, RANK, |i, k| ((i + k) % 3) as f64),
        Mat::from_fn(RANK, N, |k, t| ((k * t) % 5) as f64),
    )?;
    let mut exact = Squared::new(&data, RANK);
    let expected = exact.slopes(&factors);
    let Some(mut rough) = Rough::new(problem) else {
        panic!("these terms and data allow it");
    };
    let found = rough.slopes(&factors);
    assert!(found.x == expected.x && found.a == expected.a);
    assert_eq!(rough.grams().x, exact.grams().x);
    assert_eq!(rough.grams().a, exact.grams().a);
    Ok(())
}
