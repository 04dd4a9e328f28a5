//! The drift of a pass over data with gaps.

use super::Incremental;
use crate::method::Method;
use crate::products::Data;
use crate::settings::{Inner, Metric, Step};
use crate::visits::Batches;
use crate::work::Work;
use crate::{Factors, Missing, Problem};
use proxsplit::data::{Dense, Elements, Order};
use proxsplit::linalg::Mat;
use proxsplit::prox::NonNegL1;
use proxsplit::set::L2Ball;
use proxsplit::{Error, Level, order};

#[test]
fn the_drift_is_that_of_the_observed_entries() -> Result<(), Error> {
    let (m, n, rank) = (9, 20, 3);
    let y: Vec<f64> = (0..m * n)
        .map(|at| match (at * 7 + at / m) % 10 {
            0..4 => f64::NAN,
            rest => rest as f64 / 5.0,
        })
        .collect();
    let dense = Dense::new(m, n, Order::ColumnMajor, Elements::F64(&y))?;
    let data = Data::<f64>::with_missing(dense.into(), 1.0, Missing::Nan)?;
    // Nothing is rescaled after the pass, so that its codes are still there.
    let (ball, l1) = (L2Ball::new(1.0)?, NonNegL1::new(0.05)?);
    let problem = Problem::new(&data, rank, &ball, &l1)?;
    let x = Mat::from_fn(m, rank, |i, k| ((i * 3 + k * 5) % 7) as f64 / 10.0);
    let start = Factors::new(&x, Mat::from_fn(rank, n, |_, _| 0.25))?;
    let mut work = Work::new(problem, problem.misfit(), start);
    let batches = Batches::new(n, 6, order::Order::Reshuffled, 3)?;
    let choice = (Inner::Prox, Step::Auto, Metric::Gram);
    let mut incremental = Incremental::new(&work, batches, choice);
    let first = work.factors.x.clone();
    let mut visits = Vec::new();
    for visit in 0..incremental.batches.count() {
        let range = incremental.batches.columns(0, visit);
        visits.push((range, work.factors.x.clone()));
        incremental.step(&mut work);
    }

    let mut drift = vec![0.0; m * rank];
    for (range, x) in visits {
        for t in range {
            let a = &work.factors.a[t * rank..][..rank];
            for i in (0..m).filter(|i| !y[t * m + i].is_nan()) {
                let moved: f64 = (0..rank)
                    .map(|k| a[k] * (first[i * rank + k] - x[i * rank + k]))
                    .sum();
                for k in 0..rank {
                    drift[i * rank + k] += a[k] * moved;
                }
            }
        }
    }
    let expected = proxsplit::linalg::vec::norm(&drift);
    let Some(Level::Estimated(found)) = incremental.pass.drift else {
        panic!("nothing was measured");
    };
    assert!(expected > 0.01, "{expected}");
    assert!(
        (found - expected).abs() < 1e-9 * expected,
        "{found}, not {expected}"
    );
    Ok(())
}
