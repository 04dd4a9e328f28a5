//! Majorants against the loss that they stand for.

use crate::Missing;
use crate::loss::Loss;
use crate::products::Data;
use crate::work::{NEARLY_EXACT, Work};
use crate::{Factors, Problem, Weights};
use proxsplit::Mat;
use proxsplit::data::{Dense, Elements, StorageOrder};
use proxsplit::prox::NonNegL1;
use proxsplit::set::{L2Ball, NonNeg, Simplex};
use proxsplit::{Error, Prox};

/// Half-steps of alternating minimization under Huber's loss with outliers, gaps and weights, for every kind of term.
#[test]
fn no_solve_raises_the_misfit() -> Result<(), Error> {
    let (m, n, rank) = (17, 23, 3);
    let y: Vec<f64> = (0..m * n)
        .map(|at| match (at * 7 + at / m) % 11 {
            0 => f64::NAN,
            1 => 90.0 * if at % 2 == 0 { 1.0 } else { -1.0 },
            rest => rest as f64,
        })
        .collect();
    let w: Vec<f64> = (0..m * n).map(|at| (at % 5) as f64 / 2.0).collect();
    let u: Vec<f64> = (0..m).map(|i| (i % 3) as f64).collect();
    let dense = |values| Dense::new(m, n, StorageOrder::ColumnMajor, Elements::F64(values));
    let l1 = NonNegL1::new(0.05)?;
    let (ball, simplex) = (L2Ball::new(2.0)?, Simplex::new(1.0)?);
    let cases: [(&dyn Prox<f64>, &dyn Prox<f64>); 4] = [
        (&NonNeg, &NonNeg),
        (&l1, &l1),
        (&ball, &l1),
        (&l1, &simplex),
    ];
    for loss in [Loss::Squared, Loss::Huber(0.7)] {
        for (number, (atoms, codes)) in cases.into_iter().enumerate() {
            let data = Data::<f64>::with_missing(dense(&y)?.into(), 2.0, Missing::Nan)?;
            let data = data.with_weights(Weights {
                features: Some(&u),
                entries: Some(dense(&w)?.into()),
                ..Weights::default()
            })?;
            let problem = Problem::new(&data, rank, atoms, codes)?.with_loss(loss)?;
            let x = Mat::from_fn(m, rank, |i, k| ((i * 3 + k * 5) % 7) as f64 / 5.0);
            let start = Factors::new(&x, Mat::from_fn(rank, n, |_, _| 0.25))?;
            let mut work = Work::new(problem, problem.misfit(), start);
            let mut last = f64::INFINITY;
            for _ in 0..30 {
                let x = work.factors.x.clone();
                work.solve_codes(&x, 0..n, NEARLY_EXACT);
                let a = work.factors.a.clone();
                work.misfit.see(&a);
                for atoms_too in [false, true] {
                    if atoms_too {
                        work.solve_atoms(&a, NEARLY_EXACT);
                    }
                    let now = work.objective_for(&a);
                    assert!(
                        now <= last * (1.0 + 1e-12),
                        "{loss}, case {number}: {last} to {now}"
                    );
                    last = now;
                }
            }
        }
    }
    Ok(())
}
