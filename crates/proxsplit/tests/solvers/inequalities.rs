//! The theorem's inequalities on every iteration of real runs with injected error, for g convex, weakly convex and neither.
//! Residuals and subdifferentials are written out here again, and not taken from the certificate.

use crate::sample::{Sample, distance, norm, starts};
use proxsplit::gradient::{Injected, Shape};
use proxsplit::smooth::Cauchy;
use proxsplit::step::Constant;
use proxsplit::text::Operator;
use proxsplit::{Class, Guarantee, Looks, Prox, Row, Smooth, Splitting, Stop, run};

const SLACK: f64 = 1e-10;
const COLS: usize = 9;
const TERMS: [&str; 6] = [
    "l1:0.3",
    "scad:0.5,3.7",
    "mcp:0.5,2",
    "l0:0.2",
    "capped-l1:0.3,0.5",
    "sparse-ball:3",
];
const SHAPES: [Shape; 3] = [Shape::Bias, Shape::Random, Shape::Adversarial];

/// dist(0, ∂Φ(x)) by the subdifferential of each term.
fn slope(f: &dyn Smooth, term: &str, x: &[f64]) -> f64 {
    let mut gradient = vec![0.0; x.len()];
    f.gradient(x, &mut gradient);
    let entries = x.iter().zip(&gradient);
    let kink = |g: f64, weight: f64| (g.abs() - weight).max(0.0);
    let of = |(&x, &g): (&f64, &f64)| match term {
        "l1:0.3" | "capped-l1:0.3,0.5" if x == 0.0 => kink(g, 0.3),
        "l1:0.3" => g + 0.3 * x.signum(),
        "scad:0.5,3.7" | "mcp:0.5,2" if x == 0.0 => kink(g, 0.5),
        "scad:0.5,3.7" if x.abs() <= 0.5 => g + 0.5 * x.signum(),
        "scad:0.5,3.7" => g + (3.7 * 0.5 - x.abs()).max(0.0) / 2.7 * x.signum(),
        "mcp:0.5,2" => g + (0.5 - x.abs() / 2.0).max(0.0) * x.signum(),
        // Every slope is a subgradient of the jump at 0.
        "l0:0.2" | "sparse-ball:3" if x == 0.0 => 0.0,
        "capped-l1:0.3,0.5" if x.abs() < 0.5 => g + 0.3 * x.signum(),
        _ => g,
    };
    let mut squares: f64 = entries.map(of).map(|s| s * s).sum();
    if term == "sparse-ball:3" {
        // With room for more nonzeros, some of the zeros must be stationary, too.
        let support = x.iter().filter(|x| **x != 0.0).count();
        let mut off: Vec<f64> = x
            .iter()
            .zip(&gradient)
            .filter(|(x, _)| **x == 0.0)
            .map(|(_, g)| g * g)
            .collect();
        off.sort_by(f64::total_cmp);
        squares += off[..3 - support].iter().sum::<f64>();
    }
    squares.sqrt()
}

/// ‖x − P_η(x − η∇f(x))‖/η
fn residual(f: &dyn Smooth, g: &dyn Prox, x: &[f64], step: f64) -> f64 {
    let mut p = vec![0.0; x.len()];
    f.gradient(x, &mut p);
    for (p, x) in p.iter_mut().zip(x) {
        *p = x - step * *p;
    }
    g.prox(&mut p, step);
    distance(x, &p) / step
}

/// 2ηc of the table: convex, weakly convex, any.
fn room(class: Class, step: f64, l: f64) -> f64 {
    match class {
        Class::Convex => 2.0 - step * l,
        Class::WeaklyConvex { modulus } => 2.0 - step * (l + modulus),
        Class::Nonconvex => 1.0 - step * l,
    }
}

fn limit(class: Class, l: f64) -> f64 {
    match class {
        Class::Convex => 2.0 / l,
        Class::WeaklyConvex { modulus } => (2.0 / (l + modulus)).min(0.99 / modulus),
        Class::Nonconvex => 1.0 / l,
    }
}

struct Run<'a> {
    f: &'a dyn Smooth,
    term: &'a str,
    g: Operator,
    l: f64,
    level: f64,
    step: f64,
}

impl<'a> Run<'a> {
    fn new(f: &'a dyn Smooth, term: &'a str, share: f64, level: f64) -> Self {
        let g: Operator = term.parse().unwrap();
        let l = f.lipschitz().value().unwrap();
        let step = share * limit(Prox::<f64>::class(&g), l);
        Self {
            f,
            term,
            g,
            l,
            level,
            step,
        }
    }

    fn class(&self) -> Class {
        Prox::<f64>::class(&self.g)
    }

    fn solver(&self, start: &[f64], shape: Shape) -> Splitting<'_> {
        let source = Injected::new(self.f, self.level, shape, 3).unwrap();
        let rule = Constant::new(self.step).unwrap();
        let solver = Splitting::new(self.f, &self.g, start).unwrap();
        solver.gradient(source).step(rule)
    }

    fn objective(&self, x: &[f64]) -> f64 {
        self.f.value(x) + Prox::value(&self.g, x)
    }

    /// What the theorem bounds: ‖ρ_η(x)‖ for convex g, dist(0, ∂Φ(x⁺)) for others.
    fn stationarity(&self, before: &[f64], after: &[f64]) -> f64 {
        match self.class() {
            Class::Convex => residual(self.f, &self.g, before, self.step),
            _ => slope(self.f, self.term, after),
        }
    }

    /// The stationarity that a move of this length allows.
    fn allowed(&self, moved: f64) -> f64 {
        let per_move = match self.class() {
            Class::Convex => 1.0 / self.step,
            _ => 1.0 / self.step + self.l,
        };
        self.level + per_move * moved
    }

    /// K as the certificate must print it, for the residual at 1/L.
    fn constant(&self) -> f64 {
        let (room, product) = (room(self.class(), self.step, self.l), self.step * self.l);
        match self.class() {
            Class::Convex => (1.0 + 2.0 / room) * product.max(1.0),
            _ => 1.0 + 2.0 * (1.0 + product) / room,
        }
    }

    /// Descent, stationarity and rate, step by step.
    fn check(&self, start: &[f64], shape: Shape) {
        let c = room(self.class(), self.step, self.l) / (2.0 * self.step);
        assert!(c > 0.0);
        let mut solver = self.solver(start, shape);
        // All losses and penalties here are nonnegative.
        let gap = self.objective(solver.x());
        let (mut least, mut closest) = (f64::INFINITY, f64::INFINITY);
        for k in 1..=80 {
            let before = solver.x().to_vec();
            solver.next().unwrap();
            let after = solver.x();
            let moved = distance(&before, after);
            let bound = self.objective(&before) - c * moved * moved + self.level * moved;
            let found = self.objective(after);
            assert!(
                found <= bound + SLACK,
                "{}: Φ = {found} above {bound}",
                self.term
            );
            let stationarity = self.stationarity(&before, after);
            assert!(
                stationarity <= self.allowed(moved) + SLACK,
                "{}: {stationarity} after a move of {moved}",
                self.term
            );
            least = least.min(moved);
            closest = closest.min(stationarity);
            let square = self.level * self.level + 4.0 * c * gap / f64::from(k);
            let rate = (self.level + square.sqrt()) / (2.0 * c);
            assert!(least <= rate + SLACK, "{}: {least} > {rate}", self.term);
            assert!(closest <= self.allowed(rate) + SLACK, "{}", self.term);
        }
    }
}

#[test]
fn descent_stationarity_and_rate_hold_in_every_iteration() {
    let sample = Sample::new(40, COLS, 1);
    let f = Cauchy::new(sample.matrix(), &sample.targets, 0.5).unwrap();
    for term in TERMS {
        for share in [0.2, 0.5, 0.95] {
            for level in [0.0, 1e-3, 0.3] {
                let run = Run::new(&f, term, share, level);
                for start in starts(COLS, 2) {
                    for shape in SHAPES {
                        run.check(&start, shape);
                    }
                }
            }
        }
    }
}

/// The lowest stationarity of the second half of a long run.
fn long_run(run: &Run, start: &[f64], shape: Shape) -> f64 {
    let mut solver = run.solver(start, shape);
    solver.nth(1499).unwrap();
    let mut least = f64::INFINITY;
    for _ in 0..1500 {
        let before = solver.x().to_vec();
        solver.next().unwrap();
        least = least.min(run.stationarity(&before, solver.x()));
    }
    least
}

#[test]
fn long_runs_come_as_close_as_k_times_the_error_over_decades() {
    let sample = Sample::new(40, COLS, 1);
    let f = Cauchy::new(sample.matrix(), &sample.targets, 0.5).unwrap();
    let start = starts(COLS, 1).next().unwrap();
    for term in TERMS {
        for share in [0.5, 0.9] {
            for shape in SHAPES {
                for exponent in [1, 3, 5] {
                    let level = 10f64.powi(-exponent);
                    let run = Run::new(&f, term, share, level);
                    let (least, radius) = (long_run(&run, &start, shape), run.constant() * level);
                    assert!(least <= radius, "{term} {shape:?}: {least} > {radius}");
                    // Unless the support keeps still, the error is seen in the residual.
                    assert!(shape == Shape::Random || least > 1e-3 * level || norm(&start) == 0.0);
                }
            }
        }
    }
}

#[test]
fn the_certificate_prints_these_constants_and_a_radius_that_holds() {
    let sample = Sample::new(40, COLS, 1);
    let f = Cauchy::new(sample.matrix(), &sample.targets, 0.5).unwrap();
    let start = starts(COLS, 1).next().unwrap();
    for term in TERMS {
        for share in [0.3, 0.6, 0.9] {
            let level = 1e-2;
            let theory = Run::new(&f, term, share, level);
            let mut solver = theory.solver(&start, Shape::Bias);
            let stop = Stop {
                residual: 0.0,
                relative: 0.0,
                passes: 2000.0,
                looks: Looks::Every(1.0),
                at_floor: false,
                ..Stop::default()
            };
            let report = run(&mut solver, &stop, ());
            let of = &report.certificate.of_method;
            let Guarantee::Neighbourhood { error, radius } = of.guarantee else {
                panic!("{term} {share}: {}", of.guarantee)
            };
            assert!((error / level - 1.0).abs() < 1e-6);
            let constant = of.constant.unwrap();
            assert!((constant / theory.constant() - 1.0).abs() < 1e-9, "{term}");
            let shown = report.certificate.at_point.residual;
            let truth = match theory.class() {
                Class::Convex => residual(&f, &theory.g, solver.x(), 1.0 / theory.l),
                _ => slope(&f, term, solver.x()),
            };
            assert!(truth <= shown + SLACK, "{term}: {truth} is above {shown}");
            let least = report.looks().map(Row::residual);
            let least = least.fold(f64::INFINITY, f64::min);
            assert!(least <= radius, "{term} {share}: {least} > {radius}");
        }
    }
}
