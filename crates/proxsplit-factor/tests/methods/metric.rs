//! Steps of a plain length: eq.32 as the paper prints it, and the subgradient baseline beside it.

use super::{planted, settings};
use proxsplit::Mat;
use proxsplit::certificate::Verdict;
use proxsplit::data::{Dense, Elements, StorageOrder as Storage};
use proxsplit::order::VisitOrder;
use proxsplit::prox::NonNegL1;
use proxsplit::set::NonNeg;
use proxsplit::{Looks, Stop, run};
use proxsplit_factor::{Data, Factorization, Inner, Method, Metric, Problem, Settings, Step};
use std::ops::Range;

const WEIGHT: f64 = 0.05;
const BATCH: usize = 20;
const RANK: usize = 3;

fn chosen(method: Method, inner: Inner, step: Step) -> Settings {
    Settings {
        inner,
        step,
        batch: Some(BATCH),
        metric: Some(Metric::Scalar),
        rescale: Some(false),
        order: VisitOrder::Cyclic,
        ..settings(method, 5)
    }
}

/// ∇f_t(X) = (XA − Y)Aᵀ over some columns.
fn gradient(y: &Mat<f64>, x: &Mat<f64>, a: &Mat<f64>, columns: Range<usize>) -> Mat<f64> {
    let misfit = |i: usize, t: usize| {
        let product: f64 = (0..RANK).map(|k| x[(i, k)] * a[(k, t)]).sum();
        product - y[(i, t)]
    };
    Mat::from_fn(x.rows(), RANK, |i, k| {
        columns.clone().map(|t| misfit(i, t) * a[(k, t)]).sum()
    })
}

/// ‖AAᵀ‖ over some columns by the power method, from above as the library has it.
fn lipschitz(a: &Mat<f64>, columns: Range<usize>) -> f64 {
    let mut v = [1.0; RANK];
    let mut norm = 0.0;
    for _ in 0..2000 {
        let mut next = [0.0; RANK];
        for t in columns.clone() {
            let along: f64 = (0..RANK).map(|k| a[(k, t)] * v[k]).sum();
            for k in 0..RANK {
                next[k] += a[(k, t)] * along;
            }
        }
        norm = next.iter().map(|value| value * value).sum::<f64>().sqrt();
        v = next.map(|value| value / norm);
    }
    norm * (1.0 + 1e-9)
}

fn assert_near(found: &Mat<f64>, expected: &Mat<f64>, what: &str) {
    for (found, expected) in found.data().iter().zip(expected.data()) {
        let apart = (found - expected).abs();
        assert!(apart <= 1e-11, "{what}: {found} and not {expected}");
    }
}

/// Y with every entry positive, by columns.
fn data() -> Mat<f64> {
    Mat::from_fn(14, 50, |i, t| {
        let smooth = ((i * t) as f64 / 20.0).sin().abs();
        smooth + ((i * 7 + t * 3) % 5) as f64 / 10.0
    })
}

/// Calls `check` with Y as a run takes it.
fn with_data(y: &Mat<f64>, check: impl FnOnce(&Data<'_, f64>)) {
    let dense = Dense::new(
        y.rows(),
        y.cols(),
        Storage::ColumnMajor,
        Elements::F64(y.data()),
    );
    check(&Data::new(dense.unwrap().into(), 1.0).unwrap());
}

/// What a plain loop makes of eq.32 beside the run, whose codes it takes; the codes have their own tests.
fn follow(method: Method, inner: Inner, step: Step) {
    let y = data();
    with_data(&y, |data| follow_on((&y, data), method, (inner, step)));
}

fn follow_on((y, data): (&Mat<f64>, &Data<'_, f64>), method: Method, (inner, step): (Inner, Step)) {
    let (l1, nonneg) = (NonNegL1::new(WEIGHT).unwrap(), NonNeg);
    let problem = Problem::new(data, RANK, &l1, &nonneg).unwrap();
    let mut run = Factorization::new(problem, chosen(method, inner, step), None).unwrap();
    let columns = y.cols();
    let mut x = run.factors().x();
    for pass in 0..4 {
        let eta = match step {
            Step::Constant(eta) => eta,
            Step::Diminishing { first, power } => first / (1.0 + f64::from(pass)).powf(power),
            _ => unreachable!(),
        };
        let start = x.clone();
        let mut sum = Mat::from_fn(x.rows(), RANK, |_, _| 0.0);
        let mut length = 0.0;
        for begin in (0..columns).step_by(BATCH) {
            let range = begin..columns.min(begin + BATCH);
            let is_last = range.end == columns;
            run.next().unwrap();
            let a = run.factors().a();
            if begin == 0 {
                let share = columns as f64 / range.len() as f64;
                length = eta
                    / match pass {
                        0 => share * lipschitz(&a, range.clone()),
                        _ => lipschitz(&a, 0..columns),
                    };
            }
            let slope = gradient(y, &x, &a, range.clone());
            let share = range.len() as f64 / columns as f64;
            let moved =
                |from: &Mat<f64>, slope: &Mat<f64>, i, k| from[(i, k)] - length * slope[(i, k)];
            let prox = |value: f64| (value - length * WEIGHT).max(0.0);
            sum = Mat::from_fn(x.rows(), RANK, |i, k| sum[(i, k)] + slope[(i, k)]);
            x = Mat::from_fn(x.rows(), RANK, |i, k| match (method, inner) {
                (Method::Sggd, _) => {
                    let subgradient = if x[(i, k)] > 0.0 { WEIGHT } else { 0.0 };
                    (moved(&x, &slope, i, k) - length * share * subgradient).max(0.0)
                }
                _ if is_last => prox(moved(&start, &sum, i, k)),
                (_, Inner::Prox) => prox(moved(&x, &slope, i, k)),
                (_, Inner::Identity) => moved(&x, &slope, i, k),
            });
            let what = format!("{method}, {inner}, {step:?}, pass {pass}, column {begin}");
            assert_near(&run.factors().x(), &x, &what);
        }
    }
}

#[test]
fn a_scalar_step_is_the_papers_iteration() {
    let diminishing = Step::Diminishing {
        first: 1.0,
        power: 0.5,
    };
    for inner in [Inner::Prox, Inner::Identity] {
        for step in [Step::Constant(0.7), diminishing] {
            follow(Method::Incremental, inner, step);
        }
    }
    follow(Method::Sggd, Inner::Prox, diminishing);
}

#[test]
fn without_a_penalty_prox_and_subgradient_make_the_same_steps() {
    let generated = planted(0.2);
    let data = Data::<f64>::new(generated.matrix().unwrap(), 1.0).unwrap();
    let problem = Problem::new(&data, RANK, &NonNeg, &NonNeg).unwrap();
    for metric in Metric::ALL {
        let step = Step::Diminishing {
            first: 0.8,
            power: 1.0,
        };
        let of = |method| {
            let settings = Settings {
                metric: Some(*metric),
                ..chosen(method, Inner::Prox, step)
            };
            Factorization::new(problem, settings, None).unwrap()
        };
        let (mut prox, mut subgradient) = (of(Method::Incremental), of(Method::Sggd));
        // The last step of the pass is where eq.32 goes back to its start.
        for _ in 0..90 / BATCH {
            prox.next().unwrap();
            subgradient.next().unwrap();
            assert!(prox.factors().x() == subgradient.factors().x(), "{metric}");
        }
    }
}

#[test]
fn every_rule_of_a_scalar_step_comes_near_the_metrics_objective() {
    let generated = planted(0.1);
    let data = Data::<f64>::new(generated.matrix().unwrap(), 1.0).unwrap();
    let l1 = NonNegL1::new(0.01).unwrap();
    let problem = Problem::new(&data, RANK, &l1, &l1).unwrap();
    let rules = [
        Step::Auto,
        Step::Constant(1.0),
        Step::Diminishing {
            first: 1.9,
            power: 0.5,
        },
    ];
    let best = super::after(problem, settings(Method::Batch, 5), 60.0);
    for step in rules {
        for rescale in [Some(false), None] {
            let settings = Settings {
                metric: Some(Metric::Scalar),
                rescale,
                step,
                ..settings(Method::Incremental, 5)
            };
            let reached = super::after(problem, settings, 600.0);
            assert!(reached < 1.05 * best, "{step:?}: {reached}, not {best}");
        }
    }
}

/// The certificate names the steps that were made, relative to 1/L, and a floor that is one.
#[test]
fn a_constant_scalar_step_ends_at_its_floor() {
    let generated = planted(0.3);
    let data = Data::<f64>::new(generated.matrix().unwrap(), 1.0).unwrap();
    let problem = Problem::new(&data, RANK, &NonNeg, &NonNeg).unwrap();
    let settings = Settings {
        method: Method::Incremental,
        batch: Some(15),
        metric: Some(Metric::Scalar),
        step: Step::Constant(1.5),
        ..Settings::default()
    };
    let stop = Stop {
        passes: 3000.0,
        looks: Looks::Every(4.0),
        ..Stop::default()
    };
    let mut solver = Factorization::new(problem, settings, None).unwrap();
    let report = run(&mut solver, &stop, ());
    assert_eq!(report.certificate.verdict, Verdict::AtErrorFloor);
    assert_eq!(report.certificate.of_method.steps, Some((1.5, 1.5)));
}
