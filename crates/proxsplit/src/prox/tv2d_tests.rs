//! Both kinds of 2-D total variation against independent ways to compute their proxes.

use super::{Tv1d, Tv2d, Tv2dAniso};
use crate::Prox;
use crate::linalg::vec::{distance, sum};

/// Weight, rows and columns.
type Shape = (f64, usize, usize);

struct Kind {
    /// The operator with a tolerance and a limit of rounds.
    make: fn(Shape, (f64, usize)) -> Box<dyn Prox>,
    /// The projection of a pixel's dual vector on what its norm allows.
    project: fn([f64; 2], f64) -> [f64; 2],
    /// The tolerance by default.
    tolerance: f64,
    by_default: fn(f64, usize, usize) -> Box<dyn Prox>,
}

const KINDS: [Kind; 2] = [
    Kind {
        make: |(weight, rows, cols), (tolerance, rounds)| {
            let g = Tv2d::new(weight, rows, cols).unwrap();
            Box::new(g.with_accuracy(tolerance, rounds).unwrap())
        },
        project: |p, radius| {
            let size = p[0].hypot(p[1]).max(radius);
            p.map(|p| p * radius / size)
        },
        tolerance: 1e-5,
        by_default: |weight, rows, cols| Box::new(Tv2d::new(weight, rows, cols).unwrap()),
    },
    Kind {
        make: |(weight, rows, cols), (tolerance, rounds)| {
            let g = Tv2dAniso::new(weight, rows, cols).unwrap();
            Box::new(g.with_accuracy(tolerance, rounds).unwrap())
        },
        project: |p, radius| p.map(|p| p.clamp(-radius, radius)),
        tolerance: 1e-7,
        by_default: |weight, rows, cols| Box::new(Tv2dAniso::new(weight, rows, cols).unwrap()),
    },
];

fn picture(rows: usize, cols: usize) -> Vec<f64> {
    let pixel = |k: usize| ((k * 7919) % 101) as f64 / 50.0 + (k % rows) as f64 / 4.0;
    (0..rows * cols).map(pixel).collect()
}

/// One row or one column is total variation of a signal, which has an exact prox.
#[test]
fn a_single_line_is_tv1d() {
    let y = picture(1, 30);
    let mut exact = y.clone();
    Tv1d::new(0.4).unwrap().prox(&mut exact, 1.0);
    for kind in KINDS {
        for (rows, cols) in [(1, 30), (30, 1)] {
            let mut x = y.clone();
            let g = (kind.make)((0.4, rows, cols), (1e-7, 100_000));
            let bound = g.prox_with_error(&mut x, 1.0).unwrap();
            assert!(distance(&x, &exact) <= bound.max(1e-12) && bound < 1e-5);
        }
    }
}

/// The steps down and across from each pixel, as pairs of places.
fn steps(rows: usize, cols: usize) -> Vec<[Option<(usize, usize)>; 2]> {
    let steps = |k: usize| {
        let down = (k % rows + 1 < rows).then_some((k, k + 1));
        let across = (k / rows + 1 < cols).then_some((k, k + rows));
        [down, across]
    };
    (0..rows * cols).map(steps).collect()
}

/// The dual by projected coordinate-wise gradient steps: x = y − Dᵀp.
fn by_projected_gradient(
    kind: &Kind,
    y: &[f64],
    rows: usize,
    cols: usize,
    radius: f64,
) -> Vec<f64> {
    let steps = steps(rows, cols);
    let mut p = vec![[0.0f64; 2]; y.len()];
    let primal = |p: &[[f64; 2]]| {
        let mut x = y.to_vec();
        for (step, p) in steps.iter().flatten().zip(p.iter().flatten()) {
            if let Some((from, to)) = *step {
                x[from] += p;
                x[to] -= p;
            }
        }
        x
    };
    for _ in 0..20_000 {
        let x = primal(&p);
        for (steps, p) in steps.iter().zip(&mut p) {
            for (step, p) in steps.iter().zip(p.iter_mut()) {
                if let Some((from, to)) = *step {
                    *p += 0.1 * (x[to] - x[from]);
                }
            }
            *p = (kind.project)(*p, radius);
        }
    }
    primal(&p)
}

#[test]
fn equals_plain_projected_gradient() {
    let (rows, cols, radius) = (4, 3, 0.5);
    let y = picture(rows, cols);
    for kind in KINDS {
        let expected = by_projected_gradient(&kind, &y, rows, cols, radius);
        let mut x = y.clone();
        (kind.make)((radius, rows, cols), (1e-8, 20_000)).prox(&mut x, 1.0);
        assert!(distance(&x, &expected) < 1e-6, "{x:?} is not {expected:?}");
    }
}

#[test]
fn the_bound_on_the_error_holds() {
    let y = picture(9, 7);
    let spread = distance(&y, &vec![sum(&y) / 63.0; 63]);
    for kind in KINDS {
        let reach = |tolerance: f64, rounds: usize| {
            let mut x = y.clone();
            let g = (kind.make)((0.4, 9, 7), (tolerance, rounds));
            let bound = g.prox_with_error(&mut x, 1.0).unwrap();
            (x, bound)
        };
        let (exact, bound) = reach(1e-8, 100_000);
        assert!(bound < 1e-6);
        for rounds in [1, 10, 20, 50] {
            let (x, bound) = reach(1e-12, rounds);
            assert!(distance(&x, &exact) <= bound + 1e-6, "{rounds}: {bound}");
        }
        let g = (kind.by_default)(0.4, 9, 7);
        assert!(g.prox_with_error(&mut y.clone(), 1.0).unwrap() <= kind.tolerance * spread);
    }
}

/// A picture of some size: what is promised by default is kept, against a run to a third of the tolerance.
#[test]
fn the_default_keeps_its_promise_on_a_picture() {
    let y = picture(64, 64);
    let spread = distance(&y, &vec![sum(&y) / 4096.0; 4096]);
    for kind in KINDS {
        let (mut x, mut long) = (y.clone(), y.clone());
        let error = (kind.by_default)(1.0, 64, 64).prox_with_error(&mut x, 1.0);
        let further = (kind.make)((1.0, 64, 64), (0.3 * kind.tolerance, 20_000));
        let rest = further.prox_with_error(&mut long, 1.0);
        let (error, rest) = (error.unwrap(), rest.unwrap());
        assert!(error <= kind.tolerance * spread, "{error:e}");
        assert!(rest <= 0.3 * kind.tolerance * spread, "{rest:e}");
        let distance = distance(&x, &long);
        assert!(distance <= error + rest, "{distance:e} is above {error:e}");
    }
}
