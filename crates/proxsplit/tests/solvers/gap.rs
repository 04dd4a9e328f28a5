//! The bound on Φ(x) − min Φ is never below the truth, and vanishes at solutions.

use proxsplit::data::{Dense, Elements, StorageOrder};
use proxsplit::smooth::{HuberRegression, LeastSquares, Logistic, Quadratic};
use proxsplit::text::Operator;
use proxsplit::{Gap, Prox, Smooth, Splitting, suboptimality};
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64;

const ROWS: usize = 40;
const COLS: usize = 12;

fn random(len: usize, least: f64, seed: u64) -> Vec<f64> {
    let mut random = Pcg64::seed_from_u64(seed);
    (0..len).map(|_| random.random_range(least..1.0)).collect()
}

fn matrix(entries: &[f64]) -> Dense<'_> {
    Dense::new(ROWS, COLS, StorageOrder::RowMajor, Elements::F64(entries)).unwrap()
}

fn objective(f: &dyn Smooth, g: &dyn Prox, x: &[f64]) -> f64 {
    f.value(x) + g.value(x)
}

fn gap(f: &dyn Smooth, g: &dyn Prox, x: &[f64]) -> Option<Gap> {
    let mut gradient = vec![0.0; x.len()];
    let value = f.gradient(x, &mut gradient);
    suboptimality(f, g, x, value, &gradient)
}

/// Plain accelerated proximal gradient, restarted where the objective rises: not the crate's solver.
fn accelerated(f: &dyn Smooth, g: &dyn Prox, step: f64) -> Vec<f64> {
    let mut x = vec![0.0; f.dim()];
    g.prox(&mut x, step);
    let (mut ahead, mut gradient, mut t) = (x.clone(), x.clone(), 1.0f64);
    let mut last = f64::INFINITY;
    for _ in 0..4_000 {
        f.gradient(&ahead, &mut gradient);
        let mut next: Vec<f64> = ahead
            .iter()
            .zip(&gradient)
            .map(|(a, d)| a - step * d)
            .collect();
        g.prox(&mut next, step);
        let value = objective(f, g, &next);
        if value > last {
            (t, last) = (1.0, f64::INFINITY);
            ahead.clone_from(&x);
            continue;
        }
        let grown = 0.5 * (1.0 + (1.0 + 4.0 * t * t).sqrt());
        for ((a, n), x) in ahead.iter_mut().zip(&next).zip(&x) {
            *a = n + (t - 1.0) / grown * (n - x);
        }
        (x, t, last) = (next, grown, value);
    }
    x
}

/// Random points of the domain and points ever nearer to the best one.
fn points(g: &dyn Prox, best: &[f64]) -> Vec<Vec<f64>> {
    let mut points = Vec::new();
    for seed in 0..20 {
        let mut far: Vec<f64> = random(best.len(), -1.0, 100 + seed);
        let scale = [0.1, 1.0, 10.0][seed as usize % 3];
        for x in &mut far {
            *x *= scale;
        }
        g.prox(&mut far, 0.3);
        for power in [1, 2, 4, 6, 8] {
            let share = 10f64.powi(-power);
            let mut near: Vec<f64> = best
                .iter()
                .zip(&far)
                .map(|(b, f)| b + share * (f - b))
                .collect();
            // Between two points of the domain, but for rounding.
            g.prox(&mut near, 1e-12);
            points.push(near);
        }
        points.push(far);
    }
    points
}

/// Never below the truth; and if it is tight, zero at the solution and at the solver's.
fn holds(name: &str, f: &dyn Smooth, text: &str, is_tight: bool) {
    let g: Operator = text.parse().unwrap();
    let step = 1.0 / f.lipschitz().value().unwrap();
    let best = accelerated(f, &g, step);
    let least = objective(f, &g, &best);
    for x in points(&g, &best) {
        let truth = objective(f, &g, &x) - least;
        let bound = gap(f, &g, &x).unwrap_or_else(|| panic!("{name}, {text}: no bound at {x:?}"));
        assert!(
            bound.value >= truth,
            "{name}, {text}: {bound:?} is below {truth:e}"
        );
        assert!(bound.is_tight || !is_tight, "{name}, {text}");
    }
    let start = vec![0.0; f.dim()];
    let mut solver = Splitting::new(f, &g, &start).unwrap();
    solver.by_ref().take(4_000).for_each(drop);
    for x in [&best[..], solver.x()] {
        let bound = gap(f, &g, x).unwrap();
        assert!(bound.value >= objective(f, &g, x) - least);
        let small = 1e-8 * (1.0 + least.abs());
        assert!(
            !is_tight || bound.value <= small,
            "{name}, {text}: {bound:?} at a solution"
        );
    }
}

const PENALTIES: [&str; 20] = [
    "l1:1.5",
    "elastic:1,0.5",
    "sql2:0.7",
    "l1:1+nonneg",
    "l1:0.5+box:-0.3,0.4",
    "box:-0.2,0.3",
    "simplex:1",
    "l1-ball:0.8",
    "l2-ball:0.5",
    "linf-ball:0.2",
    "group-l2:1,3",
    "group-linf:1,3",
    "sparse-group:0.3,0.7,3",
    "nuclear:1,3x4",
    "oscar:0.3,0.1",
    "l2:1",
    "linf:2",
    "huber:1,0.3",
    "fused:0.5,0.5",
    "l2:1+nonneg",
];

#[test]
fn squared_loss_with_every_kind_of_penalty() {
    for seed in 0..2 {
        let (entries, targets) = (
            random(ROWS * COLS, -1.0, seed),
            random(ROWS, -1.0, 50 + seed),
        );
        let f = LeastSquares::new(matrix(&entries), &targets).unwrap();
        for text in PENALTIES {
            holds("squares", &f, text, true);
        }
    }
    let (entries, targets) = (random(ROWS * COLS, -1.0, 3), random(ROWS, -1.0, 4));
    let f = LeastSquares::new(matrix(&entries), &targets)
        .unwrap()
        .averaged();
    holds("mean of squares", &f, "l1:0.05", true);
    holds("mean of squares", &f, "group-l2:0.03,3", true);
}

#[test]
fn logistic_and_huber_loss() {
    let (entries, targets) = (random(ROWS * COLS, -1.0, 7), random(ROWS, -1.0, 8));
    let labels: Vec<f64> = targets.iter().map(|b| b.signum()).collect();
    let logistic = Logistic::new(matrix(&entries), &labels).unwrap();
    let huber = HuberRegression::new(matrix(&entries), &targets, 0.4).unwrap();
    let mean = Logistic::new(matrix(&entries), &labels).unwrap().averaged();
    for text in [
        "l1:1",
        "elastic:0.5,0.5",
        "group-l2:1,3",
        "nuclear:1,3x4",
        "box:-1,1",
        "oscar:0.3,0.1",
    ] {
        holds("logistic", &logistic, text, true);
        holds("huber", &huber, text, true);
    }
    holds("mean of logistic", &mean, "l1:0.02", true);
}

/// The orthant alone: a true bound, too loose to stop by wherever some slope is negative.
#[test]
fn nonnegative_least_squares() {
    for seed in 0..3 {
        let (entries, targets) = (
            random(ROWS * COLS, 0.0, seed),
            random(ROWS, -1.0, 50 + seed),
        );
        let f = LeastSquares::new(matrix(&entries), &targets).unwrap();
        holds("nonnegative squares", &f, "nonneg", false);
        let loose = gap(&f, &proxsplit::set::NonNeg, &[0.0; COLS]).unwrap();
        assert!(!loose.is_tight);
        let f = LeastSquares::new(matrix(&entries), &targets)
            .unwrap()
            .averaged();
        holds("mean of nonnegative squares", &f, "nonneg", false);
    }
}

/// A function that does not know its F still has a bound where g* is finite everywhere.
#[test]
fn quadratics_with_bounded_domains() {
    let root = random(COLS * COLS, -1.0, 1);
    let product = |i: usize, j: usize| {
        (0..COLS)
            .map(|k| root[k * COLS + i] * root[k * COLS + j])
            .sum::<f64>()
    };
    let q: Vec<f64> = (0..COLS * COLS)
        .map(|k| product(k / COLS, k % COLS))
        .collect();
    let c = random(COLS, -1.0, 2);
    let f = Quadratic::new(
        Dense::new(COLS, COLS, StorageOrder::RowMajor, Elements::F64(&q)).unwrap(),
        &c,
    )
    .unwrap();
    for text in [
        "box:-1,1",
        "simplex:1",
        "l2-ball:1",
        "sql2:1",
        "l2-ball:1+nonneg",
    ] {
        let g: Operator = text.parse().unwrap();
        if g.conjugate(&c).is_some() {
            holds("quadratic", &f, text, true);
        }
    }
}

#[test]
fn nothing_is_said_where_nothing_is_known() {
    let (entries, targets) = (random(ROWS * COLS, -1.0, 7), random(ROWS, -1.0, 8));
    let squares = LeastSquares::new(matrix(&entries), &targets).unwrap();
    let cauchy = proxsplit::smooth::Cauchy::new(matrix(&entries), &targets, 1.0).unwrap();
    let x = vec![0.1; COLS];
    let says =
        |f: &dyn Smooth, text: &str| gap(f, &text.parse::<Operator>().unwrap(), &x).is_some();
    assert!(says(&squares, "l1:1"));
    assert!(!says(&cauchy, "l1:1"), "f is not convex");
    assert!(!says(&squares, "l0:1"), "g is not convex");
    assert!(!says(&squares, "simplex:1"), "x lies outside");
    assert!(!says(&squares, "zero"), "no dual point is feasible");
    assert!(!says(&squares, "nonneg"), "the matrix has negative entries");
}

/// In single precision the bound allows for the rounding of the gradient.
#[test]
fn single_precision() {
    let (entries, targets) = (random(ROWS * COLS, -1.0, 11), random(ROWS, -1.0, 12));
    let single: Vec<f32> = targets.iter().map(|&b| b as f32).collect();
    let rounded: Vec<f64> = single.iter().map(|&b| f64::from(b)).collect();
    let f = LeastSquares::new(matrix(&entries), &single).unwrap();
    let double = LeastSquares::new(matrix(&entries), &rounded).unwrap();
    for text in ["l1:1.5", "group-l2:1,3", "simplex:1", "nuclear:1,3x4"] {
        let g: Operator = text.parse().unwrap();
        let best = accelerated(&double, &g, 1.0 / double.lipschitz().value().unwrap());
        let least = objective(&double, &g, &best);
        for x in points(&g, &best) {
            let mut x: Vec<f32> = x.iter().map(|&x| x as f32).collect();
            Prox::<f32>::prox(&g, &mut x, 1e-9);
            let mut gradient = vec![0.0f32; COLS];
            let value = f.gradient(&x, &mut gradient);
            let bound = suboptimality(&f, &g, &x, value, &gradient).unwrap().value;
            let truth = value + Prox::<f32>::value(&g, &x) - least;
            assert!(bound >= truth, "{text}: {bound:e} is below {truth:e}");
        }
    }
}

#[test]
fn losses_know_their_floor_and_what_cancels() {
    let (entries, targets) = (random(ROWS * COLS, -1.0, 7), random(ROWS, -1.0, 8));
    let f = LeastSquares::new(matrix(&entries), &targets)
        .unwrap()
        .averaged();
    let mut slope = vec![0.0; COLS];
    f.gradient(&[0.0; COLS], &mut slope);
    let size = slope.iter().map(|s| s * s).sum::<f64>().sqrt();
    assert!((f.cancelling().unwrap() - size).abs() <= 1e-15 * size);
    assert_eq!(f.lower_bound(), Some(0.0));
    let nothing = LeastSquares::new(matrix(&entries), &[0.0; ROWS]).unwrap();
    assert_eq!(nothing.cancelling(), None);
}
