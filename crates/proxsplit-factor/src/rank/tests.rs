//! Searches on planted data.

use super::{RankPlan, RankSearch, Searched};
use crate::problem::Problem;
use crate::products::Data;
use crate::{Generated, Missing};
use proxsplit::data::{Dense, Elements, StorageOrder};
use proxsplit::set::NonNeg;
use std::ops::ControlFlow;

fn on() -> impl FnMut() -> ControlFlow<()> {
    || ControlFlow::Continue(())
}

fn plan() -> RankPlan {
    RankPlan {
        folds: 5,
        restarts: 2,
        ..RankPlan::new(1..=7)
    }
}

#[test]
fn planted_ranks_are_found() {
    for (text, rank) in [("planted:40x60x3,0.3", 3), ("planted:80x30x4,0.2", 4)] {
        let generated = Generated::parse(text, 1).unwrap().unwrap();
        let data = Data::<f64>::new(generated.matrix().unwrap(), 1.0).unwrap();
        let problem = Problem::new(&data, 1, &NonNeg, &NonNeg).unwrap();
        let mut search = RankSearch::new(problem, plan()).unwrap();
        assert_eq!(search.run(&mut on()).unwrap(), Searched::Done);
        let choice = search.choice().unwrap();
        assert_eq!(
            choice.rank,
            rank,
            "{text}: {choice:?}, {:#?}",
            search.rows()
        );
        for row in search.rows() {
            let (objective, bound) = (row.objective.unwrap(), row.bound.unwrap());
            assert!(
                bound <= objective * (1.0 + 1e-9),
                "{bound} above {objective}"
            );
            assert!(row.cosine.unwrap() <= 1.0 && row.cophenetic.unwrap() <= 1.0 + 1e-12);
            assert_eq!(row.errors.len(), 5);
            assert!(row.fits >= 7 && row.converged <= row.fits);
        }
    }
}

/// Every fit is interrupted once, the search is saved and restored after every fit, and ends with the same numbers.
#[test]
fn a_search_that_is_disturbed_ends_the_same() {
    let generated = Generated::parse("planted:20x25x2,0.3", 1).unwrap().unwrap();
    let data = Data::<f64>::new(generated.matrix().unwrap(), 1.0).unwrap();
    let problem = Problem::new(&data, 1, &NonNeg, &NonNeg).unwrap();
    let plan = RankPlan {
        ranks: vec![1, 2, 4],
        ..plan()
    };
    let mut whole = RankSearch::new(problem, plan.clone()).unwrap();
    whole.run(&mut on()).unwrap();
    let mut parts = RankSearch::new(problem, plan.clone()).unwrap();
    let mut fits = 0;
    loop {
        let mut passes = 0;
        let interrupted = parts.advance(&mut || {
            passes += 1;
            if passes == 3 {
                ControlFlow::Break(())
            } else {
                ControlFlow::Continue(())
            }
        });
        if interrupted.unwrap() == Searched::Done {
            break;
        }
        let state = parts.state();
        let text = serde_json::to_string(&state.header).unwrap();
        let arrays = state
            .arrays
            .into_iter()
            .map(|(name, numbers)| (name.to_owned(), numbers));
        parts = RankSearch::new(problem, plan.clone()).unwrap();
        parts
            .restore(&serde_json::from_str(&text).unwrap(), arrays.collect())
            .unwrap();
        assert!(matches!(
            parts.advance(&mut on()).unwrap(),
            Searched::Fitted(_)
        ));
        fits += 1;
    }
    assert_eq!(fits, whole.rows().iter().map(|row| row.fits).sum::<usize>());
    for (one, other) in whole.rows().iter().zip(parts.rows()) {
        assert_eq!(one.errors, other.errors);
        assert_eq!((one.objective, one.cosine), (other.objective, other.cosine));
    }
    let mut other = RankSearch::new(problem, RankPlan { folds: 4, ..plan }).unwrap();
    let error = other
        .restore(&whole.state().header, Vec::new())
        .unwrap_err()
        .to_string();
    assert!(error.contains("folds was 5, but now it is 4"), "{error}");
}

#[test]
fn what_cannot_be_is_refused() {
    let y: Vec<f64> = (0..24)
        .map(|at| if at < 4 { f64::NAN } else { f64::from(at) })
        .collect();
    let dense = Dense::new(4, 6, StorageOrder::ColumnMajor, Elements::F64(&y)).unwrap();
    let data = Data::<f64>::with_missing(dense.into(), 1.0, Missing::Nan).unwrap();
    let problem = Problem::new(&data, 1, &NonNeg, &NonNeg).unwrap();
    let refused = |plan: RankPlan, words: &str| {
        let error = RankSearch::new(problem, plan).err().unwrap().to_string();
        assert!(error.contains(words), "'{words}' is not in: {error}");
    };
    refused(RankPlan::new([]), "no ranks to try");
    refused(RankPlan::new([2, 5]), "rank 5 is not possible");
    refused(RankPlan::new([0, 1]), "rank 0 is not possible");
    let with = |folds| RankPlan {
        folds,
        ..RankPlan::new([1])
    };
    refused(with(1), "1 folds are not possible");
    refused(with(21), "21 folds are not possible");
    // Two folds of six columns: some row loses all of them.
    let found = (0..20).any(|seed| {
        let plan = RankPlan { seed, ..with(2) };
        RankSearch::new(problem, plan)
            .err()
            .is_some_and(|error| error.to_string().contains("too small for 2 folds"))
    });
    assert!(found);
    let zeros = vec![0.0; 24];
    let dense = Dense::new(4, 6, StorageOrder::ColumnMajor, Elements::F64(&zeros)).unwrap();
    let data = Data::<f64>::new(dense.into(), 1.0).unwrap();
    let problem = Problem::new(&data, 1, &NonNeg, &NonNeg).unwrap();
    let error = RankSearch::new(problem, with(2)).err().unwrap();
    assert!(error.to_string().contains("all observed entries are zero"));
}
