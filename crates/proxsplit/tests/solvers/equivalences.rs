//! Special cases that must agree to the last bit.

use crate::sample::{Sample, starts};
use proxsplit::gradient::Inner;
use proxsplit::order::{VisitOrder, Visits};
use proxsplit::prox::{L1, Zero};
use proxsplit::set::NonNeg;
use proxsplit::smooth::{Cauchy, LeastSquares};
use proxsplit::step::{Constant, Diminishing, StepRule};
use proxsplit::{FiniteSum, IncrementalSplitting, Passes, Prox, Smooth, Splitting};

const ROWS: usize = 20;
const COLS: usize = 6;

/// eq.32 written out with M = P_set and O = identity, on plain vectors.
fn incremental_gradient(
    f: &dyn FiniteSum,
    set: &dyn Prox,
    x: &mut [f64],
    mut visits: Visits,
    rule: &dyn StepRule,
) {
    for k in 0..30 {
        let step = rule.scheduled(k).unwrap();
        let (mut z, mut sum) = (x.to_vec(), vec![0.0; x.len()]);
        for b in 0..visits.batches() {
            let mut term = vec![0.0; x.len()];
            f.add_gradient(visits.batch(b), &z, &mut term);
            for i in 0..z.len() {
                sum[i] += term[i];
                z[i] -= step * term[i];
            }
        }
        for i in 0..x.len() {
            x[i] -= step * sum[i];
        }
        set.prox(x, step);
        visits.next_pass();
    }
}

#[test]
fn one_batch_of_all_terms_is_the_batch_method() {
    let sample = Sample::new(ROWS, COLS, 3);
    let f = Cauchy::new(sample.matrix(), &sample.targets, 0.5).unwrap();
    let g = L1::new(0.2).unwrap();
    for inner in [Inner::Identity, Inner::Prox] {
        for start in starts(COLS, 3) {
            let rule = Constant::within(f.lipschitz()).unwrap();
            let passes = Passes {
                inner,
                batch: ROWS,
                order: VisitOrder::Cyclic,
                seed: 0,
            };
            let batch = Splitting::new(&f, &g, &start).unwrap().step(rule);
            let incremental = IncrementalSplitting::new(&f, &g, &start, passes)
                .unwrap()
                .step(rule)
                .unwrap();
            let (mut batch, mut incremental) = (batch, incremental);
            for _ in 0..50 {
                batch.next();
                incremental.next();
                assert_eq!(batch.x(), incremental.x());
            }
        }
    }
}

#[test]
fn without_g_it_is_the_incremental_gradient_method_and_with_a_set_the_projected_one() {
    let sample = Sample::new(ROWS, COLS, 4);
    let f = LeastSquares::new(sample.matrix(), &sample.targets).unwrap();
    for order in [
        VisitOrder::Cyclic,
        VisitOrder::Reshuffled,
        VisitOrder::Random,
    ] {
        for g in [&Zero as &dyn Prox, &NonNeg] {
            for start in starts(COLS, 2) {
                let rule = Diminishing::new(0.05, 0.6).unwrap();
                let passes = Passes {
                    inner: Inner::Identity,
                    batch: 3,
                    order,
                    seed: 9,
                };
                let mut solver = IncrementalSplitting::new(&f, g, &start, passes)
                    .unwrap()
                    .step(rule)
                    .unwrap();
                let mut x = start.clone();
                g.prox(&mut x, 1.0);
                incremental_gradient(
                    &f,
                    g,
                    &mut x,
                    Visits::new(ROWS, 3, order, 9).unwrap(),
                    &rule,
                );
                solver.nth(29).unwrap();
                assert_eq!(solver.x(), x);
            }
        }
    }
}

#[test]
fn with_zero_the_batch_method_is_gradient_descent() {
    let sample = Sample::new(ROWS, COLS, 5);
    let f = LeastSquares::new(sample.matrix(), &sample.targets).unwrap();
    let start = starts(COLS, 1).next().unwrap();
    let mut solver = Splitting::new(&f, &Zero, &start)
        .unwrap()
        .step(Constant::new(0.03).unwrap());
    let (mut x, mut gradient) = (start.clone(), vec![0.0; COLS]);
    for _ in 0..40 {
        f.gradient(&x, &mut gradient);
        for i in 0..COLS {
            x[i] -= 0.03 * gradient[i];
        }
        solver.next().unwrap();
        assert_eq!(solver.x(), x);
    }
}

#[test]
fn the_same_seed_gives_the_same_bits_on_one_and_two_threads() {
    let sample = Sample::new(4000, 60, 6);
    let f = Cauchy::new(sample.matrix(), &sample.targets, 0.5).unwrap();
    let g = L1::new(2.0).unwrap();
    let solve = || {
        let passes = Passes {
            inner: Inner::Prox,
            batch: 500,
            ..Passes::default()
        };
        let mut incremental = IncrementalSplitting::new(&f, &g, &[0.0; 60], passes).unwrap();
        let mut batch = Splitting::new(&f, &g, &[0.0; 60]).unwrap();
        incremental.nth(5);
        batch.nth(5);
        (incremental.into_x(), batch.into_x())
    };
    let threads = |n| {
        rayon::ThreadPoolBuilder::new()
            .num_threads(n)
            .build()
            .unwrap()
            .install(solve)
    };
    assert_eq!(threads(1), threads(2));
    assert_eq!(threads(2), threads(2));
}
