//! The drift of a pass over data with gaps.

use super::Incremental;
use crate::method::Method;
use crate::products::Data;
use crate::settings::{Inner, Metric, Step};
use crate::visits::Batches;
use crate::work::Work;
use crate::{Factors, Missing, Problem};
use proxsplit::Mat;
use proxsplit::data::{Dense, Elements, StorageOrder};
use proxsplit::prox::NonNegL1;
use proxsplit::set::{L2Ball, NonNeg};
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
    let dense = Dense::new(m, n, StorageOrder::ColumnMajor, Elements::F64(&y))?;
    let data = Data::<f64>::with_missing(dense.into(), 1.0, Missing::Nan)?;
    // Nothing is rescaled after the pass, so that its codes are still there.
    let (ball, l1) = (L2Ball::new(1.0)?, NonNegL1::new(0.05)?);
    let problem = Problem::new(&data, rank, &ball, &l1)?;
    let x = Mat::from_fn(m, rank, |i, k| ((i * 3 + k * 5) % 7) as f64 / 10.0);
    let start = Factors::new(&x, Mat::from_fn(rank, n, |_, _| 0.25))?;
    let mut work = Work::new(problem, problem.misfit(), start);
    let batches = Batches::new(n, 6, order::VisitOrder::Reshuffled, 3)?;
    let mut incremental = Incremental::new(
        &work,
        batches,
        (Inner::Prox, Step::Constant(1.0), Metric::Gram),
    );
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
    let expected = proxsplit::internal::linalg::vec::norm(&drift);
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

#[test]
fn an_automatic_pass_tells_the_objective_of_its_pair() -> Result<(), Error> {
    let (m, n, rank) = (9, 20, 3);
    let y: Vec<f64> = (0..m * n)
        .map(|at| ((at * 7 + at / m) % 10) as f64 / 5.0)
        .collect();
    let dense = Dense::new(m, n, StorageOrder::ColumnMajor, Elements::F64(&y))?;
    let data = Data::<f64>::new(dense.into(), 1.0)?;
    let problem = Problem::new(&data, rank, &NonNeg, &NonNeg)?;
    let x = Mat::from_fn(m, rank, |i, k| ((i * 3 + k * 5) % 7) as f64 / 10.0);
    let start = Factors::new(&x, Mat::from_fn(rank, n, |_, _| 0.25))?;
    let mut work = Work::new(problem, problem.misfit(), start);
    let batches = Batches::new(n, 6, order::VisitOrder::Reshuffled, 3)?;
    let mut incremental = Incremental::new(&work, batches, (Inner::Prox, Step::Auto, Metric::Gram));
    for _ in 0..6 {
        for _ in 0..incremental.batches.count() {
            incremental.step(&mut work);
        }
        let Factors { x, a, .. } = &work.factors;
        let squares = (0..m * n).map(|at| {
            let (row, code) = (&x[at % m * rank..][..rank], &a[at / m * rank..][..rank]);
            let fit: f64 = row.iter().zip(code).map(|(x, a)| x * a).sum();
            (y[at] - fit).powi(2)
        });
        let expected = 0.5 * squares.sum::<f64>();
        let told = work.memory.objective.unwrap_or(f64::NAN);
        assert!(
            (told - expected).abs() < 1e-10 * data.square(),
            "{told}, not {expected}"
        );
    }
    Ok(())
}

/// How a pass of the test below ends.
#[derive(Clone, Copy, PartialEq)]
enum End {
    Several,
    Walk,
    /// With a drift that is measured, as after a look.
    MeasuredWalk,
}

/// The walk at the end of a pass does what the general end does one after the other, and a look changes no bit.
#[test]
fn one_walk_ends_a_pass_as_several_do() -> Result<(), Error> {
    let (m, n, rank) = (300, 90, 5);
    let y: Vec<f64> = (0..m * n)
        .map(|at| ((at * 7 + at / m) % 11) as f64 / 5.0)
        .collect();
    let dense = Dense::new(m, n, StorageOrder::ColumnMajor, Elements::F64(&y))?;
    let data = Data::<f64>::new(dense.into(), 1.0)?;
    let l1 = NonNegL1::new(0.05)?;
    let problem = Problem::new(&data, rank, &l1, &NonNeg)?;
    let run = |end: End| -> Result<_, Error> {
        let x = Mat::from_fn(m, rank, |i, k| ((i * 3 + k * 5) % 7) as f64 / 10.0);
        let start = Factors::new(&x, Mat::from_fn(rank, n, |_, _| 0.25))?;
        let mut work = Work::new(problem, problem.misfit(), start);
        let batches = Batches::new(n, 25, order::VisitOrder::Reshuffled, 3)?;
        let how = (Inner::Prox, Step::Auto, Metric::Gram);
        let mut incremental = Incremental::new(&work, batches, how);
        for _ in 0..12 {
            incremental.exact = (end == End::MeasuredWalk).then(|| vec![0.0; m * rank]);
            for _ in 1..incremental.batches.count() {
                incremental.step(&mut work);
            }
            if end != End::Several {
                incremental.step(&mut work);
                continue;
            }
            let range = incremental
                .batches
                .columns(work.memory.pass, work.memory.visited);
            let x = work.factors.x.clone();
            work.solve_codes(&x, range.clone(), work.effort);
            let codes = &work.factors.a[range.start * rank..range.end * rank];
            let share = &mut incremental.share;
            incremental.pass.sum += work
                .misfit
                .shares()
                .map_or(0.0, |shares| shares.share(&x, codes, range.clone(), share));
            incremental.take_share(&mut work, range);
            work.memory.visited += 1;
            incremental.end_pass(&mut work);
        }
        Ok((work.factors.x, work.memory, incremental.pass.cap))
    };
    let (several, one) = (run(End::Several)?, run(End::Walk)?);
    let looked = run(End::MeasuredWalk)?;
    assert_eq!(looked.0, one.0);
    assert_eq!(looked.1, one.1);
    let largest = several.0.iter().fold(0.0, |most: f64, x| most.max(x.abs()));
    for (a, b) in several.0.iter().zip(&one.0) {
        assert!((a - b).abs() < 1e-9 * largest, "{a}, not {b}");
    }
    let is_near = |a: f64, b: f64| (a - b).abs() <= 1e-9 * (1e-3 + a.abs());
    assert!(is_near(several.1.displacement, one.1.displacement));
    let objectives = several.1.objective.zip(one.1.objective);
    assert!(
        objectives.is_some_and(|(a, b)| is_near(a, b)),
        "{objectives:?}"
    );
    assert_eq!(several.2, one.2);
    Ok(())
}
