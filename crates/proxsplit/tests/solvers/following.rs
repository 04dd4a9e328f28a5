//! Gradient sources whose errors follow the moves: their levels bound the true errors, sums of squared moves are bounded as the theorem
//! says, constant steps end at stationary points, and steps that are too long are taken back.

use crate::sample::{Sample, distance, norm, starts};
use proxsplit::data::{Dense, Elements, Matrix};
use proxsplit::gradient::{GradientSource, Page, Saga, Stale};
use proxsplit::order::VisitOrder;
use proxsplit::prox::{L1, Mcp, Zero};
use proxsplit::smooth::{Cauchy, FnSum, LeastSquares, Logistic};
use proxsplit::step::{Constant, Guarded};
use proxsplit::{
    Class, FiniteSum, Guarantee, Level, Looks, Prox, Reason, Smooth, Splitting, Stop, Verdict, run,
};

const ROWS: usize = 30;
const COLS: usize = 7;

type Make = for<'a> fn(&'a dyn FiniteSum) -> Box<dyn GradientSource + 'a>;

/// Every source, in batches of 4, so that the last one is short.
const SOURCES: [(&str, Make); 7] = [
    ("page", |f| {
        boxed(Page::new(f, 4, VisitOrder::Reshuffled, 1))
    }),
    ("page, random", |f| {
        boxed(Page::new(f, 4, VisitOrder::Random, 1))
    }),
    ("page, every third", |f| {
        let page = Page::new(f, 4, VisitOrder::Cyclic, 1).unwrap();
        Box::new(page.refresh_every(3))
    }),
    ("saga", |f| {
        boxed(Saga::new(f, 4, VisitOrder::Reshuffled, 1))
    }),
    ("saga, cyclic", |f| {
        boxed(Saga::new(f, 4, VisitOrder::Cyclic, 1))
    }),
    ("aggregated", |f| {
        Box::new(
            Saga::new(f, 4, VisitOrder::Reshuffled, 1)
                .unwrap()
                .aggregated(),
        )
    }),
    ("stale", |f| Box::new(Stale::new(f, 3))),
];

fn boxed<'a>(
    source: Result<impl GradientSource + 'a, proxsplit::Error>,
) -> Box<dyn GradientSource + 'a> {
    Box::new(source.unwrap())
}

/// The same sum without the structure of a linear model, of which nothing is known.
fn hidden(f: &dyn FiniteSum) -> impl FiniteSum + '_ {
    FnSum::new(
        f.dim(),
        f.terms(),
        |batch: &[usize], x: &[f64], grad: &mut [f64]| f.add_gradient(batch, x, grad),
    )
    .unwrap()
}

fn gradient(f: &dyn FiniteSum, x: &[f64]) -> Vec<f64> {
    let mut gradient = vec![0.0; x.len()];
    f.gradient(x, &mut gradient);
    gradient
}

/// Eq.31 summed up, with the true error and with its stated level, in every iteration of a run written out by hand. `share` is
/// the step as a part of 2/(L + 2W) or 1/(L + 2W), whichever the class of g asks for.
fn check(f: &dyn FiniteSum, g: &dyn Prox, (name, make): (&str, Make), share: f64) {
    let l = f.lipschitz().value().unwrap();
    for start in starts(COLS, 2) {
        let mut source = make(f);
        let w = source.following().unwrap().feedback.value().unwrap();
        let room = |step: f64| match g.class() {
            Class::Convex => (2.0 - step * l) / (2.0 * step),
            Class::WeaklyConvex { modulus } => (2.0 - step * (l + modulus)) / (2.0 * step),
            Class::Nonconvex => (1.0 - step * l) / (2.0 * step),
        };
        let step = share * 2.0 / (3.0 * l + 2.0 * w);
        let c = room(step);
        assert!(c > w, "{name}");
        let objective = |x: &[f64]| f.value(x) + g.value(x);
        let mut x = start.clone();
        g.prox(&mut x, 1.0);
        let (first, mut squares, mut estimate) = (objective(&x), 0.0, vec![0.0; COLS]);
        for k in 0..200 {
            let level = source.estimate(&x, step, &mut estimate);
            let error = distance(&gradient(f, &x), &estimate);
            let Level::Bounded(bound) = level else {
                panic!("{name}: {level}")
            };
            assert!(error <= bound + 1e-10, "{name}, {k}: {error} > {bound}");
            let before = x.clone();
            for (x, g) in x.iter_mut().zip(&estimate) {
                *x -= step * g;
            }
            g.prox(&mut x, step);
            let moved = distance(&x, &before);
            let allowed = objective(&before) - c * moved * moved + error * moved;
            assert!(objective(&x) <= allowed + 1e-10, "{name}, {k}");
            squares += moved * moved;
            assert!(
                objective(&x) <= first - (c - w) * squares + 1e-10,
                "{name}, {k}: the sum of squares is {squares}"
            );
        }
        assert!(squares > 0.0);
    }
}

#[test]
fn levels_bound_the_errors_and_moves_are_summable_in_every_iteration() {
    let sample = Sample::new(ROWS, COLS, 1);
    let f = Cauchy::new(sample.matrix(), &sample.targets, 0.5).unwrap();
    let convex = LeastSquares::new(sample.matrix(), &sample.targets).unwrap();
    let (l1, mcp) = (L1::new(0.3).unwrap(), Mcp::new(0.5, 2.0).unwrap());
    for source in SOURCES {
        for share in [0.2, 0.9] {
            check(&f, &l1, source, share);
            check(&f, &mcp, source, share);
            check(&convex, &Zero, source, share);
        }
    }
}

fn long() -> Stop {
    Stop {
        passes: 20_000.0,
        relative: 1e-7,
        ..Stop::default()
    }
}

#[test]
fn constant_steps_end_stationary_and_the_certificate_names_the_theorem() {
    let sample = Sample::new(ROWS, COLS, 2);
    let f = Cauchy::new(sample.matrix(), &sample.targets, 0.5).unwrap();
    let convex = LeastSquares::new(sample.matrix(), &sample.targets).unwrap();
    let g = L1::new(0.3).unwrap();
    for (name, make) in SOURCES {
        for (f, promise) in [
            (&f as &dyn FiniteSum, Guarantee::Stationary),
            (&convex, Guarantee::Minimizer),
        ] {
            let source = make(f);
            let w = source.following().unwrap().feedback.value().unwrap();
            let step = 1.9 / (f.lipschitz().value().unwrap() + 2.0 * w);
            let rule = Constant::new(step).unwrap();
            let mut solver = Splitting::new(f, &g, &[0.5; COLS]).unwrap();
            solver = solver.gradient(source).step(rule);
            let report = run(&mut solver, &long(), ());
            let certificate = &report.certificate;
            assert_eq!(
                certificate.verdict,
                Verdict::Stationary,
                "{name}: {certificate}"
            );
            assert_eq!(certificate.of_method.guarantee, promise, "{name}");
            let too_long = Constant::new(2.0 * step).unwrap();
            let mut solver = Splitting::new(f, &g, &[0.5; COLS]).unwrap();
            solver = solver.gradient(make(f)).step(too_long);
            let report = run(&mut solver, &long(), ());
            let of = report.certificate.of_method;
            assert!(
                matches!(
                    of.guarantee,
                    Guarantee::Neighbourhood { .. } | Guarantee::None { .. }
                ),
                "{name}: {}",
                of.guarantee
            );
        }
    }
}

#[test]
fn default_steps_are_guarded_and_agree_with_exact_gradients() {
    let sample = Sample::new(ROWS, COLS, 3);
    let f = LeastSquares::new(sample.matrix(), &sample.targets).unwrap();
    let g = L1::new(0.3).unwrap();
    let mut exact = Splitting::new(&f, &g, &[0.0; COLS]).unwrap();
    assert!(run(&mut exact, &long(), ()).converged());
    let unknown = hidden(&f);
    for (name, make) in SOURCES {
        for f in [&f as &dyn FiniteSum, &unknown] {
            let mut solver = Splitting::new(f, &g, &[0.0; COLS]).unwrap();
            solver = solver.gradient(make(f));
            let report = run(&mut solver, &long(), ());
            let certificate = &report.certificate;
            assert_eq!(report.reason, Reason::Converged, "{name}: {certificate}");
            let off = distance(solver.x(), exact.x());
            assert!(off < 1e-4 * norm(exact.x()), "{name}: {off}");
            let promise = certificate.of_method.guarantee;
            assert!(
                matches!(promise, Guarantee::Minimizer | Guarantee::Stationary),
                "{name}: {promise}"
            );
        }
    }
}

#[test]
fn a_step_that_is_far_too_long_is_taken_back_until_it_serves() {
    let sample = Sample::new(ROWS, COLS, 4);
    let labels: Vec<f64> = sample.targets.iter().map(|t| t.signum()).collect();
    let f = Logistic::new(sample.matrix(), &labels).unwrap();
    let g = L1::new(0.2).unwrap();
    let short = 1.0 / f.lipschitz().value().unwrap();
    for (name, make) in SOURCES {
        for factor in [30.0, 1e3, 1e8] {
            let mut solver = Splitting::new(&f, &g, &[0.0; COLS]).unwrap();
            let rule = Guarded::new(factor * short).unwrap();
            solver = solver.gradient(make(&f)).step(rule);
            let report = run(&mut solver, &long(), ());
            assert!(report.converged(), "{name}: {}", report.certificate);
            let looks: Vec<f64> = report.looks().map(proxsplit::Row::objective).collect();
            assert!(looks.last() < looks.first(), "{name}");
        }
    }
}

#[test]
fn saga_remembers_a_number_a_row_for_linear_models_and_a_gradient_a_batch_for_others() {
    let sample = Sample::new(ROWS, COLS, 5);
    let f = Cauchy::new(sample.matrix(), &sample.targets, 0.5).unwrap();
    let other = hidden(&f);
    let slopes = Saga::new(&f, 4, VisitOrder::Reshuffled, 1).unwrap();
    let gradients = Saga::new(&other, 4, VisitOrder::Reshuffled, 1).unwrap();
    assert_eq!(slopes.remembered(), ROWS);
    assert_eq!(gradients.remembered(), ROWS.div_ceil(4) * COLS);
    // They are the same method.
    let g = L1::new(0.1).unwrap();
    let rule = Constant::new(0.01).unwrap();
    let solver = |f| Splitting::new(f, &g, &[0.3; COLS]).unwrap().step(rule);
    let (mut a, mut b) = (solver(&f).gradient(slopes), solver(&f).gradient(gradients));
    for _ in 0..100 {
        a.next().unwrap();
        b.next().unwrap();
        assert!(distance(a.x(), b.x()) < 1e-12);
    }
    assert!(Saga::new(&f, 4, VisitOrder::Random, 1).is_err());
    assert!(Saga::new(&f, 0, VisitOrder::Cyclic, 1).is_err());
    assert!(Page::new(&f, 0, VisitOrder::Cyclic, 1).is_err());
}

#[test]
fn slopes_and_rows_are_the_gradient_for_every_storage_weight_and_intercept() {
    let sample = Sample::new(ROWS, COLS, 6);
    let mut columns = vec![0.0; ROWS * COLS];
    for i in 0..ROWS {
        for j in 0..COLS {
            columns[j * ROWS + i] = sample.design[i * COLS + j];
        }
    }
    let by_columns = Dense::new(
        ROWS,
        COLS,
        proxsplit::data::StorageOrder::ColumnMajor,
        Elements::F64(&columns),
    )
    .unwrap();
    let weights: Vec<f64> = (0..ROWS).map(|i| i as f64 / 7.0).collect();
    for matrix in [sample.matrix(), Matrix::from(by_columns)] {
        let f = Cauchy::new(matrix, &sample.targets, 0.5).unwrap();
        let f = f.averaged().weighted(&weights).unwrap().with_intercept();
        let x: Vec<f64> = (0..=COLS).map(|j| 0.3 - 0.1 * j as f64).collect();
        for batch in [vec![3, 4, 5, 6, 7], vec![9, 2, 2, 29, 0, 11], vec![5]] {
            let model = f.linear().unwrap();
            let (mut slopes, mut found) = (vec![0.0; batch.len()], vec![1.0; COLS + 1]);
            model.slopes_of(&batch, &x, &mut slopes);
            model.add_rows(&batch, &slopes, &mut found);
            let mut expected = vec![1.0; COLS + 1];
            f.add_gradient(&batch, &x, &mut expected);
            assert!(distance(&found, &expected) < 1e-12);
        }
    }
}

#[test]
fn the_level_is_never_a_floor_and_looks_refresh_page() {
    let sample = Sample::new(ROWS, COLS, 7);
    let f = LeastSquares::new(sample.matrix(), &sample.targets).unwrap();
    let stop = Stop {
        residual: 0.0,
        relative: 0.0,
        passes: 400.0,
        looks: Looks::Every(1.0),
        ..Stop::default()
    };
    for (name, make) in SOURCES {
        let mut solver = Splitting::new(&f, &Zero, &[0.5; COLS]).unwrap();
        solver = solver.gradient(make(&f));
        let report = run(&mut solver, &stop, ());
        assert_eq!(
            report.reason,
            Reason::PassLimit,
            "{name}: {}",
            report.certificate
        );
    }
}
